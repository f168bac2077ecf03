"""The life of one bot process, from its start to the end of everything that it started.

Linux only: death is watched through a pidfd, CPU time is read from the process's own CPU clock,
and the time that it waited for a core from its schedstat. Under bubblewrap there are two processes
(`bubblewrap`): clocks and kills are those of the bot's own, death and exit status those of the one
outside, which is our child and ends just after.
"""

import contextlib
import ctypes
import errno
import os
import select
import signal
import stat
import time
from collections.abc import Callable
from pathlib import Path

from runner.botio.program import Program
from runner.botio.resources import BOT_OOM_SCORE
from runner.botio.start import OPEN, Cage, CannotStartError, start
from runner.records import Isolation, Limits

__all__ = ["BotProcess", "CannotStartError", "adopt_strays", "end_strays", "printable"]

STDERR_HEAD_BYTES = 1024
STDERR_TAIL_BYTES = 2048
_STDERR_RESTS_READ = 32
_END_SECONDS = 1.0
_KILL_TAKES_SECONDS = 0.0002
_CANNOT_EXECUTE = b"bwrap: execvp "
_PR_SET_CHILD_SUBREAPER = 36
_LIBC = ctypes.CDLL(None, use_errno=True)


class BotProcess:
    """A started bot.

    Attributes:
        pid: its own process id.
        isolation: what keeps it from everything else.
        stdin: a non-blocking file descriptor.
        stdout: a non-blocking file descriptor.
        stderr: a non-blocking file descriptor.
        pidfd: readable once the process has died.
        exit_status: its exit code, a signal's number negated, or None until it is ended.
    """

    def __init__(
        self, program: Program, homes: Path, limits: Limits | None = None, cage: Cage = OPEN
    ) -> None:
        """Start a bot, in a cage, with a home of its own below `homes` if it needs one there.

        Raises:
            CannotStartError: the bot's command cannot be executed.
            OSError: the machine has no room for another process, file or folder, or no box.
        """
        started = start(program, homes, limits or Limits(), cage)
        self.isolation: Isolation = cage.isolation
        self.pid = started.pid
        self._home = started.home
        self._box = started.box
        self._popen = started.popen
        self.exit_status: int | None = None
        self._streams = [
            stream
            for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr)
            if stream is not None
        ]
        self.stdin, self.stdout, self.stderr = (stream.fileno() for stream in self._streams)
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        try:
            self.pidfd = os.pidfd_open(self._popen.pid)
        except BaseException:
            self._end()
            raise
        self._cpu_clock = (~self.pid << 3) | 2
        self._cpu_ns = 0
        self._schedstat = _open_schedstat(self.pid)
        self._stderr_head = b""
        self._stderr_tail = b""
        self._stderr_cut = 0

    def cpu_ns(self) -> int:
        """The CPU time of all its threads so far, in nanoseconds."""
        with contextlib.suppress(OSError):
            self._cpu_ns = time.clock_gettime_ns(self._cpu_clock)
        return self._cpu_ns

    def core_wait_ns(self) -> int:
        """For how long its main thread was ready to run and had no core, in nanoseconds.

        0 where the kernel does not say.
        """
        if self._schedstat is None:
            return 0
        try:
            return int(os.pread(self._schedstat, 96, 0).split()[1])
        except (OSError, IndexError, ValueError):
            return 0

    def drain_stderr(self) -> bool:
        """Take what it wrote on stderr; keep the head and the tail. False at end of file."""
        try:
            data = os.read(self.stderr, 65536)
        except BlockingIOError:
            return True
        if len(self._stderr_head) < STDERR_HEAD_BYTES:
            room = STDERR_HEAD_BYTES - len(self._stderr_head)
            self._stderr_head += data[:room]
            rest = data[room:]
        else:
            rest = data
        if rest:
            tail = self._stderr_tail + rest
            self._stderr_cut += max(0, len(tail) - STDERR_TAIL_BYTES)
            self._stderr_tail = tail[-STDERR_TAIL_BYTES:]
        return bool(data)

    def stderr_text(self) -> str:
        """The head and the tail of what it wrote on stderr, made printable."""
        for _ in range(_STDERR_RESTS_READ):  # a bot may write faster than this reads
            if self.stderr < 0 or not self._drains_more():
                break
        cut = f"\n[… {self._stderr_cut} bytes …]\n" if self._stderr_cut else ""
        return printable(self._stderr_head) + cut + printable(self._stderr_tail)

    def end(self) -> None:
        """Kill the process with all that it started, reap it, close everything.

        Takes a second at most, since a bot can see to it that it is not reaped at once. Safe to
        call twice.
        """
        if self.exit_status is not None:
            return
        self._end()
        os.close(self.pidfd)
        if self._schedstat is not None:
            os.close(self._schedstat)
            self._schedstat = None

    def close_stdin(self) -> None:
        """Let the bot see the end of its input."""
        with contextlib.suppress(OSError):
            self._streams[0].close()

    def talks_no_more(self) -> bool:
        """Whether it has closed its standard input or output."""
        if self._box is not None:  # bubblewrap outside has them open too
            return not (self._holds(self.stdin) and self._holds(self.stdout))
        stdin = select.poll()
        stdin.register(self.stdin, 0)
        return bool(stdin.poll(0))

    def wait_for_death(self, seconds: float) -> int | None:
        """How it died by itself: exit code, or signal negated; None if it lives on for so long.

        Raises:
            OSError: its box could not be built, so it never ran.
        """
        death = select.poll()
        death.register(self.pidfd, select.POLLIN)
        death.poll(seconds * 1000)
        try:
            info = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # the runner ignores SIGCHLD
            return None
        if info is None:
            return None
        status = info.si_status if info.si_code == os.CLD_EXITED else -info.si_status
        if self._box is None:
            return status
        if self._box.never_ran(status) and not self._stderr_start().startswith(_CANNOT_EXECUTE):
            raise OSError(errno.EPERM, f"the sandbox failed: {self.stderr_text().strip()}")
        return self._box.exit_status(status)

    def _stderr_start(self) -> bytes:
        self.stderr_text()
        return self._stderr_head

    def _holds(self, pipe: int) -> bool:
        """Whether the bot has the other end of a pipe open; True where that cannot be seen."""
        name = f"pipe:[{os.fstat(pipe).st_ino}]"
        try:
            with os.scandir(f"/proc/{self.pid}/fd") as descriptors:
                return any(os.readlink(each.path) == name for each in descriptors)  # noqa: PTH115
        except OSError:
            return True

    def left_behind(self) -> list[int]:
        """Processes that it started and that live on, once it has died by itself.

        What hides, in a group of its own and without its environment, is not found. In a box of its
        own nothing lives on.
        """
        if self._box is not None:
            return []
        return [pid for pid in _children() if self._has_started(pid) or self._leads(pid)]

    def _drains_more(self) -> bool:
        before = len(self._stderr_head) + len(self._stderr_tail) + self._stderr_cut
        more = self.drain_stderr()
        return more and len(self._stderr_head) + len(self._stderr_tail) + self._stderr_cut > before

    def _end(self) -> None:
        self.exit_status = self._popen.returncode = self._kill_and_reap()
        for stream in self._streams:
            with contextlib.suppress(OSError):
                stream.close()
        self.stdin = self.stdout = self.stderr = -1
        if self._box is not None:
            self._box.close()
        if self._home is not None:
            _remove(self._home)

    def _kill_and_reap(self) -> int:
        """The exit status; that of the kill itself where the process cannot be reaped in time."""
        deadline = time.monotonic() + _END_SECONDS
        while True:
            if self._box is not None:
                self._box.kill()
            if self._box is None or time.monotonic() > deadline - _END_SECONDS / 2:
                # The kill takes the group as a whole: a fork under way in it fails.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._popen.pid, signal.SIGKILL)
            try:
                reaped, status = os.waitpid(self._popen.pid, os.WNOHANG)
            except ChildProcessError:  # the runner ignores SIGCHLD
                return -signal.SIGKILL
            # Once it is dead, what it sent away is a child of the runner. That may trace it, and
            # then it cannot be reaped.
            if self._box is None:
                end_children(self._has_started)
            if reaped:
                code = os.waitstatus_to_exitcode(status)
                return code if self._box is None else self._box.exit_status(code)
            if time.monotonic() > deadline:
                return -signal.SIGKILL
            time.sleep(_KILL_TAKES_SECONDS)

    def _leads(self, pid: int) -> bool:
        """Whether a child of the runner lives in this process's group."""
        try:
            return (
                pid != self.pid
                and os.getpgid(pid) == self.pid
                and Path(f"/proc/{pid}/cmdline").read_bytes() != b""  # it is no zombie
            )
        except OSError:
            return False

    def _has_started(self, pid: int) -> bool:
        """Whether a child of the runner was started by this process and does not hide it."""
        if pid == self.pid or self._home is None:
            return False
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False
        return b"HOME=" + os.fsencode(self._home) in environment.split(b"\0")


def adopt_strays() -> None:
    """Make this process the parent of what its bots leave behind, so that it can be ended."""
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_strays() -> None:
    """Kill and reap adopted processes of bots; none is in use any more.

    A bot's process is known by its out-of-memory score, which what it starts inherits.
    """
    end_children(_is_bot)


def end_children(chosen: Callable[[int], bool]) -> None:
    """Kill and reap chosen children of this process until there are none, for at most a second.

    A process that goes on starting others, each in a session of its own, may survive it.
    """
    deadline = time.monotonic() + _END_SECONDS
    killed: set[int] = set()
    while found := killed | {pid for pid in _children() if pid not in killed and chosen(pid)}:
        for pid in found - killed:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        killed = {pid for pid in found if not _reaped(pid)}
        if time.monotonic() > deadline:
            break
        time.sleep(_KILL_TAKES_SECONDS)


def printable(data: bytes) -> str:
    """A bot's bytes as text that is safe to print and store: all that is not plain is escaped.

    Line ends and tabs stay; control, format and bidirectional characters, lone surrogates and
    bytes that are not UTF-8 become backslash escapes.
    """
    text = data.decode("utf-8", "backslashreplace")
    return "".join(
        char if char.isprintable() or char in "\n\t" else _escaped(char) for char in text
    )


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _open_schedstat(pid: int) -> int | None:
    try:
        return os.open(f"/proc/{pid}/schedstat", os.O_RDONLY)
    except OSError:
        return None


def _reaped(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:  # the runner ignores SIGCHLD
        return True


def _children() -> list[int]:
    children = []
    with contextlib.suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            with contextlib.suppress(OSError):
                text = (task / "children").read_text()
                children += [int(pid) for pid in text.split()]
    return children


def _is_bot(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/oom_score_adj").read_bytes().strip() == BOT_OOM_SCORE
    except OSError:
        return False


def _remove(folder: Path) -> None:
    """Remove a folder; what cannot be removed stays.

    A bot may have nested folders deeper than `shutil.rmtree` can go, so each is moved beside the
    first before it is emptied.
    """
    folders = [folder]
    moved = 0
    while folders:
        path = folders.pop()
        with contextlib.suppress(OSError), os.scandir(path) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.path)  # noqa: PTH108
                        continue
                    os.chmod(entry.path, stat.S_IRWXU)  # noqa: PTH101
                    moved += 1
                    folders.append(folder.with_suffix(f".{moved}"))
                    os.rename(entry.path, folders[-1])  # noqa: PTH104
        with contextlib.suppress(OSError):
            path.rmdir()
