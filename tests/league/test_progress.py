import io
import time
from contextlib import suppress

import pytest
from rich.console import Console

from runner.league.progress import Bar, Lines, Quiet, duration, reporter


@pytest.fixture
def clock(monkeypatch):
    """The seconds of the clock, in a list of one, for the test to turn."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def console(**kind):
    return Console(file=io.StringIO(), width=80, **kind)


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0, "0 s"),
        (99.4, "99 s"),
        (100, "2 min"),
        (5900, "98 min"),
        (6000, "1 h 40 min"),
        (12000, "3 h 20 min"),
    ],
)
def test_duration_is_as_people_say_it(seconds, text):
    assert duration(seconds) == text


def test_lines_come_every_ten_seconds_and_at_the_end(clock):
    file = io.StringIO()
    lines = Lines(Console(file=file, width=40))
    lines.begin(1000)
    for _ in range(50):
        clock[0] += 0.5
        lines.add(10)
    lines.end()
    assert file.getvalue().splitlines() == [
        "200 of 1,000 deals, 20 deals/s, 40 s left",
        "400 of 1,000 deals, 20 deals/s, 30 s left",
        "500 of 1,000 deals played, 20 deals/s",
    ]


def test_lines_show_news_whole_and_as_it_is():
    file = io.StringIO()
    news = "[red]x[/red] " + "long " * 40
    Lines(Console(file=file, width=40)).say(news)
    assert file.getvalue() == news + "\n"


def test_lines_of_a_run_that_played_nothing_are_none():
    file = io.StringIO()
    lines = Lines(Console(file=file))
    lines.begin(10)
    lines.end()
    assert file.getvalue() == ""


def test_reporter_is_a_bar_on_terminals_only_and_nothing_if_quiet():
    with reporter(console(force_terminal=True), quiet=False) as report:
        assert isinstance(report, Bar)
    with reporter(console(), quiet=False) as report:
        assert type(report) is Lines
    with reporter(console(force_terminal=True), quiet=True) as report:
        assert isinstance(report, Quiet)


def test_bar_gives_the_terminal_back_when_the_run_breaks_off():
    file = io.StringIO()
    terminal = Console(file=file, force_terminal=True, width=80)
    with suppress(KeyboardInterrupt), reporter(terminal, quiet=False) as report:
        report.begin(10)
        report.add(5)
        raise KeyboardInterrupt
    assert file.getvalue().count("\x1b[?25l") == file.getvalue().count("\x1b[?25h") == 1
