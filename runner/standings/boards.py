"""Boards, the unit of all statistics, gathered from single plays."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Play:
    """One deal played once, in one rotation, at a table of k entrants.

    A *place* is an index into `entrants`, a *seat* the place at the card table.

    Attributes:
        table: table key, hex.
        deal: number of the deal at its table.
        rotation: 0 to k-1.
        entrants: k entrant keys, in the table's base order.
        seats: for each seat the place of the entrant who sits there.
        penalties: penalty points of this play, by seat.
        march: seat that won all tricks, or None.
    """

    table: str
    deal: int
    rotation: int
    entrants: tuple[int, ...]
    seats: tuple[int, ...]
    penalties: tuple[int, ...]
    march: int | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """One deal at one table, played once in each of the k rotations.

    Attributes:
        table: table key, hex.
        deal: number of the deal at its table.
        entrants: k entrant keys, in the table's base order.
        penalties: penalty points summed over the rotations, in the order of `entrants`.
        by_position: for each entrant, the penalty points it scored on each seat.
        marches: for each entrant, in how many of the k plays it made a march.
    """

    table: str
    deal: int
    entrants: tuple[int, ...]
    penalties: tuple[int, ...]
    by_position: tuple[tuple[int, ...], ...]
    marches: tuple[int, ...]


def whole_boards(plays: Iterable[Play]) -> list[Board]:
    """Gather plays into boards, and leave out boards that lack a rotation.

    Args:
        plays: in any order, of any number of tables.

    Returns:
        The whole boards in canonical order: by table key, then deal.

    Raises:
        ValueError: if a rotation stands twice, if a play contradicts itself, or if the
            plays of a board are not one board (other entrants, a seat taken twice).
    """
    rotations_of: dict[tuple[str, int], dict[int, Play]] = {}
    for play in plays:
        _check_play(play)
        rotations = rotations_of.setdefault((play.table, play.deal), {})
        if play.rotation in rotations:
            raise ValueError(f"{_where(play)}: rotation {play.rotation} stands twice")
        rotations[play.rotation] = play
    return [
        _board(list(rotations.values()))
        for _, rotations in sorted(rotations_of.items())
        if len(rotations) == len(next(iter(rotations.values())).entrants)
    ]


def _where(play: Play) -> str:
    return f"table {play.table}, deal {play.deal}"


def _check_play(play: Play) -> None:
    size = len(play.entrants)
    if len(set(play.entrants)) != size:
        raise ValueError(f"{_where(play)}: an entrant stands twice in {play.entrants}")
    if not 0 <= play.rotation < size:
        raise ValueError(f"{_where(play)}: rotation {play.rotation}, expected 0 to {size - 1}")
    if sorted(play.seats) != list(range(size)):
        raise ValueError(f"{_where(play)}: seats {play.seats} do not hold each place once")
    if len(play.penalties) != size:
        raise ValueError(f"{_where(play)}: {len(play.penalties)} penalties for {size} seats")
    if play.march is not None and not 0 <= play.march < size:
        raise ValueError(f"{_where(play)}: march of seat {play.march}, expected 0 to {size - 1}")


def _board(plays: list[Play]) -> Board:
    first = plays[0]
    size = len(first.entrants)
    scored: list[dict[int, int]] = [{} for _ in range(size)]
    marches = [0] * size
    for play in plays:
        if play.entrants != first.entrants:
            raise ValueError(
                f"{_where(play)}: entrants {play.entrants} in one rotation,"
                f" {first.entrants} in another"
            )
        for seat, place in enumerate(play.seats):
            if seat in scored[place]:
                raise ValueError(f"{_where(play)}: place {place} sits on seat {seat} twice")
            scored[place][seat] = play.penalties[seat]
        if play.march is not None:
            marches[play.seats[play.march]] += 1
    by_position = tuple(tuple(seats[seat] for seat in range(size)) for seats in scored)
    return Board(
        table=first.table,
        deal=first.deal,
        entrants=first.entrants,
        penalties=tuple(map(sum, by_position)),
        by_position=by_position,
        marches=tuple(marches),
    )
