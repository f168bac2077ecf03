"""Leagues played in this process, without bots: quick, and as large as is wanted.

Each entrant is a function from the game's own state to a card or to the cards of a shove. What is
stored goes through the project's store, so that only the playing is short-cut.
"""

from hashlib import sha256
from random import Random

from runner.game.cards import cards_in, text_of
from runner.game.deals import secret_of_seed
from runner.game.rules import Play, Rules, legal_cards, trick_winner
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
    return DealLog(sitting_deal.deal, shoves, text_of(state.plays), penalties, fault, fault_seat)


def random_chooser(random):
    """Any legal card, any cards."""

    def choose(state, seat, places):
        if state.phase is Phase.SHOVE:
            return random.sample(list(cards_in(state.hands[seat])), state.count)
        return random.choice(list(cards_in(state.legal)))

    return choose


def write_synthetic_league(
    path, *, entrants=4, deals=24, deals_per_sitting=24, seed="synthetic", choosers=None
):
    """A database of a league, played and rated.

    Args:
        path: where to make it.
        entrants: how many.
        deals: a table.
        deals_per_sitting: the length of a run.
        seed: of deals and play.
        choosers: by entrant name, as for `boards_of_play`; random play by default.
    """
    members, files = entrants_of(entrants)
    plan = plan_of(members, deals=deals, deals_per_sitting=deals_per_sitting, seed=seed)
    rules = plan.rules
    choosers = choosers or {each.name: random_chooser(Random(seed)) for each in members}
    with open_store(path) as store:
        store.set_conditions(
            Conditions(
                name="Synthetic",
                players=rules.players,
                play=rules.play,
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
            by_place = choosers_at(planned.table, choosers)
            sitting = deal_out(planned, plan.limits, secret_of_seed(seed))
            logs = tuple(play_deal(rules, deal, by_place) for deal in sitting.deals)
            nothing = ((), (Usage(),) * rules.players, 1.0, 1.0)
            result = SittingResult(sitting.id, logs, ({},) * rules.players, *nothing)
            store.store_sitting(planned, sitting, result)
        standing = standing_of(Reader(store.db))
        store.store_ratings(standing.rating_rows(), standing.ratings)
    return path


def choosers_at(table, choosers):
    """By place, the functions of who sits at a table, for `play_deal`."""
    names = [entrant.name for entrant in table.entrants]
    return [_by_names(choosers[name], names) for name in names]


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
        members = tuple(index[entrant.name] for entrant in planned.table.entrants)
        by_place = choosers_at(planned.table, choosers)
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


# Honest styles, and friends. Each is made with a source of random numbers of its own.


def styled(style, shove, mistakes, random):
    """An honest entrant of some style, which makes a random choice now and then.

    Args:
        style: `low`, `high`, `duck` (the highest that does not win), or `late` (high at first,
            ducks towards the end).
        shove: `low`, `high` or `random`: which cards it passes.
        mistakes: the share of random choices.
        random: the source.
    """
    anything = random_chooser(random)

    def choose(state, seat, names):
        if random.random() < mistakes or (shove == "random" and state.phase is Phase.SHOVE):
            return anything(state, seat, names)
        if state.phase is Phase.SHOVE:
            held = sorted(cards_in(state.hands[seat]), key=lambda card: card % 8)
            return held[: state.count] if shove == "low" else held[-state.count :]
        legal = sorted(cards_in(state.legal), key=lambda card: card % 8)
        late = len(state.winners) >= 5
        if style == "low" or (style == "late" and late and not state.trick):
            return legal[0]
        if (style == "duck" or (style == "late" and late)) and state.trick:
            led = state.trick[0] // 8
            best = max(card for card in state.trick if card // 8 == led)
            losing = [card for card in legal if card // 8 != led or card < best]
            return (losing or legal)[-1]
        return legal[-1]

    return choose


STYLES = [
    (style, shove)
    for style in ("low", "high", "duck", "late")
    for shove in ("low", "high", "random")
]


def honest_choosers(names, random):
    """Honest entrants of different styles, by name."""
    choosers = {}
    for name in names:
        style, shove = random.choice(STYLES)
        choosers[name] = styled(style, shove, random.uniform(0.0, 0.5), random)
    return choosers


def forfeiting(friend, otherwise, share):
    """Loses a deal by a fault when its friend leads to the last trick but one."""

    def choose(state, seat, names):
        if (
            state.phase is Phase.PLAY
            and len(state.winners) >= 6
            and names[state.leader] == friend
            and sum(state.plays) % 100 < 100 * share
        ):
            raise Forfeit
        return otherwise(state, seat, names)

    return choose


def sharing(friend, otherwise, random, playouts=6):
    """Shares all it knows with its friend: towards the end the two play as one, with open cards.

    Each card that may be played is tried in random endings, for how often neither of the two is
    left with the last trick. What two real bots could tell each other is less.
    """

    def choose(state, seat, names):
        if friend not in names or state.phase is Phase.SHOVE or len(state.winners) < 5:
            return otherwise(state, seat, names)
        ours = {seat, list(names).index(friend)}
        legal = list(cards_in(state.legal))
        lost = [
            sum(random_end(state, card, random) in ours for _ in range(playouts)) for card in legal
        ]
        return legal[lost.index(min(lost))]

    return choose


def random_end(state, card, random):
    """Who wins the last trick if a card is played, and then any that are legal."""
    hands, trick, seat, leader = list(state.hands), list(state.trick), state.seat, state.leader
    turn, players = state.rules.turn, state.rules.players
    left = 8 - len(state.winners)
    while True:
        hands[seat] ^= 1 << card
        trick.append(card)
        seat = (seat + turn) % players
        if len(trick) == players:
            leader = seat = (leader + turn * trick_winner(trick)) % players
            trick = []
            left -= 1
            if not left:
                return leader
        held = hands[seat]
        legal = list(cards_in(legal_cards(held, trick[0] >> 3) if trick else held))
        card = legal[int(random.random() * len(legal))]
