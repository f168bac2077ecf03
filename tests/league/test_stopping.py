"""Ctrl-C and its like: the first lets a run end in good order, the second ends it at once."""

import os
import shutil
import signal
import time

import pytest

from runner.config import load_league
from runner.league.progress import Quiet
from runner.league.run import run_league
from runner.league.stopping import Stop, stop_on_signals
from tests.leagues import (
    COUNTING,
    SLEEPING,
    bots_of,
    edit,
    exports,
    play,
    run,
    started,
    stored_sittings,
    wait_until,
    workspaces_of,
    write_full_league,
    write_league,
)


def hangs(pid):
    """Whether a run has had the same three bots for a while, so that one of them thinks."""
    bots = bots_of(pid)
    time.sleep(0.7)
    return len(bots) >= 3 and bots == bots_of(pid)


def interrupted(path, number, *, group=False):
    """Start a run, send it a signal once it has stored something; returns how it ended."""
    with started("run-league", path) as process:
        assert wait_until(lambda: stored_sittings(path) > 0)
        if group:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        out, err = process.communicate(timeout=20)
        assert wait_until(lambda: not bots_of(process.pid), 2)
        assert workspaces_of(process.pid) == []
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_once_ends_the_run_in_good_order_and_it_can_be_resumed(finished, tmp_path, number):
    path = write_full_league(tmp_path)
    code, out, err = interrupted(path, number)
    assert (code, out) == (130, "")
    assert err.splitlines()[-1].startswith("Stopped; all that was played is stored. Go on: ")
    assert "Traceback" not in err
    assert 0 < stored_sittings(path) < stored_sittings(finished)
    if number == signal.SIGINT:
        seen = run("letzter", "ratings", path)
        assert seen.returncode == 0
        assert "provisional" in seen.stdout
        play(path)
        assert exports(path) == exports(finished)


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_reaches_ray_too_and_still_ends_in_good_order(finished, tmp_path):
    path = write_full_league(tmp_path, execution="ray")
    code, out, err = interrupted(path, signal.SIGINT, group=True)
    assert (code, out) == (130, "")
    assert "Traceback" not in err
    stored = stored_sittings(path)
    assert 0 < stored < stored_sittings(finished)
    edit(path, execution="serial")
    play(path)
    assert exports(path) == exports(finished)


@pytest.mark.parametrize("execution", ["serial", pytest.param("ray", marks=pytest.mark.slow)])
def test_ctrl_c_twice_ends_at_once_though_a_bot_thinks_for_a_minute(tmp_path, execution):
    path = write_league(
        tmp_path,
        ["tiny.sh", ("counting", COUNTING), ("sleeping", SLEEPING)],
        deals=6,
        deals_per_sitting=60,
        limits={"wall_seconds": 100},
    )
    play(path)
    edit(path, deals=60, execution=execution)
    with started("run-league", path) as process:
        assert wait_until(lambda: hangs(process.pid))
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert process.poll() is None
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert time.monotonic() - began < 3
        assert wait_until(lambda: not bots_of(process.pid), 2)
        assert workspaces_of(process.pid) == []
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert b"Aborted" not in err
    assert stored_sittings(path) == 3
    # The file stands alone again: no write-ahead log.
    assert path.with_suffix(".db").read_bytes()[18:20] == b"\x01\x01"


def test_ctrl_c_during_the_checks_ends_the_run_and_leaves_the_standing(finished, tmp_path):
    path = shutil.copytree(finished.parent, tmp_path / "copy") / finished.name
    before = exports(path)
    stop = Stop()
    stop.requested = True
    outcome = run_league(load_league(str(path)), Quiet(), stop, 1)
    assert (outcome.standing, outcome.played) == (None, 0)
    assert exports(path) == before


def test_stop_on_signals_leaves_ignored_ones_ignored_and_puts_handlers_back():
    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_on_signals() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            assert [stop.requested] == [False]
            signal.raise_signal(signal.SIGTERM)
            assert [stop.requested] == [True]
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) == before
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
