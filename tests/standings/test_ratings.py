import math
import os
import random
import subprocess
import sys
from dataclasses import astuple
from itertools import combinations, pairwise
from pathlib import Path

import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.standings.boards import Board
from runner.standings.ratings import Game, rate_boards, rate_games, tied_share

ROOT = Path(__file__).parents[2]
NAMES = ("ape/1", "bee/1", "cat/1", "dog/1", "eel/1")


def games_of(*ranks):
    return [Game(tuple(range(len(each))), each) for each in ranks]


def board_of(deal, entrants, penalties, table="ab"):
    return Board(table, deal, tuple(entrants), tuple(penalties), (), ())


def play_league(seed, boards, entrants=5, size=4):
    """Boards at all tables of a round robin; higher keys lose more."""
    rng = random.Random(seed)
    tables = list(combinations(range(entrants), size))
    played = []
    for deal in range(boards):
        table = tables[deal % len(tables)]
        losers = rng.choices(table, [3 + key for key in table], k=size)
        scores = [losers.count(key) for key in table]
        played.append(board_of(deal, table, scores, table=f"{table}"))
    return played


# ------------------------------------------------------------------ known values


@pytest.mark.parametrize(
    "ranks, mu, sigma",
    [
        (
            (0, 1, 2, 3),
            [33.206681, 27.401455, 22.598545, 16.793319],
            [6.348109, 5.787163, 5.787163, 6.348109],
        ),
        ((0, 1, 2), [31.675352, 25, 18.324648], [6.655985, 6.207897, 6.655985]),
    ],
)
def test_rate_games_one_fresh_game_gives_known_values(ranks, mu, sigma):
    fit = rate_games(games_of(ranks), len(ranks), draw_probability=0.1, tau=25 / 300, max_sweeps=1)
    assert fit.mu == pytest.approx(mu, abs=2e-5)
    assert fit.sigma == pytest.approx(sigma, abs=2e-5)


@pytest.mark.parametrize(
    "ranks, mu, sigma",
    [
        (
            [(0, 1, 2), (0, 1, 2), (1, 0, 2), (0, 2, 1)],
            [29.98843, 25, 20.01157],
            [3.57598, 3.25589, 3.57598],
        ),
        (
            [(0, 0, 1, 2), (0, 1, 1, 1), (0, 1, 2, 3), (1, 0, 0, 2)],
            [28.95233, 26.98716, 24.75539, 19.30512],
            [2.97965, 2.68473, 2.72291, 3.19338],
        ),
    ],
)
def test_rate_games_several_games_converge_to_known_values(ranks, mu, sigma):
    fit = rate_games(games_of(*ranks), len(mu), draw_probability=0.1)
    assert fit.converged
    assert fit.mu == pytest.approx(mu, abs=2e-5)
    assert fit.sigma == pytest.approx(sigma, abs=2e-5)


def test_rate_games_tied_players_are_chained_in_the_order_given():
    # Neighbours only are compared, so the middle of three tied players is surest.
    for players in [(0, 1, 2), (0, 2, 1), (2, 0, 1)]:
        fit = rate_games([Game(players, (0, 0, 0))], 3, draw_probability=0.3)
        assert min(range(3), key=fit.sigma.__getitem__) == players[1]


# ------------------------------------------------------------------ sweeps


def one_pass(games, players, draw_probability):
    """Ordinary TrueSkill by the package as it comes."""
    env = trueskill.TrueSkill(tau=0, draw_probability=draw_probability)
    ratings = [env.create_rating() for _ in range(players)]
    for game in games:
        rated = env.rate([(ratings[player],) for player in game.players], ranks=game.ranks)
        for player, (rating,) in zip(game.players, rated, strict=True):
            ratings[player] = rating
    return ratings


def plain_sweeps(games, players, draw_probability, sweeps):
    """Expectation propagation one game at a time, with no blocks and no recentring."""
    env = trueskill.TrueSkill(tau=0, draw_probability=draw_probability)
    posteriors = [trueskill.mathematics.Gaussian(25, 25 / 3) for _ in range(players)]
    sites = [[trueskill.mathematics.Gaussian() for _ in game.players] for game in games]
    for _ in range(sweeps):
        for number, game in enumerate(games):
            cavities = [
                posteriors[player] / site
                for player, site in zip(game.players, sites[number], strict=True)
            ]
            rated = env.rate([(trueskill.Rating(one),) for one in cavities], ranks=game.ranks)
            for place, (player, (new,)) in enumerate(zip(game.players, rated, strict=True)):
                posteriors[player] = new
                sites[number][place] = new / cavities[place]
    return posteriors


def league_games(seed, boards):
    return [Game(board.entrants, board.penalties) for board in play_league(seed, boards)]


def test_rate_games_one_sweep_is_ordinary_trueskill():
    games = league_games(1, 40)
    fit = rate_games(games, 5, draw_probability=0.3, max_sweeps=1)
    expected = one_pass(games, 5, 0.3)
    assert (fit.sweeps, fit.converged) == (1, False)
    assert fit.mu == pytest.approx([rating.mu for rating in expected], abs=1e-4)
    assert fit.sigma == pytest.approx([rating.sigma for rating in expected], abs=1e-4)


@pytest.mark.parametrize("players, table", [(4, (0, 1, 2, 3)), (3, (0, 1, 2))])
def test_rate_games_blocks_of_like_games_reach_the_plain_fixed_point(players, table):
    # At one table many games are alike, so that most of them share blocks.
    rng = random.Random(2)
    games = []
    for _ in range(60):
        losers = rng.choices(table, [4, 5, 6, 7][:players], k=players)
        games.append(Game(table, tuple(losers.count(key) for key in table)))
    fit = rate_games(games, players, draw_probability=0.3)
    expected = plain_sweeps(games, players, 0.3, sweeps=25)
    mean = sum(rating.mu for rating in expected) / players
    assert fit.converged
    assert fit.mu == pytest.approx([rating.mu - mean + 25 for rating in expected], abs=1e-4)
    assert fit.sigma == pytest.approx([rating.sigma for rating in expected], abs=1e-5)


def test_rate_games_unequal_numbers_of_games_keep_their_mean_mu():
    # Player 3 plays a tenth of the games; plain sweeps need many rounds for the mean.
    games = [Game((0, 1, 2), ranks) for ranks in [(0, 1, 2), (1, 0, 2), (0, 0, 1)] * 6]
    games += [Game((0, 1, 3), (1, 2, 0)), Game((1, 2, 3), (0, 1, 2))]
    fit = rate_games(games, 4, draw_probability=0.2)
    expected = plain_sweeps(games, 4, 0.2, sweeps=120)
    assert math.fsum(fit.mu) / 4 == pytest.approx(25, abs=1e-5)
    assert fit.mu == pytest.approx([rating.mu for rating in expected], abs=2e-4)


def test_rate_games_separate_pools_are_centred_apart():
    games = [Game((0, 1), (0, 1)), Game((2, 3, 4), (0, 1, 2)), Game((3, 4), (0, 1))]
    fit = rate_games(games, 6, draw_probability=0.1)
    assert fit.mu[0] + fit.mu[1] == pytest.approx(50, abs=1e-5)
    assert sum(fit.mu[2:5]) == pytest.approx(75, abs=1e-5)
    assert (fit.mu[5], fit.sigma[5]) == (25, 25 / 3)


@pytest.mark.parametrize("ranks", [(0, 1, 2, 3), (0, 1, 1, 1), (0, 0, 0, 0), (0, 0, 0, 1)])
@pytest.mark.parametrize("draw_probability", [0.001, 0.6])
def test_rate_games_same_outcome_every_time_converges(ranks, draw_probability):
    fit = rate_games(games_of(ranks) * 150, 4, draw_probability=draw_probability)
    assert fit.converged
    for one, other in pairwise(range(4)):
        if ranks[one] < ranks[other]:
            assert fit.mu[one] > fit.mu[other] + 1
        else:
            assert fit.mu[one] == pytest.approx(fit.mu[other], abs=0.1)


def test_rate_games_not_settled_in_time_returns_the_first_sweep():
    games = league_games(3, 20)
    first = rate_games(games, 5, draw_probability=0.3, max_sweeps=1)
    fit = rate_games(games, 5, draw_probability=0.3, max_sweeps=2)
    assert (fit.mu, fit.sigma) == (first.mu, first.sigma)
    assert (fit.sweeps, fit.converged) == (2, False)


def test_rate_games_package_gives_up_on_a_game_leaves_it_out(monkeypatch):
    def rate(self, groups, ranks):
        if tuple(ranks) == (0, 1, 2):
            raise FloatingPointError
        return original(self, groups, ranks=ranks)

    original = trueskill.TrueSkill.rate
    monkeypatch.setattr(trueskill.TrueSkill, "rate", rate)
    good = [Game((0, 1, 2), (0, 0, 1)), Game((2, 1, 0), (0, 1, 1))]
    fit = rate_games([*good, Game((0, 1, 2), (0, 1, 2))], 3, draw_probability=0.2)
    assert not fit.converged
    assert fit.mu == rate_games(good, 3, draw_probability=0.2, max_sweeps=1).mu


def test_rate_games_cavity_without_precision_is_skipped(monkeypatch):
    # Two games that undo each other: without the second, the first has less than nothing.
    def rate(self, groups, ranks):
        return [(trueskill.Rating(25, 1 if ranks[1] else 100),) for _ in groups]

    monkeypatch.setattr(trueskill.TrueSkill, "rate", rate)
    fit = rate_games(games_of((0, 1), (0, 0)), 2, draw_probability=0.2)
    assert not fit.converged
    assert fit.sigma == pytest.approx([100, 100])


def test_rate_games_no_games_keeps_the_prior():
    fit = rate_games([], 2, draw_probability=0.1)
    assert (fit.mu, fit.sigma, fit.converged) == ((25, 25), (25 / 3, 25 / 3), True)


@pytest.mark.parametrize("draw_probability", [0, 1, math.nan])
def test_rate_games_draw_probability_out_of_range_is_refused(draw_probability):
    with pytest.raises(ValueError, match="draw probability"):
        rate_games(games_of((0, 1)), 2, draw_probability=draw_probability)


def test_rate_games_tau_with_sweeps_is_refused():
    with pytest.raises(ValueError, match="tau needs max_sweeps=1"):
        rate_games(games_of((0, 1)), 2, draw_probability=0.1, tau=0.1)


def test_rate_games_true_skills_known_intervals_of_differences_hold():
    rng = random.Random(4)
    hits = pairs = 0
    for _ in range(16):
        skills = [rng.gauss(25, 25 / 3) for _ in range(5)]
        games = []
        for _ in range(30):
            players = tuple(rng.sample(range(5), 4))
            shown = [rng.gauss(skills[player], 25 / 6) for player in players]
            ranks = tuple(sorted(shown, reverse=True).index(each) for each in shown)
            games.append(Game(players, ranks))
        fit = rate_games(games, 5, draw_probability=0.001)
        for one, other in combinations(range(5), 2):
            error = fit.mu[one] - fit.mu[other] - (skills[one] - skills[other])
            hits += abs(error) < 1.96 * math.hypot(fit.sigma[one], fit.sigma[other])
            pairs += 1
    assert hits / pairs > 0.93


# ------------------------------------------------------------------ boards


@st.composite
def leagues(draw):
    """A few boards of five entrants."""
    size = draw(st.sampled_from([3, 4]))
    boards = []
    for deal in range(draw(st.integers(1, 10))):
        entrants = draw(st.permutations(range(5)))[:size]
        penalties = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
        boards.append(board_of(deal, entrants, penalties, table=draw(st.sampled_from("abc"))))
    return boards


@settings(deadline=None, max_examples=25)
@given(leagues(), st.randoms())
def test_rate_boards_shuffled_boards_give_identical_bytes(boards, rng):
    expected = rate_boards(boards, NAMES)
    rng.shuffle(boards)
    assert repr(rate_boards(boards, NAMES)) == repr(expected)


@settings(deadline=None, max_examples=25)
@given(leagues(), st.permutations(range(5)))
def test_rate_boards_entrants_renumbered_permutes_the_result(boards, new_keys):
    expected = rate_boards(boards, NAMES)
    names = [NAMES[new_keys.index(key)] for key in range(5)]
    renumbered = [
        board_of(
            board.deal, [new_keys[key] for key in board.entrants], board.penalties, board.table
        )
        for board in boards
    ]
    ratings = rate_boards(renumbered, names)
    assert [ratings.mu[new_keys[key]] for key in range(5)] == list(expected.mu)
    assert [ratings.sigma[new_keys[key]] for key in range(5)] == list(expected.sigma)


def test_rate_boards_larger_league_with_blocks_is_order_free():
    boards = play_league(5, 150)
    expected = rate_boards(boards, NAMES)
    random.Random(6).shuffle(boards)
    assert repr(rate_boards(boards, NAMES)) == repr(expected)
    assert expected.converged


def test_rate_boards_other_process_and_hash_seed_give_identical_bytes():
    program = (
        "from runner.standings.boards import Board; from runner.standings.ratings import *;"
        "print(rate_boards([Board('ab', d, (2, 0, 1), p, (), ()) for d, p in"
        " enumerate([(1, 1, 1), (0, 2, 1), (3, 0, 0)])], ['x/1', 'y/1', 'z/1']))"
    )
    outputs = {
        subprocess.check_output(
            [sys.executable, "-c", program], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_rate_boards_fewer_penalties_rate_higher_around_25():
    boards = [board_of(deal, range(3), penalties) for deal, penalties in enumerate([(0, 1, 2)] * 9)]
    ratings = rate_boards(boards, NAMES[:3])
    mu = [each for each in ratings.mu if each is not None]
    assert mu == sorted(mu, reverse=True)
    assert math.fsum(mu) / 3 == pytest.approx(25, abs=1e-12)


def test_rate_boards_entrant_without_boards_is_not_rated():
    ratings = rate_boards([board_of(1, (0, 2, 3), (1, 1, 1))], NAMES)
    assert [key for key in range(5) if ratings.mu[key] is None] == [1, 4]
    assert [key for key in range(5) if ratings.sigma[key] is None] == [1, 4]


def test_rate_boards_no_boards_rates_nobody():
    assert astuple(rate_boards([], NAMES[:2])) == ((None, None), (None, None), 0.001, 1, True)


def test_rate_boards_twins_tied_throughout_have_equal_mu():
    ratings = rate_boards([board_of(deal, range(4), (1, 1, 1, 1)) for deal in range(30)], NAMES[:4])
    assert ratings.draw_probability == 0.6
    assert ratings.mu == pytest.approx([25] * 4, abs=1e-9)


def test_rate_boards_tied_entrants_are_chained_in_changing_order():
    # In one and the same order the middle one would be surer than the others by a tenth.
    ratings = rate_boards([board_of(deal, range(3), (1, 1, 1)) for deal in range(90)], NAMES[:3])
    sigma = [each for each in ratings.sigma if each is not None]
    assert max(sigma) / min(sigma) < 1.03


def test_rate_boards_progress_counts_boards_of_each_sweep():
    calls = []
    boards = play_league(7, 60, entrants=4)
    ratings = rate_boards(boards, NAMES, progress=lambda sweep, done: calls.append((sweep, done)))
    assert calls[:60] == [(1, done) for done in range(1, 61)]
    assert {sweep for sweep, done in calls if done == 60} == set(range(1, ratings.sweeps + 1))
    assert calls == sorted(calls)
    # Like boards are done together from the second sweep on.
    assert sum(sweep == 2 for sweep, _ in calls) < 50


@pytest.mark.parametrize(
    "boards, names, message",
    [
        ([board_of(1, (0, 1), (0, 1))] * 2, NAMES, "table ab, deal 1: the board stands twice"),
        ([board_of(1, (0, 5), (0, 1))], NAMES, "there are only 5 names"),
        ([], ("x/1", "x/1"), "same name"),
    ],
)
def test_rate_boards_contradictory_input_is_refused(boards, names, message):
    with pytest.raises(ValueError, match=message):
        rate_boards(boards, names)


@pytest.mark.parametrize(
    "penalties, share",
    [
        ([(0, 1, 1, 2)], 1 / 6),
        ([(0, 1, 2), (1, 1, 1)], 0.5),
        ([(0, 1, 2)], 0.001),
        ([(1, 1, 1)], 0.6),
        ([], 0.001),
    ],
)
def test_tied_share_is_that_of_pairs_within_its_range(penalties, share):
    boards = [board_of(deal, range(len(each)), each) for deal, each in enumerate(penalties)]
    assert tied_share(boards) == pytest.approx(share)
