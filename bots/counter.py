"""counter: remembers every card, guesses habits, and tries the end of the deal out.

Three ideas, one for each part of a deal:

* **What a suit is worth.** WORTH says how many thousandths of a penalty each holding of a suit
  costs, against having none of it. It was fitted to half a million deals in which one seat held
  a random hand. Good are aces, sevens, and no cards at all; bad are kings, queens and jacks
  with no ace above and no low card beneath. The bot shoves what leaves it the cheapest hand. In
  the first three tricks it discards on the same ground, leads cards that nobody can beat, and
  follows suit with its highest card.
* **Who can hold what.** Nobody holds a suit that he could not follow. A card that we shoved
  went down to the lower seats. And most players have habits: one whose every card so far could
  have been the highest that he was allowed to play has probably kept only lower ones. The bot
  tries three habits: highest first, lowest first, and first in the order of the pack.
* **Trying it out.** From the fourth trick on it deals the unseen cards at random, as far as
  what it knows allows, and for each of its legal cards plays the deal to its end, everybody
  keeping to his habit. It chooses the card that loses least on average: our penalties less
  the mean of the others', so that a march counts too.

The random numbers come from a hash of hand and trick: the same view gets the same answer. It
keeps no state between requests but the number of players and the direction of play.

Inside, a card is one bit of an integer, ordered by rank first, so that the highest card of any
set is its highest bit. Players are counted in the order of play, from ourselves: place 0 is us,
place 1 plays after us.
"""

import json
import os
import sys
from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple
from zlib import crc32

RANKS = "789TJQKA"
SUITS = "CSHD"
TRIED_FROM = 5  # with so many cards in hand, or fewer, it tries the deal out
WORLDS = 25  # how many ways to deal the unseen cards it tries


def numbers(text: str) -> tuple[int, ...]:
    """Read a table of numbers."""
    return tuple(int(number) for number in text.split())


# Bit r of the index stands for the card of rank r, counted from the seven.
WORTH_OF_FOUR = numbers(
    """
    0 39 45 22 42 23 44 26 55 24 38 30 73 21 74 30
    52 26 41 30 63 17 73 17 107 36 69 55 125 39 97 35
    66 33 54 47 74 27 70 34 105 23 89 62 118 31 90 34
    144 58 88 82 141 53 115 79 205 72 131 79 167 56 112 94
    71 47 68 42 88 43 92 42 125 41 99 54 152 38 122 69
    144 55 101 91 161 74 149 107 210 95 161 60 244 78 158 83
    190 72 119 80 178 82 137 98 227 107 148 124 239 104 186 97
    288 120 171 145 239 101 204 189 315 75 168 84 271 81 82 73
    30 -10 12 -13 31 -16 33 9 47 0 32 12 63 20 63 13
    66 7 31 15 48 14 59 26 84 24 64 17 87 36 88 33
    78 8 23 29 50 19 41 43 65 16 40 16 85 24 88 14
    103 29 35 86 92 52 51 34 132 18 112 59 75 32 167 71
    109 41 57 16 89 28 26 37 102 11 54 -2 91 71 99 35
    133 42 44 28 95 4 172 63 101 -2 35 235 153 -34 68 81
    196 76 94 24 131 87 68 119 161 21 96 102 158 67 259 79
    257 66 71 62 119 38 40 48 205 108 118 138 199 42 40 84
    """
)
# The same for three players, counted from the nine.
WORTH_OF_THREE = numbers(
    """
    0 90 98 83 99 81 139 117 108 87 146 123 192 119 240 140
    99 113 161 149 204 149 272 162 259 157 284 195 371 182 323 212
    25 1 60 43 87 41 102 79 100 47 96 106 132 95 139 102
    133 75 120 76 145 79 141 71 204 90 142 76 231 85 260 24
    """
)
WORTH = {4: WORTH_OF_FOUR, 3: tuple(WORTH_OF_THREE[index >> 2] for index in range(256))}

# Rank first; of equal ranks the one that comes first in the pack is the highest bit.
BIT = {
    rank + suit: 1 << (4 * RANKS.index(rank) + 3 - SUITS.index(suit))
    for suit in SUITS
    for rank in RANKS
}
PACK = tuple(BIT.values())  # clubs first, each suit from the seven up
FULL = {4: sum(PACK), 3: sum(PACK) & ~0xFF}
SUIT_MASKS = tuple(0x11111111 << 3 - index for index in range(4))
RANK_OF = {bit: bit.bit_length() - 1 >> 2 for bit in PACK}
SUIT_OF = {bit: mask for bit in PACK for mask in SUIT_MASKS if bit & mask}
# Suit first, for WORTH: each suit takes eight bits.
PLACE = {card: 1 << (8 * SUITS.index(card[1]) + RANKS.index(card[0])) for card in BIT}

# What a player with a habit can still hold after he played a card: following suit, or freely.
HIGHEST, LOWEST, FIRST = 0, 1, 2  # they index the two tables below
KEEPS_FOLLOWING = (
    {bit: ~(SUIT_OF[bit] & ~(bit - 1)) for bit in PACK},
    {bit: ~(SUIT_OF[bit] & (2 * bit - 1)) for bit in PACK},
    {bit: ~(SUIT_OF[bit] & (2 * bit - 1)) for bit in PACK},
)
KEEPS_FREE = (
    {bit: bit - 1 for bit in PACK},
    {bit: sum(other for other in PACK if RANK_OF[other] >= RANK_OF[bit]) - bit for bit in PACK},
    {bit: sum(PACK[index + 1 :]) for index, bit in enumerate(PACK)},
)


class Knowledge(NamedTuple):
    """What this seat knows of the others, by place; the entries of place 0 mean nothing."""

    may_hold: list[int]
    need: list[int]  # how many cards each still holds
    habits: list[int]
    by_habit: list[int]  # what each may hold if he keeps to his habit


def worth(cards: int, table: tuple[int, ...]) -> int:
    """Add up what the suits of a hand cost; the cards stand suit first."""
    return (
        table[cards & 255] + table[cards >> 8 & 255] + table[cards >> 16 & 255] + table[cards >> 24]
    )


def shove(request: dict[str, Any], players: int) -> list[str]:
    """Name the cards that leave the cheapest hand."""
    table = WORTH[players]
    hand = sum(PLACE[card] for card in request["hand"])

    def cost(cards: Iterable[str]) -> int:
        left = hand
        for card in cards:
            left ^= PLACE[card]
        return worth(left, table)

    return list(min(combinations(request["hand"], request["count"]), key=cost))


def unseen_cards(request: dict[str, Any], players: int) -> int:
    """Collect the cards that the others still hold."""
    seen = 0
    for card in request["hand"]:
        seen |= BIT[card]
    for card in request["trick"]:
        seen |= BIT[card]
    for trick in request["tricks"]:
        for card in trick["cards"]:
            seen |= BIT[card]
    return FULL[players] & ~seen


def play_early(request: dict[str, Any], players: int) -> str:
    """Name a card by rule of thumb: following, leading or discarding."""
    legal: list[str] = request["legal"]
    trick = request["trick"]
    if trick and legal[0][1] == trick[0][1]:
        return max(legal, key=BIT.__getitem__)
    if trick:
        table = WORTH[players]
        hand = sum(PLACE[card] for card in request["hand"])
        return min(legal, key=lambda card: worth(hand ^ PLACE[card], table))
    unseen = unseen_cards(request, players)

    def beaten_by(card: str) -> tuple[int, int]:
        bit = BIT[card]
        return (unseen & SUIT_OF[bit] & -bit).bit_count(), -bit

    return min(legal, key=beaten_by)


def learn(request: dict[str, Any], players: int, step: int, unseen: int) -> Knowledge:
    """Go through the tricks and note who can hold what, and who keeps to which habit."""
    seat: int = request["seat"]
    may_hold = [unseen] * players
    need = [len(request["hand"])] * players
    after_habit = [[FULL[4]] * players for _ in range(3)]
    current = {"leader": request["leader"], "cards": request["trick"]}
    for trick in (*request["tricks"], current):
        place = (trick["leader"] - seat) * step % players
        led = 0
        for card in trick["cards"]:
            bit = BIT[card]
            if place:
                keeps = KEEPS_FOLLOWING if bit & led else KEEPS_FREE
                for habit, held in enumerate(after_habit):
                    held[place] = held[place] & keeps[habit][bit] if held[place] & bit else 0
                if not bit & led:
                    may_hold[place] &= ~led
            led = led or SUIT_OF[bit]
            place = (place + 1) % players
    for place in range(players - len(request["trick"]), players):
        need[place] -= 1
    for card in request["shoved"]:
        for higher in range(seat + 1, players):
            may_hold[(higher - seat) * step % players] &= ~BIT[card]

    habits = [HIGHEST] * players
    by_habit = may_hold[:]
    for place in range(1, players):
        for habit, held in enumerate(after_habit):
            cards = held[place] & may_hold[place]
            if cards and cards.bit_count() >= need[place]:
                habits[place], by_habit[place] = habit, cards
                break
    return Knowledge(may_hold, need, habits, by_habit)


def deal_worlds(knowledge: Knowledge, unseen: int, seed: int) -> list[list[int]]:
    """Deal the unseen cards to the others at random, so that nobody gets what he cannot hold.

    Those with the least choice draw first. A deal that does not come out is thrown away; after
    too many of those the habits are forgotten, after too many again it gives up.
    """
    may_hold, need, _, by_habit = knowledge
    players = len(need)
    slack = [cards.bit_count() - size for cards, size in zip(by_habit, need, strict=True)]
    *first, last = sorted(range(1, players), key=slack.__getitem__)
    worlds: list[list[int]] = []
    for attempt in range(3 * WORLDS):
        held = by_habit if attempt < WORLDS else may_hold
        pool = unseen
        hands = [0] * players
        for place in first:
            choice = held[place] & pool
            cards = []
            while choice:
                bit = choice & -choice
                cards.append(bit)
                choice ^= bit
            size = len(cards)
            if size < need[place]:
                break
            hand = 0
            for _ in range(need[place]):
                seed = (seed * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
                index = (seed >> 33) * size >> 31
                size -= 1
                hand |= cards[index]
                cards[index] = cards[size]
            hands[place] = hand
            pool ^= hand
        else:
            if not pool & ~held[last]:
                hands[last] = pool
                worlds.append(hands)
                if len(worlds) == WORLDS:
                    break
    return worlds


def first_in_pack(cards: int) -> int:
    """Pick the card that comes first in the order of the pack."""
    clubs, spades, hearts, _ = SUIT_MASKS
    cards = cards & clubs or cards & spades or cards & hearts or cards
    return cards & -cards


def play_out(
    hands: list[int],
    habits: list[int],
    turn: int,
    to_play: int,
    best: int,
    winner: int,
    marching: int,
) -> int:
    """Play a deal to its end, everybody by habit, and say who wins the last trick.

    It starts in the middle of a trick: `turn` plays next, `to_play` players have yet to play,
    `best` is the best card so far, of `winner`. `marching` is who has won all tricks before, or
    -1. A march of `winner` is returned as `winner + players`.
    """
    players = len(hands)
    led = SUIT_OF[best]
    while True:
        while to_play:
            hand = hands[turn]
            legal = hand & led or hand
            habit = habits[turn]
            if habit == HIGHEST:
                bit = 1 << legal.bit_length() - 1
            elif habit == LOWEST or legal & led:
                bit = legal & -legal
            else:
                bit = first_in_pack(legal)
            hands[turn] = hand ^ bit
            if bit & led and bit > best:
                best = bit
                winner = turn
            turn = turn + 1 if turn + 1 < players else 0
            to_play -= 1
        if winner != marching:
            marching = -1
        hand = hands[winner]
        if not hand:
            return winner if marching < 0 else winner + players
        habit = habits[winner]
        if habit == HIGHEST:
            best = 1 << hand.bit_length() - 1
        else:
            best = hand & -hand if habit == LOWEST else first_in_pack(hand)
        hands[winner] = hand ^ best
        led = SUIT_OF[best]
        turn = winner + 1 if winner + 1 < players else 0
        to_play = players - 1


def costs(players: int) -> list[float]:
    """List our penalties less the mean of the others', for each outcome of `play_out`."""
    others = players - 1
    return [1.0] + [-1 / others] * others + [-1.0] + [1 / others] * others


COSTS = {4: costs(4), 3: costs(3)}


def play_late(request: dict[str, Any], players: int, step: int) -> str:
    """Try each legal card in many worlds and name the one that loses least."""
    legal: list[str] = request["legal"]
    trick: list[str] = request["trick"]
    unseen = unseen_cards(request, players)
    knowledge = learn(request, players, step, unseen)
    worlds = deal_worlds(knowledge, unseen, crc32(repr((request["hand"], trick)).encode()))
    if not worlds:
        return play_early(request, players)

    hand = sum(BIT[card] for card in request["hand"])
    winners = {past["winner"] for past in request["tricks"]}
    marching = (winners.pop() - request["seat"]) * step % players if len(winners) == 1 else -1
    best = winner = led = 0
    if trick:
        led = SUIT_OF[BIT[trick[0]]]
        best, winner = max(
            (BIT[card], place)
            for place, card in enumerate(trick, players - len(trick))
            if BIT[card] & led
        )
    cost = COSTS[players]
    to_play = players - 1 - len(trick)
    totals: list[tuple[float, int, str]] = []
    for card in legal:
        bit = BIT[card]
        wins = not led or (bit & led and bit > best)
        start = (bit, 0) if wins else (best, winner)
        total = 0.0
        for world in worlds:
            hands = world[:]
            hands[0] = hand ^ bit
            total += cost[play_out(hands, knowledge.habits, 1, to_play, *start, marching)]
        totals.append((total, -bit, card))
    return min(totals)[2]


def play(request: dict[str, Any], players: int, clockwise: bool) -> str:
    """Name a card: by rule of thumb at first, by trying it out later."""
    if len(request["hand"]) > TRIED_FROM:
        return play_early(request, players)
    return play_late(request, players, -1 if clockwise else 1)


def choose(request: dict[str, Any], players: int = 4, clockwise: bool = False) -> list[str] | str:
    """Answer a request: the cards to shove, or the card to play."""
    if request["type"] == "play":
        return play(request, players, clockwise)
    return shove(request, players)


def main() -> None:
    """Read requests line by line and answer each with a line."""
    decode = json.JSONDecoder().raw_decode  # what json.loads calls, less its checks
    players, clockwise = 4, False
    for line in sys.stdin:
        message = decode(line)[0]
        kind = message["type"]
        if kind == "play":
            reply = f'{{"id":{message["id"]},"card":"{play(message, players, clockwise)}"}}\n'
        elif kind == "shove":
            cards = json.dumps(shove(message, players))
            reply = f'{{"id":{message["id"]},"cards":{cards}}}\n'
        elif kind == "hello":
            players, clockwise = message["players"], message["play"] == "clockwise"
            reply = '{"type":"ready","name":"counter","version":"1"}\n'
        elif kind == "goodbye":
            break
        else:
            continue  # a newer referee may say more than we know
        os.write(1, reply.encode())  # goes out at once: no buffer, nothing to flush


if __name__ == "__main__":
    main()
