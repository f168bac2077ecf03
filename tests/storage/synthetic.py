"""Results of sittings that nobody played: legal deals by random play, and faults at will."""

import random

from runner.config import load_league
from runner.game.cards import cards_in, text_of
from runner.game.state import Deal, Phase
from runner.league.run import plan_of
from runner.league.secret import hash_of, secret_of
from runner.records import DealLog, Fault, FaultKind, SittingResult, Usage
from runner.schedule.plan import deal_out
from runner.storage.store import Conditions

CHECKED = "checked"


def conditions_of(league):
    return Conditions(
        name=league.name,
        players=league.rules.players,
        play=league.rules.play,
        secret_hash=hash_of(secret_of(league)),
        seed=league.seed,
        format=league.format,
        deals=league.deals,
        deals_per_sitting=league.deals_per_sitting,
        limits=league.limits,
    )


def opened(store, path):
    """Enter a league, with all its entrants admitted; returns what there is to store."""
    league = load_league(str(path))
    store.set_conditions(conditions_of(league), "test")
    store.enter(league.entrants, league.files)
    for entrant in league.entrants:
        store.admit(entrant, CHECKED)
    secret = secret_of(league)
    plan = plan_of(league, league.entrants, hash_of(secret))
    return [(planned, deal_out(planned, league.limits, secret)) for planned in plan.sittings()]


def log_of(rules, sitting_deal, draw):
    """A deal played at random, as a deal log."""
    deal = Deal(rules, sitting_deal.hands)
    while deal.phase is Phase.SHOVE:
        deal.shove(draw.sample(list(cards_in(deal.hands[deal.seat])), deal.count))
    while deal.phase is Phase.PLAY:
        deal.play(draw.choice(list(cards_in(deal.legal))))
    shoves = "".join(text_of(deal.shoved[seat]) for seat in rules.shovers)
    return DealLog(sitting_deal.deal, shoves, text_of(deal.plays), deal.penalties())


def result_of(sitting, *, seed=0, fault_counts=(), faults=()):
    """A result for a sitting, the same for the same seed."""
    draw = random.Random(f"{sitting.id}/{seed}")
    players = sitting.rules.players
    return SittingResult(
        id=sitting.id,
        logs=tuple(log_of(sitting.rules, deal, draw) for deal in sitting.deals),
        fault_counts=tuple(fault_counts) or ({},) * players,
        faults=tuple(faults),
        usage=tuple(
            Usage(draw.randrange(10**5), draw.random(), draw.random(), starts=1)
            for _ in range(players)
        ),
        wall_seconds=draw.uniform(0, 100),
        referee_cpu_seconds=draw.uniform(0, 100),
    )


def keep(store, planned_and_dealt):
    """Store some result of a sitting."""
    planned, sitting = planned_and_dealt
    return store.store_sitting(planned, sitting, result_of(sitting))


def faulty_result(sitting, draw):
    """A result with up to five kept faults of each of three kinds at each place."""
    counts = []
    faults = []
    for place in range(sitting.rules.players):
        of_kind = {kind: draw.randrange(9) for kind in list(FaultKind)[:3]}
        counts.append({kind: count for kind, count in of_kind.items() if count})
        for kind, count in of_kind.items():
            for number in range(min(count, 5)):
                deal = draw.choice(sitting.deals)
                seat = deal.seats.index(place)
                detail = f"{kind} {number} of {sitting.id[:8]} at place {place}"
                faults.append(Fault(kind, place, deal.deal, seat, detail, "request", "reply"))
    return result_of(sitting, fault_counts=counts, faults=faults)
