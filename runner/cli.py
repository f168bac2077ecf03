"""The commands `letzter` and `run-league`: the only place that prints, and that knows exit codes.

Data goes to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage or
league file, 3 done but some bot was at fault, 130 interrupted.
"""

import contextlib
import errno
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from rich.console import Console, RenderableType

from runner import __version__
from runner.config import Execution, League, load_bot, load_league, load_named_bot, schema_text
from runner.errors import LetzterError, UsageError
from runner.game.rules import POSITIONS
from runner.records import Limits, Sandbox, SandboxMode
from runner.report.exports import EXPORTS, FORMATS, standing_rows
from runner.report.listings import (
    CARD_NAMES,
    crosstable_listing,
    deal_listing,
    faults_listing,
    plain,
    ratings_listing,
)
from runner.report.standing import Standing, standing_of
from runner.report.verification import verify_lines
from runner.storage.reader import Reader, StoredDealLog, open_reader

FAILED = 1
USAGE = 2
BOT_AT_FAULT = 3
INTERRUPTED = 130

_SQLITE_MAGIC = b"SQLite format 3\0"
_PIPE_WIDTH = 160
Command = TypeVar("Command", bound=Callable[..., Any])


class _Command(click.Command):
    """A command; turns what went wrong into one message and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        with _plain_errors():
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()


class _Letzter(click.Group):
    """The group of commands."""

    command_class = _Command


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        yield
    except UsageError as error:
        _fail(str(error), USAGE)
    except LetzterError as error:
        _fail(str(error), FAILED)
    except KeyboardInterrupt:
        _fail("interrupted", INTERRUPTED)
    except OSError as error:
        if error.errno == errno.EPIPE:  # click ends quietly when nobody reads any more
            raise
        _fail(f"{error.filename or 'output'}: {error.strerror or error}", FAILED)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(code)


class _Span(click.ParamType[float]):
    """A span of time: whole hours, minutes and seconds, as in `1h30m`."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The span in seconds."""
        found = re.fullmatch(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?", str(value))
        if not value or found is None:
            self.fail(f"{value!r}: expected a time such as 90s, 45m, 2h or 1h30m", param, ctx)
        hours, minutes, seconds = (int(part or 0) for part in found.groups())
        return 3600.0 * hours + 60.0 * minutes + seconds


league_argument = click.argument("file", metavar="FILE")


@click.group(cls=_Letzter, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="letzter")
def main() -> None:
    r"""Run leagues of bots that play Letzter, and look at what came out.

    FILE is a league file (leagues/spring.yaml) or its database (leagues/spring.db).

    \b
    Examples:
      letzter run leagues/spring.yaml
      letzter ratings leagues/spring.yaml
      letzter check bots/sensible.py
    """


@main.command("run")
@click.argument("file", metavar="FILE")
@click.option("--plan", is_flag=True, help="Show what would be played, and play nothing.")
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    help="How many sittings to play at a time.  [default: the cores there are]",
)
@click.option(
    "--time",
    "time_limit",
    type=_Span(),
    help="Begin nothing that would not end within this time: 90s, 45m, 2h, 1h30m.",
)
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
@click.option("--json", "as_json", is_flag=True, help="The ratings as one JSON object.")
def run(
    file: str,
    plan: bool,
    workers: int | None,
    time_limit: float | None,
    quiet: bool,
    as_json: bool,
) -> None:
    r"""Play what is missing of the league in FILE, and rate it.

    Run it again after any end: it goes on where it was. It takes up new entrants, more deals
    and changed bots.

    \b
    Example:
      run-league leagues/spring.yaml --workers 2
    """
    # Not at the top: no command that does not play is to wait for what playing needs.
    from runner.league.run import default_workers, forecast

    league = load_league(file)
    count = workers or default_workers()
    if league.execution is Execution.SERIAL:
        count = 1
    if plan:
        _print_forecast(league, forecast(league, count), count, as_json)
        return
    sys.exit(_run(league, count, time_limit, quiet=quiet, as_json=as_json))


def run_league() -> None:
    """`run-league FILE`, which is `letzter run FILE`."""
    run(prog_name="run-league")


all_versions_option = click.option(
    "--all-versions", is_flag=True, help="With old versions, as entrants of their own."
)


@main.command()
@league_argument
@all_versions_option
def ratings(file: str, all_versions: bool) -> None:
    r"""The ratings of a league.

    \b
    Example:
      letzter ratings leagues/spring.yaml
    """
    with _reader(file) as reader:
        _show(ratings_listing(standing_of(reader, all_versions=all_versions)))


@main.command()
@league_argument
def crosstable(file: str) -> None:
    r"""Who does better than whom at common tables.

    \b
    Example:
      letzter crosstable leagues/spring.yaml
    """
    with _reader(file) as reader:
        _show(crosstable_listing(standing_of(reader)))


@main.command()
@click.argument("bot", metavar="BOT")
@click.option("--packages", is_flag=True, help="The bot needs installed Python packages.")
@click.option("--json", "as_json", is_flag=True, help="What was found, as one JSON object.")
def check(bot: str, packages: bool, as_json: bool) -> None:
    r"""Try a bot, step by step: all that a league will ask of it, up to the first failure.

    BOT is a program of one file, or a zip or folder with a bot.yaml.

    \b
    Example:
      letzter check bots/sensible.py
    """
    from runner.execution.executor import workspace
    from runner.report.walk import failed, walk_object
    from runner.table.check import ALL_GAMES
    from runner.table.walk import walk

    files = load_bot(bot, packages=packages)
    with workspace() as folder:
        sandbox = Sandbox(SandboxMode.AUTO)
        steps = _shown_steps(walk(files, ALL_GAMES, Limits(), folder, sandbox), quiet=as_json)
    if as_json:
        click.echo(json.dumps(walk_object(files, steps), ensure_ascii=False))
    elif not failed(steps):
        click.echo("The bot is good.")
    sys.exit(FAILED if failed(steps) else 0)


@main.command()
@click.argument("bot", metavar="BOT")
@league_argument
@click.option("--name", help="What the entrant is called.  [default: as the bot]")
@click.option("--author", help="Who wrote it.  [default: as its bot.yaml says]")
@click.option("--packages", is_flag=True, help="The bot needs installed Python packages.")
@click.option("--take-over", is_flag=True, help="Replace somebody else's entrant.")
def submit(
    bot: str, file: str, name: str | None, author: str | None, packages: bool, take_over: bool
) -> None:
    r"""Submit a bot to a league: a new version of an entrant, or a new entrant.

    FILE is the league file. The bot is checked in the league's limits, plays a qualifying
    sitting, and takes part from the next run-league on.

    \b
    Example:
      letzter submit mybot.py leagues/spring.yaml --author Ann
    """
    from runner.execution.executor import workspace
    from runner.league.submission import MOST_QUALIFYING_FAULTS, QUALIFYING_DEALS, Submitting
    from runner.report.walk import failed

    league = load_league(file)
    named = load_named_bot(bot, packages=packages, links=False)
    submitting = Submitting(
        league,
        named.files,
        name if name is not None else named.name or Path(bot).stem,
        author if author is not None else named.author,
        take_over=take_over,
    )
    submitting.refuse_early()
    with workspace() as folder:
        if failed(_shown_steps(submitting.walk(folder), quiet=False)):
            _fail("not submitted: it failed its check", FAILED)
        qualified = submitting.qualify(folder)
    against = ", ".join(map(plain, qualified.opponents))
    click.echo(
        f"qualifying: {QUALIFYING_DEALS} deals against {against}; {qualified.lost} lost by faults,"
        f" at most {MOST_QUALIFYING_FAULTS} allowed"
    )
    if not qualified.passed:
        _fail(f"not submitted: {plain(qualified.fault)}", FAILED)
    times = submitting.store()
    entrant = submitting.entrant
    click.echo(
        f"submitted: {plain(entrant.name)}, version {entrant.bot.version[:8]}, submission {times} "
        "under that name; it plays from the next run-league on"
    )


@main.command()
@league_argument
@click.argument("name", metavar="NAME")
def withdraw(file: str, name: str) -> None:
    r"""Withdraw a submitted entrant from a league. FILE is the league file.

    \b
    Example:
      letzter withdraw leagues/spring.yaml mybot
    """
    from runner.league.submission import withdraw as withdraw_from

    league = load_league(file)
    database_of(file)
    click.echo(plain(withdraw_from(league, name)))


@main.command()
@league_argument
def entrants(file: str) -> None:
    r"""All versions of all entrants of a league, with state and reason.

    \b
    Example:
      letzter entrants leagues/spring.yaml
    """
    from runner.report.entrants import entrants_listing

    with _reader(file) as reader:
        _show(entrants_listing(reader))


@main.command()
@league_argument
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def finals(file: str, quiet: bool) -> None:
    r"""Play a league again on fresh deals, once its submissions have closed.

    FILE is the league file. The finals are a league of their own, in a database beside it that
    ends in .finals.db.

    \b
    Example:
      letzter finals leagues/spring.yaml
    """
    from datetime import UTC, datetime

    from runner.league.entering import with_submissions
    from runner.league.run import default_workers
    from runner.league.submission import finals_of

    league = load_league(file)
    played = finals_of(league, datetime.now(UTC))
    with _reader(file) as reader:
        entered, _ = with_submissions(league, reader)
    played = replace(played, entrants=entered.entrants, files=entered.files)
    workers = 1 if league.execution is Execution.SERIAL else default_workers()
    again = f"letzter finals {file}"
    sys.exit(_run(played, workers, None, quiet=quiet, as_json=False, again=again))


@main.command()
@league_argument
def commit(file: str) -> None:
    r"""Publish the hashes of a league's secret and bots, before a beacon is mixed in.

    FILE is the league file. From then on run-league wants a beacon in it.

    \b
    Example:
      letzter commit leagues/spring.yaml
    """
    from runner.league.commitment import commit_to

    for line in commit_to(load_league(file)):
        click.echo(plain(line))


@main.command()
@league_argument
@click.argument("entrant", required=False)
@click.option("-v", "--verbose", is_flag=True, help="With request, reply, stderr and command.")
@click.option("--feed", metavar="BOT", help="Send each fault's request to a bot again.")
def faults(file: str, entrant: str | None, verbose: bool, feed: str | None) -> None:
    r"""What bots did wrong: the first five faults of each kind, for all or for one ENTRANT.

    \b
    Examples:
      letzter faults leagues/spring.yaml
      letzter faults leagues/spring.yaml sensible -v
    """
    with _reader(file) as reader:
        entrants = {each.id: each for each in reader.entrants(all_versions=True)}
        names = {each.name for each in entrants.values()}
        if entrant is not None and entrant not in names:
            raise UsageError(
                f"{file}: no entrant is called {entrant!r}; there are {', '.join(sorted(names))}"
            )
        chosen = [
            fault
            for fault in reader.faults()
            if entrant is None or entrants[fault.entrant].name == entrant
        ]
        if feed is not None:
            for fault in chosen:
                name = f"{fault.table}-{fault.deal}-{fault.rotation}"
                click.echo(f"{fault.kind} {fault.number}, {plain(fault.detail)}")
                _feed(reader, feed, reader.deal_log(name), fault.seat, last_only=True)
            return
        listing = faults_listing(chosen, reader.fault_counts(), entrants, verbose=verbose)
        _show(listing, long_lines=True)


@main.command()
@league_argument
@click.argument("deallog", metavar="DEALLOG")
@click.option(
    "--cards",
    type=click.Choice(sorted(CARD_NAMES)),
    default="french",
    show_default=True,
    help="Which cards to show.",
)
@click.option("--feed", metavar="BOT", help="Send a seat's requests to a bot again, one by one.")
@click.option(
    "--seat",
    metavar="SEAT",
    help="Whose: a number, a position or an entrant.  [default: the offender, else all]",
)
def replay(file: str, deallog: str, cards: str, feed: str | None, seat: str | None) -> None:
    r"""A stored deal, card by card. DEALLOG is its name: <table>-<deal>-<rotation>.

    \b
    Example:
      letzter replay leagues/spring.yaml 59a7d6e1-17-2 --cards german
    """
    if seat is not None and feed is None:
        raise UsageError("--seat says whose requests to --feed to a bot")
    with _reader(file) as reader:
        log = reader.deal_log(deallog)
        if feed is not None:
            for each in _seats_to_feed(reader, log, seat):
                _feed(reader, feed, log, each)
            return
        entrants = {entrant.id: entrant for entrant in reader.entrants(all_versions=True)}
        _show(deal_listing(log, reader.rules(), entrants, CARD_NAMES[cards]))


@main.command()
@league_argument
@click.option("--deals", "what", flag_value="deals", help="Every deal log.")
@click.option("--ratings", "what", flag_value="ratings", help="A row for each entrant.")
@click.option("--boards", "what", flag_value="boards", help="A row for each entrant of a board.")
@click.option("--faults", "what", flag_value="faults", help="The first five of each kind.")
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted(FORMATS)),
    default="jsonl",
    show_default=True,
    help="JSON Lines, or CSV with a header.",
)
@all_versions_option
def export(file: str, what: str | None, form: str, all_versions: bool) -> None:
    r"""Rows of a league for other programs.

    \b
    Examples:
      letzter export leagues/spring.yaml --deals --format jsonl | letzter verify -
      letzter export leagues/spring.yaml --ratings --format csv > ratings.csv
    """
    if what is None:
        raise UsageError("what to export? Give one of --deals, --ratings, --boards, --faults")
    with _reader(file) as reader:
        for line in FORMATS[form](EXPORTS[what](reader, all_versions=all_versions)):
            sys.stdout.write(line)
        sys.stdout.flush()


@main.command()
@click.argument("file", metavar="FILE.jsonl")
def verify(file: str) -> None:
    r"""Replay recorded deals, anybody's, and name each that breaks the rules. - is stdin.

    \b
    Example:
      letzter verify deals.jsonl
    """
    good = bad = 0
    with _lines_of(file) as lines:
        for found in verify_lines(lines):
            if found is None:
                good += 1
            else:
                bad += 1
                click.echo(f"line {found.line}: {plain(found.reason)}")
    click.echo(f"{good + bad:,} deals: {good:,} good, {bad:,} bad")
    sys.exit(FAILED if bad else 0)


@main.command()
@league_argument
@click.option(
    "--replay",
    "replays",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Play N sittings again from the stored bots, and compare every card.",
)
@click.option("--seed", type=int, default=0, help="Chooses the sittings for --replay.")
@click.option("--collusion", is_flag=True, help="Who does better with whom than all else predicts?")
@click.option("--json", "as_json", is_flag=True, help="The report as one JSON object.")
def audit(file: str, replays: int, seed: int, collusion: bool, as_json: bool) -> None:
    r"""Prove all that a league's database says, and name what is wrong with it.

    \b
    Examples:
      letzter audit leagues/spring.yaml
      letzter audit leagues/spring.yaml --replay 2
      letzter audit leagues/spring.yaml --collusion
    """
    from runner.league.audit.audit import audit_league
    from runner.league.audit.report import audit_lines
    from runner.report.collusion import collusion_listing, collusion_of, collusion_rows

    database = database_of(file)
    report = audit_league(database, replays, seed)
    pairs = None
    if collusion and not report.failures:
        with open_reader(database) as reader:
            pairs = collusion_of(reader)
    if as_json:
        shown = asdict(report)
        if pairs is not None:
            shown["collusion"] = collusion_rows(pairs)
        click.echo(json.dumps(shown, ensure_ascii=False))
    else:
        if pairs is not None:
            _show(collusion_listing(pairs))
        for line in audit_lines(report):
            click.echo(plain(line))
    sys.exit(FAILED if report.failures else 0)


@main.command()
@league_argument
def reveal(file: str) -> None:
    r"""Publish the league's secret, so that all can check its deals. Closes the league for good.

    \b
    Example:
      letzter reveal leagues/spring.yaml
    """
    from runner.league.secret import reveal_secret

    click.echo(reveal_secret(database_of(file)).hex())
    click.echo("The league is closed; anybody can now recompute its deals.", err=True)


@main.command()
def schema() -> None:
    r"""The JSON Schema of league files, for editors.

    \b
    Example:
      letzter schema > league.schema.json
    """
    sys.stdout.write(schema_text())


def database_of(file: str) -> Path:
    """The database that a FILE means: itself, or the one beside the league file.

    Raises:
        UsageError: there is no such file, or the league was not played yet.
    """
    path = Path(file)
    try:
        with path.open("rb") as opened:
            if opened.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC:
                return path
    except OSError as error:
        raise UsageError(
            f"{file}: {error.strerror}; expected a league file or its database"
        ) from None
    database = path.with_suffix(".db")
    if database == path:
        raise UsageError(f"{file}: expected a league file or its database, and it is neither")
    if not database.exists():
        raise UsageError(f"{file}: the league was not played yet: run-league {file}")
    return database


@contextlib.contextmanager
def _reader(file: str) -> Iterator[Reader]:
    with open_reader(database_of(file)) as reader:
        yield reader


@contextlib.contextmanager
def _lines_of(file: str) -> Iterator[Iterable[bytes]]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        opened = Path(file).open("rb")  # noqa: SIM115 - closed below; the `try` is for opening only
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    with opened:
        yield opened


def _show(listing: RenderableType, *, long_lines: bool = False) -> None:
    """Print a listing; in a pipe its width does not depend on anybody's terminal."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_PIPE_WIDTH)
    console.print(listing, soft_wrap=long_lines)


def _shown_steps(steps: Iterable[Any], *, quiet: bool) -> list[Any]:
    """Take the steps of a walk, and show each as it comes."""
    from runner.report.walk import step_lines

    taken = []
    for step in steps:
        taken.append(step)
        for line in [] if quiet else step_lines(step):
            click.echo(line)
    return taken


def _seats_to_feed(reader: Reader, log: StoredDealLog, seat: str | None) -> list[int]:
    """The seats that a user means: all, the offender's, or one by number, position or entrant."""
    positions = POSITIONS[reader.rules().players]
    entrants = {entrant.id: entrant.name for entrant in reader.entrants(all_versions=True)}
    names = [entrants[log.entrants[place]] for place in log.seats]
    if seat is None:
        return [log.fault_seat] if log.fault_seat is not None else list(range(len(positions)))
    for known in (tuple(map(str, range(len(positions)))), positions, tuple(names)):
        if seat in known:
            return [known.index(seat)]
    raise UsageError(f"--seat {seat}: expected one of {', '.join((*positions, *names))}")


def _feed(
    reader: Reader, bot: str, log: StoredDealLog, seat: int, *, last_only: bool = False
) -> None:
    from runner.execution.executor import workspace
    from runner.report.feeding import fed_lines, record_of
    from runner.table.feed import feed

    files = load_bot(bot)
    record = record_of(log, reader.rules())
    limits = reader.conditions().limits
    click.echo(f"{log.name}, {POSITIONS[record.rules.players][seat]} (seat {seat})")
    fed = 0
    with workspace() as folder:
        for each in feed(files, record, seat, limits, folder, last_only=last_only):
            fed += 1
            for line in fed_lines(each, log):
                click.echo(line)
    if not fed:
        click.echo("It was asked nothing there.")


def _run(
    league: League,
    workers: int,
    time_limit: float | None,
    *,
    quiet: bool,
    as_json: bool,
    again: str = "",
) -> int:
    from runner.league.progress import reporter
    from runner.league.run import run_league as run_whole
    from runner.league.stopping import stop_on_signals

    console = Console(stderr=True)
    with reporter(console, quiet=quiet) as report, stop_on_signals() as stop:
        outcome = run_whole(league, report, stop, workers, time_limit)
    if outcome.standing is None:
        click.echo(
            "Stopped; all that was played is stored. "
            f"Go on: {again or f'run-league {league.path}'}",
            err=True,
        )
        return INTERRUPTED
    if as_json:
        click.echo(json.dumps(_as_object(outcome.standing), ensure_ascii=False))
    else:
        _show(ratings_listing(outcome.standing))
    if outcome.set_aside:
        return FAILED
    return BOT_AT_FAULT if outcome.at_fault else 0


def _as_object(standing: Standing) -> dict[str, Any]:
    return {
        "league": standing.conditions.name,
        "boards": standing.boards,
        "planned_boards": standing.planned_boards,
        "provisional": standing.provisional,
        "ratings": list(standing_rows(standing)),
    }


def _print_forecast(league: League, seen: Any, workers: int, as_json: bool) -> None:
    from runner.league.progress import duration

    if as_json:
        click.echo(json.dumps(asdict(seen)))
        return
    free = shutil.disk_usage(league.path.resolve().parent).free
    basis = "by what this league took so far" if seen.measured else "for quick bots"
    for label, text in (
        ("tables", f"{seen.tables:,} of {league.rules.players} entrants"),
        ("boards", f"{seen.boards:,}, each {league.rules.players} deal logs"),
        ("sittings", f"{seen.sittings:,}, {seen.sittings_left:,} of them to be played"),
        ("deal logs", f"{seen.deals:,}, {seen.deals_left:,} of them to be played"),
        ("time", f"about {duration(seen.seconds)} with {workers} at a time, {basis}"),
        ("disk", f"about {seen.bytes / 1e6:,.1f} MB, {free / 1e9:,.0f} GB are free"),
    ):
        click.echo(f"{label:<10}{text}")
    if seen.unused:
        click.echo(f"{'unused':<10}{seen.unused:,} stored sittings are of no use to this plan")
