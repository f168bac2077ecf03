"""Sittings that fail through us: played again, then set aside; never charged to a bot."""

import errno
from collections import Counter

import pytest

from runner.config import load_league
from runner.errors import RunError
from runner.execution import executor
from runner.league import run as league_run
from runner.league.run import MOST_VOIDS, run_league
from runner.league.stopping import Stop
from runner.table import sitting as sitting_module
from tests.leagues import exports, play, rows, stored_sittings, write_league


class Noted:
    """A reporter that notes what it is told."""

    def __init__(self):
        self.said = []
        self.done = 0

    def say(self, text):
        self.said.append(text)

    def begin(self, deals):
        self.deals = deals

    def add(self, deals):
        self.done += deals

    def end(self):
        pass


@pytest.fixture
def failing(monkeypatch):
    """Makes chosen sittings fail through us: how often, by a function of the sitting."""
    tries: Counter = Counter()
    real = sitting_module.play_sitting

    def fail(times_of):
        def play_sitting(sitting, *arguments):
            tries[sitting.id] += 1
            if tries[sitting.id] <= times_of(sitting):
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(sitting, *arguments)

        monkeypatch.setattr(executor, "play_sitting", play_sitting)
        return tries

    return fail


def test_sitting_void_fewer_times_than_too_often_is_played_again_and_leaves_no_trace(
    tmp_path, failing
):
    path = write_league(tmp_path / "void", deals=2)
    tries = failing(lambda sitting: MOST_VOIDS - 1)
    outcome = play(path)
    assert set(tries.values()) == {MOST_VOIDS}
    assert (outcome.set_aside, outcome.at_fault) == ((), False)
    assert not outcome.standing.provisional
    undisturbed = write_league(tmp_path / "undisturbed", deals=2)
    failing(lambda sitting: 0)
    play(undisturbed)
    assert exports(path) == exports(undisturbed)


def test_sitting_void_too_often_is_set_aside_and_named_and_the_rest_goes_on(tmp_path, failing):
    path = write_league(tmp_path, deals=4)
    first = []

    def times(sitting):
        first.append(sitting.id)
        return 99 if sitting.id == first[0] else 0

    tries = failing(times)
    noted = Noted()
    outcome = run_league(load_league(str(path)), noted, Stop(), 1)
    assert tries[first[0]] == MOST_VOIDS
    assert stored_sittings(path) == 2 * 3 - 1
    assert noted.done == outcome.played == 5 * 2
    (said,) = outcome.set_aside
    assert "(high, low, random), run 1, rotation 0 could not be played" in said
    assert "No space left on device" in said
    assert said in noted.said
    assert not outcome.at_fault
    assert rows(path, "faults") == []
    assert outcome.standing
    assert outcome.standing.provisional
    assert outcome.standing.boards == 2

    failing(lambda sitting: 0)
    assert play(path).played == 2
    assert play(path).standing.boards == 4


def test_check_that_the_machine_has_no_room_for_ends_the_run_and_charges_nobody(
    tmp_path, monkeypatch
):
    def no_room(*arguments):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(league_run, "check_bot", no_room)
    path = write_league(tmp_path)
    with pytest.raises(RunError, match=r"random cannot be checked here: Too many open files"):
        play(path)
    monkeypatch.undo()
    outcome = play(path)
    assert not outcome.at_fault
    assert not outcome.standing.provisional
