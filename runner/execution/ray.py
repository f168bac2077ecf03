"""Playing with Ray: a task for each sitting, as many at a time as there are workers.

The only module that imports ray, and only when a league is played: it takes seconds to start,
which it does in a thread of its own while the bots are being checked. That thread lives as long
as the cluster, because Ray's processes end with the thread that started them.
"""

import contextlib
import importlib
import logging
import os
import secrets
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from runner.errors import RunError
from runner.execution.executor import AtWork, at_work, play_on_core
from runner.records import UNBOXED, BotFiles, Sandbox, Sitting, SittingResult, Void

_OBJECT_STORE_BYTES = 80_000_000
_TASKS_PER_WORKER = 2
_DECISIONS_PER_DEAL = 30
_MARGIN = 20.0
LEAST_PATIENCE_SECONDS = 60.0
"""No worker counts as hanging before it has been so long at one sitting."""

_WAIT_SECONDS = 0.1
"""Signals are handled between two waits; two that come within one count as one."""

_LOOK_SECONDS = 1.0
_ESSENTIAL = {"gcs_server", "raylet"}
"""Ray's processes without which nothing can be played."""

_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Ray listens on all addresses: nobody without this run's token may talk to it.
    "RAY_AUTH_MODE": "token",
    # A worker is to outlive its bots when memory runs out; they have the score 1000.
    "RAY_worker_oom_score_adjustment": "500",
    "RAY_task_oom_retries": "3",
}


class RayExecutor:
    """Plays sittings on a Ray cluster of its own on this machine."""

    def __init__(
        self,
        bots: Mapping[str, BotFiles],
        folder: Path,
        workers: int,
        sandbox: Sandbox = UNBOXED,
    ) -> None:
        """Play bots, by version, in a workspace, so many sittings at a time, boxed like this."""
        self._bots = bots
        self._folder = folder
        self._workers = workers
        self._sandbox = sandbox
        self._started = threading.Event()
        self._to_stop = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._live, name="ray", daemon=True)

    def __enter__(self) -> "RayExecutor":
        """Begin to start Ray.

        From the workspace: Ray's workers look for modules in the folder where they are started,
        and a user's `statistics.py` must not stand in for the library's.
        """
        # Imported by Ray, it says what is to be done at a fork; were it imported in the thread, it
        # could do so amid the fork of a bot that is being checked.
        with contextlib.suppress(ImportError):
            importlib.import_module("filelock")
        self._from = Path.cwd()
        os.chdir(self._folder)
        self._thread.start()
        return self

    def __exit__(self, *args: object) -> None:
        """End Ray and everything that it plays."""
        self._to_stop.set()
        self._thread.join()
        os.chdir(self._from)

    def wait_until_ready(self) -> None:
        """Wait until Ray has started.

        Raises:
            RunError: Ray does not start.
        """
        self._started.wait()
        if self._error is not None:
            raise RunError(
                f"Ray does not start: {self._error}; 'execution: serial' in the league file "
                "plays without it"
            ) from self._error

    def play(self, sittings: Iterable[Sitting]) -> Iterator[SittingResult | Void]:
        """Play sittings as workers become free; yield them as they end.

        Raises:
            RunError: Ray does not start, or has ended.
        """
        self.wait_until_ready()
        import ray

        task = ray.remote(num_cpus=1, max_retries=3)(_play)
        bots = {version: ray.put(files) for version, files in self._bots.items()}
        coming = iter(sittings)
        playing: dict[Any, Sitting] = {}
        patience = Patience()
        watch = _Watch(self._folder)
        while True:
            _require_ray()
            while len(playing) < _TASKS_PER_WORKER * self._workers:
                sitting = next(coming, None)
                if sitting is None:
                    break
                files = [bots[version] for version in sitting.versions]
                playing[task.remote(sitting, self._folder, self._sandbox, *files)] = sitting
            if not playing:
                return
            ended, _ = ray.wait(list(playing), timeout=_WAIT_SECONDS)
            for ref in ended:
                outcome = _outcome(ref, playing.pop(ref).id)
                if isinstance(outcome, SittingResult):
                    patience.learn(outcome)
                yield outcome
            if watch.is_due:
                _end_hanging(watch, {sitting.id: sitting for sitting in playing.values()}, patience)

    def _live(self) -> None:
        """Start Ray, and end it when told to; what it prints on stdout meanwhile is dropped."""
        try:
            with _silenced_stdout():
                self._start()
                self._started.set()
                self._to_stop.wait()
                self._stop()
        except BaseException as error:
            self._error = error
        finally:
            self._started.set()

    def _start(self) -> None:
        os.environ.update(_ENVIRONMENT)
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
        import ray

        ray.init(
            address="local",
            num_cpus=self._workers,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.CRITICAL,
            object_store_memory=_OBJECT_STORE_BYTES,
            _temp_dir=str(self._folder / "ray"),
        )

    def _stop(self) -> None:
        import ray

        ray.shutdown()


def _require_ray() -> None:
    """See that Ray's own processes live: without them it ends this one after a while, wordless."""
    from ray._private import worker

    node: Any = worker._global_node
    ended = _ESSENTIAL.intersection(name for name, _ in node.dead_processes())
    if ended:
        raise RunError(
            f"Ray has ended unexpectedly ({', '.join(sorted(ended))}); "
            "all that was played until then is stored: "
            "run it again to go on"
        )


def _end_hanging(watch: "_Watch", playing: dict[str, Sitting], patience: "Patience") -> None:
    """Kill workers that hang; Ray then plays their sittings in fresh ones."""
    for worker, seconds in watch.look():
        sitting = playing.get(worker.sitting)
        if sitting is not None and seconds > patience.seconds_for(sitting):
            patience.lose(sitting)
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGKILL)


class _Watch:
    """For how long each worker has been at its sitting, as far as this process saw it.

    By looks, not by clocks: while the whole run is stopped, or the machine sleeps, nobody hangs.
    """

    def __init__(self, folder: Path) -> None:
        """Watch the workers of a workspace from now on."""
        self._folder = folder
        self._seconds: dict[AtWork, float] = {}
        self._looked = time.monotonic()

    @property
    def is_due(self) -> bool:
        """Whether it is time for another look."""
        return time.monotonic() - self._looked >= _LOOK_SECONDS

    def look(self) -> Iterator[tuple[AtWork, float]]:
        """Who is at work, and for how many seconds."""
        now = time.monotonic()
        passed = min(now - self._looked, 2 * _LOOK_SECONDS)
        self._looked = now
        self._seconds = {
            worker: self._seconds.get(worker, 0.0) + passed for worker in at_work(self._folder)
        }
        yield from self._seconds.items()


class Patience:
    """How long a worker may take for a sitting before it counts as hanging.

    By what the slowest sitting so far took for a deal, with a wide margin; before any has ended,
    by the limits of its bots. It doubles for a sitting each time that it runs out.
    """

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._slowest_deal_s: float | None = None
        self._lost: Counter[str] = Counter()

    def learn(self, result: SittingResult) -> None:
        """Take a sitting that has ended into account."""
        deal_s = result.wall_seconds / len(result.logs)
        self._slowest_deal_s = max(deal_s, self._slowest_deal_s or 0.0)

    def lose(self, sitting: Sitting) -> None:
        """It ran out for a sitting."""
        self._lost[sitting.id] += 1

    def seconds_for(self, sitting: Sitting) -> float:
        """How long a sitting may take."""
        limits, deals = sitting.limits, len(sitting.deals)
        if self._slowest_deal_s is None:
            waits = limits.max_faults * (limits.start_seconds + limits.wall_seconds)
            cpu = deals * _DECISIONS_PER_DEAL * limits.move_seconds
            expected = cpu + sitting.rules.players * (waits + limits.sleep_seconds)
        else:
            expected = _MARGIN * self._slowest_deal_s * deals
        return 2.0 ** self._lost[sitting.id] * max(LEAST_PATIENCE_SECONDS, expected)


def _play(
    sitting: Sitting, folder: Path, sandbox: Sandbox, *bots: BotFiles
) -> SittingResult | Void:
    return play_on_core(sitting, bots, folder, sandbox)


def _outcome(ref: Any, sitting_id: str) -> SittingResult | Void:
    import ray

    try:
        outcome: SittingResult | Void = ray.get(ref)
    except ray.exceptions.RayTaskError as error:
        # Its own text is a traceback; what was raised says more in one line.
        cause = f"{type(error.cause).__name__}: {error.cause}"
        return Void(sitting_id, cause.partition("\n")[0])
    except ray.exceptions.RayError as error:
        return Void(sitting_id, str(error).partition("\n")[0])
    return outcome


@contextlib.contextmanager
def _silenced_stdout() -> Iterator[None]:
    """Drop what is printed, here or by what is started meanwhile."""
    sys.stdout.flush()
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    try:
        yield
    finally:
        sys.stdout.flush()  # Ray prints through Python, too, which keeps what goes to a pipe
        os.dup2(kept, 1)
        os.close(kept)
