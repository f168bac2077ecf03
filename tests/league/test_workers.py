"""The same league, however it is executed. Ray is started for real, so in few tests."""

import shutil
import subprocess
import sys

import pytest

from tests.leagues import (
    COUNTING,
    bots_of,
    edit,
    environment,
    exports,
    play,
    rows,
    run,
    started,
    wait_until,
    workspaces_of,
    write_full_league,
    write_league,
)


def test_full_league_has_faults_and_bots_whose_play_depends_on_what_their_process_saw(
    finished, tmp_path
):
    assert {row["kind"] for row in rows(finished, "faults")} == {"illegal", "exit"}
    path = write_league(tmp_path, [("one", COUNTING), ("two", COUNTING), "tiny.sh"])
    play(path)
    before = rows(path, "deals")
    edit(path, limits={"deals_in_flight": 1})
    play(path)
    after = rows(path, "deals")
    assert [log["hands"] for log in before] == [log["hands"] for log in after]
    assert [log["plays"] for log in before] != [log["plays"] for log in after]


@pytest.mark.parametrize(
    "workers", [2, pytest.param(1, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow)]
)
def test_league_played_by_ray_workers_has_the_exports_of_a_serial_one(finished, tmp_path, workers):
    path = write_full_league(tmp_path, execution="ray")
    with started("run-league", path, "--workers", str(workers), "--json") as process:
        out, err = process.communicate(timeout=100)
        assert process.returncode == 3, err
        assert out.count(b"\n") == 1
        assert out.startswith(b"{")
        assert b"Traceback" not in err, err.decode()
        assert exports(path) == exports(finished)
        assert wait_until(lambda: not bots_of(process.pid), 2)
        assert workspaces_of(process.pid) == []


@pytest.mark.slow
def test_league_half_played_serially_is_finished_by_ray(finished, tmp_path):
    path = write_full_league(tmp_path, deals=48)
    play(path)
    edit(path, deals=52, execution="ray")
    assert run("run-league", path).returncode == 3
    assert exports(path) == exports(finished)


def test_ray_league_with_nothing_left_to_play_does_not_start_ray(finished, tmp_path):
    path = shutil.copytree(finished.parent, tmp_path / "copy") / finished.name
    edit(path, execution="ray")
    code = (
        "import sys; from runner.cli import main\n"
        f"try: main(['run', {str(path)!r}])\n"
        "except SystemExit as done: assert done.code == 3\n"
        "assert 'ray' not in sys.modules"
    )
    subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=environment(),
        check=True,
        timeout=60,
        capture_output=True,
    )
