"""What an audit finds wrong, the first few of each kind and a count of all."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

SHOWN = 20
"""So many findings of a kind are kept; the others are counted."""


class Kind(StrEnum):
    """What can be wrong, in the order in which it is told."""

    DATABASE = "database"
    SECRET = "secret"  # noqa: S105 - a kind of finding
    BOT = "bot"
    TABLE = "table"
    SITTING = "sitting"
    ROTATION = "rotation"
    DEAL = "deal"
    PLAY = "play"
    FAULT = "fault"
    RATING = "rating"
    REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        kind: of what sort.
        name: of what it is wrong with, such as a deal log's.
        what: expected and found.
    """

    kind: Kind
    name: str
    what: str


class Findings:
    """Collects findings.

    Attributes:
        counts: how many there are of each kind.
    """

    def __init__(self) -> None:
        """Nothing is found yet."""
        self.counts: Counter[Kind] = Counter()
        self._kept: dict[Kind, list[Finding]] = {kind: [] for kind in Kind}

    def add(self, kind: Kind, name: str, what: str) -> None:
        """Take one in."""
        self.counts[kind] += 1
        if self.counts[kind] <= SHOWN:
            self._kept[kind].append(Finding(kind, name, what))

    def kept(self) -> list[Finding]:
        """The first of each kind, by kind."""
        return [finding for found in self._kept.values() for finding in found]
