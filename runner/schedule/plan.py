"""The plan of a league: its tables, and the sittings in which their deals are played.

A plan is computed, never stored: all sittings, less those that the store holds, is what is left
to play. That is how a league resumes, takes late entrants, more deals and changed bots.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations, islice

from runner.game.deals import deal_hands, playing_order
from runner.game.rules import Rules
from runner.records import NO_EXCEPTION, Entrant, Limits, Sitting, SittingDeal, canonical_hash
from runner.schedule.formats import FORMATS, TABLE_COUNTS
from runner.schedule.seating import seats


@dataclass(frozen=True)
class Table:
    """k entrants who meet.

    Attributes:
        rules: the game.
        entrants: in base order, which is by name.
    """

    rules: Rules
    entrants: tuple[Entrant, ...]

    @cached_property
    def key(self) -> str:
        """The table's key: a changed bot has another one, and so never meets known deals."""
        return table_key(
            [(entrant.name, entrant.bot.version) for entrant in self.entrants], self.rules
        )


def table_key(entrants: Sequence[tuple[str, str]], rules: Rules) -> str:
    """A table's key, from the names and versions of its entrants."""
    return canonical_hash(
        {"entrants": sorted(map(list, entrants)), "play": rules.play, "players": rules.players}
    )


@dataclass(frozen=True)
class PlannedSitting:
    """One sitting of the plan.

    Attributes:
        table: who plays.
        run: the number of the run at the table, from 1.
        rotation: 0 to k - 1.
        deals: the numbers of the run's deals.
        id: hash of everything that decides how it goes.
    """

    table: Table
    run: int
    rotation: int
    deals: range
    id: str


@dataclass(frozen=True)
class Plan:
    """What a league plays.

    Attributes:
        rules: the game.
        limits: what its bots may use.
        format: a name of `runner.schedule.formats.FORMATS`.
        entrants: those that are scheduled, in any order.
        deals: how many deals each table plays.
        deals_per_sitting: the length of a run; the last run may be shorter.
        secret_hash: SHA-256 of the league's secret, lowercase hex.
        same_team_tables: whether entrants of one team meet; if not, tables with two of them are
            left out.
    """

    rules: Rules
    limits: Limits
    format: str
    entrants: tuple[Entrant, ...]
    deals: int
    deals_per_sitting: int
    secret_hash: str
    same_team_tables: bool = True

    @cached_property
    def table_count(self) -> int:
        """How many tables there are."""
        if not self.same_team_tables:
            return sum(1 for _ in self.tables())
        return TABLE_COUNTS[self.format](len(self.entrants), self.rules.players)

    @property
    def board_count(self) -> int:
        """How many boards are to be played."""
        return self.table_count * self.deals

    @property
    def runs(self) -> int:
        """How many runs each table has."""
        return -(-self.deals // self.deals_per_sitting)

    @property
    def sitting_count(self) -> int:
        """How many sittings there are."""
        return self.table_count * self.runs * self.rules.players

    def tables(self) -> Iterator[Table]:
        """All tables; those of the same entrants come in the same order."""
        by_name = sorted(self.entrants, key=lambda entrant: entrant.name)
        for members in FORMATS[self.format](len(by_name), self.rules.players):
            table = Table(self.rules, tuple(by_name[member] for member in members))
            if self.same_team_tables or not _has_team_mates(table):
                yield table

    def sittings(self, apart: int = 1) -> Iterator[PlannedSitting]:
        """All sittings, in the order in which they are best played.

        Every table plays its first run before any plays its second, and the rotations of a run
        follow each other closely, so that what is stored at any time is nearly all whole boards.

        Args:
            apart: how many sittings are played at a time; so many tables take turns, since two
                rotations of one deal are better not played at the same moment.
        """
        for run in range(1, self.runs + 1):
            first = (run - 1) * self.deals_per_sitting + 1
            deals = range(first, min(first + self.deals_per_sitting, self.deals + 1))
            for tables in _batched(self.tables(), apart):
                for rotation in range(self.rules.players):
                    for table in tables:
                        yield PlannedSitting(
                            table, run, rotation, deals, self._id(table, run, rotation, deals)
                        )

    def _id(self, table: Table, run: int, rotation: int, deals: range) -> str:
        return canonical_hash(
            {
                "players": self.rules.players,
                "play": self.rules.play,
                "secret": self.secret_hash,
                "table": table.key,
                "run": run,
                "deals": [deals[0], deals[-1]],
                "rotation": rotation,
                "limits": asdict(self.limits),
                **self._allowances(table),
            }
        )

    def _allowances(self, table: Table) -> dict[str, list[dict[str, int]]]:
        """What entrants of a table may use other than the limits say, if there are any such."""
        allowances = [entrant.allowance for entrant in table.entrants]
        return (
            {"allowances": list(map(asdict, allowances))}
            if any(each != NO_EXCEPTION for each in allowances)
            else {}
        )


def deal_out(planned: PlannedSitting, limits: Limits, secret: bytes) -> Sitting:
    """Turn a planned sitting into one that can be played: its hands and seats, in playing order."""
    rules = planned.table.rules
    key = planned.table.key
    return Sitting(
        id=planned.id,
        rules=rules,
        limits=limits,
        versions=tuple(entrant.bot.version for entrant in planned.table.entrants),
        allowances=tuple(entrant.allowance for entrant in planned.table.entrants),
        deals=tuple(
            SittingDeal(
                deal,
                deal_hands(secret, key, deal, rules),
                seats(rules.players, key, deal, planned.rotation),
            )
            for deal in playing_order(secret, key, planned.run, planned.rotation, planned.deals)
        ),
    )


def _has_team_mates(table: Table) -> bool:
    return any(one.is_team_mate(other) for one, other in combinations(table.entrants, 2))


def _batched(tables: Iterator[Table], size: int) -> Iterator[list[Table]]:
    while batch := list(islice(tables, size)):
        yield batch
