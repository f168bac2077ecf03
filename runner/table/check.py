"""Trying a bot: it plays a few deals with itself, at every seat, through the league's referee.

`check_bot` is what a league asks of its bots; `runner.table.walk` shows an author step by step.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from runner.botio.program import unpack
from runner.botio.sandbox import find_cage
from runner.game.deals import deal_hands, secret_of_seed
from runner.game.rules import POSITIONS, Play, Rules
from runner.records import (
    UNBOXED,
    BotFiles,
    Fault,
    FaultKind,
    Limits,
    Sandbox,
    Sitting,
    SittingDeal,
    SittingResult,
    exit_text,
)
from runner.schedule.seating import seats
from runner.table.sitting import play_sitting

ALL_GAMES = tuple(Rules(players, play) for players in (4, 3) for play in Play)

_SECRET = secret_of_seed("check")
_TABLE_KEY = "0"
_DEALS = 12


@dataclass(frozen=True, slots=True)
class GameCheck:
    """How a bot did in one game.

    Attributes:
        rules: the game.
        result: what came of the deals.
    """

    rules: Rules
    result: SittingResult

    @property
    def fault(self) -> Fault | None:
        """The first fault, if there was any."""
        return self.result.faults[0] if self.result.faults else None

    @property
    def cpu_per_decision_s(self) -> float:
        """The mean CPU time of a decision, in seconds."""
        decisions = sum(usage.decisions for usage in self.result.usage)
        cpu = sum(usage.decision_cpu_seconds for usage in self.result.usage)
        return cpu / decisions if decisions else 0.0


def check_bot(
    bot: BotFiles,
    games: Iterable[Rules],
    limits: Limits,
    folder: Path,
    sandbox: Sandbox = UNBOXED,
) -> Iterable[GameCheck]:
    """Let a bot play every seat of each game, one game at a time, until it makes a fault.

    Args:
        bot: the bot.
        games: which games to try.
        limits: what it may use; the first fault ends the check, whatever `max_faults` says.
        folder: a workspace.
        sandbox: how it is boxed.

    Raises:
        OSError: the machine has no room for a process, a pipe or a file.
        RunError: no sandbox can be had, and one is required.
    """
    homes = folder / "homes"
    homes.mkdir(parents=True, exist_ok=True)
    program = unpack(bot, folder / "bots", sandbox.python)
    cage = find_cage(sandbox).cage
    for rules in games:
        sitting = check_sitting(bot, rules, limits)
        checked = GameCheck(rules, play_sitting(sitting, [program] * rules.players, homes, cage))
        yield checked
        if checked.fault:
            return


def fault_text(fault: Fault, rules: Rules) -> str:
    """A fault in a line: its kind, where it happened, what was expected and what came."""
    where = "" if fault.kind is FaultKind.START else f", {POSITIONS[rules.players][fault.seat]}"
    status = "" if fault.exit_status is None else f" ({exit_text(fault.exit_status)})"
    last = fault.stderr.strip().rpartition("\n")[2]
    said = f"; its last words: {last}" if last else ""
    return f"{fault.kind}{where}: {fault.detail}{status}{said}"


def check_hands(deal: int, rules: Rules) -> tuple[int, ...]:
    """The hands of a deal that bots are tried with; the same for everybody."""
    return deal_hands(_SECRET, _TABLE_KEY, deal, rules)


def check_sitting(
    bot: BotFiles, rules: Rules, limits: Limits, *, backwards: bool = False
) -> Sitting:
    """A sitting of a bot with itself, in which each of its processes sits at every seat.

    Args:
        bot: the bot.
        rules: the game.
        limits: what it may use; the first fault puts it out.
        backwards: play the same deals from the last to the first.
    """
    deals = tuple(
        SittingDeal(
            deal,
            check_hands(deal, rules),
            seats(rules.players, _TABLE_KEY, deal, deal % rules.players),
        )
        for deal in range(1, _DEALS + 1)
    )
    return Sitting(
        id="check",
        rules=rules,
        limits=replace(limits, max_faults=1),
        versions=(bot.bot.version,) * rules.players,
        deals=deals[::-1] if backwards else deals,
    )
