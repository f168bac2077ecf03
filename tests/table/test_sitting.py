"""What a sitting tells its bots, and how it goes on after faults."""

import json
from dataclasses import replace

import pytest

from runner.game.cards import cards_in, names_of
from runner.records import FaultKind
from tests.table.playing import (
    DEALS,
    FIXTURES,
    MARKED,
    PATIENT,
    PLACE,
    check_logs,
    counts,
    fixture,
    house,
    lost_deals,
    make_sitting,
    marks,
)


def input_of(table, bot, name="input"):
    """The messages that a bot wrote down."""
    text = (table.folder / f"{bot.bot.version}-{name}").read_text()
    return [json.loads(line) for line in text.splitlines()]


def is_first(request):
    return request["type"] == "shove" or (
        request["seat"] == 0 and not request["tricks"] and not request["trick"]
    )


def dealt(request):
    return sorted(set(request["hand"]) - set(request["received"]))


def without_numbers(request):
    return {key: value for key, value in request.items() if key not in ("id", "deal")}


@pytest.mark.parametrize("players", [3, 4])
def test_sitting_of_house_bots_goes_as_they_would_answer(table, players):
    names = ["low", "random", "high", "random"][:players]
    sitting = make_sitting(players, deals=range(1, 25))

    result = table.play(sitting, [house(name) for name in names])

    assert counts(result) == [{}] * players
    check_logs(sitting, result, names)
    assert [usage.starts for usage in result.usage] == [1] * players
    assert all(usage.decisions > 24 for usage in result.usage)
    assert all(usage.decision_cpu_seconds > 0 for usage in result.usage)
    assert result.id == sitting.id


def test_sitting_with_a_shell_bot_has_no_fault(table):
    files = {"tiny.sh": (FIXTURES.parents[2] / "bots" / "tiny.sh").read_bytes()}
    tiny = fixture("", files, ("sh", "tiny.sh"))

    assert counts(table.play(make_sitting(), [tiny, house("low"), tiny])) == [{}] * 3


def test_entrant_with_max_faults_is_out_and_loses_the_rest(table):
    bad = fixture("says_always.py", {"says.bin": b'{"id":<id>,"card":"joker"}\n'})
    sitting = make_sitting(limits=replace(PATIENT, max_faults=3))

    result = table.play(sitting, [house("low"), bad, house("random")])

    assert counts(result) == [{}, {FaultKind.ILLEGAL: 3}, {}]
    check_logs(sitting, result, ["low", "low", "random"])
    assert lost_deals(result) == list(DEALS)
    assert {log.fault for log in result.logs} == {FaultKind.ILLEGAL}
    assert [log.fault_seat for log in result.logs] == [
        deal.seats.index(PLACE) for deal in sitting.deals
    ]
    assert len(result.faults) == 3


def test_sitting_keeps_five_faults_of_a_kind_and_counts_all(table):
    bad = fixture("says_always.py", {"says.bin": b'{"id":<id>,"card":"joker"}\n'})
    sitting = make_sitting(limits=replace(PATIENT, max_faults=7))

    result = table.play(sitting, [house("low"), bad, house("random")])

    assert counts(result) == [{}, {FaultKind.ILLEGAL: 7}, {}]
    assert len(result.faults) == 5


@pytest.mark.parametrize("players", [3, 4])
def test_deals_with_two_entrants_out_are_lost_by_the_higher_seat(table, players):
    bad = fixture("exits_at_start.py")
    sitting = make_sitting(players)

    result = table.play(sitting, [bad, house("low"), bad, house("low")][:players])

    assert counts(result) == [{FaultKind.START: 1}, {}, {FaultKind.START: 1}, {}][:players]
    for deal, log in zip(sitting.deals, result.logs, strict=True):
        assert log.fault_seat == max(deal.seats.index(0), deal.seats.index(2))
        assert log.fault is FaultKind.START
        assert log.plays == log.shoves == ""


def test_entrants_that_go_out_in_the_same_round_are_both_out(table):
    bad = fixture("ends.py", {"how.txt": b"with a code", "marks.json": marks(deals=DEALS)})
    worse = fixture("says_always.py", {"says.bin": b"x\n"})
    sitting = make_sitting(limits=replace(PATIENT, max_faults=1))

    result = table.play(sitting, [house("low"), bad, worse])

    assert counts(result) == [{}, {FaultKind.EXIT: 1}, {FaultKind.MESSAGE: 1}]
    ended = {fault.deal for fault in result.faults}
    for deal, log in zip(sitting.deals, result.logs, strict=True):
        if log.deal not in ended:
            assert log.fault_seat == max(deal.seats.index(1), deal.seats.index(2))


def test_process_that_is_replaced_is_asked_the_rest_again_from_id_1(table):
    whole = fixture("notes.py", {"marks.json": b"[]"})
    broken = fixture("notes.py", {"marks.json": marks()})
    sitting = make_sitting()

    table.play(sitting, [house("low"), whole, house("random")])
    result = table.play(sitting, [house("low"), broken, house("random")])

    assert counts(result) == [{}, {FaultKind.EXIT: 2}, {}]
    assert lost_deals(result) == list(MARKED)
    wanted: list = []
    lost: set = set()
    for request in input_of(table, whole, "input-0")[1:-1]:
        if request["deal"] not in lost:
            wanted.append(without_numbers(request))
        if is_first(request) and dealt(request) in json.loads(marks()):
            lost.add(request["deal"])
    asked: list = []
    for number in range(3):
        hello, *requests = input_of(table, broken, f"input-{number}")
        assert hello["type"] == "hello"
        requests = [request for request in requests if request["type"] != "goodbye"]
        assert [request["id"] for request in requests] == list(range(1, len(requests) + 1))
        numbers = [request["deal"] for request in requests]
        assert list(dict.fromkeys(numbers)) == list(range(1, max(numbers) + 1))
        asked += map(without_numbers, requests)
    assert asked == wanted


def test_bot_that_asks_for_results_gets_those_of_its_deals(table):
    bot = fixture("tells.py")
    bad = fixture("says.py", {"says.bin": b'{"id":<id>}\n', "marks.json": marks(place=0)})
    sitting = make_sitting(deals=range(101, 125), limits=replace(PATIENT, deals_in_flight=5))

    result = table.play(sitting, [bad, bot, house("random")])

    assert counts(result) == [{FaultKind.ILLEGAL: 2}, {}, {}]
    messages = input_of(table, bot)
    logs = {}
    for deal, log in zip(sitting.deals, result.logs, strict=True):
        seat = deal.seats.index(PLACE)
        logs[tuple(sorted(names_of(cards_in(deal.hands[seat]))))] = (seat, log)
    asked: dict = {}
    for message in messages:
        if message["type"] in ("shove", "play") and message["deal"] not in asked:
            asked[message["deal"]] = logs[tuple(dealt(message))]
    told = [message for message in messages if message["type"] == "result"]
    assert sorted(message["deal"] for message in told) == sorted(asked)
    for message in told:
        seat, log = asked[message["deal"]]
        assert message["seat"] == seat
        assert message["penalties"] == list(log.penalties)
        tricks = "".join(card for trick in message["tricks"] for card in trick["cards"])
        assert tricks == log.plays[: len(log.plays) // 6 * 6]
        assert len(message["tricks"]) == (8 if log.fault is None else len(log.plays) // 6)
    assert messages[-1] == {"type": "goodbye"}


def test_fault_holds_what_was_asked_and_what_came(table):
    bad = fixture(
        "says.py",
        {"says.bin": b'{"id":<id>,"card":"\x1b[31m\xe2\x80\xae"}\n', "marks.json": marks()},
    )
    result = table.play(make_sitting(), [house("low"), bad, house("random")])

    assert {fault.deal for fault in result.faults} == set(MARKED)
    for fault in result.faults:
        request = json.loads(fault.request)
        assert sorted(dealt(request)) in json.loads(marks())
        assert fault.reply.endswith(r'"card":"\x1b[31m\u202e"}')
        assert fault.reply.startswith(f'{{"id":{request["id"]},')
        assert fault.place == PLACE
        assert fault.seat == request["seat"]


def test_timeout_holds_time_and_limit(table):
    bad = fixture("sleeps.py", {"seconds.txt": b"60", "marks.json": marks()})
    sitting = make_sitting(limits=replace(PATIENT, wall_seconds=0.5))

    (fault, _) = table.play(sitting, [house("low"), bad, house("low")]).faults

    assert fault.kind is FaultKind.TIMEOUT
    assert fault.limit_seconds == 0.5
    assert fault.elapsed_seconds > 0.5


def test_bot_that_answers_ahead_did_so(table):
    bot = fixture("answers_ahead.py")
    sitting = make_sitting(limits=replace(PATIENT, deals_in_flight=1))

    result = table.play(sitting, [house("low"), bot, house("high")])

    assert counts(result) == [{}] * 3
    check_logs(sitting, result, ["low", "low", "high"])
    assert (table.folder / "ahead").exists()
