"""Friends are found, and the honest left alone, in games that are really played."""

import math
from random import Random

import pytest

from runner.standings.boards import Board
from runner.standings.collusion import LEVEL, companies, upper_tail_of_t
from tests.league.synthetic import (
    boards_of_play,
    entrants_of,
    forfeiting,
    honest_choosers,
    plan_of,
    sharing,
)


def league(seed, friends=None, *, entrants=6, deals=60):
    """The boards of a league of different styles; `friends` changes who plays how."""
    random = Random(seed)
    members, _ = entrants_of(entrants)
    names = [entrant.name for entrant in members]
    choosers = honest_choosers(names, random)
    if friends:
        friends(choosers, names, random)
    plan = plan_of(members, deals=deals, deals_per_sitting=deals, seed=str(seed))
    return boards_of_play(plan, choosers, str(seed))


def suspects(boards):
    return {(each.entrant, each.friend) for each in companies(boards) if each.suspect}


def share(choosers, names, random):
    for one, other in ((0, 1), (1, 0)):
        choosers[names[one]] = sharing(names[other], choosers[names[one]], random)


def forfeit(choosers, names, random):
    choosers[names[0]] = forfeiting(names[1], choosers[names[0]], share=1.0)


@pytest.mark.parametrize("seed", range(20))
def test_honest_league_has_no_suspects(seed):
    assert suspects(league(seed)) == set()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_two_who_share_what_they_know_are_suspects_and_nobody_else(seed):
    found = suspects(league(seed, share))
    assert found
    assert found <= {(0, 1), (1, 0)}


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_who_gains_by_a_friends_forfeits_is_a_suspect_and_nobody_else(seed):
    assert suspects(league(seed, forfeit, deals=120)) == {(1, 0)}


def test_result_does_not_depend_on_the_order_of_boards():
    boards = league(0, deals=12)
    shuffled = boards[:]
    Random(1).shuffle(shuffled)
    assert companies(shuffled) == companies(boards)


def test_every_pair_is_judged_once_in_each_direction():
    judged = companies(league(0, deals=12))
    pairs = {(each.entrant, each.friend) for each in judged}
    assert len(judged) == len(pairs) == 30
    # Six entrants meet at 15 tables, two of them at 6.
    assert {each.boards for each in judged} == {6 * 12}
    assert [each.p for each in judged] == sorted(each.p for each in judged)


def board(deal, entrants, penalties):
    zeros = tuple((0,) * len(entrants) for _ in entrants)
    return Board("ab", deal, entrants, penalties, zeros, (0,) * len(entrants))


@pytest.mark.parametrize(
    "boards",
    [
        [],
        [board(1, (0, 1, 2), (1, 1, 1))],
        [board(deal, (0, 1, 2), (deal % 3, 1, 0)) for deal in range(20)],
        [board(deal, (deal, deal + 1, deal + 2), (1, 0, 2)) for deal in range(3)],
        [board(deal, (0, 1, 2) if deal % 2 else (2, 3, 4), (1, 0, 2)) for deal in range(9)],
    ],
    ids=["none", "one", "one table", "chain", "nearly apart"],
)
def test_boards_that_tell_nothing_judge_nobody(boards):
    assert companies(boards) == []


@pytest.mark.parametrize(
    "t, freedom, expected",
    [(6.314, 1, 0.05), (2.920, 2, 0.05), (3.365, 5, 0.01), (1.725, 20, 0.05), (3.385, 30, 0.001)],
)
def test_tail_of_t_is_that_of_the_tables(t, freedom, expected):
    assert upper_tail_of_t(t, freedom) == pytest.approx(expected, rel=2e-3)
    assert upper_tail_of_t(-t, freedom) == pytest.approx(1 - expected, rel=1e-4)
    assert upper_tail_of_t(0.0, freedom) == 0.5
    assert upper_tail_of_t(math.inf, freedom) == 0.0


def test_level_is_the_usual_one():
    assert LEVEL == 0.05
