"""Runs that are stopped, killed and watched from outside: their processes and terminals."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from runner.execution.executor import at_work
from tests.leagues import environment, workspaces_of


def descendants(pid):
    """All processes that come from one, parents first."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            after_name = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)] = int(after_name[1])
    found = [pid]
    for parent in found:
        found.extend(child for child, of in parents.items() if of == parent)
    return found[1:]


def is_alive(pid):
    """Whether a process runs, or is stopped; not if it is dead and waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def signal_all(pids, number):
    """Send a signal to processes, whether they are still there or not."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def stop_whole_run(pid):
    """Stop a run with all that belongs to it, whatever it starts meanwhile; returns the pids."""
    stopped: set[int] = set()
    while new := {pid, *descendants(pid)} - stopped:
        signal_all(new, signal.SIGSTOP)
        stopped |= new
    return stopped


def named(pids, program):
    """Those of some processes that run a program, by the last part of its path."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):
            if Path(os.readlink(f"/proc/{pid}/exe")).name == program:  # noqa: PTH115
                found.append(pid)
    return found


def workers_of(pid):
    """The processes that play a sitting for a run at present."""
    return [worker.pid for folder in workspaces_of(pid) for worker in at_work(folder)]


@contextlib.contextmanager
def started_after(setup, *arguments, **more):
    """Start `run-league …` in which something was changed first; killed at the end."""
    code = f"import sys\n{setup}\nfrom runner.cli import run_league\nrun_league()"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    with subprocess.Popen(
        [sys.executable, "-P", "-W", "error", "-c", code, *map(str, arguments)],
        env=environment(),
        start_new_session=True,
        **pipes,
    ) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
