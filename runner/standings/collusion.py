"""Who does better with whom at the table than all other results predict. Pure.

The question, for each ordered pair: does i do better when j sits at the table than i's other
tables, and what j's company is worth to everybody else, make one expect? Penalties are what counts,
whatever they came from, so a deal forfeited for a friend counts as well.

1. *What each opponent is worth to i.* To begin with, the penalties of a table fall on its entrants
   in proportion to weights, one for each entrant, fitted on all boards (Luce 1959, "Individual
   Choice Behavior"). What i scores beyond its share (in units of the standard deviation of its
   penalties within tables) is fitted by least squares as a sum of one effect for each opponent at
   the table. A board gives i one number, so errors over boards are clustered by board:
   the sandwich of Huber and White (Liang and Zeger 1986), with deviations from the table's mean.
2. *What is expected.* All these effects together follow a two-way additive model, b_ij = r_i + c_j:
   r_i is how i takes company, c_j what j's company is worth to anybody. Both are fitted on all
   other pairs, without (i, j) and (j, i), and what b_ij lies below that is i's *gain* from j.
3. *How sure.* Two things can bring a gain without any wrong. Chance: z is the gain over its error
   from step 1. And style: some bots just suit some others. So t is the gain over what the gains of
   all other pairs vary by, the externally studentised residual (Cook and Weisberg 1982, "Residuals
   and Influence in Regression", 2.2.1). The pairs of an entrant share its style, so they say less
   than so many independent ones: t gets half its degrees of freedom. The p-value of a pair is the
   larger of the two one-sided ones: an intersection-union test (Berger 1982), whose error is at
   most that of either.
4. *All pairs together.* Holm's method over all ordered pairs: the chance that an honest league has
   any suspect is at most `LEVEL`, if what styles do to each other is normal over pairs. Measured:
   6 of 272 honest leagues of really played games.

What it cannot see: friends who help each other everywhere alike, a whole league of friends, help
that is worth less than styles differ by. `leagues/README.md` has what was measured.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from runner.standings.boards import Board

LEVEL = 0.05
"""The chance that any pair of an honest league is suspected."""

_SINGULAR = 1e-9
_SWEEPS = 200
_SETTLED = 1e-9

Matrix = list[list[float]]


@dataclass(frozen=True, slots=True)
class Company:
    """What it is worth to one entrant that another sits at its table.

    Attributes:
        entrant: key of who may gain.
        friend: key of who may help.
        boards: their common boards.
        gain: penalties per board that it scores less than expected.
        z: the gain over its error by chance.
        t: the gain over what gains of other pairs vary by.
        p: chance of such a gain among the honest.
        suspect: whether that is too little, with all pairs together.
    """

    entrant: int
    friend: int
    boards: int
    gain: float
    z: float
    t: float
    p: float
    suspect: bool


@dataclass(slots=True)
class _Seen:
    """What one entrant scored with some opponents: boards, sum, sum of squares."""

    boards: int = 0
    total: int = 0
    squares: int = 0

    def add(self, penalties: int) -> None:
        self.boards += 1
        self.total += penalties
        self.squares += penalties * penalties

    @property
    def spread(self) -> float:
        """The sum of squared deviations from the mean."""
        return self.squares - self.total * self.total / self.boards


@dataclass(frozen=True, slots=True)
class _Table:
    """One entrant's boards with the same others: penalties beyond its share, and their spread."""

    others: tuple[int, ...]
    boards: int
    beyond: float
    spread: float


@dataclass(frozen=True, slots=True)
class _Effect:
    """One cell: what an opponent is worth, with its variance, in standard deviations."""

    entrant: int
    opponent: int
    value: float
    variance: float


def companies(boards: Iterable[Board]) -> list[Company]:
    """Judge all ordered pairs of entrants that can be judged, the most suspect first.

    A pair cannot be judged if one of them never sat at a table without the other, or if there are
    fewer entrants than players and one. Then it is left out.
    """
    tables: dict[tuple[int, ...], list[_Seen]] = {}
    for board in boards:
        line = sorted(zip(board.entrants, board.penalties, strict=True))
        members = tuple(entrant for entrant, _ in line)
        seen = tables.setdefault(members, [_Seen() for _ in members])
        for each, (_, penalties) in zip(seen, line, strict=True):
            each.add(penalties)
    weights = _weights(tables)
    by_entrant: dict[int, list[_Table]] = {}
    common: dict[tuple[int, int], int] = {}
    for members, seen in sorted(tables.items()):
        total = sum(each.total for each in seen)
        whole = math.fsum(weights[member] for member in members)
        for at, (entrant, each) in enumerate(zip(members, seen, strict=True)):
            others = members[:at] + members[at + 1 :]
            beyond = each.total - total * weights[entrant] / whole
            by_entrant.setdefault(entrant, []).append(
                _Table(others, each.boards, beyond, each.spread)
            )
            for other in others:
                common[entrant, other] = common.get((entrant, other), 0) + each.boards
    deviations = {entrant: _deviation(seats) for entrant, seats in sorted(by_entrant.items())}
    effects = [
        effect
        for entrant, seats in sorted(by_entrant.items())
        if deviations[entrant] > 0
        for effect in _effects(entrant, seats, deviations[entrant])
    ]
    judged = [
        Company(
            effect.entrant,
            effect.opponent,
            common[effect.entrant, effect.opponent],
            gain * deviations[effect.entrant],
            z,
            t,
            p,
            False,
        )
        for effect, gain, z, t, p in _judged(effects)
    ]
    return _with_suspects(sorted(judged, key=lambda each: (each.p, each.entrant, each.friend)))


def _weights(tables: Mapping[tuple[int, ...], Sequence[_Seen]]) -> dict[int, float]:
    """By entrant how it draws penalties: at a table each gets them in proportion (Luce).

    The fit gives each entrant as many penalties in all as it has (Hunter 2004, "MM algorithms for
    generalized Bradley-Terry models"), but for half a one, so that who has none has a weight too.
    """
    scored: dict[int, float] = {}
    for members, seen in tables.items():
        for member, each in zip(members, seen, strict=True):
            scored[member] = scored.get(member, 0.5) + each.total
    weights = dict.fromkeys(sorted(scored), 1.0)
    for _ in range(_SWEEPS if scored else 0):
        shares = dict.fromkeys(weights, 0.0)
        for members, seen in sorted(tables.items()):
            share = sum(each.total for each in seen) / math.fsum(weights[one] for one in members)
            for member in members:
                shares[member] += share
        fitted = {one: scored[one] / max(shares[one], _SINGULAR) for one in weights}
        mean = math.fsum(fitted.values()) / len(fitted)
        fitted = {one: weight / mean for one, weight in fitted.items()}
        moved = max(abs(fitted[one] / weights[one] - 1.0) for one in weights)
        weights = fitted
        if moved < _SETTLED:
            break
    return weights


def _deviation(tables: Sequence["_Table"]) -> float:
    """The standard deviation of an entrant's penalties per board, within tables."""
    freedom = sum(table.boards - 1 for table in tables)
    spread = sum(table.spread for table in tables)
    return math.sqrt(spread / freedom) if freedom > 0 else 0.0


def _effects(entrant: int, tables: Sequence[_Table], deviation: float) -> list[_Effect]:
    """What each opponent is worth to an entrant, about their mean; empty if it cannot be told."""
    opponents = sorted({other for table in tables for other in table.others})
    index = {opponent: at for at, opponent in enumerate(opponents)}
    size = len(opponents)
    normal = [[0.0] * size for _ in opponents]
    noise = [[0.0] * size for _ in opponents]
    scores = [0.0] * size
    for table in tables:
        at = [index[other] for other in table.others]
        # A table with one board says nothing of its spread; the common one stands for it.
        spread = table.spread / deviation**2 if table.boards > 1 else 1.0
        for row in at:
            scores[row] += table.beyond / deviation
            for column in at:
                normal[row][column] += table.boards
                noise[row][column] += spread
    inverse = _inverse(normal)
    if inverse is None or size < 2:
        return []
    values = _times(inverse, scores)
    covariance = _product(_product(inverse, noise), inverse)
    mean = math.fsum(values) / size
    rows = [math.fsum(row) / size for row in covariance]
    whole = math.fsum(rows) / size
    # The mean takes a share of each variance with it; what is meant is that of an effect alone.
    restored = size / (size - 1)
    return [
        _Effect(
            entrant,
            opponent,
            values[at] - mean,
            max((covariance[at][at] - 2 * rows[at] + whole) * restored, 0.0),
        )
        for opponent, at in index.items()
    ]


def _judged(effects: Sequence[_Effect]) -> list[tuple[_Effect, float, float, float, float]]:
    """For each effect how far it lies below what all others predict: gain, z, t, p."""
    names = sorted({effect.entrant for effect in effects} | {each.opponent for each in effects})
    index = {name: at for at, name in enumerate(names)}
    size = len(names)
    # A column for each row effect and each column effect but the last, which the others give.
    width = 2 * size - 1
    columns = [
        [at for at in (index[each.entrant], size + index[each.opponent]) if at < width]
        for each in effects
    ]
    normal = [[0.0] * width for _ in range(width)]
    scores = [0.0] * width
    for effect, cell in zip(effects, columns, strict=True):
        for row in cell:
            scores[row] += effect.value
            for column in cell:
                normal[row][column] += 1.0
    inverse = _inverse(normal)
    freedom = len(effects) - width - 2
    if inverse is None or freedom < 2:
        return []
    fitted = _times(inverse, scores)
    residuals = [
        effect.value - sum(fitted[column] for column in cell)
        for effect, cell in zip(effects, columns, strict=True)
    ]
    squares = math.fsum(residual * residual for residual in residuals)
    number = {(effect.entrant, effect.opponent): at for at, effect in enumerate(effects)}

    def leverage(one: int, other: int) -> float:
        return sum(inverse[row][column] for row in columns[one] for column in columns[other])

    judged = []
    for at, effect in enumerate(effects):
        mirrored = number.get((effect.opponent, effect.entrant))
        own, residual = 1.0 - leverage(at, at), residuals[at]
        if mirrored is None:
            left_out, explained, share = residual / own, residual * residual / own, 1.0 / own
        else:
            # Both cells of the pair are left out: (I - H)^-1 of the two.
            across, its = -leverage(at, mirrored), 1.0 - leverage(mirrored, mirrored)
            other, determinant = residuals[mirrored], own * its - across * across
            left_out = (its * residual - across * other) / determinant
            its_left_out = (own * other - across * residual) / determinant
            explained, share = residual * left_out + other * its_left_out, its / determinant
        spread = max(squares - explained, 0.0) / freedom
        gain = -left_out
        z = _ratio(gain, math.sqrt(effect.variance * share))
        t = _ratio(gain, math.sqrt(spread * share))
        p = max(0.5 * math.erfc(z / math.sqrt(2)), upper_tail_of_t(t, freedom // 2))
        judged.append((effect, gain, z, t, p))
    return judged


def _ratio(gain: float, error: float) -> float:
    return gain / error if error > 0 else 0.0


def _with_suspects(ordered: Sequence[Company]) -> list[Company]:
    """Holm's method over pairs that are ordered by p."""
    judged = []
    still = True
    for at, each in enumerate(ordered):
        still = still and each.p <= LEVEL / (len(ordered) - at)
        judged.append(
            Company(
                each.entrant, each.friend, each.boards, each.gain, each.z, each.t, each.p, still
            )
        )
    return judged


def upper_tail_of_t(t: float, freedom: int) -> float:
    """The chance that Student's t is above a value (Abramowitz and Stegun 1964, 26.7.3 and 4)."""
    angle = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    series = 0.0
    for at in range(1 + odd, freedom, 2):
        series += term
        term *= cosine * cosine * at / (at + 1)
    inner = (angle + sine * series) * 2 / math.pi if odd else sine * series
    return max((1.0 - inner) / 2, 0.0)


# Small dense matrices; a league has tens of entrants.


def _times(matrix: Matrix, vector: Sequence[float]) -> list[float]:
    return [math.fsum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def _product(one: Matrix, other: Matrix) -> Matrix:
    columns = list(zip(*other, strict=True))
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in one
    ]


def _inverse(matrix: Matrix) -> Matrix | None:
    """By Gauss and Jordan, with the largest pivot of each column; None if there is none."""
    size = len(matrix)
    rows = [
        [*row, *(float(at == column) for column in range(size))] for at, row in enumerate(matrix)
    ]
    scale = max((abs(value) for row in matrix for value in row), default=0.0)
    for at in range(size):
        best = max(range(at, size), key=lambda row: abs(rows[row][at]))
        if abs(rows[best][at]) <= _SINGULAR * scale:
            return None
        rows[at], rows[best] = rows[best], rows[at]
        pivot = rows[at][at]
        rows[at] = [value / pivot for value in rows[at]]
        for row in range(size):
            factor = rows[row][at]
            if row != at and factor:
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[at], strict=True)]
    return [row[size:] for row in rows]
