"""The state of one deal: whose turn it is, what he may do, and what his doing it changes.

This is the referee's hot path, so a deal is a mutable object of ints and lists; everything that
comes in has been turned into cards, and `shove` and `play` trust nothing else about it.
"""

from collections.abc import Sequence
from enum import StrEnum

from runner.errors import RulesError
from runner.game.cards import NAMES, SUIT_NAMES
from runner.game.rules import (
    HAND_SIZE,
    POSITIONS,
    Rules,
    legal_cards,
    penalties_of,
    trick_winner,
)


class Phase(StrEnum):
    """What a deal waits for."""

    SHOVE = "shove"
    PLAY = "play"
    DONE = "done"


class Deal:
    """One deal in play.

    Attributes:
        rules: which game it is.
        phase: what it waits for.
        seat: whose turn it is (the last winner's when done).
        hands: the mask of the cards that each seat holds now.
        legal: the mask of the cards that may be played now; 0 unless it is time to play.
        received: by seat, the cards that were shoved to it, in the order given.
        shoved: by seat, the cards that it shoved, in the order given.
        plays: every card played, in order.
        trick: the cards of the trick on the table, in order.
        leader: who led to that trick.
        winners: the winner of each trick so far.
    """

    __slots__ = (
        "_turn",
        "hands",
        "leader",
        "legal",
        "phase",
        "plays",
        "received",
        "rules",
        "seat",
        "shoved",
        "trick",
        "winners",
    )

    def __init__(self, rules: Rules, hands: Sequence[int]) -> None:
        """Begin a deal from the hands as dealt, a mask a seat (`runner.game.deals`)."""
        self.rules = rules
        self._turn = rules.turn
        self.hands = list(hands)
        self.received: list[tuple[int, ...]] = [()] * rules.players
        self.shoved: list[tuple[int, ...]] = [()] * rules.players
        self.plays: list[int] = []
        self.trick: list[int] = []
        self.winners: list[int] = []
        self.leader = 0
        self.legal = 0
        self.phase = Phase.SHOVE
        self.seat = rules.players - 1

    @property
    def count(self) -> int:
        """How many cards the seat whose turn it is must shove."""
        return self.seat

    def shove(self, cards: Sequence[int]) -> None:
        """Pass cards on to the next seat.

        Raises:
            RulesError: it is not the time to shove, the number is wrong, or a card is not held
                or named twice. The deal is then as it was.
        """
        seat = self.seat
        if self.phase is not Phase.SHOVE:
            raise RulesError(f"{self.name(seat)}: shoved {_listed(cards)}, but the shoves are over")
        if len(cards) != seat:
            raise RulesError(
                f"{self.name(seat)}: shoved {_listed(cards)}, must shove {_number(seat)}"
            )
        mask = 0
        for card in cards:
            if mask >> card & 1:
                raise RulesError(f"{self.name(seat)}: shoved {NAMES[card]} twice")
            mask |= 1 << card
        hands = self.hands
        if mask & ~hands[seat]:
            missing = next(card for card in cards if not hands[seat] >> card & 1)
            raise RulesError(f"{self.name(seat)}: shoved {NAMES[missing]}, which he does not hold")
        hands[seat] ^= mask
        hands[seat - 1] |= mask
        self.shoved[seat] = self.received[seat - 1] = tuple(cards)
        self.seat = seat - 1
        if seat == 1:
            self.phase = Phase.PLAY
            self.legal = hands[0]

    def play(self, card: int) -> None:
        """Play a card to the trick.

        Raises:
            RulesError: it is not the time to play, the card is not held, or it does not follow
                suit. The deal is then as it was.
        """
        bit = 1 << card
        if not self.legal & bit:
            raise RulesError(self._refusal(card))
        seat = self.seat
        trick = self.trick
        hands = self.hands
        hands[seat] ^= bit
        trick.append(card)
        self.plays.append(card)
        players = self.rules.players
        if len(trick) < players:
            self.seat = seat = (seat + self._turn) % players
            self.legal = legal_cards(hands[seat], trick[0] >> 3)
            return
        winner = (self.leader + self._turn * trick_winner(trick)) % players
        self.winners.append(winner)
        self.leader = self.seat = winner
        self.legal = hands[winner]
        self.trick = []
        if len(self.winners) == HAND_SIZE:
            self.phase = Phase.DONE

    def penalties(self) -> tuple[int, ...]:
        """The penalty points by seat; only once the deal is done."""
        return penalties_of(self.winners, self.rules.players)

    def name(self, seat: int) -> str:
        """What a seat is called in this game."""
        return POSITIONS[self.rules.players][seat]

    def _refusal(self, card: int) -> str:
        who = f"{self.name(self.seat)}: played {NAMES[card]}"
        if self.phase is Phase.SHOVE:
            return f"{who}, but must shove {_number(self.seat)}"
        if self.phase is Phase.DONE:
            return f"{who}, but all {HAND_SIZE} tricks are over"
        if card in self.plays:
            return f"{who}, which was played before"
        if not self.hands[self.seat] >> card & 1:
            return f"{who}, which he does not hold"
        return f"{who}, must follow {SUIT_NAMES[self.trick[0] >> 3]}"


def _number(count: int) -> str:
    return f"{count} card" if count == 1 else f"{count} cards"


def _listed(cards: Sequence[int]) -> str:
    names = ", ".join(NAMES[card] for card in cards) or "no card"
    return f"{_number(len(cards))} ({names})" if len(cards) > 1 else names
