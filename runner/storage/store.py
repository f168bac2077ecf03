"""A league's database, open for playing: the only SQL that writes.

One writer at a time, one transaction a sitting, synced to disk before it counts as stored.
"""

import contextlib
import errno
import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlite_utils import Database

from runner.errors import StoreError
from runner.game.cards import cards_in, text_of
from runner.records import (
    BotFiles,
    Entrant,
    Fault,
    Limits,
    Sitting,
    SittingResult,
)
from runner.schedule.plan import PlannedSitting
from runner.storage.schema import APPLICATION_ID, migrations

FAULTS_KEPT = 5
"""How many faults of a kind are kept whole for each entrant and version."""

_LOCK_SECONDS = 10.0
"""How long to wait for another program that has the database locked."""

_PUT_BACK = "put back a good copy, or move it away to begin anew"
_WRITABLE = "it and its folder must be writable"
_ROOM = "make room, then run it again; all that was stored is kept"
_AFTER_SQLITE_ERROR = {
    sqlite3.SQLITE_BUSY: "another program is writing to it; end that, then run it again",
    sqlite3.SQLITE_CANTOPEN: _WRITABLE,
    sqlite3.SQLITE_CORRUPT: _PUT_BACK,
    sqlite3.SQLITE_FULL: _ROOM,
    sqlite3.SQLITE_NOTADB: f"expected a league's database; {_PUT_BACK}",
    sqlite3.SQLITE_READONLY: _WRITABLE,
}
_AFTER_SYSTEM_ERROR = {
    errno.EACCES: _WRITABLE,
    errno.EISDIR: "expected a league's database; move it away to begin anew",
    errno.ENOSPC: _ROOM,
    errno.EPERM: _WRITABLE,
    errno.EROFS: _WRITABLE,
}


_WHY_REPLACED = """
UPDATE entrants SET reason = CASE
    WHEN EXISTS (SELECT 1 FROM entrants AS playing
                 WHERE playing.name = entrants.name AND playing.state != 'replaced')
    THEN 'another version plays'
    WHEN EXISTS (SELECT 1 FROM submissions WHERE submissions.name = entrants.name)
    THEN 'withdrawn'
    ELSE 'no longer in the league file' END
WHERE state = 'replaced'
"""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a league is, and what it plays at present.

    Attributes:
        name: the league's name.
        players: 3 or 4.
        play: the direction of play.
        secret_hash: SHA-256 of the league's secret, lowercase hex.
        seed: the seed that the secret comes from, or None.
        format: who meets whom.
        deals: deals per table.
        deals_per_sitting: the length of a run.
        limits: what bots may use.
        same_team_tables: whether entrants of one team meet at tables.
    """

    name: str
    players: int
    play: str
    secret_hash: str
    seed: str | None
    format: str
    deals: int
    deals_per_sitting: int
    limits: Limits
    same_team_tables: bool = True


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One entrant's stored rating; see `runner.standings` for what the figures are."""

    name: str
    version: str
    rank: int
    mu: float
    sigma: float
    boards: int
    deals: int
    penalties_per_deal: float
    standard_error: float | None
    marches: int


@dataclass(frozen=True, slots=True)
class RatingBasis:
    """What stored ratings were computed from, and how that went."""

    basis: str
    boards: int
    planned_boards: int
    draw_probability: float
    sweeps: int
    converged: bool


class Store:
    """A league's database, open for writing. Use `open_store`."""

    def __init__(self, db: Database, path: Path, file: int) -> None:
        """Wrap an open database, with its path and a descriptor of the file that was there."""
        self._db = db
        self._path = path
        # Whoever plays may stand in another folder by then.
        self._place = path.absolute()
        self._file = file

    @property
    def db(self) -> Database:
        """The connection, for reading."""
        return self._db

    def check_in_place(self) -> None:
        """See that what is stored goes where the league's database is looked for.

        Raises:
            StoreError: the file was removed, moved or replaced.
        """
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(self._place.stat(), os.fstat(self._file)):
                return
        raise StoreError(
            f"{self._path}: was removed, moved or replaced while the league was being played; "
            "put it back, then run it again"
        )

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write all of it, or nothing."""
        with said_plainly(self._path):
            self.check_in_place()
            with _writing(self._db):
                yield

    def set_conditions(self, conditions: Conditions, runner_version: str) -> None:
        """Write down what is played from now on; the identity only the first time.

        Raises:
            StoreError: the database belongs to another league, or to one that is revealed.
        """
        with self._transaction():
            stored = next(self._db.query("SELECT * FROM league"), None)
            if stored is None:
                self._db.execute(
                    "INSERT INTO league (id, name, players, play, secret_hash, seed, format, "
                    "deals, deals_per_sitting, limits, begun_at, runner_version, same_team_tables) "
                    "VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        conditions.name,
                        conditions.players,
                        conditions.play,
                        conditions.secret_hash,
                        conditions.seed,
                        conditions.format,
                        conditions.deals,
                        conditions.deals_per_sitting,
                        json.dumps(asdict(conditions.limits)),
                        _now(),
                        runner_version,
                        int(conditions.same_team_tables),
                    ),
                )
                return
            for field in ("name", "players", "play", "secret_hash"):
                if stored[field] != getattr(conditions, field):
                    raise StoreError(
                        f"{self._path}: the database is of another league: its "
                        f"{field.replace('_', ' ')} is {stored[field]!r}, this league's is "
                        f"{getattr(conditions, field)!r}; one of the two needs another file name"
                    )
            if stored["secret"] is not None:
                raise StoreError(
                    f"{self._path}: the league is closed: its secret is revealed, so its deals can "
                    "be foreseen. A new league needs a database of its own"
                )
            self._db.execute(
                "UPDATE league SET format = ?, deals = ?, deals_per_sitting = ?, limits = ?, "
                "same_team_tables = ?",
                (
                    conditions.format,
                    conditions.deals,
                    conditions.deals_per_sitting,
                    json.dumps(asdict(conditions.limits)),
                    int(conditions.same_team_tables),
                ),
            )

    def enter(self, entrants: Sequence[Entrant], files: dict[str, BotFiles]) -> None:
        """Write down who takes part from now on; everybody else is `replaced`.

        All of them are `unchecked` until `admit` or `refuse` says more.
        """
        with self._transaction():
            for version, bot_files in files.items():
                self._keep_bot(version, bot_files)
            self._db.execute("UPDATE entrants SET state = 'replaced' WHERE state != 'replaced'")
            for entrant in entrants:
                self._db.execute(
                    "INSERT INTO entrants (name, version, author, team, state, memory_mb, threads, "
                    "entered_at) VALUES (?, ?, ?, ?, 'unchecked', ?, ?, ?) "
                    "ON CONFLICT (name, version) DO UPDATE SET author = excluded.author, "
                    "team = excluded.team, state = 'unchecked', reason = '', "
                    "memory_mb = excluded.memory_mb, threads = excluded.threads",
                    (
                        entrant.name,
                        entrant.bot.version,
                        entrant.author,
                        entrant.team,
                        entrant.allowance.memory_mb,
                        entrant.allowance.threads,
                        _now("microseconds"),
                    ),
                )
            self._db.execute(_WHY_REPLACED)
            # Whatever comes next, nobody reads boards of an entrant that is not in the league.
            self._db.execute(
                "UPDATE sittings SET current = 0 WHERE current AND table_id IN ("
                "SELECT table_id FROM table_entrants JOIN entrants ON entrants.id = entrant_id "
                "WHERE state = 'replaced')"
            )

    def submit(self, entrant: Entrant, bot_files: BotFiles, conditions: str) -> None:
        """Take a bot into the league, all or nothing; it plays from the next run on.

        Args:
            entrant: the bot with its name and author.
            bot_files: its files.
            conditions: the conditions under which it has passed its check.
        """
        now = _now("microseconds")
        with self._transaction():
            version = entrant.bot.version
            self._keep_bot(version, bot_files)
            self._db.execute(
                "INSERT INTO entrants (name, version, author, state, reason, passed, entered_at) "
                "VALUES (?, ?, ?, 'replaced', 'waits for the next run', ?, ?) "
                "ON CONFLICT (name, version) DO UPDATE SET author = excluded.author, "
                "passed = excluded.passed, "
                "reason = iif(state = 'replaced', excluded.reason, reason)",
                (entrant.name, version, entrant.author, conditions, now),
            )
            self._db.execute(
                "INSERT INTO submissions (name, version, author, submitted_at) VALUES (?, ?, ?, ?)",
                (entrant.name, version, entrant.author, now),
            )

    def withdraw(self, name: str) -> int:
        """Take all submitted versions of an entrant back; returns how many there were."""
        with self._transaction():
            cursor = self._db.execute(
                "UPDATE submissions SET withdrawn_at = ? WHERE name = ? AND withdrawn_at IS NULL",
                (_now("microseconds"), name),
            )
            self._db.execute(
                "UPDATE entrants SET reason = 'withdrawn' WHERE name = ? AND version IN "
                "(SELECT version FROM submissions WHERE submissions.name = entrants.name)",
                (name,),
            )
            return cursor.rowcount

    def passed_check(self, entrant: Entrant, conditions: str) -> bool:
        """Whether this entrant has passed its check before, under these conditions."""
        row = self._db.execute(
            "SELECT passed FROM entrants WHERE name = ? AND version = ?",
            (entrant.name, entrant.bot.version),
        ).fetchone()
        return bool(row) and row[0] == conditions

    def admit(self, entrant: Entrant, conditions: str) -> None:
        """Write down that an entrant has passed its check under these conditions."""
        self._set_state(entrant, "entered", "", conditions)

    def refuse(self, entrant: Entrant, reason: str) -> None:
        """Write down that an entrant has failed its check, and why."""
        self._set_state(entrant, "refused", reason, "")

    def _set_state(self, entrant: Entrant, state: str, reason: str, passed: str) -> None:
        with self._transaction():
            self._db.execute(
                "UPDATE entrants SET state = ?, reason = ?, passed = ? "
                "WHERE name = ? AND version = ?",
                (state, reason, passed, entrant.name, entrant.bot.version),
            )

    def set_current(self, keys: Iterator[str]) -> None:
        """Mark the stored sittings that the plan still uses, and only those."""
        with self._transaction():
            self._db.execute("CREATE TEMP TABLE IF NOT EXISTS planned (key TEXT PRIMARY KEY)")
            self._db.execute("DELETE FROM planned")
            self._db.conn.executemany("INSERT INTO planned VALUES (?)", ((key,) for key in keys))
            self._db.execute(
                "UPDATE sittings SET current = in_plan.now FROM (SELECT id, "
                "EXISTS (SELECT 1 FROM planned WHERE planned.key = sittings.key) AS now "
                "FROM sittings) AS in_plan "
                "WHERE in_plan.id = sittings.id AND current != in_plan.now"
            )

    def store_sitting(
        self, planned: PlannedSitting, sitting: Sitting, result: SittingResult
    ) -> bool:
        """Store a sitting whole, or not at all.

        Returns:
            False if it was stored before: the first result counts.

        Raises:
            StoreError: the disk does not take it.
        """
        with self._transaction():
            table_id = self._table_id(planned)
            cursor = self._db.execute(
                "INSERT INTO sittings (key, table_id, run, rotation, first_deal, last_deal, "
                "current, isolation) VALUES (?, ?, ?, ?, ?, ?, 1, ?) ON CONFLICT (key) DO NOTHING",
                (
                    planned.id,
                    table_id,
                    planned.run,
                    planned.rotation,
                    planned.deals[0],
                    planned.deals[-1],
                    result.isolation,
                ),
            )
            if cursor.rowcount == 0:
                return False
            assert cursor.lastrowid is not None
            sitting_id = cursor.lastrowid
            self._insert_logs(sitting_id, sitting, result)
            self._insert_times(sitting_id, result)
            self._insert_faults(sitting_id, result)
            return True

    def store_ratings(self, rows: Sequence[RatingRow], basis: RatingBasis) -> None:
        """Replace the stored ratings."""
        with self._transaction():
            self._db.execute("DELETE FROM raw_ratings")
            self._db.conn.executemany(
                "INSERT INTO raw_ratings SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM entrants "
                "WHERE name = ? AND version = ?",
                [(*astuple(row)[2:], row.name, row.version) for row in rows],
            )
            self._db.execute(
                "INSERT OR REPLACE INTO rating_basis VALUES (1, ?, ?, ?, ?, ?, ?)",
                (
                    basis.basis,
                    basis.boards,
                    basis.planned_boards,
                    basis.draw_probability,
                    basis.sweeps,
                    int(basis.converged),
                ),
            )

    def commit(
        self, secret_hash: str, entrants: Sequence[Entrant], files: dict[str, BotFiles]
    ) -> None:
        """Write down what the host binds himself to: the secret and everybody's bot."""
        with self._transaction():
            self._db.execute(
                "INSERT INTO commitment VALUES (1, ?, ?, NULL, NULL)", (_now(), secret_hash)
            )
            for entrant in entrants:
                self._keep_bot(entrant.bot.version, files[entrant.bot.version])
                self._db.execute(
                    "INSERT INTO committed_versions VALUES (?, ?)",
                    (entrant.name, entrant.bot.version),
                )

    def set_beacon(self, beacon: str, secret_hash: str) -> None:
        """Fix the beacon, the first time that the league is played.

        Args:
            beacon: the beacon.
            secret_hash: SHA-256 of the secret with the beacon in it.
        """
        with self._transaction():
            cursor = self._db.execute(
                "UPDATE commitment SET beacon = ? WHERE beacon IS NULL", (beacon,)
            )
            if cursor.rowcount:
                self._db.execute("UPDATE league SET secret_hash = ?", (secret_hash,))

    def reveal(self, secret: bytes, kept: bytes | None = None) -> None:
        """Publish the secret; the league is closed from then on.

        Args:
            secret: what the deals were made from.
            kept: the secret of the commitment, where a beacon makes that another one.
        """
        with self._transaction():
            self._db.execute("UPDATE league SET secret = ?", (secret.hex(),))
            self._db.execute("UPDATE commitment SET secret = ?", ((kept or secret).hex(),))

    def _keep_bot(self, version: str, bot_files: BotFiles) -> None:
        bot = bot_files.bot
        self._db.execute(
            "INSERT OR IGNORE INTO bots VALUES (?, ?)", (version, json.dumps(list(bot.command)))
        )
        for name, content_hash in bot.files:
            self._db.execute(
                "INSERT OR IGNORE INTO files VALUES (?, ?)",
                (content_hash, bot_files.contents[name]),
            )
            self._db.execute(
                "INSERT OR IGNORE INTO bot_files VALUES (?, ?, ?)", (version, name, content_hash)
            )

    def _table_id(self, planned: PlannedSitting) -> int:
        table = planned.table
        row = self._db.execute("SELECT id FROM tables WHERE key = ?", (table.key,)).fetchone()
        if row:
            return int(row[0])
        cursor = self._db.execute("INSERT INTO tables (key) VALUES (?)", (table.key,))
        assert cursor.lastrowid is not None
        self._db.conn.executemany(
            "INSERT INTO table_entrants SELECT ?, ?, id FROM entrants "
            "WHERE name = ? AND version = ?",
            [
                (cursor.lastrowid, place, entrant.name, entrant.bot.version)
                for place, entrant in enumerate(table.entrants)
            ],
        )
        return cursor.lastrowid

    def _insert_logs(self, sitting_id: int, sitting: Sitting, result: SittingResult) -> None:
        self._db.conn.executemany(
            "INSERT INTO raw_deal_logs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    sitting_id,
                    log.deal,
                    "".join(map(str, deal.seats)),
                    " ".join(text_of(cards_in(hand)) for hand in deal.hands),
                    log.shoves,
                    log.plays,
                    "".join(map(str, log.penalties)),
                    log.fault,
                    log.fault_seat,
                )
                for deal, log in zip(sitting.deals, result.logs, strict=True)
            ],
        )

    def _insert_times(self, sitting_id: int, result: SittingResult) -> None:
        self._db.execute(
            "INSERT INTO sitting_times VALUES (?, ?, ?, ?)",
            (sitting_id, result.wall_seconds, result.referee_cpu_seconds, _now()),
        )
        self._db.conn.executemany(
            "INSERT INTO entrant_times VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(sitting_id, place, *astuple(usage)) for place, usage in enumerate(result.usage)],
        )

    def _insert_faults(self, sitting_id: int, result: SittingResult) -> None:
        self._db.conn.executemany(
            "INSERT INTO fault_counts VALUES (?, ?, ?, ?)",
            [
                (sitting_id, place, kind, count)
                for place, counts in enumerate(result.fault_counts)
                for kind, count in counts.items()
            ],
        )
        numbers: dict[tuple[int, str], int] = {}
        for fault in result.faults:
            number = numbers[fault.place, fault.kind] = (
                numbers.get((fault.place, fault.kind), 0) + 1
            )
            self._insert_fault(sitting_id, number, fault)
            self._drop_surplus_faults(sitting_id, fault)

    def _insert_fault(self, sitting_id: int, number: int, fault: Fault) -> None:
        self._db.execute(
            "INSERT INTO raw_faults (sitting_id, place, kind, number, deal, seat, detail, request, "
            "reply, exit_status, stderr, elapsed_seconds, limit_seconds) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                sitting_id,
                fault.place,
                fault.kind,
                number,
                fault.deal,
                fault.seat,
                fault.detail,
                fault.request,
                fault.reply,
                fault.exit_status,
                fault.stderr,
                fault.elapsed_seconds,
                fault.limit_seconds,
            ),
        )

    def _drop_surplus_faults(self, sitting_id: int, fault: Fault) -> None:
        """Keep the first few of the entrant's faults of this kind.

        First by table, run, rotation and number, not by when they came, so that what is kept does
        not depend on the order in which sittings end.
        """
        self._db.execute(
            "DELETE FROM raw_faults WHERE id IN ("
            "SELECT raw_faults.id FROM raw_faults JOIN sittings ON sittings.id = sitting_id "
            "JOIN tables ON tables.id = sittings.table_id "
            "JOIN table_entrants ON table_entrants.table_id = sittings.table_id "
            "AND table_entrants.place = raw_faults.place "
            "WHERE raw_faults.kind = :kind AND sittings.current AND entrant_id = "
            "(SELECT entrant_id FROM sittings JOIN table_entrants USING (table_id) "
            "WHERE sittings.id = :sitting_id AND table_entrants.place = :place) "
            "ORDER BY tables.key, run, rotation, number LIMIT -1 OFFSET :kept)",
            {
                "kind": fault.kind,
                "sitting_id": sitting_id,
                "place": fault.place,
                "kept": FAULTS_KEPT,
            },
        )


@contextlib.contextmanager
def open_store(path: Path) -> Iterator[Store]:
    """Open a league's database for writing, making it or bringing it up to date as needed.

    Raises:
        StoreError: it is no league's database, is in use by another run, or cannot be written.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(said_plainly(path))
        file = _opened(path)
        stack.callback(os.close, file)
        db = Database(sqlite3.connect(path, isolation_level=None, timeout=_LOCK_SECONDS))
        stack.callback(db.close)
        check_is_league(db, path)
        _check_sound(db, path)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        with _writing(db):
            migrations.apply(db)
        try:
            store = Store(db, path, file)
            yield store
            store.check_in_place()
        finally:
            # One file that stands alone, and that can be read where nothing can be written.
            with contextlib.suppress(sqlite3.DatabaseError):
                db.execute("PRAGMA journal_mode = DELETE")


def _opened(path: Path) -> int:
    """A descriptor of the file, which is made if need be, and locked against other runs."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        to_do = _AFTER_SYSTEM_ERROR.get(error.errno or 0)
        raise _plain(path, error.strerror or str(error), to_do) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(file)
        if isinstance(error, BlockingIOError):
            raise StoreError(f"{path}: another run-league is playing this league") from None
        raise _plain(path, error.strerror or str(error), "it cannot be locked there") from error
    return file


def check_is_league(db: Database, path: Path) -> None:
    """See that a database is a league's, whole, and of a version that this runner knows.

    One that nothing was ever stored in is: a run was ended just when it had made it.

    Raises:
        StoreError: it is not.
    """
    of_league = db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    if not of_league and not is_blank(db):
        raise StoreError(
            f"{path}: is an SQLite database, but not a league's; move it away to begin anew"
        )
    page_bytes = db.execute("PRAGMA page_size").fetchone()[0]
    if path.stat().st_size % page_bytes and not path.with_name(f"{path.name}-wal").exists():
        raise StoreError(f"{path}: is cut short; {_PUT_BACK}")
    known = {migration.name for migration in migrations._migrations}
    newer = [applied.name for applied in migrations.applied(db) if applied.name not in known]
    if newer:
        raise StoreError(
            f"{path}: was written by a newer version of this program ({', '.join(newer)}); "
            "use that, or a newer one"
        )


@contextlib.contextmanager
def _writing(db: Database) -> Iterator[None]:
    """A transaction that writes from its begin on: only such a one waits for a lock to be freed."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        db.rollback()
        raise


def is_blank(db: Database) -> bool:
    """Whether nothing was ever stored in a database."""
    return not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _check_sound(db: Database, path: Path) -> None:
    """See that a database is not damaged, before anything is written to it."""
    found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        what = " ".join(found.removeprefix("*** in database main ***").split())
        raise StoreError(f"{path}: is damaged ({what}); {_PUT_BACK}")


@contextlib.contextmanager
def said_plainly(path: Path) -> Iterator[None]:
    """Turn what SQLite says about a database into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extended part
        raise _plain(path, str(error), _AFTER_SQLITE_ERROR.get(code)) from error


def _plain(path: Path, what: str, to_do: str | None) -> StoreError:
    return StoreError(f"{path}: {what}" + (f"; {to_do}" if to_do else ""))


def _now(precision: str = "seconds") -> str:
    return datetime.now(UTC).isoformat(timespec=precision)
