"""The JSON Schema and the reader say the same; the shipped leagues are good."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from runner.config import League, load_league, schema, schema_text
from runner.config.groups import Group, Key, Listing
from runner.config.keys import LEAGUE
from runner.config.kinds import UNSEEN_RANGES, unseen
from runner.errors import LeagueFileError

LEAGUES = Path(__file__).parents[2] / "leagues"
SHIPPED = ("smoke", "spring", "three-handed")

VALIDATOR = Draft7Validator(schema())

GOOD: dict[str, Any] = {
    "name": "X",
    "players": 4,
    "entrants": [{"bot": f"{name}.py"} for name in "abcd"],
}


def keys_of(group: Group) -> Iterator[Key]:
    """Every key of a group and of the groups in it."""
    for key in group.keys:
        yield key
        kind = key.kind.item if isinstance(key.kind, Listing) else key.kind
        if isinstance(kind, Group):
            yield from keys_of(kind)


def entrant(**keys: Any) -> dict[str, Any]:
    """The good league with one more entrant."""
    return {**GOOD, "entrants": [*GOOD["entrants"], keys]}


REFUSED_BY_BOTH: dict[str, Any] = {
    "a list": [GOOD],
    "nothing": None,
    "unknown key": {**GOOD, "delas": 5},
    "unknown limit": {**GOOD, "limits": {"move": 5}},
    "unknown key of an entrant": entrant(name="e", comand=["sh"]),
    "missing name": {key: GOOD[key] for key in ("players", "entrants")},
    "missing players": {key: GOOD[key] for key in ("name", "entrants")},
    "missing entrants": {key: GOOD[key] for key in ("name", "players")},
    "text for a number": {**GOOD, "deals": "5"},
    "number for a text": {**GOOD, "name": 5},
    "truth for a text": {**GOOD, "name": False},
    "fraction": {**GOOD, "deals": 1.5},
    "too few deals": {**GOOD, "deals": 0},
    "too many deals": {**GOOD, "deals": 1_000_001},
    "five players": {**GOOD, "players": 5},
    "no multiple of 6": {**GOOD, "deals_per_sitting": 100},
    "no multiple of 2": {**GOOD, "players": 3, "deals_per_sitting": 5},
    "too few entrants": {**GOOD, "entrants": GOOD["entrants"][:3]},
    "unknown play": {**GOOD, "play": "left"},
    "unknown format": {**GOOD, "format": "gauntlet"},
    "unknown execution": {**GOOD, "execution": "cloud"},
    "fraction for a seed": {**GOOD, "seed": 1.5},
    "empty seed": {**GOOD, "seed": ""},
    "limit out of range": {**GOOD, "limits": {"move_seconds": 0}},
    "text for a limit": {**GOOD, "limits": {"move_seconds": "1:30"}},
    "empty name": {**GOOD, "name": ""},
    "name too long": entrant(bot="a.py", name="n" * 41),
    "name with a control character": entrant(bot="a.py", name="a\ab"),
    "name with a bidirectional character": entrant(bot="a.py", name="a\u202eb"),
    "name with a space at its end": entrant(bot="a.py", name="a "),
    "author with a line end": entrant(bot="a.py", name="n", author="a\nb"),
    "neither bot nor command": entrant(name="e"),
    "both bot and command": entrant(name="e", bot="a.py", command=["sh"]),
    "command without a name": entrant(command=["sh"]),
    "command as a text": entrant(name="e", command="sh"),
    "empty command": entrant(name="e", command=[]),
    "packages with command": entrant(name="e", command=["sh"], packages=True),
    "packages as a text": entrant(name="e", bot="a.py", packages="yes"),
    "files as a text": entrant(name="e", bot="a.py", files="b.py"),
}

TAKEN_BY_BOTH: dict[str, Any] = {
    "the least": GOOD,
    "three players": {**GOOD, "players": 3, "deals_per_sitting": 4},
    "seed as a number": {**GOOD, "seed": 5},
    "seed as a text": {**GOOD, "seed": "five"},
    "limits": {**GOOD, "limits": {"move_seconds": 2, "max_faults": 1}},
    "no limits": {**GOOD, "limits": {}},
    "command": entrant(name="e", command=["sh", "sh.sh"], files=["sh.sh"]),
    "packages": entrant(name="e", bot="a.py", packages=True, author=""),
    "name in another script": entrant(name="花札 é 1", bot="a.py", author="Ann B."),
}


@pytest.mark.parametrize("name", REFUSED_BY_BOTH)
def test_schema_and_reader_refuse_the_same(load: Callable[[str], League], name: str) -> None:
    assert not VALIDATOR.is_valid(REFUSED_BY_BOTH[name])
    with pytest.raises(LeagueFileError):
        load(json.dumps(REFUSED_BY_BOTH[name]))


@pytest.mark.parametrize("name", TAKEN_BY_BOTH)
def test_schema_and_reader_take_the_same(load: Callable[[str], League], name: str) -> None:
    VALIDATOR.validate(TAKEN_BY_BOTH[name])
    load(json.dumps(TAKEN_BY_BOTH[name]))


def test_schema_is_a_schema() -> None:
    Draft7Validator.check_schema(schema())


def test_schema_has_every_key_with_its_meaning() -> None:
    text = schema_text()
    for key in keys_of(LEAGUE):
        assert key.doc.endswith(".")
        assert json.dumps(key.doc, ensure_ascii=False)[1:-1] in text
        assert key.required or key.default is not None or key.default_doc


def test_defaults_pass_their_own_schema() -> None:
    for key in keys_of(LEAGUE):
        rules = key.schema()
        if "default" in rules:
            Draft7Validator(rules).validate(rules["default"])


def test_characters_of_names_are_the_same_in_schema_and_reader() -> None:
    # Surrogates cannot stand in JSON text, and a schema's patterns know the first plane only.
    seen = Draft7Validator({"pattern": f"^[^{UNSEEN_RANGES}]$"})
    for code in (*range(0xD800), *range(0xE000, 0x10000)):
        if unseen(chr(code)) is not None:
            assert not seen.is_valid(chr(code)), f"U+{code:04X}"
    for char in "aé花 §€~":
        assert unseen(char) is None
        assert seen.is_valid(char)


def test_shipped_schema_is_the_generated_one() -> None:
    assert (LEAGUES / "league.schema.json").read_text() == schema_text()


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_league_passes_the_schema_that_it_names(name: str) -> None:
    text = (LEAGUES / f"{name}.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=league.schema.json\n")
    VALIDATOR.validate(yaml.safe_load(text))


def test_no_league_is_shipped_unchecked() -> None:
    assert {path.stem for path in LEAGUES.glob("*.yaml")} == set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_league_loads(name: str) -> None:
    league = load_league(str(LEAGUES / f"{name}.yaml"))
    assert league.seed is not None
    assert len(league.entrants) > league.rules.players
