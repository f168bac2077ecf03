"""Stored ratings against those that the stored boards give."""

import math
from dataclasses import astuple, fields

from runner.league.audit.findings import Findings, Kind
from runner.report.standing import standing_of
from runner.storage.reader import Reader
from runner.storage.store import RatingBasis, RatingRow

_TOLERANCE = 1e-6
"""Other machines round other last digits."""


def check_ratings(reader: Reader, findings: Findings) -> str:
    """Compute the ratings again and compare; returns a note where they cannot be compared."""
    stored = reader.ratings()
    if stored is None:
        return "no ratings are stored yet"
    rows, basis = stored
    try:
        standing = standing_of(reader, anew=True)
    except (ValueError, LookupError) as error:
        findings.add(Kind.RATING, "all", f"cannot be computed from these deal logs: {error}")
        return ""
    now = standing.ratings
    if now.basis != basis.basis:
        return _other_basis(basis, now, findings)
    if not _alike(astuple(basis)[3:], astuple(now)[3:]) or basis.boards != now.boards:
        what = f"{astuple(basis)[1:]} is stored of how they came about, it is {astuple(now)[1:]}"
        findings.add(Kind.RATING, "all", what)
    expected = {(row.name, row.version): row for row in standing.rating_rows()}
    found = {(row.name, row.version): row for row in rows}
    for key in sorted(expected.keys() | found.keys()):
        what = _difference(found.get(key), expected.get(key))
        if what:
            findings.add(Kind.RATING, key[0], what)
    return ""


def _other_basis(stored: RatingBasis, now: RatingBasis, findings: Findings) -> str:
    """Ratings of other boards: of an earlier state of the league, or of what never was."""
    told = f"they are of {stored.boards:,} other boards, and {now.boards:,} are whole"
    same_plan = stored.planned_boards == now.planned_boards
    if now.boards == now.planned_boards or (same_plan and stored.boards >= now.boards):
        findings.add(Kind.RATING, "all", f"{told}; run-league computes them again")
        return ""
    return f"the stored ratings are not checked: {told}, as after a run that was broken off"


def _difference(stored: RatingRow | None, expected: RatingRow | None) -> str:
    if stored is None or expected is None:
        return "is stored, and has no boards" if expected is None else "is not stored"
    for field in fields(RatingRow):
        found, right = getattr(stored, field.name), getattr(expected, field.name)
        if not _alike((found,), (right,)):
            return f"{field.name} {found}, expected {right}"
    return ""


def _alike(stored: tuple[object, ...], expected: tuple[object, ...]) -> bool:
    return all(
        math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
        if isinstance(one, float) and isinstance(other, float)
        else one == other
        for one, other in zip(stored, expected, strict=True)
    )
