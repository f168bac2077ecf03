import csv
import io
import json
import random
from collections import Counter

import pytest

from runner.game.replay import replay
from runner.report.exports import EXPORTS, FORMATS, as_csv
from runner.storage.reader import open_reader
from runner.storage.store import open_store
from tests.leagues import exports, rows, write_league
from tests.storage.synthetic import faulty_result, opened


@pytest.mark.parametrize("what", EXPORTS)
def test_export_as_csv_says_what_it_says_as_json_lines(finished, what):
    with open_reader(finished.with_suffix(".db")) as reader:
        text = "".join(FORMATS["csv"](EXPORTS[what](reader)))
    assert "\r" not in text
    cells = list(csv.DictReader(io.StringIO(text)))
    expected = rows(finished, what)
    assert len(cells) == len(expected)
    assert list(cells[0]) == list(expected[0])
    for row, other in zip(cells, expected, strict=True):
        for name, value in other.items():
            if isinstance(value, list | dict):
                assert json.loads(row[name]) == value
            else:
                assert row[name] == ("" if value is None else str(value))


def test_csv_cells_with_commas_quotes_and_line_ends_come_back_as_they_were():
    row = {"a": 'x,"y"\n\tz', "b": None, "c": ["1,2"]}
    (back,) = csv.DictReader(io.StringIO("".join(as_csv([row])), newline=""))
    assert back == {"a": row["a"], "b": "", "c": '["1,2"]'}


def test_exported_deals_are_legal_and_name_their_offenders(finished):
    faults = 0
    for log in rows(finished, "deals"):
        replay(log)
        if log["fault"]:
            faults += 1
            assert log["fault"]["entrant"] == log["entrants"][log["fault"]["seat"]] == "wild"
            assert log["penalties"].index(1) == log["fault"]["seat"]
            assert sum(log["penalties"]) == 1
    assert faults == sum(
        count for row in rows(finished, "ratings") for count in row["faults"].values()
    )


def test_exported_boards_and_ratings_are_sums_over_the_exported_deals(finished):
    penalties: Counter = Counter()
    for log in rows(finished, "deals"):
        for name, count in zip(log["entrants"], log["penalties"], strict=True):
            penalties[log["table"], log["deal"], name] += count
    boards = rows(finished, "boards")
    assert {
        (row["table"], row["deal"], row["entrant"]): row["penalties"] for row in boards
    } == penalties
    for row in rows(finished, "ratings"):
        own = [count for (_, _, name), count in penalties.items() if name == row["entrant"]]
        assert (row["boards"], row["deals"]) == (len(own), 3 * len(own))
        assert row["penalties_per_deal"] == pytest.approx(sum(own) / (3 * len(own)))


def test_exported_faults_lead_to_the_deal_log_that_each_ended(finished):
    logs = {(log["table"], log["deal"], log["rotation"]): log for log in rows(finished, "deals")}
    faults = rows(finished, "faults")
    assert {(row["entrant"], row["kind"]) for row in faults} == {
        ("wild", "illegal"),
        ("wild", "exit"),
    }
    for row in faults:
        log = logs[row["table"], row["deal"], row["rotation"]]
        assert log["fault"] == {"kind": row["kind"], "seat": row["seat"], "entrant": "wild"}
        request = json.loads(row["request"])
        assert request["seat"] == row["seat"]
        assert (row["exit_status"] == 7) == (row["kind"] == "exit")
        assert row["number"] <= row["count"]


def test_exports_hold_no_measured_time(finished):
    text = "".join(exports(finished).values())
    assert "seconds" not in text
    assert "cpu" not in text.lower()


def test_exports_do_not_depend_on_the_order_in_which_sittings_were_stored(tmp_path):
    found = set()
    for order in range(3):
        path = write_league(
            tmp_path / str(order), ["low.py", "high.py", "random.py", "sensible.py"]
        )
        with open_store(path.with_suffix(".db")) as store:
            draw = random.Random("results")
            results = [(*each, faulty_result(each[1], draw)) for each in opened(store, path)]
            random.Random(order).shuffle(results)
            for planned, sitting, result in results:
                store.store_sitting(planned, sitting, result)
        found.add(tuple(exports(path).items()))
    assert len(found) == 1


def test_exports_of_a_league_half_stored_hold_its_whole_boards_only(tmp_path):
    path = write_league(tmp_path, deals=4)
    with open_store(path.with_suffix(".db")) as store:
        draw = random.Random("half")
        first_run, one_more = opened(store, path)[:3], opened(store, path)[3]
        for planned, sitting in [*first_run, one_more]:
            store.store_sitting(planned, sitting, faulty_result(sitting, draw))
    assert {row["deal"] for row in rows(path, "boards")} == {1, 2}
    assert all(row["boards"] == 2 for row in rows(path, "ratings"))
    assert {log["deal"] for log in rows(path, "deals")} == {1, 2, 3, 4}
