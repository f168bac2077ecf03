"""Who does better with whom than all else predicts: rows and a listing of every pair."""

from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from runner.records import Entrant
from runner.report.listings import plain
from runner.report.standing import boards_of
from runner.report.wide_table import Column, WideTable
from runner.standings.collusion import LEVEL, Company, companies
from runner.storage.reader import Reader, StoredEntrant

_EXPLAINED = (
    "gain: penalties per board that the entrant scores less, with that friend at its table, than "
    "its other tables and the friend's other tables make one expect; z: over its error by chance, "
    "clustered by board; t: over what the gains of all other pairs vary by. SUSPECT: neither "
    f"chance nor style explains it; at most {LEVEL:.0%} of honest leagues have any such pair "
    "(Holm). A suspicion is no proof: look at the deals."
)


@dataclass(frozen=True, slots=True)
class CompanyLine:
    """One ordered pair, with names.

    Attributes:
        entrant: name of who may gain.
        friend: name of who may help.
        team_mates: whether the two are of one team.
        company: the figures.
    """

    entrant: str
    friend: str
    team_mates: bool
    company: Company


def collusion_of(reader: Reader) -> list[CompanyLine]:
    """All pairs of the league that can be judged, the most suspect first."""
    entrants = {entrant.id: entrant for entrant in reader.entrants()}
    return [
        CompanyLine(
            entrants[company.entrant].name,
            entrants[company.friend].name,
            _entrant(entrants[company.entrant]).is_team_mate(_entrant(entrants[company.friend])),
            company,
        )
        for company in companies(boards_of(reader))
    ]


def collusion_rows(lines: list[CompanyLine]) -> list[dict[str, Any]]:
    """The pairs as plain values."""
    return [
        {
            "entrant": line.entrant,
            "friend": line.friend,
            "team_mates": line.team_mates,
            "boards": line.company.boards,
            "gain": line.company.gain,
            "z": line.company.z,
            "t": line.company.t,
            "p": line.company.p,
            "suspect": line.company.suspect,
        }
        for line in lines
    ]


def collusion_listing(lines: list[CompanyLine]) -> RenderableType:
    """The pairs as a table, suspects first."""
    if not lines:
        return Text(
            "No pair can be judged: that takes more entrants than play at a table, who met at some "
            "tables and not at others."
        )
    table = WideTable(
        [
            Column("entrant", [plain(line.entrant) for line in lines], left=True),
            Column("with", [plain(line.friend) for line in lines], left=True),
        ],
        [
            Column("", ["SUSPECT" if line.company.suspect else "" for line in lines], left=True),
            Column("team-mates", ["yes" if line.team_mates else "" for line in lines], left=True),
            Column("boards", [f"{line.company.boards:,}" for line in lines]),
            Column("gain", [f"{line.company.gain:+.3f}" for line in lines]),
            Column("z", [f"{line.company.z:+.1f}" for line in lines]),
            Column("t", [f"{line.company.t:+.1f}" for line in lines]),
            Column("p", [f"{line.company.p:.2g}" for line in lines]),
        ],
    )
    return Group(table, Text(_EXPLAINED, style="dim"))


def _entrant(stored: StoredEntrant) -> Entrant:
    return Entrant(stored.name, stored.bot, stored.author, stored.team)
