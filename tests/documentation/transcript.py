"""What the bot of `bots/README.md` reads and writes in one deal, made by the referee's own code."""

import json

from runner.game.deals import deal_hands, secret_of_seed
from runner.game.rules import Play, Rules
from runner.protocol import messages
from runner.records import Limits, SittingDeal
from runner.table.deal_in_play import DealInPlay

RULES = Rules(4, Play.ANTICLOCKWISE)
SEAT = 2


def transcript():
    """The lines of seat 2, `>` to the bot and `<` from it; with a `result`, not asked for."""
    hands = deal_hands(secret_of_seed("2"), "example", 1, RULES)
    deal = DealInPlay(RULES, SittingDeal(1, hands, tuple(range(RULES.players))))
    lines = [f"> {messages.hello(RULES, Limits().move_seconds)}", '< {"type":"ready"}\n']
    number = 0
    while not deal.done:
        ours = deal.to_move == SEAT
        number += ours
        request = deal.request(number, 1)
        line = json.dumps(_reply(json.loads(request)))
        deal.answer(messages.read_reply(line.encode(), number))
        if ours:
            lines += [f"> {request}", f"< {line}\n"]
    lines.append(f"> {messages.result(1, SEAT, deal.penalties(), deal.tricks())}")
    return [*lines, f"> {messages.goodbye()}"]


def _reply(request):
    if request["type"] == "shove":
        return {"id": request["id"], "cards": request["hand"][: request["count"]]}
    return {"id": request["id"], "card": request["legal"][0]}
