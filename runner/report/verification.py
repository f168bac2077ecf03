"""Verification of anybody's recorded deals, a JSON object a line."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from runner.errors import RulesError
from runner.game.replay import replay


@dataclass(frozen=True, slots=True)
class BadDeal:
    """A line that holds no good deal.

    Attributes:
        line: its number, from 1.
        reason: which step, which seat, which card; or what is wrong with its form.
    """

    line: int
    reason: str


def verify_lines(lines: Iterable[bytes]) -> Iterator[BadDeal | None]:
    """Replay each deal; yields None for a good one. Empty lines are passed over."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            reason = _reason(line)
            yield BadDeal(number, reason) if reason else None


def _reason(line: bytes) -> str | None:
    try:
        replay(msgspec.json.decode(line))
    except RulesError as error:
        return str(error)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return f"expected a JSON object: {error}"
    return None
