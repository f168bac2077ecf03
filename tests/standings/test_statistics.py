import math
import random
from dataclasses import astuple
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.standings.boards import Board
from runner.standings.ratings import Ratings
from runner.standings.statistics import (
    Summary,
    cross_table,
    difference,
    rank_order,
    summarise,
)


def board_of(deal, entrants, penalties, by_position=None, marches=None):
    size = len(entrants)
    by_position = by_position or tuple((points,) + (0,) * (size - 1) for points in penalties)
    return Board("ab", deal, tuple(entrants), tuple(penalties), by_position, marches or (0,) * size)


def duels(*penalties, entrants=(0, 1, 2)):
    return [board_of(deal, entrants, each) for deal, each in enumerate(penalties)]


# ------------------------------------------------------------------ summaries


def test_summarise_two_boards_gives_means_and_error_by_board():
    boards = [
        board_of(1, (4, 5, 6), (2, 1, 0), ((1, 1, 0), (0, 0, 1), (0, 0, 0)), (0, 0, 0)),
        board_of(2, (4, 5, 6), (0, 4, 2), ((0, 0, 0), (1, 2, 1), (1, 0, 1)), (1, 0, 0)),
    ]
    assert summarise(boards) == {
        4: Summary(4, 2, 6, 1 / 3, 1 / 3, (0.5, 0.5, 0.0), 1),
        5: Summary(5, 2, 6, 5 / 6, 0.5, (0.5, 1.0, 1.0), 0),
        6: Summary(6, 2, 6, 1 / 3, 1 / 3, (0.5, 0.0, 0.5), 0),
    }


def test_summarise_error_is_that_of_independent_board_means():
    rng = random.Random(1)
    boards = duels(*([rng.randrange(4) for _ in range(4)] for _ in range(30)), entrants=range(4))
    means = [board.penalties[2] / 4 for board in boards]
    summary = summarise(boards)[2]
    assert summary.penalties_per_deal == pytest.approx(mean(means))
    assert summary.standard_error == pytest.approx(stdev(means) / math.sqrt(30))


def test_summarise_one_board_has_no_error():
    assert summarise(duels((0, 1, 2)))[1].standard_error is None


def test_summarise_same_outcome_every_time_has_error_zero():
    assert summarise(duels(*[(0, 1, 2)] * 7))[1].standard_error == 0.0


def test_summarise_no_boards_gives_nothing():
    assert summarise([]) == {}


def test_summarise_boards_of_three_and_four_are_refused():
    with pytest.raises(ValueError, match=r"boards of \[3, 4\] entrants"):
        summarise([board_of(1, (0, 1, 2), (0, 0, 1)), board_of(2, range(4), (0, 0, 1, 1))])


# ------------------------------------------------------------------ differences


def test_difference_always_together_equals_paired_error():
    rng = random.Random(2)
    boards = duels(*([rng.randrange(4) for _ in range(4)] for _ in range(25)), entrants=range(4))
    paired = [(board.penalties[0] - board.penalties[3]) / 4 for board in boards]
    result = difference(boards, 0, 3)
    assert result.difference == pytest.approx(mean(paired))
    assert result.standard_error == pytest.approx(stdev(paired) / math.sqrt(25))


def test_difference_never_together_adds_variances():
    ours = duels((0, 0, 3), (2, 0, 3), (1, 0, 3), entrants=(0, 8, 9))
    theirs = duels((3, 0, 0), (0, 0, 3), entrants=(1, 8, 9))
    # By the formula: sum of (a_b / 3)^2 is 2/81, of (b_b / 2)^2 is 1/8; n is 5.
    result = difference(ours + theirs, 0, 1)
    assert result.difference == pytest.approx(1 / 3 - 1 / 2)
    assert result.standard_error == pytest.approx(math.sqrt((2 / 81 + 1 / 8) * 5 / 4))


def test_difference_partly_together_follows_the_formula():
    together = duels((2, 0, 1), (1, 1, 1))
    alone = [board_of(7, (0, 3, 4), (3, 0, 0)), board_of(8, (1, 3, 4), (1, 2, 0))]
    a, b = {0: 2 / 3, 1: 1 / 3, 2: 1}, {0: 0, 1: 1 / 3, 3: 1 / 3}
    mean_a, mean_b = 2 / 3, 2 / 9
    total = sum(
        ((a[n] - mean_a if n in a else 0) / 3 - (b[n] - mean_b if n in b else 0) / 3) ** 2
        for n in range(4)
    )
    elsewhere = [board_of(9, (3, 4, 5), (0, 0, 3))]
    result = difference(together + alone + elsewhere, 0, 1)
    assert result.difference == pytest.approx(mean_a - mean_b)
    assert result.standard_error == pytest.approx(math.sqrt(total * 4 / 3))


def test_difference_swapped_changes_only_its_sign():
    boards = duels(*[(0, 1, 2), (1, 1, 1), (0, 3, 0), (1, 2, 0)] * 3)
    one, other = difference(boards, 0, 1), difference(boards, 1, 0)
    assert one.difference == -other.difference
    assert one.standard_error == other.standard_error
    assert one.beyond_doubt
    assert other.beyond_doubt


@pytest.mark.parametrize("wins, beyond_doubt", [(50, False), (59, False), (62, True), (70, True)])
def test_difference_above_two_errors_is_beyond_doubt(wins, beyond_doubt):
    # Of 100 boards: z = (2 wins - 100) / 10, roughly.
    boards = duels(*[(1, 2, 0)] * wins, *[(2, 1, 0)] * (100 - wins))
    assert difference(boards, 0, 1).beyond_doubt is beyond_doubt


@pytest.mark.parametrize("boards, beyond_doubt", [(2, False), (5, False), (6, True)])
def test_difference_same_on_every_board_needs_six_of_them(boards, beyond_doubt):
    result = difference(duels(*[(0, 1, 2)] * boards), 0, 1)
    assert astuple(result) == (0, 1, pytest.approx(-1 / 3), 0.0, beyond_doubt)


def test_difference_always_equal_is_no_difference():
    # Thirds do not add up exactly in binary, so seven boards against eight tell.
    ours = duels(*[(1, 1, 1)] * 7, entrants=(0, 8, 9))
    theirs = duels(*[(1, 1, 1)] * 8, entrants=(1, 8, 9))
    assert astuple(difference(ours + theirs, 0, 1)) == (0, 1, 0.0, 0.0, False)


def test_difference_one_board_of_either_has_no_error():
    boards = [*duels(*[(0, 1, 2)] * 8), board_of(9, (0, 3, 4), (1, 2, 0))]
    result = difference(boards, 0, 3)
    assert (result.standard_error, result.beyond_doubt) == (None, False)


def test_difference_unknown_or_same_entrant_is_refused():
    boards = duels((0, 1, 2))
    with pytest.raises(ValueError, match="entrant 7 has no board"):
        difference(boards, 0, 7)
    with pytest.raises(ValueError, match="entrant 1 compared with itself"):
        difference(boards, 1, 1)


# With so many, an observed share is within 0.02 of the true one.
REPETITIONS = 400


def test_difference_plays_alike_within_boards_needs_clustered_error():
    """Cards favour an entrant for a whole board: 95% intervals, true difference zero."""
    rng = random.Random(3)
    clustered = naive = 0
    for _ in range(REPETITIONS):
        boards, plays = [], []
        for deal in range(40):
            weights = [rng.gammavariate(0.7, 1) for _ in range(4)]
            losers = rng.choices(range(4), weights, k=4)
            boards.append(board_of(deal, range(4), [losers.count(key) for key in range(4)]))
            plays += [(loser == 0) - (loser == 1) for loser in losers]
        result = difference(boards, 0, 1)
        assert result.standard_error is not None
        clustered += abs(result.difference) < 1.96 * result.standard_error
        naive += abs(result.difference) < 1.96 * stdev(plays) / math.sqrt(len(plays))
    assert 0.92 < clustered / REPETITIONS < 0.98
    assert naive / REPETITIONS < 0.85


# ------------------------------------------------------------------ cross-table


def test_cross_table_counts_only_common_boards():
    boards = [*duels((0, 2, 1), (1, 3, 2)), board_of(9, (0, 2, 3), (3, 0, 0))]
    cells = cross_table(boards)
    assert (1, 3) not in cells
    assert astuple(cells[0, 1]) == (0, 1, 2, -2.0, 0.0, None, False)
    assert astuple(cells[0, 3]) == (0, 3, 1, 3.0, None, None, False)
    assert cells[0, 2].boards == 3
    assert cells[0, 2].difference == pytest.approx(1 / 3)


def test_cross_table_base_order_of_a_table_does_not_matter():
    boards = [board_of(1, (2, 0, 1), (3, 0, 1)), board_of(2, (0, 1, 2), (2, 1, 0))]
    assert cross_table(boards)[0, 2].difference == pytest.approx((-3 + 2) / 2)


def test_cross_table_mirror_cell_is_the_negative():
    rng = random.Random(4)
    cells = cross_table(duels(*([rng.randrange(4) for _ in range(3)] for _ in range(20))))
    for (one, other), cell in cells.items():
        mirror = cells[other, one]
        assert cell.z is not None
        assert mirror.z is not None
        assert cell.standard_error is not None
        assert (cell.difference, cell.z) == (-mirror.difference, -mirror.z)
        assert cell.z == pytest.approx(cell.difference / cell.standard_error)
        assert cell.beyond_doubt == mirror.beyond_doubt


def z_boards(entrants, wins, boards=100):
    return duels(*[(0, 1)] * wins, *[(1, 0)] * (boards - wins), entrants=entrants)


def test_cross_table_holm_holds_five_percent_over_all_pairs():
    # z of 62, 61 and 60 wins: about 2.46, 2.24, 2.03; p: .014, .025, .042.
    strong = z_boards((0, 1), 62) + z_boards((2, 3), 61) + z_boards((4, 5), 60)
    assert all(cell.beyond_doubt for cell in cross_table(strong).values())
    # A fourth pair, far from significant, raises the first hurdle to .05 / 4 = .0125.
    more = cross_table(strong + z_boards((6, 7), 50))
    assert not any(cell.beyond_doubt for cell in more.values())
    # With a clear first pair the next hurdle is .05 / 3 = .0167: only the first passes.
    clear = z_boards((0, 1), 75) + z_boards((2, 3), 61) + z_boards((4, 5), 60)
    cells = cross_table(clear + z_boards((6, 7), 50))
    assert {pair for pair, cell in cells.items() if cell.beyond_doubt} == {(0, 1), (1, 0)}


@pytest.mark.parametrize("boards, beyond_doubt", [(1, False), (5, False), (6, True)])
def test_cross_table_same_on_every_board_uses_a_sign_test(boards, beyond_doubt):
    cell = cross_table(duels(*[(0, 2)] * boards, entrants=(0, 1)))[0, 1]
    assert (cell.z, cell.beyond_doubt) == (None, beyond_doubt)


def test_cross_table_always_equal_is_no_difference():
    cell = cross_table(duels(*[(1, 1, 1)] * 50))[0, 1]
    assert astuple(cell) == (0, 1, 50, 0.0, 0.0, None, False)


def test_cross_table_no_boards_gives_nothing():
    assert cross_table([]) == {}


# ------------------------------------------------------------------ order


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=20),
    st.randoms(),
)
def test_statistics_shuffled_boards_give_identical_bytes(penalties, rng):
    boards = [
        board_of(deal, (deal % 2, 2, 3 + deal % 3), each) for deal, each in enumerate(penalties)
    ]
    expected = summarise(boards), difference(boards, 0, 2), cross_table(boards)
    rng.shuffle(boards)
    assert repr((summarise(boards), difference(boards, 0, 2), cross_table(boards))) == repr(
        expected
    )


def ratings_of(*mu):
    return Ratings(mu, tuple(None if each is None else 1.0 for each in mu), 0.1, 5, True)


def test_rank_order_mu_comes_first():
    summaries = summarise(duels((0, 1, 2)))
    assert rank_order(ratings_of(24.0, 25.0, 26.0), summaries, "abc") == [2, 1, 0]


def test_rank_order_equal_mu_is_decided_by_penalties_then_name():
    summaries = summarise(duels((1, 0, 1)))
    # A last digit of noise is no lead.
    assert rank_order(ratings_of(25.0000001, 25.0, 25.0), summaries, "bca") == [1, 2, 0]


def test_rank_order_entrants_without_rating_come_last_by_name():
    summaries = summarise(duels((0, 1, 2), entrants=(0, 2, 4)))
    ratings = ratings_of(20.0, None, 30.0, None, 25.0)
    assert rank_order(ratings, summaries, "adcbe") == [2, 4, 0, 3, 1]
