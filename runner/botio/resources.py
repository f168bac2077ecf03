"""What every bot's process gets, boxed or not: environment, limits, and to be killed first."""

import contextlib
import ctypes
import functools
import os
import resource
import signal
from pathlib import Path

from runner.records import Limits

PATH = "/usr/local/bin:/usr/bin:/bin"
ENVIRONMENT = {
    "PATH": PATH,
    "LANG": "C.UTF-8",
    "PYTHONUNBUFFERED": "1",
    "PYTHONHASHSEED": "0",
}
"""All of a bot's environment but HOME and TMPDIR."""

BOT_OOM_SCORE = b"1000"
_MIB = 1024 * 1024
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)
_STACK_BYTES = 64 * _MIB
_LOCKED_BYTES = 64 * 1024
_OTHERS_MAY_START = 2000


def die_with_parent() -> None:
    """Let the kernel kill this process once the thread that started it has ended."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def die_first(pid: int) -> None:
    """Let the kernel kill this process, and what it starts, before others if memory runs out."""
    with contextlib.suppress(OSError):
        score = os.open(f"/proc/{pid or 'self'}/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(score, BOT_OOM_SCORE)
        finally:
            os.close(score)


def set_limits(pid: int, limits: Limits, threads: int) -> None:
    """Set the limits of a process, or of this one if the id is 0.

    Memory is counted by RLIMIT_DATA: what a process may write to and shares with nobody. A limit
    on addresses would kill runtimes that reserve far more than they use.

    Args:
        pid: the process.
        limits: what it may use.
        threads: how many threads and processes its user may have in all.
    """
    for kind, most in (
        (resource.RLIMIT_DATA, limits.memory_mb * _MIB),
        (resource.RLIMIT_FSIZE, limits.files_mb * _MIB),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_NPROC, threads),
        (resource.RLIMIT_STACK, _STACK_BYTES),
        (resource.RLIMIT_MEMLOCK, _LOCKED_BYTES),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_RTPRIO, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        soft, hard = resource.prlimit(pid, kind)
        least = min(value for value in (most, hard) if value != resource.RLIM_INFINITY)
        wanted = least if soft == resource.RLIM_INFINITY else min(least, soft)
        # The stack's size when a program starts is its soft limit: leave that as it is.
        resource.prlimit(pid, kind, (wanted if kind == resource.RLIMIT_STACK else least, least))


@functools.cache
def threads_beside_others() -> int:
    """How many threads this user may have where its bots are not users of their own.

    Those of all its processes, with room for what it may start later; so a bot's own limit does
    not hold, but it cannot fill the machine.
    """
    threads = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError, ValueError, KeyError):
            lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if line)
            if int(lines["Uid"].split()[0]) == os.getuid():
                threads += int(lines["Threads"])
    return threads + _OTHERS_MAY_START
