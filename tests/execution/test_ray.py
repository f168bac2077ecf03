"""What Ray's executor decides by itself; leagues played with Ray are in tests/league."""

import subprocess
import sys

import pytest

from runner.errors import RunError
from runner.execution.executor import workspace
from runner.execution.ray import LEAST_PATIENCE_SECONDS, Patience, RayExecutor
from runner.game.rules import Play, Rules
from runner.records import DealLog, Limits, Sitting, SittingDeal, SittingResult
from tests.leagues import environment

RULES = Rules(3, Play.ANTICLOCKWISE)


def sitting(deals, **limits):
    numbers = range(1, deals + 1)
    played = tuple(SittingDeal(deal, (0, 0, 0), (0, 1, 2)) for deal in numbers)
    return Sitting("id", RULES, Limits(**limits), ("v", "v", "v"), played)


def result(deals, wall_seconds):
    logs = tuple(DealLog(deal, "", "", (0, 0, 1)) for deal in range(1, deals + 1))
    return SittingResult("other", logs, ({}, {}, {}), (), (), wall_seconds, 0.0)


def test_patience_before_anything_has_ended_outlasts_all_limits_of_the_bots():
    slow = sitting(600, move_seconds=10.0, sleep_seconds=100.0, wall_seconds=51.0)
    longest = 3 * 100 + 3 * 10 * 51 + 600 * 24 * 10
    assert Patience().seconds_for(slow) >= longest


def test_patience_is_never_short_and_grows_with_what_sittings_take():
    patience = Patience()
    patience.learn(result(10, 0.1))
    assert patience.seconds_for(sitting(10)) == LEAST_PATIENCE_SECONDS
    patience.learn(result(10, 100.0))
    patience.learn(result(10, 0.1))
    assert patience.seconds_for(sitting(20)) > 2 * 200.0


def test_patience_doubles_for_a_sitting_each_time_that_it_runs_out():
    patience = Patience()
    hanging = sitting(10)
    before = patience.seconds_for(hanging)
    patience.lose(hanging)
    patience.lose(hanging)
    assert patience.seconds_for(hanging) == 4 * before


def test_ray_that_does_not_start_is_an_error_that_names_the_way_without_it(monkeypatch):
    def fail(self):
        raise OSError("no room")

    monkeypatch.setattr(RayExecutor, "_start", fail)
    with (
        workspace() as folder,
        pytest.raises(RunError, match="Ray does not start: no room; 'execution: serial'"),
        RayExecutor({}, folder, 1) as executor,
    ):
        executor.wait_until_ready()


def test_import_of_the_executor_does_not_import_ray():
    code = "import sys, runner.execution.ray, runner.league.run; assert 'ray' not in sys.modules"
    command = [sys.executable, "-P", "-c", code]
    subprocess.run(command, env=environment(), check=True, timeout=60)
