"""TrueSkill ratings that do not depend on the order of the boards.

Ordinary TrueSkill is one pass over the games and depends on their order. Here the games
are swept again and again, each time with the game's own earlier contribution taken out
first: expectation propagation (Minka 2001, "Expectation Propagation for Approximate
Bayesian Inference"; for TrueSkill: Dangauthier, Herbrich, Minka, Graepel 2007, "TrueSkill
Through Time"). The first sweep is ordinary TrueSkill. The `trueskill` package does the
mathematics of one game; nothing of it leaves this module.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from statistics import NormalDist
from typing import Any, NamedTuple

import trueskill

from runner.standings.boards import Board

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA / 2
DRAW_PROBABILITY_RANGE = (0.001, 0.6)
TOLERANCE = 1e-6
MAX_SWEEPS = 100

Progress = Callable[[int, int], None]
"""Called with the number of the sweep, from 1, and the boards done in it."""

# Like games are updated together in blocks of at most this share of all games. Larger
# blocks overshoot, and updating everything at once need not converge.
_BLOCK_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Game:
    """One free-for-all.

    Attributes:
        players: indices of at least two players. Their order matters among the tied: the
            package compares neighbours only.
        ranks: rank of each, in the same order; lower is better, equal is a tie.
    """

    players: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """Ratings of the players of `rate_games`, by index.

    Attributes:
        mu: means.
        sigma: standard deviations.
        sweeps: how many sweeps were made.
        converged: whether they settled. If not, mu and sigma are those of the first sweep.
            One sweep by itself never shows that it has settled, unless there are no games.
    """

    mu: tuple[float, ...]
    sigma: tuple[float, ...]
    sweeps: int
    converged: bool


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of a pool, by entrant key; None for entrants without a board.

    Attributes:
        mu: means; their mean over the pool is 25.
        sigma: standard deviations, of use for differences between entrants only.
        draw_probability: the share of tied pairs that the ratings were computed with.
        sweeps: how many sweeps over the boards were made.
        converged: whether they settled. If not, these are the ratings of the first sweep,
            which depend on the order of the boards.
    """

    mu: tuple[float | None, ...]
    sigma: tuple[float | None, ...]
    draw_probability: float
    sweeps: int
    converged: bool


def rate_boards(
    boards: Iterable[Board], names: Sequence[str], *, progress: Progress | None = None
) -> Ratings:
    """Rate entrants by their penalties on whole boards, fewest first.

    The result is the same to the last bit for any order of the boards and any numbering of
    the entrants.

    Args:
        boards: in any order.
        names: identity of each entrant by key, such as "name/version". They decide the
            order of computation, so they must be the same from run to run.
        progress: called after every step of a sweep.

    Raises:
        ValueError: if a name or a board stands twice, or a board has an unknown entrant.
    """
    if len(set(names)) != len(names):
        raise ValueError("two entrants have the same name")
    ordered = _canonical(boards, len(names))
    keys = sorted({key for board in ordered for key in board.entrants}, key=names.__getitem__)
    index_of = {key: index for index, key in enumerate(keys)}
    draw_probability = tied_share(ordered)
    games = [_game(board, names, index_of) for board in ordered]
    fit = rate_games(games, len(keys), draw_probability=draw_probability, progress=progress)
    mu: list[float | None] = [None] * len(names)
    sigma: list[float | None] = [None] * len(names)
    offset = MU - math.fsum(fit.mu) / len(keys) if keys else 0.0
    for key, index in index_of.items():
        mu[key] = fit.mu[index] + offset
        sigma[key] = fit.sigma[index]
    return Ratings(tuple(mu), tuple(sigma), draw_probability, fit.sweeps, fit.converged)


def tied_share(boards: Iterable[Board]) -> float:
    """Share of tied pairs among all pairs of entrants of a board, within [0.001, 0.6].

    Zero is never returned: with it the package gets ties silently wrong.
    """
    tied = pairs = 0
    for board in boards:
        for one, other in combinations(board.penalties, 2):
            tied += one == other
            pairs += 1
    low, high = DRAW_PROBABILITY_RANGE
    return min(max(tied / pairs, low), high) if pairs else low


def _canonical(boards: Iterable[Board], entrants: int) -> list[Board]:
    ordered = sorted(boards, key=lambda board: (board.table, board.deal))
    last = None
    for board in ordered:
        if (board.table, board.deal) == last:
            raise ValueError(f"table {board.table}, deal {board.deal}: the board stands twice")
        last = (board.table, board.deal)
        if not all(0 <= key < entrants for key in board.entrants):
            raise ValueError(
                f"table {board.table}, deal {board.deal}: entrants {board.entrants},"
                f" but there are only {entrants} names"
            )
    return ordered


def _game(board: Board, names: Sequence[str], index_of: dict[int, int]) -> Game:
    """A board as a game; chance, but always the same chance, decides the order of the tied."""

    def lot(place: int) -> bytes:
        text = f"{board.table}/{board.deal}/{names[board.entrants[place]]}"
        return hashlib.sha256(text.encode()).digest()

    places = sorted(range(len(board.entrants)), key=lot)
    return Game(
        players=tuple(index_of[board.entrants[place]] for place in places),
        ranks=tuple(board.penalties[place] for place in places),
    )


def rate_games(
    games: Sequence[Game],
    players: int,
    *,
    draw_probability: float,
    tau: float = 0.0,
    max_sweeps: int = MAX_SWEEPS,
    progress: Progress | None = None,
) -> Fit:
    """Rate players by games, in the order given of games and of players in a game.

    Sweeps go on until no mu or sigma changes by 1e-6 or more. A game that cannot be updated
    (a cavity without positive precision, or numbers beyond the package's range) keeps its
    earlier contribution for that sweep, and the sweep does not count as settled.

    From the second sweep on, games with the same players in the same order of ranks share
    one contribution, in blocks of at most 5% of the games. They have the same contribution
    at the fixed point, so the ratings do not change, but far fewer updates are needed.

    Args:
        games: the games.
        players: how many players there are; those without a game keep (25, 25/3).
        draw_probability: above 0 and below 1.
        tau: growth of sigma before each game. It makes sense only if the order of the games
            is an order in time, and then for one sweep only.
        max_sweeps: 1 is ordinary TrueSkill.
        progress: called after every update.

    Raises:
        ValueError: for a draw probability out of range, or tau with more than one sweep.
    """
    if not 0 < draw_probability < 1:
        raise ValueError(f"draw probability {draw_probability}, expected above 0 and below 1")
    if tau and max_sweeps != 1:
        raise ValueError("tau needs max_sweeps=1: games that are swept again have no order")
    pool = _Pool(games, players, draw_probability, tau)
    first = before = pool.moments()
    for sweep in range(1, max_sweeps + 1):
        complete = pool.sweep(sweep, progress)
        if sweep == 1:
            first = pool.moments()
            pool.merge_like_games()
        pool.recentre()
        now = pool.moments()
        if complete and _largest_change(before, now) < TOLERANCE:
            return Fit(*now, sweeps=sweep, converged=True)
        before = now
    return Fit(*first, sweeps=max_sweeps, converged=False)


class _Moments(NamedTuple):
    mu: tuple[float, ...]
    sigma: tuple[float, ...]


def _largest_change(before: _Moments, after: _Moments) -> float:
    pairs = zip(before.mu + before.sigma, after.mu + after.sigma, strict=True)
    return max((abs(new - old) for old, new in pairs), default=0.0)


class _Gaussian(NamedTuple):
    """A Gaussian factor as precision and precision times mean: products become sums."""

    precision: float
    weighted: float

    def times(self, other: "_Gaussian", power: int = 1) -> "_Gaussian":
        return _Gaussian(
            self.precision + power * other.precision, self.weighted + power * other.weighted
        )

    def over(self, other: "_Gaussian") -> "_Gaussian":
        return _Gaussian(self.precision - other.precision, self.weighted - other.weighted)

    @property
    def is_proper(self) -> bool:
        return 0 < self.precision < math.inf and math.isfinite(self.weighted)

    @property
    def mu(self) -> float:
        return self.weighted / self.precision

    @property
    def sigma(self) -> float:
        return 1 / math.sqrt(self.precision)


_PRIOR = _Gaussian(SIGMA**-2, MU * SIGMA**-2)
_NOTHING_YET = _Gaussian(0.0, 0.0)


@dataclass(slots=True)
class _Block:
    """Like games, best first, with what one of them contributes to each of its players."""

    players: tuple[int, ...]
    ranks: tuple[int, ...]
    games: int
    sites: list[_Gaussian]


def _block(game: Game) -> _Block:
    order = sorted(range(len(game.players)), key=game.ranks.__getitem__)
    distinct = sorted(set(game.ranks))
    return _Block(
        players=tuple(game.players[place] for place in order),
        ranks=tuple(distinct.index(game.ranks[place]) for place in order),
        games=1,
        sites=[_NOTHING_YET] * len(order),
    )


class _Pool:
    """State of the sweeps: a posterior per player = prior x all sites of its games."""

    def __init__(
        self, games: Sequence[Game], players: int, draw_probability: float, tau: float
    ) -> None:
        self._posteriors = [_PRIOR] * players
        self._blocks = [_block(game) for game in games]
        self._block_limit = max(1, int(len(games) * _BLOCK_SHARE))
        self._components = _components(games)
        self._environment = _environment(draw_probability, tau)

    def moments(self) -> _Moments:
        return _Moments(
            tuple(posterior.mu for posterior in self._posteriors),
            tuple(posterior.sigma for posterior in self._posteriors),
        )

    def sweep(self, number: int, progress: Progress | None) -> bool:
        """Update every block once; return whether all could be updated."""
        complete = True
        done = 0
        for block in self._blocks:
            complete &= self._update(block)
            done += block.games
            if progress:
                progress(number, done)
        return complete

    def _update(self, block: _Block) -> bool:
        olds = [self._posteriors[player] for player in block.players]
        cavities = [old.over(site) for old, site in zip(olds, block.sites, strict=True)]
        if not all(cavity.is_proper for cavity in cavities):
            return False
        rated = self._rate(cavities, block.ranks)
        if rated is None:
            return False
        sites = [new.over(cavity) for new, cavity in zip(rated, cavities, strict=True)]
        news = [
            old.times(site.over(former), block.games)
            for old, site, former in zip(olds, sites, block.sites, strict=True)
        ]
        if not all(new.is_proper for new in news):
            return False
        block.sites = sites
        for player, new in zip(block.players, news, strict=True):
            self._posteriors[player] = new
        return True

    def _rate(self, cavities: list[_Gaussian], ranks: tuple[int, ...]) -> list[_Gaussian] | None:
        groups = [(trueskill.Rating(cavity.mu, cavity.sigma),) for cavity in cavities]
        try:
            rated = self._environment.rate(groups, ranks=ranks)
        except (ArithmeticError, ValueError):
            # The package's answers to a result that it holds for all but impossible.
            return None
        return [_Gaussian(rating.pi, rating.tau) for (rating,) in rated]

    def merge_like_games(self) -> None:
        """Put like games into blocks; no posterior changes, as a block keeps their mean."""
        alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[_Block]] = {}
        for block in self._blocks:
            alike.setdefault((block.players, block.ranks), []).append(block)
        limit = self._block_limit
        self._blocks = [
            _merged(blocks[start : start + limit])
            for blocks in alike.values()
            for start in range(0, len(blocks), limit)
        ]

    def recentre(self) -> None:
        """Move players who are linked by games, together, to a mean mu of 25.

        That mean holds at the fixed point: a game's likelihood depends on differences only,
        so its tilted distribution keeps the precision-weighted mean of its cavities; summed
        over the games, the pull of the priors is zero. Sweeps alone creep towards it for
        thousands of rounds (the more games, the slower), as each game is held in place by
        all others. A move by x adds x * precision to the weighted mean of a site, and leaves
        the prior where it is.
        """
        offsets = [0.0] * len(self._posteriors)
        for component in self._components:
            offset = self._offset([self._posteriors[player] for player in component])
            for player in component:
                offsets[player] = offset
        for block in self._blocks:
            block.sites = [
                _moved(site, offsets[player])
                for player, site in zip(block.players, block.sites, strict=True)
            ]
        self._posteriors = [
            _PRIOR.times(_moved(posterior.over(_PRIOR), offset))
            for posterior, offset in zip(self._posteriors, offsets, strict=True)
        ]

    @staticmethod
    def _offset(posteriors: list[_Gaussian]) -> float:
        missing = math.fsum(MU - posterior.mu for posterior in posteriors)
        yields = math.fsum(1 - _PRIOR.precision / posterior.precision for posterior in posteriors)
        return missing / yields if yields > 0 else 0.0


def _merged(blocks: list[_Block]) -> _Block:
    games = len(blocks)
    sites = [
        _Gaussian(
            math.fsum(site.precision for site in sites) / games,
            math.fsum(site.weighted for site in sites) / games,
        )
        for sites in zip(*(block.sites for block in blocks), strict=True)
    ]
    return _Block(blocks[0].players, blocks[0].ranks, games, sites)


def _moved(site: _Gaussian, offset: float) -> _Gaussian:
    return _Gaussian(site.precision, site.weighted + offset * site.precision)


def _components(games: Iterable[Game]) -> list[list[int]]:
    """Players who are linked by games, directly or through others."""
    component_of: dict[int, list[int]] = {}
    for players in dict.fromkeys(game.players for game in games):
        merged: list[int] = []
        for player in players:
            if player not in merged:
                merged += component_of.get(player, [player])
        for player in merged:
            component_of[player] = merged
    return list({id(component): component for component in component_of.values()}.values())


_ROOT_2 = math.sqrt(2)
_ROOT_2_PI = math.sqrt(2 * math.pi)
_quantile = lru_cache(maxsize=16)(NormalDist().inv_cdf)


def _cdf(x: float) -> float:
    return math.erfc(-x / _ROOT_2) / 2


def _pdf(x: float) -> float:
    return math.exp(-x * x / 2) / _ROOT_2_PI


def _environment(draw_probability: float, tau: float) -> Any:
    """The package with exact tails: its own erfc is right to 1e-7 only, and slower.

    It asks for the same quantile for each pair of each game, hence the cache.
    """
    return trueskill.TrueSkill(
        mu=MU,
        sigma=SIGMA,
        beta=BETA,
        tau=tau,
        draw_probability=draw_probability,
        backend=(_cdf, _pdf, _quantile),
    )
