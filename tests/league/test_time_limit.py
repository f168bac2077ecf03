from dataclasses import dataclass

from runner.league.time_limit import TimeLimit
from tests.leagues import exports, play, run, write_league


@dataclass(frozen=True)
class Planned:
    """What of a planned sitting the time limit looks at."""

    run: int
    rotation: int
    table: "Planned | None" = None
    key: str = "table"


def planned(run, rotation):
    return Planned(run, rotation, Planned(run, rotation))


class Clock:
    """A clock that the test turns."""

    now = 0.0

    def __call__(self):
        return self.now


def test_time_limit_of_none_admits_everything():
    limit = TimeLimit(None, 1)
    assert all(limit.admits(planned(run, 0), 3) for run in range(100))
    assert not limit.reached


def test_time_limit_admits_the_rest_of_a_run_that_was_begun_and_no_other_once_time_is_up():
    clock = Clock()
    limit = TimeLimit(10.0, 1, clock)
    assert limit.admits(planned(1, 0), 3)
    clock.now = 9.0
    limit.learn(9.0)
    assert not limit.admits(planned(2, 0), 3)
    clock.now = 100.0
    assert limit.admits(planned(1, 1), 3)
    assert limit.admits(planned(1, 2), 3)
    assert limit.reached


def test_time_limit_sets_the_time_of_owed_sittings_apart():
    clock = Clock()
    limit = TimeLimit(10.0, 1, clock)
    assert limit.admits(planned(1, 0), 3)
    clock.now = 2.0
    limit.learn(2.0)
    # Two are owed, 4 s; three more would take 6 s, and 8 s are left.
    assert not limit.admits(planned(2, 0), 3)
    assert limit.admits(planned(2, 0), 2)


def test_time_limit_reckons_with_all_workers():
    clock = Clock()
    limit = TimeLimit(10.0, 4, clock)
    assert limit.admits(planned(1, 0), 4)
    clock.now = 4.0
    limit.learn(4.0)
    assert limit.admits(planned(2, 0), 3)
    assert not limit.admits(planned(3, 0), 3)


def test_run_out_of_time_stores_whole_boards_and_goes_on_another_time(tmp_path):
    path = write_league(tmp_path / "in-time", deals=4)
    done = run("run-league", path, "--time", "0s")
    assert done.returncode == 0
    assert "The time is up; run it again to go on." in done.stderr
    assert "provisional, 0% of boards" in done.stdout
    assert run("run-league", path, "--time", "1h").returncode == 0
    at_leisure = write_league(tmp_path / "at-leisure", deals=4)
    play(at_leisure)
    assert exports(path) == exports(at_leisure)
