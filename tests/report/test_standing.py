import json

from runner.report import standing as module
from runner.report.standing import boards_of, standing_of, stored_plan
from runner.storage.reader import open_reader
from runner.storage.store import open_store
from tests.leagues import BOTS, edit, write_league
from tests.storage.synthetic import opened, result_of


def test_standing_that_is_stored_is_not_computed_again(finished, monkeypatch):
    with open_reader(finished.with_suffix(".db")) as reader:
        fresh = standing_of(reader)
        monkeypatch.setattr(module, "rate_boards", None)
        assert standing_of(reader) == fresh


def test_standing_of_a_finished_league_is_complete(finished):
    with open_reader(finished.with_suffix(".db")) as reader:
        standing = standing_of(reader)
        assert stored_plan(reader).board_count == standing.boards == 4 * 52
    assert not standing.provisional
    assert [line.rank for line in standing.lines] == [1, 2, 3, 4]
    assert [line.summary and line.summary.boards for line in standing.lines] == [3 * 52] * 4
    assert [line.planned_boards for line in standing.lines] == [3 * 52] * 4
    twins = {line.entrant.name: line.entrant.version for line in standing.lines}
    assert twins["counting"] == twins["twin"]


def test_standing_without_whole_boards_rates_nobody_and_counts_none(tmp_path):
    path = write_league(tmp_path)
    with open_store(path.with_suffix(".db")) as store:
        (planned, sitting), *_ = opened(store, path)
        store.store_sitting(planned, sitting, result_of(sitting))
    with open_reader(path.with_suffix(".db")) as reader:
        standing = standing_of(reader)
        assert boards_of(reader) == []
    assert (standing.boards, standing.planned_boards, standing.provisional) == (0, 4, True)
    assert [(line.rank, line.summary) for line in standing.lines] == [(None, None)] * 3
    assert standing.rating_rows() == []


def test_standing_counts_boards_planned_for_a_late_entrant_as_missing(resumable):
    entrants = json.loads(resumable.read_text())["entrants"]
    edit(resumable, entrants=[*entrants, {"bot": str(BOTS / "tiny.sh")}])
    with open_store(resumable.with_suffix(".db")) as store:
        opened(store, resumable)
    with open_reader(resumable.with_suffix(".db")) as reader:
        standing = standing_of(reader)
    assert (standing.boards, standing.planned_boards) == (4 * 52, 10 * 52)
    assert standing.provisional
    lines = {line.entrant.name: line for line in standing.lines}
    assert lines["tiny"].rank is None
    assert lines["tiny"].planned_boards == 6 * 52
