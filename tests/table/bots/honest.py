"""honest: plays as `bots/low.py` does; the misbehaving bots beside it import what they share.

A file `marks.json` in its folder lists the hands, as dealt, of the deals in which to misbehave. A
file `wobbly` makes it write in random pieces with random pauses between them.
"""

import json
import os
import random
import sys
import time
from pathlib import Path

RANKS = "789TJQKA"
WOBBLY = Path("wobbly").exists()


def say(text):
    """Write to stdout at once, or in pieces."""
    data = text if isinstance(text, bytes) else text.encode()
    while data:
        size = len(data)
        if WOBBLY:
            time.sleep(random.choice((0, 0, 0.0005, 0.003)))
            size = random.choice((1, 2, 3, size, size, size + 9))
        data = data[os.write(1, data[:size]) :]


def pause():
    """Wait for nothing in particular, when wobbly."""
    if WOBBLY:
        time.sleep(random.choice((0, 0.001, 0.02)))


def requests(ready='{"type":"ready"}\n'):
    """Say ready, then yield requests until goodbye."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(ready)
        elif message["type"] == "goodbye":
            return
        elif message["type"] != "result":
            yield message


def choice(request):
    """The cards to shove, or the card to play."""
    if request["type"] == "shove":
        by_rank = sorted(request["hand"], key=lambda card: RANKS.index(card[0]), reverse=True)
        return by_rank[: request["count"]]
    return min(request["legal"], key=lambda card: RANKS.index(card[0]))


def reply(request, action=None, **more):
    """The line that answers a request."""
    action = choice(request) if action is None else action
    name = "cards" if request["type"] == "shove" else "card"
    return json.dumps({"id": request["id"], name: action, **more}) + "\n"


def is_first(request):
    """Whether it is the first that this seat is asked in its deal."""
    return request["type"] == "shove" or (
        request["seat"] == 0 and not request["tricks"] and not request["trick"]
    )


def dealt(request):
    """The hand as dealt, at the first request of a deal."""
    return sorted(set(request["hand"]) - set(request["received"]))


def marks():
    """The hands of the deals in which to misbehave."""
    file = Path("marks.json")
    return json.loads(file.read_text()) if file.exists() else []


MARKS = marks()


def is_marked(request):
    """Whether to misbehave now."""
    return is_first(request) and dealt(request) in MARKS


class Marked:
    """Remembers which deals are marked, for misbehaviour that comes later in a deal."""

    def __init__(self):
        self.deals = set()

    def __call__(self, request):
        if is_marked(request):
            self.deals.add(request["deal"])
        return request["deal"] in self.deals


def main():
    for request in requests():
        pause()
        say(reply(request))


if __name__ == "__main__":
    main()
