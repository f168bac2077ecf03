"""Who plays: the entrants of the league file and those submitted; of one name, the newer."""

from dataclasses import replace

from runner.config import League, alike
from runner.errors import UsageError
from runner.records import BotFiles, Entrant
from runner.storage.reader import Reader, Submission


def with_submissions(league: League, reader: Reader) -> tuple[League, list[str]]:
    """The league with those entrants that play, and what is to be said about it.

    Of an entrant that is both in the league file and submitted the newer version plays. A version
    in the league file is as old as the first run, or submission, that it came with.

    Raises:
        UsageError: a name in the league file looks like that of a submitted entrant.
    """
    entered_at = reader.entered_at()
    submitted = newest_submissions(reader.submissions())
    entrants = {entrant.name: entrant for entrant in league.entrants}
    files: dict[str, BotFiles] = dict(league.files)
    said = []
    for name, submission in sorted(submitted.items()):
        _refuse_alike(name, entrants, league)
        own = entrants.get(name)
        if own is not None and own.bot.version != submission.version:
            came = entered_at.get((name, own.bot.version))
            if came is None or came > submission.submitted_at:
                said.append(
                    f"{name}: the league file's version {own.bot.version[:8]} plays, it is newer "
                    f"than {submission.version[:8]}, which was submitted"
                )
                continue
            said.append(
                f"{name}: the submitted version {submission.version[:8]} plays, it is newer than "
                f"{own.bot.version[:8]} of the league file"
            )
        bot = reader.bot_files(submission.version)
        team = own.team if own is not None else ""
        entrants[name] = Entrant(name, bot.bot, submission.author, team)
        files[submission.version] = bot
    return replace(league, entrants=tuple(entrants.values()), files=files), said


def newest_submissions(submissions: list[Submission]) -> dict[str, Submission]:
    """By name, the last submission that was not withdrawn."""
    return {each.name: each for each in submissions if not each.withdrawn}


def _refuse_alike(name: str, entrants: dict[str, Entrant], league: League) -> None:
    for other in entrants:
        if other != name and alike(other) == alike(name):
            raise UsageError(
                f"{league.path}: the entrant {other!r} has a name that looks like that of "
                f"{name!r}, which was submitted; rename it"
            )
