"""Recorded requests, sent to a bot again."""

import json
import sys

import pytest

from tests.leagues import BOTS, bot, play, rows, run, write_league

LOST = bot('if seen > 100 and seen % 40 == 0: message["legal"] = message["hand"] = ["7X"] * 9')


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    path = write_league(
        tmp_path_factory.mktemp("feed"), ["low.py", "sensible.py", ("lost", LOST)],
        deals=60, deals_per_sitting=60,
    )  # fmt: skip
    play(path)
    return path


def test_bot_answers_as_it_did(league):
    log = next(log for log in rows(league, "deals") if log["fault"] is None)
    name = f"{log['table'][:8]}-{log['deal']}-{log['rotation']}"
    done = run("letzter", "replay", league, name, "--feed", BOTS / "sensible.py",
               "--seat", "sensible")  # fmt: skip
    assert done.returncode == 0, done.stderr
    seat = log["entrants"].index("sensible")
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{name}, ")
    assert lines[0].endswith(f"(seat {seat})")
    requests = [json.loads(line[9:]) for line in lines if line.startswith("request  ")]
    assert [request["id"] for request in requests] == list(range(1, len(requests) + 1))
    assert {(request["deal"], request["seat"]) for request in requests} == {(1, seat)}
    replies = [line for line in lines if line.startswith("reply ")]
    assert len(replies) == len(requests) > 2
    assert all(line.endswith(", the same") for line in replies)


def test_other_bot_answers_otherwise(league):
    log = next(log for log in rows(league, "deals") if log["fault"] is None)
    name = f"{log['table'][:8]}-{log['deal']}-{log['rotation']}"
    done = run("letzter", "replay", league, name, "--feed", BOTS / "high.py")
    assert done.stdout.count(f"{name}, ") == 3
    assert ", the same" in done.stdout
    assert any(line.startswith("reply") and "same" not in line for line in done.stdout.split("\n"))


def test_fault_is_fed_as_the_last_request(league, tmp_path):
    log = next(log for log in rows(league, "deals") if log["fault"])
    name = f"{log['table'][:8]}-{log['deal']}-{log['rotation']}"
    done = run("letzter", "replay", league, name, "--feed", BOTS / "low.py")
    assert done.stdout.count(f"{name}, ") == 1
    assert done.stdout.splitlines()[-1] == "recorded a fault (illegal)"
    broken = tmp_path / "broken.py"
    broken.write_text(bot('print("why", file=sys.stderr); sys.exit(5)'))
    done = run("letzter", "replay", league, name, "--feed", broken)
    assert done.returncode == 0
    assert "reply    FAULT exit: ended, or closed its standard input or output (exit code 5)" in (
        done.stdout
    )
    assert "stderr   why" in done.stdout


def test_faults_are_fed_one_by_one(league):
    faults = rows(league, "faults")
    done = run("letzter", "faults", league, "lost", "--feed", BOTS / "low.py")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    requests = [json.loads(line[9:]) for line in lines if line.startswith("request  ")]
    recorded = [json.loads(fault["request"]) for fault in faults]
    for request in (*requests, *recorded):
        del request["id"], request["deal"]
    assert requests == recorded
    assert lines.count("recorded a fault (illegal)") == len(faults) == 5


def test_seat_that_is_none_is_refused(league):
    log = rows(league, "deals")[0]
    name = f"{log['table'][:8]}-{log['deal']}-{log['rotation']}"
    done = run("letzter", "replay", league, name, "--feed", BOTS / "low.py", "--seat", "nobody")
    assert done.returncode == 2
    assert "--seat nobody: expected one of forehand, rearhand, dealer, " in done.stderr
    done = run("letzter", "replay", league, name, "--seat", "dealer")
    assert done.returncode == 2
    assert sys.executable not in done.stderr
