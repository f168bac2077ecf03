"""The numbered walk of `letzter check`."""

import json
from dataclasses import replace

import pytest

from runner.game.rules import Play, Rules
from runner.records import FaultKind
from runner.table.check import ALL_GAMES
from runner.table.walk import SECTIONS, Outcome, walk
from tests.documentation.markdown import ROOT
from tests.leagues import run
from tests.table.playing import HOUSE, PATIENT, children, fixture, house

STEPS = [
    "starts",
    "says ready",
    "answers a request that comes alone",
    "shoves at every seat",
    "plays every position",
    "plays 4 players, clockwise",
    "plays 3 players, anticlockwise",
    "plays 3 players, clockwise",
    "answers a full round of requests",
    "keeps pace",
    "gives the same view the same answer",
    "ends on goodbye",
    "leaves nothing behind",
    "ends at the end of its input",
]

IMPATIENT = replace(PATIENT, wall_seconds=0.5, start_seconds=3)


def walked(bot, tmp_path, limits=PATIENT, games=ALL_GAMES):
    before = children()
    steps = list(walk(bot, games, limits, tmp_path))
    assert children() == before
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    return steps


def script(text, name="bot.py"):
    """A Python bot of its own: what it does with each message stands in `text`."""
    return fixture("", {name: text.encode()}, ("python", "-S", "-s", name))


LOOP = """
import json, os, subprocess, sys, time
seen = 0
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        print('{"type":"ready"}', flush=True)
    elif kind in ("shove", "play"):
        seen += 1
        chosen = message["hand"][: message["count"]] if kind == "shove" else message["legal"][0]
        INSERT
        name = "cards" if kind == "shove" else "card"
        print(json.dumps({"id": message["id"], name: chosen}), flush=True)
AFTER
"""


def loop(insert="pass", after=""):
    return script(LOOP.replace("INSERT", insert).replace("AFTER", after))


@pytest.mark.parametrize("name", ["low", "high", "random", "sensible", "counter"])
def test_walk_good_bot_takes_every_step(tmp_path, name):
    steps = walked(house(name), tmp_path)
    assert [step.name for step in steps] == STEPS
    assert {step.found.outcome for step in steps} == {Outcome.OK}
    assert list((tmp_path / "homes").iterdir()) == []


def test_walk_shell_bot_takes_every_step(tmp_path):
    tiny = fixture("", {"tiny.sh": (HOUSE / "tiny.sh").read_bytes()}, ("sh", "tiny.sh"))
    steps = walked(tiny, tmp_path)
    assert [step.name for step in steps] == STEPS
    assert {step.found.outcome for step in steps} == {Outcome.OK}


def test_walk_of_one_game_plays_only_that(tmp_path):
    steps = walked(house("low"), tmp_path, games=[Rules(3, Play.CLOCKWISE)])
    assert [step.name for step in steps] == [*STEPS[:5], *STEPS[8:]]
    assert "3 players, clockwise: forehand, rearhand, dealer" in steps[4].found.text


FAILS = {
    "not there": (
        fixture("", command=("./nothing",)),
        "starts",
        "cannot be executed: ./nothing: No such file or directory",
        "the-process",
    ),
    "exits at once": (fixture("exits_at_start.py"), "starts", "(exit code 3)", "the-process"),
    "never ready": (
        fixture("never_ready.py"),
        "says ready",
        "expected a ready line within 3 s; no newline-terminated answer received; "
        "is stdout flushed?",
        "ready",
    ),
    "talks first": (
        fixture("says_first.py", {"says.bin": b"Welcome!\n"}),
        "says ready",
        "expected a line of JSON",
        "ready",
    ),
    "never flushes": (
        fixture("flushes_ready_only.py"),
        "answers a request that comes alone",
        "no newline-terminated answer received; is stdout flushed?",
        "time",
    ),
    "no number of the request": (
        fixture("says_always.py", {"says.bin": b'{"id":7}\n'}),
        "answers a request that comes alone",
        "dealer, 4 players, anticlockwise: expected a reply with id 1, got id 7",
        "details-that-matter",
    ),
    "carriage returns": (
        script(LOOP.replace("INSERT", "pass").replace("AFTER", "").replace(
            "print(json.dumps({", 'sys.stdout.write("\\r" + json.dumps({').replace(
            "name: chosen}), flush=True)", 'name: chosen}) + "\\r"); sys.stdout.flush()')),
        "answers a request that comes alone",
        "\\r alone, it must end with \\n",
        "time",
    ),
    "one seat only": (
        loop('if kind == "shove" and message["seat"] == 1: chosen = []'),
        "shoves at every seat",
        "middlehand: shoved no card, must shove 1 card",
        "shove-reply",
    ),
    "one position only": (
        loop('if kind == "play" and message["seat"] == 2: chosen = "7X"'),
        "plays every position",
        'rearhand, 4 players, anticlockwise: expected "card": a card to play, got \'7X\'',
        "play-reply",
    ),
    "lives on": (
        loop(after="time.sleep(60)"),
        "ends on goodbye",
        "expected it to end within 1 s of goodbye and the end of its input, it lives on",
        "goodbye",
    ),
    "leaves a process": (
        loop('subprocess.Popen(["sleep", "60"]) if seen == 1 else None'),
        "leaves nothing behind",
        "expected nothing that outlives it, came sleep 60 (",
        "the-process",
    ),
    "needs a goodbye": (
        loop(after="time.sleep(0 if kind == 'goodbye' else 60)"),
        "ends at the end of its input",
        "expected it to end within 1 s of the end of its input, it lives on",
        "goodbye",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILS)
def test_walk_bad_bot_fails_where_it_is_bad(tmp_path, case):
    bot, name, text, see = FAILS[case]
    steps = walked(bot, tmp_path, IMPATIENT)
    last = steps[-1]
    assert [step.name for step in steps] == STEPS[: len(steps)]
    assert (last.name, last.found.outcome) == (name, Outcome.FAILED)
    assert text in last.found.text
    assert "\n" not in last.found.text
    assert last.found.see == see
    assert {step.found.outcome for step in steps[:-1]} <= {Outcome.OK, Outcome.NOTE}


def test_walk_hanging_full_round_fails_there(tmp_path):
    stuck = loop("import select\n"
                 "        if select.select([0], [], [], 0)[0] and seen > 1 and"
                 " message['deal'] > 12: time.sleep(60)")  # fmt: skip
    steps = walked(stuck, tmp_path, IMPATIENT)
    assert steps[-1].name == "answers a full round of requests"
    assert '"type":"shove"' in steps[-1].found.request


def test_walk_dice_are_a_note(tmp_path):
    dice = loop('chosen = chosen if kind == "shove" else '
                'message["legal"][os.urandom(1)[0] % len(message["legal"])]')  # fmt: skip
    steps = walked(dice, tmp_path)
    assert len(steps) == len(STEPS)
    found = steps[10].found
    assert found.outcome is Outcome.NOTE
    assert found.text.startswith("not deterministic: ")
    assert " played first " in found.text


def test_walk_bot_with_a_memory_is_another_note(tmp_path):
    counting = loop('chosen = chosen if kind == "shove" else '
                    'message["legal"][seen % len(message["legal"])]')  # fmt: skip
    found = walked(counting, tmp_path)[10].found
    assert found.outcome is Outcome.NOTE
    assert found.text.startswith("only if the same was asked before; ")


def test_walk_exit_code_at_the_end_is_a_note(tmp_path):
    steps = walked(loop(after="sys.exit(3)"), tmp_path)
    assert len(steps) == len(STEPS)
    assert [step.found.text for step in steps if step.found.outcome is Outcome.NOTE] == [
        "expected exit code 0, came exit code 3"
    ] * 2


def test_walk_slow_bot_comes_near_its_limit(tmp_path):
    slow = loop("now = time.process_time()\n"
                "        while seen == 3 and time.process_time() < now + 0.8: pass")  # fmt: skip
    found = walked(slow, tmp_path, replace(PATIENT, move_seconds=1.2))[9].found
    assert found.outcome is Outcome.NOTE
    assert "1,200 ms allowed: that is near" in found.text


def test_every_kind_of_fault_has_a_section():
    assert SECTIONS.keys() == set(FaultKind)
    text = (ROOT / "bots" / "README.md").read_text().lower()
    for section in {*SECTIONS.values(), "goodbye", "shove-reply", "advice", "the-process"}:
        assert f"# {section.replace('-', ' ')}\n" in text


# The command.


def test_check_command_shows_steps_and_says_good():
    done = run("letzter", "check", HOUSE / "low.py")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert "has a box around it" in lines[0]
    assert [line[:9] for line in lines[1:-1]] == [f"{n:>2} ok    " for n in range(2, 16)]
    assert lines[-1] == "The bot is good."


def test_check_command_shows_what_led_to_a_failure(tmp_path):
    (tmp_path / "bad.py").write_text(
        LOOP.replace("INSERT", 'print("thinking \\x1b[31m", file=sys.stderr); chosen = "7C"')
        .replace("AFTER", "")
    )  # fmt: skip
    done = run("letzter", "check", tmp_path / "bad.py")
    assert done.returncode == 1
    assert " 4 FAILED answers a request that comes alone: dealer, 4 players" in done.stdout
    assert '   request  {"type":"shove","id":1,' in done.stdout
    assert '   reply    {"id": 1, "cards": "7C"}' in done.stdout
    assert "   stderr   thinking \\x1b[31m\n" in done.stdout
    assert "   see      bots/README.md#shove-reply\n" in done.stdout
    assert "good" not in done.stdout


def test_check_command_as_json(tmp_path):
    done = run("letzter", "check", HOUSE / "low.py", "--json")
    found = json.loads(done.stdout)
    assert found["good"] is True
    assert [step["name"] for step in found["steps"]] == ["has a box around it", *STEPS]
    (tmp_path / "bad.sh").write_text("exit 3")
    done = run("letzter", "check", tmp_path / "bad.sh", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["good"]) == (1, False)
    assert found["steps"][-1]["exit_status"] == 3
    assert found["steps"][-1]["see"] == "bots/README.md#the-process"
