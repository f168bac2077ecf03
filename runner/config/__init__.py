"""The league file: YAML text in, a `League` or all of its mistakes out.

    league_file.py   `load_league`: reads a file, checks what no single key can tell
    schema.py        the JSON Schema of a whole league file, made from the table
    keys.py          the table of keys: type, default, range, meaning; the one place for all four
    bots.py          from an entrant's `bot:` or `command:` to a command and its files
    packs.py         a bot that is a zip or a folder
    file_names.py    what a file of a bot may be called
    groups.py        lists and groups of keys: how each is read, and its JSON Schema
    kinds.py         the same for single values: text, numbers, choices
    yaml_nodes.py    YAML as located nodes, and the messages that point into it

Each imports only those below it.
"""

from runner.config.bots import load_bot, load_named_bot
from runner.config.keys import AUTHOR, ENTRANT_NAME, FORMATS, Execution
from runner.config.league_file import League, alike, load_league
from runner.config.schema import schema, schema_text

__all__ = [
    "AUTHOR",
    "ENTRANT_NAME",
    "FORMATS",
    "Execution",
    "League",
    "alike",
    "load_bot",
    "load_league",
    "load_named_bot",
    "schema",
    "schema_text",
]
