"""A league file read whole: a `League`, or every mistake with its place."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from math import factorial
from pathlib import Path
from typing import Any

from runner.config.bots import BotReader
from runner.config.groups import Located, Values
from runner.config.keys import ENTRANT_NAME, LEAGUE, LIMITS, SUBMISSIONS, Execution
from runner.config.yaml_nodes import Problems, parse, read_source, shown
from runner.errors import LeagueFileError
from runner.game.rules import Play, Rules
from runner.records import Allowance, BotFiles, Entrant, Limits, Sandbox, SandboxMode


@dataclass(frozen=True, slots=True)
class League:
    """What a league file says, defaults filled in.

    Attributes:
        path: the file.
        name: what the league is called.
        rules: the game.
        deals: how many each table plays.
        deals_per_sitting: the length of a run, a multiple of (players - 1)!.
        entrants: in the order of the file.
        limits: what a bot may use.
        format: a name out of `runner.config.FORMATS`.
        seed: what the deals are drawn from, or None for a secret.
        execution: where the sittings are played.
        sandbox: how the bots are boxed.
        files: by bot version, the bot with the contents of its files.
        same_team_tables: whether entrants of one team meet.
        closes: from when on nothing can be submitted, or None.
        most_versions: how often an entrant may be submitted, or None.
        beacon: the public value that is mixed into the secret, or None.
    """

    path: Path
    name: str
    rules: Rules
    deals: int
    deals_per_sitting: int
    entrants: tuple[Entrant, ...]
    limits: Limits
    format: str
    seed: str | None
    execution: Execution
    sandbox: Sandbox
    files: dict[str, BotFiles]
    same_team_tables: bool = True
    closes: datetime | None = None
    most_versions: int | None = None
    beacon: str | None = None

    @property
    def database(self) -> Path:
        """Where the league is stored: beside its file, with the ending `.db`."""
        return self.path.with_suffix(".db")

    @property
    def secret(self) -> Path:
        """Where its secret is kept: beside its file, with the ending `.secret`."""
        return self.path.with_suffix(".secret")


def load_league(path: str) -> League:
    """Read a league file and the bots that it names.

    Args:
        path: the file, as the user gave it; it begins every message. Paths in the file are
            relative to its folder.

    Raises:
        LeagueFileError: the file cannot be read as a league. Its message holds every mistake, in
            the order of the file, each as `path:line:column: what` with the line and a caret;
            one that keeps the rest from being read stands alone.
    """
    if Path(path).suffix in (".db", ".secret"):
        raise LeagueFileError(f"{path}:1:1: a league file ends in .yaml; this is what it leads to")
    problems = Problems(read_source(path))
    root = parse(problems)
    if root is None and not problems.found:
        problems.stop(0, f"the file is empty: expected {LEAGUE.expected}")
    values = None if root is None else LEAGUE.read(root, "league", problems)
    league = None if values is None else _league(path, values, problems)
    if league is None:
        raise problems.error()
    return league


def _league(path: str, values: Values, problems: Problems) -> League | None:
    """Check what no key can tell alone, and put the league together if nothing was wrong."""
    _check_players(values, problems)
    entries = _entrants(Path(path).parent, values["entrants"] or (), problems)
    limits = _limits(values, problems)
    submissions = values["submissions"] or SUBMISSIONS.defaults()
    if not problems.found and values["same_team_tables"] is False:
        _check_teams([entrant for entrant, _ in entries], values, problems)
    if problems.found:
        return None
    return League(
        path=Path(path),
        name=values["name"],
        rules=Rules(values["players"], Play(values["play"])),
        deals=values["deals"],
        deals_per_sitting=values["deals_per_sitting"],
        entrants=tuple(entrant for entrant, _ in entries),
        limits=limits,
        format=values["format"],
        seed=values["seed"],
        execution=Execution(values["execution"]),
        sandbox=Sandbox(SandboxMode(values["sandbox"]), _python(Path(path).parent, values)),
        files={files.bot.version: files for _, files in entries},
        same_team_tables=values["same_team_tables"],
        closes=submissions["closes"],
        most_versions=submissions["most_versions"],
        beacon=values["beacon"],
    )


def _python(folder: Path, values: Values) -> str:
    """The path of the Python for bots; it is tried when a league is run."""
    return str((folder / values["python"]).absolute()) if values["python"] else ""


def _check_players(values: Values, problems: Problems) -> None:
    """Check what depends on how many play at a table."""
    players = values["players"]
    if players is None:
        return
    orders = factorial(players - 1)
    length = values["deals_per_sitting"]
    if length is not None and length % orders:
        what = f"expected a multiple of {orders} with {players} players, got {length}"
        problems.add(values.at_of("deals_per_sitting"), f"deals_per_sitting: {what}")
    entrants = values["entrants"]
    if entrants is not None and len(entrants) < players:
        what = f"expected at least as many as players ({players}), got {len(entrants)}"
        problems.add(values.at_of("entrants"), f"entrants: {what}")


def _check_teams(entrants: list[Entrant], values: Values, problems: Problems) -> None:
    """Check that there are enough teams for a table, where team-mates are kept apart."""
    teams = sum(
        not any(entrant.is_team_mate(earlier) for earlier in entrants[:at])
        for at, entrant in enumerate(entrants)
    )
    if teams < values["players"]:
        what = f"false needs at least as many teams as players ({values['players']}), got {teams}"
        problems.add(values.at_of("same_team_tables"), f"same_team_tables: {what}")


def _limits(values: Values, problems: Problems) -> Limits:
    """The limits; where something was wrong, only its message matters."""
    given = values["limits"] or LIMITS.defaults()
    merged: dict[str, Any] = dict(given.values)
    move = merged.get("move_seconds")
    if move is not None and "wall_seconds" not in given.places:
        merged["wall_seconds"] = 5 * move + 1
    limits = Limits(**merged)
    if move is not None and given["wall_seconds"] is not None and limits.wall_seconds < move:
        what = f"expected no less than move_seconds ({move:g}), got {limits.wall_seconds:g}"
        problems.add(given.at_of("wall_seconds"), f"wall_seconds: {what}")
    return limits


def _entrants(
    folder: Path, listed: tuple[Located, ...], problems: Problems
) -> list[tuple[Entrant, BotFiles]]:
    """The entrants without mistakes, each with its bot."""
    reader = BotReader(folder, problems)
    taken: dict[str, tuple[str, int]] = {}
    entries: list[tuple[Entrant, BotFiles]] = []
    for each in listed:
        if each.value is None:
            continue
        bot = reader.read(each.value)
        name = _name(each.value, bot.name if bot else "", problems)
        if name is not None:
            _check_taken(name, each.value, taken, problems)
        if name is not None and bot is not None:
            author, team = each.value["author"] or bot.author, each.value["team"] or ""
            allowance = Allowance(each.value["memory_mb"] or 0, each.value["threads"] or 0)
            entries.append((Entrant(name, bot.files.bot, author, team, allowance), bot.files))
    return entries


def _name(entrant: Values, told: str, problems: Problems) -> str | None:
    """The name given, or what the bot's `bot.yaml` says, or its file name without its ending."""
    if "name" in entrant.places:
        name: str | None = entrant["name"]
        return name
    if entrant["bot"] is None:
        if "command" in entrant.places:
            problems.add(entrant.at, "missing key 'name' of an entrant with 'command'")
        return None
    stem = told or Path(entrant["bot"]).stem
    if ENTRANT_NAME.wrong_with(stem) is None:
        return unicodedata.normalize("NFC", stem)
    what = f"{shown(stem)} cannot be the entrant's name, give it a 'name'"
    problems.add(entrant.at_of("bot"), f"bot: {what}")
    return None


def alike(name: str) -> str:
    """What a name looks like: two entrants may not have names that look the same."""
    return unicodedata.normalize("NFC", " ".join(name.split()).casefold())


def _check_taken(
    name: str, entrant: Values, taken: dict[str, tuple[str, int]], problems: Problems
) -> None:
    """Refuse a name that looks like that of an earlier entrant."""
    look = alike(name)
    if look not in taken:
        taken[look] = (name, problems.source.line_of(entrant.at))
        return
    other, line = taken[look]
    first = "the first" if name == other else shown(other)
    what = f"a second entrant named {shown(name)} ({first} is on line {line})"
    problems.add(entrant.at_of("name" if "name" in entrant.places else "bot"), what)
