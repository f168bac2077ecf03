"""The values that cross module and process borders.

Two of them cross a process border: a `Sitting` goes out to whoever plays it, a `SittingResult` or
a `Void` comes back. All are frozen, hold plain data only, and pickle small.
"""

import json
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from signal import Signals

from runner.game.rules import Rules


def canonical_hash(value: object) -> str:
    """SHA-256, lowercase hex, of a value's canonical JSON: sorted keys, no spaces, UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


class FaultKind(StrEnum):
    """What a bot can do wrong (`bots/README.md`, "Faults")."""

    START = "start"
    ILLEGAL = "illegal"
    MESSAGE = "message"
    TIMEOUT = "timeout"
    EXIT = "exit"
    PONDERING = "pondering"


class Isolation(StrEnum):
    """What keeps a bot from everything else on its machine (`bots/README.md`, "The sandbox")."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    LIMITS = "limits"
    OFF = "off"


class SandboxMode(StrEnum):
    """What a league wants of the sandbox: a real one, the best there is, or none."""

    REQUIRED = "required"
    AUTO = "auto"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How a league's bots are boxed.

    Attributes:
        mode: what to do where there is no real sandbox.
        python: the interpreter or virtual environment of Python bots; the runner's own if empty.
    """

    mode: SandboxMode = SandboxMode.OFF
    python: str = ""


UNBOXED = Sandbox()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot may use. A sitting's id covers all of it, since all of it can change play.

    Attributes:
        start_seconds: wall time until a fresh process must have said `ready`.
        move_seconds: CPU time for a decision.
        wall_seconds: wall time with nothing answered, against hanging only.
        pondering_seconds: CPU time in a sitting outside the bot's own requests.
        sleep_seconds: time in a sitting that the bot, while asked, neither computes nor waits
            for a core.
        max_faults: with so many faults in a sitting the entrant is out for that sitting.
        deals_in_flight: how many deals of a sitting are in play at once.
        memory_mb: memory of its own, in units of 1024 x 1024 bytes.
        files_mb: what it may write to its temporary folder, if it has one.
        open_files: how many files it may have open.
        threads: how many threads it may have.
    """

    start_seconds: float = 10.0
    move_seconds: float = 1.0
    wall_seconds: float = 6.0
    pondering_seconds: float = 1.0
    sleep_seconds: float = 60.0
    max_faults: int = 10
    deals_in_flight: int = 64
    memory_mb: int = 1024
    files_mb: int = 64
    open_files: int = 256
    threads: int = 64


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one entrant's bots may use other than what the limits say; 0 is no exception.

    Attributes:
        memory_mb: its own memory.
        threads: its own number of threads.
    """

    memory_mb: int = 0
    threads: int = 0

    def applied_to(self, limits: Limits) -> Limits:
        """The limits with these exceptions."""
        return replace(
            limits,
            memory_mb=self.memory_mb or limits.memory_mb,
            threads=self.threads or limits.threads,
        )


NO_EXCEPTION = Allowance()


@dataclass(frozen=True, slots=True)
class Bot:
    """A program as it is run.

    Attributes:
        command: the words of the command; files of the bot are named relative to its folder.
        files: name and SHA-256 of each declared file, sorted by name. The bot sees no others.
    """

    command: tuple[str, ...]
    files: tuple[tuple[str, str], ...]

    @property
    def version(self) -> str:
        """The bot's version: a hash of its command and files."""
        return canonical_hash({"command": list(self.command), "files": dict(self.files)})


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot version entered in a league under a name.

    Attributes:
        name: what it is called there.
        bot: its program.
        author: who wrote it, or an empty text.
        team: its team as the league file gives it; empty where that is left to the author.
    """

    name: str
    bot: Bot
    author: str = ""
    team: str = ""
    allowance: Allowance = NO_EXCEPTION

    def is_team_mate(self, other: "Entrant") -> bool:
        """Whether two entrants are of one team: the same `team`, by default the same author.

        Who has neither is a team of its own.
        """
        team = self.team or self.author
        return bool(team) and team == (other.team or other.author)


@dataclass(frozen=True, slots=True)
class SittingDeal:
    """One deal of a sitting.

    Attributes:
        deal: its number at the table; no bot gets to see it.
        hands: the mask of the cards dealt to each seat.
        seats: for each seat, the place of the entrant who sits there.
    """

    deal: int
    hands: tuple[int, ...]
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sitting:
    """The unit of work: the deals of one run of a table, in one rotation.

    Attributes:
        id: hash of everything that decides how it goes.
        rules: the game.
        limits: what its bots may use.
        versions: the bot version of each entrant, by place in the table's base order.
        deals: in playing order.
        allowances: what entrants may use other than the limits say, by place; none if empty.
    """

    id: str
    rules: Rules
    limits: Limits
    versions: tuple[str, ...]
    deals: tuple[SittingDeal, ...]
    allowances: tuple[Allowance, ...] = ()

    def limits_of(self, place: int) -> Limits:
        """What the bots of the entrant at a place may use."""
        return self.allowances[place].applied_to(self.limits) if self.allowances else self.limits


@dataclass(frozen=True, slots=True)
class DealLog:
    """The record of one playing of one deal in one rotation.

    Attributes:
        deal: its number at the table.
        shoves: the cards shoved, in order, as compact text.
        plays: the cards played, in order, as compact text.
        penalties: by seat.
        fault: what ended the deal before its time, or None.
        fault_seat: the seat of the offender, or None.
    """

    deal: int
    shoves: str
    plays: str
    penalties: tuple[int, ...]
    fault: FaultKind | None = None
    fault_seat: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, with enough to understand it without running it again.

    Texts of the bot are as received, cut to a few KiB, with bytes that are not printable escaped.

    Attributes:
        kind: what was wrong.
        place: the offender's place in the table's base order.
        deal: the number of the deal that it lost by it.
        seat: the offender's seat in that deal.
        detail: what was expected and what came.
        request: the line that it had been sent, or an empty text.
        reply: what came instead of a good reply, or an empty text.
        exit_status: the process's exit code, a signal's number negated, or None while it lives.
        elapsed_seconds: the time that it had taken, where time was the matter.
        limit_seconds: the limit for that.
        stderr: the head and tail of what it wrote on stderr.
    """

    kind: FaultKind
    place: int
    deal: int
    seat: int
    detail: str
    request: str = ""
    reply: str = ""
    exit_status: int | None = None
    elapsed_seconds: float | None = None
    limit_seconds: float | None = None
    stderr: str = ""


def exit_text(status: int) -> str:
    """An exit status for people: `exit code 3`, `signal 9 (SIGKILL)`."""
    if status >= 0:
        return f"exit code {status}"
    try:
        return f"signal {-status} ({Signals(-status).name})"
    except ValueError:
        return f"signal {-status}"


@dataclass(frozen=True, slots=True)
class Usage:
    """What one entrant's processes used in a sitting.

    Attributes:
        decisions: requests answered.
        decision_cpu_seconds: CPU time used while asked.
        slowest_cpu_seconds: the most CPU time of one decision (replies that came together share).
        start_cpu_seconds: CPU time from each start to its `ready`.
        pondering_cpu_seconds: CPU time while nothing was asked.
        sleep_seconds: time asked without computing or waiting for a core.
        starts: processes started.
    """

    decisions: int = 0
    decision_cpu_seconds: float = 0.0
    slowest_cpu_seconds: float = 0.0
    start_cpu_seconds: float = 0.0
    pondering_cpu_seconds: float = 0.0
    sleep_seconds: float = 0.0
    starts: int = 0


@dataclass(frozen=True, slots=True)
class SittingResult:
    """What came of a sitting.

    Attributes:
        id: the sitting's id.
        logs: a log for every deal, in playing order.
        fault_counts: by place, how many faults of each kind.
        faults: the first few of each place and kind, whole, in the order of each place.
        usage: by place.
        wall_seconds: from the first start to the last end.
        referee_cpu_seconds: the CPU time of the playing process itself.
        isolation: what kept its bots from everything else.
    """

    id: str
    logs: tuple[DealLog, ...]
    fault_counts: tuple[dict[FaultKind, int], ...]
    faults: tuple[Fault, ...]
    usage: tuple[Usage, ...]
    wall_seconds: float
    referee_cpu_seconds: float
    isolation: Isolation = Isolation.OFF


@dataclass(frozen=True, slots=True)
class Void:
    """A sitting that failed through us; it is played again and charged to nobody."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class BotFiles:
    """A bot with the contents of its files, as it is shipped to whoever plays it."""

    bot: Bot
    contents: dict[str, bytes] = field(default_factory=dict)
