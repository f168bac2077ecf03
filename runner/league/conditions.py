"""What a league file says, as the database keeps it."""

from dataclasses import asdict

from runner.botio.sandbox import find_cage
from runner.config import League
from runner.league.secret import hash_of
from runner.records import Entrant, canonical_hash
from runner.storage.store import Conditions


def conditions_of(league: League, secret: bytes) -> Conditions:
    """What the league is and plays, with deals made from a secret."""
    return Conditions(
        name=league.name,
        players=league.rules.players,
        play=league.rules.play,
        secret_hash=hash_of(secret),
        seed=league.seed,
        format=league.format,
        deals=league.deals,
        deals_per_sitting=league.deals_per_sitting,
        limits=league.limits,
        same_team_tables=league.same_team_tables,
    )


def check_conditions(league: League, entrant: Entrant) -> str:
    """A hash of all that decides, beside its files, whether an entrant passes its check."""
    rules = league.rules
    limits = entrant.allowance.applied_to(league.limits)
    cage = find_cage(league.sandbox).cage
    return canonical_hash(
        [rules.players, rules.play, asdict(limits), cage.isolation, league.sandbox.python]
    )
