"""Every kind of mistake, with its place and its message."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.config import League, load_league
from runner.errors import LeagueFileError, UsageError

Mistakes = Callable[[str | bytes], list[str]]

FOUR = "entrants: [{bot: a.py}, {bot: b.py}, {bot: c.py}, {bot: d.py}]\n"
THREE = "name: X\nplayers: 3\nentrants:\n  - bot: b.py\n  - bot: c.py\n  - bot: d.py\n"
DEALS = "deals: expected a whole number from 1 to 1000000, got"
SEED = "3:7: seed: expected text of 1 to 100 characters, or a whole number, got"
START = "start_seconds: expected a number of seconds from 0.1 to 600, got"
MOVE = "move_seconds: expected a number of seconds from 0.001 to 3600, got"
LIMITS = "limits: expected the keys of limits ('move_seconds: …'), got"
NO_FILE = "No such file or directory"
RELATIVE = "(paths are relative to the league file)"
EITHER = "expected either 'bot' or 'command', got"
EMPTY = ["1:1: the file is empty: expected the keys of a league ('name: …')"]
GOOD = "name: X\nplayers: 4\n" + FOUR

# name of the case, text before the four entrants (line 3 on), its mistakes
TOP = [
    ("unknown-near", "delas: 5", ["3:1: unknown key 'delas' (did you mean 'deals'?)"]),
    ("unknown-far", "colour: red", ["3:1: unknown key 'colour'"]),
    ("unknown-case", "Deals: 5", ["3:1: unknown key 'Deals' (did you mean 'deals'?)"]),
    ("unknown-on", "on: 1", ["3:1: unknown key 'on'"]),
    ("unknown-merge", "<<: {deals: 5}", ["3:1: unknown key '<<'"]),
    (
        "misplaced-limit",
        "move_seconds: 2",
        ["3:1: unknown key 'move_seconds' (it belongs under 'limits')"],
    ),
    ("misplaced-bot", "bot: a.py", ["3:1: unknown key 'bot' (it belongs to an entrant)"]),
    ("duplicate", "deals: 5\ndeals: 6", ["4:1: duplicate key 'deals' (first on line 3)"]),
    (
        "duplicate-unknown",
        "x: 5\nx: 6",
        ["3:1: unknown key 'x'", "4:1: duplicate key 'x' (first on line 3)"],
    ),
    ("key-list", "? [deals]\n: 5", ["3:3: expected a key of a league, got a list"]),
    ("whole-word", "deals: many", [f"3:8: {DEALS} 'many'"]),
    ("whole-list", "deals: [5]", [f"3:8: {DEALS} a list"]),
    ("whole-nothing", "deals:", [f"3:7: {DEALS} nothing"]),
    ("whole-fraction", "deals: 1.5", [f"3:8: {DEALS} '1.5'"]),
    ("whole-exponent", "deals: 1e3", [f"3:8: {DEALS} '1e3'"]),
    ("whole-zero", "deals: 0", [f"3:8: {DEALS} '0'"]),
    ("whole-high", "deals: 1000001", [f"3:8: {DEALS} '1000001'"]),
    ("whole-negative", "deals: -5", [f"3:8: {DEALS} '-5'"]),
    (
        "whole-endless",
        "deals: " + "9" * 9000,
        [f"3:8: {DEALS} '{'9' * 59}…'"],
    ),
    (
        "whole-quoted",
        "deals: '5'",
        [f"3:8: {DEALS} '5' (write it without quotes)"],
    ),
    (
        "whole-octal",
        "deals: 010",
        [f"3:8: {DEALS} '010' (write it without the leading zero)"],
    ),
    (
        "whole-sexagesimal",
        "deals: 1:30",
        [f"3:8: {DEALS} '1:30' (write it as one number, without colons)"],
    ),
    (
        "whole-underscore",
        "deals: 1_000",
        [f"3:8: {DEALS} '1_000' (write it without underscores)"],
    ),
    (
        "whole-hex",
        "deals: 0x10",
        [f"3:8: {DEALS} '0x10' (write it in decimal digits)"],
    ),
    ("whole-no", "deals: no", [f"3:8: {DEALS} 'no'"]),
    ("choice", "play: left", ["3:7: play: expected anticlockwise or clockwise, got 'left'"]),
    (
        "choice-near",
        "execution: Ray",
        ["3:12: execution: expected ray or serial, got 'Ray' (did you mean 'ray'?)"],
    ),
    ("choice-format", "format: gauntlet", ["3:9: format: expected round_robin, got 'gauntlet'"]),
    (
        "choice-list",
        "play: [clockwise]",
        ["3:7: play: expected anticlockwise or clockwise, got a list"],
    ),
    (
        "sitting-orders",
        "deals_per_sitting: 100",
        ["3:20: deals_per_sitting: expected a multiple of 6 with 4 players, got 100"],
    ),
    (
        "seed-octal",
        "seed: 010",
        [f"{SEED} '010' (write it in quotes)"],
    ),
    (
        "seed-sexagesimal",
        "seed: 1:30",
        [f"{SEED} '1:30' (write it in quotes)"],
    ),
    (
        "seed-exponent",
        "seed: 1e-1",
        [f"{SEED} '1e-1' (write it in quotes)"],
    ),
    (
        "seed-no",
        "seed: no",
        [f"{SEED} 'no' (write it in quotes)"],
    ),
    ("seed-empty", "seed: ''", ["3:7: seed: expected text of 1 to 100 characters, got 0"]),
    (
        "seed-nothing",
        "seed:",
        [SEED.replace("3:7", "3:6") + " nothing"],
    ),
    ("limits-nothing", "limits:", [f"3:8: {LIMITS} nothing"]),
    ("limits-list", "limits: [1]", [f"3:9: {LIMITS} a list"]),
    (
        "limits-unknown",
        "limits: {moves_seconds: 1}",
        ["3:10: unknown key 'moves_seconds' (did you mean 'move_seconds'?)"],
    ),
    (
        "seconds-sexagesimal",
        "limits:\n  start_seconds: 1:30",
        [f"4:18: {START} '1:30' (write it as one number, without colons)"],
    ),
    (
        "seconds-octal",
        "limits: {start_seconds: 010}",
        [f"3:25: {START} '010' (write it without the leading zero)"],
    ),
    (
        "seconds-not-a-number",
        "limits: {start_seconds: .nan}",
        [f"3:25: {START} '.nan'"],
    ),
    (
        "seconds-infinite",
        "limits: {start_seconds: 1e999}",
        [f"3:25: {START} '1e999'"],
    ),
    (
        "seconds-low",
        "limits: {move_seconds: 0}",
        [f"3:24: {MOVE} '0'"],
    ),
    (
        "seconds-unit",
        "limits: {move_seconds: 5s}",
        [f"3:24: {MOVE} '5s'"],
    ),
    (
        "wall-below-move",
        "limits: {move_seconds: 5, wall_seconds: 2}",
        ["3:41: wall_seconds: expected no less than move_seconds (5), got 2"],
    ),
    ("anchor", "deals: &n 6", ["3:8: anchor '&n': a league file has no anchors, take it out"]),
    ("alias", "deals: *n", ["3:8: alias '*n': a league file has no aliases, write the value here"]),
    (
        "tag",
        "deals: !!int 6",
        ["3:8: tag 'tag:yaml.org,2002:int': a league file has no tags, take it out"],
    ),
    (
        "tag-python",
        "seed: !!python/object/apply:os.getcwd []",
        [
            "3:7: tag 'tag:yaml.org,2002:python/object/apply:os.getcwd': a league file has no tags,"
            " take it out",
            "3:7: seed: expected text of 1 to 100 characters, got a list",
        ],
    ),
]


@pytest.mark.parametrize("text,expected", [case[1:] for case in TOP], ids=[c[0] for c in TOP])
def test_mistake_in_a_key_of_the_league(
    mistakes_of: Mistakes, text: str, expected: list[str]
) -> None:
    assert mistakes_of(f"name: X\nplayers: 4\n{text}\n{FOUR}") == expected


NAMES = [
    ("empty", "''", "text of 1 to 40 characters, got 0"),
    ("nothing", "", "text of 1 to 40 characters, got nothing"),
    ("too-long", "n" * 41, "text of 1 to 40 characters, got 41"),
    ("no", "no", "text of 1 to 40 characters, got 'no' (write it in quotes)"),
    ("on", "on", "text of 1 to 40 characters, got 'on' (write it in quotes)"),
    ("null", "null", "text of 1 to 40 characters, got 'null' (write it in quotes)"),
    ("octal", "010", "text of 1 to 40 characters, got '010' (write it in quotes)"),
    ("octal-of-1.2", "0o17", "text of 1 to 40 characters, got '0o17' (write it in quotes)"),
    ("not-octal", "08", "text of 1 to 40 characters, got '08' (write it in quotes)"),
    ("sexagesimal", "1:30", "text of 1 to 40 characters, got '1:30' (write it in quotes)"),
    ("exponent", "1e-1", "text of 1 to 40 characters, got '1e-1' (write it in quotes)"),
    ("date", "2026-01-01", "text of 1 to 40 characters, got '2026-01-01' (write it in quotes)"),
    ("list", "[a]", "text of 1 to 40 characters, got a list"),
    ("group", "{a: b}", "text of 1 to 40 characters, got a group of keys"),
    ("control", r'"a\ab"', r"text that can be seen, got U+0007 in 'a\x07b'"),
    ("line-end", r'"a\nb"', r"text that can be seen, got U+000A in 'a\nb'"),
    ("escape", r'"\e[31mred"', r"text that can be seen, got U+001B in '\x1b[31mred'"),
    ("bidirectional", r'"a\u202eb"', r"text that can be seen, got U+202E in 'a\u202eb'"),
    ("bidirectional-raw", "a\u2067b", r"text that can be seen, got U+2067 in 'a\u2067b'"),
    ("zero-width", r'"a\u200bb"', r"text that can be seen, got U+200B in 'a\u200bb'"),
    ("tag-letters", r'"a\U000E0041"', r"text that can be seen, got U+E0041 in 'a\U000e0041'"),
    ("no-break-space", r'"a\u00a0b"', r"text that can be seen, got U+00A0 in 'a\xa0b'"),
    ("blank-letter", r'"\u3164"', r"text that can be seen, got U+3164 in 'ㅤ'"),
    ("surrogate", r'"a\ud800"', r"text that can be seen, got U+D800 in 'a\ud800'"),
    ("space-before", "' a'", "no space at either end, got ' a'"),
    ("space-after", "'a '", "no space at either end, got 'a '"),
    ("only-space", "' '", "no space at either end, got ' '"),
]


@pytest.mark.parametrize("name,what", [case[1:] for case in NAMES], ids=[c[0] for c in NAMES])
def test_mistake_in_an_entrants_name(mistakes_of: Mistakes, name: str, what: str) -> None:
    text = (
        f"name: X\nplayers: 3\nentrants:\n- bot: a.py\n- bot: b.py\n- bot: c.py\n  name: {name}\n"
    )
    column = 9 if name else 8
    assert mistakes_of(text) == [f"7:{column}: name: expected {what}"]


@pytest.mark.parametrize("name", ["''", "n" * 81, "no", r'"\u202e"'])
def test_mistake_in_the_leagues_name(mistakes_of: Mistakes, name: str) -> None:
    (mistake,) = mistakes_of(f"name: {name}\nplayers: 4\n{FOUR}")
    assert mistake.startswith("1:7: name: expected ")


ENTRANTS = [
    (
        "no-list",
        "entrants: a.py",
        ["3:11: entrants: expected a list of 3 to 1000 entrants, got 'a.py'"],
    ),
    ("none", "entrants: []", ["3:11: entrants: expected a list of 3 to 1000 entrants, got 0"]),
    (
        "fewer-than-players",
        "entrants: [{bot: a.py}, {bot: b.py}, {bot: c.py}]",
        ["3:11: entrants: expected at least as many as players (4), got 3"],
    ),
    (
        "text-for-an-entrant",
        "entrants: [{bot: a.py}, b.py, {bot: c.py}, {bot: d.py}]",
        ["3:25: entrants: expected the keys of an entrant ('name: …'), got 'b.py'"],
    ),
    (
        "one-name-twice",
        "entrants: [{bot: a.py}, {bot: b.py},\n {bot: c.py}, {bot: d.py, name: a}]",
        ["4:33: a second entrant named 'a' (the first is on line 3)"],
    ),
    (
        "one-name-by-default",
        "entrants: [{bot: a.py}, {bot: b.py},\n {bot: c.py}, {bot: lib/a.py}]",
        ["4:21: a second entrant named 'a' (the first is on line 3)"],
    ),
    (
        "names-that-differ-in-case",
        "entrants: [{bot: a.py}, {bot: b.py},\n {bot: c.py}, {bot: d.py, name: A}]",
        ["4:33: a second entrant named 'A' ('a' is on line 3)"],
    ),
    (
        "names-of-other-composition",
        'entrants: [{bot: a.py, name: "\\u00e9"}, {bot: b.py},\n'
        ' {bot: c.py}, {bot: d.py, name: "e\\u0301"}]',
        ["4:33: a second entrant named 'é' (the first is on line 3)"],
    ),
]


@pytest.mark.parametrize(
    "text,expected", [case[1:] for case in ENTRANTS], ids=[c[0] for c in ENTRANTS]
)
def test_mistake_in_the_entrants(mistakes_of: Mistakes, text: str, expected: list[str]) -> None:
    assert mistakes_of(f"name: X\nplayers: 4\n{text}\n") == expected


# name of the case, keys of an entrant, its mistakes
ENTRANT = [
    (
        "missing-file",
        "bot: nobody.py",
        [f"7:10: bot: cannot read 'nobody.py': {NO_FILE} {RELATIVE}"],
    ),
    (
        "misspelt-file",
        "bot: plain.tx",
        [f"7:10: bot: cannot read 'plain.tx': {NO_FILE} (did you mean 'plain.txt'?)"],
    ),
    ("folder", "bot: lib", ["7:10: bot: cannot read 'lib': it is a folder without a bot.yaml"]),
    ("through-a-file", "bot: a.py/e.py", ["7:10: bot: cannot read 'a.py/e.py': Not a directory"]),
    ("device", "bot: /dev/null", ["7:10: bot: cannot read '/dev/null': it is not a regular file"]),
    ("nul", r'bot: "a\0b"', [r"7:10: bot: expected a path of 1 to 1000 characters, got 'a\x00b'"]),
    ("nothing", "bot:", ["7:9: bot: expected a path of 1 to 1000 characters, got nothing"]),
    (
        "number",
        "bot: 5",
        ["7:10: bot: expected a path of 1 to 1000 characters, got '5' (write it in quotes)"],
    ),
    (
        "not-executable",
        "bot: plain.txt",
        [
            "7:10: bot: 'plain.txt' is not executable; make it so (chmod +x), or give"
            " 'command' and 'files'"
        ],
    ),
    ("neither", "name: e", [f"7:5: {EITHER} neither"]),
    (
        "both",
        "{name: e, bot: a.py, command: [sh]}",
        [f"7:5: {EITHER} both 'bot' and 'command'"],
    ),
    (
        "comand",
        "{name: e, comand: [sh]}",
        [f"7:5: {EITHER} neither", "7:15: unknown key 'comand' (did you mean 'command'?)"],
    ),
    (
        "command-without-name",
        "command: [sh]",
        ["7:5: missing key 'name' of an entrant with 'command'"],
    ),
    (
        "command-text",
        "{name: e, command: sh x}",
        ["7:24: command: expected a list of 1 to 64 words, got 'sh x'"],
    ),
    (
        "command-empty",
        "{name: e, command: []}",
        ["7:24: command: expected a list of 1 to 64 words, got 0"],
    ),
    (
        "command-number",
        "{name: e, command: [sh, 5]}",
        ["7:29: command: expected a word of 1 to 4000 characters, got '5' (write it in quotes)"],
    ),
    (
        "command-undeclared",
        "{name: e, command: [python, ./a.py]}",
        ["7:33: command: './a.py' is a file that the bot cannot see, list it in 'files'"],
    ),
    (
        "command-with-folder",
        "{name: e, command: [python, lib/a.py], files: [lib/a.py]}",
        ["7:33: command: the bot sees 'lib/a.py' as 'a.py', write that"],
    ),
    (
        "command-of-nowhere",
        "{name: e, command: [./engine]}",
        ["7:25: command: no file named 'engine' is among the bot's files"],
    ),
    (
        "command-of-a-missing-file",
        "{name: e, command: [./x], files: [x]}",
        [f"7:39: files: cannot read 'x': {NO_FILE} {RELATIVE}"],
    ),
    (
        "files-text",
        "{bot: a.py, files: b.py}",
        ["7:24: files: expected a list of 0 to 100 paths, got 'b.py'"],
    ),
    (
        "files-missing",
        "{bot: a.py, files: [b.py, x/y]}",
        [f"7:31: files: cannot read 'x/y': {NO_FILE} {RELATIVE}"],
    ),
    (
        "files-folder",
        "{bot: a.py, files: [lib]}",
        ["7:25: files: cannot read 'lib': it is a folder"],
    ),
    (
        "files-of-one-name",
        "{bot: a.py, files: [lib/a.py]}",
        ["7:25: files: a second file named 'a.py'; a bot sees base names only"],
    ),
    (
        "packages-of-a-shell-script",
        "{bot: sh.sh, packages: true}",
        ["7:28: packages: only for a bot that is a Python file ('bot: ….py')"],
    ),
    (
        "packages-with-command",
        "{name: e, command: [sh], packages: false}",
        ["7:40: packages: only for a bot that is a Python file ('bot: ….py')"],
    ),
    (
        "packages-yes",
        "{bot: a.py, name: e, packages: yes}",
        ["7:36: packages: expected true or false, got 'yes'"],
    ),
]


@pytest.mark.parametrize(
    "text,expected", [case[1:] for case in ENTRANT], ids=[c[0] for c in ENTRANT]
)
def test_mistake_in_an_entrant(mistakes_of: Mistakes, text: str, expected: list[str]) -> None:
    assert mistakes_of(f"{THREE}  - {text}\n") == expected


FILES: list[tuple[str, str | bytes, list[str]]] = [
    ("empty", "", EMPTY),
    ("comment", "# x\n", EMPTY),
    ("marker", "---\n", EMPTY),
    ("text", "hello", ["1:1: league: expected the keys of a league ('name: …'), got 'hello'"]),
    ("list", "- name: X\n", ["1:1: league: expected the keys of a league ('name: …'), got a list"]),
    ("alias", "*x", ["1:1: alias '*x': a league file has no aliases, write the value here"]),
    (
        "no-keys",
        "{}",
        [
            "1:1: missing key 'name' of a league",
            "1:1: missing key 'players' of a league",
            "1:1: missing key 'entrants' of a league",
        ],
    ),
    ("binary", b"\x7fELF\x00\x01", ["1:1: not a text file: U+007F cannot stand in YAML"]),
    ("nul", "name: X\nplay\0ers: 4\n", ["2:5: not a text file: U+0000 cannot stand in YAML"]),
    (
        "latin-1",
        "name: X\nplayers: é\n".encode("latin-1"),
        ["2:10: not UTF-8 text: cannot read byte 0xe9"],
    ),
    ("utf-16", "name: X\n".encode("utf-16"), ["1:1: not UTF-8 text: cannot read byte 0xff"]),
    (
        "too-large",
        "#" * (256 * 1024 + 1),
        ["1:1: cannot read the league file: it is larger than 256 KiB"],
    ),
    (
        "two-documents",
        GOOD + "---\nname: Y\n",
        ["4:1: a second document: a league file holds one league"],
    ),
    ("deep", "[" * 9000, ["1:13: nested deeper than any key of a league file"]),
    (
        "tab",
        "name: X\nlimits:\n\tmove_seconds: 1\n",
        [
            "3:1: not YAML: while scanning for the next token, found character '\\t' that cannot"
            " start any token (indent with spaces, not with tabs)"
        ],
    ),
    (
        "colon",
        "name: a: b\n",
        [
            "1:8: not YAML: mapping values are not allowed here"
            " (is the indentation right? text with a colon and a space needs quotes)"
        ],
    ),
    (
        "open-quote",
        "players: 9\nname: 'X\nplay: left\n",
        ["2:7: not YAML: while scanning a quoted scalar, found unexpected end of stream"],
    ),
    (
        "escape-out-of-range",
        r'name: "\U00110000"',
        ["1:10: not YAML: a number here is out of range"],
    ),
    ("directive", "%YAML 1." + "1" * 9000, ["1:9: not YAML: a number here is out of range"]),
]


@pytest.mark.parametrize(
    "contents,expected", [case[1:] for case in FILES], ids=[c[0] for c in FILES]
)
def test_mistake_of_the_whole_file(
    mistakes_of: Mistakes, contents: str | bytes, expected: list[str]
) -> None:
    assert mistakes_of(contents) == expected


def test_anchors_that_explode_cost_nothing(mistakes_of: Mistakes) -> None:
    lines = ["name: X", "a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 30):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]")
    mistakes = mistakes_of("\n".join(lines))
    assert len(mistakes) == 101
    assert mistakes[-1].endswith("more mistakes are not shown")


def test_all_mistakes_come_at_once_in_the_order_of_the_file(
    report_of: Callable[[str | bytes], str],
) -> None:
    text = """\
name: no
players: 5
play: clockwise
limits:
  move_seconds: 0
  max_fault: 3
entrants:
  - name: ann
    comand: [python, x.py]
  - bot: a.py
  - bot: plain.tx
    name: A
"""
    assert (
        report_of(text)
        == """\
x.yaml:1:7: name: expected text of 1 to 80 characters, got 'no' (write it in quotes)
  name: no
        ^
x.yaml:2:10: players: expected 3 or 4, got '5'
  players: 5
           ^
x.yaml:5:17: move_seconds: expected a number of seconds from 0.001 to 3600, got '0'
    move_seconds: 0
                  ^
x.yaml:6:3: unknown key 'max_fault' (did you mean 'max_faults'?)
    max_fault: 3
    ^
x.yaml:8:5: expected either 'bot' or 'command', got neither
    - name: ann
      ^
x.yaml:9:5: unknown key 'comand' (did you mean 'command'?)
      comand: [python, x.py]
      ^
x.yaml:11:10: bot: cannot read 'plain.tx': No such file or directory (did you mean 'plain.txt'?)
    - bot: plain.tx
           ^
x.yaml:12:11: a second entrant named 'A' ('a' is on line 10)
      name: A
            ^"""
    )


def test_a_syntax_error_stands_alone(mistakes_of: Mistakes) -> None:
    (mistake,) = mistakes_of("players: 9\nplayers: 10\nname: [\n}\n")
    assert mistake.startswith("4:1: not YAML: ")


@pytest.mark.parametrize(
    "path,why",
    [
        ("nowhere.yaml", "No such file or directory"),
        (".", "it is a folder"),
        ("", "it is a folder"),
        ("a.yaml/b.yaml", "No such file or directory"),
        ("/dev/null", "it is not a regular file"),
    ],
)
def test_league_file_that_cannot_be_read(path: str, why: str) -> None:
    with pytest.raises(LeagueFileError) as caught:
        load_league(path)
    assert str(caught.value) == f"{path}:1:1: cannot read the league file: {why}"
    assert isinstance(caught.value, UsageError)


def test_named_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.yaml")
    with pytest.raises(LeagueFileError, match="not a regular file"):
        load_league(str(tmp_path / "x.yaml"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_without_permission_are_refused(
    tmp_path: Path, load: Callable[[str], League]
) -> None:
    secret = tmp_path / "x.py"
    secret.touch(mode=0)
    with pytest.raises(LeagueFileError, match=r"3:17: bot: cannot read .*: Permission denied"):
        load(f"name: X\nplayers: 3\nentrants: [bot: {secret}, bot: a.py, bot: b.py]\n")
    with pytest.raises(LeagueFileError, match="1:1: cannot read the league file: Permission"):
        load_league(str(secret))


def test_bot_file_over_the_limit_is_refused(
    folder: Path, mistakes_of: Mistakes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runner.config.bots.MAX_BOT_FILE_BYTES", 2048)
    (folder / "big.bin").write_bytes(bytes(2049))
    assert mistakes_of(f"{THREE}  - {{bot: a.py, files: [big.bin]}}\n") == [
        "7:25: files: cannot read 'big.bin': it is larger than 2 KiB",
    ]


@pytest.mark.parametrize("name", ["x.db", "x.secret"])
def test_league_file_named_as_what_it_leads_to_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(GOOD)
    with pytest.raises(LeagueFileError, match=r":1:1: a league file ends in \.yaml"):
        load_league(str(tmp_path / name))


def test_league_file_with_a_nul_in_its_path_is_refused() -> None:
    with pytest.raises(LeagueFileError, match=r"cannot read the league file: .*null"):
        load_league("a\0b.yaml")
