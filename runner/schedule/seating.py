"""Who sits where: circular orders and rotations of a duplicate board."""

from functools import cache
from itertools import islice, permutations
from math import factorial


def circular_orders(players: int) -> int:
    """How many circular orders a table of so many entrants has."""
    return factorial(players - 1)


@cache
def circular_order(players: int, number: int) -> tuple[int, ...]:
    """The places of a table in one circular order.

    Number o keeps place 0 first and takes the o-th permutation, in lexicographic order, of the
    others.
    """
    return (0, *next(islice(permutations(range(1, players)), number, None)))


@cache
def _seats(players: int, number: int, rotation: int) -> tuple[int, ...]:
    order = circular_order(players, number)
    return tuple(order[(seat - rotation) % players] for seat in range(players))


def seats(players: int, table_key: str, deal: int, rotation: int) -> tuple[int, ...]:
    """For each seat, the place of the entrant who sits there.

    A deal is played in every rotation of one circular order, and the order changes from deal to
    deal, since it matters who shoves to whom: its number is (deal + table key) mod (k - 1)!, and
    in rotation r who is i-th in it sits on seat (i + r) mod k.

    Args:
        players: k, the entrants of the table.
        table_key: the table's key, lowercase hex.
        deal: the number of the deal at the table, from 1.
        rotation: 0 to k - 1.
    """
    number = (deal + int(table_key, 16)) % circular_orders(players)
    return _seats(players, number, rotation)
