import sqlite3
from contextlib import closing

import pytest

from runner.errors import StoreError
from runner.records import NO_EXCEPTION, Isolation
from runner.report.standing import standing_of
from runner.storage.reader import open_reader
from runner.storage.schema import APPLICATION_ID, migrations
from runner.storage.store import open_store
from tests.leagues import rows


@pytest.fixture
def db(finished):
    with closing(sqlite3.connect(finished.with_suffix(".db"))) as db:
        db.row_factory = sqlite3.Row
        yield db


def found(db, sql, *parameters):
    return [dict(row) for row in db.execute(sql, parameters)]


def test_database_of_a_played_league_is_sound(db):
    assert [tuple(row) for row in db.execute("PRAGMA integrity_check")] == [("ok",)]
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID


def test_every_column_that_names_another_row_is_a_foreign_key(db):
    names = [
        row["name"] for row in found(db, "SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    for table in names:
        keys = {row["from"] for row in found(db, f"PRAGMA foreign_key_list({table})")}
        columns = {row["name"] for row in found(db, f"PRAGMA table_info({table})")}
        named = {column for column in columns if column.endswith("_id")}
        assert named <= keys, table
    of_bots = {row["from"] for row in found(db, "PRAGMA foreign_key_list(bot_files)")}
    assert of_bots == {"version", "hash"}


def test_every_view_can_be_read_and_shows_names_and_no_ids(db):
    views = [row["name"] for row in found(db, "SELECT name FROM sqlite_master WHERE type = 'view'")]
    assert {"ratings", "boards", "deal_logs", "faults"} <= set(views)
    for view in views:
        row = found(db, f"SELECT * FROM {view} LIMIT 1")[0]
        assert not [name for name in row if name.endswith("_id") or name == "id"], view
        assert any(name in row for name in ("entrant", "forehand")), view


def test_ratings_view_agrees_with_the_export(db, finished):
    exported = rows(finished, "ratings")
    seen = found(db, "SELECT * FROM ratings ORDER BY rank")
    assert [row["entrant"] for row in seen] == [row["entrant"] for row in exported]
    for row, other in zip(seen, exported, strict=True):
        assert row["version"] == other["version"][:8]
        shared = row.keys() & other.keys() - {"version"}
        assert {"rank", "mu", "sigma", "boards", "deals", "penalties_per_deal"} <= shared
        assert {name: row[name] for name in shared} == {name: other[name] for name in shared}


def test_boards_view_agrees_with_the_export(db, finished):
    exported = [
        (row["table"][:8], row["deal"], row["entrant"], row["version"][:8], row["penalties"])
        for row in rows(finished, "boards")
    ]
    seen = [
        tuple(row.values())
        for row in found(
            db,
            'SELECT "table", deal, entrant, version, penalties FROM boards WHERE rotations = 3',
        )
    ]
    assert sorted(seen) == sorted(exported)


def test_deal_logs_view_agrees_with_the_export(db, finished):
    seats = ("forehand", "rearhand", "dealer")
    seen = {row["name"]: row for row in found(db, "SELECT * FROM deal_logs")}
    exported = rows(finished, "deals")
    assert len(seen) == len(exported)
    for log in exported:
        row = seen[f"{log['table'][:8]}-{log['deal']}-{log['rotation']}"]
        assert [row[seat] for seat in seats] == log["entrants"]
        assert row["middlehand"] is None
        assert row["plays"] == "".join(log["plays"])
        assert row["shoves"] == "".join(card for shove in log["shoves"] for card in shove)
        assert row["hands"] == " ".join("".join(hand) for hand in log["hands"])
        assert row["penalties"] == "".join(map(str, log["penalties"]))
        fault = log["fault"] or {"kind": None, "entrant": None}
        assert (row["fault"], row["fault_entrant"]) == (fault["kind"], fault["entrant"])
    assert any(log["fault"] for log in exported)


def test_faults_view_agrees_with_the_export(db, finished):
    exported = [
        (row["entrant"], row["kind"], row["detail"], row["request"])
        for row in rows(finished, "faults")
    ]
    seen = found(db, "SELECT entrant, kind, detail, request FROM faults")
    assert sorted(tuple(row.values()) for row in seen) == sorted(exported)


def test_database_holds_the_bots_that_played_by_content(db, finished):
    files = found(db, "SELECT name, content FROM bot_files JOIN files USING (hash)")
    assert len(files) == 3
    for row in files:
        assert (finished.parent / row["name"]).read_bytes() == row["content"]


def test_migrations_are_applied_once(tmp_path):
    path = tmp_path / "league.db"
    for _ in range(2):
        with open_store(path) as store:
            assert not migrations.pending(store.db)
            applied = [migration.name for migration in migrations.applied(store.db)]
            assert applied == [migration.name for migration in migrations._migrations]


def test_league_of_an_older_schema_is_brought_up_to_date(finished, tmp_path):
    path = tmp_path / "league.db"
    path.write_bytes(finished.with_suffix(".db").read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM _sqlite_migrations WHERE name = 'm002_isolation'")
        db.execute("ALTER TABLE sittings DROP COLUMN isolation")
        db.execute("ALTER TABLE entrants DROP COLUMN memory_mb")
        db.execute("ALTER TABLE entrants DROP COLUMN threads")

    with open_store(path) as store:
        assert not migrations.pending(store.db)
    with open_reader(path) as reader, open_reader(finished.with_suffix(".db")) as before:
        assert set(reader.isolations()) == {Isolation.OFF}
        assert {entrant.allowance for entrant in reader.entrants()} == {NO_EXCEPTION}
        assert list(reader.deal_logs()) == list(before.deal_logs())


def test_database_of_an_older_program_is_named_as_such_by_a_reader(tmp_path):
    path = tmp_path / "league.db"
    with open_store(path) as store:
        store.db.execute("DELETE FROM _sqlite_migrations")
    with pytest.raises(StoreError, match="older version of this program"), open_reader(path):
        pass


def test_database_without_a_league_is_named_as_such_by_a_reader(tmp_path):
    path = tmp_path / "league.db"
    with open_store(path):
        pass
    with (
        pytest.raises(StoreError, match="holds no league yet"),
        open_reader(path) as reader,
    ):
        standing_of(reader)


@pytest.mark.parametrize(
    "sql, said",
    [
        ("INSERT INTO _sqlite_migrations (migration_set, name, applied_at) "
         "VALUES ('letzter', 'm999_future', '2099-01-01')", "a newer version of this program"),
        ("PRAGMA application_id = 7", "an SQLite database, but not a league's"),
    ],
)  # fmt: skip
def test_database_that_is_not_for_this_program_is_refused_and_left_alone(tmp_path, sql, said):
    path = tmp_path / "league.db"
    with open_store(path):
        pass
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=said), open_store(path):
        pass
    with pytest.raises(StoreError, match=said), open_reader(path):
        pass
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"no database at all" * 99, b"\0" * 4096, b"S" * 600])
def test_file_that_is_no_database_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "league.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"league\.db: file is not a database"), open_store(path):
        pass
    assert path.read_bytes() == content


def test_folder_in_place_of_a_database_is_refused(tmp_path):
    path = tmp_path / "league.db"
    path.mkdir()
    with pytest.raises(StoreError, match="Is a directory"), open_store(path):
        pass
    with pytest.raises(StoreError, match="there is no such database"), open_reader(path):
        pass


def test_database_damaged_in_the_middle_is_an_error_of_the_store(resumable):
    path = resumable.with_suffix(".db")
    content = bytearray(path.read_bytes())
    content[4096:-4096] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"league\.db: "), open_reader(path) as reader:
        standing_of(reader)
    with pytest.raises(StoreError, match=r"league\.db: "), open_store(path) as store:
        store.db.execute("SELECT * FROM raw_deal_logs").fetchall()
