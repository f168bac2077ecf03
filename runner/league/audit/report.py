"""What an audit came to, as a value and as lines for people."""

from collections.abc import Iterator
from dataclasses import dataclass

from runner.league.audit.findings import SHOWN, Finding, Kind
from runner.league.audit.runs import Tally


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit came to.

    Attributes:
        league: the league's name.
        findings: what is wrong, the first of each kind.
        counts: how many there are of each kind that was found.
        failures: how many things are wrong.
        tally: what was gone through.
        secret: where the secret came from: `revealed`, `seed`, `file`; None if it is not to be
            had, so that hands could only be compared with each other.
        notes: what is not proved, and why; no failures.
    """

    league: str
    findings: tuple[Finding, ...]
    counts: dict[Kind, int]
    failures: int
    tally: Tally
    secret: str | None
    notes: tuple[str, ...]


def audit_lines(report: Report) -> Iterator[str]:
    """A line for each finding and note, at last one with counts."""
    for kind, count in report.counts.items():
        for finding in report.findings:
            if finding.kind == kind:
                yield f"FAILED  {kind} {finding.name}: {finding.what}"
        if count > SHOWN:
            yield f"FAILED  {kind}: and {count - SHOWN:,} more"
    for note in report.notes:
        yield f"note    {note}"
    yield ", ".join(_counts(report))


def _counts(report: Report) -> Iterator[str]:
    tally = report.tally
    yield f"{tally.deal_logs:,} deal logs in {tally.sittings:,} sittings at {tally.tables:,} tables"
    yield f"{tally.whole_boards:,} whole boards"
    for count, what in (
        (tally.half_boards, "half played"),
        (tally.missing_boards, "still to be played"),
        (tally.older_sittings, "sittings of older limits"),
        (tally.forfeits, "forfeits"),
        (tally.replayed, "sittings played again"),
        (tally.not_deterministic, "not deterministic"),
        (tally.not_reproduced, "not reproduced"),
    ):
        if count:
            yield f"{count:,} {what}"
    if report.secret is None:
        yield "hands not compared with the secret"
    yield f"{report.failures:,} failures" if report.failures else "all good"
