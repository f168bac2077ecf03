"""shoves_wrong: in marked deals it shoves as `how.txt` says."""

from pathlib import Path

from honest import choice, is_marked, reply, requests, say

HOW = Path("how.txt").read_text()


def shoved(request):
    cards = choice(request)
    others = [card for card in request["hand"] if card not in cards]
    return {
        "too many": [*cards, others[0]],
        "too few": cards[1:],
        "one twice": [cards[0]] * len(cards),
        "none held": [
            card
            for card in ("9C", "9S", "9H", "9D", "TC", "TS", "TH", "TD", "JC", "JS")
            if card not in request["hand"]
        ][: len(cards)],
        "a string": "".join(cards),
        "lists": [cards],
        "nothing": None,
    }[HOW]


for request in requests():
    if is_marked(request) and request["type"] == "shove":
        line = reply(request, shoved(request) or [])
        say(line if HOW != "nothing" else reply(request).replace("cards", "card"))
    else:
        say(reply(request))
