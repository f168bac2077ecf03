import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import RulesError
from runner.game.replay import replay
from runner.report.verification import BadDeal, verify_lines
from tests.strategies import VECTORS, vectors, whole_games

GOOD = (VECTORS / "deals.jsonl").read_bytes().splitlines(keepends=True)
ILLEGAL = (VECTORS / "illegal.jsonl").read_bytes().splitlines(keepends=True)


def reason(line):
    """Why one line is no good deal, or None."""
    (verdict,) = verify_lines([line])
    if verdict is None:
        return None
    assert verdict.line == 1
    return verdict.reason


def test_verify_good_vectors_are_all_good():
    assert list(verify_lines(GOOD)) == [None] * 200


def test_verify_illegal_vectors_are_all_bad_each_on_its_line():
    verdicts = list(verify_lines(ILLEGAL))
    assert [bad and bad.line for bad in verdicts] == list(range(1, 221))
    for bad, record in zip(verdicts, vectors("illegal.jsonl"), strict=True):
        with pytest.raises(RulesError) as caught:
            replay(record)
        assert bad is not None
        assert bad.reason == str(caught.value)


def test_verify_file_opened_as_bytes_is_read_by_lines():
    with (VECTORS / "deals.jsonl").open("rb") as file:
        assert list(verify_lines(file)) == [None] * 200


def test_verify_empty_lines_are_passed_over_but_counted():
    lines = [b"\n", GOOD[0], b" \t\r\n", b"", b"{}\n", GOOD[1], ILLEGAL[0]]
    verdicts = list(verify_lines(lines))
    assert [verdict and verdict.line for verdict in verdicts] == [None, 5, None, 7]
    assert verdicts[1] == BadDeal(5, "players: the field is missing")


def test_verify_nothing_gives_nothing():
    assert list(verify_lines([])) == []
    assert list(verify_lines([b"\n", b"  \n"])) == []


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b" \t\r\n"])
def test_verify_any_line_end_is_good(end):
    assert reason(GOOD[0].rstrip(b"\n") + end) is None


@pytest.mark.parametrize(
    "line",
    [
        b"deal",
        b"{",
        b'{"players":4',
        b"\0",
        b"\xff",
        b'{"players":NaN}',
        b'{"play":"\xff"}',
        b'{"play":"\xed\xa0\x80"}',
        b'{"play":"\\ud800"}',
        b"\xef\xbb\xbf" + GOOD[0],
        GOOD[0] + GOOD[1],
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 4000 + b"1" + b"}" * 4000,
        b'{"players":' + b"9" * 1_000_000 + b"}",
        b'{"players":1e999}',
        GOOD[0].decode().encode("utf-16"),
    ],
)
def test_verify_no_json_is_bad_and_says_what_was_expected(line):
    said = reason(line)
    assert said.startswith("expected a JSON object: ")
    assert len(said) < 200


@pytest.mark.parametrize("line", [b"null", b"[]", b'"deal"', b"4", b"true", b"[{}]"])
def test_verify_json_that_is_no_object_is_bad(line):
    assert reason(line).startswith("expected an object, got ")


@pytest.mark.parametrize("depth", [50, 500, 900, 950, 990])
@pytest.mark.parametrize("field", ["players", "play", "hands", "plays", "winners", "fault"])
def test_verify_nested_values_are_bad_in_any_field(depth, field):
    record = json.dumps({**json.loads(GOOD[0]), field: 0}).encode()
    nested = b"[" * depth + b"]" * depth
    assert reason(
        record.replace(b'"%s": 0' % field.encode(), b'"%s":%s' % (field.encode(), nested))
    )


@given(st.binary(max_size=100))
def test_verify_any_bytes_are_bad_or_empty(line):
    verdicts = list(verify_lines([line]))
    assert len(verdicts) == bool(line.strip())
    assert None not in verdicts


@given(st.sampled_from(GOOD), st.data())
def test_verify_good_line_with_bytes_changed_is_bad_or_good_but_never_an_error(line, data):
    changed = bytearray(line)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(changed) - 1))
        changed[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    verdicts = list(verify_lines([bytes(changed)]))
    assert len(verdicts) == 1


@given(whole_games)
def test_verify_game_as_it_was_played_is_good_and_with_other_penalties_bad(game):
    record = game.record()
    assert reason(json.dumps(record).encode()) is None
    record["penalties"] = [1 - points for points in record["penalties"]]
    assert reason(json.dumps(record).encode()).startswith("penalties: ")
