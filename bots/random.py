"""random: plays any legal card, each as likely as the others, and shoves any cards.

It draws no random numbers. It hashes what it sees, its seat, its cards and all cards passed and
played so far, and takes the hash for the draw; the counters `id` and `deal` stay out of it. So
the same view always gets the same answer, in whatever order the deals come, while over many
deals every legal card and every choice of cards to shove comes up equally often. It is the
yardstick: a bot that has an idea of the game should beat it.

It keeps no state.
"""

import json
import os
import sys
from hashlib import blake2b
from typing import Any


def draw(*view: object) -> int:
    """Turn a view into a number below 2**64 that looks random."""
    return int.from_bytes(blake2b(repr(view).encode(), digest_size=8).digest(), "big")


def shove(request: dict[str, Any]) -> list[str]:
    """Draw as many cards as asked for out of the hand, one after the other."""
    number = draw(request["seat"], request["hand"], request["received"])
    left: list[str] = list(request["hand"])
    chosen = []
    for _ in range(request["count"]):
        number, index = divmod(number, len(left))
        chosen.append(left.pop(index))
    return chosen


def play(request: dict[str, Any]) -> str:
    """Draw one of the legal cards."""
    legal: list[str] = request["legal"]
    past = [trick["cards"] for trick in request["tricks"]]
    passed = request["received"], request["shoved"]
    number = draw(request["seat"], request["hand"], passed, past, request["trick"])
    return legal[number % len(legal)]


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
            reply = '{"type":"ready","name":"random","version":"1"}\n'
        elif kind == "goodbye":
            break
        else:
            continue  # a newer referee may say more than we know
        os.write(1, reply.encode())  # goes out at once: no buffer, nothing to flush


if __name__ == "__main__":
    main()
