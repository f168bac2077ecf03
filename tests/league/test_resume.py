"""Running a league again: what is stored is not played again, whatever has changed."""

import json
import shutil
from contextlib import closing
from sqlite3 import connect

import pytest

from runner.errors import RunError
from runner.report.standing import standing_of
from runner.storage.reader import open_reader
from tests.leagues import COUNTING, edit, exports, play, rows, write_league

FOUR = ("random.py", "low.py", "high.py", "sensible.py")


def sittings(path):
    """Every stored sitting: its run, whether the plan uses it, who plays, and its raw logs."""
    with closing(connect(path.with_suffix(".db"))) as db:
        found = {}
        for key, number, run, current in db.execute("SELECT key, id, run, current FROM sittings"):
            names = db.execute(
                "SELECT name, substr(version, 1, 8) FROM sittings JOIN table_entrants "
                "USING (table_id) JOIN entrants ON entrants.id = entrant_id "
                "WHERE sittings.id = ? ORDER BY place",
                [number],
            ).fetchall()
            logs = db.execute(
                "SELECT * FROM raw_deal_logs WHERE sitting_id = ? ORDER BY deal", [number]
            ).fetchall()
            found[key] = {"run": run, "current": bool(current), "who": names, "logs": logs}
        return found


def unchanged(before, after):
    """Whether the sittings that there were have the same logs still."""
    return all(after[key]["logs"] == old["logs"] for key, old in before.items())


def test_resume_of_a_finished_league_plays_nothing_and_gives_the_same(resumable):
    before = exports(resumable), sittings(resumable)
    outcome = play(resumable)
    assert outcome.played == 0
    assert outcome.at_fault
    assert not outcome.standing.provisional
    assert (exports(resumable), sittings(resumable)) == before


def test_resume_with_a_late_entrant_plays_its_tables_only_and_ends_as_if_it_had_been_there(
    tmp_path,
):
    late = write_league(tmp_path / "late", FOUR[:3], deals=2)
    play(late)
    before = sittings(late)
    write_league(tmp_path / "late", FOUR, deals=2)
    outcome = play(late)
    after = sittings(late)
    new = [after[key] for key in after.keys() - before.keys()]
    assert unchanged(before, after)
    assert all("sensible" in dict(each["who"]) for each in new)
    assert len(new) == 3 * len(before)
    assert outcome.played == sum(len(each["logs"]) for each in new)
    punctual = write_league(tmp_path / "punctual", FOUR, deals=2)
    play(punctual)
    assert exports(punctual) == exports(late)


def test_resume_with_more_deals_plays_only_the_new_runs(tmp_path):
    path = write_league(tmp_path, deals=2)
    play(path)
    before = sittings(path)
    edit(path, deals=6)
    assert play(path).played == 4 * 3
    after = sittings(path)
    assert unchanged(before, after)
    assert all(after[key]["run"] in (2, 3) for key in after.keys() - before.keys())
    assert all(each["current"] for each in after.values())
    more = exports(path)
    fresh = write_league(tmp_path / "fresh", deals=6)
    play(fresh)
    assert exports(fresh) == more


def test_resume_with_more_deals_in_a_short_last_run_counts_no_deal_twice(tmp_path):
    path = write_league(tmp_path, deals=3, deals_per_sitting=2)
    play(path)
    edit(path, deals=4)
    assert play(path).played == 2 * 3
    fresh = write_league(tmp_path / "fresh", deals=4, deals_per_sitting=2)
    play(fresh)
    assert exports(fresh) == exports(path)


def test_resume_with_fewer_deals_counts_the_planned_ones_only(tmp_path):
    path = write_league(tmp_path, deals=4)
    play(path)
    edit(path, deals=2)
    outcome = play(path)
    assert (outcome.played, outcome.standing.boards, outcome.standing.provisional) == (0, 2, False)
    assert {log["deal"] for log in rows(path, "deals")} == {1, 2}


def test_resume_with_a_changed_bot_gives_new_tables_and_leaves_the_old_version_out(tmp_path):
    path = write_league(tmp_path, FOUR, deals=2)
    play(path)
    before = sittings(path)
    original = (tmp_path / "low.py").read_text()
    old = {row["entrant"]: row["version"] for row in rows(path, "ratings")}
    old_deals = {tuple(map(tuple, log["hands"])) for log in rows(path, "deals")}
    (tmp_path / "low.py").write_text(original + "# changed\n")
    outcome = play(path)
    after = sittings(path)
    new = [after[key] for key in after.keys() - before.keys()]
    assert unchanged(before, after)
    assert all("low" in dict(each["who"]) for each in new)
    assert outcome.played == 3 * 2 * 3
    rated = {row["entrant"]: row["version"] for row in rows(path, "ratings")}
    assert rated.keys() == old.keys()
    assert [name for name in old if rated[name] != old[name]] == ["low"]
    with_low = [log for log in rows(path, "deals") if "low" in log["entrants"]]
    assert {log["versions"][log["entrants"].index("low")] for log in with_low} == {rated["low"]}
    assert not {tuple(map(tuple, log["hands"])) for log in with_low} & old_deals

    (tmp_path / "low.py").write_text(original)
    assert play(path).played == 0
    assert {row["entrant"]: row["version"] for row in rows(path, "ratings")} == old


def test_resume_with_changed_limits_plays_all_again_with_the_same_deals(tmp_path):
    path = write_league(tmp_path, deals=2)
    play(path)
    before = rows(path, "deals")
    edit(path, limits={"deals_in_flight": 1})
    assert play(path).played == len(before)
    after = rows(path, "deals")
    assert not {log["sitting"] for log in before} & {log["sitting"] for log in after}
    assert [log["hands"] for log in before] == [log["hands"] for log in after]
    assert len(sittings(path)) == 2 * 3
    edit(path, limits=None)
    assert play(path).played == 0
    assert rows(path, "deals") == before


def test_resume_without_an_entrant_leaves_it_out_and_with_it_again_replays_nothing(resumable):
    before = exports(resumable)
    entrants = json.loads(resumable.read_text())["entrants"]
    edit(resumable, entrants=[entry for entry in entrants if entry["bot"] != "random.py"])
    outcome = play(resumable)
    assert outcome.played == 0
    assert {line.entrant.name for line in outcome.standing.lines} == {"counting", "twin", "wild"}
    assert all("random" not in log["entrants"] for log in rows(resumable, "deals"))
    assert (outcome.standing.boards, outcome.standing.planned_boards) == (52, 52)
    edit(resumable, entrants=entrants)
    assert play(resumable).played == 0
    assert exports(resumable) == before


def test_resume_with_a_renamed_entrant_gives_it_deals_of_its_own(tmp_path):
    path = write_league(tmp_path, deals=2)
    play(path)
    before = {tuple(map(tuple, log["hands"])) for log in rows(path, "deals")}
    entrants = json.loads(path.read_text())["entrants"]
    edit(path, entrants=[{**entrants[0], "name": "chance"}, *entrants[1:]])
    assert play(path).played == len(rows(path, "deals"))
    after = {tuple(map(tuple, log["hands"])) for log in rows(path, "deals")}
    assert not before & after


def test_resume_after_the_league_moved_to_another_folder_plays_nothing(resumable, tmp_path):
    moved = shutil.move(resumable.parent, tmp_path / "elsewhere") / resumable.name
    assert play(moved).played == 0


def test_resume_with_entrants_in_another_order_plays_nothing(resumable):
    before = exports(resumable)
    entrants = json.loads(resumable.read_text())["entrants"]
    edit(resumable, entrants=entrants[::-1])
    assert play(resumable).played == 0
    assert exports(resumable) == before


def test_standing_after_a_bot_was_changed_into_a_broken_one_is_still_to_be_had(tmp_path):
    path = write_league(tmp_path, ["low.py", "high.py", ("third", COUNTING)], deals=2)
    play(path)
    (tmp_path / "third.py").write_text("import sys; sys.exit(3)\n")
    with pytest.raises(RunError, match="2 of 3 entrants passed their check"):
        play(path)
    with open_reader(path.with_suffix(".db")) as reader:
        standing = standing_of(reader)
    assert standing.boards == 0
    assert {line.entrant.name: line.rank for line in standing.lines} == {
        "high": None,
        "low": None,
        "third": None,
    }
