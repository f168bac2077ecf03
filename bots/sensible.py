"""sensible: rid of the high cards early, out of the lead late.

First working version.
"""

import json
import sys
from typing import Any

RANKS = "789TJQKA"
STRENGTH = {rank + suit: RANKS.index(rank) for suit in "CSHD" for rank in RANKS}


def shove(request: dict[str, Any]) -> list[str]:
    """Name the highest cards of the hand."""
    hand: list[str] = request["hand"]
    return sorted(hand, key=STRENGTH.__getitem__, reverse=True)[: request["count"]]


def play(request: dict[str, Any]) -> str:
    """Name a card: high in the first five tricks, below the best card on the table after."""
    legal: list[str] = request["legal"]
    trick: list[str] = request["trick"]
    if len(request["hand"]) <= 3:
        if not trick:
            return min(legal, key=STRENGTH.__getitem__)
        best = max(STRENGTH[card] for card in trick if card[1] == trick[0][1])
        if legal[0][1] == trick[0][1]:
            legal = [card for card in legal if STRENGTH[card] < best] or legal
    return max(legal, key=STRENGTH.__getitem__)


def choose(request: dict[str, Any]) -> list[str] | str:
    """Answer a request: the cards to shove, or the card to play."""
    return play(request) if request["type"] == "play" else shove(request)


def main() -> None:
    """Read requests line by line and answer each with a line."""
    write, flush = sys.stdout.write, sys.stdout.flush
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "play":
            write(f'{{"id":{message["id"]},"card":"{play(message)}"}}\n')
        elif kind == "shove":
            write(f'{{"id":{message["id"]},"cards":{json.dumps(shove(message))}}}\n')
        elif kind == "hello":
            write('{"type":"ready","name":"sensible","version":"1"}\n')
        elif kind == "goodbye":
            break
        flush()


if __name__ == "__main__":
    main()
