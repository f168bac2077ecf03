"""A bot's files laid out on disk, ready to be started."""

import os
import shutil
import threading
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from runner.botio.interpreter import Interpreter, interpreter
from runner.config.file_names import wrong_with_file_name
from runner.errors import RunError
from runner.records import BotFiles

INTERPRETERS = ("python", "python3")
"""First words of a command that stand for the interpreter which the league runs bots with."""

_READ_AND_EXECUTE = 0o555


@dataclass(frozen=True, slots=True)
class Program:
    """What it takes to start a bot.

    Attributes:
        command: the words of the command, with the interpreter resolved.
        folder: where the bot's files lie; the process starts there.
        needs: what else it reads: where its interpreter and packages are.
    """

    command: tuple[str, ...]
    folder: Path
    needs: tuple[Path, ...] = ()


def unpack(bot_files: BotFiles, root: Path, python: str = "") -> Program:
    """Lay a bot's files out below `root`, in a folder named after its version.

    Args:
        bot_files: the bot.
        root: a folder that only the runner's user can enter.
        python: the interpreter of Python bots, or a virtual environment; our own if empty.

    A folder that is there already is used as it is, so many sittings share one copy. The copy is
    made under another name and moved in place, so that nobody sees half of it.

    Raises:
        RunError: a file has a name that would lead out of its folder.
        OSError: the disk does not take it.
        UsageError: there is no such interpreter.
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
            file.chmod(_READ_AND_EXECUTE)  # for all: a boxed bot is a user of its own
        for made in (draft, *(path for path in draft.rglob("*") if path.is_dir())):
            made.chmod(_READ_AND_EXECUTE)
        try:
            draft.rename(folder)
        except OSError:
            draft.chmod(0o700)
            shutil.rmtree(draft, ignore_errors=True)
            if not folder.exists():
                raise
    command = bot_files.bot.command
    if command[0] in INTERPRETERS:
        return _python_program(command, folder, interpreter(python))
    return Program(command, folder)


def _python_program(command: tuple[str, ...], folder: Path, python: Interpreter) -> Program:
    """With -S a bot gets the standard library alone, else the installed packages too."""
    if "-S" in takewhile(lambda word: word.startswith("-"), command[1:]):
        return Program((python.base_executable, *command[1:]), folder, (Path(python.base_prefix),))
    needs = dict.fromkeys((Path(python.base_prefix), Path(python.prefix)))
    return Program((python.executable, *command[1:]), folder, tuple(needs))
