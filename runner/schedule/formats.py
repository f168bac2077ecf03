"""Schedule formats: which entrants meet at a table. A new one is a function and a line here."""

from collections.abc import Callable, Iterator
from itertools import combinations
from math import comb


def round_robin(entrants: int, players: int) -> Iterator[tuple[int, ...]]:
    """Every set of `players` entrants meets at one table."""
    return combinations(range(entrants), players)


FORMATS: dict[str, Callable[[int, int], Iterator[tuple[int, ...]]]] = {
    "round_robin": round_robin,
}
"""By the name that stands in the league file: entrants and players to tables of entrants."""


TABLE_COUNTS: dict[str, Callable[[int, int], int]] = {
    "round_robin": comb,
}
"""How many tables a format has, without making them."""
