"""Letzter once more, as plainly as can be: the names of cards in lists, everything from scratch.

Written from the rules and the README's recipes; shares no code with the runner, which is what it
is compared with.
"""

import hashlib
import hmac
from itertools import permutations

POSITIONS = {
    3: ["forehand", "rearhand", "dealer"],
    4: ["forehand", "middlehand", "rearhand", "dealer"],
}


def pack_of(players):
    return [rank + suit for suit in "CSHD" for rank in ("789TJQKA" if players == 4 else "9TJQKA")]


def in_pack_order(cards):
    return [card for card in pack_of(4) if card in cards]


def rank_of(card):
    return "789TJQKA".index(card[0])


def dealt(secret, table, deal, players):
    """The hands of a deal, each in the order in which its cards come from the pack."""
    number = int(hmac.new(secret, f"{table}/{deal}".encode(), hashlib.sha256).hexdigest(), 16)
    left, drawn = pack_of(players), []
    for size in range(len(left), 0, -1):
        drawn.append(left.pop(number % size))
        number //= size
    return [drawn[7 * seat : 7 * seat + 7] for seat in range(players - 1)] + [
        drawn[7 * players - 7 :]
    ]


def seated(table, deal, rotation, players):
    """For each seat the place of its entrant."""
    orders = sorted(permutations(range(1, players)))
    circle = [0, *orders[(deal + int(table, 16)) % len(orders)]]
    by_seat = dict.fromkeys(range(players), -1)
    for at, place in enumerate(circle):
        by_seat[(at + rotation) % players] = place
    return list(by_seat.values())


class Game:
    """A deal in play; what has happened is a list of shoves and a list of plays."""

    def __init__(self, players, play, hands):
        self.players = players
        self.clockwise = play == "clockwise"
        self.dealt = [list(hand) for hand in hands]
        self.shoves = []
        self.plays = []

    def hand(self, seat):
        """What a seat holds now."""
        cards = self.dealt[seat] + self.received(seat)
        gone = self.shoved(seat) + [card for who, card in self.plays if who == seat]
        return in_pack_order([card for card in cards if card not in gone])

    def shoved(self, seat):
        number = self.players - 1 - seat
        return self.shoves[number] if number < len(self.shoves) and seat > 0 else []

    def received(self, seat):
        return self.shoved(seat + 1) if seat + 1 < self.players else []

    def shoving(self):
        return len(self.shoves) < self.players - 1

    def done(self):
        return len(self.plays) == 8 * self.players

    def tricks(self):
        """The finished tricks: leader, cards, winner."""
        finished = []
        for at in range(0, len(self.plays) - self.players + 1, self.players):
            trick = self.plays[at : at + self.players]
            leader, (_, led) = trick[0][0], trick[0]
            follows = [(rank_of(card), who) for who, card in trick if card[1] == led[1]]
            finished.append((leader, [card for _, card in trick], max(follows)[1]))
        return finished

    def on_table(self):
        return [card for _, card in self.plays[len(self.tricks()) * self.players :]]

    def leader(self):
        tricks = self.tricks()
        return tricks[-1][2] if tricks else 0

    def turn(self):
        """Whose turn it is."""
        if self.shoving():
            return self.players - 1 - len(self.shoves)
        step = -1 if self.clockwise else 1
        return (self.leader() + step * len(self.on_table())) % self.players

    def legal(self):
        """The cards that may be played now."""
        hand, trick = self.hand(self.turn()), self.on_table()
        follows = [card for card in hand if trick and card[1] == trick[0][1]]
        return follows or hand

    def shove(self, cards):
        self.shoves.append(list(cards))

    def play(self, card):
        self.plays.append((self.turn(), card))

    def penalties(self):
        winners = [winner for _, _, winner in self.tricks()]
        if len(set(winners)) == 1:
            return [int(seat != winners[0]) for seat in range(self.players)]
        return [int(seat == winners[-1]) for seat in range(self.players)]

    def record(self):
        """The deal in the format of the vectors."""
        return {
            "players": self.players,
            "play": "clockwise" if self.clockwise else "anticlockwise",
            "hands": self.dealt,
            "shoves": self.shoves,
            "plays": [card for _, card in self.plays],
            "winners": [winner for _, _, winner in self.tricks()],
            "penalties": self.penalties() if self.done() else [],
        }

    def request(self, number, deal):
        """What the seat whose turn it is is told, and nothing else."""
        seat = self.turn()
        head = {"id": number, "deal": deal, "seat": seat, "hand": self.hand(seat)}
        if self.shoving():
            return {"type": "shove", **head, "count": seat, "received": self.received(seat)}
        return {
            "type": "play",
            **head,
            "legal": self.legal(),
            "leader": self.leader(),
            "trick": self.on_table(),
            "tricks": self.told_tricks(),
            "received": self.received(seat),
            "shoved": self.shoved(seat),
        }

    def told_tricks(self):
        return [
            {"leader": leader, "cards": cards, "winner": winner}
            for leader, cards, winner in self.tricks()
        ]

    def known(self, seat):
        """Every card that a seat has seen: dealt to it, shoved to it, or played by anybody."""
        played = [card for _, card in self.plays]
        return {*self.dealt[seat], *self.received(seat), *played}
