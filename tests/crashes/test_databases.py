"""Databases that cannot be used: one clear line, nothing overwritten, and the run goes on later.

Each is harmed, tried, mended and played to its end; what comes out equals an undisturbed league.
"""

import contextlib
import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from runner.cli import main
from runner.config import load_league
from runner.errors import RunError, StoreError
from runner.league import secret as league_secret
from runner.league.progress import Quiet
from runner.league.run import run_league
from runner.league.stopping import Stop
from runner.storage import store
from tests.leagues import (
    command,
    edit,
    environment,
    exports,
    play,
    run,
    started,
    stored_sittings,
    wait_until,
    write_league,
)

DEALS = 6
MEND_FOLDER = "it and its folder must be writable"


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """A league of 6 deals of which 2 are played; for reading only."""
    path = write_league(tmp_path_factory.mktemp("half"), deals=2)
    play(path)
    edit(path, deals=DEALS)
    return path


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What that league exports once it is played."""
    path = write_league(tmp_path_factory.mktemp("undisturbed"), deals=DEALS)
    play(path)
    return exports(path)


@pytest.fixture
def league(half, tmp_path):
    """A copy of the league that is half played."""
    return copy(half, tmp_path)


def copy(path, folder):
    return shutil.copytree(path.parent, folder / "league") / path.name


def database(path):
    return path.with_suffix(".db")


def attempt(path):
    """Run the command: its exit code, its stdout, and the lines of its stderr."""
    done = CliRunner().invoke(main, ["run", str(path)])
    return done.exit_code, done.stdout, done.stderr.splitlines()


def refused(path, said):
    """Run the command; it must fail in one line that names the database and says this."""
    code, out, lines = attempt(path)
    assert (code, out) == (1, ""), lines
    (line,) = lines
    assert line.startswith(f"{database(path)}: ")
    assert said in line
    return line


def contents(folder):
    """Every file below a folder."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def goes_on(path, undisturbed):
    """Run it again, to the end: nothing is missing, nothing there twice."""
    code, _, lines = attempt(path)
    assert code == 0, lines
    assert exports(path) == undisturbed


# What lies there is no league's database that can be used.


def cut(left):
    def harm(file):
        content = file.read_bytes()
        file.write_bytes(content[: left(len(content))])

    return harm


def garbage_from(at):
    def harm(file):
        content = file.read_bytes()
        noise = bytes(number * 7919 % 251 for number in range(len(content) - at))
        file.write_bytes(content[:at] + noise)

    return harm


def by_sql(*statements):
    def harm(file):
        with closing(sqlite3.connect(file)) as db, db:
            for statement in statements:
                db.execute(statement)

    return harm


def other_database(file):
    file.unlink()
    by_sql("CREATE TABLE recipes (name TEXT)")(file)


def folder(file):
    file.unlink()
    file.mkdir()


HARMS = {
    "cut to its half": (cut(lambda size: size // 2), "put back a good copy"),
    "cut by a page": (cut(lambda size: size - 4096), "put back a good copy"),
    "cut within a page": (cut(lambda size: size - 1000), "is cut short; put back a good copy"),
    "cut within its header": (cut(lambda _: 50), "put back a good copy"),
    "garbage after its header": (garbage_from(100), "malformed; put back a good copy"),
    "garbage after its first words": (garbage_from(16), "file is not a database"),
    "garbage in its last page": (lambda file: garbage_from(file.stat().st_size - 4096)(file),
                                 "put back a good copy"),
    "no database": (lambda file: file.write_text("hello\n" * 999),
                    "file is not a database; expected a league's database"),
    "another program's database": (other_database, "is an SQLite database, but not a league's"),
    "a folder": (folder, "Is a directory; expected a league's database"),
    "of a newer version": (by_sql("INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
                                  " VALUES ('letzter', 'm999_future', '2099-01-01')"),
                           "newer version of this program (m999_future); use that"),
    "a link to nowhere": (lambda file: (file.unlink(), file.symlink_to("/nowhere/league.db")),
                          "No such file or directory"),
}  # fmt: skip


@pytest.mark.parametrize("harm", HARMS)
def test_database_that_cannot_be_used_is_named_left_alone_and_used_once_mended(
    half, league, undisturbed, harm
):
    spoil, said = HARMS[harm]
    spoil(database(league))
    before = contents(league.parent)
    refused(league, said)
    assert contents(league.parent) == before
    mended = database(league)
    if mended.is_dir():
        mended.rmdir()
    mended.unlink(missing_ok=True)
    shutil.copy(database(half), mended)
    if harm == "cut to its half":  # the others are mended in the same way
        goes_on(league, undisturbed)


@pytest.mark.parametrize(
    "keys", [{"name": "Other"}, {"seed": "other"}, {"players": 4, "deals_per_sitting": 6}], ids=str
)
def test_database_of_another_league_is_left_with_all_that_it_holds(half, league, undisturbed, keys):
    write_league(league.parent, ["random.py", "low.py", "high.py", "sensible.py"], **keys)
    refused_in_last_line(league, "the database is of another league")
    assert exports(league) == exports(half)
    shutil.copy(half, league)
    if "seed" in keys:
        goes_on(league, undisturbed)


def refused_in_last_line(path, said):
    code, out, lines = attempt(path)
    assert (code, out) == (1, "")
    assert said in lines[-1]
    assert lines[-1].startswith(f"{database(path)}: ")


@pytest.mark.parametrize("made", ["empty", "by a run killed at once"])
def test_database_in_which_nothing_was_ever_stored_is_begun(tmp_path, undisturbed, made):
    path = write_league(tmp_path, deals=DEALS)
    if made == "empty":
        database(path).touch()
    else:
        with closing(sqlite3.connect(database(path))) as db:
            db.execute("PRAGMA journal_mode = WAL")
        assert database(path).stat().st_size > 0
        shown = CliRunner().invoke(main, ["ratings", str(path)])
        assert (shown.exit_code, shown.stdout) == (1, "")
        assert "holds no league yet" in shown.stderr
    goes_on(path, undisturbed)


# Others use it.


@contextlib.contextmanager
def locked(file, how, seconds=60):
    """Another program has a transaction open on a database."""
    code = (
        "import sqlite3, sys, time; db = sqlite3.connect(sys.argv[1]); "
        f"db.execute('BEGIN {how}'); print('locked', flush=True); time.sleep({seconds})"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"locked\n"
        try:
            yield
        finally:
            process.kill()
            process.wait()


@pytest.mark.parametrize("how", ["IMMEDIATE", "EXCLUSIVE"])
def test_database_locked_by_another_program_is_named_and_used_when_it_is_free(
    league, undisturbed, monkeypatch, how
):
    monkeypatch.setattr(store, "_LOCK_SECONDS", 0.2)
    before = database(league).read_bytes()
    with locked(database(league), how):
        line = refused(league, "database is locked; another program is writing to it")
    assert "end that, then run it again" in line
    assert database(league).read_bytes() == before
    goes_on(league, undisturbed)


class Meddling(Quiet):
    """A reporter that does something to the league once a sitting has been stored."""

    def __init__(self, do):
        self._do = do

    def add(self, deals):
        self._do()
        self._do = lambda: None


def meddled(path, do):
    """Play a league in which something happens after the first sitting; the error, as text."""
    with pytest.raises(StoreError) as raised:
        run_league(load_league(str(path)), Meddling(do), Stop(), 1)
    assert str(raised.value).startswith(f"{database(path)}: ")
    return str(raised.value)


def test_database_locked_while_playing_ends_the_run_and_keeps_what_was_stored(
    league, undisturbed, monkeypatch
):
    monkeypatch.setattr(store, "_LOCK_SECONDS", 0.2)
    with contextlib.ExitStack() as stack:
        said = meddled(league, lambda: stack.enter_context(locked(database(league), "IMMEDIATE")))
    assert "database is locked; another program is writing to it" in said
    assert stored_sittings(league) == 3 + 1
    goes_on(league, undisturbed)


def test_database_locked_for_a_moment_while_playing_is_waited_for(league, undisturbed):
    with contextlib.ExitStack() as stack:
        lock = locked(database(league), "IMMEDIATE", seconds=0.5)
        reporter = Meddling(lambda: stack.enter_context(lock))
        run_league(load_league(str(league)), reporter, Stop(), 1)
    assert exports(league) == undisturbed


def test_two_runs_at_once_on_one_league_are_one_that_plays_and_one_that_says_why_not(
    tmp_path, undisturbed
):
    path = write_league(tmp_path, deals=DEALS)
    both = [
        subprocess.Popen(
            command("run-league", path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
            text=True,
        )
        for _ in range(2)
    ]
    ended = sorted((process.communicate(timeout=60), process.returncode) for process in both)
    (out, err), code = ended[0]
    if code == 1:
        assert out == ""
        assert err == f"{database(path)}: another run-league is playing this league\n"
    assert (code, ended[1][1]) in {(1, 0), (0, 0)}, ended  # or the first had ended already
    assert exports(path) == undisturbed


# It cannot be written.


@pytest.fixture
def small_disk(tmp_path):
    """A tiny file system of its own; remount it with other options at will."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options, *more):
        subprocess.run(
            ["mount", *more, "-o", options, "none", str(folder)], check=True, capture_output=True
        )

    try:
        mount("size=2m", "-t", "tmpfs")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("nothing can be mounted here")
    try:
        yield folder, lambda options: mount(f"remount,{options}")
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_database_on_a_read_only_file_system_is_named_and_can_still_be_looked_at(
    half, small_disk, undisturbed
):
    folder, remount = small_disk
    path = copy(half, folder)
    before = contents(folder)
    remount("ro")
    refused(path, f"Read-only file system; {MEND_FOLDER}")
    assert CliRunner().invoke(main, ["ratings", str(path)]).exit_code == 0
    remount("rw")
    assert contents(folder) == before
    goes_on(path, undisturbed)


def test_league_begun_on_a_read_only_file_system_says_that_it_cannot_keep_its_secret(small_disk):
    folder, remount = small_disk
    path = write_league(folder / "league", seed=None)
    remount("ro")
    code, out, lines = attempt(path)
    assert (code, out) == (1, "")
    (line,) = lines
    assert line.endswith("league.secret: cannot write the league's secret: Read-only file system")


def without_privileges(path):
    """Run the command as somebody for whom permissions hold."""
    done = subprocess.run(
        [
            *(["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] * (not os.getuid())),
            *command("run-league", path),
        ],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(
    not os.getuid() and not shutil.which("setpriv"), reason="permissions do not bind root"
)
@pytest.mark.parametrize("what", ["file", "folder"])
def test_database_that_may_not_be_written_is_named_and_left_alone(league, undisturbed, what):
    target = database(league) if what == "file" else league.parent
    before = contents(league.parent)
    mode = target.stat().st_mode
    target.chmod(mode & ~0o222)
    try:
        code, out, err = without_privileges(league)
    finally:
        target.chmod(mode)
    assert (code, out) == (1, "")
    assert err.startswith(f"{database(league)}: ")
    assert MEND_FOLDER in err
    assert len(err.splitlines()) == 1
    assert contents(league.parent) == before
    goes_on(league, undisturbed)


def fill(folder):
    """Leave no room on a disk."""
    with (folder / "full").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(512))


def test_database_on_a_disk_that_gets_full_keeps_what_was_stored_and_goes_on_later(
    half, small_disk, undisturbed
):
    folder, _ = small_disk
    path = copy(half, folder)
    said = meddled(path, lambda: fill(folder))
    assert "full; make room, then run it again; all that was stored is kept" in said
    refused_in_last_line(path, "full; make room")
    stored = stored_sittings(path)
    (folder / "full").unlink()
    assert stored_sittings(path) >= max(stored, 3 + 1)
    goes_on(path, undisturbed)


@pytest.mark.parametrize("seed", ["test", None])
def test_league_begun_on_a_full_disk_can_be_begun_later(small_disk, undisturbed, seed):
    folder, _ = small_disk
    path = write_league(folder / "league", deals=DEALS, seed=seed)
    fill(folder)
    code, out, lines = attempt(path)
    assert (code, out) == (1, "")
    assert len(lines) == 1
    assert "full" in lines[0] or "No space left on device" in lines[0]
    assert not path.with_suffix(".secret").exists()
    (folder / "full").unlink()
    code, _, lines = attempt(path)
    assert code == 0, lines
    if seed:
        assert exports(path) == undisturbed


def test_run_without_room_for_its_bots_says_so_and_stores_nothing(league, monkeypatch):
    def refuse(*arguments, **more):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = contents(league.parent)
    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    code, out, lines = attempt(league)
    assert (code, out) == (1, "")
    assert lines == ["/tmp: no folder can be made for the bots: No space left on device"]
    assert contents(league.parent) == before


# It goes while the league is played.


def test_database_removed_while_playing_ends_the_run_and_the_league_can_be_played_again(
    league, undisturbed
):
    said = meddled(league, database(league).unlink)
    assert "was removed, moved or replaced while the league was being played" in said
    assert not database(league).exists()
    goes_on(league, undisturbed)


def test_database_moved_while_playing_and_back_afterwards_lacks_nothing(league, undisturbed):
    away = league.parent / "away.db"
    said = meddled(league, lambda: database(league).rename(away))
    assert "put it back, then run it again" in said
    away.rename(database(league))
    assert stored_sittings(league) == 3 + 1
    goes_on(league, undisturbed)


def test_database_replaced_while_playing_is_not_written_to(half, league, undisturbed):
    other = league.parent / "other.db"
    shutil.copy(database(half), other)
    meddled(league, lambda: other.rename(database(league)))
    assert database(league).read_bytes() == database(half).read_bytes()
    goes_on(league, undisturbed)


def test_database_removed_after_the_last_sitting_is_not_passed_over(tmp_path):
    path = write_league(tmp_path, deals=2)
    done: list = []

    def at_the_end():
        done.append(1)
        if len(done) == 3:
            database(path).unlink()

    reporter = Quiet()
    reporter.add = lambda deals: at_the_end()  # type: ignore[method-assign]
    with pytest.raises(StoreError, match="was removed, moved or replaced"):
        run_league(load_league(str(path)), reporter, Stop(), 1)


def test_folder_of_the_league_removed_while_playing_ends_the_run_in_a_line(tmp_path):
    path = write_league(tmp_path / "league", deals=40)
    with started("run-league", path) as process:
        assert wait_until(lambda: stored_sittings(path) > 0)
        shutil.rmtree(path.parent)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (1, b"")
    assert b"was removed, moved or replaced" in err.splitlines()[-1]
    assert b"Traceback" not in err


# A run was killed.


def test_write_ahead_log_of_a_killed_run_is_taken_up_by_all_commands(tmp_path, undisturbed):
    path = write_league(tmp_path, deals=DEALS)
    with started("run-league", path) as process:
        assert wait_until(lambda: stored_sittings(path) > 0)
        process.kill()
        process.wait()
    stored = stored_sittings(path)
    assert stored > 0
    assert Path(f"{database(path)}-wal").stat().st_size > 0
    assert database(path).stat().st_size < 30_000  # so that all is in the log
    shown = run("letzter", "ratings", path)
    assert (shown.returncode, shown.stderr) == (0, "")
    goes_on(path, undisturbed)
    assert not Path(f"{database(path)}-wal").exists()


def test_secret_is_drawn_whole_or_not_at_all(tmp_path, monkeypatch):
    path = write_league(tmp_path, seed=None, deals=2)

    def no_room(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(RunError, match="cannot write the league's secret: No space left"):
        play(path)
    monkeypatch.undo()
    assert [file.name for file in tmp_path.iterdir() if "secret" in file.name] == []
    play(path)


def test_secret_drawn_by_another_run_at_the_same_moment_is_the_one_that_counts(
    tmp_path, monkeypatch
):
    path = write_league(tmp_path, seed=None, deals=2)
    hardlink_to = Path.hardlink_to

    def too_late(link, target):
        path.with_suffix(".secret").write_text("0f" * 32 + "\n")
        hardlink_to(link, target)

    monkeypatch.setattr(Path, "hardlink_to", too_late)
    assert league_secret.secret_of(load_league(str(path))).hex() == "0f" * 32
