"""random: plays any legal card, each as likely as the others, and shoves any cards.

It draws no random numbers. It hashes what it sees, which is the whole request but for the
counters `id` and `deal`, and takes the hash for the draw. So the same view always gets the
same answer, in whatever order the deals come, while over many deals every legal card and every
choice of cards to shove comes up equally often. It is the yardstick: a bot that has an idea of
the game must beat it.

It keeps no state.
"""

import json
import sys
from hashlib import blake2b
from typing import Any


def draw(request: dict[str, Any]) -> int:
    """Turn what the seat sees into a number below 2**64 that looks random."""
    counters = request["id"], request["deal"]
    request["id"] = request["deal"] = 0
    view = repr(sorted(request.items())).encode()
    request["id"], request["deal"] = counters
    return int.from_bytes(blake2b(view, digest_size=8).digest(), "big")


def shove(request: dict[str, Any]) -> list[str]:
    """Draw as many cards as asked for out of the hand, one after the other."""
    number = draw(request)
    left: list[str] = list(request["hand"])
    chosen = []
    for _ in range(request["count"]):
        number, index = divmod(number, len(left))
        chosen.append(left.pop(index))
    return chosen


def play(request: dict[str, Any]) -> str:
    """Draw one of the legal cards."""
    legal: list[str] = request["legal"]
    return legal[draw(request) % len(legal)]


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
            write('{"type":"ready","name":"random","version":"1"}\n')
        elif kind == "goodbye":
            break
        flush()


if __name__ == "__main__":
    main()
