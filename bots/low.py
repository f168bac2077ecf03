"""low: always plays the lowest card that it may.

The instinct of every beginner at a game where tricks are bad: duck, whatever happens. For the
same reason it shoves its highest cards, to be left with low ones. It looks at nothing but its
own hand, and it does not see that only the last trick counts: the high cards that it spares all
deal long are the ones that it is left with. So it loses even to a bot that plays at random.

Of equal ranks it takes the first in the order of the pack. It keeps no state.
"""

import json
import os
import sys
from typing import Any

RANKS = "789TJQKA"
STRENGTH = {rank + suit: RANKS.index(rank) for suit in "CSHD" for rank in RANKS}


def shove(request: dict[str, Any]) -> list[str]:
    """Name the highest cards of the hand."""
    hand: list[str] = request["hand"]
    return sorted(hand, key=STRENGTH.__getitem__, reverse=True)[: request["count"]]


def play(request: dict[str, Any]) -> str:
    """Name the lowest legal card."""
    legal: list[str] = request["legal"]
    return min(legal, key=STRENGTH.__getitem__)


def choose(request: dict[str, Any]) -> list[str] | str:
    """Answer a request: the cards to shove, or the card to play."""
    return play(request) if request["type"] == "play" else shove(request)


def main() -> None:
    """Read requests line by line and answer each with a line."""
    decode = json.JSONDecoder().raw_decode  # what json.loads calls, less its checks
    for line in sys.stdin:
        message = decode(line)[0]
        kind = message["type"]
        if kind == "play":
            reply = f'{{"id":{message["id"]},"card":"{play(message)}"}}\n'
        elif kind == "shove":
            cards = json.dumps(shove(message))
            reply = f'{{"id":{message["id"]},"cards":{cards}}}\n'
        elif kind == "hello":
            reply = '{"type":"ready","name":"low","version":"1"}\n'
        elif kind == "goodbye":
            break
        else:
            continue  # a newer referee may say more than we know
        os.write(1, reply.encode())  # goes out at once: no buffer, nothing to flush


if __name__ == "__main__":
    main()
