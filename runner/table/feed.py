"""Sending a bot recorded requests again, one by one, so that its author can look at it.

The requests are made where those of a sitting are made (`runner.table.deal_in_play`) and answered
through the referee's own reader; only time against hanging is not limited, for debuggers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from runner.botio.program import unpack
from runner.game.rules import Rules
from runner.records import BotFiles, Fault, FaultKind, Limits
from runner.table.interview import Action, Question, interview, questions

_PATIENCE_SECONDS = 1_000_000.0


@dataclass(frozen=True, slots=True)
class Fed:
    """One request, and what came of it.

    Attributes:
        request: the line that was sent.
        recorded: what was done in the record; None if the record ends there.
        answered: what the bot answers now; None if that was a fault.
        fault: what it did wrong, or None.
    """

    request: str
    recorded: Action | None
    answered: Action | None
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class Record:
    """A recorded deal, to be fed to a bot.

    Attributes:
        rules: the game.
        hands: the mask of the cards dealt to each seat.
        actions: its shoves and plays, in order; fewer where a fault ended it.
    """

    rules: Rules
    hands: tuple[int, ...]
    actions: tuple[Action, ...]


def feed(
    bot: BotFiles,
    record: Record,
    seat: int,
    limits: Limits,
    folder: Path,
    *,
    last_only: bool = False,
) -> Iterator[Fed]:
    """Ask a bot what a seat was asked in a recorded deal, in one process unless it is replaced.

    Args:
        bot: the bot.
        record: the deal.
        seat: whose requests to send.
        limits: those of the league; only its CPU time is limited.
        folder: a workspace.
        last_only: send only the request that the record ends at, if it is the seat's.

    Raises:
        OSError: the machine has no room for a process, a pipe or a file.
    """
    homes = folder / "homes"
    homes.mkdir(parents=True, exist_ok=True)
    patient = replace(
        limits,
        start_seconds=_PATIENCE_SECONDS,
        wall_seconds=_PATIENCE_SECONDS,
        sleep_seconds=_PATIENCE_SECONDS,
        max_faults=1_000_000,
    )
    asked = [
        question
        for question in questions(record.rules, record.hands, record.actions)
        if question.seat == seat and not (last_only and question.recorded is not None)
    ]
    with interview(unpack(bot, folder / "bots"), record.rules, patient, homes) as talk:
        number = 0
        for question in asked:
            number += 1
            request = question.deal.request(number, 1).rstrip("\n")
            before = len(talk.player.faults)
            talk.ask([question])
            fault = _new(talk.player.faults, before)
            yield Fed(request, question.recorded, _answer(question, fault), fault)
            if talk.player.out:
                return
            if fault and fault.kind is not FaultKind.ILLEGAL:
                number = 0
        talk.part(goodbye=True)


def _answer(question: Question, fault: Fault | None) -> Action | None:
    return None if fault else question.answered


def _new(faults: Sequence[Fault], before: int) -> Fault | None:
    return faults[before] if len(faults) > before else None
