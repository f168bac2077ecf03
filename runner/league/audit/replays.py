"""Sittings played again from the stored bots, and compared card by card."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from runner.errors import RunError
from runner.execution.serial import SerialExecutor
from runner.league.audit.findings import Findings, Kind
from runner.league.audit.runs import Replayable, Tally, name_of
from runner.records import (
    NO_EXCEPTION,
    BotFiles,
    DealLog,
    Entrant,
    FaultKind,
    Sandbox,
    SandboxMode,
    Sitting,
    Void,
)
from runner.schedule.plan import Plan, PlannedSitting, Table, deal_out
from runner.storage import evidence
from runner.storage.evidence import StoredRun, StoredSitting, StoredTable
from runner.storage.reader import Reader

_TIMED = frozenset({FaultKind.START, FaultKind.TIMEOUT, FaultKind.PONDERING})
"""Faults that depend on how fast a machine is, so that they need not come again."""

_Played = tuple[str, str, str, str | None, int | None]
"""Shoves, plays, penalties, fault, fault seat; as stored."""


@dataclass(frozen=True, slots=True)
class Replays:
    """Plays sittings of a league again.

    Attributes:
        reader: the league.
        plan: its plan, for rules and limits.
        tables: by id.
        secret: where its deals come from.
        bots: by version, those that are sound.
        folder: a workspace.
    """

    reader: Reader
    plan: Plan
    tables: dict[int, StoredTable]
    secret: bytes
    bots: dict[str, BotFiles]
    folder: Path

    def check(
        self,
        candidates: Sequence[Replayable],
        number: int,
        seed: int,
        findings: Findings,
        tally: Tally,
    ) -> Iterator[str]:
        """Play so many of the sittings again, chosen by a seed; yields notes."""
        playable = [each for each in candidates if self._can_play(each)]
        chosen = Random(seed).sample(playable, min(number, len(playable)))  # noqa: S311 - a sample
        wanted = {each.sitting for each in chosen}
        for run in evidence.runs(self.reader.db, {each.table_id for each in chosen}):
            for stored in run.sittings:
                if stored.id in wanted:
                    tally.replayed += 1
                    note = self._check_one(run, stored, findings, tally)
                    if note:
                        yield f"{name_of(run, stored)}: {note}"

    def _can_play(self, candidate: Replayable) -> bool:
        table = self.tables.get(candidate.table_id)
        return (
            table is not None
            and table.places == tuple(range(self.plan.rules.players))
            and all(version in self.bots for _, version in table.entrants)
            and self._table(table).key == table.key
        )

    def _check_one(
        self, run: StoredRun, stored: StoredSitting, findings: Findings, tally: Tally
    ) -> str:
        """Play one sitting again, and once more if it comes out another way."""
        logs = {log[0]: log[3:] for log in stored.logs}
        sitting = self._sitting(run, stored)
        try:
            first = self._played(sitting)
            if first == logs:
                return ""
            second = self._played(sitting)
        except RunError as error:
            findings.add(Kind.REPLAY, name_of(run, stored), str(error))
            return ""
        if first != second:
            tally.not_deterministic += 1
            deal = next(deal for deal in first if first[deal] != second[deal])
            return f"is not deterministic: in two replays deal {deal} came out in two ways"
        different = [deal for deal, log in sorted(first.items()) if logs.get(deal) != log]
        timed = {log[3] for log in (*logs.values(), *first.values()) if log[3] in _TIMED}
        if timed:
            tally.not_reproduced += 1
            kinds = ", ".join(sorted(map(str, timed)))
            return (
                f"is not reproduced: with faults that depend on time ({kinds}), "
                f"{len(different)} of its deals came out in another way"
            )
        for deal in different:
            name = f"{run.table[:8]}-{deal}-{stored.rotation}"
            findings.add(Kind.REPLAY, name, _difference(logs.get(deal), first[deal]))
        return ""

    def _played(self, sitting: Sitting) -> dict[int, _Played]:
        """A sitting played again, by deal.

        Raises:
            RunError: it cannot be played here.
        """
        (outcome,) = SerialExecutor(self.bots, self.folder, Sandbox(SandboxMode.AUTO)).play(
            [sitting]
        )
        if isinstance(outcome, Void):
            raise RunError(f"could not be played again: {outcome.reason}")
        return {log.deal: _as_stored(log) for log in sorted(outcome.logs, key=_number)}

    def _sitting(self, run: StoredRun, stored: StoredSitting) -> Sitting:
        planned = PlannedSitting(
            self._table(self.tables[run.table_id]),
            run.run,
            stored.rotation,
            range(stored.first_deal, stored.last_deal + 1),
            stored.key,
        )
        return deal_out(planned, self.plan.limits, self.secret)

    def _table(self, table: StoredTable) -> Table:
        allowances = {
            (entrant.name, entrant.bot.version): entrant.allowance for entrant in self.plan.entrants
        }
        entrants = (
            Entrant(
                name,
                self.bots[version].bot,
                allowance=allowances.get((name, version), NO_EXCEPTION),
            )
            for name, version in table.entrants
        )
        return Table(self.plan.rules, tuple(entrants))


def _number(log: DealLog) -> int:
    return log.deal


def _as_stored(log: DealLog) -> _Played:
    penalties = "".join(map(str, log.penalties))
    fault = None if log.fault is None else str(log.fault)
    return log.shoves, log.plays, penalties, fault, log.fault_seat


def _difference(stored: _Played | None, played: _Played) -> str:
    """Where a stored log leaves what was played, twice."""
    if stored is None:
        return "is missing"
    for what, one, other in zip(("shoved", "played"), stored, played, strict=False):
        for at in range(0, max(len(str(one)), len(str(other))), 2):
            came, comes = str(one)[at : at + 2], str(other)[at : at + 2]
            if came != comes:
                return (
                    f"card {at // 2 + 1} {what} is {came or 'none'}, and the bots of its sitting "
                    f"played it again with {comes or 'none'}, twice"
                )
    return f"ends with {stored[2:]}, and twice with {played[2:]} when its bots played it again"
