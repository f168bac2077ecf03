"""Every example of the READMEs runs, and does what is said beside it."""

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from runner.config import load_bot, load_league, load_named_bot
from runner.execution.executor import workspace
from runner.league.secret import hash_of, with_beacon
from runner.records import Limits
from runner.table.check import ALL_GAMES, check_bot
from tests.documentation.markdown import DOCUMENTS, ROOT, block, blocks
from tests.documentation.transcript import transcript
from tests.strategies import vectors

KINDS = {
    "sh": "commands of ours, run one by one",
    "sh run": "run by a shell",
    "sh dealing": "compared with the vectors",
    "python bot": "a bot that passes its check",
    "python dealing": "compared with the vectors",
    "python beacon": "compared with the runner",
    "yaml league": "a league file",
    "yaml bot": "a bot's description",
    "sql": "run on a league's database",
    "text transcript": "played again",
    "text": "not run",
}

SCRIPTS = {"./scripts/run-league": "run-league", "./scripts/letzter": "letzter"}


def of_kind(info):
    return [each for each in blocks(*DOCUMENTS) if each.info == info]


def test_every_block_is_of_a_kind_that_is_tested():
    assert {each.info for each in blocks(*DOCUMENTS)} <= KINDS.keys()


# Commands.


def commands_in(found):
    return [
        pytest.param(line, id=f"{each}: {line}")
        for each in found
        for line in each.text.splitlines()
        if line
    ]


@pytest.mark.parametrize("line", commands_in(of_kind("sh")))
def test_command_runs(line, in_checkout, cli):
    line, _, target = line.partition(" > ")
    output = ""
    for command in line.split(" | "):
        words = shlex.split(command)
        if words[0].startswith("./scripts/"):
            assert os.access(ROOT / words[0], os.X_OK)
            if words[0] not in SCRIPTS:
                return
            words[0] = SCRIPTS[words[0]]
        if "reveal" in words:
            # Closes the league, which the other examples still need open.
            shutil.copyfile(words[2].replace(".yaml", ".db"), "revealed.db")
            words[2] = "revealed.db"
        result = cli(words, output)
        assert result.exit_code in (0, 3), result.output
        output = result.stdout
    assert output
    assert not target or target.endswith((".jsonl", ".csv"))


def programs(folder):
    """The installed commands, as scripts in a folder."""
    folder.mkdir()
    for name, function in (("letzter", "main"), ("run-league", "run_league")):
        code = (
            f"import sys; sys.argv[0] = '{name}'; from runner.cli import {function}; {function}()"
        )
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -c "{code}" "$@"\n')
        script.chmod(0o755)
    return folder


@pytest.mark.parametrize("example", of_kind("sh run"), ids=str)
def test_shell_example_runs(example, in_checkout, tmp_path):
    path = f"{programs(tmp_path / 'bin')}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", example.text],
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr


# Bots.


def test_smallest_bot_passes_its_check(checkout):
    source = (checkout / "mybot.py").read_text()
    assert len([line for line in source.splitlines() if line]) <= 12
    with workspace() as folder:
        checks = check_bot(load_bot(str(checkout / "mybot.py")), ALL_GAMES, Limits(), folder)
        assert [game.fault for game in checks] == [None] * len(ALL_GAMES)


def test_transcript_is_what_is_said():
    shown = block("bots/README.md", "text transcript").text.splitlines(keepends=True)
    played = transcript()
    assert shown == [*played[:6], played[-1]]


# League files, deals, the database, listings.


@pytest.mark.parametrize("example", of_kind("yaml league"), ids=str)
def test_league_file_loads(example, checkout):
    file = checkout / "leagues" / "example.yaml"
    file.write_text(example.text)
    assert len(load_league(str(file)).entrants) >= 4


@pytest.mark.parametrize("example", of_kind("yaml bot"), ids=str)
def test_bot_description_is_read(example, tmp_path):
    (tmp_path / "bot.yaml").write_text(example.text)
    bot = load_named_bot(str(tmp_path))
    assert bot.name
    assert bot.files.bot.command


def test_recipe_of_the_beacon_is_that_of_the_runner():
    recipe: dict = {}
    exec(block("leagues/README.md", "python beacon").text, recipe)
    secret, beacon = bytes(range(32)), "3 7 12 – ü"
    mixed = with_beacon(secret, beacon).hex()
    assert recipe["dealing_secret"](secret.hex(), beacon) == mixed
    assert recipe["fits"](secret.hex(), beacon, hash_of(secret), mixed)
    assert not recipe["fits"](mixed, beacon, hash_of(secret), mixed)


def test_recipe_in_python_deals_as_known():
    recipe: dict = {}
    exec(block("leagues/README.md", "python dealing").text, recipe)
    for known in vectors("dealing.jsonl"):
        key = recipe["table_key"](known["entrants"], known["play"], known["players"])
        assert key == known["table"]
        assert (
            recipe["hands"](known["secret"], key, known["deal"], known["players"]) == known["hands"]
        )


@pytest.mark.parametrize("players", [4, 3])
def test_recipe_in_shell_deals_as_known(players):
    script = block("leagues/README.md", "sh dealing").text
    known = next(each for each in vectors("dealing.jsonl") if each["players"] == players)
    words = [known["secret"], known["table"], str(known["deal"]), str(players)]
    if shutil.which("openssl") is None:
        # Nothing to compare with here, but it must be shell.
        assert subprocess.run(["sh", "-nc", script], check=False).returncode == 0
        return
    done = subprocess.run(
        ["sh", "-euc", script, "deal.sh", *words], capture_output=True, text=True, check=True
    )
    assert [line.split() for line in done.stdout.splitlines()] == known["hands"]


@pytest.mark.parametrize("example", of_kind("sql"), ids=str)
def test_query_runs(example, checkout):
    with closing(sqlite3.connect(checkout / "leagues" / "spring.db")) as db:
        cursor = db.execute(example.text)
        assert cursor.description
        assert len(cursor.fetchall()) > 0 or "march" in example.text or "'1110'" in example.text


def test_listing_of_the_first_screen_has_the_columns_of_today(in_checkout, cli):
    shown = next(each for each in blocks("README.md") if each.info == "text").text
    printed = cli(["letzter", "ratings", "leagues/spring.yaml"]).stdout
    heads = [
        next(line for line in text.splitlines() if "entrant" in line) for text in (shown, printed)
    ]
    assert re.split(r"\s{2,}", heads[0].strip()) == re.split(r"\s{2,}", heads[1].strip())
    assert "provisional" not in shown


def test_first_screen_has_the_two_commands():
    first = blocks("README.md")[0]
    assert first.text.splitlines() == ["./scripts/run-league leagues/spring.yaml", "./scripts/test"]
