"""A bot's files on disk."""

import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from runner.botio.program import unpack
from runner.records import Bot, BotFiles


def bot_files(command=("python", "x.py"), contents=None):
    contents = {"x.py": b"pass\n", "data": bytes(range(256))} if contents is None else contents
    return BotFiles(Bot(command, tuple((name, "0" * 64) for name in sorted(contents))), contents)


def unpack_at(root):
    return unpack(bot_files(), root).folder


def test_files_lie_in_a_folder_named_after_the_version(tmp_path):
    files = bot_files()

    program = unpack(files, tmp_path)

    assert program.folder == tmp_path / files.bot.version
    assert {path.name: path.read_bytes() for path in program.folder.iterdir()} == files.contents
    assert [path.name for path in tmp_path.iterdir()] == [files.bot.version]


def test_files_can_be_executed_and_not_written(tmp_path):
    for path in unpack(bot_files(), tmp_path).folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o555


def test_python_without_packages_is_the_one_that_stands_alone(tmp_path):
    program = unpack(bot_files(("python", "-S", "-s", "x.py")), tmp_path)

    assert program.command == (os.path.realpath(sys.executable), "-S", "-s", "x.py")
    assert program.needs == (Path(sys.base_prefix),)


def test_python_with_packages_needs_where_they_are(tmp_path):
    needs = unpack(bot_files(("python", "x.py")), tmp_path).needs

    assert set(needs) == {Path(sys.base_prefix), Path(sys.prefix)}


def test_script_that_is_given_a_word_like_the_option_gets_packages(tmp_path):
    command = ("python", "x.py", "-S")

    assert unpack(bot_files(command), tmp_path).command == (sys.executable, "x.py", "-S")


@pytest.mark.parametrize("word", ["python", "python3"])
def test_python_is_the_interpreter_that_runs_the_league(tmp_path, word):
    assert unpack(bot_files((word, "x.py")), tmp_path).command == (sys.executable, "x.py")


def test_other_commands_stay_as_they_are(tmp_path):
    command = ("node", "python", "python3")
    assert unpack(bot_files(command), tmp_path).command == command


def test_bot_without_files_has_an_empty_folder(tmp_path):
    assert list(unpack(bot_files(("cat",), {}), tmp_path).folder.iterdir()) == []


def test_folder_that_is_there_is_used_as_it_is(tmp_path):
    first = unpack(bot_files(), tmp_path).folder
    before = [path.stat().st_ino for path in first.iterdir()]

    again = unpack(bot_files(), tmp_path).folder

    assert [path.stat().st_ino for path in again.iterdir()] == before


def test_draft_left_by_a_killed_process_does_no_harm(tmp_path):
    files = bot_files()
    left = tmp_path / f".{files.bot.version}.1"
    left.mkdir()
    (left / "x.py").write_text("half a fi")

    folder = unpack(files, tmp_path).folder

    assert (folder / "x.py").read_bytes() == files.contents["x.py"]


@pytest.mark.parametrize("many", [ThreadPoolExecutor, get_context("spawn").Pool])
def test_unpacking_at_the_same_time_gives_one_whole_folder(tmp_path, many):
    with many(4) as pool:
        folders = list(pool.map(unpack_at, [tmp_path] * 40))

    assert set(folders) == {tmp_path / bot_files().bot.version}
    assert [path.name for path in tmp_path.iterdir()] == [bot_files().bot.version]
    assert len(list(folders[0].iterdir())) == 2


def test_disk_that_takes_nothing_is_an_os_error(tmp_path):
    (tmp_path / "root").write_text("a file")

    with pytest.raises(OSError, match="root"):
        unpack(bot_files(), tmp_path / "root")
