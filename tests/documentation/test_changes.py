"""The table of `leagues/README.md` that says what is played again after a change."""

import json
import shutil

import pytest

from tests.documentation.markdown import table

CHANGES: dict[str, list[tuple[str, str, int | None]]] = {
    "nothing, after an interruption": [("", "", 0)],
    "a new entrant": [("- bot: wobbly.py", "- bot: wobbly.py\n  - bot: ../bots/tiny.sh", 16)],
    "an entrant taken out": [],  # of four it cannot be; the next one shows what remains
    "a bot's file or command changed, an entrant renamed": [
        ("- bot: ../bots/low.py", "- name: lower\n    bot: ../bots/low.py", 4),
        ("- bot: ../bots/low.py", "- bot: ../bots/low.py\n    packages: true", 4),
    ],
    "`author`, `execution`, `sandbox`, `python`, `submissions`, `--workers`": [
        ("- bot: ../bots/low.py", "- bot: ../bots/low.py\n    author: us", 0),
        ("execution: serial", "execution: ray", 0),
        ("execution: serial", "execution: serial\nsubmissions: {most_versions: 3}", 0),
        ("execution: serial", "execution: serial\nsandbox: off", 0),
    ],
    "`team`, while `same_team_tables` is true": [
        ("- bot: ../bots/low.py", "- bot: ../bots/low.py\n    team: us", 0)
    ],
    "`same_team_tables`; with false, `team` and `author`": [
        ("players: 4", "players: 4\nsame_team_tables: false", 0)
    ],
    "more `deals`": [("deals: 24", "deals: 48", 4), ("deals: 24", "deals: 60", 8)],
    "fewer `deals`": [("deals: 24", "deals: 18", 4)],
    "`deals_per_sitting`, anything in `limits`": [
        ("deals_per_sitting: 24", "deals_per_sitting: 12", 8),
        ("execution: serial", "limits: {max_faults: 9}", 4),
    ],
    "`memory_mb` or `threads` of an entrant": [
        ("- bot: ../bots/low.py", "- bot: ../bots/low.py\n    memory_mb: 2048", 4)
    ],
    "`name`, `players`, `play`, `seed`, another secret": [
        ("Small league", "Other league", None),
        ("players: 4", "players: 3", None),
        ("players: 4", "players: 4\nplay: clockwise", None),
        ("seed: documentation", "seed: other", None),
    ],
}
"""For each row: what is written instead of what, and how many sittings are then to be played."""


def test_every_change_of_the_table_is_tried():
    rows = table("leagues/README.md", "What is played again after a change")
    assert [cells[0] for cells in rows] == list(CHANGES)
    refused = [cells[0] for cells in rows if cells[1].startswith("refused")]
    assert refused == [row for row, tries in CHANGES.items() if any(None in each for each in tries)]


@pytest.mark.parametrize(
    "old, new, left", [each for tries in CHANGES.values() for each in tries if each[2] is not None]
)
def test_change_leaves_so_much_to_play(checkout, tmp_path, cli, old, new, left):
    file = changed(checkout, tmp_path, old, new)
    plan = json.loads(cli(["run-league", file, "--plan", "--json"]).stdout)
    assert plan["sittings_left"] == left


@pytest.mark.parametrize(
    "old, new", [each[:2] for tries in CHANGES.values() for each in tries if each[2] is None]
)
def test_change_of_identity_is_refused(checkout, tmp_path, cli, old, new):
    result = cli(["run-league", changed(checkout, tmp_path, old, new)])
    assert result.exit_code == 1
    assert "another league" in result.stderr


def changed(checkout, tmp_path, old, new):
    """A copy of the league that was played, with something else in its file."""
    for part in ("bots", "leagues"):
        shutil.copytree(checkout / part, tmp_path / part)
    file = tmp_path / "leagues" / "spring.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    return str(file)
