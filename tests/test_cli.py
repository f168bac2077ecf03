"""The commands as people use them: in processes of their own, with real pipes and terminals."""

import fcntl
import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from runner.config import schema_text
from tests.leagues import (
    BOTS,
    BROKEN,
    COUNTING,
    command,
    edit,
    environment,
    exports,
    play,
    rows,
    run,
    write_league,
)

COLOUR = re.compile(r"\x1b\[[0-9;]*\b[34][0-9]\b[0-9;]*m")


def one_line(text):
    """Whether a message is one line."""
    return len(text.splitlines()) == 1


def files_of(path):
    """Everything in the folder of a league file, with its content."""
    return {
        str(file.relative_to(path.parent)): file.read_bytes()
        for file in path.parent.rglob("*")
        if file.is_file()
    }


def log_name(path):
    """The name of some deal log of a league that was played to its end."""
    log = next(log for log in rows(path, "deals") if log["fault"] is None)
    return f"{log['table'][:8]}-{log['deal']}-{log['rotation']}"


def in_terminal(*arguments, **env):
    """Run a command with a terminal for its output; returns its exit code and what it wrote."""
    master, slave = os.openpty()
    with subprocess.Popen(
        command(*arguments), stdin=slave, stdout=slave, stderr=slave, env=environment(**env)
    ) as process:
        os.close(slave)
        shown = b""
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            shown += data
    os.close(master)
    return process.returncode, shown.decode()


# Looking at a league.


@pytest.mark.parametrize("ending", [".yaml", ".db"])
def test_ratings_of_a_league_file_or_its_database_name_everybody(finished, ending):
    done = run("letzter", "ratings", finished.with_suffix(ending))
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("random", "counting", "twin", "wild"):
        assert name in done.stdout


def test_crosstable_and_faults_name_everybody_concerned(finished):
    done = run("letzter", "crosstable", finished)
    assert (done.returncode, done.stderr) == (0, "")
    assert "counting" in done.stdout
    done = run("letzter", "faults", finished.with_suffix(".db"), "wild", "-v")
    assert (done.returncode, done.stderr) == (0, "")
    assert "wild" in done.stdout
    assert "exit code 7" in done.stdout


@pytest.mark.parametrize("cards, sign", [("french", "♣"), ("german", "Eichel-")])
def test_replay_shows_a_deal_in_either_kind_of_cards(finished, cards, sign):
    done = run("letzter", "replay", finished, log_name(finished), "--cards", cards)
    assert (done.returncode, done.stderr) == (0, "")
    assert sign in done.stdout
    assert log_name(finished) in done.stdout


def test_schema_is_the_schema_alone():
    done = run("letzter", "schema")
    assert (done.returncode, done.stdout, done.stderr) == (0, schema_text(), "")


@pytest.mark.parametrize("what", ["deals", "ratings", "boards", "faults"])
def test_export_writes_what_the_exports_are(finished, what):
    done = run("letzter", "export", finished, f"--{what}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == exports(finished)[what]


def test_exported_deals_piped_to_verify_are_all_good(finished):
    with (
        subprocess.Popen(
            command("letzter", "export", finished, "--deals", "--format", "jsonl"),
            stdout=subprocess.PIPE,
            env=environment(),
        ) as exporting,
        subprocess.Popen(
            command("letzter", "verify", "-"),
            stdin=exporting.stdout,
            stdout=subprocess.PIPE,
            env=environment(),
            text=True,
        ) as verifying,
    ):
        assert exporting.stdout
        exporting.stdout.close()
        out, _ = verifying.communicate(timeout=60)
    assert (exporting.returncode, verifying.returncode) == (0, 0)
    assert out == "624 deals: 624 good, 0 bad\n"


def test_verify_names_each_bad_line_on_stdout_and_fails(finished, tmp_path):
    good, other, *_ = exports(finished)["deals"].splitlines()
    spoilt = good.replace('"penalties":[', '"penalties":[7,')
    file = tmp_path / "deals.jsonl"
    file.write_text("\n".join([good, spoilt, "no json", "", other]))
    done = run("letzter", "verify", file)
    assert done.returncode == 1
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        "line 2",
        "line 3",
        "4 deals",
    ]


# Playing.


def test_run_json_is_one_object_on_stdout_and_all_else_on_stderr(tmp_path):
    path = write_league(tmp_path, deals=2)
    done = run("run-league", path, "--json")
    assert done.returncode == 0
    shown = json.loads(done.stdout)
    assert shown["league"] == "Test"
    assert (shown["boards"], shown["planned_boards"], shown["provisional"]) == (2, 2, False)
    assert shown["ratings"] == rows(path, "ratings")
    assert "SHA-256" in done.stderr
    assert "6 of 6 deals played" in done.stderr
    quiet = run("letzter", "run", path, "--json", "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, done.stdout, "")


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_plan_of_a_new_league_plays_nothing_and_writes_nothing(tmp_path, more):
    path = write_league(tmp_path, seed=None, deals=600, deals_per_sitting=60)
    before = files_of(path)
    done = run("run-league", path, "--plan", *more)
    assert (done.returncode, done.stderr) == (0, "")
    assert files_of(path) == before
    if more:
        seen = json.loads(done.stdout)
        assert (seen["tables"], seen["boards"], seen["sittings_left"]) == (1, 600, 30)
    else:
        assert "1,800 of them to be played" in done.stdout


def test_plan_of_a_league_in_play_tells_what_is_left_and_changes_nothing(resumable):
    edit(resumable, deals=100)
    before = files_of(resumable)
    done = run("run-league", resumable, "--plan", "--json")
    seen = json.loads(done.stdout)
    # The run of the deals 49 to 52 becomes one of 49 to 96, and another one follows.
    assert (seen["sittings"], seen["sittings_left"], seen["unused"]) == (36, 24, 12)
    assert seen["measured"]
    assert files_of(resumable) == before


def test_run_with_a_bot_that_fails_its_check_names_it_and_lets_the_others_play(tmp_path):
    path = write_league(tmp_path, ["low.py", "high.py", ("lame", BROKEN), ("counting", COUNTING)])
    done = run("run-league", path, "--json")
    assert done.returncode == 3
    assert "lame does not play: it failed its check: start" in done.stderr
    assert "no engine found" in done.stderr
    ranked = {row["entrant"]: row["rank"] for row in json.loads(done.stdout)["ratings"]}
    assert ranked.pop("lame") is None
    assert sorted(ranked.values()) == [1, 2, 3]
    assert all("lame" not in log["entrants"] for log in rows(path, "deals"))
    shown = run("letzter", "ratings", path)
    assert "Not playing: lame" in shown.stdout


def test_run_with_too_few_good_bots_fails_with_one_clear_message(tmp_path):
    path = write_league(tmp_path, ["low.py", ("lame", BROKEN), ("halt", BROKEN)])
    done = run("run-league", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "1 of 3 entrants passed their check, and a table needs 3" in done.stderr
    assert "Traceback" not in done.stderr
    shown = run("letzter", "ratings", path)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Not playing: lame" in shown.stdout


def test_run_with_a_faulty_bot_ends_with_3_each_time(resumable):
    assert run("run-league", resumable, "--quiet").returncode == 3
    assert run("run-league", resumable, "--quiet").returncode == 3


def test_run_of_a_league_that_another_run_is_playing_is_refused(finished):
    database = os.open(finished.with_suffix(".db"), os.O_RDWR)
    fcntl.flock(database, fcntl.LOCK_EX)
    try:
        done = run("run-league", finished)
        looked = run("letzter", "ratings", finished)
    finally:
        os.close(database)
    assert (done.returncode, done.stdout) == (1, "")
    assert "another run-league is playing this league" in done.stderr
    assert one_line(done.stderr)
    assert looked.returncode == 0


def spoilt_by_sql(sql):
    def spoil(path):
        with closing(sqlite3.connect(path.with_suffix(".db"))) as db, db:
            db.execute(sql)

    return spoil


@pytest.mark.parametrize(
    "spoil, said",
    [
        (lambda path: edit(path, name="Other"), "the database is of another league"),
        (lambda path: edit(path, seed="other"), "the database is of another league"),
        (spoilt_by_sql("UPDATE _sqlite_migrations SET name = 'm999_' || name"), "a newer version"),
        (spoilt_by_sql("PRAGMA application_id = 1"), "not a league's"),
        (lambda path: path.with_suffix(".db").write_text("x" * 999), "file is not a database"),
    ],
    ids=["another name", "another seed", "newer version", "not a league", "no database"],
)
def test_run_on_a_database_that_is_not_its_own_fails_in_one_line_and_changes_nothing(
    resumable, spoil, said
):
    spoil(resumable)
    before = files_of(resumable)
    done = run("run-league", resumable)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert one_line(done.stderr)
    after = files_of(resumable)
    if "another" in said:
        # Only the counter in the header tells that it was opened for writing.
        assert after.keys() == before.keys()
        assert after["league.db"][100:] == before["league.db"][100:]
    else:
        assert after == before


# Wrong use.


@pytest.mark.parametrize(
    "arguments",
    [
        ["letzter", "frobnicate"],
        ["letzter", "ratings"],
        ["letzter", "ratings", "--wide", "x.yaml"],
        ["letzter", "ratings", "missing.yaml"],
        ["letzter", "ratings", "."],
        ["letzter", "ratings", "unplayed.yaml"],
        ["letzter", "export", "unplayed.yaml"],
        ["letzter", "export", "unplayed.yaml", "--deals", "--format", "xml"],
        ["letzter", "verify", "missing.jsonl"],
        ["letzter", "verify", "."],
        ["letzter", "check", "missing.py"],
        ["letzter", "check", "."],
        ["letzter", "replay", "unplayed.yaml", "x"],
        ["letzter", "reveal", "missing.db"],
        ["run-league"],
        ["run-league", "missing.yaml"],
        ["run-league", "."],
        ["run-league", "unplayed.yaml", "--workers", "0"],
        ["run-league", "unplayed.yaml", "--fast"],
        ["run-league", "broken.yaml"],
        ["run-league", "unplayed.db"],
    ],
    ids=" ".join,
)
def test_wrong_use_is_told_on_stderr_with_exit_code_2(tmp_path, arguments):
    write_league(tmp_path).rename(tmp_path / "unplayed.yaml")
    (tmp_path / "broken.yaml").write_text("name: [\n")
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "unplayed.db").exists()


def test_replay_of_a_log_that_is_not_there_is_wrong_use(finished):
    for name in ("00000000-1-0", "x", "abcdef12-" + "9" * 30 + "-0"):
        done = run("letzter", "replay", finished, name)
        assert (done.returncode, done.stdout) == (2, "")
        assert one_line(done.stderr)


# Bots.


def test_check_of_a_good_bot_says_so():
    done = run("letzter", "check", BOTS / "low.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "The bot is good."


def test_check_of_a_bad_bot_shows_what_is_wrong_and_fails(tmp_path):
    bot = tmp_path / "lame.py"
    bot.write_text(BROKEN)
    done = run("letzter", "check", bot)
    assert done.returncode == 1
    assert "FAILED" in done.stdout
    assert "no engine found" in done.stdout
    assert "Traceback" not in done.stderr


# Pipes and terminals.


@pytest.mark.parametrize(
    "arguments",
    [
        ["ratings"],
        ["crosstable"],
        ["faults"],
        ["export", "--deals"],
        ["export", "--ratings", "--format", "csv"],
        ["schema"],
        ["run", "--json", "--quiet"],
        ["run", "--plan"],
    ],
    ids=" ".join,
)
def test_closed_pipe_ends_a_command_without_a_traceback(resumable, arguments):
    name, *options = arguments
    file = [] if name == "schema" else [str(resumable)]
    with subprocess.Popen(
        command("letzter", name, *file, *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        said = process.stderr.read().decode()
        process.wait(60)
    assert "Traceback" not in said
    assert "Exception" not in said
    assert process.returncode in (0, 1, 3, 141)


def test_listing_in_a_terminal_has_colours_unless_told_not_to(finished):
    code, shown = in_terminal("letzter", "crosstable", finished)
    assert code == 0
    assert "\x1b[" in shown
    _, shown = in_terminal("letzter", "ratings", finished, NO_COLOR="1")
    assert not COLOUR.search(shown)
    assert "counting" in shown
    _, shown = in_terminal("letzter", "ratings", finished, TERM="dumb")
    assert "\x1b" not in shown
    assert "counting" in shown


@pytest.mark.parametrize("columns", [40, 200])
def test_listing_in_a_terminal_keeps_to_its_width(finished, columns):
    for name in ("ratings", "crosstable"):
        code, shown = in_terminal("letzter", name, finished, COLUMNS=str(columns), NO_COLOR="1")
        assert code == 0
        assert "counting" in shown
        plain = re.sub(r"\x1b\[[0-9;]*m|\r", "", shown)
        assert max(map(len, plain.splitlines())) <= columns


def test_listing_in_a_pipe_does_not_depend_on_the_terminal(finished):
    shown = {run("letzter", "ratings", finished, env={"COLUMNS": n}).stdout for n in ("40", "200")}
    assert len(shown) == 1
    assert "\x1b" not in shown.pop()


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_run_in_a_terminal_shows_progress_and_leaves_it_clean(tmp_path, term):
    path = write_league(tmp_path, deals=2)
    code, shown = in_terminal("run-league", path, TERM=term)
    assert code == 0
    assert "6 of 6 deals played" in shown
    assert "Traceback" not in shown
    assert ("\x1b" in shown) == (term != "dumb")
    # What hides the cursor shows it again.
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h")


@pytest.mark.parametrize(
    "locale",
    [
        {"LANG": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=str,
)
def test_listing_in_a_poor_locale_is_shown_all_the_same(finished, locale):
    for arguments in (["ratings"], ["replay", log_name(finished)]):
        name, *more = arguments
        done = subprocess.run(
            command("letzter", name, finished, *more),
            env=environment(**locale),
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"counting" in done.stdout or b"wild" in done.stdout


# What is imported.


def imported_by(*arguments, cwd=None):
    """The modules that a command has imported when it is done, and its exit code."""
    code = (
        "import sys; from runner.cli import main\n"
        f"try: main({[str(each) for each in arguments]!r})\n"
        "except SystemExit as done: code = done.code\n"
        "sys.stderr.write('\\nMODULES ' + ' '.join(sys.modules))\n"
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=environment(),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return set(done.stderr.rpartition("MODULES ")[2].split()), done.returncode


def test_import_of_the_commands_takes_no_ray_and_nothing_that_plays():
    code = "import runner.cli, sys; sys.stdout.write(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment(), capture_output=True, check=True
    )
    modules = set(done.stdout.decode().split())
    assert "runner.cli" in modules
    assert not modules & {"ray", "runner.league.run", "runner.table.sitting", "numpy"}


def test_commands_that_do_not_play_never_import_ray(finished, resumable):
    edit(resumable, execution="ray", deals=100)
    for code, *arguments in (
        [0, "ratings", finished],
        [0, "crosstable", finished],
        [0, "faults", finished],
        [0, "replay", finished, log_name(finished)],
        [0, "export", finished, "--boards"],
        [0, "schema"],
        [0, "run", resumable, "--plan"],
        [0, "check", BOTS / "tiny.sh"],
        [0, "reveal", resumable],
        [0, "--help"],
        [2, "ratings", "missing.yaml"],
    ):
        modules, ended = imported_by(*arguments)
        assert ended == code, arguments
        assert "runner.cli" in modules
        assert "ray" not in modules, arguments


def test_serial_league_is_played_without_ray(tmp_path):
    path = write_league(tmp_path, deals=2)
    modules, code = imported_by("run", path)
    assert code == 0
    assert "ray" not in modules
    assert play(path).played == 0
