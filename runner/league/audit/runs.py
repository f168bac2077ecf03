"""All that belongs to one run of a table: its sittings, rotations, deals and faults."""

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass

from runner.game.rules import Rules
from runner.league.audit.deal_logs import DealLogs
from runner.league.audit.findings import Findings, Kind
from runner.records import FaultKind, canonical_hash
from runner.schedule.plan import Plan
from runner.storage.evidence import StoredRun, StoredSitting, StoredTable
from runner.storage.store import FAULTS_KEPT


@dataclass(slots=True)
class Tally:
    """What an audit went through.

    Attributes:
        tables: tables.
        sittings: sittings.
        older_sittings: those played under limits that are not known any more: their ids cannot
            be computed again, nor can they be played again.
        deal_logs: deal logs.
        whole_boards: boards of the plan that stand in every rotation.
        half_boards: boards of the plan that lack a rotation which is still to be played.
        missing_boards: boards of the plan of which nothing is played yet.
        forfeits: deal logs that a fault ended.
        replayed: sittings that were played again.
        not_deterministic: those of them that came out another way each time.
        not_reproduced: those in which faults that depend on time did not come again.
    """

    tables: int = 0
    sittings: int = 0
    older_sittings: int = 0
    deal_logs: int = 0
    whole_boards: int = 0
    half_boards: int = 0
    missing_boards: int = 0
    forfeits: int = 0
    replayed: int = 0
    not_deterministic: int = 0
    not_reproduced: int = 0


@dataclass(frozen=True, slots=True)
class Replayable:
    """Enough of a sitting to find it again, and to deal it out once more."""

    table_id: int
    run: int
    sitting: int


class Runs:
    """Checks the runs of one league, table by table.

    Attributes:
        replayable: the sittings whose id is that of their content, so that it is known how they
            were played.
    """

    def __init__(
        self,
        plan: Plan,
        versions: dict[str, str],
        tables: dict[int, StoredTable],
        logs: DealLogs,
        findings: Findings,
    ) -> None:
        """Check by a plan.

        Args:
            plan: what the league plays.
            versions: by name of an entrant of the plan, its bot's version as stored.
            tables: the tables of the database, by id.
            logs: checks deal logs.
            findings: takes what is wrong.
        """
        self.replayable: list[Replayable] = []
        self._plan = plan
        self._rules: Rules = plan.rules
        self._limits = asdict(plan.limits)
        self._tables = tables
        self._planned = {
            tuple((entrant.name, versions[entrant.name]) for entrant in table.entrants)
            for table in plan.tables()
        }
        self._logs = logs
        self._findings = findings
        self._faults: Counter[tuple[str, str, str]] = Counter()
        self._faults_kept: Counter[tuple[str, str, str]] = Counter()

    def check(self, run: StoredRun, tally: Tally) -> None:
        """Check one run."""
        self._logs.begin_run(run.table)
        counted: defaultdict[int, list[StoredSitting]] = defaultdict(list)
        for sitting in run.sittings:
            tally.sittings += 1
            tally.deal_logs += len(sitting.logs)
            known = self._check_id(run, sitting)
            if known:
                self.replayable.append(Replayable(run.table_id, run.run, sitting.id))
            elif not sitting.current:
                tally.older_sittings += 1
            self._check_deals(run, sitting)
            tally.forfeits += self._check_logs(run, sitting, known)
            if sitting.current:
                counted[sitting.rotation].append(sitting)
        self._check_rotations(run, counted, tally)

    def check_kept_faults(self, tally: Tally) -> None:
        """Check, at the end, that of every kind of fault the first few are kept whole.

        Where there are sittings of older plans that does not hold: which ones were kept then
        depends on what was the plan when.
        """
        if tally.older_sittings or any(self._unplanned(table) for table in self._tables.values()):
            return
        for (name, version, kind), count in sorted(self._faults.items()):
            kept = self._faults_kept[name, version, kind]
            if kept != min(count, FAULTS_KEPT):
                what = (
                    f"{count} {kind} faults, of which {min(count, FAULTS_KEPT)} are to be kept "
                    f"whole, and {kept} are"
                )
                self._findings.add(Kind.FAULT, f"{name} ({version[:8]})", what)

    def _unplanned(self, table: StoredTable) -> bool:
        return table.entrants not in self._planned

    # Sittings.

    def _check_id(self, run: StoredRun, sitting: StoredSitting) -> bool:
        """Check a sitting's id; returns whether it is that of its content and these limits."""
        name = name_of(run, sitting)
        expected = canonical_hash(
            {
                "players": self._rules.players,
                "play": self._rules.play,
                "secret": self._plan.secret_hash,
                "table": run.table,
                "run": run.run,
                "deals": [sitting.first_deal, sitting.last_deal],
                "rotation": sitting.rotation,
                "limits": self._limits,
            }
        )
        if not 0 <= sitting.rotation < self._rules.players:
            self._findings.add(Kind.SITTING, name, "there is no such rotation")
        if sitting.key == expected:
            planned = self._is_planned(run, sitting)
            if sitting.current and not planned:
                what = "counts for the ratings, and the plan does not have it"
                self._findings.add(Kind.SITTING, name, what)
            elif planned and not sitting.current:
                what = "does not count for the ratings, though the plan has it"
                self._findings.add(Kind.SITTING, name, what)
        elif sitting.current:
            what = f"its id is {sitting.key[:8]}, that of its content {expected[:8]}"
            self._findings.add(Kind.SITTING, name, what)
        return sitting.key == expected

    def _is_planned(self, run: StoredRun, sitting: StoredSitting) -> bool:
        plan = self._plan
        table = self._tables.get(run.table_id)
        first = (run.run - 1) * plan.deals_per_sitting + 1
        last = min(first + plan.deals_per_sitting - 1, plan.deals)
        return (
            table is not None
            and table.entrants in self._planned
            and 1 <= run.run <= plan.runs
            and (sitting.first_deal, sitting.last_deal) == (first, last)
        )

    def _check_deals(self, run: StoredRun, sitting: StoredSitting) -> None:
        """Check that a sitting holds each deal of its run once, and met none twice."""
        expected = range(sitting.first_deal, sitting.last_deal + 1)
        found = Counter(log[0] for log in sitting.logs)
        if list(found) != list(expected) or len(found) != len(sitting.logs):
            for deal in sorted(set(expected) - found.keys()):
                self._findings.add(Kind.ROTATION, _log_name(run, sitting, deal), "is missing")
            for deal, times in sorted(found.items()):
                if deal not in expected:
                    what = (
                        f"stands in the sitting of the deals {sitting.first_deal} to "
                        f"{sitting.last_deal}"
                    )
                    self._findings.add(Kind.ROTATION, _log_name(run, sitting, deal), what)
                elif times > 1:
                    self._findings.add(Kind.ROTATION, _log_name(run, sitting, deal), "stands twice")
        met: dict[str, int] = {}
        for log in sitting.logs:
            if met.setdefault(log[2], log[0]) != log[0]:
                what = f"has the cards of deal {met[log[2]]}, which the sitting met before"
                self._findings.add(Kind.ROTATION, _log_name(run, sitting, log[0]), what)

    def _check_rotations(
        self, run: StoredRun, counted: dict[int, list[StoredSitting]], tally: Tally
    ) -> None:
        """Check that each rotation counts once, and count whole and half boards."""
        for rotation, sittings in sorted(counted.items()):
            if len(sittings) > 1:
                keys = " and ".join(sitting.key[:8] for sitting in sittings)
                name = f"{run.table[:8]} run {run.run} rotation {rotation}"
                self._findings.add(Kind.ROTATION, name, f"counts {len(sittings)} times: {keys}")
        boards = Counter(
            deal
            for sittings in counted.values()
            for deal in {log[0] for sitting in sittings for log in sitting.logs}
        )
        whole = sum(1 for count in boards.values() if count == self._rules.players)
        tally.whole_boards += whole
        tally.half_boards += len(boards) - whole

    # Logs and faults.

    def _check_logs(self, run: StoredRun, sitting: StoredSitting, known: bool) -> int:
        """Check the logs of a sitting, and its faults by them; returns how many a fault ended."""
        if not 0 <= sitting.rotation < self._rules.players:
            return 0
        forfeits: Counter[tuple[int, str]] = Counter()
        out_of_turn: dict[tuple[int, str], int] = {}
        lost: set[tuple[int, int, str]] = set()
        for log in sitting.logs:
            turn = self._logs.check(sitting.rotation, log)
            if turn is None:
                continue
            deal, seated, *_, kind, seat = log
            assert kind is not None
            assert seat is not None
            at = (int(seated[seat]) if len(seated) == self._rules.players else -1, kind)
            forfeits[at] += 1
            lost.add((deal, seat, kind))
            if turn != seat:
                out_of_turn[at] = deal
        if forfeits or sitting.fault_counts or sitting.faults:
            self._check_faults(run, sitting, forfeits, {} if not known else out_of_turn, known)
            self._check_kept(run, sitting, lost)
        return forfeits.total()

    def _check_faults(
        self,
        run: StoredRun,
        sitting: StoredSitting,
        forfeits: Counter[tuple[int, str]],
        out_of_turn: dict[tuple[int, str], int],
        known: bool,
    ) -> None:
        """Hold forfeits, fault counts and kept faults of a sitting against each other.

        Each fault loses one deal, but for a process that does not start while nothing is asked;
        who is out, by `start` or by as many faults as the limit, loses all deals that are left.
        """
        name = name_of(run, sitting)
        table = self._tables.get(run.table_id)
        totals: Counter[int] = Counter()
        for (place, _), count in sitting.fault_counts.items():
            totals[place] += count
        for place, kind in sorted(forfeits.keys() | sitting.fault_counts.keys()):
            count, deals = sitting.fault_counts.get((place, kind), 0), forfeits[place, kind]
            who = table.entrants[place][0] if table and place < len(table.entrants) else "?"
            start = kind == FaultKind.START and count > 0
            # Whoever played under limits that are not known any more may have been out.
            out = start or not known or totals[place] >= self._plan.limits.max_faults
            told = f"{who} lost {deals} deals by {kind} faults, of which {count} are counted"
            if not count or deals < count - start or (deals > count and not out):
                self._findings.add(Kind.FAULT, name, told)
            elif not out and (place, kind) in out_of_turn:
                deal = out_of_turn[place, kind]
                what = f"{who} lost it by {kind}, when it was not asked"
                self._findings.add(Kind.FAULT, _log_name(run, sitting, deal), what)
            if sitting.current and table and place < len(table.entrants):
                self._faults[(*table.entrants[place], kind)] += count

    def _check_kept(
        self, run: StoredRun, sitting: StoredSitting, lost: set[tuple[int, int, str]]
    ) -> None:
        table = self._tables.get(run.table_id)
        for fault in sitting.faults:
            count = sitting.fault_counts.get((fault.place, fault.kind), 0)
            name = _log_name(run, sitting, fault.deal)
            if fault.number > count:
                what = f"fault number {fault.number} of its kind is kept, and {count} are counted"
                self._findings.add(Kind.FAULT, name, what)
            unasked = fault.kind == FaultKind.START
            if (fault.deal, fault.seat, fault.kind) not in lost and not unasked:
                what = f"a fault ({fault.kind}) of seat {fault.seat} is kept that its log has not"
                self._findings.add(Kind.FAULT, name, what)
            if sitting.current and table and fault.place < len(table.entrants):
                self._faults_kept[(*table.entrants[fault.place], fault.kind)] += 1


def name_of(run: StoredRun, sitting: StoredSitting) -> str:
    """What a sitting is called."""
    return f"{run.table[:8]} run {run.run} rotation {sitting.rotation}"


def _log_name(run: StoredRun, sitting: StoredSitting, deal: int) -> str:
    return f"{run.table[:8]}-{deal}-{sitting.rotation}"
