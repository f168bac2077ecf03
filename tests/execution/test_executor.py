import errno
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runner.config import load_league
from runner.execution import executor
from runner.execution.executor import at_work, play_on_core, workspace
from runner.execution.serial import SerialExecutor
from runner.game.deals import secret_of_seed
from runner.league.run import plan_of
from runner.records import SittingResult, Void
from runner.schedule.plan import deal_out
from runner.table.sitting import play_sitting
from tests.leagues import write_league


@pytest.fixture
def league(tmp_path):
    return load_league(str(write_league(tmp_path / "league", ["low.py", "high.py", "tiny.sh"])))


@pytest.fixture
def sittings(league):
    plan = plan_of(league, league.entrants, "")
    return [deal_out(each, league.limits, secret_of_seed("test")) for each in plan.sittings()]


def bots_of(league, sitting):
    return [league.files[version] for version in sitting.versions]


def plain(result):
    """What of a result does not depend on the clock."""
    return result.id, result.logs, result.fault_counts, result.faults


def test_workspace_is_short_is_ours_alone_and_goes_at_the_end():
    with workspace() as folder:
        assert folder.is_dir()
        assert len(str(folder)) < 40
        assert folder.stat().st_mode & 0o077 == 0
        (folder / "bots" / "one").mkdir(parents=True)
        (folder / "bots" / "one").chmod(0o500)
    assert not folder.exists()


def test_workspace_goes_at_the_end_of_a_run_that_fails():
    with pytest.raises(RuntimeError, match="broken off"), workspace() as folder:
        raise RuntimeError("broken off")
    assert not folder.exists()


def dead_pid():
    with subprocess.Popen([sys.executable, "-S", "-c", ""]) as process:
        process.wait()
    return process.pid


def test_workspace_removes_what_killed_runs_left_and_nothing_else(tmp_path):
    root = Path("/tmp")
    left = root / f"letzter-{dead_pid()}-left"
    kept = [root / f"letzter-{os.getpid()}-in-use", root / f"letzter-mine-{tmp_path.name}"]
    target = tmp_path / "precious"
    target.mkdir()
    link = root / f"letzter-{dead_pid()}-link"
    try:
        for folder in (left, *kept):
            folder.mkdir()
        (left / "bots" / "one").mkdir(parents=True)
        (left / "bots" / "one" / "file").write_text("")
        (left / "bots" / "one").chmod(0o500)
        link.symlink_to(target)
        (target / "file").write_text("kept")
        with workspace():
            assert not left.exists()
            assert all(folder.exists() for folder in kept)
            assert (target / "file").read_text() == "kept"
    finally:
        link.unlink(missing_ok=True)
        for folder in kept:
            folder.rmdir()


def test_workspace_goes_on_if_another_run_removes_a_leftover_first(monkeypatch):
    left = Path("/tmp") / f"letzter-{dead_pid()}-gone"
    glob = Path.glob
    monkeypatch.setattr(Path, "glob", lambda path, pattern: [*glob(path, pattern), left])
    with workspace() as folder:
        assert folder.is_dir()


def test_play_on_core_plays_on_one_core_and_gives_all_cores_back(
    league, sittings, tmp_path, monkeypatch
):
    cores = os.sched_getaffinity(0)
    seen = []

    def noted(*arguments):
        (worker,) = at_work(tmp_path)
        seen.append((len(os.sched_getaffinity(0)), worker.pid, worker.sitting))
        return play_sitting(*arguments)

    monkeypatch.setattr(executor, "play_sitting", noted)
    result = play_on_core(sittings[0], bots_of(league, sittings[0]), tmp_path)
    assert isinstance(result, SittingResult)
    assert seen == [(1, os.getpid(), sittings[0].id)]
    assert os.sched_getaffinity(0) == cores
    assert list(at_work(tmp_path)) == []
    assert list((tmp_path / "homes").iterdir()) == []


def test_play_on_core_takes_a_core_that_no_other_sitting_is_on(
    league, sittings, tmp_path, monkeypatch
):
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) == 1:
        pytest.skip("there is one core only")
    seen = []

    def play_sitting(*arguments):
        seen.append(os.sched_getaffinity(0))
        if len(seen) < len(cores):
            os.sched_setaffinity(0, cores)
            play_on_core(sittings[0], [], tmp_path)

    monkeypatch.setattr(executor, "play_sitting", play_sitting)
    play_on_core(sittings[0], [], tmp_path)
    assert seen == [{core} for core in cores]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EMFILE, errno.EAGAIN, errno.ENOMEM])
def test_play_on_core_makes_a_void_of_what_the_machine_refuses(
    sittings, tmp_path, monkeypatch, code
):
    def refuse(*arguments):
        raise OSError(code, os.strerror(code))

    cores = os.sched_getaffinity(0)
    monkeypatch.setattr(executor, "play_sitting", refuse)
    outcome = play_on_core(sittings[0], [], tmp_path)
    assert isinstance(outcome, Void)
    assert outcome.id == sittings[0].id
    assert outcome.reason.startswith(os.strerror(code))
    assert os.sched_getaffinity(0) == cores
    assert list(at_work(tmp_path)) == []


def test_play_on_core_without_a_place_to_write_is_a_void(league, sittings, tmp_path):
    (tmp_path / "file").write_text("")
    outcome = play_on_core(sittings[0], bots_of(league, sittings[0]), tmp_path / "file")
    assert isinstance(outcome, Void)
    assert "Not a directory" in outcome.reason


def test_at_work_does_not_name_a_process_that_died_at_its_sitting(tmp_path):
    (tmp_path / "cores").mkdir()
    code = (
        "import time; from pathlib import Path; from runner.execution.executor import _one_core\n"
        f"with _one_core(Path({str(tmp_path / 'cores')!r}), 'sitting'):\n"
        "    print('at it', flush=True); time.sleep(60)"
    )
    environment = {"PYTHONPATH": str(Path(executor.__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-P", "-c", code], env=environment, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"at it\n"
        (worker,) = at_work(tmp_path)
        assert (worker.pid, worker.sitting) == (process.pid, "sitting")
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert list(at_work(tmp_path)) == []


def test_serial_executor_plays_in_order_and_takes_only_what_it_begins(league, sittings, tmp_path):
    taken = []

    def coming():
        for sitting in sittings:
            taken.append(sitting.id)
            yield sitting

    with SerialExecutor(league.files, tmp_path) as serial:
        serial.wait_until_ready()
        results = serial.play(coming())
        first = next(results)
        assert taken == [first.id]
        rest = list(results)
    assert [result.id for result in (first, *rest)] == [sitting.id for sitting in sittings]


def test_serial_executor_gives_the_same_again(league, sittings, tmp_path):
    def played(folder):
        folder.mkdir()
        with SerialExecutor(league.files, folder) as serial:
            return [plain(result) for result in serial.play(sittings)]

    assert played(tmp_path / "once") == played(tmp_path / "again")


def test_lock_of_a_core_is_not_inherited_by_bots(tmp_path):
    with executor._one_core(tmp_path / "cores", "sitting"):
        sleeping = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
        child = subprocess.Popen(sleeping, close_fds=False)
    try:
        time.sleep(0.05)
        descriptor = os.open(tmp_path / "cores" / "0", os.O_RDWR)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(descriptor)
    finally:
        child.kill()
        child.wait()
