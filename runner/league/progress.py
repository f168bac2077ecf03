"""What one sees while a league is played: a bar on a terminal, plain lines elsewhere; on stderr."""

import contextlib
import time
from collections.abc import Iterator
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

_LINE_SECONDS = 10.0


class Reporter(Protocol):
    """Is told how a league goes on."""

    def say(self, text: str) -> None:
        """One line of news."""
        ...

    def begin(self, deals: int) -> None:
        """So many deals are to be played."""
        ...

    def add(self, deals: int) -> None:
        """So many more have been played and stored."""
        ...

    def end(self) -> None:
        """Nothing more is played."""
        ...


class Quiet:
    """Says nothing."""

    def say(self, text: str) -> None:
        """Nothing."""

    def begin(self, deals: int) -> None:
        """Nothing."""

    def add(self, deals: int) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""


class Lines:
    """A plain line now and then: for files, pipes and simple terminals."""

    def __init__(self, console: Console) -> None:
        """Write to a console."""
        self._console = console
        self._deals = self._done = 0
        self._began = self._next = 0.0

    def say(self, text: str) -> None:
        """One line."""
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def begin(self, deals: int) -> None:
        """Start the clock."""
        self._deals, self._done = deals, 0
        self._began = time.monotonic()
        self._next = self._began + _LINE_SECONDS

    def add(self, deals: int) -> None:
        """A line, if the last one is some seconds old."""
        self._done += deals
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _LINE_SECONDS
            pace = self._done / (now - self._began)
            left = (self._deals - self._done) / pace
            self.say(
                f"{self._done:,} of {self._deals:,} deals, {pace:,.0f} deals/s, "
                f"{duration(left)} left"
            )

    def end(self) -> None:
        """The last line."""
        if self._done:
            pace = self._done / max(time.monotonic() - self._began, 1e-9)
            self.say(f"{self._done:,} of {self._deals:,} deals played, {pace:,.0f} deals/s")


class Bar(Lines):
    """A bar on a terminal."""

    def __init__(self, console: Console) -> None:
        """Draw on a console."""
        super().__init__(console)
        self._progress = Progress(
            BarColumn(bar_width=None),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f} deals"),
            TextColumn("{task.fields[pace]:,.0f} deals/s"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task: TaskID | None = None

    def begin(self, deals: int) -> None:
        """Show the bar."""
        super().begin(deals)
        self._task = self._progress.add_task("", total=deals, pace=0.0)
        self._progress.start()

    def add(self, deals: int) -> None:
        """Move it on."""
        self._done += deals
        if self._task is not None:
            pace = self._done / max(time.monotonic() - self._began, 1e-9)
            self._progress.update(self._task, completed=self._done, pace=pace)

    def end(self) -> None:
        """Take it away and leave a line."""
        self.close()
        super().end()

    def close(self) -> None:
        """Give the terminal back as it was."""
        self._progress.stop()


@contextlib.contextmanager
def reporter(console: Console, *, quiet: bool) -> Iterator[Reporter]:
    """The fitting way to report on a console."""
    if quiet:
        yield Quiet()
        return
    shown = Bar(console) if console.is_terminal and not console.is_dumb_terminal else Lines(console)
    try:
        yield shown
    finally:
        if isinstance(shown, Bar):
            shown.close()


def duration(seconds: float) -> str:
    """A span of time for people: `45 s`, `12 min`, `3 h 20 min`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
