"""sensible: plays by a few rules of thumb that a good human player would name.

Only the last trick counts. Who wins the seventh must lead to the eighth, and a led card wins
unless somebody can beat it. So the aim is to hold, at the end, two cards that others can beat,
and to have used up everything else by then. The rules:

* Shove kings, queens, jacks and tens. They win late, when nobody has the ace any more. Keep aces:
  they win early, when it costs nothing, they get us the lead to be rid of more, and they stop
  another player's march. Keep the low cards for the end.
* A card is the more dangerous, the more lower cards and the fewer higher cards of its suit are
  still out. Whoever cannot follow suit discards the most dangerous card.
* Following suit, play the highest card; with three cards or fewer left, the highest that stays
  below the best card on the table.
* Leading, begin with the cards that nobody can beat. They also are what a march is made of. With
  three cards left lead the most dangerous one, with two the most dangerous that can still be
  beaten: the seventh trick is not to be won. But if we have won all tricks so far and nobody can
  beat any of our cards, we go for the march.

Kept aces and high cards played under the suit led are its whole defence against the marches of
others. It remembers which cards are gone, but not who cannot follow what. It keeps no state.
"""

import json
import os
import sys
from typing import Any

RANKS = "789TJQKA"
SHOVE_FIRST = "KQJTA987"
STRENGTH = {rank + suit: RANKS.index(rank) for suit in "CSHD" for rank in RANKS}
PACK = {4: list(STRENGTH), 3: [card for card in STRENGTH if card[0] not in "78"]}


def shove(request: dict[str, Any]) -> list[str]:
    """Name the cards that win late: kings, queens, jacks and tens before aces."""
    hand: list[str] = request["hand"]
    return sorted(hand, key=lambda card: SHOVE_FIRST.index(card[0]))[: request["count"]]


def follow(legal: list[str], trick: list[str], left: int) -> str:
    """Name a card of the suit led: the highest, towards the end one that loses."""
    if left <= 3:
        best = max(STRENGTH[card] for card in trick if card[1] == trick[0][1])
        legal = [card for card in legal if STRENGTH[card] < best] or legal
    return max(legal, key=STRENGTH.__getitem__)


def cards_out(request: dict[str, Any], players: int) -> dict[str, list[int]]:
    """Say for each suit which ranks the others hold, as far as this seat has not seen them."""
    seen = {*request["hand"], *request["trick"]}
    for trick in request["tricks"]:
        seen.update(trick["cards"])
    out: dict[str, list[int]] = {"C": [], "S": [], "H": [], "D": []}
    for card in PACK[players]:
        if card not in seen:
            out[card[1]].append(STRENGTH[card])
    return out


def sole_winner(tricks: list[dict[str, Any]]) -> int | None:
    """Name the seat that has won all tricks so far, if there is one."""
    winners = {trick["winner"] for trick in tricks}
    return winners.pop() if len(winners) == 1 else None


def play(request: dict[str, Any], players: int) -> str:
    """Name a card by the rules above."""
    legal: list[str] = request["legal"]
    trick: list[str] = request["trick"]
    left = len(request["hand"])
    if trick and legal[0][1] == trick[0][1]:
        return follow(legal, trick, left)

    out = cards_out(request, players)
    higher: dict[str, int] = {}
    danger: dict[str, float] = {}
    for card in legal:
        ranks = out[card[1]]
        higher[card] = above = sum(rank > STRENGTH[card] for rank in ranks)
        danger[card] = (len(ranks) - above + 0.5) / (above + 0.5)

    if trick:
        return max(legal, key=danger.__getitem__)
    our_march = sole_winner(request["tricks"]) == request["seat"] and not any(higher.values())
    if left > 3 or our_march:
        return min(legal, key=lambda card: (higher[card], -STRENGTH[card]))
    if left == 2:
        legal = [card for card in legal if higher[card]] or legal
    return max(legal, key=danger.__getitem__)


def choose(request: dict[str, Any], players: int = 4) -> list[str] | str:
    """Answer a request: the cards to shove, or the card to play."""
    return play(request, players) if request["type"] == "play" else shove(request)


def main() -> None:
    """Read requests line by line and answer each with a line."""
    decode = json.JSONDecoder().raw_decode  # what json.loads calls, less its checks
    players = 4
    for line in sys.stdin:
        message = decode(line)[0]
        kind = message["type"]
        if kind == "play":
            reply = f'{{"id":{message["id"]},"card":"{play(message, players)}"}}\n'
        elif kind == "shove":
            cards = json.dumps(shove(message))
            reply = f'{{"id":{message["id"]},"cards":{cards}}}\n'
        elif kind == "hello":
            players = message["players"]
            reply = '{"type":"ready","name":"sensible","version":"1"}\n'
        elif kind == "goodbye":
            break
        else:
            continue  # a newer referee may say more than we know
        os.write(1, reply.encode())  # goes out at once: no buffer, nothing to flush


if __name__ == "__main__":
    main()
