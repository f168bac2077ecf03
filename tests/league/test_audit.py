"""`letzter audit` finds what was planted by hand in a league that was sound."""

import contextlib
import json
import shutil
import sqlite3
import time
from random import Random

import pytest

from runner.game.cards import mask_of
from runner.game.deals import secret_of_seed
from runner.game.rules import Play, Rules
from runner.league.audit.audit import audit_league
from runner.league.audit.deal_logs import cards_of
from runner.records import SittingDeal
from tests.league.synthetic import (
    entrants_of,
    honest_choosers,
    play_deal,
    random_chooser,
    sharing,
    write_synthetic_league,
)
from tests.leagues import BROKEN, WILD, bot, edit, play, rows, run, write_league

LOG = "(SELECT id FROM sittings WHERE rotation = 1 AND run = 1 ORDER BY key LIMIT 1)"
"""The sitting that most plants are put into."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A small league with two tables' worth of everything, without faults."""
    path = write_league(
        tmp_path_factory.mktemp("sound"),
        ("random.py", "low.py", "high.py", "sensible.py"),
        deals=8,
        deals_per_sitting=4,
    )
    play(path)
    return path


@pytest.fixture
def league(sound, tmp_path):
    """A copy of it, to plant things in."""
    return shutil.copytree(sound.parent, tmp_path / "league") / sound.name


def plant(path, *statements):
    """Run SQL on a league's database, with nothing to hold it back."""
    with contextlib.closing(sqlite3.connect(path.with_suffix(".db"))) as db, db:
        for statement in statements:
            sql, parameters = (statement, ()) if isinstance(statement, str) else statement
            assert db.execute(sql, parameters).rowcount != 0
    return path


def ask(path, sql, *parameters):
    """The first row of a query."""
    with contextlib.closing(sqlite3.connect(path.with_suffix(".db"))) as db:
        return db.execute(sql, parameters).fetchone()


def audit(path, *options, code=0):
    """The lines of `letzter audit`."""
    done = run("letzter", "audit", path, *options)
    assert (done.returncode, done.stderr) == (code, ""), done.stdout
    return done.stdout.splitlines()


def failures(path, *options):
    """What fails, without the word that says so."""
    *lines, last = audit(path, *options, code=1)
    assert "all good" not in last
    return [line.removeprefix("FAILED  ") for line in lines if line.startswith("FAILED")]


def report_of(path, **options):
    return audit_league(path.with_suffix(".db"), **options)


def name_of_log(path, deal, sitting=LOG):
    key, rotation = ask(
        path,
        "SELECT tables.key, rotation FROM sittings JOIN tables ON tables.id = table_id "
        f"WHERE sittings.id = {sitting}",
    )
    return f"{key[:8]}-{deal}-{rotation}"


# Sound leagues.


def test_sound_league_passes_with_counts(sound):
    assert audit(sound) == [
        "96 deal logs in 24 sittings at 4 tables, 32 whole boards, all good",
    ]


def test_league_with_everything_in_it_passes(finished):
    report = report_of(finished)
    assert (report.findings, report.notes, report.failures) == ((), (), 0)
    assert report.tally.forfeits > 0
    assert report.secret == "seed"


@pytest.mark.parametrize("file", ["league.yaml", "league.db"])
def test_sound_league_may_be_named_by_either_file(sound, file):
    assert audit(sound.with_name(file))[-1].endswith("all good")


def test_league_with_a_secret_is_checked_by_file_then_without_then_revealed(tmp_path):
    path = write_league(tmp_path, deals=2, seed=None)
    play(path)
    assert report_of(path).secret == "file"
    hidden = path.with_suffix(".secret").rename(tmp_path / "kept")
    report = report_of(path)
    assert (report.secret, report.failures) == (None, 0)
    assert "the secret is not to be had" in report.notes[0]
    assert "hands not compared with the secret" in audit(path)[-1]
    hidden.rename(path.with_suffix(".secret"))
    assert run("letzter", "reveal", path).returncode == 0
    path.with_suffix(".secret").unlink()
    assert report_of(path).secret == "revealed"


def test_secret_of_another_league_beside_it_is_found(tmp_path):
    path = write_league(tmp_path, deals=2, seed=None)
    play(path)
    path.with_suffix(".secret").write_text("ab" * 32 + "\n")
    report = report_of(path)
    assert [finding.kind for finding in report.findings] == ["secret"]


def test_unfinished_league_passes_and_its_half_boards_are_counted(league):
    sitting = ask(league, f"SELECT {LOG}")[0]
    for table in ("raw_deal_logs", "sitting_times", "entrant_times"):
        plant(league, (f"DELETE FROM {table} WHERE sitting_id = ?", (sitting,)))
    plant(league, ("DELETE FROM sittings WHERE id = ?", (sitting,)))
    # The stored ratings give it away: they are of more boards than there are.
    assert [line.partition(":")[0] for line in failures(league)] == ["rating all"]
    plant(league, "DELETE FROM rating_basis", "DELETE FROM raw_ratings")
    lines = audit(league)
    assert lines[0] == "note    no ratings are stored yet"
    assert "28 whole boards, 4 half played" in lines[1]


def test_league_stopped_before_it_was_rated_again_passes_with_a_note(league):
    plant(league, "UPDATE league SET deals = 12")
    assert (report_of(league).notes, report_of(league).failures) == ((), 0)
    assert report_of(league).tally.missing_boards == 16
    plant(league, "UPDATE rating_basis SET basis = 'of fewer', boards = 20")
    (note,) = report_of(league).notes
    assert "not checked" in note
    assert report_of(league).failures == 0


def test_league_with_older_versions_limits_and_faults_passes(tmp_path):
    path = write_league(tmp_path, ["low.py", "high.py", "random.py", ("wild", WILD)], deals=48)
    edit(path, deals_per_sitting=48)
    play(path)
    edit(path, limits={"max_faults": 3})
    play(path)
    (tmp_path / "low.py").write_text((tmp_path / "low.py").read_text() + "# newer\n")
    edit(path, deals=24, deals_per_sitting=24)
    play(path)
    report = report_of(path)
    assert (report.findings, report.failures) == ((), 0)
    assert report.tally.older_sittings == 12
    assert report.tally.forfeits > 0


def test_league_with_bots_that_never_start_or_are_refused_passes(tmp_path):
    late = bot(before="import pathlib, sys\nif pathlib.Path('gone').exists(): sys.exit(1)")
    path = write_league(
        tmp_path, ["low.py", "high.py", "random.py", ("broken", BROKEN), ("late", late)]
    )
    play(path)
    assert report_of(path).failures == 0


def test_report_as_json_has_all_that_the_lines_have(league):
    plant(league, "UPDATE raw_deal_logs SET penalties = '111' WHERE deal = 3")
    done = run("letzter", "audit", league, "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert report["counts"] == {"play": 12, "rating": 1}
    assert report["failures"] == 13
    assert report["tally"]["deal_logs"] == 96
    assert report["findings"][0].keys() == {"kind", "name", "what"}


# What is planted.


def swapped(path):
    """The plays of a log with two cards of one trick exchanged, so that they are not legal."""
    plays = ask(path, f"SELECT plays FROM raw_deal_logs WHERE sitting_id = {LOG} AND deal = 2")[0]
    return plays[2:4] + plays[:2] + plays[4:]


def test_changed_card_is_found(league):
    plant(
        league,
        (
            f"UPDATE raw_deal_logs SET plays = ? WHERE sitting_id = {LOG} AND deal = 2",
            (swapped(league),),
        ),
    )
    (line,) = failures(league)
    assert line.startswith(f"play {name_of_log(league, 2)}: forehand: played ")


@pytest.mark.parametrize(
    "plays, said",
    [
        ("'XX' || substr(plays, 3)", "'XX' is not a card"),
        ("plays || '7'", "'7' is not a card"),
        ("substr(plays, 1, 20)", "ends after 10 cards, without a fault"),
        ("plays || '7C'", "all 8 tricks are over"),
        ("''", "ends after 0 cards"),
    ],
)
def test_plays_that_are_no_game_are_found(league, plays, said):
    plant(league, f"UPDATE raw_deal_logs SET plays = {plays} WHERE sitting_id = {LOG} AND deal = 2")
    (line,) = failures(league)
    assert line.startswith(f"play {name_of_log(league, 2)}: ")
    assert said in line


@pytest.mark.parametrize(
    "shoves, said",
    [
        ("substr(shoves, 1, 4)", "played"),
        ("shoves || '9C'", "4 cards are shoved, expected at most 3"),
        ("substr(shoves, 1, 2) || substr(shoves, 1, 2) || substr(shoves, 5)", "twice"),
        ("''", "must shove 2 cards"),
    ],
)
def test_changed_shove_is_found(league, shoves, said):
    plant(
        league, f"UPDATE raw_deal_logs SET shoves = {shoves} WHERE sitting_id = {LOG} AND deal = 2"
    )
    (line,) = failures(league)
    assert said in line


def test_swapped_penalty_is_found_and_so_are_ratings_that_rest_on_it(league):
    was = ask(league, f"SELECT penalties FROM raw_deal_logs WHERE sitting_id = {LOG} AND deal = 2")
    other = {"100": "010", "010": "001", "001": "100"}.get(was[0], "100")
    plant(
        league,
        (f"UPDATE raw_deal_logs SET penalties = ? WHERE sitting_id = {LOG} AND deal = 2", (other,)),
    )
    first, *rest = failures(league)
    assert first == f"play {name_of_log(league, 2)}: penalties {other}, expected {was[0]}"
    assert all(line.startswith("rating") for line in rest)


def test_missing_rotation_of_a_board_in_a_run_that_is_complete_is_found(league):
    name = name_of_log(league, 2)
    plant(league, f"DELETE FROM raw_deal_logs WHERE sitting_id = {LOG} AND deal = 2")
    assert f"rotation {name}: is missing" in failures(league)


def test_doubled_deal_in_another_run_is_found(league):
    plant(
        league,
        "INSERT INTO raw_deal_logs SELECT other.id, deal, seats, hands, shoves, plays, penalties, "
        "fault, fault_seat FROM raw_deal_logs JOIN sittings AS own ON own.id = sitting_id "
        "JOIN sittings AS other ON other.table_id = own.table_id AND other.rotation = own.rotation "
        f"AND other.run = 2 WHERE sitting_id = {LOG} AND deal = 2",
    )
    where = f"rotation {name_of_log(league, 2)}: stands in the sitting of the deals 5 to 8"
    assert where in failures(league)


def test_doubled_deal_under_another_number_is_found(league):
    first = ask(league, f"SELECT first_deal FROM sittings WHERE id = {LOG}")[0]
    plant(
        league,
        f"UPDATE raw_deal_logs SET (hands, shoves, plays, penalties) = (SELECT hands, shoves, "
        f"plays, penalties FROM raw_deal_logs WHERE sitting_id = {LOG} AND deal = {first}) "
        f"WHERE sitting_id = {LOG} AND deal = {first + 1}",
    )
    met = (
        f"rotation {name_of_log(league, first + 1)}: has the cards of deal {first}, which the "
        "sitting met before"
    )
    assert met in failures(league)


def test_doubled_sitting_is_found(league):
    plant(
        league,
        "INSERT INTO sittings SELECT 1000, 'f' || substr(key, 2), table_id, run, rotation, "
        f"first_deal, last_deal, 1, isolation FROM sittings WHERE id = {LOG}",
        "INSERT INTO raw_deal_logs SELECT 1000, deal, seats, hands, shoves, plays, penalties, "
        f"fault, fault_seat FROM raw_deal_logs WHERE sitting_id = {LOG}",
    )
    found = "\n".join(failures(league))
    assert "its id is f" in found
    assert "counts 2 times" in found


def test_deal_moved_to_another_table_is_found(league):
    table, run_ = ask(league, f"SELECT table_id, run FROM sittings WHERE id = {LOG}")
    other = ask(
        league,
        "SELECT id FROM sittings WHERE table_id != ? AND rotation = 1 AND run = ?",
        table,
        run_,
    )[0]
    deal = ask(league, f"SELECT first_deal FROM sittings WHERE id = {LOG}")[0]
    gone, moved = name_of_log(league, deal), name_of_log(league, deal, str(other))
    plant(
        league,
        ("DELETE FROM raw_deal_logs WHERE sitting_id = ? AND deal = ?", (other, deal)),
        (
            f"UPDATE raw_deal_logs SET sitting_id = ? WHERE sitting_id = {LOG} AND deal = ?",
            (other, deal),
        ),
    )
    found = failures(league)
    assert f"rotation {gone}: is missing" in found
    assert any(line.startswith(f"deal {moved}: hands ") for line in found)


def test_sitting_moved_to_another_table_is_found(league):
    plant(
        league,
        f"UPDATE sittings SET table_id = (SELECT max(id) FROM tables WHERE id != table_id) "
        f"WHERE id = {LOG}",
    )
    found = "\n".join(failures(league))
    assert "its id is " in found
    assert "hands " in found


@pytest.mark.parametrize(
    "change, said",
    [
        ("mu = mu + 0.01", "mu "),
        ("sigma = sigma / 2", "sigma "),
        ("rank = 5 - rank", "rank "),
        ("boards = boards + 1", "boards "),
        ("penalties_per_deal = 0.1", "penalties_per_deal "),
        ("standard_error = NULL", "standard_error None"),
        ("marches = marches + 1", "marches "),
    ],
)
def test_changed_rating_is_found(league, change, said):
    name = ask(
        league, "SELECT name FROM raw_ratings JOIN entrants ON id = entrant_id WHERE rank = 1"
    )[0]
    plant(league, f"UPDATE raw_ratings SET {change} WHERE rank = 1")
    (line,) = failures(league)
    assert line.startswith(f"rating {name}: {said}")


def test_rating_left_out_is_found(league):
    plant(league, "DELETE FROM raw_ratings WHERE rank = 2")
    (line,) = failures(league)
    assert line.endswith(": is not stored")


def test_changed_bot_file_is_found(league):
    plant(
        league,
        "UPDATE files SET content = CAST(content || X'0A' AS BLOB) WHERE hash IN "
        "(SELECT hash FROM bot_files WHERE name = 'low.py')",
    )
    (line,) = failures(league)
    assert line.startswith("bot ")
    assert "file low.py has the SHA-256 " in line


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE bots SET command = '[\"sh\", \"other.sh\"]' WHERE command LIKE '%low.py%'",
        "UPDATE bot_files SET name = 'lower.py' WHERE name = 'low.py'",
        "DELETE FROM bot_files WHERE name = 'low.py'",
    ],
)
def test_changed_command_or_name_of_a_file_is_found(league, statement):
    plant(league, statement)
    (line,) = failures(league)
    assert line.startswith("bot ")


def test_entrant_under_another_name_is_found_at_its_tables(league):
    plant(league, "UPDATE entrants SET name = 'lower' WHERE name = 'low'")
    found = failures(league)
    assert sum(line.startswith("table ") for line in found) == 3


def test_forged_seed_is_found(league):
    plant(league, "UPDATE league SET seed = 'another'")
    (line,) = failures(league)
    assert line.startswith("secret seed: its SHA-256 is ")


def test_forged_seed_with_its_hash_is_found_by_deals_and_sittings(league):
    from hashlib import sha256

    published = sha256(secret_of_seed("another")).hexdigest()
    plant(league, ("UPDATE league SET seed = 'another', secret_hash = ?", (published,)))
    counts = report_of(league).counts
    assert counts["deal"] == 96
    assert counts["sitting"] == 24


def test_forged_revealed_secret_is_found(league):
    plant(league, "UPDATE league SET secret = '" + "ab" * 32 + "'")
    (line,) = failures(league)
    assert line.startswith("secret revealed: ")


FORFEITS = (
    "UPDATE raw_deal_logs SET plays = '', shoves = '', fault = 'timeout', fault_seat = "
    "instr(seats, '0') - 1, penalties = CASE instr(seats, '0') WHEN 1 THEN '100' "
    f"WHEN 2 THEN '010' ELSE '001' END WHERE sitting_id = {LOG}"
)


def test_sitting_of_all_forfeits_by_invention_is_found(league):
    plant(league, FORFEITS)
    found = failures(league)
    assert any(
        line.startswith("fault ") and "lost 4 deals by timeout faults, of which 0 are" in line
        for line in found
    )


def test_sitting_of_all_forfeits_with_invented_counts_is_found(league):
    plant(league, FORFEITS, f"INSERT INTO fault_counts SELECT {LOG}, 0, 'timeout', 4")
    found = failures(league)
    assert any(
        "4 timeout faults, of which 4 are to be kept whole, and 0 are" in line for line in found
    )
    assert any("when it was not asked" in line for line in found)


def test_sitting_of_all_forfeits_by_more_than_the_counts_is_found(league):
    plant(league, FORFEITS, f"INSERT INTO fault_counts SELECT {LOG}, 0, 'timeout', 1")
    found = failures(league)
    assert any("lost 4 deals by timeout faults, of which 1 are counted" in line for line in found)


@pytest.mark.parametrize(
    "statement, said",
    [
        ("UPDATE raw_deal_logs SET fault = 'sleepy' WHERE fault IS NOT NULL", "which there is not"),
        ("UPDATE raw_deal_logs SET fault = NULL WHERE fault IS NOT NULL", "of no kind"),
        ("UPDATE raw_deal_logs SET fault_seat = 7 WHERE fault IS NOT NULL", "expected 0 to 2"),
        ("UPDATE raw_deal_logs SET penalties = '000' WHERE fault IS NOT NULL", "penalties 000"),
        ("DELETE FROM fault_counts", "of which 0 are counted"),
        ("UPDATE fault_counts SET count = count + 1000", "are counted"),
        ("DELETE FROM raw_faults", "to be kept"),
        ("UPDATE raw_faults SET deal = deal + 1", "is kept that its log has not"),
        (
            "UPDATE raw_deal_logs SET fault = 'exit', fault_seat = 0, penalties = '100' "
            "WHERE deal = 1",
            "a fault, though all tricks are played",
        ),
    ],
)
def test_changed_fault_is_found(resumable, statement, said):
    plant(resumable, statement)
    assert any(said in finding.what for finding in report_of(resumable).findings)


def test_dangling_rows_are_found(league):
    plant(league, f"DELETE FROM sittings WHERE id = {LOG}")
    assert any(line.startswith("database SQLite: ") for line in failures(league))


def test_sitting_that_counts_or_not_against_the_plan_is_found(league):
    plant(league, f"UPDATE sittings SET current = 0 WHERE id = {LOG}")
    assert any("does not count for the ratings, though" in line for line in failures(league))
    plant(league, "UPDATE sittings SET current = 1", "UPDATE league SET deals = 4")
    assert any("and the plan does not have it" in line for line in failures(league))


def test_findings_of_a_kind_are_named_up_to_twenty_and_then_counted(league):
    plant(league, "UPDATE raw_deal_logs SET seats = '000'")
    *lines, last = [line for line in audit(league, code=1) if "rating" not in line]
    deals = [line for line in lines if line.startswith("FAILED  deal ")]
    assert len(deals) == 20
    assert "FAILED  deal: and 76 more" in lines
    assert last.endswith(" failures")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE league SET limits = '{}x'",
        "UPDATE league SET limits = '{\"a\": 1}'",
        "UPDATE league SET play = 'sideways'",
        "UPDATE bots SET command = '{' WHERE command LIKE '%low.py%'",
    ],
)
def test_league_that_cannot_be_read_is_one_line(league, statement):
    plant(league, statement)
    done = run("letzter", "audit", league)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1


# Playing again.


def invent(path):
    """Put another legal play of every deal of a sitting in place of what was played."""
    choose = random_chooser(Random(1))
    with contextlib.closing(sqlite3.connect(path.with_suffix(".db"))) as db, db:
        (sitting,) = db.execute(f"SELECT {LOG}").fetchone()
        rules = Rules(3, Play.ANTICLOCKWISE)
        for deal, seats, hands in db.execute(
            "SELECT deal, seats, hands FROM raw_deal_logs WHERE sitting_id = ?", (sitting,)
        ).fetchall():
            masks = tuple(mask_of(cards_of(hand)) for hand in hands.split(" "))
            log = play_deal(rules, SittingDeal(deal, masks, tuple(map(int, seats))), [choose] * 3)
            db.execute(
                "UPDATE raw_deal_logs SET shoves = ?, plays = ?, penalties = ? "
                "WHERE sitting_id = ? AND deal = ?",
                (log.shoves, log.plays, "".join(map(str, log.penalties)), sitting, deal),
            )


def test_replay_of_a_sound_league_finds_every_card_again(sound):
    assert audit(sound, "--replay", "24")[-1].endswith("24 sittings played again, all good")


def test_replay_of_bots_with_a_memory_finds_every_card_again(finished):
    report = report_of(finished, replays=4, seed=3)
    assert (report.failures, report.tally.replayed) == (0, 4)


def test_replay_finds_a_legal_but_invented_sitting(league):
    invent(league)
    play(league)  # the ratings are those of the invented cards, and all is as it should be
    assert audit(league)[-1].endswith("all good")
    found = failures(league, "--replay", "24")
    assert len(found) == 4
    first = ask(league, f"SELECT first_deal FROM sittings WHERE id = {LOG}")[0]
    assert found[0].startswith(f"replay {name_of_log(league, first)}: card ")


def test_replay_chooses_by_the_seed(league):
    invent(league)
    play(league)
    found = {seed: report_of(league, replays=2, seed=seed).failures for seed in range(16)}
    assert 0 in found.values()
    assert 4 in found.values()
    assert found[5] == report_of(league, replays=2, seed=5).failures


def test_replay_of_a_bot_that_is_not_deterministic_says_so_and_accuses_nobody(tmp_path):
    dice = bot("seen = int.from_bytes(os.urandom(2), 'big')")
    path = write_league(tmp_path, ["low.py", "high.py", ("dice", dice)], deals=4)
    play(path)
    lines = audit(path, "--replay", "6")
    assert sum("is not deterministic" in line for line in lines) == 6
    assert "6 not deterministic, all good" in lines[-1]


def test_replay_without_the_secret_is_refused(tmp_path):
    path = write_league(tmp_path, deals=2, seed=None)
    play(path)
    path.with_suffix(".secret").unlink()
    done = run("letzter", "audit", path, "--replay", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "without the league's secret" in done.stderr


def test_replay_leaves_out_changed_bots(league):
    plant(
        league,
        "UPDATE files SET content = CAST(content || X'0A' AS BLOB) WHERE hash IN "
        "(SELECT hash FROM bot_files WHERE name = 'low.py')",
    )
    report = report_of(league, replays=24)
    assert report.tally.replayed == 6
    assert "of 24 wanted" in report.notes[-1]


def test_synthetic_league_passes(tmp_path):
    path = write_synthetic_league(tmp_path / "synthetic.db", deals=12, deals_per_sitting=6)
    report = audit_league(path)
    assert (report.failures, report.tally.deal_logs) == (0, 48)


# Collusion.


def test_collusion_names_friends_and_only_them(tmp_path):
    random = Random(0)
    names = [entrant.name for entrant in entrants_of(6)[0]]
    choosers = honest_choosers(names, random)
    for one, other in ((0, 1), (1, 0)):
        choosers[names[one]] = sharing(names[other], choosers[names[one]], random)
    path = write_synthetic_league(
        tmp_path / "friends.db",
        entrants=6,
        deals=60,
        deals_per_sitting=60,
        seed="0",
        choosers=choosers,
    )
    lines = audit(path, "--collusion")
    accused = [line.split()[:2] for line in lines if "SUSPECT " in line and "gain:" not in line]
    assert sorted(accused) == [["e000", "e001"], ["e001", "e000"]]
    report = json.loads(run("letzter", "audit", path, "--collusion", "--json").stdout)
    assert len(report["collusion"]) == 30
    assert [pair["suspect"] for pair in report["collusion"]] == [True] * 2 + [False] * 28


def test_collusion_of_too_few_entrants_judges_nobody(tmp_path):
    path = write_synthetic_league(tmp_path / "one-table.db", deals=6, deals_per_sitting=6)
    assert "No pair can be judged" in "\n".join(audit(path, "--collusion"))


def test_collusion_is_not_asked_of_a_league_that_fails(league):
    plant(league, "UPDATE league SET seed = 'another'")
    assert "secret seed" in failures(league, "--collusion")[0]


# Teams.


def with_teams(tmp_path, **more):
    path = write_league(
        tmp_path, ("random.py", "low.py", "high.py", "sensible.py"), deals=2, **more
    )
    entrants = json.loads(path.read_text())["entrants"]
    for entrant, keys in zip(
        entrants,
        [{"team": "us"}, {"author": "us"}, {"author": "us", "team": "others"}, {}],
        strict=True,
    ):
        entrant.update(keys)
    edit(path, entrants=entrants)
    return path


def tables_of(path):
    return {tuple(sorted(row["entrants"])) for row in rows(path, "deals")}


def test_teams_apart_meet_at_no_table_and_counts_say_so(tmp_path):
    path = with_teams(tmp_path, same_team_tables=False)
    plan = json.loads(run("run-league", path, "--plan", "--json").stdout)
    assert (plan["tables"], plan["boards"], plan["sittings"]) == (2, 4, 6)
    outcome = play(path)
    assert tables_of(path) == {("high", "low", "sensible"), ("high", "random", "sensible")}
    assert not outcome.standing.provisional
    assert {line.entrant.name: line.planned_boards for line in outcome.standing.lines} == {
        "high": 4,
        "low": 2,
        "random": 2,
        "sensible": 4,
    }
    assert report_of(path).failures == 0


def test_teams_by_default_meet_and_are_put_apart_later(tmp_path):
    path = with_teams(tmp_path)
    play(path)
    assert len(tables_of(path)) == 4
    edit(path, same_team_tables=False)
    play(path)
    assert len(tables_of(path)) == 2
    assert report_of(path).failures == 0
    edit(path, same_team_tables=True)
    assert play(path).played == 0
    assert len(tables_of(path)) == 4


def test_teams_too_few_for_a_table_are_a_mistake_in_the_file(tmp_path):
    path = write_league(tmp_path, deals=2, same_team_tables=False)
    entrants = [entry | {"author": "me"} for entry in json.loads(path.read_text())["entrants"]]
    edit(path, entrants=entrants)
    done = run("run-league", path)
    assert done.returncode == 2
    assert "at least as many teams as players (3), got 1" in done.stderr


def test_teams_too_few_after_the_checks_are_said_so(tmp_path):
    path = write_league(
        tmp_path,
        ("low.py", "high.py", "random.py", ("broken", BROKEN)),
        deals=2,
        same_team_tables=False,
    )
    entrants = json.loads(path.read_text())["entrants"]
    entrants[0]["team"] = entrants[1]["team"] = "us"
    edit(path, entrants=entrants)
    done = run("run-league", path)
    assert done.returncode == 1
    assert "make no table without team-mates" in done.stderr


@pytest.mark.slow
def test_audit_is_quick(tmp_path):
    path = write_synthetic_league(
        tmp_path / "large.db", entrants=6, deals=336, deals_per_sitting=84
    )
    began = time.process_time()
    report = audit_league(path)
    used = time.process_time() - began
    assert (report.failures, report.tally.deal_logs) == (0, 20_160)
    assert used < 60 * report.tally.deal_logs / 100_000
