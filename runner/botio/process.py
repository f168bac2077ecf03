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
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from runner.botio.program import Program

STDERR_HEAD_BYTES = 1024
STDERR_TAIL_BYTES = 2048
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
            shutil.rmtree(self._home, ignore_errors=True)
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
        self.pidfd = os.pidfd_open(self.pid)
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
        while self.stderr >= 0 and self._drains_more():
            pass
        cut = f"\n[… {self._stderr_cut} bytes …]\n" if self._stderr_cut else ""
        return printable(self._stderr_head) + cut + printable(self._stderr_tail)

    def end(self) -> None:
        """Kill the process with its group, reap it, close everything. Safe to call twice."""
        if self.exit_status is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        _, status, self._rusage = os.wait4(self.pid, 0)
        self.exit_status = self._popen.returncode = os.waitstatus_to_exitcode(status)
        # A member of the group that was being forked during the first kill.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self.drain_stderr()
        for stream in self._streams:
            with contextlib.suppress(OSError):
                stream.close()
        self.stdin = self.stdout = self.stderr = -1
        os.close(self.pidfd)
        if self._schedstat is not None:
            os.close(self._schedstat)
            self._schedstat = None
        shutil.rmtree(self._home, ignore_errors=True)

    def close_stdin(self) -> None:
        """Let the bot see the end of its input."""
        with contextlib.suppress(OSError):
            self._streams[0].close()

    def wait_for_death(self, seconds: float) -> int | None:
        """How it died by itself: exit code, or signal negated; None if it lives on for so long."""
        select.select([self.pidfd], [], [], seconds)
        info = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if info is None:
            return None
        return info.si_status if info.si_code == os.CLD_EXITED else -info.si_status

    def _drains_more(self) -> bool:
        before = len(self._stderr_head) + len(self._stderr_tail) + self._stderr_cut
        more = self.drain_stderr()
        return more and len(self._stderr_head) + len(self._stderr_tail) + self._stderr_cut > before


def adopt_strays() -> None:
    """Make this process the parent of what its bots leave behind, so that it can be ended."""
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_strays(alive: frozenset[int] = frozenset()) -> int:
    """Kill and reap adopted processes of bots; returns how many.

    A bot's process is known by its out-of-memory score, which what it starts inherits.

    Args:
        alive: the process ids of bots that are still in use.
    """
    ended = 0
    while strays := [pid for pid in _children() if pid not in alive and _is_bot(pid)]:
        for pid in strays:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
            ended += 1
    return ended


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
        if error.errno in _MACHINE_IS_FULL:
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
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _open_schedstat(pid: int) -> int | None:
    try:
        return os.open(f"/proc/{pid}/schedstat", os.O_RDONLY)
    except OSError:
        return None


def _children() -> list[int]:
    children = []
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
