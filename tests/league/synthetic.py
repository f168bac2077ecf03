"""Leagues played in this process, without bots: quick, and as large as is wanted.

Each entrant is a function from the game's own state to a card or to the cards of a shove. What is
stored goes through the project's store, so that only the playing is short-cut.
"""

from hashlib import sha256
from random import Random

from runner.game.cards import cards_in, text_of
from runner.game.deals import secret_of_seed
from runner.game.rules import Play, Rules
from runner.game.state import Deal, Phase
from runner.records import (
    Bot,
    BotFiles,
    DealLog,
    Entrant,
    FaultKind,
    Limits,
    SittingResult,
    Usage,
)
from runner.report.standing import standing_of
from runner.schedule.plan import Plan, deal_out
from runner.standings.boards import Play as BoardPlay
from runner.standings.boards import whole_boards
from runner.storage.reader import Reader
from runner.storage.store import Conditions, open_store


class Forfeit(Exception):
    """What an entrant raises to lose the deal by a fault."""


def entrants_of(count):
    """So many entrants, each with a bot and its files."""
    files = {}
    entrants = []
    for number in range(count):
        content = f"# bot {number}\n".encode()
        name = f"bot{number:03}.py"
        bot = Bot(("python", name), ((name, sha256(content).hexdigest()),))
        files[bot.version] = BotFiles(bot, {name: content})
        entrants.append(Entrant(f"e{number:03}", bot))
    return tuple(entrants), files


def plan_of(entrants, *, deals, deals_per_sitting, players=4, seed="synthetic"):
    return Plan(
        rules=Rules(players, Play.ANTICLOCKWISE),
        limits=Limits(),
        format="round_robin",
        entrants=entrants,
        deals=deals,
        deals_per_sitting=deals_per_sitting,
        secret_hash=sha256(secret_of_seed(seed)).hexdigest(),
    )


def play_deal(rules, sitting_deal, choosers):
    """One deal, each seat's choices made by the function of who sits there.

    Args:
        rules: the game.
        sitting_deal: hands and seats.
        choosers: by place, a function of state, seat and places to a card or cards.
    """
    state = Deal(rules, sitting_deal.hands)
    places = sitting_deal.seats
    penalties = None
    fault = fault_seat = None
    try:
        while state.phase is not Phase.DONE:
            legal = state.legal
            if legal and not legal & (legal - 1):
                state.play(legal.bit_length() - 1)
                continue
            choice = choosers[places[state.seat]](state, state.seat, places)
            if state.phase is Phase.SHOVE:
                state.shove(choice)
            else:
                state.play(choice)
        penalties = state.penalties()
    except Forfeit:
        fault, fault_seat = FaultKind.ILLEGAL, state.seat
        penalties = tuple(int(seat == fault_seat) for seat in range(rules.players))
    shoves = "".join(text_of(state.shoved[seat]) for seat in rules.shovers)
    return DealLog(
        sitting_deal.deal, shoves, text_of(state.plays), penalties, fault, fault_seat
    )


def random_chooser(random):
    """Any legal card, any cards."""

    def choose(state, seat, places):
        if state.phase is Phase.SHOVE:
            return random.sample(list(cards_in(state.hands[seat])), state.count)
        return random.choice(list(cards_in(state.legal)))

    return choose


def write_synthetic_league(path, *, entrants=4, deals=24, deals_per_sitting=24, seed="synthetic"):
    """A database of a league of random play, rated."""
    members, files = entrants_of(entrants)
    plan = plan_of(members, deals=deals, deals_per_sitting=deals_per_sitting, seed=seed)
    choose = random_chooser(Random(seed))
    with open_store(path) as store:
        store.set_conditions(
            Conditions(
                name="Synthetic",
                players=plan.rules.players,
                play=plan.rules.play,
                secret_hash=plan.secret_hash,
                seed=seed,
                format=plan.format,
                deals=deals,
                deals_per_sitting=deals_per_sitting,
                limits=plan.limits,
            ),
            "test",
        )
        store.enter(members, files)
        for entrant in members:
            store.admit(entrant, "")
        for planned in plan.sittings():
            sitting = deal_out(planned, plan.limits, secret_of_seed(seed))
            logs = tuple(
                play_deal(plan.rules, deal, [choose] * plan.rules.players)
                for deal in sitting.deals
            )
            result = SittingResult(
                sitting.id, logs, ({},) * 4, (), (Usage(),) * plan.rules.players, 1.0, 1.0
            )
            store.store_sitting(planned, sitting, result)
        standing = standing_of(Reader(store.db))
        store.store_ratings(standing.rating_rows(), standing.ratings)
    return path


def boards_of_play(plan, choosers, seed):
    """The boards of a league that is stored nowhere.

    Args:
        plan: who meets whom.
        choosers: by entrant name, as in `play_deal`, but called with the names at the table by
            seat instead of the places.
        seed: of the deals.

    Returns:
        Boards whose entrants are indices of the plan's entrants by name.
    """
    index = {name: at for at, name in enumerate(sorted(each.name for each in plan.entrants))}
    plays = []
    for planned in plan.sittings():
        names = [entrant.name for entrant in planned.table.entrants]
        members = tuple(index[name] for name in names)
        by_place = [_by_names(choosers[name], names) for name in names]
        for deal in deal_out(planned, plan.limits, secret_of_seed(seed)).deals:
            log = play_deal(plan.rules, deal, by_place)
            plays.append(
                BoardPlay(
                    planned.table.key,
                    deal.deal,
                    planned.rotation,
                    members,
                    deal.seats,
                    log.penalties,
                )
            )
    return whole_boards(plays)


def _by_names(chooser, names):
    return lambda state, seat, places: chooser(state, seat, [names[place] for place in places])
