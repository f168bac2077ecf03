"""answers_ahead: sure of the last word in a trick, it answers the lead that follows unasked.

Only right with three players and `deals_in_flight: 1`. It leaves a file `ahead` beside
the folder of homes.
"""

import os
from pathlib import Path

from honest import RANKS, choice, reply, requests, say


def wins(request):
    """Whether its card ends the trick and wins it."""
    if request["type"] != "play" or len(request["trick"]) != 2:
        return False
    card, led = choice(request), request["trick"][0][1]
    followed = [other for other in [*request["trick"], card] if other[1] == led]
    return card == max(followed, key=lambda other: RANKS.index(other[0]))


answered = 0
for request in requests():
    if request["id"] == answered:
        continue
    line = reply(request)
    left = [card for card in request["hand"] if card != choice(request)]
    if wins(request) and len(left) > 1:
        answered = request["id"] + 1
        line += reply({"type": "play", "id": answered, "legal": left})
        (Path(os.environ["HOME"]).parents[1] / "ahead").touch()
    say(line)
