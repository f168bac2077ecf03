"""Bots against their hashes, and tables against their entrants."""

from collections.abc import Iterable
from hashlib import sha256

from runner.game.rules import Rules
from runner.league.audit.findings import Findings, Kind
from runner.schedule.plan import table_key
from runner.storage.evidence import StoredBot, StoredTable


def check_bots(bots: Iterable[StoredBot], findings: Findings) -> set[str]:
    """Check bot files against their hashes and versions; returns the versions that are sound."""
    sound = set()
    for bot in bots:
        before = findings.counts[Kind.BOT]
        for name, (content_hash, content) in bot.files.items():
            found = sha256(content).hexdigest()
            if found != content_hash:
                what = f"file {name} has the SHA-256 {found[:8]}, expected {content_hash[:8]}"
                findings.add(Kind.BOT, bot.version[:8], what)
        try:
            version = bot.bot().version
        except ValueError as error:
            findings.add(Kind.BOT, bot.version[:8], str(error))
            continue
        if version != bot.version:
            what = f"command and files have the version {version[:8]}"
            findings.add(Kind.BOT, bot.version[:8], what)
        if findings.counts[Kind.BOT] == before:
            sound.add(bot.version)
    return sound


def check_table(table: StoredTable, rules: Rules, findings: Findings) -> None:
    """Check that a table's key is that of its entrants, and that they sit in base order."""
    name = table.key[:8]
    if table.places != tuple(range(rules.players)):
        what = f"places {list(table.places)} are taken, expected 0 to {rules.players - 1}"
        findings.add(Kind.TABLE, name, what)
    elif list(table.entrants) != sorted(table.entrants):
        findings.add(Kind.TABLE, name, "its entrants are not in the order of their names")
    key = table_key(table.entrants, rules)
    if key != table.key:
        who = ", ".join(entrant for entrant, _ in table.entrants)
        findings.add(Kind.TABLE, name, f"the key of its entrants ({who}) is {key[:8]}")
