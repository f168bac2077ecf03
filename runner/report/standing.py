"""The standing of a league: ratings and figures of every entrant, from what is stored."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256

from runner.game.rules import Play as Direction
from runner.game.rules import Rules
from runner.records import Entrant, Isolation
from runner.schedule.plan import Plan
from runner.standings.boards import Board, Play, whole_boards
from runner.standings.ratings import Progress, Ratings, rate_boards
from runner.standings.statistics import (
    Encounter,
    Summary,
    cross_table,
    difference,
    rank_order,
    summarise,
)
from runner.storage.reader import EntrantTotals, Reader, StoredEntrant
from runner.storage.store import Conditions, RatingBasis, RatingRow


@dataclass(frozen=True, slots=True)
class Line:
    """One entrant's line.

    Attributes:
        entrant: who.
        rank: from 1; None while it is not rated.
        mu: the rating; None while it is not rated.
        sigma: its uncertainty; None while it is not rated.
        summary: its figures on whole boards; None without any.
        planned_boards: how many boards it is to play.
        faults: by kind.
        totals: what its bots used.
        above_beyond_doubt: whether it is better than the next in rank, beyond doubt.
        submitted: how often its name was submitted; 0 if it stands in the league file only.
        late: whether this version came after the host's commitment.
    """

    entrant: StoredEntrant
    rank: int | None
    mu: float | None
    sigma: float | None
    summary: Summary | None
    planned_boards: int
    faults: dict[str, int]
    totals: EntrantTotals
    above_beyond_doubt: bool
    submitted: int
    late: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """A league at one moment.

    Attributes:
        conditions: what the league is and plays.
        lines: by rank; those without one last, by name.
        boards: how many whole boards are rated.
        planned_boards: how many the plan has.
        ratings: how the ratings came about.
        cross_table: by pair of entrant ids.
        isolations: how many sittings had which isolation.
    """

    conditions: Conditions
    lines: tuple[Line, ...]
    boards: int
    planned_boards: int
    ratings: RatingBasis
    cross_table: dict[tuple[int, int], Encounter]
    isolations: dict[Isolation, int] = field(default_factory=dict)

    @property
    def provisional(self) -> bool:
        """Whether boards of the plan are missing."""
        return self.boards < self.planned_boards

    def rating_rows(self) -> list[RatingRow]:
        """The ratings as they are stored."""
        return [
            RatingRow(
                name=line.entrant.name,
                version=line.entrant.version,
                rank=line.rank,
                mu=line.mu,
                sigma=line.sigma,
                boards=line.summary.boards,
                deals=line.summary.deals,
                penalties_per_deal=line.summary.penalties_per_deal,
                standard_error=line.summary.standard_error,
                marches=line.summary.marches,
            )
            for line in self.lines
            if line.summary and line.rank is not None and line.mu is not None and line.sigma
        ]


def stored_plan(reader: Reader) -> Plan:
    """The plan that the league was last played by."""
    conditions = reader.conditions()
    return Plan(
        rules=Rules(conditions.players, Direction(conditions.play)),
        limits=conditions.limits,
        format=conditions.format,
        entrants=tuple(
            Entrant(entrant.name, entrant.bot, entrant.author, entrant.team, entrant.allowance)
            for entrant in reader.entrants()
            if entrant.state == "entered"
        ),
        deals=conditions.deals,
        deals_per_sitting=conditions.deals_per_sitting,
        secret_hash=conditions.secret_hash,
        same_team_tables=conditions.same_team_tables,
    )


def boards_of(reader: Reader, *, all_versions: bool = False) -> list[Board]:
    """The whole boards that the plan counts, or with those of old versions."""
    return whole_boards(_plays(reader, all_versions=all_versions))


def standing_of(
    reader: Reader,
    progress: Progress | None = None,
    *,
    anew: bool = False,
    all_versions: bool = False,
) -> Standing:
    """Compute the standing; ratings that are stored and still fit are not computed again.

    Args:
        reader: the league.
        progress: called while ratings are computed, with the sweep and the boards done in it.
        anew: compute ratings in any case.
        all_versions: rate old versions, too, as entrants of their own, on all that was played.
    """
    boards = boards_of(reader, all_versions=all_versions)
    played = {entrant for board in boards for entrant in board.entrants}
    entrants = [
        entrant
        for entrant in reader.entrants(all_versions=all_versions)
        if entrant.state != "replaced" or entrant.id in played
    ]
    plan = stored_plan(reader)
    stored = None if anew else reader.ratings()
    lines, basis = _rated(reader, boards, entrants, plan, stored, progress)
    return Standing(
        conditions=reader.conditions(),
        lines=lines,
        boards=len(boards),
        planned_boards=basis.planned_boards,
        ratings=basis,
        cross_table=cross_table(boards),
        isolations=reader.isolations(),
    )


def _rated(
    reader: Reader,
    boards: list[Board],
    entrants: list[StoredEntrant],
    plan: Plan,
    stored: tuple[list[RatingRow], RatingBasis] | None,
    progress: Progress | None,
) -> tuple[tuple[Line, ...], RatingBasis]:
    """The lines of all entrants in order, and what their ratings come from."""
    index = {entrant.id: at for at, entrant in enumerate(entrants)}
    basis = _basis(boards, entrants)
    if stored and stored[1].basis == basis:
        rows = {(row.name, row.version): row for row in stored[0]}
        found = [rows.get((entrant.name, entrant.version)) for entrant in entrants]
        ratings = Ratings(
            mu=tuple(row.mu if row else None for row in found),
            sigma=tuple(row.sigma if row else None for row in found),
            draw_probability=stored[1].draw_probability,
            sweeps=stored[1].sweeps,
            converged=stored[1].converged,
        )
    else:
        ratings = rate_boards(
            [_by_index(board, index) for board in boards],
            [f"{entrant.name}/{entrant.version}" for entrant in entrants],
            progress=progress,
        )
    old = []
    if any(entrant.state == "replaced" for entrant in entrants):
        planned = {table.key for table in plan.tables()}
        old = [board for board in boards if board.table not in planned]
    return _lines(reader, boards, entrants, ratings, plan, old), RatingBasis(
        basis=basis,
        boards=len(boards),
        planned_boards=plan.board_count + len(old),
        draw_probability=ratings.draw_probability,
        sweeps=ratings.sweeps,
        converged=ratings.converged,
    )


def _lines(
    reader: Reader,
    boards: list[Board],
    entrants: list[StoredEntrant],
    ratings: Ratings,
    plan: Plan,
    old: list[Board],
) -> tuple[Line, ...]:
    """The lines; `old` are those of the boards that the plan has no more."""
    summaries = summarise(boards)
    by_index = {
        at: summaries[entrant.id] for at, entrant in enumerate(entrants) if entrant.id in summaries
    }
    order = rank_order(ratings, by_index, [entrant.name for entrant in entrants])
    planned = _planned_boards(plan)
    played_before = Counter(entrant for board in old for entrant in board.entrants)
    everything = bool(old)
    totals = reader.totals(all_versions=everything)
    submitted = Counter(submission.name for submission in reader.submissions())
    covered = reader.committed_versions() if reader.commitment() is not None else None
    faults: dict[int, dict[str, int]] = {}
    for (entrant_id, kind), count in reader.fault_counts(all_versions=everything).items():
        faults.setdefault(entrant_id, {})[kind] = count
    lines = []
    for rank, (at, following) in enumerate(zip(order, [*order[1:], None], strict=True), 1):
        entrant = entrants[at]
        rated = ratings.mu[at] is not None
        both_rated = rated and following is not None and ratings.mu[following] is not None
        lines.append(
            Line(
                entrant=entrant,
                rank=rank if rated else None,
                mu=ratings.mu[at],
                sigma=ratings.sigma[at],
                summary=summaries.get(entrant.id),
                planned_boards=played_before[entrant.id]
                + (0 if entrant.state == "replaced" else planned.get(entrant.name, 0)),
                faults=faults.get(entrant.id, {}),
                totals=totals.get(entrant.id, EntrantTotals()),
                above_beyond_doubt=both_rated
                and following is not None
                and difference(boards, entrant.id, entrants[following].id).beyond_doubt,
                submitted=submitted[entrant.name],
                late=covered is not None and (entrant.name, entrant.version) not in covered,
            )
        )
    return tuple(lines)


def _planned_boards(plan: Plan) -> dict[str, int]:
    """How many boards each entrant is to play, by name."""
    planned: dict[str, int] = {}
    for table in plan.tables():
        for entrant in table.entrants:
            planned[entrant.name] = planned.get(entrant.name, 0) + plan.deals
    return planned


def _basis(boards: list[Board], entrants: list[StoredEntrant]) -> str:
    """A hash of all that ratings depend on."""
    names = {entrant.id: f"{entrant.name}/{entrant.version}" for entrant in entrants}
    digest = sha256()
    for board in boards:
        players = [names[entrant] for entrant in board.entrants]
        digest.update(repr((board.table, board.deal, players, board.penalties)).encode())
    return digest.hexdigest()


def _by_index(board: Board, index: dict[int, int]) -> Board:
    return replace(board, entrants=tuple(index[entrant] for entrant in board.entrants))


def _plays(reader: Reader, *, all_versions: bool) -> Iterator[Play]:
    logs = reader.deal_logs_of_all_versions() if all_versions else reader.deal_logs()
    for log in logs:
        march = log.penalties.index(0) if sum(log.penalties) > 1 else None
        yield Play(log.table, log.deal, log.rotation, log.entrants, log.seats, log.penalties, march)
