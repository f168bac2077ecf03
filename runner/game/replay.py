"""Replay of a recorded deal: does it follow the rules, from the cards dealt to the penalties?

The record is a mapping in the format of `letzter export --deals`, as JSON gives it, from anybody:
nothing about it is taken for granted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.errors import RulesError
from runner.game.cards import NAMES, card_of, mask_of
from runner.game.rules import POSITIONS, Play, Rules
from runner.game.state import Deal, Phase


@dataclass(frozen=True, slots=True)
class Record:
    """A recorded deal whose form has been checked, though not yet whether it is legal.

    Attributes:
        rules: the game.
        hands: the cards dealt, by seat.
        shoves: the cards of each shove, in order.
        plays: the cards played, in order.
        winners: the winner of each trick that the record claims.
        penalties: the penalties by seat that the record claims.
        fault_seat: the seat whose fault ended the deal, or None.
    """

    rules: Rules
    hands: tuple[tuple[int, ...], ...]
    shoves: tuple[tuple[int, ...], ...]
    plays: tuple[int, ...]
    winners: tuple[int, ...]
    penalties: tuple[int, ...]
    fault_seat: int | None = None


def replay(record: Mapping[str, Any]) -> Deal:
    """Play a recorded deal again and check every claim that it makes.

    A record with a `fault` may end early: it must be a legal beginning, and its penalties must
    charge the offender alone.

    Args:
        record: the fields `players`, `play`, `hands`, `shoves`, `plays`, `winners`, `penalties`,
            and `fault` where there was one; other fields are ignored.

    Returns:
        The deal as it stood at the end.

    Raises:
        RulesError: the record is malformed or illegal; the message names step, seat and card.
    """
    claimed = read_record(record)
    _check_hands(claimed)
    deal = Deal(claimed.rules, [mask_of(hand) for hand in claimed.hands])
    _replay_shoves(deal, claimed)
    _replay_plays(deal, claimed)
    _check_end(deal, claimed)
    return deal


def read_record(record: Mapping[str, Any]) -> Record:
    """Check the form of a record.

    Raises:
        RulesError: a field is missing, or is not of its form.
    """
    if not isinstance(record, Mapping):
        raise RulesError(f"expected an object, got {_brief(record)}")
    players = _field(record, "players")
    if type(players) is not int or players not in POSITIONS:
        raise RulesError(f"players: expected 3 or 4, got {_brief(players)}")
    play = _field(record, "play")
    if play not in tuple(Play):
        raise RulesError(f"play: expected anticlockwise or clockwise, got {_brief(play)}")
    return Record(
        rules=Rules(players, Play(play)),
        hands=tuple(_cards(hand, "hands") for hand in _list(record, "hands")),
        shoves=tuple(_cards(shove, "shoves") for shove in _list(record, "shoves")),
        plays=_cards(_list(record, "plays"), "plays"),
        winners=_ints(record, "winners"),
        penalties=_ints(record, "penalties"),
        fault_seat=_fault_seat(record, players),
    )


def _check_hands(claimed: Record) -> None:
    rules = claimed.rules
    names = POSITIONS[rules.players]
    if len(claimed.hands) != rules.players:
        raise RulesError(f"deal: {len(claimed.hands)} hands for {rules.players} players")
    dealt: dict[int, int] = {}
    for seat, hand in enumerate(claimed.hands):
        for card in hand:
            if card not in rules.pack:
                raise RulesError(f"deal, {names[seat]}: {NAMES[card]} is not in the pack")
            if card in dealt:
                raise RulesError(
                    f"deal, {names[seat]}: {NAMES[card]} was dealt to {names[dealt[card]]} too"
                    if dealt[card] != seat
                    else f"deal, {names[seat]}: {NAMES[card]} was dealt to him twice"
                )
            dealt[card] = seat
    for seat, hand in enumerate(claimed.hands):
        if len(hand) != rules.dealt_size(seat):
            raise RulesError(
                f"deal, {names[seat]}: dealt {len(hand)} cards, must be {rules.dealt_size(seat)}"
            )


def _replay_shoves(deal: Deal, claimed: Record) -> None:
    for number, cards in enumerate(claimed.shoves, 1):
        _with_step(f"shove {number}", deal.shove, cards)
    if deal.phase is Phase.SHOVE and (claimed.fault_seat is None or claimed.plays):
        raise RulesError(
            f"shove {len(claimed.shoves) + 1}, {deal.name(deal.seat)}: the shove is missing"
        )


def _replay_plays(deal: Deal, claimed: Record) -> None:
    for card in claimed.plays:
        before = len(deal.winners)
        _with_step(f"trick {before + 1}", deal.play, card)
        if len(deal.winners) > before:
            _check_winner(deal, claimed, before)
    if len(claimed.winners) > len(deal.winners):
        if deal.phase is Phase.DONE:
            raise RulesError(f"winners: {len(claimed.winners)} for {len(deal.winners)} tricks")
        step = f"trick {len(deal.winners) + 1}, {deal.name(deal.seat)}"
        raise RulesError(f"{step}: a card is missing, though the trick has a winner")


def _check_winner(deal: Deal, claimed: Record, trick: int) -> None:
    if trick >= len(claimed.winners):
        raise RulesError(f"trick {trick + 1}: its winner is missing")
    said, won = claimed.winners[trick], deal.winners[trick]
    if said != won:
        raise RulesError(
            f"trick {trick + 1}: won by {deal.name(won)} (seat {won}), but the record says "
            f"{_seat(said, deal.rules.players)}"
        )


def _check_end(deal: Deal, claimed: Record) -> None:
    players = deal.rules.players
    if claimed.fault_seat is not None:
        if deal.phase is Phase.DONE:
            raise RulesError("fault: the deal was played to its end, so no fault can have ended it")
        expected = tuple(int(seat == claimed.fault_seat) for seat in range(players))
        why = f"a fault of {deal.name(claimed.fault_seat)}"
    elif deal.phase is not Phase.DONE:
        raise RulesError(
            f"trick {len(deal.winners) + 1}, {deal.name(deal.seat)}: a card is missing"
        )
    else:
        expected = deal.penalties()
        last = deal.name(deal.winners[-1])
        why = f"a march of {last}" if sum(expected) > 1 else f"the last trick won by {last}"
    if claimed.penalties != expected:
        raise RulesError(
            f"penalties: {_brief(list(claimed.penalties))}, must be {list(expected)} after {why}"
        )


def _with_step(step: str, act: Any, action: Any) -> None:
    """Do one step of a deal, and let its error say which step it was."""
    try:
        act(action)
    except RulesError as error:
        raise RulesError(f"{step}, {error}") from None


def _field(record: Mapping[str, Any], name: str) -> Any:
    if name not in record:
        raise RulesError(f"{name}: the field is missing")
    return record[name]


def _list(record: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = _field(record, name)
    if not isinstance(value, list):
        raise RulesError(f"{name}: expected a list, got {_brief(value)}")
    return value


def _cards(value: object, field: str) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise RulesError(f"{field}: expected a list of cards, got {_brief(value)}")
    try:
        return tuple(card_of(name) for name in value)
    except RulesError as error:
        raise RulesError(f"{field}: {_brief(error)}") from None


def _ints(record: Mapping[str, Any], name: str) -> tuple[int, ...]:
    values = _list(record, name)
    for value in values:
        if type(value) is not int:
            raise RulesError(f"{name}: expected whole numbers, got {_brief(value)}")
    return tuple(values)


def _fault_seat(record: Mapping[str, Any], players: int) -> int | None:
    fault = record.get("fault")
    if fault is None:
        return None
    seat = fault.get("seat") if isinstance(fault, Mapping) else None
    if type(seat) is not int or not 0 <= seat < players:
        raise RulesError(f"fault: expected an object with a seat, got {_brief(fault)}")
    return seat


def _seat(seat: int, players: int) -> str:
    known = 0 <= seat < players
    return f"{POSITIONS[players][seat]} (seat {seat})" if known else f"seat {_brief(seat)}"


def _brief(value: object) -> str:
    text = str(value) if isinstance(value, RulesError) else ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
