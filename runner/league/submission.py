"""Submitting a bot to a league: what it must pass first, and when it is refused."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from runner import __version__
from runner.config import AUTHOR, ENTRANT_NAME, League, alike
from runner.errors import RunError, UsageError
from runner.execution.executor import play_on_core
from runner.game.deals import deal_hands, secret_of_seed
from runner.league.conditions import check_conditions, conditions_of
from runner.league.entering import newest_submissions
from runner.league.secret import dealing_secret, secret_of
from runner.records import BotFiles, Entrant, Sitting, SittingDeal, Void, canonical_hash
from runner.schedule.seating import seats
from runner.storage.reader import Reader, Submission, open_reader
from runner.storage.store import open_store
from runner.table.check import fault_text
from runner.table.walk import Step, walk

QUALIFYING_DEALS = 24
MOST_QUALIFYING_FAULTS = 2
"""With more deals of its qualifying sitting lost by faults, a bot is not taken."""

_SEED = secret_of_seed("qualifying")


@dataclass(frozen=True, slots=True)
class Qualified:
    """How a qualifying sitting went.

    Attributes:
        opponents: their names; the bot's own name where it played with copies of itself.
        lost: how many deals it lost by faults.
        fault: the first of them, as a text.
    """

    opponents: tuple[str, ...]
    lost: int
    fault: str

    @property
    def passed(self) -> bool:
        """Whether that is good enough."""
        return self.lost <= MOST_QUALIFYING_FAULTS


class Submitting:
    """One bot on its way into a league: `refuse_early`, `walk`, `qualify`, `store`."""

    def __init__(
        self, league: League, files: BotFiles, name: str, author: str, *, take_over: bool
    ) -> None:
        """Prepare.

        Raises:
            UsageError: name or author is none.
        """
        for kind, text, what in ((ENTRANT_NAME, name, "name"), (AUTHOR, author, "author")):
            wrong = kind.wrong_with(text)
            if wrong is not None:
                raise UsageError(f"--{what}: {wrong}")
        self._league = league
        self._files = files
        name, author = (unicodedata.normalize("NFC", text) for text in (name, author))
        self.entrant = Entrant(name, files.bot, author)
        self._take_over = take_over

    def refuse_early(self) -> None:
        """See, before anything is tried, that it could be taken now.

        Raises:
            UsageError: it could not.
        """
        if self._league.database.exists():
            with open_reader(self._league.database) as reader:
                self._refuse(reader.submissions())
        else:
            self._refuse([])

    def walk(self, folder: Path) -> Iterator[Step]:
        """Check it in the league's game and limits, step by step."""
        league = self._league
        return walk(self._files, [league.rules], league.limits, folder, league.sandbox)

    def qualify(self, folder: Path) -> Qualified:
        """Play a sitting with bots of the league, or with copies of itself where there are none.

        Raises:
            RunError: the sitting failed through us.
        """
        rules = self._league.rules
        opponents = self._opponents()[: rules.players - 1]
        while len(opponents) < rules.players - 1:
            opponents.append((self.entrant.name, self._files))
        key = self.entrant.bot.version
        sitting = Sitting(
            id=canonical_hash(["qualifying", key]),
            rules=rules,
            limits=self._league.limits,
            versions=(key, *(bot.bot.version for _, bot in opponents)),
            deals=tuple(
                SittingDeal(
                    deal,
                    deal_hands(_SEED, key, deal, rules),
                    seats(rules.players, key, deal, deal % rules.players),
                )
                for deal in range(1, QUALIFYING_DEALS + 1)
            ),
        )
        bots = [self._files, *(bot for _, bot in opponents)]
        result = play_on_core(sitting, bots, folder, self._league.sandbox)
        if isinstance(result, Void):
            raise RunError(f"the qualifying sitting could not be played here: {result.reason}")
        losers = [
            deal.seats[log.fault_seat]
            for deal, log in zip(sitting.deals, result.logs, strict=True)
            if log.fault_seat is not None
        ]
        fault = next((fault_text(each, rules) for each in result.faults if each.place == 0), "")
        return Qualified(tuple(name for name, _ in opponents), losers.count(0), fault)

    def store(self) -> int:
        """Take it into the league, all or nothing; returns how often it was submitted so far.

        Raises:
            UsageError: it cannot be taken, or not any more.
            StoreError: the league is being played, or its database cannot be written.
        """
        league = self._league
        secret = secret_of(league)
        with open_store(league.database) as store:
            reader = Reader(store.db)
            secret = dealing_secret(league, secret, reader, may_wait=True)
            store.set_conditions(conditions_of(league, secret), __version__)
            self._refuse(reader.submissions())
            store.submit(self.entrant, self._files, check_conditions(league, self.entrant))
            return sum(each.name == self.entrant.name for each in reader.submissions())

    def _opponents(self) -> list[tuple[str, BotFiles]]:
        """Entrants of the league that have passed their check, in an order of the bot's own."""
        if not self._league.database.exists():
            return []
        with open_reader(self._league.database) as reader:
            known = [
                each
                for each in reader.entrants()
                if each.state == "entered" and each.name != self.entrant.name
            ]
            known.sort(key=lambda each: canonical_hash([self.entrant.bot.version, each.name]))
            chosen = known[: self._league.rules.players - 1]
            return [(each.name, reader.bot_files(each.version)) for each in chosen]

    def _refuse(self, submissions: list[Submission]) -> None:
        why = refusal(
            self._league,
            self.entrant,
            submissions,
            take_over=self._take_over,
            now=datetime.now(UTC),
        )
        if why is not None:
            raise UsageError(f"{self._league.path}: {why}")


def refusal(
    league: League,
    entrant: Entrant,
    submissions: list[Submission],
    *,
    take_over: bool,
    now: datetime,
) -> str | None:
    """Why a bot cannot be taken into a league; None if it can.

    Args:
        league: the league.
        entrant: the bot with its name and author.
        submissions: those that there were.
        take_over: whether it may replace somebody else's.
        now: the time.
    """
    reasons = (
        _closed(league, now),
        _looks_alike(league, entrant, submissions),
        None if take_over else _of_another(league, entrant, submissions),
        _there_already(league, entrant, submissions),
        _too_often(league, entrant, submissions),
    )
    return next((reason for reason in reasons if reason is not None), None)


def _closed(league: League, now: datetime) -> str | None:
    if league.closes is None or now < league.closes:
        return None
    return f"submissions have closed at {league.closes.isoformat()}"


def _looks_alike(league: League, entrant: Entrant, submissions: list[Submission]) -> str | None:
    names = [each.name for each in league.entrants] + [each.name for each in submissions]
    for other in names:
        if other != entrant.name and alike(other) == alike(entrant.name):
            return f"the name {entrant.name!r} looks like that of the entrant {other!r}"
    return None


def _of_another(league: League, entrant: Entrant, submissions: list[Submission]) -> str | None:
    """Whether the name is somebody else's: of its last submission, else in the league file."""
    name = entrant.name
    owners = [each.author for each in league.entrants if each.name == name]
    owners += [each.author for each in submissions if each.name == name]
    if not owners or alike(owners[-1]) == alike(entrant.author):
        return None
    owner, author = (repr(text) if text else "nobody" for text in (owners[-1], entrant.author))
    return (
        f"the entrant {entrant.name!r} has the author {owner}, not {author}; "
        "choose another name, or --take-over"
    )


def _there_already(league: League, entrant: Entrant, submissions: list[Submission]) -> str | None:
    live = newest_submissions(submissions).get(entrant.name)
    if live is not None:
        return "that version is submitted already" if live.version == entrant.bot.version else None
    known = {(each.name, each.bot.version) for each in league.entrants}
    there = (entrant.name, entrant.bot.version) in known
    return "that version is in the league file already" if there else None


def _too_often(league: League, entrant: Entrant, submissions: list[Submission]) -> str | None:
    times = sum(each.name == entrant.name for each in submissions)
    if league.most_versions is None or times < league.most_versions:
        return None
    return (
        f"{entrant.name!r} was submitted {times} times, and most_versions is {league.most_versions}"
    )


def withdraw(league: League, name: str) -> str:
    """Take an entrant's submitted versions back; returns what is to be said.

    Raises:
        UsageError: nothing of that name is submitted.
        StoreError: the league is being played, or its database cannot be written.
    """
    with open_store(league.database) as store:
        live = newest_submissions(Reader(store.db).submissions())
        if name not in live:
            known = ", ".join(map(repr, sorted(live))) or "nobody"
            raise UsageError(f"{league.path}: {name!r} is not submitted; submitted are: {known}")
        count = store.withdraw(name)
    versions = "1 version" if count == 1 else f"{count} versions"
    if any(each.name == name for each in league.entrants):
        return f"{name}: {versions} withdrawn; the one in the league file plays from now on"
    return f"{name}: {versions} withdrawn; it does not play from the next run on"


def finals_of(league: League, now: datetime) -> League:
    """The finals of a league, to be played: the same entrants and rules, a secret of their own.

    They are a league of their own beside it, `<stem>.finals.db`, with a secret of its own.

    Raises:
        UsageError: the submissions have not closed.
    """
    if league.closes is None:
        raise UsageError(
            f"{league.path}: finals follow the closing of submissions: set 'closes' under "
            "'submissions'"
        )
    if now < league.closes:
        raise UsageError(f"{league.path}: submissions close at {league.closes.isoformat()}")
    return replace(
        league,
        path=league.path.with_suffix(".finals.yaml"),
        seed=None if league.seed is None else f"{league.seed}/finals",
        beacon=None,
    )
