"""What the rules of Letzter fix: seats, shoves, following suit, tricks, penalties.

Source: *Erweitertes Spielregelbüchlein aus Altenburg* (Leipzig 1983), p. 125 ff., as the
encyclopedia articles on the game report it; where they disagree, the project's ruling:
`README.md` of this folder.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from runner.game.cards import PACKS, SUIT_MASKS

HAND_SIZE = 8
"""Cards in each hand once the shoves are done, and so the number of tricks."""

POSITIONS: dict[int, tuple[str, ...]] = {
    4: ("forehand", "middlehand", "rearhand", "dealer"),
    3: ("forehand", "rearhand", "dealer"),
}
"""The names of the seats: seat 0 is on the dealer's right and leads to the first trick."""


class Play(StrEnum):
    """The direction of play."""

    ANTICLOCKWISE = "anticlockwise"
    CLOCKWISE = "clockwise"


@dataclass(frozen=True, slots=True)
class Rules:
    """Which game is played.

    Attributes:
        players: 3 or 4.
        play: the direction in which the turn passes.
    """

    players: int
    play: Play

    @property
    def turn(self) -> int:
        """What to add to a seat, modulo the players, for the next one to play."""
        return 1 if self.play is Play.ANTICLOCKWISE else -1

    @property
    def pack(self) -> tuple[int, ...]:
        """The cards in use, in pack order."""
        return PACKS[self.players]

    @property
    def shovers(self) -> range:
        """The seats that shove, in order: seat s gives s cards to seat s - 1."""
        return range(self.players - 1, 0, -1)

    def dealt_size(self, seat: int) -> int:
        """How many cards a seat is dealt: 7, and to the dealer the rest."""
        return len(self.pack) - 7 * seat if seat == self.players - 1 else 7

    def seats_from(self, leader: int) -> tuple[int, ...]:
        """The seats in the order in which they play to a trick that `leader` leads."""
        return tuple((leader + self.turn * n) % self.players for n in range(self.players))


def legal_cards(hand: int, led: int) -> int:
    """The mask of the cards that a hand may play when a suit was led: that suit, or any."""
    return hand & SUIT_MASKS[led] or hand


def trick_winner(cards: Sequence[int]) -> int:
    """Which card of a trick, in playing order, wins it: the highest of the suit led."""
    led = cards[0] >> 3
    best = 0
    for at, card in enumerate(cards):
        if card >> 3 == led and card > cards[best]:
            best = at
    return best


def penalties_of(winners: Sequence[int], players: int) -> tuple[int, ...]:
    """The penalty points by seat, from the winners of all eight tricks.

    The winner of the last trick scores one point; if he took all eight (a march), he scores
    nothing and every other player scores one.
    """
    last = winners[-1]
    march = all(winner == last for winner in winners)
    return tuple(int((seat == last) != march) for seat in range(players))
