"""`letzter check`: a walk through all that a league will ask of a bot, step by numbered step.

Everything goes through the referee's own reader and validator (`runner.table.player`); a step only
chooses what is asked. The walk ends at the first step that fails.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path

from runner.botio.program import Program, unpack
from runner.botio.sandbox import Found as Box
from runner.botio.sandbox import find_cage
from runner.botio.start import OPEN
from runner.game.cards import NAMES, cards_of
from runner.game.rules import POSITIONS, Rules
from runner.game.state import Deal, Phase
from runner.records import (
    UNBOXED,
    BotFiles,
    DealLog,
    Fault,
    FaultKind,
    Limits,
    Sandbox,
    SittingResult,
    Usage,
    exit_text,
)
from runner.table.check import check_hands, check_sitting
from runner.table.interview import Action, Interview, interview, played_by_first, questions
from runner.table.sitting import GOODBYE_SECONDS, play_sitting

ROUND = 64
"""How many requests the fullest round of the walk has."""

_NEAR_LIMIT = 0.5
_STRAYS_SECONDS = 0.3
_DOCUMENT = "bots/README.md"

SECTIONS = {
    FaultKind.START: "ready",
    FaultKind.ILLEGAL: "play-reply",
    FaultKind.MESSAGE: "details-that-matter",
    FaultKind.TIMEOUT: "time",
    FaultKind.EXIT: "faults",
    FaultKind.PONDERING: "time",
}
"""By kind of fault, the section of the bots' README that explains what was expected."""


class Outcome(StrEnum):
    """How a step went."""

    OK = "ok"
    NOTE = "note"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Found:
    """What a step found.

    Attributes:
        text: in one line; of a failure, what was expected and what came.
        outcome: how it went.
        see: the section of the bots' README that explains it.
        request: the line that the bot had been sent, where that matters.
        reply: what came instead of a good reply.
        exit_status: exit code, a signal's number negated, or None.
        stderr: the ends of what the bot wrote on its standard error.
    """

    text: str
    outcome: Outcome = Outcome.OK
    see: str = "the-protocol"
    request: str = ""
    reply: str = ""
    exit_status: int | None = None
    stderr: str = ""

    @property
    def where(self) -> str:
        """Where the documentation explains it."""
        return f"{_DOCUMENT}#{self.see}"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the walk: its number from 1, its name, and what it found."""

    number: int
    name: str
    found: Found


def walk(
    bot: BotFiles,
    games: Sequence[Rules],
    limits: Limits,
    folder: Path,
    sandbox: Sandbox = UNBOXED,
) -> Iterator[Step]:
    """Try a bot, step by step, until one fails.

    Args:
        bot: the bot.
        games: which games to try; the first is the one that most steps use.
        limits: what it may use.
        folder: a workspace.
        sandbox: how it is boxed.

    Raises:
        OSError: the machine has no room for a process, a pipe or a file.
        RunError: no sandbox can be had, and one is required.
    """
    homes = folder / "homes"
    homes.mkdir(parents=True, exist_ok=True)
    program = unpack(bot, folder / "bots", sandbox.python)
    walker = _Walker(bot, program, games, limits, homes, find_cage(sandbox))
    for number, (name, step) in enumerate(walker.steps(), 1):
        found = step()
        yield Step(number, name, found)
        if found.outcome is Outcome.FAILED:
            return


class _Walker:
    """The steps, with what later ones need of earlier ones."""

    def __init__(
        self,
        bot: BotFiles,
        program: Program,
        games: Sequence[Rules],
        limits: Limits,
        homes: Path,
        box: Box,
    ) -> None:
        self._bot = bot
        self._program = program
        self._box = box
        self._games = games
        self._rules = games[0]
        self._limits = replace(limits, max_faults=1)
        self._homes = homes
        self._usage: list[Usage] = []
        self._first_fault: Fault | None = None
        self._ready = ""
        self._result: SittingResult | None = None
        self._end = self._left_behind = Found("")

    def steps(self) -> Iterable[tuple[str, Callable[[], Found]]]:
        """All steps in order, by name."""
        if self._box.cage is not OPEN:
            yield "has a box around it", self._is_boxed
        yield "starts", self._starts
        yield "says ready", self._says_ready
        yield "answers a request that comes alone", self._answers_alone
        yield "shoves at every seat", self._shoves
        yield "plays every position", self._plays
        for rules in self._games[1:]:
            name = f"plays {rules.players} players, {rules.play}"
            yield name, lambda rules=rules: self._plays_game(rules)  # type: ignore[misc]
        yield "answers a full round of requests", self._full_round
        yield "keeps pace", self._keeps_pace
        yield "gives the same view the same answer", self._is_deterministic
        yield "ends on goodbye", lambda: self._end
        yield "leaves nothing behind", lambda: self._left_behind
        yield "ends at the end of its input", self._ends_at_end_of_file

    def _is_boxed(self) -> Found:
        """What keeps the bot from everything else; all that follows happens inside of it."""
        outcome = Outcome.NOTE if self._box.warning else Outcome.OK
        return Found(self._box.text, outcome, "the-sandbox")

    # One process, one request at a time.

    def _starts(self) -> Found:
        rules = self._rules
        with interview(self._program, rules, self._limits, self._homes, self._box.cage) as talk:
            actions = played_by_first(rules, check_hands(1, rules))
            asked = list(questions(rules, check_hands(1, rules), actions))
            for question in (asked[0], asked[-1]):
                talk.ask([question])
            ready = talk.player.ready
            self._first_fault = _fault_of(talk)
            self._usage.append(talk.player.usage())
        said = (
            {"name": ready.name, "version": ready.version, "author": ready.author} if ready else {}
        )
        self._ready = ", ".join(f"{key} {_plain(text)}" for key, text in said.items() if text)
        fault = self._first_fault
        started = (
            fault is None
            or fault.kind is not FaultKind.START
            or fault.limit_seconds
            or (fault.reply and fault.exit_status is None)
        )
        if fault and not started:
            return self._failed(fault, "the-process")
        return Found(f"version {self._bot.bot.version}")

    def _says_ready(self) -> Found:
        fault = self._first_fault
        if fault and fault.kind is FaultKind.START:
            return self._failed(fault)
        start_ms = 1000 * self._usage[0].start_cpu_seconds
        said = f": {self._ready}" if self._ready else ""
        return Found(f"after {start_ms:.0f} ms of CPU{said}")

    def _answers_alone(self) -> Found:
        if self._first_fault:
            return self._failed(self._first_fault)
        return Found("with nothing after it, so its lines are ended and flushed")

    # Whole games.

    def _shoves(self) -> Found:
        self._result = self._play(self._rules)
        fault = _first(self._result)
        if fault and '"type":"shove"' in fault.request:
            return self._failed(fault)
        return Found(f"{len(self._rules.shovers)} seats, 1 to {self._rules.players - 1} cards")

    def _plays(self) -> Found:
        assert self._result is not None
        fault = _first(self._result)
        if fault:
            return self._failed(fault)
        positions = ", ".join(POSITIONS[self._rules.players])
        return Found(f"{_game(self._rules)}: {positions}, {len(self._result.logs)} deals")

    def _plays_game(self, rules: Rules) -> Found:
        result = self._play(rules)
        fault = _first(result)
        if fault:
            return self._failed(fault, rules=rules)
        return Found(f"{len(result.logs)} deals, every seat")

    def _play(self, rules: Rules, *, backwards: bool = False) -> SittingResult:
        sitting = check_sitting(self._bot, rules, self._limits, backwards=backwards)
        programs = [self._program] * rules.players
        result = play_sitting(sitting, programs, self._homes, self._box.cage)
        self._usage += result.usage
        return result

    # Rounds.

    def _full_round(self) -> Found:
        """Two full rounds, with the longest requests there are; then the end of the process."""
        rules = self._rules
        size = min(ROUND, self._limits.deals_in_flight)
        firsts, lasts = [], []
        for number in range(1, size + 1):
            hands = check_hands(number, rules)
            asked = list(questions(rules, hands, played_by_first(rules, hands), number))
            firsts.append(asked[number % len(rules.shovers)])
            lasts.append(asked[-1])
        with interview(self._program, rules, self._limits, self._homes, self._box.cage) as talk:
            for round_ in (firsts, lasts):
                talk.ask(round_)
            fault = _fault_of(talk)
            self._usage.append(talk.player.usage())
            if fault:
                return self._failed(fault)
            self._end = self._ending(talk, goodbye=True)
            self._left_behind = self._strays(talk)
        return Found(f"{size} at once, twice")

    def _keeps_pace(self) -> Found:
        decisions = sum(usage.decisions for usage in self._usage)
        mean_ms = 1000 * sum(usage.decision_cpu_seconds for usage in self._usage) / decisions
        slowest_ms = 1000 * max(usage.slowest_cpu_seconds for usage in self._usage)
        limit_ms = 1000 * self._limits.move_seconds
        near = slowest_ms > _NEAR_LIMIT * limit_ms
        return Found(
            f"{mean_ms:.2f} ms of CPU a decision, {slowest_ms:.2f} ms the slowest"
            f", {limit_ms:,.0f} ms allowed" + (": that is near" if near else ""),
            Outcome.NOTE if near else Outcome.OK,
            "time",
        )

    # The same again.

    def _is_deterministic(self) -> Found:
        """Play the same deals in another order, and if that differs, in the same order."""
        assert self._result is not None
        again = self._play(self._rules, backwards=True)
        if again.faults:
            return self._failed(again.faults[0])
        difference = _difference(self._rules, self._result, again)
        if difference is None:
            return Found("whatever else it was asked before")
        third = self._play(self._rules)
        if third.faults:
            return self._failed(third.faults[0])
        really = _difference(self._rules, self._result, third)
        if really is None:
            return Found(f"only if the same was asked before; {difference}", Outcome.NOTE, "advice")
        return Found(f"not deterministic: {really}", Outcome.NOTE, "advice")

    # Ends.

    def _ends_at_end_of_file(self) -> Found:
        with interview(
            self._program, self._rules, self._limits, self._homes, self._box.cage
        ) as talk:
            fault = _fault_of(talk)
            return self._failed(fault) if fault else self._ending(talk, goodbye=False)

    def _ending(self, talk: Interview, *, goodbye: bool) -> Found:
        began = time.monotonic()
        ended = talk.part(goodbye=goodbye)
        ms = 1000 * (time.monotonic() - began)
        status, stderr = talk.player.last_words()
        what = "goodbye and the end of its input" if goodbye else "the end of its input"
        if not ended:
            return Found(
                f"expected it to end within {GOODBYE_SECONDS:g} s of {what}, it lives on",
                Outcome.FAILED,
                "goodbye",
                request='{"type":"goodbye"}' if goodbye else "",
                stderr=stderr,
            )
        if status:
            return Found(
                f"expected exit code 0, came {exit_text(status)}",
                Outcome.NOTE,
                "goodbye",
                exit_status=status,
                stderr=stderr,
            )
        return Found(f"after {ms:.0f} ms")

    def _strays(self, talk: Interview) -> Found:
        deadline = time.monotonic() + _STRAYS_SECONDS
        while (left := talk.player.left_behind()) and time.monotonic() < deadline:
            time.sleep(0.01)
        if not left:
            return Found("no process outlives it")
        names = ", ".join(f"{_command_of(pid)} ({pid})" for pid in left[:5])
        more = f" and {len(left) - 5} more" if len(left) > 5 else ""
        return Found(
            f"expected nothing that outlives it, came {names}{more}",
            Outcome.FAILED,
            "the-process",
        )

    def _failed(self, fault: Fault, see: str = "", rules: Rules | None = None) -> Found:
        rules = rules or self._rules
        section = SECTIONS[fault.kind]
        if fault.kind is FaultKind.ILLEGAL and '"type":"shove"' in fault.request:
            section = "shove-reply"
        seat = "" if fault.kind is FaultKind.START else POSITIONS[rules.players][fault.seat]
        known = not seat or fault.detail.startswith(seat)
        where = "" if known else f"{seat}, {_game(rules)}: "
        ended = "" if fault.exit_status is None else f" ({exit_text(fault.exit_status)})"
        return Found(
            f"{where}{fault.detail}{ended}{_diagnosis(fault)}",
            Outcome.FAILED,
            see or section,
            fault.request,
            fault.reply,
            fault.exit_status,
            fault.stderr,
        )


def _fault_of(talk: Interview) -> Fault | None:
    return talk.player.faults[0] if talk.player.faults else None


def _first(result: SittingResult) -> Fault | None:
    return result.faults[0] if result.faults else None


def _game(rules: Rules) -> str:
    return f"{rules.players} players, {rules.play}"


def _diagnosis(fault: Fault) -> str:
    """What is likely behind a reply that did not come in time."""
    if fault.limit_seconds is None or "CPU time" in fault.detail:
        return ""
    if not fault.reply:
        return "; no newline-terminated answer received; is stdout flushed?"
    if fault.reply.endswith("\\r"):
        return "; a line came that ends with \\r alone, it must end with \\n"
    if "half a line" in fault.detail:
        return ""
    return "; half a line had come, it must end with \\n and be flushed"


def _difference(rules: Rules, one: SittingResult, other: SittingResult) -> str | None:
    """The first place where two playings of the same deals part; None if they never do."""
    logs = {log.deal: log for log in other.logs}
    for log in one.logs:
        if log != logs[log.deal]:
            return _parting(rules, log, logs[log.deal])
    return None


def _parting(rules: Rules, one: DealLog, other: DealLog) -> str:
    deal = Deal(rules, check_hands(one.deal, rules))
    for mine, theirs in zip(_actions(rules, one), _actions(rules, other), strict=False):
        if mine != theirs:
            what = "shoved" if deal.phase is Phase.SHOVE else "played"
            return f"{deal.name(deal.seat)} {what} first {_names(mine)}, then {_names(theirs)}"
        if deal.phase is Phase.SHOVE:
            deal.shove(mine)
        else:
            deal.play(mine[0])
    return "the same deal ended in two ways"


def _actions(rules: Rules, log: DealLog) -> list[Action]:
    cards = iter(cards_of(log.shoves))
    shoves = [tuple(islice(cards, seat)) for seat in rules.shovers]
    return [*shoves, *((card,) for card in cards_of(log.plays))]


def _names(cards: Action) -> str:
    return " ".join(NAMES[card] for card in cards)


def _plain(text: str) -> str:
    shown = text if len(text) <= 80 else text[:79] + "…"
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in shown
    )


def _command_of(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return "a process"
    return _plain(words.decode("utf-8", "backslashreplace").strip()) or "a process"
