"""Ending a run in time: what is begun is to end before the limit, as whole boards."""

import time
from collections.abc import Callable

from runner.schedule.plan import PlannedSitting


class TimeLimit:
    """Decides which sittings may still be begun.

    The rotations of a run are begun together or not at all: once one is played, the others are
    owed, and their time is set apart before anything else is begun.
    """

    def __init__(
        self, seconds: float | None, workers: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start the clock.

        Args:
            seconds: the limit; None for none.
            workers: how many sittings are played at a time.
            clock: the time in seconds.
        """
        self._end = None if seconds is None else clock() + seconds
        self._workers = workers
        self._clock = clock
        self._begun: set[tuple[str, int]] = set()
        self._owed = 0
        self._sittings = 0
        self._seconds = 0.0
        self.reached = False

    def admits(self, planned: PlannedSitting, rotations: int) -> bool:
        """Whether a sitting may be begun, with all the others of its run.

        Args:
            planned: the sitting.
            rotations: how many sittings of its run are still to be played.
        """
        run = planned.table.key, planned.run
        if self._end is None or run in self._begun:
            return True
        if self._sittings:
            each = self._seconds / self._sittings
            ends = self._clock() + (self._owed + rotations) * each / self._workers
        else:
            ends = self._clock()
        if ends > self._end:
            self.reached = True
            return False
        self._begun.add(run)
        self._owed += rotations
        return True

    def learn(self, wall_seconds: float) -> None:
        """A sitting has ended after so long."""
        self._owed -= 1
        self._sittings += 1
        self._seconds += wall_seconds
