"""The life of one bot process, from its start to the end of everything that it started.

Linux only: death is watched through a pidfd, CPU time is read from the process's own CPU clock,
and the time that it waited for a core from its schedstat.
"""

import contextlib
import ctypes
import errno
import os
import resource
import select
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from runner.botio.program import Program

STDERR_HEAD_BYTES = 1024
STDERR_TAIL_BYTES = 2048
_STDERR_RESTS_READ = 32
_END_SECONDS = 1.0
_KILL_TAKES_SECONDS = 0.0002
_BOT_OOM_SCORE = b"1000"
_PATH = "/usr/local/bin:/usr/bin:/bin"
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_MACHINE_IS_FULL = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC}
_LIBC = ctypes.CDLL(None, use_errno=True)


class CannotStartError(Exception):
    """The bot's command cannot be executed; the text says why. Internal to the referee."""


class BotProcess:
    """A started bot.

    Attributes:
        pid: its process id, which is its session's and process group's too.
        stdin: a non-blocking file descriptor.
        stdout: a non-blocking file descriptor.
        stderr: a non-blocking file descriptor.
        pidfd: readable once the process has died.
        exit_status: its exit code, a signal's number negated, or None until it is ended.
    """

    def __init__(self, program: Program, homes: Path) -> None:
        """Start a bot with a home of its own below `homes`.

        Raises:
            CannotStartError: the bot's command cannot be executed.
            OSError: the machine has no room for another process, file or folder.
        """
        self._home = Path(tempfile.mkdtemp(prefix="home-", dir=homes))
        try:
            self._popen = _spawn(program, self._home)
        except BaseException:
            _remove(self._home)
            raise
        self.pid = self._popen.pid
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
            self.pidfd = os.pidfd_open(self.pid)
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

    def reads_no_more(self) -> bool:
        """Whether it has closed its standard input."""
        stdin = select.poll()
        stdin.register(self.stdin, 0)
        return bool(stdin.poll(0))

    def wait_for_death(self, seconds: float) -> int | None:
        """How it died by itself: exit code, or signal negated; None if it lives on for so long."""
        death = select.poll()
        death.register(self.pidfd, select.POLLIN)
        death.poll(seconds * 1000)
        try:
            info = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # the runner ignores SIGCHLD
            return None
        if info is None:
            return None
        return info.si_status if info.si_code == os.CLD_EXITED else -info.si_status

    def left_behind(self) -> list[int]:
        """Processes that it started and that live on, once it has died by itself.

        What hides, in a group of its own and without its environment, is not found.
        """
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
        _remove(self._home)

    def _kill_and_reap(self) -> int:
        """The exit status; that of the kill itself where the process cannot be reaped in time."""
        deadline = time.monotonic() + _END_SECONDS
        while True:
            # The kill takes the group as a whole: a fork under way in it fails.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            try:
                reaped, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # the runner ignores SIGCHLD
                return -signal.SIGKILL
            # Once it is dead, what it sent away is a child of the runner. That may trace it, and
            # then it cannot be reaped.
            end_children(self._has_started)
            if reaped:
                return os.waitstatus_to_exitcode(status)
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
        if pid == self.pid:
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


def _spawn(program: Program, home: Path) -> subprocess.Popen[bytes]:
    environment = {
        "PATH": _PATH,
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONHASHSEED": "0",
    }
    runner = os.getpid()
    try:
        return subprocess.Popen(
            program.command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=program.folder,
            env=environment,
            start_new_session=True,
            # Safe enough beside threads: it only makes system calls through what is loaded.
            preexec_fn=lambda: _prepare_child(runner),  # noqa: PLW1509
        )
    except OSError as error:
        if error.errno in _MACHINE_IS_FULL or str(error.filename) == str(program.folder):
            raise
        raise CannotStartError(f"{program.command[0]}: {error.strerror}") from None


def _prepare_child(runner: int) -> None:
    """Run in the child before the bot: it dies with its runner, and first if memory ends."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != runner:
        os._exit(1)
    with contextlib.suppress(OSError):
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(score, _BOT_OOM_SCORE)
        os.close(score)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


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
        return Path(f"/proc/{pid}/oom_score_adj").read_bytes().strip() == _BOT_OOM_SCORE
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
