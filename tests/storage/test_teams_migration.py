"""A database from before there were teams is brought up to date and reads the same."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from runner.errors import StoreError
from runner.report.exports import EXPORTS
from runner.storage.reader import open_reader
from runner.storage.store import open_store
from tests.leagues import exports, play


@pytest.fixture
def older(finished, tmp_path):
    """The finished league, its database as it was before teams."""
    path = shutil.copytree(finished.parent, tmp_path / "older") / finished.name
    with closing(sqlite3.connect(path.with_suffix(".db"))) as db, db:
        db.execute("ALTER TABLE entrants DROP COLUMN team")
        db.execute("ALTER TABLE league DROP COLUMN same_team_tables")
        db.execute("DELETE FROM _sqlite_migrations WHERE name = 'm010_teams'")
    return path


def test_older_database_is_brought_up_to_date_and_reads_the_same(older, finished):
    with pytest.raises(StoreError, match="older version"), open_reader(older.with_suffix(".db")):
        pass
    with open_store(older.with_suffix(".db")):
        pass
    assert exports(older) == exports(finished)
    assert len(exports(older)) == len(EXPORTS)
    with open_reader(older.with_suffix(".db")) as reader:
        assert reader.conditions().same_team_tables
        assert {entrant.team for entrant in reader.entrants()} == {""}


def test_older_database_goes_on_where_it_was(older):
    assert play(older).played == 0
