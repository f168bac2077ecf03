import hashlib
import inspect
import json
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner import records
from runner.game.deals import deal_hands, secret_of_seed
from runner.game.rules import Play, Rules
from runner.records import (
    Allowance,
    Bot,
    BotFiles,
    DealLog,
    Entrant,
    Fault,
    FaultKind,
    Limits,
    Sandbox,
    SandboxMode,
    Sitting,
    SittingDeal,
    SittingResult,
    Usage,
    Void,
    canonical_hash,
)

RULES = Rules(4, Play.ANTICLOCKWISE)
BOT = Bot(("python", "a.py"), (("a.py", "0" * 64), ("net.bin", "1" * 64)))
DEAL = SittingDeal(1, deal_hands(secret_of_seed("7"), "ab", 1, RULES), (3, 0, 1, 2))
LOG = DealLog(1, "7H8H9HTH7H8H", "7CJD" * 16, (0, 1, 0, 0))
FAULT = Fault(FaultKind.EXIT, 2, 7, 3, "died", "request", "reply", -9, 0.5, 1.0, "stderr")
VALUES = [
    BOT,
    BotFiles(BOT, {"a.py": b"print()", "net.bin": b"\xff"}),
    Entrant("a", BOT, "somebody", "team", Allowance(memory_mb=2048)),
    Allowance(512, 2),
    Sandbox(SandboxMode.REQUIRED, "/venv"),
    Limits(),
    RULES,
    DEAL,
    Sitting("5" * 64, RULES, Limits(), (BOT.version,) * 4, (DEAL,)),
    LOG,
    replace(LOG, plays="7C", fault=FaultKind.ILLEGAL, fault_seat=1),
    FAULT,
    Usage(1, 2.0, 3.0, 4.0, 5.0, 6.0, 7),
    SittingResult(
        "5" * 64, (LOG,), ({FaultKind.EXIT: 1}, {}, {}, {}), (FAULT,), (Usage(),), 1.0, 2.0
    ),
    Void("5" * 64, "disk full"),
]


def named(value):
    return type(value).__name__


def test_records_all_are_among_those_tested():
    found = {
        name
        for name, kind in inspect.getmembers(records, inspect.isclass)
        if is_dataclass(kind) and kind.__module__ == records.__name__
    }
    assert found == {named(value) for value in VALUES} - {"Rules"}


@pytest.mark.parametrize("value", VALUES, ids=named)
def test_record_pickled_and_back_is_equal(value):
    assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize("value", VALUES, ids=named)
def test_record_cannot_be_changed(value):
    name = fields(value)[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(value, name, None)
    with pytest.raises((AttributeError, TypeError)):
        value.something_else = 1


def test_sitting_result_of_a_long_run_pickles_small():
    # Ray returns results of up to 100 KB without a detour; 600 deals are the default run.
    logs = tuple(
        DealLog(deal, f"{deal:012}", f"{deal:064}", tuple(map(int, "0100")))
        for deal in range(1, 601)
    )
    result = SittingResult("5" * 64, logs, ({},) * 4, (), (Usage(),) * 4, 1.0, 2.0)
    assert len(pickle.dumps(result, protocol=5)) < 100_000


@pytest.mark.parametrize("kind", FaultKind)
def test_fault_kind_is_a_text_for_json_and_sql(kind):
    assert isinstance(kind, str)
    assert f"{kind}" == json.dumps(kind).strip('"')


def test_fault_kinds_are_those_of_the_protocol():
    assert set(FaultKind) == {"start", "illegal", "message", "timeout", "exit", "pondering"}


@pytest.mark.parametrize(
    "value, text",
    [
        ({}, "{}"),
        ({"b": 1, "a": [1, 2.5, None, True, "x"]}, '{"a":[1,2.5,null,true,"x"],"b":1}'),
        ({"name": "Übung ♥"}, '{"name":"Übung ♥"}'),
        ({"quoted": 'a"\\\n'}, '{"quoted":"a\\"\\\\\\n"}'),
    ],
)
def test_canonical_hash_is_that_of_sorted_json_without_spaces_in_utf8(value, text):
    assert canonical_hash(value) == hashlib.sha256(text.encode()).hexdigest()


@given(st.dictionaries(st.text(max_size=5), st.integers(), max_size=6), st.randoms())
def test_canonical_hash_does_not_depend_on_the_order_of_keys(value, random):
    keys = list(value)
    random.shuffle(keys)
    assert canonical_hash({key: value[key] for key in keys}) == canonical_hash(value)


def test_bot_version_is_the_hash_of_command_and_files():
    files = f'{{"a.py":"{"0" * 64}","net.bin":"{"1" * 64}"}}'
    text = f'{{"command":["python","a.py"],"files":{files}}}'
    assert BOT.version == hashlib.sha256(text.encode()).hexdigest()


def test_bot_version_changes_with_whatever_is_run():
    a_py, net = BOT.files
    bots = [
        BOT,
        replace(BOT, command=("python", "-S", "a.py")),
        replace(BOT, command=("a.py", "python")),
        replace(BOT, command=("python a.py",)),
        replace(BOT, files=(a_py,)),
        replace(BOT, files=(a_py, ("net.bin", "2" * 64))),
        replace(BOT, files=(a_py, ("net2.bin", "1" * 64))),
        replace(BOT, files=(("a.py", "1" * 64), ("net.bin", "0" * 64))),
    ]
    assert len({bot.version for bot in bots}) == len(bots)
    assert replace(BOT, files=(net, a_py)).version == BOT.version
