"""A checkout in small, with a league that has been played, for the examples of the READMEs."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from runner.cli import main
from tests.documentation.markdown import ROOT, block

LEAGUE = """\
name: Small league
players: 4
deals: 24
deals_per_sitting: 24
seed: documentation
execution: serial
entrants:
  - bot: ../bots/random.py
  - bot: ../bots/low.py
  - bot: ../bots/high.py
  - bot: wobbly.py
"""


@pytest.fixture(scope="session")
def cli():
    """Runs one of our commands, `letzter …` or `run-league …`, given as words."""

    def invoke(words, text=""):
        program, *arguments = words
        if program == "run-league":
            arguments = ["run", *arguments]
        return CliRunner().invoke(main, arguments, input=text, prog_name=program)

    return invoke


@pytest.fixture(scope="session")
def checkout(tmp_path_factory, cli):
    """A folder with bots, leagues and `mybot.py`; its `spring` is a small league, played."""
    folder = tmp_path_factory.mktemp("checkout")
    for part in ("bots", "leagues"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.db*", "*.md"))
    bot = block("bots/README.md", "python bot").text
    (folder / "mybot.py").write_text(bot)
    wrong = bot.replace(
        'request["legal"][0]', '"7C" if request["id"] > 110 else request["legal"][0]'
    )
    assert wrong != bot
    (folder / "leagues" / "wobbly.py").write_text(wrong)
    (folder / "leagues" / "spring.yaml").write_text(LEAGUE)
    played = cli(["run-league", str(folder / "leagues" / "spring.yaml"), "--quiet"])
    assert played.exit_code == 3, played.output
    return folder


@pytest.fixture
def in_checkout(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, as the current folder."""
    monkeypatch.chdir(checkout)
    return checkout
