"""Killing a run at any moment: no bot outlives it, nothing stored is lost or doubled."""

import os
import random
import signal
import sqlite3
import time
from contextlib import closing

import pytest

from runner.execution.executor import at_work
from tests.leagues import (
    bots_of,
    exports,
    run,
    started,
    stored_sittings,
    wait_until,
    workspaces_of,
    write_full_league,
)


def whole_sittings(path):
    """Check that every stored sitting has all its logs, and that the file is sound."""
    if not path.with_suffix(".db").exists():
        return
    with closing(sqlite3.connect(path.with_suffix(".db"))) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'sittings'").fetchone():
            assert (
                db.execute(
                    "SELECT sittings.key FROM sittings LEFT JOIN raw_deal_logs "
                    "ON sitting_id = sittings.id GROUP BY sittings.id "
                    "HAVING count(deal) != last_deal - first_deal + 1"
                ).fetchall()
                == []
            )


def kill_and_resume(path, workers, moments):
    """Kill the run of a league at moments, each counted from its first new sitting or start."""
    killed = []
    for moment, from_first in moments:
        before = stored_sittings(path)
        with started("run-league", path, "--workers", str(workers)) as process:
            if from_first:
                assert wait_until(lambda before=before: stored_sittings(path) > before)
            time.sleep(moment)
            # The runner alone: what it started has to notice by itself.
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert wait_until(lambda pid=process.pid: not bots_of(pid), 2)
        killed.append(process.pid)
        whole_sittings(path)
        assert stored_sittings(path) >= before
    done = run("run-league", path, "--workers", str(workers))
    assert done.returncode == 3, done.stderr
    assert [left for pid in killed for left in workspaces_of(pid)] == []


def seeded_moments(seed, longest):
    """Five moments: some from the very start on, most from the first sitting that is stored."""
    draw = random.Random(seed)
    return [(draw.uniform(0, longest), number > 1) for number in range(5)]


def test_serial_run_killed_at_five_moments_ends_as_if_undisturbed(finished, tmp_path):
    path = write_full_league(tmp_path)
    kill_and_resume(path, 1, seeded_moments("serial", 0.4))
    assert exports(path) == exports(finished)


@pytest.mark.slow
def test_ray_run_killed_at_five_moments_ends_as_if_undisturbed(finished, tmp_path):
    path = write_full_league(tmp_path, execution="ray")
    kill_and_resume(path, 2, seeded_moments("ray", 0.6))
    assert exports(path) == exports(finished)


@pytest.mark.slow
def test_ray_worker_killed_in_play_is_replaced_and_nobody_is_charged(finished, tmp_path):
    path = write_full_league(tmp_path, execution="ray")
    with started("run-league", path, "--workers", "2") as process:
        assert wait_until(lambda: stored_sittings(path) > 0)
        assert wait_until(lambda: workers_of(process.pid))
        for worker in workers_of(process.pid):
            os.kill(worker, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 3, err
        assert b"could not be played" not in err
    assert exports(path) == exports(finished)


def workers_of(pid):
    """The processes that are at a sitting of a run."""
    (folder,) = workspaces_of(pid)
    return [worker.pid for worker in at_work(folder)]
