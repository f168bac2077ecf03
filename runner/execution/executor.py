"""What every way of execution offers, and what they share: playing one sitting on one core."""

import contextlib
import fcntl
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from runner.botio.program import unpack
from runner.botio.sandbox import find_cage
from runner.errors import RunError
from runner.records import UNBOXED, BotFiles, Sandbox, Sitting, SittingResult, Void
from runner.table.sitting import play_sitting

_PREFIX = "letzter-"


class Executor(Protocol):
    """Plays sittings. Used within a `with`."""

    def __enter__(self) -> "Executor":
        """Get ready; may go on in the background."""
        ...

    def __exit__(self, *args: object) -> None:
        """End at once whatever is still being played."""
        ...

    def wait_until_ready(self) -> None:
        """Wait until sittings can be played.

        Raises:
            RunError: that will never be.
        """
        ...

    def play(self, sittings: Iterable[Sitting]) -> Iterator[SittingResult | Void]:
        """Play sittings, taking from the iterable only what can be begun; yield them as they end.

        Raises:
            RunError: nothing can be played any more.
        """
        ...


@contextlib.contextmanager
def workspace() -> Iterator[Path]:
    """A folder for the files of one run, with a short path, removed at the end.

    Those of runs that were killed are removed as well, with all that still runs in them.

    Raises:
        RunError: bots cannot be run on this system, or there is no room for them.
    """
    if sys.platform != "linux":
        raise RunError("bots can be run on Linux only: their limits rest on its pidfds and clocks")
    root = Path("/tmp") if os.access("/tmp", os.W_OK) else Path(tempfile.gettempdir())  # noqa: S108
    for left in root.glob(f"{_PREFIX}*-*"):
        pid = left.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdecimal() and not Path("/proc", pid).exists() and _is_ours(left):
            _remove(left)
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=root))
    except OSError as error:
        raise RunError(f"{root}: no folder can be made for the bots: {error.strerror}") from error
    try:
        yield folder
    finally:
        _remove(folder)


def _is_ours(folder: Path) -> bool:
    """Whether a folder is this user's; False if it has gone, since others clean up too."""
    try:
        return folder.stat().st_uid == os.getuid()
    except OSError:
        return False


def _remove(folder: Path) -> None:
    """Remove a workspace, with the folders of bots, which are made so that nobody can write.

    What still runs in it is killed: some of Ray's processes outlive a driver that was killed.
    """
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):  # it has ended, or is no process
            pid = int(process.name)
            if (process / "cwd").readlink().is_relative_to(folder) and pid != os.getpid():
                os.kill(pid, signal.SIGKILL)
    for path, _, _ in os.walk(folder / "bots"):
        with contextlib.suppress(OSError):
            Path(path).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def play_on_core(
    sitting: Sitting, bots: Sequence[BotFiles], folder: Path, sandbox: Sandbox = UNBOXED
) -> SittingResult | Void:
    """Play a sitting with referee and bots pinned to one core.

    Args:
        sitting: what to play.
        bots: the bot of each entrant, by place.
        folder: a workspace of this machine, which may be shared with other processes.
        sandbox: how the bots are boxed; what that is here is found out once for each process.
    """
    homes = folder / "homes"
    try:
        homes.mkdir(parents=True, exist_ok=True)
        programs = [unpack(bot, folder / "bots", sandbox.python) for bot in bots]
        cage = find_cage(sandbox).cage
        with _one_core(folder / "cores", sitting.id):
            return play_sitting(sitting, programs, homes, cage)
    except RunError as error:
        return Void(sitting.id, str(error))
    except OSError as error:
        return Void(sitting.id, f"{error.strerror or error} ({type(error).__name__})")


@dataclass(frozen=True, slots=True)
class AtWork:
    """A process that plays a sitting on this machine.

    Attributes:
        pid: the process.
        sitting: the id of the sitting.
    """

    pid: int
    sitting: str


def at_work(folder: Path) -> Iterator[AtWork]:
    """Who is playing what in a workspace."""
    for lock in (folder / "cores").glob("*"):
        with contextlib.suppress(OSError, ValueError):
            pid, sitting = lock.read_text(encoding="ascii").split()
            if _is_locked(lock):
                yield AtWork(int(pid), sitting)


@contextlib.contextmanager
def _one_core(locks: Path, sitting_id: str) -> Iterator[None]:
    """Pin this thread, and so what it starts, to the first core that no other sitting is on.

    Waking a process on another core costs more than most bots need for a decision. While it lasts,
    the core's lock file says who is at what.
    """
    allowed = os.sched_getaffinity(0)
    cores = sorted(allowed)
    locks.mkdir(parents=True, exist_ok=True)
    slot = 0
    while (lock := _locked(locks / str(slot))) is None:
        slot += 1
    try:
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()} {sitting_id}".encode())
        os.sched_setaffinity(0, {cores[slot % len(cores)]})
        yield
    finally:
        os.sched_setaffinity(0, allowed)
        os.ftruncate(lock, 0)
        os.close(lock)


def _is_locked(lock: Path) -> bool:
    """Whether a process has it; what one that was killed has written in it stays behind."""
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _locked(lock: Path) -> int | None:
    """Lock a file, for as long as the descriptor is open; None if another process has it."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
