"""Listings for the terminal: ratings, the cross-table, one deal card by card."""

import shlex
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from runner.game.cards import GERMAN_RANKS, GERMAN_SUITS, NAMES, RANKS, cards_in, cards_of
from runner.game.rules import POSITIONS, Rules
from runner.game.state import Deal
from runner.records import Isolation, exit_text
from runner.report.exports import replayed, shoves_of
from runner.report.standing import Line, Standing
from runner.report.wide_table import Column, WideTable
from runner.storage.reader import StoredDealLog, StoredEntrant, StoredFault

CardName = Callable[[int], str]

SHORT_VERSION = 8
"""How many digits of a version are shown."""

LATE = "†"
"""Marks a version that came after the host's commitment."""

_SUIT_SIGNS = dict(zip("CSHD", "♣♠♥♦", strict=True))


def ratings_listing(standing: Standing) -> RenderableType:
    """The ratings of a league, with what its readers need to judge them."""
    return Group(_title(standing), _ratings_table(standing), *_ratings_notes(standing))


def crosstable_listing(standing: Standing) -> RenderableType:
    """Mean difference of penalties per board, row against column, at their common tables."""
    lines = [line for line in standing.lines if line.summary]
    names = [f"{number} {plain(line.entrant.name)}" for number, line in enumerate(lines, 1)]
    columns = [
        Column(str(number), [_encounter_cell(standing, row, column) for row in lines])
        for number, column in enumerate(lines, 1)
    ]
    return Group(
        _title(standing),
        WideTable([Column("entrant", names, left=True)], columns),
        Text(
            "Penalties per board of the row less those of the column, on the boards that both "
            "played; below zero the row is better. * beyond doubt: two-sided at 5% over all "
            "pairs together (Holm), errors clustered by board.",
            style="dim",
        ),
    )


def deal_listing(
    log: StoredDealLog, rules: Rules, entrants: dict[int, StoredEntrant], card: CardName
) -> RenderableType:
    """One deal log, card by card.

    Args:
        log: the deal log.
        rules: the game that was played.
        entrants: by id.
        card: how a card is written.
    """
    names = [plain(entrants[log.entrants[place]].name) for place in log.seats]
    positions = POSITIONS[rules.players]
    who = [f"{name} ({position})" for name, position in zip(names, positions, strict=True)]
    parts: list[RenderableType] = [
        Text(f"Deal log {log.name}", style="bold"),
        Text(f"{rules.players} players, {rules.play}"),
        Text("\nDealt", style="bold"),
        *_hands([cards_of(hand) for hand in log.hands], who, card),
        Text("\nShoved", style="bold"),
    ]
    for seat, shove in zip(rules.shovers, shoves_of(log, rules), strict=False):
        parts.append(Text(f"  {who[seat]} to {names[seat - 1]}: {_cards(shove, card)}"))
    deal = replayed(log, rules)
    if log.plays or log.fault is None:
        parts += [Text("\nPlayed", style="bold"), _tricks_table(deal, names, card)]
    parts.append(_outcome(log, deal, who))
    return Group(*parts)


def faults_listing(
    faults: Iterable[StoredFault],
    counts: Mapping[tuple[int, str], int],
    entrants: Mapping[int, StoredEntrant],
    *,
    verbose: bool,
) -> RenderableType:
    """The kept faults, a line each.

    Args:
        faults: in the order to show them.
        counts: by entrant id and kind, how many there were; only the first few are kept.
        entrants: by id.
        verbose: show request, reply, stderr and command as well.
    """
    parts: list[RenderableType] = []
    for fault in faults:
        entrant = entrants[fault.entrant]
        who = f"{plain(entrant.name)} ({entrant.version[:SHORT_VERSION]})"
        number = f"{fault.number} of {counts[fault.entrant, fault.kind]:,}"
        log = f"{fault.table[:8]}-{fault.deal}-{fault.rotation}"
        line = Text(f"{who}  {fault.kind} {number}  {log}  ", style="bold")
        line.append(f"{plain(fault.detail)}{_measured(fault)}", style="not bold")
        parts.append(line)
        if verbose:
            parts += _fault_details(fault, entrant)
    return Group(*parts) if parts else Text("No faults.")


def _measured(fault: StoredFault) -> str:
    """How the process ended and how long it took, where that was the matter."""
    measured = []
    if fault.exit_status is not None:
        measured.append(exit_text(fault.exit_status))
    if fault.elapsed_seconds is not None and fault.limit_seconds is not None:
        measured.append(f"{fault.elapsed_seconds:.3f} s of {fault.limit_seconds:g} s")
    return f" ({', '.join(measured)})" if measured else ""


def _fault_details(fault: StoredFault, entrant: StoredEntrant) -> list[RenderableType]:
    details = []
    for label, text in (
        ("command", shlex.join(entrant.bot.command)),
        ("request", fault.request),
        ("reply", fault.reply),
        ("stderr", fault.stderr.rstrip("\n")),
    ):
        for line in text.split("\n") if text else ["-"]:
            details.append(Text(f"  {label:<8} {plain(line)}"))
    return [*details, Text()]


def french(card: int) -> str:
    """A card with its French suit: `10♣`."""
    name = NAMES[card]
    return name[0].replace("T", "10") + _SUIT_SIGNS[name[1]]


def german(card: int) -> str:
    """A card with its German suit and rank: `Eichel-O`."""
    name = NAMES[card]
    return f"{GERMAN_SUITS[name[1]]}-{GERMAN_RANKS[name[0]]}"


CARD_NAMES: dict[str, CardName] = {"french": french, "german": german}
"""By the value of `--cards`."""


def plain(text: str) -> str:
    """A name or a bot's text as one line that is safe to print, escapes instead of controls."""
    return "".join(
        char
        if char.isprintable() and unicodedata.category(char) != "Cf"
        else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


def _title(standing: Standing) -> Text:
    conditions = standing.conditions
    title = Text(plain(conditions.name), style="bold")
    title.append(
        f" · {conditions.players} players, {conditions.play} · {standing.boards:,} boards",
        style="not bold",
    )
    if standing.provisional:
        share = 100 * standing.boards // standing.planned_boards
        title.append(f" · provisional, {share}% of boards", style="not bold yellow")
    return title


def _ratings_table(standing: Standing) -> WideTable:
    lines = [line for line in standing.lines if line.entrant.state != "refused"]

    def column(head: str, cell: Callable[[Line], str], **kind: Any) -> Column:
        return Column(head, [cell(line) for line in lines], **kind)

    return WideTable(
        keys=[
            column("#", lambda line: str(line.rank or "-")),
            column("entrant", lambda line: plain(line.entrant.name), left=True),
        ],
        columns=[
            column("version", _version, style="dim"),
            column("mu ± 2 sigma", _rating),
            column("penalties/deal", _penalties),
            *(
                column(position, partial(_at_position, seat=seat))
                for seat, position in enumerate(POSITIONS[standing.conditions.players])
            ),
            column("marches", lambda line: str(line.summary.marches) if line.summary else "-"),
            column("boards", _boards),
            column("faults", _faults, left=True),
            column("CPU ms", _cpu_ms),
            *(
                [column("submitted", lambda line: str(line.submitted or "-"))]
                if any(line.submitted for line in standing.lines)
                else []
            ),
        ],
        ruled=[number for number, line in enumerate(lines) if line.above_beyond_doubt],
    )


def _version(line: Line) -> str:
    return line.entrant.version[:SHORT_VERSION] + (LATE if line.late else "")


def _rating(line: Line) -> str:
    if line.mu is None or line.sigma is None:
        return "-"
    return f"{line.mu:.2f} ± {2 * line.sigma:.2f}"


def _penalties(line: Line) -> str:
    if line.summary is None:
        return "-"
    error = line.summary.standard_error
    return f"{line.summary.penalties_per_deal:.4f}" + ("" if error is None else f" ± {error:.4f}")


def _at_position(line: Line, seat: int) -> str:
    return f"{line.summary.by_position[seat]:.3f}" if line.summary else "-"


def _boards(line: Line) -> str:
    return f"{line.summary.boards if line.summary else 0:,}/{line.planned_boards:,}"


def _faults(line: Line) -> str:
    return ", ".join(f"{kind} {count:,}" for kind, count in sorted(line.faults.items())) or "-"


def _cpu_ms(line: Line) -> str:
    totals = line.totals
    if not totals.decisions:
        return "-"
    return f"{1000 * totals.decision_cpu_seconds / totals.decisions:.3f}"


def _ratings_notes(standing: Standing) -> list[RenderableType]:
    notes: list[RenderableType] = [
        Text(
            "Fewer penalties are better. A rule parts neighbours whose penalties per deal differ "
            "by more than two standard errors, clustered by board. CPU ms: per decision.",
            style="dim",
        )
    ]
    if not standing.ratings.converged and standing.boards:
        notes.append(
            Text(
                "The ratings did not settle in 100 sweeps: these are of the first sweep, which "
                "depends on the order of the boards.",
                style="yellow",
            )
        )
    if isolation := _isolation_note(standing.isolations):
        notes.append(isolation)
    if any(line.late for line in standing.lines):
        notes.append(
            Text(
                f"{LATE} came after the host's commitment: whoever entered it could know secret "
                "and beacon.",
                style="yellow",
            )
        )
    notes += [
        Text(
            f"Not playing: {plain(line.entrant.name)} "
            f"({line.entrant.version[:SHORT_VERSION]}) failed its check: "
            f"{plain(line.entrant.reason)}",
            style="yellow",
        )
        for line in standing.lines
        if line.entrant.state == "refused"
    ]
    return notes


def _isolation_note(isolations: Mapping[Isolation, int]) -> Text | None:
    """What kept the bots from each other; nothing to say before the first sitting."""
    if not isolations:
        return None
    boxed = {Isolation.BUBBLEWRAP, Isolation.LANDLOCK}.issuperset(isolations)
    total = sum(isolations.values())
    kinds = ", ".join(
        f"{kind}{'' if len(isolations) == 1 else f' in {count:,} of {total:,} sittings'}"
        for kind, count in isolations.items()
    )
    return Text(f"Isolation of the bots: {kinds}.", style="dim" if boxed else "yellow")


def _encounter_cell(standing: Standing, row: Line, column: Line) -> str:
    encounter = standing.cross_table.get((row.entrant.id, column.entrant.id))
    if encounter is None:
        return "·"
    star = "*" if encounter.beyond_doubt else " "
    error = f" ± {encounter.standard_error:.3f}" if encounter.standard_error is not None else ""
    return f"{encounter.difference:+.3f}{error}{star}\n{encounter.boards:,} boards "


def _hands(hands: Sequence[Sequence[int]], who: Sequence[str], card: CardName) -> list[Text]:
    width = max(map(len, who))
    return [
        Text(f"  {name:<{width}}  {_cards(sorted(hand, key=_by_suit), card)}")
        for name, hand in zip(who, hands, strict=True)
    ]


def _by_suit(card: int) -> tuple[int, int]:
    return card // len(RANKS), -card


def _cards(cards: Sequence[int], card: CardName) -> str:
    return " ".join(map(card, cards))


def _tricks_table(deal: Deal, names: Sequence[str], card: CardName) -> WideTable:
    """A row a trick; the leader's card is marked, and the winner named."""
    players = deal.rules.players
    rows = []
    leader = 0
    for trick in range(-(-len(deal.plays) // players)):
        row = [""] * players
        cards = deal.plays[trick * players : (trick + 1) * players]
        for seat, played in zip(deal.rules.seats_from(leader), cards, strict=False):
            row[seat] = ("> " if seat == leader else "") + card(played)
        rows.append(row)
        leader = deal.winners[trick] if trick < len(deal.winners) else leader
    won_by = [names[winner] for winner in deal.winners] + [""] * (len(rows) - len(deal.winners))
    return WideTable(
        keys=[Column("trick", [str(trick) for trick in range(1, len(rows) + 1)])],
        columns=[
            *(
                Column(f"{names[seat]}\n{position}", [row[seat] for row in rows])
                for seat, position in enumerate(POSITIONS[players])
            ),
            Column("won by", won_by, left=True),
        ],
    )


def _outcome(log: StoredDealLog, deal: Deal, who: Sequence[str]) -> Text:
    if log.fault is not None and log.fault_seat is not None:
        left = sum(len(list(cards_in(hand))) for hand in deal.hands)
        return Text(
            f"\nLost by {who[log.fault_seat]} through a fault ({log.fault}), "
            f"with {left} cards in play: 1 penalty point.",
            style="yellow",
        )
    winner = deal.winners[-1]
    if sum(log.penalties) > 1:
        return Text(f"\nMarch: {who[winner]} takes all tricks, every other player scores 1.")
    return Text(f"\nThe last trick, and 1 penalty point, to {who[winner]}.")
