"""A bot's files laid out on disk, ready to be started."""

import os
import shutil
import stat
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from runner.config.file_names import wrong_with_file_name
from runner.errors import RunError
from runner.records import BotFiles

INTERPRETERS = ("python", "python3")
"""First words of a command that stand for the interpreter which runs the league."""


@dataclass(frozen=True, slots=True)
class Program:
    """What it takes to start a bot.

    Attributes:
        command: the words of the command, with the interpreter resolved.
        folder: where the bot's files lie; the process starts there.
    """

    command: tuple[str, ...]
    folder: Path


def unpack(bot_files: BotFiles, root: Path) -> Program:
    """Lay a bot's files out below `root`, in a folder named after its version.

    A folder that is there already is used as it is, so many sittings share one copy. The copy is
    made under another name and moved in place, so that nobody sees half of it.

    Raises:
        RunError: a file has a name that would lead out of its folder.
        OSError: the disk does not take it.
    """
    folder = root / bot_files.bot.version
    if not folder.exists():
        draft = root / f".{bot_files.bot.version}.{os.getpid()}.{threading.get_ident()}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        for name, content in bot_files.contents.items():
            wrong = wrong_with_file_name(name)
            if wrong is not None:
                raise RunError(f"{name[:60]!r} cannot name a bot's file: {wrong}")
            file = draft / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IRGRP | stat.S_IXGRP)
        for made in (draft, *(path for path in draft.rglob("*") if path.is_dir())):
            made.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IRGRP | stat.S_IXGRP)
        try:
            draft.rename(folder)
        except OSError:
            draft.chmod(stat.S_IRWXU)
            shutil.rmtree(draft, ignore_errors=True)
            if not folder.exists():
                raise
    return Program(_resolved(bot_files.bot.command), folder)


def _resolved(command: tuple[str, ...]) -> tuple[str, ...]:
    if command[0] in INTERPRETERS:
        return (sys.executable, *command[1:])
    return command
