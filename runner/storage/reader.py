"""Reading a league's database: everything that ratings, listings and exports are made from.

All order is canonical (by table key, deal, rotation, place), never by when things were stored.
"""

import contextlib
import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from runner.errors import StoreError, UsageError
from runner.game.rules import Play, Rules
from runner.records import NO_EXCEPTION, Allowance, Bot, BotFiles, Isolation, Limits
from runner.storage.schema import migrations
from runner.storage.store import (
    FAULTS_KEPT,
    Conditions,
    RatingBasis,
    RatingRow,
    check_is_league,
    is_blank,
    said_plainly,
)

_LOG_NAME = re.compile(r"([0-9a-f]{8,64})-([0-9]{1,9})-([0-9])")

_LOGS = """
SELECT tables.id, tables.key, raw_deal_logs.deal, rotation, seats, hands, shoves, plays, penalties,
       fault, fault_seat, sittings.key, current
FROM tables
JOIN sittings ON sittings.table_id = tables.id
JOIN raw_deal_logs ON raw_deal_logs.sitting_id = sittings.id
WHERE {where}
ORDER BY tables.key, raw_deal_logs.deal, rotation, sittings.key
"""


_LAST_PLAYED = """
NOT EXISTS (
    SELECT 1 FROM sittings AS other
    WHERE other.table_id = sittings.table_id AND other.rotation = sittings.rotation
      AND raw_deal_logs.deal BETWEEN other.first_deal AND other.last_deal
      AND (other.current, other.id) > (sittings.current, sittings.id))
"""


@dataclass(frozen=True, slots=True)
class StoredEntrant:
    """An entrant as the database knows it.

    Attributes:
        id: its key in the database, of no meaning elsewhere.
        name: its name in the league.
        version: its bot's version.
        author: who wrote it, as the league file says.
        state: `unchecked`, `entered`, `refused` or `replaced`.
        reason: why it was refused.
        bot: its command and files.
        team: its team, or empty where that is left to the author.
        allowance: what it may use other than the limits say.
    """

    id: int
    name: str
    version: str
    author: str
    state: str
    reason: str
    bot: Bot
    team: str = ""
    allowance: Allowance = NO_EXCEPTION


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission of a bot, in the order in which they came."""

    name: str
    version: str
    author: str
    submitted_at: str
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class Commitment:
    """What the host bound himself to before a beacon.

    Attributes:
        committed_at: when.
        secret_hash: SHA-256 of the secret, without the beacon.
        beacon: the beacon, once the league has been played with one.
    """

    committed_at: str
    secret_hash: str
    beacon: str | None


@dataclass(frozen=True, slots=True)
class StoredDealLog:
    """One deal log with all that belongs to it.

    Attributes:
        table: the table's key.
        deal: its number at the table.
        rotation: 0 to k - 1.
        entrants: ids of the table's entrants, in base order.
        seats: for each seat, the place of the entrant who sat there.
        hands: the cards dealt, by seat, as compact text.
        shoves: the cards shoved, in order, as compact text.
        plays: the cards played, in order, as compact text.
        penalties: by seat.
        fault: the kind of fault that ended it, or None.
        fault_seat: the seat of the offender, or None.
        sitting: the id of the sitting that it belongs to.
        current: whether the plan still uses it.
    """

    table: str
    deal: int
    rotation: int
    entrants: tuple[int, ...]
    seats: tuple[int, ...]
    hands: tuple[str, ...]
    shoves: str
    plays: str
    penalties: tuple[int, ...]
    fault: str | None
    fault_seat: int | None
    sitting: str
    current: bool

    @property
    def name(self) -> str:
        """What the deal log is called: `<first 8 of table key>-<deal>-<rotation>`."""
        return f"{self.table[:8]}-{self.deal}-{self.rotation}"


@dataclass(frozen=True, slots=True)
class StoredFault:
    """One kept fault, with the offender's id and the log that it ended."""

    entrant: int
    kind: str
    number: int
    table: str
    deal: int
    rotation: int
    seat: int
    detail: str
    request: str
    reply: str
    exit_status: int | None
    stderr: str
    elapsed_seconds: float | None
    limit_seconds: float | None


@dataclass(frozen=True, slots=True)
class EntrantTotals:
    """What an entrant's bots used and did wrong in all sittings of the plan."""

    decisions: int = 0
    decision_cpu_seconds: float = 0.0
    slowest_cpu_seconds: float = 0.0


class Reader:
    """A league's database, open for reading. Use `open_reader`, or wrap an open connection."""

    def __init__(self, db: Database) -> None:
        """Wrap an open database."""
        self._db = db

    @property
    def db(self) -> Database:
        """The connection."""
        return self._db

    def conditions(self) -> Conditions:
        """What the league is and plays.

        Raises:
            StoreError: no run has written it down yet.
        """
        row = next(self._db.query("SELECT * FROM league"), None)
        if row is None:
            raise StoreError("the database holds no league yet: play it with run-league first")
        return Conditions(
            name=row["name"],
            players=row["players"],
            play=row["play"],
            secret_hash=row["secret_hash"],
            seed=row["seed"],
            format=row["format"],
            deals=row["deals"],
            deals_per_sitting=row["deals_per_sitting"],
            limits=Limits(**json.loads(row["limits"])),
            same_team_tables=bool(row["same_team_tables"]),
        )

    def rules(self) -> Rules:
        """The game that is played."""
        conditions = self.conditions()
        return Rules(conditions.players, Play(conditions.play))

    def revealed_secret(self) -> bytes | None:
        """The league's secret, once it is revealed."""
        row = self._db.execute("SELECT secret FROM league").fetchone()
        return bytes.fromhex(row[0]) if row and row[0] else None

    def entrants(self, *, all_versions: bool = False) -> list[StoredEntrant]:
        """The entrants by name; without `all_versions` only those that take part at present."""
        files: dict[str, list[tuple[str, str]]] = {}
        for version, name, content_hash in self._db.execute(
            "SELECT version, name, hash FROM bot_files ORDER BY version, name"
        ):
            files.setdefault(version, []).append((name, content_hash))
        return [
            StoredEntrant(
                row["id"],
                row["name"],
                row["version"],
                row["author"],
                row["state"],
                row["reason"],
                Bot(tuple(json.loads(row["command"])), tuple(files.get(row["version"], ()))),
                team=row["team"],
                allowance=Allowance(row["memory_mb"], row["threads"]),
            )
            for row in self._db.query(
                "SELECT entrants.*, command FROM entrants JOIN bots USING (version) "
                "WHERE state != 'replaced' OR ? ORDER BY name, entrants.version",
                [all_versions],
            )
        ]

    def submissions(self) -> list[Submission]:
        """All submissions, withdrawn ones too, the oldest first."""
        return [
            Submission(name, version, author, submitted_at, withdrawn_at is not None)
            for name, version, author, submitted_at, withdrawn_at in self._db.execute(
                "SELECT name, version, author, submitted_at, withdrawn_at FROM submissions "
                "ORDER BY submitted_at, id"
            )
        ]

    def commitment(self) -> Commitment | None:
        """The host's commitment, if there is one."""
        row = self._db.execute(
            "SELECT committed_at, secret_hash, beacon FROM commitment"
        ).fetchone()
        return Commitment(*row) if row else None

    def committed_versions(self) -> set[tuple[str, str]]:
        """Name and version of the entrants that the commitment covers."""
        return set(self._db.execute("SELECT name, version FROM committed_versions"))

    def entered_at(self) -> dict[tuple[str, str], str]:
        """By name and version, when it first came; empty if that was not written down."""
        return {
            (name, version): entered_at
            for name, version, entered_at in self._db.execute(
                "SELECT name, version, entered_at FROM entrants"
            )
        }

    def bot_files(self, version: str) -> BotFiles:
        """A bot with its files.

        Raises:
            StoreError: it is not stored.
        """
        row = self._db.execute("SELECT command FROM bots WHERE version = ?", [version]).fetchone()
        if row is None:
            raise StoreError(f"no bot of version {version[:8]} is stored")
        contents = {}
        hashes = []
        for name, content_hash, content in self._db.execute(
            "SELECT name, hash, content FROM bot_files JOIN files USING (hash) "
            "WHERE version = ? ORDER BY name",
            [version],
        ):
            hashes.append((name, content_hash))
            contents[name] = bytes(content)
        return BotFiles(Bot(tuple(json.loads(row[0])), tuple(hashes)), contents)

    def sitting_keys(self, *, current_only: bool = False) -> set[str]:
        """The ids of all stored sittings."""
        sql = "SELECT key FROM sittings WHERE current OR ?"
        return {key for (key,) in self._db.execute(sql, [not current_only])}

    def deal_logs(self, *, current_only: bool = True) -> Iterator[StoredDealLog]:
        """Deal logs by table, deal and rotation."""
        yield from self._logs("sittings.current OR ?", [not current_only])

    def deal_logs_of_all_versions(self) -> Iterator[StoredDealLog]:
        """One log for each table, deal and rotation ever played: the plan's, else the last one."""
        yield from self._logs(_LAST_PLAYED, [])

    def deal_log(self, name: str) -> StoredDealLog:
        """The deal log of a name; of several by that name the one that the plan uses.

        Raises:
            UsageError: there is none.
        """
        parts = _LOG_NAME.fullmatch(name)
        if parts is None:
            raise UsageError(
                f"{name!r} is not a deal log's name: expected <table>-<deal>-<rotation>, "
                "as in 'letzter export FILE --deals'"
            )
        table, deal, rotation = parts[1], int(parts[2]), int(parts[3])
        found = list(
            self._logs(
                "tables.key >= ? AND tables.key < ? AND raw_deal_logs.deal = ? AND rotation = ?",
                [table, table + "g", deal, rotation],
            )
        )
        if not found:
            raise UsageError(f"no deal log {name} is stored")
        return max(found, key=lambda log: log.current)

    def fault_counts(self, *, all_versions: bool = False) -> dict[tuple[int, str], int]:
        """Faults by entrant id and kind, in the sittings of the plan, or in all there are."""
        return {
            (entrant, kind): count
            for entrant, kind, count in self._db.execute(
                "SELECT entrant_id, kind, sum(count) FROM fault_counts "
                "JOIN sittings ON sittings.id = sitting_id "
                "JOIN table_entrants USING (table_id, place) "
                "WHERE current OR ? GROUP BY entrant_id, kind ORDER BY entrant_id, kind",
                [all_versions],
            )
        }

    def faults(self, *, all_versions: bool = False) -> Iterator[StoredFault]:
        """The kept faults in the sittings of the plan, or in all there are.

        They come by entrant, kind, table, run and number.
        """
        for row in self._db.query(
            "SELECT * FROM (SELECT raw_faults.*, entrant_id, tables.key AS table_key, run, "
            "rotation, row_number() OVER (PARTITION BY entrant_id, kind "
            "ORDER BY tables.key, run, rotation, number) AS rank "
            "FROM raw_faults JOIN sittings ON sittings.id = sitting_id "
            "JOIN tables ON tables.id = table_id JOIN table_entrants USING (table_id, place) "
            "WHERE current OR ?) JOIN entrants ON entrants.id = entrant_id "
            "WHERE rank <= ? ORDER BY name, version, kind, rank",
            [all_versions, FAULTS_KEPT],
        ):
            yield StoredFault(
                row["entrant_id"],
                row["kind"],
                row["rank"],
                row["table_key"],
                row["deal"],
                row["rotation"],
                row["seat"],
                row["detail"],
                row["request"],
                row["reply"],
                row["exit_status"],
                row["stderr"],
                row["elapsed_seconds"],
                row["limit_seconds"],
            )

    def totals(self, *, all_versions: bool = False) -> dict[int, EntrantTotals]:
        """By entrant id, what its bots used in the sittings of the plan, or in all there are."""
        return {
            row[0]: EntrantTotals(*row[1:])
            for row in self._db.execute(
                "SELECT entrant_id, sum(decisions), sum(decision_cpu_seconds), "
                "max(slowest_cpu_seconds) FROM entrant_times "
                "JOIN sittings ON sittings.id = sitting_id "
                "JOIN table_entrants USING (table_id, place) "
                "WHERE current OR ? GROUP BY entrant_id",
                [all_versions],
            )
        }

    def isolations(self) -> dict[Isolation, int]:
        """How many sittings of the plan had which isolation."""
        return {
            Isolation(kind): count
            for kind, count in self._db.execute(
                "SELECT isolation, count(*) FROM sittings WHERE current "
                "GROUP BY isolation ORDER BY isolation"
            )
        }

    def pace(self) -> tuple[int, float] | None:
        """Deals stored and the seconds that one core played for them; None before the first."""
        row = self._db.execute(
            "SELECT sum(last_deal - first_deal + 1), sum(wall_seconds) "
            "FROM sittings JOIN sitting_times ON sitting_id = sittings.id"
        ).fetchone()
        return (row[0], row[1]) if row and row[0] else None

    def ratings(self) -> tuple[list[RatingRow], RatingBasis] | None:
        """The stored ratings by rank, and their basis; None if there are none."""
        basis = self._db.execute("SELECT * FROM rating_basis").fetchone()
        if basis is None:
            return None
        rows = [
            RatingRow(*row)
            for row in self._db.execute(
                "SELECT name, version, rank, mu, sigma, boards, deals, penalties_per_deal, "
                "standard_error, marches FROM raw_ratings JOIN entrants ON id = entrant_id "
                "ORDER BY rank"
            )
        ]
        _, hashed, boards, planned, draw_probability, sweeps, converged = basis
        return rows, RatingBasis(hashed, boards, planned, draw_probability, sweeps, bool(converged))

    def _logs(self, where: str, parameters: list[Any]) -> Iterator[StoredDealLog]:
        members = self._members()
        for row in self._db.execute(_LOGS.format(where=where), parameters):
            yield StoredDealLog(
                table=row[1],
                deal=row[2],
                rotation=row[3],
                entrants=members[row[0]],
                seats=tuple(map(int, row[4])),
                hands=tuple(row[5].split(" ")),
                shoves=row[6],
                plays=row[7],
                penalties=tuple(map(int, row[8])),
                fault=row[9],
                fault_seat=row[10],
                sitting=row[11],
                current=bool(row[12]),
            )

    def _members(self) -> dict[int, tuple[int, ...]]:
        members: dict[int, list[int]] = {}
        for table, entrant in self._db.execute(
            "SELECT table_id, entrant_id FROM table_entrants ORDER BY table_id, place"
        ):
            members.setdefault(table, []).append(entrant)
        return {table: tuple(entrants) for table, entrants in members.items()}


@contextlib.contextmanager
def open_reader(path: Path) -> Iterator[Reader]:
    """Open a league's database for reading; it may be in use by a run at the same time.

    Raises:
        StoreError: it is no league's database, or cannot be read.
    """
    if not path.is_file():
        raise StoreError(
            f"{path}: there is no such database: play the league with run-league first"
        )
    with (
        said_plainly(path),
        contextlib.closing(
            Database(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10))
        ) as db,
    ):
        check_is_league(db, path)
        if is_blank(db):
            raise StoreError(f"{path}: holds no league yet: play it with run-league first")
        if migrations.pending(db):
            raise StoreError(
                f"{path}: was written by an older version of this program; "
                "run-league brings it up to date"
            )
        db.execute("BEGIN")
        yield Reader(db)
