"""The exports: rows of plain values in canonical order, as JSON Lines or CSV.

Two runs of one league give the same bytes: measured times stand in no export.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from runner.game.cards import cards_of, mask_of, names_of
from runner.game.rules import Rules
from runner.game.state import Deal
from runner.records import FaultKind
from runner.report.standing import Standing, boards_of, standing_of
from runner.storage.reader import Reader, StoredDealLog, StoredEntrant

Row = dict[str, Any]


def deal_rows(reader: Reader, *, all_versions: bool = False) -> Iterator[Row]:
    """Every deal log of the plan (or all), in the format that `letzter verify` reads."""
    rules = reader.rules()
    entrants = {entrant.id: entrant for entrant in reader.entrants(all_versions=True)}
    for log in reader.deal_logs(current_only=not all_versions):
        yield deal_row(log, rules, entrants)


def deal_row(log: StoredDealLog, rules: Rules, entrants: dict[int, StoredEntrant]) -> Row:
    """One deal log as a row.

    Args:
        log: the deal log.
        rules: the game that was played.
        entrants: by id.
    """
    shoves = shoves_of(log, rules)
    plays = cards_of(log.plays)
    seated = [entrants[log.entrants[place]] for place in log.seats]
    fault = None
    if log.fault is not None and log.fault_seat is not None:
        fault = {
            "kind": log.fault,
            "seat": log.fault_seat,
            "entrant": seated[log.fault_seat].name,
        }
    return {
        "players": rules.players,
        "play": str(rules.play),
        "hands": [names_of(cards_of(hand)) for hand in log.hands],
        "shoves": [names_of(shove) for shove in shoves],
        "plays": names_of(plays),
        "winners": _winners(log, rules),
        "penalties": list(log.penalties),
        "table": log.table,
        "deal": log.deal,
        "rotation": log.rotation,
        "entrants": [entrant.name for entrant in seated],
        "versions": [entrant.version for entrant in seated],
        "sitting": log.sitting,
        "fault": fault,
    }


def shoves_of(log: StoredDealLog, rules: Rules) -> list[list[int]]:
    """The shoves of a deal log, one by one: seat s shoves s cards, from the highest seat down."""
    cards = cards_of(log.shoves)
    shoves = []
    for seat in rules.shovers:
        if cards:
            shoves.append(cards[:seat])
            cards = cards[seat:]
    return shoves


def replayed(log: StoredDealLog, rules: Rules) -> Deal:
    """A deal log played again, to its end or to its fault.

    Raises:
        RulesError: the log breaks the rules.
    """
    deal = Deal(rules, [mask_of(cards_of(hand)) for hand in log.hands])
    for shove in shoves_of(log, rules):
        deal.shove(shove)
    for card in cards_of(log.plays):
        deal.play(card)
    return deal


def rating_rows(reader: Reader, *, all_versions: bool = False) -> Iterator[Row]:
    """The entrants in the order of the ratings listing."""
    yield from standing_rows(standing_of(reader, all_versions=all_versions))


def standing_rows(standing: Standing) -> Iterator[Row]:
    """The lines of a standing; those without a rating have empty figures."""
    for line in standing.lines:
        summary = line.summary
        yield {
            "rank": line.rank,
            "entrant": line.entrant.name,
            "version": line.entrant.version,
            "mu": line.mu,
            "sigma": line.sigma,
            "boards": summary.boards if summary else 0,
            "deals": summary.deals if summary else 0,
            "penalties_per_deal": summary.penalties_per_deal if summary else None,
            "standard_error": summary.standard_error if summary else None,
            "marches": summary.marches if summary else 0,
            "faults": {kind.value: line.faults.get(kind, 0) for kind in FaultKind},
            "submitted": line.submitted,
            "late": line.late,
        }


def board_rows(reader: Reader, *, all_versions: bool = False) -> Iterator[Row]:
    """Every whole board of the plan, a row for each of its entrants."""
    entrants = {entrant.id: entrant for entrant in reader.entrants(all_versions=True)}
    for board in boards_of(reader, all_versions=all_versions):
        for place, entrant_id in enumerate(board.entrants):
            yield {
                "table": board.table,
                "deal": board.deal,
                "entrant": entrants[entrant_id].name,
                "version": entrants[entrant_id].version,
                "penalties": board.penalties[place],
                "marches": board.marches[place],
            }


def fault_rows(reader: Reader, *, all_versions: bool = False) -> Iterator[Row]:
    """The kept faults of the plan: the first few of each entrant, version and kind."""
    entrants = {entrant.id: entrant for entrant in reader.entrants(all_versions=True)}
    counts = reader.fault_counts(all_versions=all_versions)
    for fault in reader.faults(all_versions=all_versions):
        entrant = entrants[fault.entrant]
        yield {
            "entrant": entrant.name,
            "version": entrant.version,
            "kind": fault.kind,
            "number": fault.number,
            "count": counts[fault.entrant, fault.kind],
            "table": fault.table,
            "deal": fault.deal,
            "rotation": fault.rotation,
            "seat": fault.seat,
            "detail": fault.detail,
            "request": fault.request,
            "reply": fault.reply,
            "exit_status": fault.exit_status,
        }


class Export(Protocol):
    """An export: rows of a league, of its plan or of all that was played."""

    def __call__(self, reader: Reader, *, all_versions: bool = False) -> Iterator[Row]:
        """The rows in their order."""
        ...


EXPORTS: dict[str, Export] = {
    "deals": deal_rows,
    "ratings": rating_rows,
    "boards": board_rows,
    "faults": fault_rows,
}
"""By the name of the option of `letzter export`."""


def as_jsonl(rows: Iterable[Row]) -> Iterator[str]:
    """Rows as JSON Lines, each with its line end."""
    for row in rows:
        yield json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def as_csv(rows: Iterable[Row]) -> Iterator[str]:
    """Rows as CSV with a header; lists and objects stand in their cells as JSON."""
    header: list[str] | None = None
    for row in rows:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        if header is None:
            header = list(row)
            writer.writerow(header)
        writer.writerow([_cell(row[name]) for name in header])
        yield buffer.getvalue()


FORMATS: dict[str, Callable[[Iterable[Row]], Iterator[str]]] = {"jsonl": as_jsonl, "csv": as_csv}
"""By the value of `--format`."""


def _cell(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value


def _winners(log: StoredDealLog, rules: Rules) -> list[int]:
    return replayed(log, rules).winners
