"""Asking one bot by itself, without a table: recorded positions, as a sitting would ask them."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.botio.program import Program
from runner.botio.start import OPEN, Cage
from runner.game.rules import Rules
from runner.game.state import Phase
from runner.records import Limits, Sitting, SittingDeal
from runner.table.deal_in_play import DealInPlay
from runner.table.player import Player
from runner.table.sitting import Attention, seated, wait_for, wait_for_ends

Action = tuple[int, ...]
"""The cards of a shove, or the one card of a play."""


@dataclass(frozen=True, slots=True)
class Question:
    """A position in which a seat has a choice.

    Attributes:
        deal: the deal up to there; asking it lets it go on by what is answered.
        seat: whose choice it is.
        at: how many actions came before it.
        recorded: what was done there; None if the record ends there.
    """

    deal: DealInPlay
    seat: int
    at: int
    recorded: Action | None

    @property
    def answered(self) -> Action | None:
        """What was answered; None before that, and after a fault."""
        if self.deal.fault is not None:
            return None
        state = self.deal.state
        if self.at < len(state.rules.shovers):
            return state.shoved[self.seat] or None
        plays = self.at - len(state.rules.shovers)
        return (state.plays[plays],) if len(state.plays) > plays else None


def questions(
    rules: Rules, hands: Sequence[int], actions: Sequence[Action], number: int = 1
) -> Iterator[Question]:
    """Every position of a recorded deal in which the seat whose turn it is had a choice.

    Args:
        rules: the game.
        hands: the mask of the cards dealt to each seat.
        actions: the shoves and the plays of the record, in order; it may end early.
        number: what the deal is called; positions of one number are one deal to the bot.
    """
    for at in range(len(actions) + 1):
        deal = _position(rules, hands, actions[:at], number)
        state = deal.state
        if state.phase is Phase.SHOVE or state.legal & (state.legal - 1):
            recorded = actions[at] if at < len(actions) else None
            yield Question(deal, state.seat, at, recorded)


def played_by_first(rules: Rules, hands: Sequence[int]) -> list[Action]:
    """The actions of a deal in which everybody does the first thing that is legal."""
    actions: list[Action] = []
    while True:
        state = _position(rules, hands, actions, 1).state
        if state.phase is Phase.DONE:
            return actions
        if state.phase is Phase.SHOVE:
            held = state.hands[state.seat]
            cards = [card for card in range(32) if held >> card & 1][: state.count]
            actions.append(tuple(cards))
        else:
            actions.append(((state.legal & -state.legal).bit_length() - 1,))


def _position(
    rules: Rules, hands: Sequence[int], actions: Sequence[Action], number: int
) -> DealInPlay:
    """A deal after some actions, at which the seat whose turn it is belongs to place 0."""
    everybody = tuple(range(rules.players))
    deal = DealInPlay(rules, SittingDeal(number, tuple(hands), everybody))
    for action in actions:
        if deal.state.phase is Phase.SHOVE:
            deal.state.shove(action)
        else:
            deal.state.play(action[0])
    seat = deal.state.seat
    deal.places = tuple((place - seat) % rules.players for place in everybody)
    return deal


class Interview:
    """A bot that is asked by itself. Use `interview`.

    Attributes:
        player: the bot, with its faults and times.
    """

    def __init__(self, player: Player, attention: Attention) -> None:
        """Wrap a seated player."""
        self.player = player
        self._attention = attention

    def ask(self, asked: Iterable[Question]) -> None:
        """Ask some questions in one round."""
        self.player.ask([question.deal for question in asked])
        wait_for([self.player], self._attention)

    def part(self, *, goodbye: bool) -> bool:
        """Close the bot's input, after a goodbye or not; whether it ends by itself in time."""
        if goodbye:
            self.player.say_goodbye()
        else:
            self.player.hang_up()
        wait_for_ends([self.player], self._attention)
        return not self.player.alive


@contextlib.contextmanager
def interview(
    program: Program, rules: Rules, limits: Limits, homes: Path, cage: Cage = OPEN
) -> Iterator[Interview]:
    """Start a bot and greet it as in a sitting; afterwards end all that it started.

    Args:
        program: the bot.
        rules: the game that it is told.
        limits: what it may use.
        homes: a folder in which its processes get homes.
        cage: what keeps it from everything else.

    Raises:
        OSError: the machine has no room for a process, a pipe or a file.
    """
    nothing = SittingDeal(1, (0,) * rules.players, tuple(range(rules.players)))
    sitting = Sitting("interview", rules, limits, ("",), (nothing,))
    with seated(sitting, [program], homes, cage) as ((player,), attention):
        yield Interview(player, attention)
