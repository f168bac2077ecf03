"""Ray's processes killed and stopped, one by one and together; what is said, and what is left."""

import os
import random
import signal
import subprocess
import time

import pytest

from runner.execution.executor import workspace
from tests.crashes.runs import (
    descendants,
    is_alive,
    named,
    signal_all,
    started_after,
    stop_whole_run,
    workers_of,
)
from tests.league.test_kill import whole_sittings
from tests.leagues import (
    bots_of,
    command,
    environment,
    exports,
    run,
    started,
    stored_sittings,
    wait_until,
    workspaces_of,
    write_full_league,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SAID = (
    "Test: the secret's SHA-256 is ",
    "Its deals come from the seed ",
    "Bots are isolated by ",
    "Bots are not isolated, ",
)
ENDED = "Ray has ended unexpectedly ({}); all that was played until then is stored: run it again"


@pytest.fixture
def league(tmp_path):
    return write_full_league(tmp_path, execution="ray")


def all_gone(pids):
    """No process of Ray's is left, after a moment."""
    return wait_until(lambda: not any(map(is_alive, pids)), 10)


def more_than(path, sittings):
    return lambda: stored_sittings(path) > sittings


def beside_the_usual(err):
    """What is said on stderr beside what every run says."""
    lines = err.decode().splitlines()
    return [line for line in lines if not line.startswith(SAID) and " deals" not in line]


def kill_driver(pid, others):
    os.kill(pid, signal.SIGKILL)
    return -signal.SIGKILL, None


def kill_everything(pid, others):
    signal_all([pid, *others], signal.SIGKILL)
    return -signal.SIGKILL, None


def kill_raylet(pid, others):
    signal_all(named(others, "raylet"), signal.SIGKILL)
    return 1, ENDED.format("raylet")


def kill_gcs(pid, others):
    signal_all(named(others, "gcs_server"), signal.SIGKILL)
    return 1, ENDED.format("gcs_server")


@pytest.mark.parametrize(
    "kill, times",
    [(kill_driver, 3), (kill_everything, 3), (kill_raylet, 3), (kill_gcs, 1)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_ray_run_killed_at_seeded_moments_ends_as_if_undisturbed(finished, league, kill, times):
    draw = random.Random(kill.__name__)
    pids = []
    left = []
    for _ in range(times):
        before = stored_sittings(league)
        with started("run-league", league, "--workers", "2") as process:
            assert wait_until(more_than(league, before))
            time.sleep(draw.uniform(0, 0.2))
            others = descendants(process.pid)
            code, said = kill(process.pid, others)
            out, err = process.communicate(timeout=60)
            if process.returncode == 3:  # it was at its end
                break
            assert (process.returncode, out) == (code, b""), err
            lines = beside_the_usual(err)
            assert (said in lines[-1]) if said else lines == []
            # Ray may add a line of its own about what it has lost.
            assert len(lines) <= 3
            assert wait_until(lambda pid=process.pid: not bots_of(pid), 2)
            if said:
                assert all_gone(others)
            left += others
        pids.append(process.pid)
        whole_sittings(league)
    assert run("run-league", league).returncode == 3
    assert all_gone(left)
    assert exports(league) == exports(finished)
    assert [folder for pid in pids for folder in workspaces_of(pid)] == []


def test_ray_workers_killed_at_seeded_moments_are_replaced_and_nobody_hears_of_it(finished, league):
    draw = random.Random("workers")
    with started("run-league", league, "--workers", "2", "--json") as process:
        assert wait_until(more_than(league, 0))
        killed = 0
        while killed < 5 and process.poll() is None:
            for worker in workers_of(process.pid)[:1]:
                signal_all([worker], signal.SIGKILL)
                killed += 1
            time.sleep(draw.uniform(0.05, 0.3))
        others = descendants(process.pid)
        out, err = process.communicate(timeout=90)
        assert all_gone(others)
    assert killed > 0
    assert process.returncode == 3, err
    assert out.startswith(b"{")
    assert out.count(b"\n") == 1
    assert b"deals played" in err
    assert beside_the_usual(err) == []
    assert exports(league) == exports(finished)
    assert workspaces_of(process.pid) == []


def test_ray_worker_that_hangs_is_given_up_and_its_sitting_played_elsewhere(finished, league):
    setup = "import runner.execution.ray as ray; ray.LEAST_PATIENCE_SECONDS = 2.0"
    with started_after(setup, league, "--workers", "2", "--json") as process:
        assert wait_until(more_than(league, 0))
        assert wait_until(lambda: workers_of(process.pid))
        (hanging, *_) = workers_of(process.pid)
        signal_all([hanging], signal.SIGSTOP)
        out, err = process.communicate(timeout=100)
        assert not is_alive(hanging)
        assert process.returncode == 3, err
    assert out.startswith(b"{")
    assert b"624 of 624 deals played" in err
    assert beside_the_usual(err) == []
    whole_sittings(league)
    assert exports(league) == exports(finished)
    assert bots_of(process.pid) == []


def test_ray_run_stopped_as_a_whole_goes_on_and_kills_nobody(finished, league):
    setup = "import runner.execution.ray as ray; ray.LEAST_PATIENCE_SECONDS = 4.0"
    with started_after(setup, league, "--workers", "2") as process:
        assert wait_until(more_than(league, 0))
        stopped = stop_whole_run(process.pid)
        time.sleep(20)
        signal_all(stopped, signal.SIGCONT)
        _, err = process.communicate(timeout=100)
        assert process.returncode == 3, err
    assert beside_the_usual(err) == []
    assert exports(league) == exports(finished)
    assert all_gone(stopped)


def test_ray_processes_that_outlive_a_killed_run_are_ended_by_the_next_one(league):
    # Not with `started`, which kills the group of the run at the end.
    with subprocess.Popen(
        command("run-league", league),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as process:
        assert wait_until(more_than(league, 0))
        others = descendants(process.pid)
        process.kill()
    assert wait_until(lambda: not bots_of(process.pid), 2)
    with workspace():
        assert all_gone(others)
    assert workspaces_of(process.pid) == []
