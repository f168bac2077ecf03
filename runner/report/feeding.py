"""What is shown of a bot that is fed recorded requests (`letzter replay --feed`)."""

from collections.abc import Iterator

from runner.game.cards import NAMES, cards_of, mask_of
from runner.game.rules import Rules
from runner.records import exit_text
from runner.report.exports import shoves_of
from runner.report.listings import plain
from runner.storage.reader import StoredDealLog
from runner.table.feed import Fed, Record
from runner.table.interview import Action


def record_of(log: StoredDealLog, rules: Rules) -> Record:
    """A deal log as it is fed to a bot."""
    actions: list[Action] = [tuple(shove) for shove in shoves_of(log, rules)]
    actions += [(card,) for card in cards_of(log.plays)]
    return Record(rules, tuple(mask_of(cards_of(hand)) for hand in log.hands), tuple(actions))


def fed_lines(fed: Fed, log: StoredDealLog) -> Iterator[str]:
    """A request, what came, and what is recorded."""
    yield f"request  {plain(fed.request)}"
    ended = f"a fault ({log.fault})" if log.fault else "nothing"
    recorded = ended if fed.recorded is None else _names(fed.recorded)
    if fed.fault is not None:
        status = fed.fault.exit_status
        how = "" if status is None else f" ({exit_text(status)})"
        yield f"reply    FAULT {fed.fault.kind}: {plain(fed.fault.detail)}{how}"
        for label, text in (("raw", fed.fault.reply), ("stderr", fed.fault.stderr.rstrip("\n"))):
            for line in text.split("\n") if text else []:
                yield f"{label:<8} {plain(line)}"
    elif fed.answered is not None:
        same = fed.recorded is not None and sorted(fed.answered) == sorted(fed.recorded)
        yield f"reply    {_names(fed.answered)}" + (", the same" if same else "")
    else:
        yield "reply    none: the bot is out"
    yield f"recorded {recorded}"


def _names(cards: Action) -> str:
    return " ".join(NAMES[card] for card in cards)
