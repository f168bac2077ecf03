"""Hypothesis strategies, and random games, that several packages' tests share."""

import json
from pathlib import Path
from random import Random

from hypothesis import strategies as st

from runner.game.cards import card_of, mask_of
from runner.game.rules import Play, Rules
from runner.game.state import Deal
from tests import reference

VECTORS = Path(__file__).parent / "vectors"

GAMES = tuple(Rules(players, play) for players in (4, 3) for play in Play)
"""Every game that there is."""

rules = st.sampled_from(GAMES)
secrets = st.binary(min_size=32, max_size=32)
table_keys = st.binary(min_size=32, max_size=32).map(bytes.hex)
deal_numbers = st.integers(1, 10**6)


def vectors(name):
    """The objects of one of the files of `tests/vectors`."""
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def fresh_game(game, random):
    """A game of the reference implementation with shuffled hands."""
    pack = reference.pack_of(game.players)
    random.shuffle(pack)
    dealer = game.players - 1
    hands = [pack[7 * seat : 7 * seat + 7] for seat in range(dealer)] + [pack[7 * dealer :]]
    return reference.Game(game.players, str(game.play), hands)


def random_action(game, random):
    """A legal action: the cards to shove, or the card to play."""
    if game.shoving():
        return random.sample(game.hand(game.turn()), game.turn())
    return random.choice(game.legal())


def take(game, action):
    """Do an action in the reference implementation."""
    if game.shoving():
        game.shove(action)
    else:
        game.play(action)


def rules_of(game):
    """The rules of a game of the reference implementation."""
    return Rules(game.players, Play.CLOCKWISE if game.clockwise else Play.ANTICLOCKWISE)


def hands_of(game):
    """Its hands as dealt, as masks."""
    return tuple(mask_of(map(card_of, hand)) for hand in game.dealt)


def deal_of(game):
    """The runner's own state after the same actions."""
    deal = Deal(rules_of(game), hands_of(game))
    for cards in game.shoves:
        deal.shove([card_of(card) for card in cards])
    for _, card in game.plays:
        deal.play(card_of(card))
    return deal


@st.composite
def games(draw, played=None):
    """A random game of the reference implementation, played so many steps or to a random one."""
    chosen = draw(rules)
    last = 9 * chosen.players - 1
    steps = draw(st.integers(0, last)) if played is None else min(played, last)
    random = Random(draw(st.integers(0, 2**64 - 1)))
    game = fresh_game(chosen, random)
    for _ in range(steps):
        take(game, random_action(game, random))
    return game


whole_games = games(played=99)
"""Games played to their ends."""

seeds = st.integers(0, 2**64 - 1).map(Random)
"""Sources of random choices."""
