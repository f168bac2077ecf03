"""Timing never decides: whatever the tempo of the bots, the sitting goes the same way."""

from dataclasses import replace

import pytest

from runner.records import FaultKind
from tests.table.playing import (
    PATIENT,
    bot_of,
    check_logs,
    counts,
    fixture,
    house,
    make_sitting,
    without_times,
)
from tests.table.test_misbehaving import EXITS, GOOD, ILLEGALS, MESSAGES, says

WOBBLY = {"wobbly": b""}
TEMPO_IS_THE_POINT = ("flood", "closing", "stays", "digs", "stderr", "slow", "shouts")
PATH_IN_STDERR = "by an exception"
TELLING = (
    "two answers",
    "an unasked line",
    "comments and a line that are too long together",
    "a line that is far too long",
    "revokes",
    "ends in mid-line",
    "ends after its answer",
    "answers twice and exits",
    "answers ahead, rightly",
    "several lines in one write",
)
"""Cases for every run; the others are slow in their number."""

CASES = [
    case
    for case in [*MESSAGES, *ILLEGALS, *EXITS, *GOOD]
    if not any(word in case.name for word in (*TEMPO_IS_THE_POINT, PATH_IN_STDERR))
]


@pytest.mark.parametrize("case", [case for case in CASES if case.name in TELLING], ids=str)
def test_sitting_at_another_tempo_has_the_same_result(table, case):
    sitting = make_sitting(limits=case.limits)
    straight = [fixture("honest.py"), bot_of(case), fixture("honest.py")]
    wobbly = [fixture("honest.py", WOBBLY), bot_of(case, wobbly=True), fixture("honest.py", WOBBLY)]

    expected = without_times(table.play(sitting, straight))

    assert without_times(table.play(sitting, wobbly)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("attempt", range(5))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_sitting_at_many_tempos_has_the_same_result(table, case, attempt):
    test_sitting_at_another_tempo_has_the_same_result(table, case)


@pytest.mark.parametrize("players", [3, 4])
def test_sitting_with_more_deals_in_flight_has_the_same_logs(table, players):
    names = ("low", "random", "high", "random")[:players]
    results = []
    for in_flight in (1, 2, 5, 64):
        limits = replace(PATIENT, deals_in_flight=in_flight)
        sitting = make_sitting(players, limits, range(1, 25))
        result = table.play(sitting, [house(name) for name in names])
        check_logs(sitting, result, names)
        results.append(without_times(result))

    assert results == [results[0]] * 4


def test_illegal_replies_with_more_deals_in_flight_lose_the_same_deals(table):
    case = says("no action", b'{"id":<id>}\n', FaultKind.ILLEGAL)
    logs = []
    for in_flight in (1, 3, 64):
        sitting = make_sitting(limits=replace(PATIENT, deals_in_flight=in_flight))
        result = table.play(sitting, [house("low"), bot_of(case), house("random")])
        assert counts(result) == [{}, {FaultKind.ILLEGAL: 2}, {}]
        logs.append(result.logs)

    assert logs == [logs[0]] * 3
