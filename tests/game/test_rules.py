import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.game.cards import NAMES, card_of, cards_in, mask_of
from runner.game.rules import (
    POSITIONS,
    Play,
    Rules,
    legal_cards,
    penalties_of,
    trick_winner,
)
from tests import reference
from tests.strategies import GAMES, rules


def cards_named(names):
    return [card_of(name) for name in names.split()]


@pytest.mark.parametrize("players, dealt, pack", [(4, [7, 7, 7, 11], 32), (3, [7, 7, 10], 24)])
def test_deal_sizes_are_seven_and_the_rest_to_the_dealer(players, dealt, pack):
    rules = Rules(players, Play.CLOCKWISE)
    assert [rules.dealt_size(seat) for seat in range(players)] == dealt
    assert sum(dealt) == len(rules.pack) == pack


@pytest.mark.parametrize("game", GAMES)
def test_shoves_seat_s_gives_s_cards_and_all_end_with_eight(game):
    sizes = [game.dealt_size(seat) for seat in range(game.players)]
    assert list(game.shovers) == sorted(range(1, game.players), reverse=True)
    for seat in game.shovers:
        sizes[seat] -= seat
        sizes[seat - 1] += seat
    assert sizes == [8] * game.players


@pytest.mark.parametrize(
    "players, play, order",
    [
        (4, Play.ANTICLOCKWISE, [0, 1, 2, 3]),
        (4, Play.CLOCKWISE, [0, 3, 2, 1]),
        (3, Play.ANTICLOCKWISE, [0, 1, 2]),
        (3, Play.CLOCKWISE, [0, 2, 1]),
    ],
)
def test_turn_goes_round_from_the_leader_in_the_direction_of_play(players, play, order):
    rules = Rules(players, play)
    assert list(rules.seats_from(0)) == order
    for leader in range(players):
        assert (
            list(rules.seats_from(leader))
            == order[order.index(leader) :] + order[: order.index(leader)]
        )


def test_positions_are_named_as_in_the_rules():
    assert {players: list(names) for players, names in POSITIONS.items()} == reference.POSITIONS


@pytest.mark.parametrize(
    "trick, winner",
    [
        ("7D KD 9D AD", 3),
        ("AD KD 9D 7D", 0),
        ("7D AS AH AC", 0),
        ("9H AS TH KD", 2),
        ("TC JC 9C", 1),
        ("KS QS AD", 0),
    ],
)
def test_trick_is_won_by_the_highest_card_of_the_suit_led(trick, winner):
    assert trick_winner(cards_named(trick)) == winner


@given(st.lists(st.sampled_from(NAMES), min_size=3, max_size=4, unique=True))
def test_trick_of_any_cards_goes_to_the_winner_of_the_second_implementation(trick):
    follows = [card for card in trick if card[1] == trick[0][1]]
    best = max(follows, key=reference.rank_of)
    assert trick_winner([card_of(card) for card in trick]) == trick.index(best)


@given(st.sets(st.integers(0, 31), min_size=1, max_size=8), st.integers(0, 3))
def test_legal_cards_follow_suit_or_else_are_all(hand, led):
    legal = set(cards_in(legal_cards(mask_of(hand), led)))
    follows = {card for card in hand if card // 8 == led}
    assert legal == (follows or hand)


@given(rules, st.data())
def test_penalties_go_to_the_winner_of_the_last_trick_or_after_a_march_to_the_others(game, data):
    seats = st.integers(0, game.players - 1)
    winners = data.draw(
        st.lists(seats, min_size=8, max_size=8) | seats.map(lambda seat: [seat] * 8)
    )
    points = penalties_of(winners, game.players)
    if len(set(winners)) == 1:
        assert points == tuple(int(seat != winners[0]) for seat in range(game.players))
    else:
        assert points == tuple(int(seat == winners[7]) for seat in range(game.players))


@pytest.mark.parametrize("odd", range(8))
def test_penalties_seven_tricks_of_eight_are_no_march(odd):
    winners = [2] * 8
    winners[odd] = 0
    assert penalties_of(winners, 4) == ((1, 0, 0, 0) if odd == 7 else (0, 0, 1, 0))
