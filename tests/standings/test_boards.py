from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.standings.boards import Board, Play, whole_boards

FOUR = (10, 11, 12, 13)


def plays_of(table, deal, entrants, losing_seat=0, march=None):
    """All rotations of a deal in which the same seat loses (or marches) each time."""
    size = len(entrants)
    plays = []
    for rotation in range(size):
        penalties = [int(seat == losing_seat) for seat in range(size)]
        if march is not None:
            penalties = [int(seat != march) for seat in range(size)]
        seats = tuple((seat - rotation) % size for seat in range(size))
        plays.append(Play(table, deal, rotation, entrants, seats, tuple(penalties), march))
    return plays


def test_whole_boards_all_rotations_sums_penalties_of_each_entrant():
    # The entrant at place i sits on seat (i + r) mod 4 in rotation r.
    penalties = [(1, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (1, 1, 0, 1)]
    plays = [
        replace(play, penalties=scored)
        for play, scored in zip(plays_of("ab", 7, FOUR), penalties, strict=True)
    ]
    plays[3] = replace(plays[3], march=2)
    assert whole_boards(plays) == [
        Board(
            table="ab",
            deal=7,
            entrants=FOUR,
            penalties=(2, 1, 1, 2),
            by_position=((1, 0, 0, 1), (1, 0, 0, 0), (0, 1, 0, 0), (1, 1, 0, 0)),
            marches=(0, 0, 0, 1),
        )
    ]


def test_whole_boards_other_circular_order_follows_the_seats_given():
    # Places 0, 2, 1 sit in a circle.
    seats = [(0, 2, 1), (1, 0, 2), (2, 1, 0)]
    plays = [Play("ab", 1, r, (5, 6, 7), seats[r], (0, 1, 0)) for r in range(3)]
    (board,) = whole_boards(plays)
    assert board.by_position == ((0, 1, 0), (0, 1, 0), (0, 1, 0))
    plays[2] = replace(plays[2], penalties=(0, 0, 1))
    (board,) = whole_boards(plays)
    assert board.penalties == (2, 0, 1)


@pytest.mark.parametrize("size", [3, 4])
def test_whole_boards_march_counts_for_the_entrant_on_the_seat(size):
    (board,) = whole_boards(plays_of("ab", 1, FOUR[:size], march=1))
    assert board.marches == (1,) * size
    assert board.penalties == (size - 1,) * size


def test_whole_boards_rotation_missing_leaves_board_out():
    whole, partial = plays_of("ab", 1, FOUR), plays_of("ab", 2, FOUR)[:3]
    assert [board.deal for board in whole_boards(partial + whole)] == [1]


def test_whole_boards_no_plays_gives_nothing():
    assert whole_boards([]) == []


@given(st.randoms())
def test_whole_boards_any_order_of_plays_gives_canonical_order(random):
    keys = [("ab", 2), ("ab", 10), ("b0", 1)]
    plays = [play for table, deal in keys for play in plays_of(table, deal, FOUR)]
    expected = whole_boards(plays)
    random.shuffle(plays)
    assert whole_boards(plays) == expected
    assert [(board.table, board.deal) for board in expected] == keys


def test_whole_boards_rotation_twice_is_refused():
    plays = plays_of("ab", 3, FOUR)
    with pytest.raises(ValueError, match="table ab, deal 3: rotation 1 stands twice"):
        whole_boards([*plays, plays[1]])


@pytest.mark.parametrize(
    "change, message",
    [
        ({"rotation": 4}, "rotation 4, expected 0 to 3"),
        ({"entrants": (1, 1, 2, 3)}, "an entrant stands twice"),
        ({"seats": (0, 1, 2, 2)}, "do not hold each place once"),
        ({"penalties": (1, 0, 0)}, "3 penalties for 4 seats"),
        ({"march": 4}, "march of seat 4, expected 0 to 3"),
    ],
)
def test_whole_boards_contradictory_play_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        whole_boards([replace(plays_of("ab", 3, FOUR)[0], **change)])


@pytest.mark.parametrize(
    "change, message",
    [
        ({"entrants": (10, 11, 12, 99)}, "in one rotation"),
        ({"seats": (0, 1, 2, 3)}, "sits on seat 0 twice"),
    ],
)
def test_whole_boards_plays_of_different_boards_are_refused(change, message):
    plays = plays_of("ab", 3, FOUR)
    plays[2] = replace(plays[2], **change)
    with pytest.raises(ValueError, match=message):
        whole_boards(plays)
