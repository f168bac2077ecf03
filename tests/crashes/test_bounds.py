"""Time and memory of a run are bounded: whole boards when the time is up, no memory that grows."""

import gc
import time
import tracemalloc
from collections import Counter
from dataclasses import replace

import pytest

from runner.config import load_league
from runner.league import run as league_run
from runner.league.progress import Quiet
from runner.league.run import run_league
from runner.league.stopping import Stop
from tests.leagues import bot, edit, play, rows, run, write_league
from tests.storage.synthetic import result_of
from tests.table.playing import DEALS, PATIENT, fixture, house, make_sitting, marks

SLOW = bot(middle="time.sleep(0.02)")


def test_run_whose_time_is_up_in_the_middle_ends_in_time_and_has_whole_boards_only(tmp_path):
    path = write_league(tmp_path, [("slow", SLOW), "low.py", "high.py"], deals=2)
    play(path)
    edit(path, deals=200)
    began = time.monotonic()
    done = run("run-league", path, "--time", "3s")
    assert time.monotonic() - began < 20  # all of it takes more than a minute
    assert done.returncode == 0
    assert "The time is up; run it again to go on." in done.stderr
    assert "provisional" in done.stdout
    rotations = Counter(log["deal"] for log in rows(path, "deals"))
    assert set(rotations.values()) == {3}
    assert len(rotations) < 200


class Dreaming:
    """An executor that makes results up."""

    def __init__(self, bots, folder, sandbox):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *args):
        pass

    def wait_until_ready(self):
        pass

    def play(self, sittings):
        for sitting in sittings:
            yield result_of(sitting)


class Weighing(Quiet):
    """A reporter that notes the memory in use after so many sittings."""

    def __init__(self, *at):
        self.at = at
        self.sittings = 0
        self.weights = []

    def add(self, deals):
        self.sittings += 1
        if self.sittings in self.at:
            self.weights.append(weight())


def weight():
    """The bytes that Python has in use."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.fixture
def traced():
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.slow
def test_drivers_memory_does_not_grow_with_the_sittings_played(tmp_path, monkeypatch, traced):
    monkeypatch.setattr(league_run, "SerialExecutor", Dreaming)
    monkeypatch.setattr(league_run, "check_bot", lambda *_: [])
    path = write_league(tmp_path, deals=300)
    reporter = Weighing(50, 440)
    run_league(load_league(str(path)), reporter, Stop(), 1)
    assert reporter.sittings == 450
    first, last = reporter.weights
    assert last - first < 50_000


@pytest.mark.slow
def test_referees_memory_does_not_grow_with_sittings_full_of_floods_and_faults(table, traced):
    everywhere = {"marks.json": marks(deals=DEALS)}
    floods = fixture("floods.py", {"says.bin": b"x" * 100, **everywhere})
    bots = [house("low"), floods, fixture("shouts.py", everywhere)]
    sitting = make_sitting(limits=replace(PATIENT, max_faults=100))
    weights = []
    for number in range(24):
        table.play(sitting, bots)
        if number in (5, 23):
            weights.append(weight())
    assert weights[1] - weights[0] < 50_000
