"""Which cage bots get on this machine: the best that works, found by trying it.

A kernel's version, a package's presence, an option's name tell little about what a container, a
distribution or a security module allows. So the real command line is run once with a small program
inside, which tries what must work and what must not. What is found holds for this process.
"""

import contextlib
import functools
import json
import os
import select
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from runner.botio import bubblewrap, landlock, seccomp
from runner.botio.interpreter import interpreter
from runner.botio.process import BotProcess, CannotStartError, adopt_strays, end_strays, printable
from runner.botio.program import Program
from runner.botio.start import OPEN, Cage
from runner.botio.visible import seen_by_bots
from runner.errors import RunError
from runner.records import Isolation, Limits, Sandbox, SandboxMode

_PROBE_SECONDS = 20.0
_PROBE_LIMITS = Limits(memory_mb=256, files_mb=1, open_files=32, threads=16)

_PROBE = """
import json, os, sys, threading
wrong = []
def must_fail(what, action):
    try:
        action()
    except OSError:
        return
    wrong.append("it can " + what)
def fork():
    if os.fork() == 0:
        os._exit(0)
def connect():
    import socket
    socket.socket()
must_fail("start processes", fork)
must_fail("use the network", connect)
must_fail("read /etc/passwd", lambda: open("/etc/passwd").read())
must_fail("read the runner's files", lambda: open(sys.argv[1]).read())
must_fail("write beside its own file", lambda: open("written", "w").close())
must_fail("see other processes", lambda: os.listdir("/proc/1"))
threading.Thread(target=int).start()
open("probe.py").close()
print(json.dumps(wrong), flush=True)
sys.stdin.read()
"""

_MENDS = (
    ("creating new namespace failed", "allow user namespaces (sysctl user.max_user_namespaces)"),
    ("no permissions to create", "allow user namespaces (sysctl user.max_user_namespaces)"),
    ("uid map", "install the distribution's bubblewrap, which its AppArmor profile admits"),
    ("is not installed", "install bubblewrap"),
    ("unshare", "allow user namespaces for this container"),
)
_MEND = "install bubblewrap, or allow user namespaces"


@dataclass(frozen=True, slots=True)
class Found:
    """What was found.

    Attributes:
        cage: how bots are started here.
        text: what that is, in a line, with the cause and the mend where it is not the best.
        warning: whether it is less than a league of strangers needs.
    """

    cage: Cage
    text: str
    warning: bool = False


@functools.cache
def find_cage(sandbox: Sandbox) -> Found:
    """The best cage that works here, as the league wants it.

    Raises:
        RunError: a real sandbox is required and cannot be had.
        UsageError: the interpreter that bots are to be run with is none.
    """
    if sandbox.mode is SandboxMode.OFF:
        return Found(OPEN, "Bots run without a sandbox, as the league file says.", warning=True)
    causes: list[str] = []
    for cage in cages():
        cause = _try(cage, sandbox.python)
        if cause is None:
            return Found(cage, _text(cage, causes))
        if cause not in causes:
            causes.append(cause)
    if sandbox.mode is SandboxMode.REQUIRED:
        raise RunError(
            f"no sandbox can be had here, and the league requires one: {'; '.join(causes)}. "
            f"To mend it: {_mend(causes)}; 'sandbox: auto' goes on without"
        )
    text = (
        "Bots are not isolated, only their resources are limited: run none that you do not "
        f"trust. {'; '.join(causes)}. To mend it: {_mend(causes)}."
    )
    return Found(Cage(Isolation.LIMITS), text, warning=True)


def cages() -> Iterator[Cage]:
    """The real ones that may be had here, best first."""
    found = False
    for path in bubblewrap.candidates():
        found = True
        yield Cage(Isolation.BUBBLEWRAP, path)
    if not found:
        yield Cage(Isolation.BUBBLEWRAP)
    yield Cage(Isolation.LANDLOCK)


def _try(cage: Cage, python: str) -> str | None:
    """Why a cage does not work here, or None."""
    name = cage.isolation.value
    if not seccomp.supported():
        return f"{name}: no system-call filter for {os.uname().machine}"
    if cage.isolation is Isolation.BUBBLEWRAP and not cage.bwrap:
        return "bubblewrap is not installed"
    if cage.isolation is Isolation.LANDLOCK and not landlock.version():
        return "this kernel has no Landlock"
    wrong = probe(cage, python)
    return None if wrong is None else f"{name}: {wrong.removeprefix(f'{name}: ')}"


def require_unseen(paths: Iterable[Path], cage: Cage, sandbox: Sandbox) -> None:
    """See that no bot can read these files of the league, which it could where they lie.

    Raises:
        RunError: one lies where every bot may read.
    """
    if cage.isolation not in (Isolation.BUBBLEWRAP, Isolation.LANDLOCK):
        return
    runs = interpreter(sandbox.python)
    needs = (Path(runs.base_prefix), Path(runs.prefix))
    for path in paths:
        if visible := seen_by_bots(path, needs):
            raise RunError(
                f"{path} lies in {visible}, where bots may read everything: keep the league "
                "in another folder, or say 'sandbox: off'"
            )


def probe(cage: Cage, python: str = "") -> str | None:
    """Run a small program in a cage; says what is wrong with it, or None."""
    runs = interpreter(python)
    folder = Path(tempfile.mkdtemp(prefix="letzter-probe-"))
    try:
        bot = folder / "bot"
        bot.mkdir()
        (bot / "probe.py").write_text(_PROBE, encoding="utf-8")
        hidden = folder / "hidden"
        hidden.write_text("secret", encoding="utf-8")
        command = (runs.base_executable, "-S", "-s", "probe.py", str(hidden))
        program = Program(command, bot, (Path(runs.base_prefix),))
        return _wrong_with(program, folder, cage)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wrong_with(program: Program, homes: Path, cage: Cage) -> str | None:
    adopt_strays()
    try:
        process = BotProcess(program, homes, _PROBE_LIMITS, cage)
    except (OSError, CannotStartError) as error:
        return str(getattr(error, "strerror", None) or error)
    try:
        said = _read_all(process)
        cpu_ns = process.cpu_ns()  # it waits until it has been looked at
        process.close_stdin()
        status = process.wait_for_death(_PROBE_SECONDS)
        stderr = process.stderr_text().strip().rpartition("\n")[2]
        with contextlib.suppress(ValueError):
            wrong = json.loads(said)
            if wrong:
                return ", ".join(wrong)
            return None if status == 0 and cpu_ns > 0 else "its process cannot be watched"
        return printable(said) + stderr or "the probe said nothing"
    except OSError as error:
        return error.strerror or str(error)
    finally:
        process.end()
        end_strays()


def _read_all(process: BotProcess) -> bytes:
    deadline = time.monotonic() + _PROBE_SECONDS
    said = b""
    while time.monotonic() < deadline and not said.endswith(b"\n"):
        select.select([process.stdout], [], [], 1.0)
        with contextlib.suppress(BlockingIOError):
            data = os.read(process.stdout, 4096)
            if not data:
                break
            said += data
    return said


def _text(cage: Cage, causes: list[str]) -> str:
    if cage.isolation is Isolation.BUBBLEWRAP:
        return "Bots are isolated by bubblewrap."
    return (
        f"Bots are isolated by Landlock, which is less than bubblewrap: {'; '.join(causes)}. "
        f"To mend it: {_mend(causes)}."
    )


def _mend(causes: list[str]) -> str:
    text = "; ".join(causes).lower()
    return next((mend for sign, mend in _MENDS if sign in text), _MEND)
