"""What a bot gets of the world, and what the world keeps of a bot."""

import json
import os
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from runner.botio.process import BotProcess, end_strays
from runner.records import FaultKind
from runner.table.sitting import play_sitting
from tests.table.playing import (
    DEALS,
    PATIENT,
    PLACE,
    bot_processes,
    check_logs,
    children,
    counts,
    fixture,
    house,
    make_sitting,
    marks,
    open_descriptors,
    wait_until,
)

ROOT = Path(__file__).resolve().parents[2]


def told(table, bot):
    """What `tells.py` saw, with its folders by name, and all that it was sent."""
    folder = table.folder / "bots" / bot.bot.version
    seen = json.loads(Path(table.folder, f"{folder.name}-told").read_text())
    home = seen["environment"]["HOME"]
    text = json.dumps(seen).replace(home, "<home>").replace(str(folder), "<folder>")
    assert Path(home).parent == table.homes
    return json.loads(text), Path(table.folder, f"{folder.name}-input").read_bytes()


def test_bot_gets_a_clean_environment_and_three_descriptors(table, monkeypatch):
    monkeypatch.setenv("LETZTER_TEST", "secret")
    bot = fixture("tells.py")
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        with (table.folder / "leak").open("wb") as file:
            os.set_inheritable(file.fileno(), True)
            table.play(make_sitting(), [house("low"), bot, house("random")])
    finally:
        os.sched_setaffinity(0, cores)

    seen, _ = told(table, bot)
    assert seen == {
        "argv": ["tells.py"],
        "descriptors": [0, 1, 2],
        "environment": {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": "<home>",
            "TMPDIR": "<home>",
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            "PYTHONHASHSEED": "0",
        },
        "files": ["honest.py", "tells.py"],
        "folder": "<folder>",
        "home": [],
        "cores": [max(cores)],
        "leads": [True, True],
    }


def test_bot_cannot_tell_deal_numbers_table_or_opponents_apart(table, tmp_path):
    bot = fixture("tells.py")
    here = make_sitting()
    numbers = [10**6 + 7 * deal for deal in DEALS]
    there = replace(make_sitting(numbers=numbers), id="another", versions=("f" * 64,) * 3)
    other = type(table)(tmp_path / "other")

    table.play(here, [house("low"), bot, house("low")])
    other.play(there, [fixture("honest.py"), bot, fixture("one_byte_writes.py")])

    assert told(table, bot) == told(other, bot)
    _, received = told(table, bot)
    assert b"1000" not in received
    assert b"103" not in received


def test_closing_one_bots_input_is_seen_though_another_lives(table):
    programs = table.programs([fixture("", command=("cat",)), fixture("", command=("cat",))])
    table.homes.mkdir()
    first = BotProcess(programs[0], table.homes)
    second = BotProcess(programs[1], table.homes)
    try:
        first.close_stdin()
        assert first.wait_for_death(30) == 0
        assert second.wait_for_death(0) is None
    finally:
        first.end()
        second.end()


def test_sitting_with_many_open_files_is_played(table):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1200:
        pytest.skip("this machine allows too few open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        bad = fixture("ends.py", {"how.txt": b"with a code", "marks.json": marks()})
        result = table.play(make_sitting(), [house("low"), bad, house("low")])
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert counts(result) == [{}, {FaultKind.EXIT: 2}, {}]


def test_sitting_without_room_for_files_fails_and_leaves_nothing(table):
    bots = [house("low")] * 3
    table.homes.mkdir()
    programs = table.programs(bots)
    before = open_descriptors()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    played = failed = 0
    for room in range(1, 60):
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + room, hard))
        try:
            play_sitting(make_sitting(deals=range(1, 3)), programs, table.homes)
            played += 1
        except OSError:
            failed += 1
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert open_descriptors() == before
        assert children() == []
        assert list(table.homes.iterdir()) == []
        if played == 3:
            break

    assert failed > 5
    assert played == 3


def test_folder_of_a_bot_that_is_gone_is_nobodys_fault(table):
    table.homes.mkdir()
    (program,) = table.programs([house("low")])
    program.folder.chmod(0o700)
    for file in program.folder.iterdir():
        file.unlink()
    program.folder.rmdir()

    with pytest.raises(FileNotFoundError):
        BotProcess(program, table.homes)
    assert list(table.homes.iterdir()) == []


def test_floods_leave_the_referees_memory_as_it_was(table):
    everywhere = {"marks.json": marks(deals=DEALS)}
    shouts = fixture("shouts.py", everywhere)
    floods = fixture("floods.py", {"says.bin": b"x" * 100, **everywhere})
    sitting = make_sitting(limits=replace(PATIENT, max_faults=100))
    table.play(sitting, [house("low")] * 3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    result = table.play(sitting, [house("low"), floods, shouts])

    assert counts(result) == [{}, {FaultKind.MESSAGE: len(DEALS)}, {}]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8_000


PLAY = """
import signal, sys
from pathlib import Path
from tests.table.playing import *

{before}
table = Table(Path(sys.argv[1]))
bad = fixture({bot!r}, {files!r})
sitting = make_sitting(limits={limits})
print(counts(table.play(sitting, [house("low"), bad, house("low")]))[1])
"""


def player_elsewhere(folder, bot, files, before="", limits="PATIENT"):
    """A process that plays a sitting."""
    code = PLAY.format(bot=bot, files=files, before=before, limits=limits)
    return subprocess.Popen(
        [sys.executable, "-c", code, folder], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_bots_die_with_a_referee_that_is_killed(tmp_path):
    homes = tmp_path / "homes"
    referee = player_elsewhere(tmp_path, "sleeps_always.py", {"seconds.txt": b"600"})
    try:
        assert wait_until(lambda: len(bot_processes(homes)) == 3)
    finally:
        referee.send_signal(signal.SIGKILL)
        referee.communicate()

    assert wait_until(lambda: bot_processes(homes) == [], 2)
    end_strays()  # the table made this process the parent of those that lost theirs


def test_sitting_of_a_runner_that_ignores_its_children_is_played(tmp_path):
    files = {"how.txt": b"with a code", "marks.json": marks()}
    before = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    referee = player_elsewhere(tmp_path, "ends.py", files, before)

    said, _ = referee.communicate(timeout=60)

    assert referee.returncode == 0
    assert said == "{<FaultKind.EXIT: 'exit'>: 2}\n"


def test_bot_that_starves_itself_is_not_waited_for_without_end(table):
    bad = fixture("starves.py", {"marks.json": marks(deals=[103])})
    sitting = make_sitting(limits=replace(PATIENT, wall_seconds=0.2))
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        result = table.play(sitting, [house("low"), bad, house("low")])
    finally:
        os.sched_setaffinity(0, cores)

    assert counts(result) == [{}, {FaultKind.TIMEOUT: 1}, {}]
    assert result.wall_seconds < 30


def test_fault_of_one_bot_is_not_the_sleep_of_another(table):
    bad = fixture("ends.py", {"how.txt": b"closing stdout", "marks.json": marks()})
    sitting = make_sitting(limits=replace(PATIENT, sleep_seconds=1.5))

    result = table.play(sitting, [house("low"), bad, house("low")])

    assert counts(result) == [{}, {FaultKind.EXIT: 2}, {}]
    check_logs(sitting, result, ["low"] * 3)
    assert result.usage[2].sleep_seconds < 1
    assert result.usage[PLACE].starts == 3
