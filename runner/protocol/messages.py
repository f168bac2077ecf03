"""Every message of the protocol, in both directions; the only place that makes or reads them.

What a bot is told passes through this module, so nothing reaches a bot but what stands here. The
protocol itself is specified in `bots/README.md`.

Requests are the referee's hot path: they are put together from fragments of JSON that a deal
keeps between its requests (finished tricks, what a seat received and shoved) instead of being
encoded from scratch, which costs a fifth.
"""

import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from runner.game.cards import CARD_OF, NAMES
from runner.game.rules import Rules
from runner.game.state import Deal

PROTOCOL = 1
MAX_LINE_BYTES = 4096
"""The longest reply, with its line end and all comments before it."""

# Nested deeper than this, whether a line can be decoded depends on the decoder's own stack.
_MOST_BRACKETS = 500


class MessageError(Exception):
    """A line is no message of the protocol; the text says why. Internal to the referee."""


class ActionError(Exception):
    """A reply is for the right request, but its content is no action. Internal to the referee."""


class Ready(msgspec.Struct, frozen=True):
    """A bot's first line.

    Attributes:
        type: always `ready`.
        name: how the bot calls itself; informative only, like the next two.
        version: which version it says it is.
        author: who it says wrote it.
        results: whether it wants a `result` line for each deal.
    """

    type: str
    name: str = ""
    version: str = ""
    author: str = ""
    results: bool = False


class Reply(msgspec.Struct, frozen=True):
    """A bot's answer to a request; what is not needed, and unknown fields, are ignored."""

    id: Any = None
    card: Any = None
    cards: Any = None


_READY = msgspec.json.Decoder(Ready)
_REPLY = msgspec.json.Decoder(Reply)


def _suit_texts(suit: int) -> tuple[str, ...]:
    return tuple(
        "".join(f'"{NAMES[8 * suit + rank]}",' for rank in range(8) if byte >> rank & 1)
        for byte in range(256)
    )


_CLUBS, _SPADES, _HEARTS, _DIAMONDS = map(_suit_texts, range(4))


def hand_json(mask: int) -> str:
    """The cards of a hand in pack order, as the inside of a JSON list."""
    return (
        _CLUBS[mask & 255]
        + _SPADES[mask >> 8 & 255]
        + _HEARTS[mask >> 16 & 255]
        + _DIAMONDS[mask >> 24]
    )[:-1]


_QUOTED = tuple(f'"{name}"' for name in NAMES)


def cards_json(cards: Iterable[int]) -> str:
    """Cards in the order given, as the inside of a JSON list."""
    return ",".join([_QUOTED[card] for card in cards])


def trick_json(leader: int, cards: Sequence[int], winner: int) -> str:
    """A finished trick as a JSON object."""
    return f'{{"leader":{leader},"cards":[{cards_json(cards)}],"winner":{winner}}}'


def hello(rules: Rules, move_seconds: float) -> str:
    """The first line that a process is sent."""
    return (
        f'{{"type":"hello","protocol":{PROTOCOL},"game":"letzter","players":{rules.players},'
        f'"play":"{rules.play}","move_seconds":{float(move_seconds)}}}\n'
    )


def shove(request_id: int, number: int, deal: Deal) -> str:
    """A request to shove, to the seat whose turn it is.

    Args:
        request_id: counts the requests of the asked process from 1.
        number: counts the deals of that process from 1.
        deal: the deal as it stands.
    """
    seat = deal.seat
    return (
        f'{{"type":"shove","id":{request_id},"deal":{number},"seat":{seat},"count":{deal.count},'
        f'"hand":[{hand_json(deal.hands[seat])}],"received":[{cards_json(deal.received[seat])}]}}\n'
    )


def play(request_id: int, number: int, deal: Deal, tricks: str, shoves: str) -> str:
    """A request to play a card, to the seat whose turn it is.

    Args:
        request_id: counts the requests of the asked process from 1.
        number: counts the deals of that process from 1.
        deal: the deal as it stands.
        tricks: its finished tricks, as `trick_json` has them, joined by commas.
        shoves: what the seat received and shoved, as `shoves_json` has it.
    """
    seat = deal.seat
    return (
        f'{{"type":"play","id":{request_id},"deal":{number},"seat":{seat},'
        f'"hand":[{hand_json(deal.hands[seat])}],"legal":[{hand_json(deal.legal)}],'
        f'"leader":{deal.leader},"trick":[{cards_json(deal.trick)}],"tricks":[{tricks}],'
        f"{shoves}}}\n"
    )


def shoves_json(received: Iterable[int], shoved: Iterable[int]) -> str:
    """What a seat received and shoved, as two fields of a JSON object."""
    return f'"received":[{cards_json(received)}],"shoved":[{cards_json(shoved)}]'


def result(deal: int, seat: int, penalties: Sequence[int], tricks: str) -> str:
    """How a deal ended, for a bot that asked for results."""
    points = ",".join(map(str, penalties))
    return (
        f'{{"type":"result","deal":{deal},"seat":{seat},"penalties":[{points}],'
        f'"tricks":[{tricks}]}}\n'
    )


def goodbye() -> str:
    """The last line that a process is sent."""
    return '{"type":"goodbye"}\n'


def is_comment(line: bytes) -> bool:
    """Whether a line is the bot's own talk, which the referee passes over."""
    return line.startswith(b"#")


def read_ready(line: bytes) -> Ready:
    """Read the first line of a bot.

    Raises:
        MessageError: it is no `ready` message.
    """
    ready: Ready = _decode(_READY, line)
    if ready.type != "ready":
        raise MessageError('expected {"type":"ready"}')
    return ready


def read_reply(line: bytes, request_id: int) -> Reply:
    """Read a reply to the oldest open request.

    Raises:
        MessageError: it is no reply, or not to that request.
    """
    reply: Reply = _decode(_REPLY, line)
    if reply.id == request_id and type(reply.id) is int:
        return reply
    came = "no id" if reply.id is None else f"id {_brief(reply.id)}"
    raise MessageError(f"expected a reply with id {request_id}, got {came}")


def card_in(reply: Reply) -> int:
    """The card that a reply plays.

    Raises:
        ActionError: it names none.
    """
    card = CARD_OF.get(reply.card) if type(reply.card) is str else None
    if card is None:
        raise ActionError(f'expected "card": a card to play, got {_brief(reply.card)}')
    return card


def cards_in(reply: Reply) -> list[int]:
    """The cards that a reply shoves.

    Raises:
        ActionError: it names none, or something that is no card.
    """
    names = reply.cards
    if type(names) is not list:
        raise ActionError(f'expected "cards": a list of cards to shove, got {_brief(names)}')
    cards = []
    for name in names:
        card = CARD_OF.get(name) if type(name) is str else None
        if card is None:
            raise ActionError(f'expected "cards": a list of cards, got {_brief(name)} in it')
        cards.append(card)
    return cards


def _decode(decoder: msgspec.json.Decoder[Any], line: bytes) -> Any:
    if len(line) > _MOST_BRACKETS and line.count(b"[") + line.count(b"{") > _MOST_BRACKETS:
        raise MessageError(f"expected a line of at most {_MOST_BRACKETS} opening brackets")
    try:
        if not line.isascii():
            line.decode()
        return decoder.decode(line)
    except UnicodeDecodeError:
        raise MessageError("expected a line of UTF-8") from None
    except msgspec.ValidationError as error:
        raise MessageError(f"expected a message of the protocol: {error}") from None
    except msgspec.DecodeError as error:
        raise MessageError(f"expected a line of JSON: {error}") from None


def _brief(value: object) -> str:
    """What came, short; `reprlib`, since a bot's value may be nested a thousand deep."""
    if value is None:
        return "nothing"
    text = reprlib.repr(value).encode("ascii", "backslashreplace").decode()
    return text if len(text) <= 60 else f"{text[:57]}..."
