"""Starting a bot's process in the cage that this machine can make."""

import contextlib
import errno
import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from runner.botio import bubblewrap, landlocked
from runner.botio.program import Program
from runner.botio.resources import (
    ENVIRONMENT,
    PATH,
    die_first,
    die_with_parent,
    set_limits,
    threads_beside_others,
)
from runner.records import Isolation, Limits

_MACHINE_IS_FULL = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC}


class CannotStartError(Exception):
    """The bot's command cannot be executed; the text says why. Internal to the referee."""


@dataclass(frozen=True, slots=True)
class Cage:
    """How bots are started here.

    Attributes:
        isolation: the kind.
        bwrap: the path of bubblewrap, where that is what boxes them.
    """

    isolation: Isolation
    bwrap: str = ""


OPEN = Cage(Isolation.OFF)


@dataclass(frozen=True, slots=True)
class Started:
    """A bot's process, just started.

    Attributes:
        popen: our child, in a session of its own; its pipes are the bot's.
        pid: the bot's own process id.
        home: a folder of its own on this machine, if it has one.
        box: what it is in, under bubblewrap.
    """

    popen: "subprocess.Popen[bytes]"
    pid: int
    home: Path | None
    box: bubblewrap.Box | None = None


def start(program: Program, homes: Path, limits: Limits, cage: Cage) -> Started:
    """Start a bot; with a home below `homes` unless it gets one in its box.

    Raises:
        CannotStartError: the bot's command cannot be executed.
        OSError: the machine has no room for another process, file or folder, or makes no box.
    """
    if cage.isolation is Isolation.BUBBLEWRAP:
        _require_executable(program)
        box = bubblewrap.start(cage.bwrap, program, limits)
        return Started(box.popen, box.pid, None, box)
    home = Path(tempfile.mkdtemp(prefix="home-", dir=homes))
    try:
        with contextlib.ExitStack() as stack:
            prepare = _preparation(program, home, limits, cage, stack)
            popen = _spawn(program, home, prepare)
    except BaseException:
        with contextlib.suppress(OSError):
            home.rmdir()
        raise
    return Started(popen, popen.pid, home)


def _preparation(
    program: Program, home: Path, limits: Limits, cage: Cage, stack: contextlib.ExitStack
) -> Callable[[], None]:
    """What the child is to do before it becomes the bot."""
    runner = os.getpid()
    if cage.isolation is Isolation.OFF:
        return lambda: _tie_to(runner)
    threads = threads_beside_others()
    if cage.isolation is Isolation.LIMITS:

        def limited() -> None:
            _tie_to(runner)
            set_limits(0, limits, threads)

        return limited
    ruleset = landlocked.ruleset_for(program, home)
    stack.callback(os.close, ruleset)
    root = os.geteuid() == 0

    def landlocked_bot() -> None:
        die_first(0)  # a spare user may not
        if root:
            landlocked.become_nobody()
        _tie_to(runner)  # for which a change of user would make up
        set_limits(0, limits, limits.threads if root else threads)
        landlocked.enter(ruleset)

    return landlocked_bot


def _tie_to(runner: int) -> None:
    """Run in the child: it dies with its runner, and first if memory ends."""
    die_with_parent()
    if os.getppid() != runner:
        os._exit(1)
    die_first(0)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _spawn(program: Program, home: Path, prepare: Callable[[], None]) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            program.command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=program.folder,
            env={**ENVIRONMENT, "HOME": str(home), "TMPDIR": str(home)},
            start_new_session=True,
            # Safe enough beside threads: it only makes system calls through what is loaded.
            preexec_fn=prepare,  # noqa: PLW1509
        )
    except OSError as error:
        if error.errno in _MACHINE_IS_FULL or str(error.filename) == str(program.folder):
            raise
        raise CannotStartError(f"{program.command[0]}: {error.strerror}") from None
    except subprocess.SubprocessError as error:  # the preparation failed
        raise OSError(errno.EPERM, f"the bot's process cannot be prepared: {error}") from error


def _require_executable(program: Program) -> None:
    """Say plainly what bubblewrap would only write to the bot's stderr.

    Raises:
        CannotStartError: there is no such command.
    """
    word = program.command[0]
    if "/" not in word:
        if shutil.which(word, path=PATH) is None:
            raise CannotStartError(f"{word}: {os.strerror(errno.ENOENT)}")
    elif not (program.folder / word).exists():
        raise CannotStartError(f"{word}: {os.strerror(errno.ENOENT)}")
    elif not os.access(program.folder / word, os.X_OK):
        raise CannotStartError(f"{word}: {os.strerror(errno.EACCES)}")
