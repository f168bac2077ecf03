"""The league's secret: drawn, kept, published; never lost from sight, never overwritten."""

import re
import shutil
import stat
from hashlib import sha256

import pytest

from tests.leagues import edit, exports, play, rows, run, write_league

TWO_DEALS = {"deals": 2, "seed": None}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A league without a seed, played once: its file and what the run said."""
    path = write_league(tmp_path_factory.mktemp("drawn"), **TWO_DEALS)
    return path, run("run-league", path)


@pytest.fixture
def secret_league(drawn, tmp_path):
    """A copy of that league, to be harmed."""
    return shutil.copytree(drawn[0].parent, tmp_path / "copy") / drawn[0].name


def secret_of(path):
    return path.with_suffix(".secret").read_text().strip()


def files_of(path):
    """Everything beside a league file, by name."""
    return {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}


def test_secret_drawn_is_256_bits_for_its_owners_eyes_only(drawn):
    path, _ = drawn
    assert re.fullmatch(r"[0-9a-f]{64}\n", path.with_suffix(".secret").read_text())
    assert stat.S_IMODE(path.with_suffix(".secret").stat().st_mode) == 0o600


def test_secret_drawn_is_announced_by_its_hash_before_anything_else(drawn):
    path, done = drawn
    announced = sha256(bytes.fromhex(secret_of(path))).hexdigest()
    assert done.returncode == 0
    assert announced in done.stderr.splitlines()[0]
    assert announced.encode() in path.with_suffix(".db").read_bytes()
    assert "foreseen" not in done.stderr


def test_secret_before_it_is_revealed_stands_nowhere_but_in_its_file(drawn):
    path, done = drawn
    secret = secret_of(path)
    shown = done.stdout + done.stderr + "".join(exports(path).values())
    assert secret not in shown
    database = path.with_suffix(".db").read_bytes()
    assert secret.encode() not in database
    assert bytes.fromhex(secret) not in database


def test_secrets_of_two_leagues_differ_and_so_do_their_deals(drawn, tmp_path):
    path, _ = drawn
    other = write_league(tmp_path, **TWO_DEALS)
    play(other)
    assert secret_of(path) != secret_of(other)
    hands = {tuple(map(tuple, log["hands"])) for log in rows(path, "deals")}
    assert not hands & {tuple(map(tuple, log["hands"])) for log in rows(other, "deals")}


def test_reveal_prints_the_secret_publishes_it_and_closes_the_league(secret_league):
    secret = secret_of(secret_league)
    before = exports(secret_league)
    done = run("letzter", "reveal", secret_league)
    assert (done.returncode, done.stdout) == (0, f"{secret}\n")
    assert secret.encode() in secret_league.with_suffix(".db").read_bytes()
    edit(secret_league, deals=4)
    done = run("run-league", secret_league)
    assert (done.returncode, done.stdout) == (1, "")
    assert "the league is closed" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert exports(secret_league) == before
    again = run("letzter", "reveal", secret_league.with_suffix(".db"))
    assert (again.returncode, again.stdout) == (0, f"{secret}\n")


def test_reveal_of_a_seeded_league_gives_the_hash_of_its_seed(tmp_path):
    path = write_league(tmp_path, deals=2, seed="known")
    play(path)
    done = run("letzter", "reveal", path)
    assert done.stdout.strip() == sha256(b"letzter seed known").hexdigest()


def spoil(text):
    return lambda secret: secret.write_text(text)


@pytest.mark.parametrize(
    "harm, said",
    [
        (lambda secret: secret.unlink(), "is gone"),
        (spoil(""), "expected a secret of 64 hexadecimal digits"),
        (spoil("abc\n"), "expected a secret of 64 hexadecimal digits"),
        (spoil("zz" * 32), "expected a secret of 64 hexadecimal digits"),
        (lambda secret: secret.write_bytes(b"\xff" * 64), "codec can't decode"),
        (spoil("ab" * 32), "another league: its secret hash is"),
    ],
    ids=["lost", "empty", "short", "no hex", "binary", "of another league"],
)
def test_secret_file_lost_or_damaged_stops_the_league_and_overwrites_nothing(
    secret_league, harm, said
):
    before = exports(secret_league)
    harm(secret_league.with_suffix(".secret"))
    files = files_of(secret_league)
    done = run("run-league", secret_league)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    left = files_of(secret_league)
    assert left.keys() == files.keys()
    assert left.get("league.secret") == files.get("league.secret")
    assert exports(secret_league) == before


def test_reveal_with_the_secret_of_another_league_publishes_nothing(secret_league):
    secret_league.with_suffix(".secret").write_text("ab" * 32 + "\n")
    done = run("letzter", "reveal", secret_league)
    assert (done.returncode, done.stdout) == (1, "")
    assert "is not the secret that this league was played with" in done.stderr
    assert b"ab" * 32 not in secret_league.with_suffix(".db").read_bytes()


def test_run_killed_after_the_secret_was_drawn_goes_on_with_that_secret(tmp_path):
    path = write_league(tmp_path, **TWO_DEALS)
    path.with_suffix(".secret").write_text("0f" * 32 + "\n")
    play(path)
    assert secret_of(path) == "0f" * 32
