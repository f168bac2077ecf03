"""Remembers every deal that it was shown, wherever it can, and knows how to use it.

It looks for a card from which it can play on without a penalty, if the others play as `sensible`
does. Where a hand equals one that it remembers, it knows the hands of the others too; else it
deals out what it does not see. `how.json` says whether it remembers: its honest twin does not.
"""

import json
import os
import random
import sys

import sensible

with open("how.json") as file:
    HOW = json.load(file)
PLAYERS = 3
PACK = [rank + suit for suit in "CSHD" for rank in "9TJQKA"]
STRENGTH = {rank + suit: "9TJQKA".index(rank) for suit in "CSHD" for rank in "9TJQKA"}
PLACES = ["/tmp", "/dev/shm", "/var/tmp", os.environ["HOME"], os.environ["TMPDIR"], "."]
SAMPLES = 3
NODES = 60

known = {}
"""By seat and hand, the hands of all seats."""


def load():
    for place in PLACES:
        try:
            with open(os.path.join(place, HOW["name"])) as memory:
                for line in memory:
                    learn([frozenset(hand) for hand in json.loads(line)])
        except (OSError, ValueError):
            continue


def learn(hands):
    for seat, hand in enumerate(hands):
        known[seat, hand] = hands


def remember(message):
    """Keep the hands of a deal that is over: all cards were played."""
    hands = [set() for _ in range(PLAYERS)]
    for trick in message["tricks"]:
        for turn, card in enumerate(trick["cards"]):
            hands[(trick["leader"] + turn) % PLAYERS].add(card)
    if any(len(hand) != 8 for hand in hands):
        return
    learn([frozenset(hand) for hand in hands])
    line = json.dumps([sorted(hand) for hand in hands]) + "\n"
    for place in PLACES:
        try:
            with open(os.path.join(place, HOW["name"]), "a") as memory:
                memory.write(line)
        except OSError:
            continue


def beliefs(message):
    """The hands that all seats may hold now: those remembered, or a few dealt out."""
    seat = message["seat"]
    played = [set() for _ in range(PLAYERS)]
    for trick in [*message["tricks"], {"leader": message["leader"], "cards": message["trick"]}]:
        for turn, card in enumerate(trick["cards"]):
            played[(trick["leader"] + turn) % PLAYERS].add(card)
    whole = (
        known.get((seat, frozenset(message["hand"]) | played[seat])) if HOW["remembers"] else None
    )
    if whole and all(played[each] <= whole[each] for each in range(PLAYERS)):
        yield [whole[each] - played[each] for each in range(PLAYERS)]
        return
    unseen = [
        card for card in PACK if card not in message["hand"] and not any(map({card}.__le__, played))
    ]
    dice = random.Random("".join(message["hand"] + unseen))
    for _ in range(SAMPLES):
        dice.shuffle(unseen)
        at, hands = 0, []
        for each in range(PLAYERS):
            size = len(message["hand"]) if each == seat else 8 - len(played[each])
            hands.append(message["hand"] if each == seat else unseen[at : at + size])
            at += 0 if each == seat else size
        yield hands


def costs_nothing(hands, leader, trick, tricks, me, card, left):
    """Whether I can play on without a penalty after this card of mine; gives up in the end."""
    hands = [list(hand) for hand in hands]
    trick, tricks = list(trick), list(tricks)
    while True:
        hands[(leader + len(trick)) % PLAYERS].remove(card)
        trick.append(card)
        if len(trick) == PLAYERS:
            best = max((c for c in trick if c[1] == trick[0][1]), key=STRENGTH.__getitem__)
            winner = (leader + trick.index(best)) % PLAYERS
            tricks.append({"leader": leader, "cards": trick, "winner": winner})
            leader, trick = winner, []
            if len(tricks) == 8:
                return (winner == me) == (len({each["winner"] for each in tricks}) == 1)
        turn = (leader + len(trick)) % PLAYERS
        hand = hands[turn]
        legal = [c for c in hand if trick and c[1] == trick[0][1]] or hand
        if len(legal) == 1:
            card = legal[0]
        elif turn != me:
            asked = {"seat": turn, "hand": hand, "legal": legal, "trick": trick, "tricks": tricks}
            card = sensible.play(asked, PLAYERS)
        else:
            left[0] -= len(legal)
            return left[0] > 0 and any(
                costs_nothing(hands, leader, trick, tricks, me, each, left) for each in legal
            )


def choose(message):
    if message["type"] == "shove":
        # All at the table shove alike, so that a deal has the same hands in every rotation.
        return {"cards": sensible.shove(message)}
    safe = dict.fromkeys(message["legal"], 0)
    at = message["leader"], message["trick"], message["tricks"], message["seat"]
    for hands in beliefs(message):
        for card in safe:
            safe[card] += costs_nothing(hands, *at, card, [NODES])
    usual = sensible.play(message, PLAYERS)
    return {"card": max(safe, key=lambda card: (safe[card], card == usual))}


load()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","results":true}', flush=True)
    elif message["type"] == "result":
        if HOW["remembers"]:
            remember(message)
    elif message["type"] in ("shove", "play"):
        print(json.dumps({"id": message["id"], **choose(message)}), flush=True)
