from itertools import combinations
from math import comb

import pytest

from runner import config
from runner.schedule.formats import FORMATS, TABLE_COUNTS


def test_formats_are_those_of_the_league_file():
    assert tuple(FORMATS) == config.FORMATS


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("more", range(6))
def test_format_has_as_many_tables_as_it_says(name, players, more):
    tables = list(FORMATS[name](players + more, players))
    assert len(tables) == TABLE_COUNTS[name](players + more, players)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("players", [3, 4])
def test_format_tables_are_different_sets_in_base_order(name, players):
    tables = list(FORMATS[name](7, players))
    assert len(set(tables)) == len(tables)
    assert all(list(table) == sorted(set(table)) for table in tables)
    assert all(len(table) == players for table in tables)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("players", [3, 4])
def test_format_exactly_enough_entrants_make_one_table(name, players):
    assert list(FORMATS[name](players, players)) == [tuple(range(players))]


def test_round_robin_any_pair_of_entrants_meets_equally_often():
    tables = list(FORMATS["round_robin"](6, 4))
    for pair in combinations(range(6), 2):
        assert sum(set(pair) <= set(table) for table in tables) == comb(4, 2)


def test_table_counts_are_known_for_every_format():
    assert set(TABLE_COUNTS) == set(FORMATS)
