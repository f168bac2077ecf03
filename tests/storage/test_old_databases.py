"""Databases of older versions are brought up to date, and read the same."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from runner.errors import StoreError
from runner.storage.reader import Reader, open_reader
from runner.storage.store import open_store
from tests.leagues import exports, run

OLD = Path(__file__).parent / "m001.db"
"""Made by the version before submissions: 3 house bots, 4 deals, seed `old`."""


@pytest.fixture
def database(tmp_path):
    return Path(shutil.copy(OLD, tmp_path / "old.db"))


def test_old_database_is_not_read_before_it_is_brought_up_to_date(database):
    with (
        pytest.raises(StoreError, match="run-league brings it up to date"),
        open_reader(database) as reader,
    ):
        reader.conditions()


def test_old_database_reads_the_same_afterwards(database):
    with closing(sqlite3.connect(OLD)) as db:
        ratings = db.execute("SELECT * FROM ratings").fetchall()
        logs = db.execute("SELECT * FROM deal_logs ORDER BY name").fetchall()
    with open_store(database):
        pass
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("SELECT * FROM ratings").fetchall() == ratings
        assert db.execute("SELECT * FROM deal_logs ORDER BY name").fetchall() == logs
    found = exports(database)
    assert len(found["deals"].splitlines()) == 12
    rows = [json.loads(line) for line in found["ratings"].splitlines()]
    assert [row["submitted"] for row in rows] == [0, 0, 0]


def test_old_database_takes_a_submission(database):
    with open_store(database) as store:
        reader = Reader(store.db)
        assert set(reader.entered_at().values()) == {""}
        assert reader.commitment() is None
        low = next(each for each in reader.entrants() if each.name == "low")
        files = reader.bot_files(low.version)
        assert files.bot.version == low.version
    listed = run("letzter", "entrants", database)
    assert listed.returncode == 0, listed.stderr
    assert "the house" in listed.stdout
