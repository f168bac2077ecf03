"""Listings for the terminal: ratings, the cross-table, one deal card by card."""

import unicodedata
from collections.abc import Callable, Sequence

from rich.box import Box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from runner.game.cards import GERMAN_RANKS, GERMAN_SUITS, NAMES, RANKS, cards_in, cards_of
from runner.game.rules import POSITIONS, Rules
from runner.game.state import Deal
from runner.report.exports import replayed, shoves_of
from runner.report.standing import Line, Standing
from runner.storage.reader import StoredDealLog, StoredEntrant

CardName = Callable[[int], str]

SHORT_VERSION = 8
"""How many digits of a version are shown."""

# A line below the head, and one wherever a rule is called for.
_RULED = Box("    \n    \n ── \n    \n ── \n ── \n    \n    \n")

_SUIT_SIGNS = dict(zip("CSHD", "♣♠♥♦", strict=True))


def ratings_listing(standing: Standing) -> RenderableType:
    """The ratings of a league, with what its readers need to judge them."""
    return Group(_title(standing), _ratings_table(standing), *_ratings_notes(standing))


def crosstable_listing(standing: Standing) -> RenderableType:
    """Mean difference of penalties per board, row against column, at their common tables."""
    lines = [line for line in standing.lines if line.summary]
    table = Table(box=_RULED, pad_edge=False)
    table.add_column("entrant")
    for number in range(1, len(lines) + 1):
        table.add_column(str(number), justify="right")
    for number, line in enumerate(lines, 1):
        table.add_row(
            f"{number} {plain(line.entrant.name)}",
            *(_encounter_cell(standing, line, column) for column in lines),
        )
    return Group(
        _title(standing),
        table,
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


def _ratings_table(standing: Standing) -> Table:
    positions = POSITIONS[standing.conditions.players]
    table = Table(box=_RULED, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("entrant", overflow="fold")
    table.add_column("version", style="dim")
    table.add_column("mu ± 2 sigma", justify="right", no_wrap=True)
    table.add_column("penalties/deal", justify="right", no_wrap=True)
    for position in positions:
        table.add_column(position, justify="right")
    table.add_column("marches", justify="right")
    table.add_column("boards", justify="right", no_wrap=True)
    table.add_column("faults")
    table.add_column("CPU ms", justify="right")
    for line in standing.lines:
        if line.entrant.state != "refused":
            table.add_row(*_ratings_cells(line, len(positions)))
            if line.above_beyond_doubt:
                table.add_section()
    return table


def _ratings_cells(line: Line, positions: int) -> list[str]:
    summary = line.summary
    rated = line.mu is not None and line.sigma is not None and summary is not None
    decisions = line.totals.decisions
    return [
        str(line.rank) if line.rank else "-",
        plain(line.entrant.name),
        line.entrant.version[:SHORT_VERSION],
        f"{line.mu:.2f} ± {2 * line.sigma:.2f}" if rated and line.mu and line.sigma else "-",
        f"{summary.penalties_per_deal:.4f}{_error(summary.standard_error)}" if summary else "-",
        *([f"{mean:.3f}" for mean in summary.by_position] if summary else ["-"] * positions),
        str(summary.marches) if summary else "-",
        f"{summary.boards if summary else 0:,}/{line.planned_boards:,}",
        ", ".join(f"{kind} {count}" for kind, count in sorted(line.faults.items())) or "-",
        f"{1000 * line.totals.decision_cpu_seconds / decisions:.3f}" if decisions else "-",
    ]


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


def _error(standard_error: float | None) -> str:
    return "" if standard_error is None else f" ± {standard_error:.4f}"


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


def _tricks_table(deal: Deal, names: Sequence[str], card: CardName) -> Table:
    """A row a trick; the leader's card is marked, and the winner named."""
    players = deal.rules.players
    table = Table(box=_RULED, pad_edge=False)
    table.add_column("trick", justify="right")
    for seat in range(players):
        table.add_column(f"{names[seat]}\n{POSITIONS[players][seat]}", justify="right")
    table.add_column("won by")
    leader = 0
    for trick in range(-(-len(deal.plays) // players)):
        cells = [""] * players
        cards = deal.plays[trick * players : (trick + 1) * players]
        for seat, played in zip(deal.rules.seats_from(leader), cards, strict=False):
            cells[seat] = ("> " if seat == leader else "") + card(played)
        whole = trick < len(deal.winners)
        table.add_row(str(trick + 1), *cells, names[deal.winners[trick]] if whole else "")
        leader = deal.winners[trick] if whole else leader
    return table


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
