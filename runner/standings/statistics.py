"""Penalties per deal, differences and the cross-table, with errors clustered by board.

The k plays of a board share their cards, so single plays are not independent and standard
errors over them are too small. Boards are independent: every error here is taken over
boards (cluster-robust standard errors; Liang and Zeger 1986, "Longitudinal data analysis
using generalized linear models"). All sums are exact or exactly rounded, so that the order
of the boards does not matter.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from runner.standings.boards import Board
from runner.standings.ratings import Ratings

LEVEL = 0.05

FEWEST_BOARDS = 6
"""With fewer boards nothing is beyond doubt: even if all agree, a sign test stays above 5%."""

# Ratings are right to about 1e-5; entrants who differ by less are tied in mu.
_MU_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Summary:
    """What an entrant did on its whole boards.

    Attributes:
        entrant: key.
        boards: number of boards.
        deals: number of plays, k to a board.
        penalties_per_deal: mean.
        standard_error: of `penalties_per_deal`, clustered by board; None with one board.
        by_position: mean penalties per deal on each seat.
        marches: plays in which it won all tricks.
    """

    entrant: int
    boards: int
    deals: int
    penalties_per_deal: float
    standard_error: float | None
    by_position: tuple[float, ...]
    marches: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Penalties per deal of one entrant minus those of another, over all boards of each.

    Attributes:
        entrant: key; it did better if `difference` is negative.
        opponent: key.
        difference: penalties per deal.
        standard_error: clustered by board; None if either has only one board.
        beyond_doubt: whether |difference| is above two standard errors, and each has at
            least `FEWEST_BOARDS` boards.
    """

    entrant: int
    opponent: int
    difference: float
    standard_error: float | None
    beyond_doubt: bool


@dataclass(frozen=True, slots=True)
class Encounter:
    """A cell of the cross-table: two entrants on the boards that both of them played.

    Attributes:
        entrant: key; it did better if `difference` is negative.
        opponent: key.
        boards: number of common boards.
        difference: mean difference of penalties per board (of k plays).
        standard_error: of `difference`, over boards; None with one board.
        z: `difference` in standard errors; None if there is none or it is zero.
        beyond_doubt: whether they differ at 5% over all pairs of the table together.
    """

    entrant: int
    opponent: int
    boards: int
    difference: float
    standard_error: float | None
    z: float | None
    beyond_doubt: bool


def summarise(boards: Iterable[Board]) -> dict[int, Summary]:
    """Summarise each entrant that is on a board, by entrant key.

    Raises:
        ValueError: if boards differ in their number of entrants.
    """
    boards = list(boards)
    size = _size(boards)
    lines: dict[int, list[tuple[Board, int]]] = {}
    for board in boards:
        for place, entrant in enumerate(board.entrants):
            lines.setdefault(entrant, []).append((board, place))
    return {entrant: _summary(entrant, lines[entrant], size) for entrant in sorted(lines)}


def _size(boards: Sequence[Board]) -> int:
    sizes = {len(board.entrants) for board in boards}
    if len(sizes) > 1:
        raise ValueError(f"boards of {sorted(sizes)} entrants, expected one number")
    return sizes.pop() if sizes else 0


def _summary(entrant: int, lines: list[tuple[Board, int]], size: int) -> Summary:
    totals = [board.penalties[place] for board, place in lines]
    seats = zip(*(board.by_position[place] for board, place in lines), strict=True)
    error = _error_of_mean(totals)
    return Summary(
        entrant=entrant,
        boards=len(lines),
        deals=len(lines) * size,
        penalties_per_deal=sum(totals) / (len(lines) * size),
        standard_error=None if error is None else error / size,
        by_position=tuple(sum(seat) / len(lines) for seat in seats),
        marches=sum(board.marches[place] for board, place in lines),
    )


def _error_of_mean(values: Sequence[int]) -> float | None:
    """Standard error of the mean of independent values; None with fewer than two."""
    count = len(values)
    if count <= 1:
        return None
    # Whole numbers until the end: equal values give exactly zero.
    squares = count * sum(value * value for value in values) - sum(values) ** 2
    return math.sqrt(squares / (count - 1)) / count


def difference(boards: Iterable[Board], entrant: int, opponent: int) -> Difference:
    """Compare two entrants over all boards of each, whether they met or not.

    The error is that of a difference of two means, linearised: with a_b the mean per deal
    of `entrant` on board b less its overall mean (0 where it is absent), b_b likewise for
    `opponent`, variance = n / (n-1) * sum over boards of (a_b / n_A - b_b / n_B)^2, where n
    counts the boards with either of them. What they share on a board cancels.

    Raises:
        ValueError: if one of them has no board, if both are the same, or if boards differ in
            their number of entrants.
    """
    if entrant == opponent:
        raise ValueError(f"entrant {entrant} compared with itself")
    boards = [board for board in boards if {entrant, opponent} & set(board.entrants)]
    size = _size(boards)
    ours, theirs = _totals(boards, entrant), _totals(boards, opponent)
    # Over one denominator, so that equal means differ by exactly nothing.
    crossed = sum(ours.values()) * len(theirs) - sum(theirs.values()) * len(ours)
    value = crossed / (len(ours) * len(theirs) * size)
    fewest = min(len(ours), len(theirs))
    error = None
    if fewest > 1:
        error = _error_of_difference(ours, theirs, len(boards)) / size
    doubtless = error is not None and fewest >= FEWEST_BOARDS and abs(value) > 2 * error
    return Difference(entrant, opponent, value, error, doubtless)


def _totals(boards: Sequence[Board], entrant: int) -> dict[int, int]:
    """Penalties of an entrant by number of the board, for the boards that it is on."""
    totals = {
        number: board.penalties[board.entrants.index(entrant)]
        for number, board in enumerate(boards)
        if entrant in board.entrants
    }
    if not totals:
        raise ValueError(f"entrant {entrant} has no board")
    return totals


def _error_of_difference(ours: Mapping[int, int], theirs: Mapping[int, int], boards: int) -> float:
    parts = [0.0] * boards
    for totals, sign in ((ours, 1), (theirs, -1)):
        count, whole = len(totals), sum(totals.values())
        for number, value in totals.items():
            parts[number] += sign * (value * count - whole) / count**2
    return math.sqrt(math.fsum(part * part for part in parts) * boards / (boards - 1))


def cross_table(boards: Iterable[Board]) -> dict[tuple[int, int], Encounter]:
    """Compare each two entrants on their common boards, by (entrant, opponent), both ways.

    Pairs that never met are left out. "Beyond doubt" is a two-sided normal test of z, held
    at 5% over all pairs together by Holm's method (Holm 1979, "A simple sequentially
    rejective multiple test procedure"). Where all boards of a pair give the same difference
    there is no z, and a sign test takes its place.
    """
    differences: dict[tuple[int, int], list[int]] = {}
    for board in boards:
        pairs = combinations(sorted(zip(board.entrants, board.penalties, strict=True)), 2)
        for (one, ours), (other, theirs) in pairs:
            differences.setdefault((one, other), []).append(ours - theirs)
    rejected = _holm({pair: _p_value(values) for pair, values in differences.items()})
    cells = {}
    for (one, other), values in sorted(differences.items()):
        doubtless = (one, other) in rejected
        cells[one, other] = _encounter(one, other, values, doubtless)
        mirrored = [-value for value in values]
        cells[other, one] = _encounter(other, one, mirrored, doubtless)
    return cells


def _encounter(one: int, other: int, values: Sequence[int], doubtless: bool) -> Encounter:
    mean = sum(values) / len(values)
    error = _error_of_mean(values)
    z = mean / error if error else None
    return Encounter(one, other, len(values), mean, error, z, doubtless)


def _p_value(values: Sequence[int]) -> float:
    """Two-sided chance of a mean so far from zero, if there is no difference."""
    if len(values) < FEWEST_BOARDS or sum(values) == 0:
        return 1.0
    error = _error_of_mean(values)
    if not error:
        return 2.0 ** (1 - len(values))
    return math.erfc(abs(sum(values)) / len(values) / error / math.sqrt(2))


def _holm(p_values: Mapping[tuple[int, int], float]) -> set[tuple[int, int]]:
    rejected: set[tuple[int, int]] = set()
    for pair in sorted(p_values, key=lambda pair: (p_values[pair], pair)):
        if p_values[pair] > LEVEL / (len(p_values) - len(rejected)):
            break
        rejected.add(pair)
    return rejected


def rank_order(
    ratings: Ratings, summaries: Mapping[int, Summary], names: Sequence[str]
) -> list[int]:
    """Entrant keys, best first: by mu, then fewer penalties per deal, then name.

    Entrants within 1e-4 in mu can count as tied, which is far below any sigma. Those without
    a rating come last.
    """

    def standing(key: int) -> tuple[bool, float, float, str]:
        mu = ratings.mu[key]
        if mu is None:
            return True, 0.0, 0.0, names[key]
        return False, -round(mu, _MU_DIGITS), summaries[key].penalties_per_deal, names[key]

    return sorted(range(len(names)), key=standing)
