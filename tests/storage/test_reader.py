import pytest

from runner.errors import UsageError
from runner.storage.reader import open_reader
from tests.leagues import edit, play, rows, write_league


@pytest.fixture
def reader(finished):
    with open_reader(finished.with_suffix(".db")) as reader:
        yield reader


def test_deal_log_is_found_by_the_name_that_it_says_it_has(reader):
    for log in reader.deal_logs():
        assert reader.deal_log(log.name) == log
        assert reader.deal_log(f"{log.table}-{log.deal}-{log.rotation}") == log
        break
    else:
        pytest.fail("no deal log")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "1-2",
        "abcdef12",
        "abcdef12-1",
        "abcdef12-1-2-3",
        "abcdef12--1",
        "abcdef12-x-0",
        "abcdef12-1-²",
        "ABCDEF12-1-0",
        "abcdef1-1-0",
        "abcdef12-99999999999999999999999999-0",
        "abcdef12-1-" + "9" * 5000,
        "%-1-0",
    ],
)
def test_deal_log_of_a_name_that_is_none_is_refused(reader, name):
    with pytest.raises(UsageError, match="is not a deal log's name"):
        reader.deal_log(name)


@pytest.mark.parametrize("name", ["00000000-1-0", "abcdef12-999999999-9"])
def test_deal_log_that_is_not_stored_is_said_to_be_missing(reader, name):
    with pytest.raises(UsageError, match=f"no deal log {name} is stored"):
        reader.deal_log(name)


def test_deal_log_of_several_by_that_name_is_the_one_of_the_plan(tmp_path):
    path = write_league(tmp_path, deals=2)
    play(path)
    (old, *_) = rows(path, "deals")
    edit(path, limits={"deals_in_flight": 1})
    play(path)
    name = f"{old['table'][:8]}-{old['deal']}-{old['rotation']}"
    with open_reader(path.with_suffix(".db")) as reader:
        log = reader.deal_log(name)
        assert log.current
        assert log.sitting != old["sitting"]
        both = [log.current for log in reader.deal_logs(current_only=False) if log.name == name]
        assert sorted(both) == [False, True]


def test_totals_and_pace_count_what_was_played(reader, finished):
    deals, seconds = reader.pace()
    assert deals == len(rows(finished, "deals"))
    assert seconds > 0
    entrants = {each.id: each.name for each in reader.entrants()}
    totals = {entrants[number]: total for number, total in reader.totals().items()}
    assert totals.keys() == set(entrants.values())
    for total in totals.values():
        assert total.decisions > 1000
        assert 0 < total.slowest_cpu_seconds <= total.decision_cpu_seconds


def test_entrants_are_those_that_take_part_and_all_of_them_on_request(resumable):
    (resumable.parent / "wild.py").write_text("import sys; sys.exit(1)")
    play(resumable)
    with open_reader(resumable.with_suffix(".db")) as reader:
        states = {each.name: each.state for each in reader.entrants()}
        assert states.pop("wild") == "refused"
        assert set(states.values()) == {"entered"}
        every = [(each.name, each.state) for each in reader.entrants(all_versions=True)]
        assert ("wild", "replaced") in every
        assert ("wild", "refused") in every
