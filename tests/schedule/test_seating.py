from collections import Counter
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.schedule.seating import circular_order, circular_orders, seats
from tests import reference
from tests.strategies import deal_numbers, table_keys, vectors

players_counts = st.sampled_from([3, 4])


@pytest.mark.parametrize("vector", vectors("dealing.jsonl"))
def test_seats_of_the_vector_are_given_again(vector):
    names = sorted(name for name, _ in vector["entrants"])
    seating = [
        [names[place] for place in seats(vector["players"], vector["table"], vector["deal"], r)]
        for r in range(vector["players"])
    ]
    assert seating == vector["seating"]


@given(players_counts, table_keys, deal_numbers, st.integers(0, 3))
def test_seats_of_any_deal_are_those_of_the_second_implementation(players, table, deal, rotation):
    rotation %= players
    expected = reference.seated(table, deal, rotation, players)
    assert list(seats(players, table, deal, rotation)) == expected


@given(players_counts, table_keys, deal_numbers)
def test_seats_over_the_rotations_everybody_sits_everywhere_once(players, table, deal):
    rotations = [seats(players, table, deal, rotation) for rotation in range(players)]
    for places in [*rotations, *zip(*rotations, strict=True)]:
        assert sorted(places) == list(range(players))


@given(players_counts, table_keys, deal_numbers)
def test_seats_over_a_round_of_deals_all_neighbours_are_balanced(players, table, first):
    shoves = Counter(
        (giver, around[giver], around[giver - 1])
        for deal in range(first, first + factorial(players - 1))
        for rotation in range(players)
        for around in [seats(players, table, deal, rotation)]
        for giver in range(players)
    )
    # Every entrant gives to every other on every seat, and all equally often.
    assert len(shoves) == players * players * (players - 1)
    assert set(shoves.values()) == {factorial(players - 2)}


@given(players_counts, table_keys, deal_numbers)
def test_seats_over_a_round_of_deals_all_circular_orders_come_once(players, table, first):
    orders = {seats(players, table, first + n, 0) for n in range(factorial(players - 1))}
    assert len(orders) == circular_orders(players) == factorial(players - 1)
    assert all(places[0] == 0 for places in orders)


def test_circular_orders_of_four_are_in_lexicographic_order():
    assert [circular_order(4, number) for number in range(6)] == [
        (0, 1, 2, 3),
        (0, 1, 3, 2),
        (0, 2, 1, 3),
        (0, 2, 3, 1),
        (0, 3, 1, 2),
        (0, 3, 2, 1),
    ]
