"""Submitting bots to a league, and what plays afterwards."""

import fcntl
import hashlib
import hmac
import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing

import pytest

from runner.config import load_league, load_named_bot
from runner.errors import StoreError
from runner.league.submission import MOST_QUALIFYING_FAULTS, Submitting
from tests import leagues
from tests.documentation.markdown import block
from tests.leagues import BOTS, COUNTING, bot, edit, play, rows, run, write_league

PAST, FUTURE = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00+01:00"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    path = write_league(tmp_path_factory.mktemp("l"), deals=8, deals_per_sitting=4)
    play(path)
    return path


@pytest.fixture
def league(played, tmp_path):
    return shutil.copytree(played.parent, tmp_path / "league") / played.name


def write(folder, name, text):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def submit(path, file, *options, code=0):
    done = run("letzter", "submit", file, path, *options)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def rated(path, *options):
    done = run("letzter", "export", path, "--ratings", *options)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def listing(path):
    done = run("letzter", "entrants", path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def counts(path):
    with closing(sqlite3.connect(path.with_suffix(".db"))) as db:
        return [
            db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in ("entrants", "bots", "files", "submissions")
        ]


def test_submitted_bot_plays_from_the_next_run_on(league, tmp_path):
    before = rated(league)
    done = submit(league, write(tmp_path / "b", "mine.py", COUNTING), "--author", "Ann")
    lines = done.stdout.splitlines()
    assert lines[0].startswith(" 1 ok     has a box around it")
    assert lines[-2].startswith("qualifying: 24 deals against ")
    assert "; 0 lost by faults, at most 2 allowed" in lines[-2]
    assert lines[-1].startswith("submitted: mine, version ")
    assert rated(league) == before
    assert "waits for the next run" in listing(league)
    assert not play(league).at_fault
    after = {row["entrant"]: row for row in rated(league)}
    assert set(after) == {"random", "low", "high", "mine"}
    assert after["mine"]["submitted"] == 1
    assert after["low"]["submitted"] == 0
    assert "submitted" in run("letzter", "ratings", league).stdout
    assert "Ann" in listing(league)


def test_submitted_bot_plays_only_what_is_missing(league, tmp_path):
    submit(league, write(tmp_path / "b", "mine.py", COUNTING))
    # three new tables of 8 deals in 3 rotations
    assert play(league).played == 3 * 8 * 3
    assert play(league).played == 0


def test_bot_can_be_submitted_before_the_first_run(tmp_path):
    path = write_league(tmp_path / "l", seed=None)
    done = submit(path, write(tmp_path / "b", "mine.py", COUNTING))
    assert "against mine, mine;" in done.stdout
    play(path)
    assert {row["entrant"] for row in rated(path)} == {"random", "low", "high", "mine"}


def test_new_version_of_a_submitted_bot_replaces_the_old_one(league, tmp_path):
    file = write(tmp_path / "b", "mine.py", COUNTING)
    submit(league, file)
    play(league)
    submit(league, write(tmp_path / "b", "mine.py", COUNTING + "\n# better\n"))
    play(league)
    mine = [row for row in rated(league) if row["entrant"] == "mine"]
    assert [row["submitted"] for row in mine] == [2]
    old = [row for row in rated(league, "--all-versions") if row["entrant"] == "mine"]
    assert len({row["version"] for row in old}) == 2
    assert all(row["boards"] == 24 for row in old)
    deals = run("letzter", "export", league, "--deals", "--all-versions")
    assert len(deals.stdout.splitlines()) == (1 + 3 + 3) * 8 * 3
    checked = subprocess.run(
        leagues.command("letzter", "verify", "-"), input=deals.stdout, text=True,
        capture_output=True, env=leagues.environment(), check=False,
    )  # fmt: skip
    assert checked.returncode == 0
    shown = run("letzter", "ratings", league, "--all-versions").stdout
    assert shown.count("mine") == 2
    assert "provisional" not in shown
    text = listing(league)
    assert text.count("does not play: another version plays") == 1
    submit(league, write(tmp_path / "b", "more.py", COUNTING))
    audited = run("letzter", "audit", league)
    assert audited.returncode == 0, audited.stdout


def test_bot_that_fails_its_check_is_not_taken(league, tmp_path):
    before = counts(league)
    bad = write(tmp_path / "b", "bad.py", bot('message["legal"] = ["7X"]'))
    done = submit(league, bad, code=1)
    assert "not submitted: it failed its check" in done.stderr
    assert "see      bots/README.md#" in done.stdout
    assert counts(league) == before


def test_bot_with_too_many_faults_in_its_qualifying_sitting_is_not_taken(league, tmp_path):
    before = counts(league)
    # Good for the 128 requests that a process has in its check at most.
    shy = bot('if seen > 132: message["legal"] = message["hand"] = ["7X"] * 9')
    done = submit(league, write(tmp_path / "b", "shy.py", shy), code=1)
    assert "lost by faults, at most 2 allowed" in done.stdout
    assert "not submitted: illegal, " in done.stderr
    assert counts(league) == before
    assert MOST_QUALIFYING_FAULTS == 2


def test_somebody_elses_entrant_is_refused_unless_taken_over(league, tmp_path):
    submit(league, write(tmp_path / "b", "mine.py", COUNTING), "--author", "Ann")
    other = write(tmp_path / "b", "mine.py", COUNTING + "#\n")
    done = submit(league, other, "--author", "Bob", code=2)
    assert "the entrant 'mine' has the author 'Ann', not 'Bob'" in done.stderr
    assert (
        "the entrant 'mine' has the author 'Ann', not nobody"
        in submit(league, other, code=2).stderr
    )
    submit(league, other, "--author", " ann ".strip())
    submit(league, write(tmp_path / "b", "mine.py", COUNTING + "##\n"), "--author", "Bob",
           "--take-over")  # fmt: skip
    # The house bot of the league file is of no named author.
    assert (
        "has the author nobody, not 'Bob'"
        in submit(league, other, "--name", "low", "--author", "Bob", code=2).stderr
    )


def test_version_that_is_there_is_refused(league, tmp_path):
    file = write(tmp_path / "b", "mine.py", COUNTING)
    submit(league, file)
    assert "that version is submitted already" in submit(league, file, code=2).stderr
    assert (
        "that version is in the league file already"
        in submit(league, BOTS / "low.py", code=2).stderr
    )


def test_submissions_close_and_are_counted(league, tmp_path):
    edit(league, submissions={"closes": FUTURE, "most_versions": 2})
    for n in range(2):
        submit(league, write(tmp_path / "b", "mine.py", COUNTING + f"# {n}\n"))
    third = write(tmp_path / "b", "mine.py", COUNTING + "# 2\n")
    done = submit(league, third, code=2)
    assert "'mine' was submitted 2 times, and most_versions is 2" in done.stderr
    edit(league, submissions={"closes": PAST})
    done = submit(league, third, code=2)
    assert "submissions have closed at 2020-01-01T00:00:00+00:00" in done.stderr


@pytest.mark.parametrize("written", ["2020-01-01", "2020-01-01T00:00:00", "2020-02-31T00:00Z", 5])
def test_closing_needs_a_time_with_its_zone(league, written):
    edit(league, submissions={"closes": written})
    done = run("run-league", league)
    assert done.returncode == 2
    assert "closes: expected a time with its zone" in done.stderr


def test_withdrawn_entrant_plays_no_more(league, tmp_path):
    submit(league, write(tmp_path / "b", "mine.py", COUNTING))
    play(league)
    done = run("letzter", "withdraw", league, "mine")
    assert (done.returncode, done.stdout) == (
        0,
        "mine: 1 version withdrawn; it does not play from the next run on\n",
    )
    play(league)
    assert {row["entrant"] for row in rated(league)} == {"random", "low", "high"}
    assert "does not play: withdrawn" in listing(league)
    again = run("letzter", "withdraw", league, "mine")
    assert again.returncode == 2
    assert "'mine' is not submitted; submitted are: nobody" in again.stderr
    submit(league, tmp_path / "b" / "mine.py")
    assert "waits for the next run" in listing(league)
    assert play(league).played == 0
    assert {row["entrant"] for row in rated(league)} == {"random", "low", "high", "mine"}


def test_submission_is_stored_whole_or_not_at_all(league, tmp_path):
    before = counts(league)
    bot_files = load_named_bot(str(write(tmp_path / "b", "mine.py", COUNTING))).files
    submitting = Submitting(load_league(str(league)), bot_files, "mine", "", take_over=False)
    with closing(sqlite3.connect(league.with_suffix(".db"))) as db:
        db.execute(
            "CREATE TRIGGER full BEFORE INSERT ON submissions BEGIN SELECT raise(ABORT, 'x'); END"
        )
        db.commit()
    with pytest.raises(StoreError):
        submitting.store()
    assert counts(league) == before


def test_name_is_composed(league, tmp_path):
    submit(league, write(tmp_path / "b", "m.py", COUNTING), "--name", "e\u0301")
    assert "\u00e9" in listing(league)


def test_newer_of_file_and_submission_plays(league, tmp_path):
    newer = write(tmp_path / "b", "low.py", COUNTING)
    submit(league, newer)
    done = run("run-league", league)
    assert "low: the submitted version" in done.stderr
    assert "is newer than" in done.stderr
    submitted = {row["entrant"]: row["version"] for row in rated(league)}["low"]
    # Now the file has a version that has never been there.
    (league.parent / "low.py").write_text(COUNTING + "# mine\n")
    done = run("run-league", league)
    assert "low: the league file's version" in done.stderr
    now = {row["entrant"]: row["version"] for row in rated(league)}["low"]
    assert now != submitted
    # And one that was there before the submission.
    shutil.copy(BOTS / "low.py", league.parent)
    run("run-league", league)
    assert {row["entrant"]: row["version"] for row in rated(league)}["low"] == submitted


def test_finals_are_played_after_the_closing_on_fresh_deals(league, tmp_path):
    assert "finals follow the closing" in run("letzter", "finals", league).stderr
    edit(league, submissions={"closes": FUTURE})
    submit(league, write(tmp_path / "b", "mine.py", COUNTING))
    assert "submissions close at 2999-01-01" in run("letzter", "finals", league).stderr
    edit(league, submissions={"closes": PAST})
    play(league)
    done = run("letzter", "finals", league)
    assert done.returncode == 0, done.stderr
    path = league.with_suffix(".finals.db")
    assert {row["entrant"] for row in rated(path)} == {"random", "low", "high", "mine"}

    def hands(of):
        logs = run("letzter", "export", of, "--deals").stdout.splitlines()
        return {str(json.loads(line)["hands"]) for line in logs}

    assert len(hands(path)) == len(hands(league)) == 4 * 8
    assert not hands(path) & hands(league)
    assert play(league).played == 0


def test_league_that_is_played_takes_no_submission(league, tmp_path):
    with league.with_suffix(".db").open("rb+") as database:
        fcntl.flock(database, fcntl.LOCK_EX)
        done = submit(league, write(tmp_path / "b", "mine.py", COUNTING), code=1)
    assert "another run-league is playing this league" in done.stderr


# Hostile ones.


def test_link_is_not_submitted(league, tmp_path):
    secret = write(tmp_path / "b", "league.py", COUNTING)
    (tmp_path / "b" / "mine.py").symlink_to(secret)
    assert "it is a link" in submit(league, tmp_path / "b" / "mine.py", code=2).stderr


def test_device_or_pipe_is_not_submitted(league, tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    assert "it is not a regular file" in submit(league, tmp_path / "pipe.py", code=2).stderr
    assert "it is not a regular file" in submit(league, "/dev/zero", code=2).stderr


HOSTILE = {
    "a\x1b[31mb": "expected text that can be seen, got U+001B",
    "a\u202eb": "expected text that can be seen, got U+202E",
    "a\nb": "expected text that can be seen, got U+000A",
    "n" * 10_000: "expected text of 1 to 40 characters, got 10000",
    "": "expected text of 1 to 40 characters, got 0",
    " mine": "expected no space at either end",
    "LOW": "looks like that of the entrant 'low'",
}


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: repr(name)[:12])
def test_hostile_name_is_refused(league, tmp_path, name):
    done = submit(league, write(tmp_path / "b", "m.py", COUNTING), "--name", name, code=2)
    assert HOSTILE[name] in done.stderr
    assert done.stderr.replace("\n", "").isprintable()
    assert not done.stdout


@pytest.mark.parametrize(
    "name", ["../../x", "x'); DROP TABLE entrants;--", "<script>alert(1)</script>", "[bold]x[/]"]
)
def test_strange_name_is_only_a_name(league, tmp_path, name):
    file = write(tmp_path / "b", "m.py", COUNTING)
    submit(league, file, "--name", name, "--author", name)
    play(league)
    assert name in {row["entrant"] for row in rated(league)}
    assert name in listing(league)
    assert name in run("letzter", "ratings", league).stdout
    assert not (tmp_path / "x").exists()
    assert sorted(each.name for each in league.parent.iterdir()) == [
        "high.py", "league.db", "league.yaml", "low.py", "random.py",
    ]  # fmt: skip


def test_author_with_control_characters_is_refused(league, tmp_path):
    file = write(tmp_path / "b", "m.py", COUNTING)
    done = submit(league, file, "--author", "A\x07", code=2)
    assert "--author: expected text that can be seen" in done.stderr


def test_ready_full_of_escapes_is_shown_escaped(league, tmp_path):
    text = bot().replace(
        '{"type": "ready"}', '{"type": "ready", "name": "a\\x1b[2J\\u202e", "author": "x" * 900}'
    )
    assert text != bot()
    done = submit(league, write(tmp_path / "b", "m.py", text))
    assert "\x1b" not in done.stdout
    assert "name a\\x1b[2J" in done.stdout


# The commitment and the beacon.


@pytest.fixture
def open_league(tmp_path):
    return write_league(tmp_path / "l", seed=None)


def test_beacon_is_wanted_after_a_commitment_and_mixed_in(open_league, tmp_path):
    done = run("letzter", "commit", open_league)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    secret = open_league.with_suffix(".secret").read_text().strip()
    assert lines[1] == f"secret    {hash_of(secret)}"
    assert [line.split()[2] for line in lines[2:]] == ["high", "low", "random"]
    assert run("letzter", "commit", open_league).stdout == done.stdout

    wanted = run("run-league", open_league)
    assert wanted.returncode == 1
    assert "now set 'beacon' to a public value" in wanted.stderr
    edit(open_league, beacon="lottery 3 7 12 25 31 49")
    first = run("run-league", open_league)
    assert first.returncode == 0, first.stderr
    assert "†" not in first.stdout
    edit(open_league, beacon="another")
    other = run("run-league", open_league)
    assert other.returncode == 1
    assert "is played with the beacon 'lottery 3 7 12 25 31 49', got 'another'" in other.stderr
    edit(open_league, beacon="lottery 3 7 12 25 31 49")

    submit(open_league, write(tmp_path / "b", "late.py", COUNTING))
    play(open_league)
    ratings = run("letzter", "ratings", open_league).stdout
    assert ratings.count("†") == 2  # the version, and what it means
    late = {row["entrant"]: row["late"] for row in rated(open_league)}
    assert late == {"late": True, "low": False, "high": False, "random": False}
    assert "†" in listing(open_league)

    audited = run("letzter", "audit", open_league)
    assert audited.returncode == 0, audited.stdout
    revealed = run("letzter", "reveal", open_league).stdout.strip()
    assert run("letzter", "audit", open_league).returncode == 0
    assert revealed == with_beacon(secret, "lottery 3 7 12 25 31 49")
    with closing(sqlite3.connect(open_league.with_suffix(".db"))) as db:
        league = db.execute("SELECT secret, secret_hash FROM league").fetchone()
        assert league == (revealed, hash_of(revealed))
        kept = db.execute("SELECT secret, secret_hash, beacon FROM commitment").fetchone()
        assert kept == (secret, hash_of(secret), "lottery 3 7 12 25 31 49")
    for log in rows(open_league, "deals"):
        assert log["hands"] == hands_of(revealed, log["table"], log["deal"], 3)


def hash_of(secret):
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest()


def with_beacon(secret, beacon):
    return hmac.digest(bytes.fromhex(secret), f"beacon/{beacon}".encode(), "sha256").hex()


def hands_of(secret, table, deal, players):
    recipe: dict = {}
    exec(block("leagues/README.md", "python dealing").text, recipe)
    order = [rank + suit for suit in "CSHD" for rank in "789TJQKA"]
    dealt = recipe["hands"](secret, table, deal, players)
    return [sorted(hand, key=order.index) for hand in dealt]


def test_commitment_after_the_first_deal_or_with_a_seed_is_refused(open_league, league):
    play(open_league)
    assert "have been played" in run("letzter", "commit", open_league).stderr
    assert "seed" in run("letzter", "commit", league).stderr


def test_beacon_without_a_commitment_is_refused(open_league):
    edit(open_league, beacon="x")
    done = run("run-league", open_league)
    assert done.returncode == 1
    assert "proves nothing without a commitment" in done.stderr


def test_submission_between_commitment_and_beacon_is_late(open_league, tmp_path):
    run("letzter", "commit", open_league)
    submit(open_league, write(tmp_path / "b", "late.py", COUNTING))
    edit(open_league, beacon="x")
    play(open_league)
    assert {row["entrant"] for row in rated(open_league) if row["late"]} == {"late"}
