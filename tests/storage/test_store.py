import json
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import pytest

from runner.config import load_league
from runner.errors import StoreError
from runner.report.exports import fault_rows
from runner.storage.reader import Reader, open_reader
from runner.storage.store import FAULTS_KEPT, Store, open_store
from tests.leagues import ROOT, edit, environment, exports, write_league
from tests.storage.synthetic import conditions_of, faulty_result, keep, opened, result_of

SQL_TABLES_OF_SITTINGS = (
    "tables",
    "table_entrants",
    "sittings",
    "raw_deal_logs",
    "sitting_times",
    "entrant_times",
    "fault_counts",
    "raw_faults",
)


@pytest.fixture
def path(tmp_path):
    """A league of one table, nothing played."""
    return write_league(tmp_path, ["low.py", "high.py", "random.py"])


@pytest.fixture
def store(path):
    with open_store(path.with_suffix(".db")) as store:
        yield store


def counted(db):
    """How many rows there are in every SQL table that a sitting adds to."""
    return {
        name: db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
        for name in SQL_TABLES_OF_SITTINGS
    }


def dumped(database):
    """All that a database holds, as text."""
    with closing(sqlite3.connect(database)) as db:
        return list(db.iterdump())


def test_store_that_is_new_keeps_foreign_keys_and_syncs_every_transaction(store):
    pragma = lambda name: store.db.execute(f"PRAGMA {name}").fetchone()[0]  # noqa: E731
    assert pragma("foreign_keys") == 1
    assert pragma("journal_mode") == "wal"
    assert pragma("synchronous") == 2
    with pytest.raises(sqlite3.IntegrityError):
        store.db.execute("INSERT INTO table_entrants VALUES (99, 0, 99)")


def test_store_closed_is_one_file_without_write_ahead_log(path):
    with open_store(path.with_suffix(".db")) as store:
        opened(store, path)
    assert [file.name for file in path.parent.glob("*.db*")] == ["league.db"]
    assert path.with_suffix(".db").read_bytes()[18:20] == b"\x01\x01"


def test_store_closed_by_an_error_is_one_file_too(path):
    with pytest.raises(KeyboardInterrupt), open_store(path.with_suffix(".db")):
        raise KeyboardInterrupt
    assert path.with_suffix(".db").read_bytes()[18:20] == b"\x01\x01"


def test_store_sitting_raising_in_the_middle_leaves_nothing_of_it(path, store, monkeypatch):
    (planned, sitting), *_ = opened(store, path)
    before = counted(store.db)
    for step in ("_insert_faults", "_insert_times", "_insert_logs"):

        def fail(*arguments):
            raise RuntimeError("in the middle")

        with monkeypatch.context() as patched:
            patched.setattr(Store, step, fail)
            with pytest.raises(RuntimeError, match="in the middle"):
                store.store_sitting(planned, sitting, result_of(sitting))
        assert counted(store.db) == before
    assert store.store_sitting(planned, sitting, result_of(sitting))


def test_store_sitting_killed_in_the_middle_leaves_nothing_of_it(path):
    code = (
        "import os, sys; from pathlib import Path\n"
        "from runner.storage.store import Store, open_store\n"
        "from tests.storage.synthetic import keep, opened\n"
        "path = Path(sys.argv[1])\n"
        "with open_store(path.with_suffix('.db')) as store:\n"
        "    first, second, *_ = opened(store, path)\n"
        "    keep(store, first)\n"
        "    Store._insert_faults = lambda *_: os._exit(9)\n"
        "    keep(store, second)\n"
    )
    command = [sys.executable, "-P", "-c", code, str(path)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), check=False)
    assert done.returncode == 9
    with open_store(path.with_suffix(".db")) as store:
        first, second, *_ = opened(store, path)
        assert Reader(store.db).sitting_keys() == {first[0].id}
        assert counted(store.db)["raw_deal_logs"] == len(first[1].deals)
        assert keep(store, second)


def test_store_sitting_that_the_disk_has_no_room_for_says_so_and_leaves_nothing(path, store):
    (planned, sitting), *_ = opened(store, path)
    before = counted(store.db)
    (pages,) = store.db.execute("PRAGMA page_count").fetchone()
    store.db.execute(f"PRAGMA max_page_count = {pages}")
    result = result_of(sitting)
    huge = tuple(replace(log, plays="x" * 100_000) for log in result.logs)
    with pytest.raises(StoreError, match="full"):
        store.store_sitting(planned, sitting, replace(result, logs=huge))
    assert counted(store.db) == before


def test_store_sitting_twice_keeps_the_first_result(path, store):
    (planned, sitting), *_ = opened(store, path)
    assert store.store_sitting(planned, sitting, result_of(sitting, seed=1))
    first = list(Reader(store.db).deal_logs())
    assert not store.store_sitting(planned, sitting, result_of(sitting, seed=2))
    assert list(Reader(store.db).deal_logs()) == first
    assert counted(store.db)["raw_deal_logs"] == len(sitting.deals)


def test_store_of_deal_logs_takes_at_most_300_bytes_each_in_the_file(tmp_path):
    # Nine bots, 126 tables of four: 5,040 deal logs in short sittings, where each costs most.
    names = [f"bot{number}" for number in range(9)]
    path = write_league(
        tmp_path,
        [(name, f"# {name}\n" * 100) for name in names],
        players=4,
        deals=10,
        deals_per_sitting=12,
    )
    with open_store(path.with_suffix(".db")) as store:
        for planned, sitting in opened(store, path):
            store.store_sitting(planned, sitting, result_of(sitting))
        logs = counted(store.db)["raw_deal_logs"]
    assert logs == 126 * 10 * 4
    assert path.with_suffix(".db").stat().st_size / logs <= 300
    with closing(sqlite3.connect(path.with_suffix(".db"))) as db:
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    whole = exports(path)
    assert whole["deals"].count("\n") == logs
    assert whole["boards"].count("\n") == 126 * 10 * 4


def test_store_keeps_the_first_five_faults_of_a_kind_whatever_order_sittings_come_in(tmp_path):
    entrants = ["low.py", "high.py", "random.py", "sensible.py"]
    kept = set()
    for order in range(6):
        path = write_league(tmp_path / str(order), entrants, deals=4, deals_per_sitting=2)
        with open_store(path.with_suffix(".db")) as store:
            draw = random.Random("faults")
            results = [
                (planned, sitting, faulty_result(sitting, draw))
                for planned, sitting in opened(store, path)
            ]
            if order:
                random.Random(order).shuffle(results)
            for planned, sitting, result in results:
                store.store_sitting(planned, sitting, result)
            reader = Reader(store.db)
            rows = list(fault_rows(reader))
            counts = reader.fault_counts()
        kept.add(json.dumps(rows))
        for row in rows:
            assert row["number"] <= FAULTS_KEPT
        assert len(rows) == sum(min(count, FAULTS_KEPT) for count in counts.values())
        total = sum(
            count for _, _, r in results for each in r.fault_counts for count in each.values()
        )
        assert sum(counts.values()) == total
        first = min(
            (planned.table.key, planned.run, planned.rotation, fault.detail)
            for planned, _, result in results
            for fault in result.faults
            if planned.table.entrants[fault.place].name == "low" and fault.kind == "illegal"
        )
        assert first[3] in [row["detail"] for row in rows if row["number"] == 1]
    assert len(kept) == 1


def test_store_of_another_league_is_refused_and_not_changed(path):
    with open_store(path.with_suffix(".db")) as store:
        opened(store, path)
    before = dumped(path.with_suffix(".db"))
    for changes, said in (
        ({"name": "Other"}, "its name is 'Test', this league's is 'Other'"),
        ({"name": "Test", "play": "clockwise"}, "its play is 'anticlockwise'"),
        ({"play": None, "seed": "other"}, "its secret hash is"),
    ):
        edit(path, **changes)
        league = load_league(str(path))
        with open_store(path.with_suffix(".db")) as store:
            with pytest.raises(StoreError, match="the database is of another league") as caught:
                store.set_conditions(conditions_of(league), "test")
            assert said in str(caught.value)
        assert dumped(path.with_suffix(".db")) == before


def test_store_of_a_revealed_league_takes_no_other_conditions(path, store):
    opened(store, path)
    store.reveal(bytes(32))
    edit(path, deals=400)
    with pytest.raises(StoreError, match="the league is closed"):
        store.set_conditions(conditions_of(load_league(str(path))), "test")
    assert Reader(store.db).conditions().deals == 4


def test_store_open_already_is_refused_and_free_again_afterwards(path):
    database = path.with_suffix(".db")
    with (
        open_store(database),
        pytest.raises(StoreError, match="another run-league is playing this league"),
        open_store(database),
    ):
        pass
    with open_store(database):
        pass


def test_reader_sees_what_is_stored_while_a_run_goes_on(path, store):
    first, second, *_ = opened(store, path)
    keep(store, first)
    with open_reader(path.with_suffix(".db")) as reader:
        assert reader.sitting_keys() == {first[0].id}
        keep(store, second)
        # What one reader shows is of one moment.
        assert reader.sitting_keys() == {first[0].id}
        assert len(list(reader.deal_logs())) == len(first[1].deals)
    with open_reader(path.with_suffix(".db")) as reader:
        assert reader.sitting_keys() == {first[0].id, second[0].id}
