"""Going through a league's whole database."""

from dataclasses import dataclass, field
from pathlib import Path

from runner.errors import RunError, StoreError, UsageError
from runner.execution.executor import workspace
from runner.game.deals import secret_of_seed
from runner.league.audit.bots import check_bots, check_table
from runner.league.audit.deal_logs import DealLogs
from runner.league.audit.findings import Findings, Kind
from runner.league.audit.replays import Replays
from runner.league.audit.report import Report
from runner.league.audit.runs import Runs, Tally
from runner.league.audit.standing import check_ratings
from runner.league.secret import hash_of, read_secret, with_beacon
from runner.report.standing import stored_plan
from runner.storage import evidence
from runner.storage.reader import Reader, open_reader


def audit_league(database: Path, replays: int = 0, seed: int = 0) -> Report:
    """Prove all that can be proved of a league.

    Args:
        database: its file.
        replays: so many sittings are played again.
        seed: chooses which.

    Raises:
        StoreError: it cannot be read as a league's database.
        UsageError: sittings are to be played again, and the secret is not to be had.
    """
    with open_reader(database) as reader:
        audit = _Audit(database, reader)
        try:
            audit.check_all()
        except (TypeError, ValueError) as error:
            # Rows that a league's own program would never have written.
            raise StoreError(f"{database}: cannot be read as a league: {error}") from error
        if replays:
            audit.replay(replays, seed)
        return audit.report()


@dataclass(slots=True)
class _Audit:
    """One audit; its steps in order are `check_all`, `replay`, `report`."""

    _database: Path
    _reader: Reader
    _findings: Findings = field(default_factory=Findings)
    _tally: Tally = field(default_factory=Tally)
    _notes: list[str] = field(default_factory=list)
    _secret: bytes | None = None
    _secret_from: str | None = None
    _runs: Runs | None = None
    _sound: set[str] = field(default_factory=set)

    def check_all(self) -> None:
        """Go through everything once."""
        db, findings = self._reader.db, self._findings
        for line in evidence.damage(db):
            findings.add(Kind.DATABASE, "SQLite", line)
        plan = stored_plan(self._reader)
        self._find_secret()
        self._sound = check_bots(evidence.bots(db), findings)
        tables = {table.id: table for table in evidence.tables(db)}
        for table in tables.values():
            check_table(table, plan.rules, findings)
        versions = {
            entrant.name: entrant.version
            for entrant in self._reader.entrants()
            if entrant.state == "entered"
        }
        logs = DealLogs(plan.rules, self._secret, findings)
        runs = self._runs = Runs(plan, versions, tables, logs, findings)
        for run in evidence.runs(db):
            runs.check(run, self._tally)
        runs.check_kept_faults(self._tally)
        self._tally.tables = len(tables)
        self._tally.missing_boards = max(
            0, plan.board_count - self._tally.whole_boards - self._tally.half_boards
        )
        note = check_ratings(self._reader, findings)
        if note:
            self._notes.append(note)

    def replay(self, number: int, seed: int) -> None:
        """Play some sittings again."""
        if self._secret is None:
            raise UsageError(
                f"{self._database}: sittings cannot be played again without the league's secret, "
                "which gives the order of their deals"
            )
        assert self._runs is not None
        bots = {
            bot.version: bot.program()
            for bot in evidence.bots(self._reader.db)
            if bot.version in self._sound
        }
        with workspace() as folder:
            replays = Replays(
                reader=self._reader,
                plan=stored_plan(self._reader),
                tables={table.id: table for table in evidence.tables(self._reader.db)},
                secret=self._secret,
                bots=bots,
                folder=folder,
            )
            self._notes.extend(
                replays.check(self._runs.replayable, number, seed, self._findings, self._tally)
            )
        if self._tally.replayed < number:
            self._notes.append(
                f"{self._tally.replayed:,} sittings were played again, of {number:,} wanted: "
                "there are no more whose limits and bots are known"
            )

    def report(self) -> Report:
        """What came of it."""
        return Report(
            league=self._reader.conditions().name,
            findings=tuple(self._findings.kept()),
            counts={
                kind: self._findings.counts[kind] for kind in Kind if self._findings.counts[kind]
            },
            failures=self._findings.counts.total(),
            tally=self._tally,
            secret=self._secret_from,
            notes=tuple(self._notes),
        )

    def _find_secret(self) -> None:
        """Take the secret from wherever it is; each that there is must have the published hash."""
        published = self._reader.conditions().secret_hash
        for source, secret in self._secrets():
            if hash_of(secret) == published:
                if self._secret is None:
                    self._secret, self._secret_from = secret, source
            else:
                what = f"its SHA-256 is {hash_of(secret)[:8]}, published is {published[:8]}"
                self._findings.add(Kind.SECRET, source, what)
        if self._secret is None:
            self._notes.append(
                "the secret is not to be had: hands and orders of deals are not compared with it"
            )

    def _secrets(self) -> list[tuple[str, bytes]]:
        found = []
        revealed = self._reader.revealed_secret()
        if revealed is not None:
            found.append(("revealed", revealed))
        seed = self._reader.conditions().seed
        if seed is not None:
            found.append(("seed", secret_of_seed(seed)))
        path = self._database.with_suffix(".secret")
        if seed is None and path.exists():
            try:
                secret = read_secret(path)
                commitment = self._reader.commitment()
                if commitment is not None and commitment.beacon is not None:
                    secret = with_beacon(secret, commitment.beacon)
                found.append(("file", secret))
            except RunError as error:
                self._findings.add(Kind.SECRET, "file", str(error))
        return found
