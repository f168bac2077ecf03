"""What a league file without mistakes gives."""

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.config import Execution, League, load_league
from runner.game.rules import Play, Rules
from runner.records import Limits

Load = Callable[[str | bytes], League]

FOUR = "entrants: [{bot: a.py}, {bot: b.py}, {bot: c.py}, {bot: d.py}]\n"
START = "name: X\nplayers: 4\n"


def test_league_with_the_least_has_the_defaults(load: Load, folder: Path) -> None:
    league = load(START + FOUR)
    assert league.path == folder / "x.yaml"
    assert league.name == "X"
    assert league.rules == Rules(4, Play.ANTICLOCKWISE)
    assert (league.deals, league.deals_per_sitting) == (600, 600)
    assert [entrant.name for entrant in league.entrants] == ["a", "b", "c", "d"]
    assert {entrant.author for entrant in league.entrants} == {""}
    assert league.limits == Limits()
    assert league.format == "round_robin"
    assert league.seed is None
    assert league.execution is Execution.RAY
    assert set(league.files) == {entrant.bot.version for entrant in league.entrants}


def test_league_with_everything(load: Load) -> None:
    league = load("""\
%YAML 1.1
---
name: "Frühjahr"
players: 3
play: clockwise
format: round_robin
deals: 7
deals_per_sitting: 4
seed: spring 2026
execution: 'serial'
limits:
  move_seconds: 2
  start_seconds: 1e+1
  wall_seconds: 20.5
  pondering_seconds: .5
  sleep_seconds: 0
  max_faults: 3
  deals_in_flight: 1
entrants:
  - {name: Ann's, bot: a.py, author: "Ann, 'the' one", packages: true}
  - {name: "no", bot: a.py}
  - {name: 花札, bot: sh.sh}
...
""")
    assert league.name == "Frühjahr"
    assert league.rules == Rules(3, Play.CLOCKWISE)
    assert (league.deals, league.deals_per_sitting, league.seed) == (7, 4, "spring 2026")
    assert league.execution is Execution.SERIAL
    assert league.limits == Limits(10.0, 2.0, 20.5, 0.5, 0.0, 3, 1)
    assert [entrant.name for entrant in league.entrants] == ["Ann's", "no", "花札"]
    assert league.entrants[0].author == "Ann, 'the' one"


def test_league_keeps_its_files_beside_it(load: Load, folder: Path) -> None:
    league = load(START + FOUR)
    assert league.database == folder / "x.db"
    assert league.secret == folder / "x.secret"


def test_league_crosses_processes(load: Load) -> None:
    league = load(START + FOUR)
    assert pickle.loads(pickle.dumps(league)) == league


@pytest.mark.parametrize(
    "written,seed",
    [
        ("5", "5"),
        ("'5'", "5"),
        ("-5", "-5"),
        ("0", "0"),
        ("9" * 99, "9" * 99),
        ("spring", "spring"),
        ('"010"', "010"),
        ("'1:30'", "1:30"),
        ("'no'", "no"),
        ("x  y # z", "x  y"),
    ],
)
def test_seed_is_the_text_that_the_user_sees(load: Load, written: str, seed: str) -> None:
    assert load(f"{START}seed: {written}\n{FOUR}").seed == seed


@pytest.mark.parametrize("written,seconds",
    [("1e-1", 0.1), ("1E-1", 0.1), ("+2", 2.0), ("2.", 2.0), (".5", 0.5), ("3.25", 3.25)],
)  # fmt: skip
def test_seconds_are_any_decimal_number(load: Load, written: str, seconds: float) -> None:
    assert (
        load(f"{START}limits: {{move_seconds: {written}}}\n{FOUR}").limits.move_seconds == seconds
    )


@pytest.mark.parametrize("move,wall", [(0.5, 3.5), (2.0, 11.0), (3600.0, 18001.0)])
def test_wall_limit_follows_the_move_limit(load: Load, move: float, wall: float) -> None:
    assert load(f"{START}limits: {{move_seconds: {move}}}\n{FOUR}").limits.wall_seconds == wall


def test_name_is_composed(load: Load) -> None:
    league = load(START + FOUR.replace("{bot: a.py}", '{bot: a.py, name: "e\\u0301"}'))
    assert league.entrants[0].name == "é"


@pytest.mark.parametrize("contents", [f"\ufeff{START}{FOUR}", (START + FOUR).replace("\n", "\r\n")])
def test_byte_order_mark_and_line_ends_of_other_systems_are_fine(load: Load, contents: str) -> None:
    assert load(contents).name == "X"


def test_paths_are_relative_to_the_league_file(
    load: Load, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = load(START + FOUR)
    monkeypatch.chdir(folder / "lib")
    assert load_league("../x.yaml").entrants == league.entrants
    assert load_league("../x.yaml").database == Path("../x.db")
