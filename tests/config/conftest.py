"""A folder with bots in it, and how to read a league file there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from runner.config import League, load_league
from runner.errors import LeagueFileError

BOTS = ("a.py", "b.py", "c.py", "d.py", "sh.sh", "plain.txt")
"""Readable files; `tool` is one that can be executed."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to put league files in, beside some bots."""
    place = tmp_path_factory.mktemp("league")
    for name in BOTS:
        (place / name).write_text(f"# {name}\n")
    (place / "tool").write_text("#!/bin/sh\n")
    (place / "tool").chmod(0o755)
    (place / "lib").mkdir()
    (place / "lib" / "a.py").write_text("# another\n")
    (place / "lib" / "weights.bin").write_bytes(bytes(range(256)))
    return place


@pytest.fixture(scope="session")
def load(folder: Path) -> Callable[[str | bytes], League]:
    """Reads a text or bytes as the league file `x.yaml` in the folder."""

    def load_contents(contents: str | bytes) -> League:
        path = folder / "x.yaml"
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return load_league(str(path))

    return load_contents


@pytest.fixture(scope="session")
def report_of(folder: Path, load: Callable[[str | bytes], League]) -> Callable[[str | bytes], str]:
    """The whole message for a league file that is wrong, its path cut to `x.yaml`."""

    def report(contents: str | bytes) -> str:
        with pytest.raises(LeagueFileError) as caught:
            load(contents)
        (message,) = caught.value.args
        assert isinstance(message, str)
        return message.replace(f"{folder}/", "")

    return report


@pytest.fixture(scope="session")
def mistakes_of(report_of: Callable[[str | bytes], str]) -> Callable[[str | bytes], list[str]]:
    """The mistakes of a league file, each as `line:column: what`."""

    def mistakes(contents: str | bytes) -> list[str]:
        heads = [line for line in report_of(contents).split("\n") if not line.startswith("  ")]
        assert all(head.startswith("x.yaml:") for head in heads)
        return [head.removeprefix("x.yaml:") for head in heads]

    return mistakes
