"""From `bot:` and `command:` to what is run."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from runner.config import League
from runner.errors import LeagueFileError
from runner.records import Bot, BotFiles

Load = Callable[[str | bytes], League]


def entrants(entrant: str) -> str:
    """A league of three with this entrant first."""
    return f"name: X\nplayers: 3\nentrants:\n  - {entrant}\n  - bot: b.py\n  - bot: c.py\n"


@pytest.mark.parametrize("entrant,name,command,files",
    [
        ("bot: a.py", "a", "python -S -s a.py", "a.py"),
        ("bot: lib/a.py", "a", "python -S -s a.py", "a.py"),
        ("{bot: a.py, packages: false}", "a", "python -S -s a.py", "a.py"),
        ("{bot: a.py, packages: true}", "a", "python a.py", "a.py"),
        ("bot: sh.sh", "sh", "sh sh.sh", "sh.sh"),
        ("bot: tool", "tool", "./tool", "tool"),
        ("{bot: a.py, name: n, files: [lib/weights.bin, d.py]}", "n", "python -S -s a.py",
         "a.py d.py weights.bin"),
        ("{name: n, command: [python, x.py, --fast], files: []}", "n", "python x.py --fast", ""),
        ("{name: n, command: [sh, a.py, ./a.py], files: [a.py]}", "n", "sh a.py ./a.py", "a.py"),
        ("{name: n, command: [/usr/bin/env, '5']}", "n", "/usr/bin/env 5", ""),
    ],
)  # fmt: skip
def test_bot_becomes_a_command_and_files(
    load: Load, entrant: str, name: str, command: str, files: str
) -> None:
    first = load(entrants(entrant)).entrants[0]
    assert first.name == name
    assert " ".join(first.bot.command) == command
    assert " ".join(file for file, _ in first.bot.files) == files


def test_bot_has_the_contents_of_its_files_under_its_version(load: Load, folder: Path) -> None:
    league = load(entrants("{bot: a.py, files: [lib/weights.bin]}"))
    contents = {name: (folder / path).read_bytes() for name, path in
                (("a.py", "a.py"), ("weights.bin", "lib/weights.bin"))}  # fmt: skip
    hashes = tuple((name, sha256(data).hexdigest()) for name, data in contents.items())
    bot = Bot(("python", "-S", "-s", "a.py"), hashes)
    assert league.entrants[0].bot == bot
    assert league.files[bot.version] == BotFiles(bot, contents)


def test_same_bot_under_two_names_is_one_version(load: Load) -> None:
    league = load(entrants("{bot: b.py, name: twin}"))
    assert league.entrants[0].bot == league.entrants[1].bot
    assert len(league.files) == 2


def test_version_does_not_depend_on_the_order_or_place_of_files(load: Load, folder: Path) -> None:
    (folder / "weights.bin").write_bytes((folder / "lib" / "weights.bin").read_bytes())
    one = load(entrants("{bot: a.py, files: [d.py, lib/weights.bin]}"))
    other = load(entrants("{bot: a.py, files: [weights.bin, d.py]}"))
    assert one.entrants[0].bot.version == other.entrants[0].bot.version


@pytest.mark.parametrize("name", ["-c.py", "a\u202eb.py"])
def test_file_name_that_no_command_can_hold_is_refused(load: Load, folder: Path, name: str) -> None:
    (folder / name).touch()
    with pytest.raises(LeagueFileError, match=r"4:10: bot: .* cannot name a bot's file, rename it"):
        load(entrants(f'bot: "{name}"\n    name: n'))


def test_file_name_too_long_for_an_entrant_needs_a_name(load: Load, folder: Path) -> None:
    (folder / f"{'n' * 41}.py").touch()
    with pytest.raises(LeagueFileError, match="cannot be the entrant's name, give it a 'name'"):
        load(entrants(f"bot: {'n' * 41}.py"))
