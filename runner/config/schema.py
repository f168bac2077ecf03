"""The JSON Schema of a league file, for editors, made from the table of keys."""

import json
from math import factorial
from typing import Any

from runner.config.keys import LEAGUE, MAX_PLAYERS, MIN_PLAYERS


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 7, which editors know best) of a league file.

    It says all that the table of keys says. What it cannot say (that bots can be read, that names
    differ) only reading finds.
    """
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Letzter league",
        **LEAGUE.schema(),
        "allOf": [_with_players(players) for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)],
    }


def schema_text() -> str:
    """The schema as it is printed and shipped."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _with_players(players: int) -> dict[str, Any]:
    return {
        "if": {"properties": {"players": {"const": players}}, "required": ["players"]},
        "then": {
            "properties": {
                "deals_per_sitting": {"multipleOf": factorial(players - 1)},
                "entrants": {"minItems": players},
            }
        },
    }
