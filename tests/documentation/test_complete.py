"""What there is stands in its README: keys, commands, faults, fields, limits, columns, modules."""

import json
import re
import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path

import click
import pytest

from runner import cli as commands
from runner.botio.process import STDERR_HEAD_BYTES, STDERR_TAIL_BYTES
from runner.config.bots import MAX_BOT_FILE_BYTES
from runner.config.file_names import MAX_FOLDERS, MAX_NAME_CHARACTERS
from runner.config.keys import BOT, ENTRANT, LEAGUE, LIMITS, SUBMISSIONS
from runner.config.packs import MAX_PACK_BYTES, MAX_PACK_FILES
from runner.config.yaml_nodes import MAX_FILE_BYTES
from runner.execution.executor import workspace
from runner.league.run import MOST_VOIDS
from runner.league.submission import MOST_QUALIFYING_FAULTS, QUALIFYING_DEALS
from runner.protocol import messages
from runner.records import Bot, BotFiles, FaultKind, Limits
from runner.report.exports import EXPORTS, FORMATS
from runner.report.listings import SHORT_VERSION
from runner.standings.ratings import MAX_SWEEPS
from runner.standings.statistics import FEWEST_BOARDS
from runner.storage.store import FAULTS_KEPT
from runner.table.check import ALL_GAMES, check_bot
from runner.table.sitting import GOODBYE_SECONDS
from tests.documentation.markdown import (
    ROOT,
    codes,
    first_code,
    prose_of,
    section,
    table,
    tables,
    text_of,
)
from tests.documentation.transcript import transcript

BOTS, LEAGUES = "bots/README.md", "leagues/README.md"


# The league file.


def row_of(key):
    """A key's row in the README."""
    if key.required:
        default = "needed"
    elif key.default_doc:
        default = key.default_doc
    else:
        value = list(key.default) if isinstance(key.default, tuple) else key.default
        default = f"`{value if isinstance(value, str) and value else json.dumps(value)}`"
    return [f"`{key.name}`", key.kind.expected, default, key.doc]


@pytest.mark.parametrize(
    "heading, group",
    [
        ("A league", LEAGUE),
        ("An entrant", ENTRANT),
        ("Limits", LIMITS),
        ("Submissions of a league", SUBMISSIONS),
    ],
)
def test_league_file_every_key_has_its_row(heading, group):
    expected = ["| " + " | ".join(row_of(key)) + " |" for key in group.keys]
    rows = ["| " + " | ".join(cells) + " |" for cells in table(LEAGUES, heading)]
    assert rows == expected


def test_bot_file_every_key_has_its_row():
    expected = ["| " + " | ".join(row_of(key)) + " |" for key in BOT.keys]
    rows = ["| " + " | ".join(cells) + " |" for cells in table(BOTS, "Zip or folder")]
    assert rows == expected


# Commands.


def command_in(cells):
    return first_code(cells).split()[1]


def options_of(command):
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from (name for name in parameter.opts if name.startswith("-"))


@pytest.mark.parametrize("name", sorted(commands.main.commands))
def test_every_command_and_option_is_explained(name):
    rows = {command_in(cells): " ".join(cells) for cells in table("README.md", "Commands")}
    assert name in rows
    words = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", rows[name]))
    missing = set(options_of(commands.main.commands[name])) - words
    assert not missing


def test_no_command_is_explained_that_does_not_exist():
    names = [command_in(cells) for cells in table("README.md", "Commands")]
    assert sorted(names) == sorted(commands.main.commands)


def test_options_of_run_are_explained():
    rows = {first_code(cells).split()[0] for cells in table(LEAGUES, "What a run does")}
    assert rows == set(options_of(commands.main.commands["run"]))


def test_exit_codes_are_explained():
    codes_of_cli = {0, commands.FAILED, commands.USAGE, commands.BOT_AT_FAULT, commands.INTERRUPTED}
    assert {int(cells[0]) for cells in table("README.md", "Exit codes")} == codes_of_cli


def test_json_of_run_is_explained(checkout, cli):
    league = str(checkout / "leagues" / "spring.yaml")
    explained = set(codes(section(LEAGUES, "What a run does")))
    for option in ([], ["--plan"]):
        result = cli(["run-league", league, "--json", "--quiet", *option])
        assert set(json.loads(result.stdout)) <= explained


# Faults, limits, the process.


def test_every_fault_kind_is_explained():
    assert [first_code(cells) for cells in table(BOTS, "Faults")] == [
        str(kind) for kind in FaultKind
    ]


def test_every_limit_stands_in_the_bots_readme_with_its_default():
    text = prose_of(BOTS)
    told = dict(re.findall(r"\(`(\w+)`, ([\d.]+) s\)", section(BOTS, "Time")))
    for name in Limits.__dataclass_fields__:
        assert f"`{name}`" in text
    for name, default in told.items():
        assert float(default) == getattr(Limits(), name)
    assert f"`max_faults` faults of any kind (default {Limits().max_faults})" in text
    assert f"`deals_in_flight` deals (default {Limits().deals_in_flight})" in text
    assert Limits().wall_seconds == 5 * Limits().move_seconds + 1


NUMBERS = ("zero", "one", "two", "three", "four", "five", "six")


@pytest.mark.parametrize(
    "document, told",
    [
        (BOTS, f"{messages.MAX_LINE_BYTES} bytes"),
        (BOTS, f"Protocol {messages.PROTOCOL}:"),
        (BOTS, f"{GOODBYE_SECONDS:g} second "),
        (BOTS, f"{STDERR_HEAD_BYTES >> 10} KiB and last {STDERR_TAIL_BYTES >> 10} KiB"),
        (BOTS, f"larger than {MAX_BOT_FILE_BYTES >> 20} MiB"),
        (BOTS, f"{MAX_PACK_FILES} files and {MAX_PACK_BYTES >> 20} MiB"),
        (BOTS, f"{MAX_NAME_CHARACTERS} characters and {MAX_FOLDERS} folders"),
        (BOTS, f"first {NUMBERS[FAULTS_KEPT]} of a kind"),
        (BOTS, f"first {SHORT_VERSION} digits"),
        (LEAGUES, f"first {NUMBERS[FAULTS_KEPT]} of each kind"),
        (LEAGUES, f"{MAX_FILE_BYTES >> 10} KiB"),
        (LEAGUES, f"{NUMBERS[MOST_VOIDS]} times"),
        (LEAGUES, f"qualifying sitting of {QUALIFYING_DEALS} deals"),
        (LEAGUES, f"may lose {MOST_QUALIFYING_FAULTS} of them"),
        (LEAGUES, f"{MAX_SWEEPS} sweeps"),
        (LEAGUES, f"at least {FEWEST_BOARDS} boards"),
    ],
)
def test_numbers_are_those_of_the_code(document, told):
    assert told in " ".join(prose_of(document).split())


def test_environment_of_a_bot_is_as_told(tmp_path):
    source = b"import json, os, sys\nsys.stderr.write(json.dumps(dict(os.environ)))\n"
    bot = BotFiles(Bot(("python", "-S", "-s", "env.py"), (("env.py", "0"),)), {"env.py": source})
    with workspace() as folder:
        (game,) = check_bot(bot, ALL_GAMES, Limits(), folder)
    assert game.fault
    seen = json.loads(game.fault.stderr)
    told = {first_code(cells): cells[1] for cells in table(BOTS, "The process")}
    assert told.keys() == seen.keys()
    assert seen["HOME"] == seen["TMPDIR"]
    for name, value in told.items():
        if value.startswith("`"):
            assert value == f"`{seen[name]}`"


def test_house_bots_are_those_in_the_folder():
    files = {path.name for path in (ROOT / "bots").iterdir() if path.suffix in (".py", ".sh")}
    assert {first_code(cells) for cells in table(BOTS, "The house bots")} == files


# Messages.


@pytest.mark.parametrize("kind", ["hello", "shove", "play", "result"])
def test_every_field_of_a_message_is_explained(kind):
    told = [json.loads(line[2:]) for line in transcript() if line.startswith("> ")]
    message = next(each for each in told if each["type"] == kind)
    assert [first_code(cells) for cells in table(BOTS, kind)] == list(message)


def test_every_field_of_the_bots_own_lines_is_explained():
    ready = [first_code(cells) for cells in table(BOTS, "ready")]
    replies = [
        first_code(cells) for kind in ("shove", "play") for cells in table(BOTS, f"{kind} reply")
    ]
    assert ready == list(messages.Ready.__struct_fields__)
    assert set(replies) == set(messages.Reply.__struct_fields__)


def test_goodbye_has_no_other_field():
    assert json.loads(messages.goodbye()) == {"type": "goodbye"}


# Exports and the database.


@pytest.mark.parametrize("export", sorted(EXPORTS))
@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_field_of_an_export_is_explained(checkout, cli, export, form):
    league = str(checkout / "leagues" / "spring.yaml")
    result = cli(["letzter", "export", league, f"--{export}", "--format", form])
    first = result.stdout.splitlines()[0]
    fields = list(json.loads(first)) if form == "jsonl" else first.split(",")
    assert [first_code(cells) for cells in table(LEAGUES, export.capitalize())] == fields


def columns_told(number):
    """By name of the view or table, its columns; explanations stand in brackets."""
    rows = table(LEAGUES, "The database", number)
    return {first_code(cells): codes(re.sub(r"\([^)]*\)", "", cells[2])) for cells in rows}


@pytest.mark.parametrize("number, kind", [(0, "view"), (1, "table")])
def test_every_column_of_the_database_is_explained(checkout, number, kind):
    with closing(sqlite3.connect(checkout / "leagues" / "spring.db")) as db:
        names = db.execute(
            "SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE '\\_%' ESCAPE '\\'",
            [kind],
        ).fetchall()
        columns = {
            name: [row[1] for row in db.execute(f'PRAGMA table_info("{name}")')]
            for (name,) in names
        }
    assert columns_told(number) == columns


# The code.


def test_levels_are_those_of_the_import_contract():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = {each["id"]: each for each in config["tool"]["importlinter"]["contracts"]}
    told = [first_code(cells) for cells in table("runner/README.md", "Levels")]
    assert told == contracts["layers"]["layers"]
    pure = {
        first_code(cells) for cells in table("runner/README.md", "Levels") if "Pure" in cells[1]
    }
    assert pure == {name.partition(".")[2] for name in contracts["pure"]["source_modules"]}


def test_every_module_is_named():
    runner = ROOT / "runner"
    modules = {
        str(path.relative_to(runner))
        for path in runner.rglob("*.py")
        if path.name not in ("__init__.py", "__main__.py")
    }
    told = set(codes(" ".join(cells[0] for cells in table("runner/README.md", "Modules"))))
    game = {f"game/{first_code(cells)}" for cells in table("runner/game/README.md", "Modules")}
    assert told - {"game/…"} | game == modules


def test_every_part_of_the_tests_is_named():
    runner = {path.stem for path in (ROOT / "runner").iterdir()}
    parts = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in (ROOT / "tests").iterdir()
        if path.name not in runner and path.suffix in ("", ".py") and path.name[0] not in "_."
    }
    told = {first_code(cells) for cells in tables(text_of("tests/README.md"))[0]}
    assert told == {part for part in parts if not re.match(r"test_\w+\.py", part)}


def test_every_script_is_named():
    text = text_of("scripts/README.md")
    for path in (ROOT / "scripts").iterdir():
        assert path.is_dir() or path.name == "README.md" or path.name in text


def test_changelog_names_every_command_and_fault_kind():
    named = " ".join(codes(prose_of("CHANGELOG.md")))
    for name in (*commands.main.commands, *FaultKind):
        assert re.search(rf"\b{name}\b", named), name


def test_licence_is_there():
    assert Path(ROOT / "LICENSE").read_text().startswith("MIT License")
