"""One entrant at a table through a sitting: its process, its open requests, time and faults.

A player is told what it is to answer (`ask`) and is done when it is no longer `busy`; in between
the sitting's selector calls its `on_…` methods. Nothing that it does depends on when the bot's
lines arrive, only on what they are: what comes while no request is open waits, unread, for the
next one, and is judged as a reply to that; so is the death of a bot that has answered all. A
fault thus falls on the oldest unanswered request, or on the next one if none is open.

Time. What a bot is charged is CPU time, read from its own clock at each read of its replies; the
CPU between two reads is shared by the replies that came. Wall time is a limit against hanging,
and the time that the bot waited for a core is taken off it, up to nine times the limit: a bot
can starve itself. No clock runs while the referee itself was stopped or starved (`excuse`).
"""

import contextlib
import os
import selectors
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable

from runner.botio.process import BotProcess, CannotStartError, printable
from runner.errors import RulesError
from runner.game.rules import Rules
from runner.protocol import messages
from runner.records import Fault, FaultKind, Limits, SittingDeal, Usage
from runner.table.deal_in_play import DealInPlay

FAULTS_KEPT = 5
"""How many faults of a kind are kept whole, for each entrant of a sitting."""

_READ_BYTES = 65536
_SHOWN_BYTES = 2048
_DEATH_SECONDS = 1.0
_MOST_CORE_WAIT = 9
_NS = 1_000_000_000
_NEVER = 1 << 62
_SLEEP_NOTICED_NS = 1_000_000
_RESTS_READ = 64


class Player:
    """An entrant at the table.

    Attributes:
        place: its place in the table's base order.
        out: the kind of fault that put it out of the sitting, or None.
        due: when `on_due` is to be called, on the monotonic clock in nanoseconds.
        awaited: for how long the sitting has waited for something to happen since the last
            requests, in nanoseconds; what the referee does meanwhile is nobody's sleep.
        faults: the first few of each kind, in order.
        fault_counts: how many of each kind.
    """

    def __init__(
        self,
        place: int,
        start: Callable[[], BotProcess],
        rules: Rules,
        limits: Limits,
        selector: selectors.BaseSelector,
        first_deal: SittingDeal,
    ) -> None:
        """Take a place at a table; `launch` then starts the first process."""
        self.place = place
        self.out: FaultKind | None = None
        self.due = _NEVER
        self.awaited = 0
        self.faults: list[Fault] = []
        self.fault_counts: Counter[FaultKind] = Counter()
        self._start = start
        self._hello = messages.hello(rules, limits.move_seconds)
        self._limits = limits
        self._move_ns = int(limits.move_seconds * _NS)
        self._wall_ns = int(limits.wall_seconds * _NS)
        self._sleep_ns = int(limits.sleep_seconds * _NS)
        self._selector = selector
        self._first_deal = first_deal
        self._process: BotProcess | None = None
        self._open: deque[DealInPlay] = deque()
        # What all its processes used, times in nanoseconds:
        self._decisions = 0
        self._cpu_decisions = 0
        self._cpu_slowest = 0
        self._cpu_start = 0
        self._cpu_pondering = 0
        self._slept = 0
        self._starts = 0

    def _forget_process(self) -> None:
        """Set what belongs to one process as it is for a fresh one."""
        self._ready: messages.Ready | None = None
        self._numbers: dict[int, int] = {}
        self._deals_seen = 0
        self._next_id = 1
        self._requests: deque[str] = deque()
        self._results = ""
        self._unsent = b""
        self._writing = False
        self._unread = b""
        self._reading = True
        self._talk_bytes = 0
        self._dead = False
        # Clocks, in nanoseconds:
        self._asked = 0
        self._quiet_since = 0
        self._core_wait = 0
        self._cpu = 0
        self._cpu_asked = 0
        self._cpu_quiet = 0

    # The sitting calls these.

    @property
    def busy(self) -> bool:
        """Whether the sitting has to wait for it."""
        return self.out is None and (self._ready is None or bool(self._open))

    @property
    def alive(self) -> bool:
        """Whether a process plays for it that has not died."""
        return self._process is not None and not self._dead

    @property
    def ready(self) -> messages.Ready | None:
        """What its process said first; None before that."""
        return self._ready

    def launch(self) -> None:
        """Start a process and greet it. If it cannot be started, that is a `start` fault.

        Raises:
            OSError: the machine has no room for another process.
        """
        self._forget_process()
        self._starts += 1
        self._quiet_since = time.monotonic_ns()
        self.due = self._quiet_since + int(self._limits.start_seconds * _NS)
        try:
            process = self._process = self._start()
        except CannotStartError as error:
            self._fault(FaultKind.START, f"cannot be executed: {error}")
            return
        register = self._selector.register
        register(process.stdout, selectors.EVENT_READ, (self.on_stdout, process))
        register(process.stderr, selectors.EVENT_READ, (self.on_stderr, process))
        register(process.pidfd, selectors.EVENT_READ, (self.on_death, process))
        self._unsent = self._hello.encode()
        self._flush()

    def ask(self, deals: Iterable[DealInPlay]) -> None:
        """Open the requests of a round: the one that each of these deals waits for."""
        self._open.extend(deals)
        if not self._open or self.out:
            return
        self._cpu_pondering += self._look_at_cpu()
        self._make_requests()
        limit = self._limits.pondering_seconds
        if self._cpu_pondering > limit * _NS:
            self._fault(
                FaultKind.PONDERING,
                f"expected at most {limit:g} s of CPU time in a sitting while nothing is asked",
                elapsed_seconds=self._cpu_pondering / _NS,
                limit_seconds=limit,
            )
        else:
            self._send_requests()
            if self._dead and self.busy:  # it died while nothing was asked
                assert self._process is not None
                self._read_rest_and_lose(self._process)

    def tell_result(self, deal: DealInPlay) -> None:
        """Tell how a deal ended, with the next request, if the bot asked for that."""
        number = self._numbers.pop(deal.deal, None)
        if number is None or self._ready is None or not self._ready.results:
            return
        seat = deal.places.index(self.place)
        self._results += messages.result(number, seat, deal.penalties(), deal.tricks())

    def say_goodbye(self) -> None:
        """Tell the bot that it is over and close its input; nothing more is expected of it."""
        if self._process is not None:
            self._unsent += (self._results + messages.goodbye()).encode()
            with contextlib.suppress(BlockingIOError, BrokenPipeError):
                os.write(self._process.stdin, self._unsent)
            self.hang_up()

    def hang_up(self) -> None:
        """Close the bot's input."""
        if self._process is not None:
            self._unwatch(self._process.stdin)
            self._process.close_stdin()

    def last_words(self) -> tuple[int | None, str]:
        """Its process's exit status, None while it lives, and the ends of its stderr."""
        if self._process is None:
            return None, ""
        return self._process.wait_for_death(0), self._process.stderr_text()

    def left_behind(self) -> list[int]:
        """What its process started and has outlived it."""
        return self._process.left_behind() if self._process is not None else []

    def leave(self) -> None:
        """End the process, whatever it does, and all of its group."""
        if self._process is None:
            return
        process, self._process = self._process, None
        for descriptor in (process.stdin, process.stdout, process.stderr, process.pidfd):
            self._unwatch(descriptor)
        process.end()

    def usage(self) -> Usage:
        """What its processes used so far."""
        return Usage(
            decisions=self._decisions,
            decision_cpu_seconds=self._cpu_decisions / _NS,
            slowest_cpu_seconds=self._cpu_slowest / _NS,
            start_cpu_seconds=self._cpu_start / _NS,
            pondering_cpu_seconds=self._cpu_pondering / _NS,
            sleep_seconds=self._slept / _NS,
            starts=self._starts,
        )

    # The selector calls these.

    def on_stdout(self, process: BotProcess) -> None:
        """Read what the bot wrote, once."""
        if process is self._process:
            self._read(process)

    def on_stderr(self, process: BotProcess) -> None:
        """Take what the bot wrote on its standard error."""
        if process is self._process and not process.drain_stderr():
            self._unwatch(process.stderr)

    def on_stdin(self, process: BotProcess) -> None:
        """Go on writing to a bot that reads slowly."""
        if process is self._process:
            self._unwatch(process.stdin)
            self._writing = False
            self._flush()

    def on_death(self, process: BotProcess) -> None:
        """The process has died: what it wrote before counts first."""
        if process is self._process:
            self._unwatch(process.pidfd)
            self._dead = True
            if self.busy:
                self._read_rest_and_lose(process)

    def on_due(self, now: int) -> None:
        """A limit may have been reached: read once more, then judge."""
        process = self._process
        if process is None or not self.busy:
            self.due = _NEVER
            return
        before = (len(self._open), self._ready)
        self._read(process)
        if process is not self._process or before != (len(self._open), self._ready):
            return
        limit = self._wall_ns if self._ready else int(self._limits.start_seconds * _NS)
        waited = min(process.core_wait_ns() - self._core_wait, _MOST_CORE_WAIT * limit)
        quiet = now - self._quiet_since - waited
        if self._ready is None:
            self._judge_start(now, quiet)
        else:
            self._judge_quiet(now, quiet, waited)

    def excuse(self, lost: int) -> None:
        """The referee was not there for so long, in nanoseconds: no clock ran meanwhile."""
        self._quiet_since = min(self._quiet_since + lost, time.monotonic_ns())
        if self.due != _NEVER:
            self.due += lost

    # Reading.

    def _read(self, process: BotProcess) -> bool:
        """Read once; False if there is nothing more to come."""
        try:
            data = os.read(process.stdout, _READ_BYTES)
        except BlockingIOError:
            return False
        if not self.busy:
            self._unread += data
            if not data or len(self._unread) > messages.MAX_LINE_BYTES:
                self._unwatch(process.stdout)
                self._reading = False
            return bool(data)
        if data:
            self._take(data)
        else:
            self._unwatch(process.stdout)
            self._lose()
        return bool(data)

    def _take(self, data: bytes) -> None:
        """Judge what the bot wrote, up to the last line end."""
        process = self._process
        lines = (self._unread + data).split(b"\n")
        self._unread = lines.pop()
        if self._ready is None:
            self._read_first_lines(lines)
        else:
            self._read_replies(lines)
        if (
            process is self._process
            and self.busy
            and len(self._unread) + self._talk_bytes >= messages.MAX_LINE_BYTES
        ):
            self._refuse_length(self._unread)

    def _read_first_lines(self, lines: list[bytes]) -> None:
        for at, line in enumerate(lines):
            if len(line) + self._talk_bytes >= messages.MAX_LINE_BYTES:
                self._refuse_length(line)
                return
            if messages.is_comment(line):
                self._talk_bytes += len(line) + 1
                continue
            try:
                self._ready = messages.read_ready(line)
            except messages.MessageError as error:
                self._fault(FaultKind.START, f"{error} as the first line", line)
                return
            self._cpu_start += self._look_at_cpu()
            self._talk_bytes = 0
            self._unread = b"\n".join([*lines[at + 1 :], self._unread])
            self.due = _NEVER
            if self._open:
                self._make_requests()
                self._send_requests()
            return

    def _read_replies(self, lines: list[bytes]) -> None:
        self._charge_cpu()
        if self._cpu_asked > self._asked * self._move_ns:
            self._time_out("CPU time", self._cpu_asked, self._asked * self._move_ns)
            return
        process = self._process
        answered = self._decisions
        for at, line in enumerate(lines):
            if len(line) + self._talk_bytes >= messages.MAX_LINE_BYTES:
                self._refuse_length(line)
                return
            if messages.is_comment(line):
                self._talk_bytes += len(line) + 1
                continue
            self._read_reply(line)
            if process is not self._process:
                return
            if not self._open:
                self._unread = b"\n".join([*lines[at + 1 :], self._unread])
                break
        answered = self._decisions - answered
        if answered:
            self._cpu_slowest = max(self._cpu_slowest, self._cpu_quiet // answered)
            self._cpu_quiet = 0
            self._quiet_since = time.monotonic_ns()
            if self._open:
                self._set_due()
            else:
                self._finish_round()

    def _read_reply(self, line: bytes) -> None:
        """Take one line as the reply to the oldest open request."""
        try:
            reply = messages.read_reply(line, self._next_id - len(self._open))
        except messages.MessageError as error:
            self._fault(FaultKind.MESSAGE, str(error), line)
            return
        self._talk_bytes = 0
        self._decisions += 1
        try:
            self._open[0].answer(reply)
        except (messages.ActionError, RulesError) as error:
            self._fault(FaultKind.ILLEGAL, str(error), line)
            return
        self._open.popleft()
        self._requests.popleft()

    def _refuse_length(self, line: bytes) -> None:
        self._fault(
            FaultKind.MESSAGE if self._ready else FaultKind.START,
            f"expected a line of at most {messages.MAX_LINE_BYTES} bytes, "
            "with its line end and all comments before it",
            # However much of it has come, the same part is kept.
            line[: messages.MAX_LINE_BYTES - self._talk_bytes],
        )

    def _read_rest_and_lose(self, process: BotProcess) -> None:
        """Read what is left in the pipe of a bot that is gone, then charge it with going."""
        for _ in range(_RESTS_READ):
            if not self._read(process) or process is not self._process or not self.busy:
                break
        if process is self._process and self.busy:
            self._lose()

    # Writing.

    def _make_requests(self) -> None:
        """Number and write out every open request for this process."""
        numbers = self._numbers
        requests = self._requests
        requests.clear()
        next_id = self._next_id
        for deal in self._open:
            number = numbers.get(deal.deal)
            if number is None:
                self._deals_seen += 1
                number = numbers[deal.deal] = self._deals_seen
            requests.append(deal.request(next_id, number))
            next_id += 1
        self._next_id = next_id

    def _send_requests(self) -> None:
        """Send the open requests, and set the clocks for them."""
        process = self._process
        assert process is not None
        self._asked = len(self._requests)
        self._cpu_asked = self._cpu_quiet = 0
        self._core_wait = process.core_wait_ns()
        self._quiet_since = time.monotonic_ns()
        self.awaited = 0
        self._set_due()
        self._unsent += (self._results + "".join(self._requests)).encode()
        self._results = ""
        if not self._reading:
            self._reading = True
            self._selector.register(process.stdout, selectors.EVENT_READ, (self.on_stdout, process))
        if not self._writing:
            self._flush()
        if self._unread and process is self._process:
            self._take(b"")

    def _flush(self) -> None:
        """Write as much as the pipe takes; the selector calls for the rest."""
        process = self._process
        assert process is not None
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(process.stdin, self._unsent) :]
        except BlockingIOError:
            self._writing = True
            self._selector.register(process.stdin, selectors.EVENT_WRITE, (self.on_stdin, process))
        except BrokenPipeError:
            # It reads no more. Whether that shows here depends on when it is looked at, so it is
            # no fault in itself: its death is, or that the reply does not come in time.
            self._unsent = b""

    def _unwatch(self, descriptor: int) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(descriptor)

    # Time.

    def _look_at_cpu(self) -> int:
        """The CPU time that the process used since the last look."""
        assert self._process is not None
        before, self._cpu = self._cpu, self._process.cpu_ns()
        return self._cpu - before

    def _charge_cpu(self) -> None:
        used = self._look_at_cpu()
        self._cpu_asked += used
        self._cpu_quiet += used
        self._cpu_decisions += used

    def _set_due(self) -> None:
        """The first moment at which any limit can have been reached."""
        self.due = self._quiet_since + min(
            self._move_ns, self._wall_ns, max(self._sleep_ns - self._slept, 0)
        )

    def _finish_round(self) -> None:
        """All is answered: settle how long the bot slept."""
        assert self._process is not None
        idle = self.awaited - self._cpu_asked
        if idle > _SLEEP_NOTICED_NS:
            waited = self._process.core_wait_ns() - self._core_wait
            self._slept += max(0, idle - waited)
        self.due = _NEVER

    def _judge_start(self, now: int, quiet: int) -> None:
        limit = self._limits.start_seconds
        left = int(limit * _NS) - quiet
        if left > 0:
            self.due = now + max(left, _SLEEP_NOTICED_NS)
            return
        self._fault(
            FaultKind.START,
            f"expected a ready line within {limit:g} s{self._unflushed()}",
            self._unread,
            quiet / _NS,
            limit,
        )

    def _judge_quiet(self, now: int, quiet: int, waited: int) -> None:
        self._charge_cpu()
        slept = self._slept + self.awaited - self._cpu_asked - waited
        if self._cpu_quiet > self._move_ns:
            self._time_out("CPU time", self._cpu_quiet, self._move_ns)
        elif quiet > self._wall_ns:
            self._time_out("wall time", quiet, self._wall_ns)
        elif slept > self._sleep_ns:
            self._slept = slept
            self._time_out("sleep in a sitting", slept, self._sleep_ns)
        else:
            left = min(
                self._move_ns - self._cpu_quiet, self._wall_ns - quiet, self._sleep_ns - slept
            )
            self.due = now + max(left, _SLEEP_NOTICED_NS)

    def _time_out(self, what: str, used: int, limit: int) -> None:
        assert self._process is not None
        if self._process.talks_no_more():
            self._lose(patience_seconds=0)
            return
        self._fault(
            FaultKind.TIMEOUT,
            f"expected a reply within {limit / _NS:g} s of {what}{self._unflushed()}",
            self._unread,
            used / _NS,
            limit / _NS,
        )

    def _unflushed(self) -> str:
        return "; half a line had come: was its line end flushed?" if self._unread else ""

    # Faults.

    def _lose(self, patience_seconds: float = _DEATH_SECONDS) -> None:
        """The bot has died, is about to, or closed a pipe that it needs."""
        kind = FaultKind.EXIT if self._ready else FaultKind.START
        before = "" if self._ready else " before it said ready"
        assert self._process is not None
        self._fault(
            kind,
            f"ended, or closed its standard input or output{before}",
            self._unread,
            exit_status=self._process.wait_for_death(patience_seconds),
        )

    def _fault(
        self,
        kind: FaultKind,
        detail: str,
        reply: bytes = b"",
        elapsed_seconds: float | None = None,
        limit_seconds: float | None = None,
        exit_status: int | None = None,
    ) -> None:
        """Charge the oldest open request with a fault, and go on as its kind demands."""
        self.fault_counts[kind] += 1
        deal = self._open.popleft() if self._open else None
        request = self._requests.popleft() if self._requests else ""
        stderr = self._process.stderr_text() if self._process else ""
        if self.fault_counts[kind] <= FAULTS_KEPT:
            self.faults.append(
                Fault(
                    kind=kind,
                    place=self.place,
                    deal=deal.deal if deal else self._first_deal.deal,
                    seat=(deal.places if deal else self._first_deal.seats).index(self.place),
                    detail=detail,
                    request=request.rstrip("\n"),
                    reply=printable(reply[:_SHOWN_BYTES]),
                    exit_status=exit_status,
                    elapsed_seconds=elapsed_seconds,
                    limit_seconds=limit_seconds,
                    stderr=stderr,
                )
            )
        if deal:
            deal.forfeit(kind, self.place)
        if kind is FaultKind.START or self.fault_counts.total() >= self._limits.max_faults:
            self.out = kind
            self._open.clear()
            self.leave()
        elif kind is not FaultKind.ILLEGAL:
            self.leave()
            self.launch()
