"""The listing of a league's entrants: every version that there was, and what became of it."""

from collections import Counter

from rich.console import Group, RenderableType
from rich.text import Text

from runner.report.listings import LATE, SHORT_VERSION, plain
from runner.report.wide_table import Column, WideTable
from runner.storage.reader import Reader, StoredEntrant

_SHOWN_STATES = {
    "entered": "plays",
    "unchecked": "not checked yet",
    "refused": "failed its check",
    "replaced": "does not play",
}


def entrants_listing(reader: Reader) -> RenderableType:
    """All versions of all entrants, by name, the oldest first."""
    entered_at = reader.entered_at()
    submissions = reader.submissions()
    entrants = sorted(
        reader.entrants(all_versions=True),
        key=lambda each: (each.name, entered_at[each.name, each.version], each.version),
    )
    covered = reader.committed_versions() if reader.commitment() is not None else None
    counts = Counter(each.name for each in submissions)
    last = {(each.name, each.version): each for each in submissions}

    def version(each: StoredEntrant) -> str:
        late = covered is not None and (each.name, each.version) not in covered
        return each.version[:SHORT_VERSION] + (LATE if late else "")

    def came(each: StoredEntrant) -> str:
        submission = last.get((each.name, each.version))
        since = submission.submitted_at if submission else entered_at[each.name, each.version]
        return f"{'submitted' if submission else 'league file'} {since[:19].replace('T', ' ')}"

    def state(each: StoredEntrant) -> str:
        reason = f": {plain(each.reason)}" if each.reason else ""
        return _SHOWN_STATES[each.state] + reason

    listing = WideTable(
        [Column("entrant", [plain(each.name) for each in entrants], left=True)],
        [
            Column("version", list(map(version, entrants)), style="dim"),
            Column("author", [plain(each.author) or "-" for each in entrants], left=True),
            Column("came", list(map(came, entrants)), left=True),
            Column("submitted", [str(counts[each.name] or "-") for each in entrants]),
            Column("state", list(map(state, entrants)), left=True),
        ],
    )
    notes = [Text("Times are UTC. submitted: how often, under that name.", style="dim")]
    if covered is not None:
        notes.append(Text(f"{LATE} came after the host's commitment.", style="dim"))
    return Group(listing, *notes)
