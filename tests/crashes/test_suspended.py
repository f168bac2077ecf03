"""Runs that are stopped for a while, and terminals that close: nobody is charged for it."""

import os
import signal
import subprocess
import time
from dataclasses import replace

import pytest

from runner.records import FaultKind
from tests.crashes.runs import is_alive, signal_all, stop_whole_run
from tests.leagues import (
    bot,
    bots_of,
    command,
    edit,
    environment,
    exports,
    play,
    rows,
    started,
    stored_sittings,
    wait_until,
    workspaces_of,
    write_full_league,
    write_league,
)
from tests.table.playing import PATIENT, bot_files, counts, house, make_sitting

SLOW = bot(middle="time.sleep(0.02)")
TIGHT = {"start_seconds": 5, "move_seconds": 0.5, "wall_seconds": 3, "sleep_seconds": 60}


@pytest.mark.parametrize("seconds", [8, pytest.param(60, marks=pytest.mark.slow)])
def test_runs_stopped_for_longer_than_all_limits_go_on_and_charge_nobody(tmp_path, seconds):
    entrants = [("slow", SLOW), "low.py", "random.py"]
    undisturbed = write_league(tmp_path / "undisturbed", entrants, deals=4, limits=TIGHT)
    play(undisturbed)
    whole = write_league(tmp_path / "whole", entrants, deals=4, limits=TIGHT)
    alone = write_league(tmp_path / "alone", entrants, deals=4, limits=TIGHT)
    with started("run-league", whole) as first, started("run-league", alone) as second:
        for path, process in ((whole, first), (alone, second)):
            assert wait_until(lambda path=path: stored_sittings(path) > 0)
            assert wait_until(lambda pid=process.pid: len(bots_of(pid)) >= 3)
        stopped = stop_whole_run(first.pid) | {second.pid}
        signal_all(stopped, signal.SIGSTOP)
        time.sleep(seconds)
        signal_all(stopped, signal.SIGCONT)
        for path, process in ((whole, first), (alone, second)):
            _, err = process.communicate(timeout=90)
            assert process.returncode == 0, err
            assert exports(path) == exports(undisturbed)
            assert rows(path, "faults") == []
            assert bots_of(process.pid) == []
            assert workspaces_of(process.pid) == []


def test_bot_that_stops_itself_is_charged_with_the_time(table):
    text = bot("os.kill(os.getpid(), 19)", before="import signal").encode()
    stops = bot_files(("python", "-S", "-s", "stops.py"), {"stops.py": text})
    limits = replace(PATIENT, wall_seconds=0.5, max_faults=2)
    result = table.play(make_sitting(limits=limits), [house("low"), stops, house("low")])
    assert counts(result) == [{}, {FaultKind.TIMEOUT: 2}, {}]


@pytest.mark.parametrize("execution", ["serial", pytest.param("ray", marks=pytest.mark.slow)])
def test_run_whose_terminal_closes_ends_in_good_order_and_can_be_resumed(
    finished, tmp_path, execution
):
    path = write_full_league(tmp_path, execution=execution)
    master, slave = os.openpty()
    process = subprocess.Popen(
        # A terminal of its own, which it leads; nobody reads what it shows in the end.
        ["setsid", "--ctty", "--wait", *command("run-league", path)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment(),
    )
    os.close(slave)
    assert wait_until(lambda: stored_sittings(path) > 0)
    run = child_of(process.pid)
    os.close(master)
    process.wait(timeout=20)
    assert wait_until(lambda: not is_alive(run), 20)
    assert wait_until(lambda: not bots_of(run), 2)
    assert workspaces_of(run) == []
    stored = stored_sittings(path)
    assert 0 < stored < stored_sittings(finished)
    # The file stands alone: it was closed in good order.
    assert path.with_suffix(".db").read_bytes()[18:20] == b"\x01\x01"
    edit(path, execution="serial")
    play(path)
    assert exports(path) == exports(finished)


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as children:  # noqa: PTH123
        found = children.read().split()
    return int(found[0]) if found else pid
