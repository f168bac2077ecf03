"""Stored databases of older schema versions: whatever comes later, they open, migrate, play on.

`first_schema.db` was played by the program that had the first migration alone: four good bots and
a broken one, one of them changed in between, one with faults. It is never made again.
"""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from runner.config import load_league
from runner.report.exports import EXPORTS, as_jsonl
from runner.report.standing import standing_of
from runner.report.verification import verify_lines
from runner.storage.reader import Reader
from runner.storage.schema import migrations
from runner.storage.store import open_store
from tests.leagues import play, run, stored_sittings

FIRST = Path(__file__).with_name("first_schema.db")
SITTINGS = {"all": 21, "of the plan": 12}
LOGS = SITTINGS["of the plan"] * 16


@pytest.fixture
def league(tmp_path):
    """The league of the stored database, as a league file and bots beside a copy of it."""
    copied = tmp_path / "league.db"
    shutil.copy(FIRST, copied)
    copied.chmod(0o644)
    keys = {"name": "First", "players": 3, "seed": "first schema", "execution": "serial"}
    keys |= {"deals": 16, "deals_per_sitting": 16, "entrants": []}
    with closing(sqlite3.connect(copied)) as db:
        for name, file, content in db.execute(
            "SELECT entrants.name, bot_files.name, content FROM entrants "
            "JOIN bot_files USING (version) JOIN files USING (hash) WHERE state != 'replaced' "
            "ORDER BY entrants.name"
        ):
            (tmp_path / file).write_bytes(content)
            keys["entrants"].append({"name": name, "bot": file})  # type: ignore[attr-defined]
    path = tmp_path / "league.yaml"
    path.write_text(json.dumps(keys))
    return path


def migrate(path):
    with open_store(path.with_suffix(".db")):
        pass


def stored_logs(path):
    """Every deal log as it is stored, whatever the schema makes of it."""
    with open_store(path.with_suffix(".db")) as store:
        return list(Reader(store.db).deal_logs(current_only=False))


def test_first_schema_is_that_of_the_first_migration_alone():
    assert FIRST.stat().st_size < 200_000
    with closing(sqlite3.connect(f"{FIRST.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        assert db.execute("SELECT name FROM _sqlite_migrations").fetchall() == [("m001_first",)]
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_first_schema_is_migrated_by_opening_it_for_a_run(league):
    with open_store(league.with_suffix(".db")) as store:
        assert migrations.pending(store.db) == []
        assert store.db.execute("PRAGMA foreign_key_check").fetchall() == []
        reader = Reader(store.db)
        assert len(reader.sitting_keys()) == SITTINGS["all"]
        assert len(reader.sitting_keys(current_only=True)) == SITTINGS["of the plan"]
        exported = {name: list(as_jsonl(rows(reader))) for name, rows in EXPORTS.items()}
        standing = standing_of(reader)
    assert not standing.provisional
    assert len(exported["deals"]) == LOGS
    assert [
        found for found in verify_lines(map(str.encode, exported["deals"])) if found is not None
    ] == []
    assert {json.loads(row)["kind"] for row in exported["faults"]} == {"illegal", "exit"}
    states = {json.loads(row)["entrant"] for row in exported["ratings"]}
    assert states == {"broken", "counting", "faulty", "low", "random"}


def test_first_schema_is_listed_by_every_command_once_it_is_migrated(league):
    migrate(league)
    for name in ("ratings", "crosstable", "faults"):
        shown = run("letzter", name, league)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert "faulty" in shown.stdout


def test_first_schema_is_played_on_and_keeps_what_it_holds(league):
    before = stored_logs(league)
    text = league.read_text()
    league.write_text(text.replace('"deals": 16', '"deals": 20'))
    assert load_league(str(league)).deals == 20
    outcome = play(league)
    assert outcome.standing.boards == 4 * 20
    assert not outcome.standing.provisional
    after = {
        (log.sitting, log.deal): (log.hands, log.shoves, log.plays) for log in stored_logs(league)
    }
    assert all(after[log.sitting, log.deal] == (log.hands, log.shoves, log.plays) for log in before)
    assert stored_sittings(league) > SITTINGS["all"]
