"""A league's database as an audit reads it: row by row, and trusted in nothing.

The logs come table by table and run by run, so that no more than one run is in memory.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from sqlite_utils import Database

from runner.records import Bot, BotFiles

Log = tuple[int, str, str, str, str, str, str | None, int | None]
"""Deal, seats, hands, shoves, plays, penalties, fault, fault seat; as stored."""


@dataclass(frozen=True, slots=True)
class StoredFaultRow:
    """What the database keeps of one fault, as far as it can be held against the logs."""

    place: int
    kind: str
    number: int
    deal: int
    seat: int


@dataclass(frozen=True, slots=True)
class StoredSitting:
    """One sitting with its logs by deal, its fault counts and its kept faults."""

    id: int
    key: str
    rotation: int
    first_deal: int
    last_deal: int
    current: bool
    logs: tuple[Log, ...]
    fault_counts: dict[tuple[int, str], int]
    faults: tuple[StoredFaultRow, ...]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run of a table: all its sittings, also those of older plans."""

    table_id: int
    table: str
    run: int
    sittings: tuple[StoredSitting, ...]


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table and who sits there.

    Attributes:
        id: its key in the database.
        key: its table key.
        places: places that are taken, in order.
        entrants: name and version of who has them.
    """

    id: int
    key: str
    places: tuple[int, ...] = ()
    entrants: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class StoredBot:
    """A bot version and the contents of its files; `command` as stored."""

    version: str
    command: str
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    def bot(self) -> Bot:
        """The program that the rows describe.

        Raises:
            ValueError: the command is no list of words.
        """
        command = json.loads(self.command)
        if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
            raise ValueError("the command is no list of words")
        return Bot(
            tuple(command), tuple(sorted((name, each[0]) for name, each in self.files.items()))
        )

    def program(self) -> BotFiles:
        """The bot, ready to be laid out."""
        return BotFiles(self.bot(), {name: each[1] for name, each in self.files.items()})


def damage(db: Database) -> Iterator[str]:
    """What SQLite itself finds wrong: damaged pages, broken constraints, dangling keys."""
    for (line,) in db.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield str(line)
    for table, row, parent, _ in db.execute("PRAGMA foreign_key_check"):
        where = f"{table}, row {row}" if row is not None else table
        yield f"{where}: refers to a row of {parent} that is not there"


def tables(db: Database) -> Iterator[StoredTable]:
    """All tables, by key."""
    rows = db.execute(
        "SELECT tables.id, tables.key, place, name, version FROM tables "
        "LEFT JOIN table_entrants ON table_id = tables.id "
        "LEFT JOIN entrants ON entrants.id = entrant_id ORDER BY tables.key, place"
    )
    for (number, key), members in groupby(rows, itemgetter(0, 1)):
        seated = [row[2:] for row in members if row[2] is not None]
        yield StoredTable(
            number,
            key,
            tuple(place for place, _, _ in seated),
            tuple((name, version) for _, name, version in seated),
        )


def bots(db: Database) -> list[StoredBot]:
    """All bot versions with their files."""
    found = {
        version: StoredBot(version, command)
        for version, command in db.execute("SELECT version, command FROM bots ORDER BY version")
    }
    for version, name, content_hash, content in db.execute(
        "SELECT version, name, bot_files.hash, content FROM bot_files "
        "LEFT JOIN files ON files.hash = bot_files.hash ORDER BY version, name"
    ):
        if version in found:
            found[version].files[name] = content_hash, content or b""
    return list(found.values())


def runs(db: Database, of_tables: Collection[int] | None = None) -> Iterator[StoredRun]:
    """Every run with its sittings and logs, by table and run; of some tables only, by id."""
    connection: sqlite3.Connection = db.conn
    rows = connection.execute(
        "SELECT table_id, tables.key, run, sittings.id, sittings.key, rotation, first_deal, "
        "last_deal, current FROM sittings JOIN tables ON tables.id = table_id "
        "ORDER BY tables.key, run, rotation, sittings.key"
    )
    for (table_id, table, run), group in groupby(rows, itemgetter(0, 1, 2)):
        if of_tables is not None and table_id not in of_tables:
            continue
        yield StoredRun(
            table_id, table, run, tuple(_sitting(connection, *row[3:]) for row in group)
        )


def _sitting(
    db: sqlite3.Connection,
    number: int,
    key: str,
    rotation: int,
    first: int,
    last: int,
    current: int,
) -> StoredSitting:
    logs = db.execute(
        "SELECT deal, seats, hands, shoves, plays, penalties, fault, fault_seat "
        "FROM raw_deal_logs WHERE sitting_id = ? ORDER BY deal",
        (number,),
    ).fetchall()
    counts = db.execute(
        "SELECT place, kind, count FROM fault_counts WHERE sitting_id = ?", (number,)
    )
    kept = db.execute(
        "SELECT place, kind, number, deal, seat FROM raw_faults WHERE sitting_id = ? "
        "ORDER BY place, kind, number",
        (number,),
    )
    return StoredSitting(
        id=number,
        key=key,
        rotation=rotation,
        first_deal=first,
        last_deal=last,
        current=bool(current),
        logs=tuple(logs),
        fault_counts={(place, kind): count for place, kind, count in counts},
        faults=tuple(StoredFaultRow(*row) for row in kept),
    )
