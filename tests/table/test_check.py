"""Trying a bot."""

from dataclasses import replace

import pytest

from runner.records import FaultKind, Limits
from runner.table.check import ALL_GAMES, check_bot, fault_text
from tests.table.playing import HOUSE, PATIENT, fixture, house


def check(bot, tmp_path, limits=PATIENT):
    checked = list(check_bot(bot, ALL_GAMES, limits, tmp_path))
    return [game.rules for game in checked], checked[-1]


@pytest.mark.parametrize("name", ["low", "high", "random", "sensible"])
def test_house_bot_passes_all_four_games(tmp_path, name):
    games, last = check(house(name), tmp_path)

    assert games == list(ALL_GAMES)
    assert last.fault is None
    assert 0 < last.cpu_per_decision_s < 1
    assert list((tmp_path / "homes").iterdir()) == []


def test_shell_bot_passes_all_four_games(tmp_path):
    tiny = fixture("", {"tiny.sh": (HOUSE / "tiny.sh").read_bytes()}, ("sh", "tiny.sh"))

    games, last = check(tiny, tmp_path)

    assert games == list(ALL_GAMES)
    assert last.fault is None


BAD = [
    (
        fixture("exits_at_start.py"),
        "start: ended, or closed its standard input or output before it said ready (exit code 3); "
        "its last words: no engine found",
    ),
    (
        fixture("", command=("./nothing",)),
        "start: cannot be executed: ./nothing: No such file or directory",
    ),
    (
        fixture("says_first.py", {"says.bin": b"Welcome!\n"}),
        "start: expected a line of JSON: JSON is malformed: invalid character (byte 0) "
        "as the first line",
    ),
    (
        fixture("says_always.py", {"says.bin": b'{"id":<id>}\n'}),
        'illegal, dealer: expected "cards": a list of cards to shove, got nothing',
    ),
    (
        fixture("says_always.py", {"says.bin": b'{"id":7}\n'}),
        "message, dealer: expected a reply with id 1, got id 7",
    ),
]


@pytest.mark.parametrize("bot, text", BAD, ids=[text.partition(":")[0] for _, text in BAD])
def test_bad_bot_fails_in_the_first_game_with_a_text(tmp_path, bot, text):
    games, last = check(bot, tmp_path)

    assert games == [ALL_GAMES[0]]
    assert fault_text(last.fault, last.rules) == text


def test_hanging_bot_fails_with_the_limit_in_its_text(tmp_path):
    bot = fixture("sleeps_always.py", {"seconds.txt": b"60"})

    games, last = check(bot, tmp_path, replace(PATIENT, wall_seconds=0.5))

    assert games == [ALL_GAMES[0]]
    assert last.fault.kind is FaultKind.TIMEOUT
    assert "within 0.5 s of wall time" in fault_text(last.fault, last.rules)


def test_check_ends_a_bot_after_one_fault(tmp_path):
    bot = fixture("says_always.py", {"says.bin": b'{"id":<id>}\n'})

    _, last = check(bot, tmp_path, Limits(max_faults=1000))

    assert all(sum(by_kind.values()) <= 1 for by_kind in last.result.fault_counts)
