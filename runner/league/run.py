"""Running a league: check the bots, plan, play what is missing, store it, rate.

Running it again does the same; what is stored is not played again. So a run resumes after any
end, and takes up late entrants, more deals and changed bots.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from runner import __version__
from runner.botio.sandbox import find_cage, require_unseen
from runner.config import Execution, League
from runner.errors import RunError
from runner.execution.executor import Executor, workspace
from runner.execution.ray import RayExecutor
from runner.execution.serial import SerialExecutor
from runner.league.conditions import check_conditions, conditions_of
from runner.league.entering import with_submissions
from runner.league.progress import Reporter
from runner.league.secret import dealing_secret, hash_of, secret_of
from runner.league.stopping import Stop
from runner.league.time_limit import TimeLimit
from runner.records import Entrant, Sitting, SittingResult, Void
from runner.report.standing import Standing, standing_of
from runner.schedule.plan import Plan, PlannedSitting, deal_out
from runner.storage.reader import Reader, open_reader
from runner.storage.store import Store, open_store
from runner.table.check import check_bot, fault_text

MOST_VOIDS = 3
"""A sitting that failed through us so often in one run is set aside."""

_ESTIMATED_DEALS_PER_SECOND = 1000.0
_BYTES_PER_DEAL_LOG = 250


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run went.

    Attributes:
        standing: the league as it stands; None if the run was stopped.
        played: how many deals were played and stored.
        set_aside: why sittings that failed through us were given up.
        at_fault: whether some bot was at fault, or failed its check.
    """

    standing: Standing | None
    played: int
    set_aside: tuple[str, ...]
    at_fault: bool


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run would do.

    Attributes:
        tables: tables of the plan.
        boards: boards of the plan.
        sittings: sittings of the plan.
        deals: deal logs of the plan.
        sittings_left: those not stored yet.
        deals_left: deal logs not stored yet.
        unused: stored sittings that the plan does not use.
        seconds: the estimated time for what is left.
        measured: whether that rests on sittings of this league.
        bytes: the estimated size of what is left on disk.
    """

    tables: int
    boards: int
    sittings: int
    deals: int
    sittings_left: int
    deals_left: int
    unused: int
    seconds: float
    measured: bool
    bytes: int


def default_workers() -> int:
    """As many as this process may use cores."""
    return len(os.sched_getaffinity(0))


def forecast(league: League, workers: int) -> Forecast:
    """What `run_league` would do, without doing anything.

    Raises:
        StoreError: the league's database cannot be read.
    """
    pace = None
    stored: set[str] = set()
    secret_hash = ""
    if league.database.exists():
        with open_reader(league.database) as reader:
            stored = reader.sitting_keys()
            pace = reader.pace()
            league, _ = with_submissions(league, reader)
            if stored:
                secret_hash = hash_of(dealing_secret(league, secret_of(league), reader))
    plan = plan_of(league, league.entrants, secret_hash)
    left = [planned for planned in plan.sittings() if planned.id not in stored]
    deals_left = sum(len(planned.deals) for planned in left)
    per_second = pace[0] / pace[1] if pace else _ESTIMATED_DEALS_PER_SECOND
    return Forecast(
        tables=plan.table_count,
        boards=plan.board_count,
        sittings=plan.sitting_count,
        deals=plan.board_count * league.rules.players,
        sittings_left=len(left),
        deals_left=deals_left,
        unused=len(stored) - (plan.sitting_count - len(left)),
        seconds=deals_left / per_second / workers,
        measured=pace is not None,
        bytes=deals_left * _BYTES_PER_DEAL_LOG,
    )


def plan_of(league: League, entrants: Iterable[Entrant], secret_hash: str) -> Plan:
    """The plan of a league for some of its entrants."""
    return Plan(
        rules=league.rules,
        limits=league.limits,
        format=league.format,
        entrants=tuple(entrants),
        deals=league.deals,
        deals_per_sitting=league.deals_per_sitting,
        secret_hash=secret_hash,
        same_team_tables=league.same_team_tables,
    )


def run_league(
    league: League,
    reporter: Reporter,
    stop: Stop,
    workers: int,
    time_limit_s: float | None = None,
) -> Outcome:
    """Play what is missing of a league, and rate it.

    Args:
        league: the league.
        reporter: is told how it goes on.
        stop: ends the run in good order once it is requested.
        workers: how many sittings to play at a time.
        time_limit_s: begin no board that would not be whole within this time.

    Raises:
        RunError: too few good bots, a lost secret, or nothing can be played any more.
        StoreError: the database is not this league's, or the disk does not take more.
    """
    secret = secret_of(league)
    with workspace() as folder, open_store(league.database) as store:
        run = _Run(
            league,
            reporter,
            stop,
            workers,
            TimeLimit(time_limit_s, workers),
            secret,
            store,
            Reader(store.db),
            folder,
        )
        run.open()
        played = run.play()
        standing = None if stop.requested else run.rate()
        return Outcome(standing, played, tuple(run.set_aside), run.at_fault())


@dataclass(slots=True)
class _Run:
    """One run of a league; its steps in order are `open`, `play`, `rate`."""

    _league: League
    _reporter: Reporter
    _stop: Stop
    _workers: int
    _time_limit: TimeLimit
    _secret: bytes
    _store: Store
    _reader: Reader
    _folder: Path
    set_aside: list[str] = field(default_factory=list)

    def open(self) -> None:
        """Write down what is to be played, and say where its deals come from."""
        self._league, said = with_submissions(self._league, self._reader)
        league = self._league
        self._secret = dealing_secret(league, self._secret, self._reader)
        if league.beacon is not None:
            self._store.set_beacon(league.beacon, hash_of(self._secret))
        self._store.set_conditions(conditions_of(league, self._secret), __version__)
        self._store.enter(league.entrants, league.files)
        found = find_cage(league.sandbox)
        require_unseen([league.path, league.database, league.secret], found.cage, league.sandbox)
        self._reporter.say(f"{league.name}: the secret's SHA-256 is {hash_of(self._secret)}")
        for text in said:
            self._reporter.say(text)
        if league.seed is not None:
            self._reporter.say(
                f"Its deals come from the seed {league.seed!r}, so they can be foreseen: "
                "good for tests and for doing it again, not for a contest."
            )
        self._reporter.say(found.text)

    def play(self) -> int:
        """Check the bots and play what is missing; returns how many deals were played."""
        known = [entrant for entrant in self._league.entrants if self._has_passed(entrant)]
        for entrant in known:
            self._store.admit(entrant, check_conditions(self._league, entrant))
        with ExitStack() as stack:
            executor = self._executor()
            early = len(known) < self._league.rules.players or self._left(self._plan(known))
            if early:
                stack.enter_context(executor)
            good = self._check([e for e in self._league.entrants if e not in known]) + known
            self._require_enough(good)
            plan = self._plan(good)
            self._require_tables(plan)
            self._store.set_current(planned.id for planned in plan.sittings())
            left = self._left(plan)
            if not left:
                self._reporter.say("All of it is played already; nothing is left to play.")
            if not left or self._stop.requested:
                return 0
            if not early:
                stack.enter_context(executor)
            executor.wait_until_ready()
            self._reporter.begin(left)
            played = self._play_plan(plan, executor)
            self._reporter.end()
            if self._time_limit.reached:
                self._reporter.say("The time is up; run it again to go on.")
            return played

    def rate(self) -> Standing:
        """Rate what is stored, and store the ratings."""
        standing = standing_of(self._reader)
        self._store.store_ratings(standing.rating_rows(), standing.ratings)
        return standing

    def at_fault(self) -> bool:
        """Whether some bot was at fault in the plan's sittings, or failed its check."""
        refused = any(entrant.state == "refused" for entrant in self._reader.entrants())
        return refused or bool(self._reader.fault_counts())

    # Checking.

    def _has_passed(self, entrant: Entrant) -> bool:
        return self._store.passed_check(entrant, check_conditions(self._league, entrant))

    def _check(self, entrants: list[Entrant]) -> list[Entrant]:
        """Try bots; returns those that passed."""
        good = []
        for entrant in entrants:
            if self._stop.requested:
                break
            reason = self._fault_of(entrant)
            if reason is None:
                self._store.admit(entrant, check_conditions(self._league, entrant))
                good.append(entrant)
            else:
                self._store.refuse(entrant, reason)
                self._reporter.say(f"{entrant.name} does not play: it failed its check: {reason}")
        return good

    def _fault_of(self, entrant: Entrant) -> str | None:
        league = self._league
        files = league.files[entrant.bot.version]
        try:
            limits = entrant.allowance.applied_to(league.limits)
            games = check_bot(files, [league.rules], limits, self._folder, league.sandbox)
            for game in games:
                if game.fault:
                    return fault_text(game.fault, game.rules)
        except OSError as error:
            what = error.strerror or error
            raise RunError(f"{entrant.name} cannot be checked here: {what}") from error
        return None

    def _require_enough(self, good: list[Entrant]) -> None:
        players = self._league.rules.players
        if len(good) < players and not self._stop.requested:
            raise RunError(
                f"{self._league.path}: {len(good)} of {len(self._league.entrants)} entrants passed "
                f"their check, and a table needs {players}; 'letzter check BOT' shows what is wrong"
            )

    def _require_tables(self, plan: Plan) -> None:
        if not plan.table_count and not self._stop.requested:
            raise RunError(
                f"{self._league.path}: those who passed their check make no table without "
                "team-mates, and same_team_tables is false"
            )

    # Playing.

    def _plan(self, entrants: list[Entrant]) -> Plan:
        return plan_of(self._league, entrants, hash_of(self._secret))

    def _left(self, plan: Plan) -> int:
        """How many deals of a plan are not stored yet."""
        stored = self._reader.sitting_keys()
        return sum(len(planned.deals) for planned in plan.sittings() if planned.id not in stored)

    def _executor(self) -> Executor:
        if self._league.execution is Execution.SERIAL:
            return SerialExecutor(self._league.files, self._folder, self._league.sandbox)
        return RayExecutor(self._league.files, self._folder, self._workers, self._league.sandbox)

    def _play_plan(self, plan: Plan, executor: Executor) -> int:
        """Play until nothing is left, or what is left has failed too often."""
        stored = self._reader.sitting_keys()
        waiting: Iterable[PlannedSitting] = (
            planned for planned in plan.sittings(self._workers) if planned.id not in stored
        )
        voids: Counter[str] = Counter()
        played = 0
        while True:
            dealt: dict[str, tuple[PlannedSitting, Sitting]] = {}
            failed = []
            for outcome in executor.play(self._dealt(waiting, dealt)):
                planned, sitting = dealt.pop(outcome.id)
                if isinstance(outcome, SittingResult):
                    self._time_limit.learn(outcome.wall_seconds)
                if isinstance(outcome, Void):
                    voids[planned.id] += 1
                    if voids[planned.id] < MOST_VOIDS:
                        failed.append(planned)
                    else:
                        self._set_aside(planned, outcome)
                elif self._store.store_sitting(planned, sitting, outcome):
                    played += len(outcome.logs)
                    self._reporter.add(len(outcome.logs))
            if not failed or self._stop.requested:
                return played
            waiting = failed

    def _dealt(
        self,
        waiting: Iterable[PlannedSitting],
        dealt: dict[str, tuple[PlannedSitting, Sitting]],
    ) -> Iterator[Sitting]:
        """Deal sittings out one by one, as they are asked for, until the run is to stop."""
        for planned in waiting:
            if self._stop.requested:
                return
            if not self._time_limit.admits(planned, self._league.rules.players):
                continue
            sitting = deal_out(planned, self._league.limits, self._secret)
            dealt[planned.id] = planned, sitting
            yield sitting

    def _set_aside(self, planned: PlannedSitting, void: Void) -> None:
        names = ", ".join(entrant.name for entrant in planned.table.entrants)
        text = (
            f"table {planned.table.key[:8]} ({names}), run {planned.run}, "
            f"rotation {planned.rotation} could not be played: {void.reason}"
        )
        self.set_aside.append(text)
        self._reporter.say(text)
