"""From an entrant's `bot:` or `command:` to the command that runs it, with its files.

A bot's folder is flat: a file is known there by its base name.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from runner.config.groups import Located, Values
from runner.config.kinds import did_you_mean, unseen
from runner.config.yaml_nodes import Problems, read_regular_file, shown
from runner.errors import UsageError
from runner.records import Bot, BotFiles

MAX_BOT_FILE_BYTES = 64 * 1024 * 1024


def load_bot(path: str, *, packages: bool = False) -> BotFiles:
    """Read a bot of one file, as an entrant with just `bot:` (and `packages:`) names it.

    Raises:
        UsageError: it cannot be read, or is not executable and has no known ending.
    """
    name = Path(path).name
    try:
        content, mode = read_regular_file(Path(path), MAX_BOT_FILE_BYTES)
    except OSError as error:
        hint = _near(Path(path)) if isinstance(error, FileNotFoundError) else ""
        raise UsageError(f"cannot read {shown(path)}: {error.strerror}{hint}") from None
    command = _command_by_ending(name, packages=packages)
    if command is None and not mode & 0o111:
        raise UsageError(
            f"{shown(path)} is not executable; make it so (chmod +x), or name it .py or .sh"
        )
    files = ((name, sha256(content).hexdigest()),)
    return BotFiles(Bot(command or (f"./{name}",), files), {name: content})


def _command_by_ending(name: str, *, packages: bool) -> tuple[str, ...] | None:
    """How a file of a known ending is run; None for one that must run by itself."""
    if name.endswith(".py"):
        return ("python", name) if packages else ("python", "-S", "-s", name)
    if name.endswith(".sh"):
        return ("sh", name)
    return None


class BotReader:
    """Reads the bots of one league file; a file that several bots share is read once.

    Args:
        folder: what paths are relative to.
        problems: takes the mistakes.
    """

    def __init__(self, folder: Path, problems: Problems) -> None:
        self._folder = folder
        self._problems = problems
        self._files: dict[Path, tuple[bytes, int]] = {}

    def read(self, entrant: Values) -> BotFiles | None:
        """The bot of an entrant, or None; then its mistakes are among the problems."""
        found = len(self._problems.found)
        contents = self._contents(entrant)
        command = self._command(entrant)
        wrong = any(each.value is None for each in _listed(entrant, "files"))
        if command is None or wrong or len(self._problems.found) > found:
            return None
        hashes = sorted((name, sha256(data).hexdigest()) for name, data in contents.items())
        return BotFiles(Bot(command, tuple(hashes)), dict(sorted(contents.items())))

    def _contents(self, entrant: Values) -> dict[str, bytes]:
        """The contents of the readable files by base name."""
        contents: dict[str, bytes] = {}
        for key, path in _paths(entrant):
            name = Path(path.value).name
            if name in contents:
                what = f"{key}: a second file named {shown(name)}; a bot sees base names only"
                self._problems.add(path.at, what)
                continue
            file = self._file(key, path)
            if file is None:
                continue
            if name.startswith("-") or unseen(name) is not None:
                what = f"{key}: {shown(name)} cannot name a bot's file, rename it"
                self._problems.add(path.at, what)
            contents[name] = file[0]
        return contents

    def _file(self, key: str, path: Located) -> tuple[bytes, int] | None:
        full = self._folder / path.value
        if full not in self._files:
            try:
                self._files[full] = read_regular_file(full, MAX_BOT_FILE_BYTES)
            except OSError as error:
                hint = ""
                if isinstance(error, FileNotFoundError):
                    hint = _near(full) or " (paths are relative to the league file)"
                what = f"{key}: cannot read {shown(path.value)}: {error.strerror}{hint}"
                self._problems.add(path.at, what)
        return self._files.get(full)

    def _command(self, entrant: Values) -> tuple[str, ...] | None:
        given = [key for key in ("bot", "command") if key in entrant.places]
        if len(given) != 1:
            what = "both 'bot' and 'command'" if given else "neither"
            self._problems.add(entrant.at, f"expected either 'bot' or 'command', got {what}")
            return None
        python = entrant["bot"] is not None and entrant["bot"].endswith(".py")
        if "packages" in entrant.places and not python and (given == ["command"] or entrant["bot"]):
            what = "packages: only for a bot that is a Python file ('bot: ….py')"
            self._problems.add(entrant.at_of("packages"), what)
        if given == ["command"]:
            return self._words(entrant)
        return None if entrant["bot"] is None else self._run_by_ending(entrant)

    def _run_by_ending(self, entrant: Values) -> tuple[str, ...] | None:
        path: str = entrant["bot"]
        name = Path(path).name
        by_ending = _command_by_ending(name, packages=entrant["packages"])
        if by_ending is not None:
            return by_ending
        file = self._files.get(self._folder / path)
        if file and not file[1] & 0o111:
            what = (
                f"bot: {shown(path)} is not executable; make it so (chmod +x), or give"
                " 'command' and 'files'"
            )
            self._problems.add(entrant.at_of("bot"), what)
        return (f"./{name}",)

    def _words(self, entrant: Values) -> tuple[str, ...] | None:
        words = _listed(entrant, "command")
        if not words or any(word.value is None for word in words):
            return None
        files = _listed(entrant, "files")
        if entrant["files"] is None or any(path.value is None for path in files):
            return None
        for word in words:
            self._check_word(word, [path.value for path in files])
        return tuple(word.value for word in words)

    def _check_word(self, word: Located, paths: list[str]) -> None:
        """Refuse a word that names a file in a way that the bot's folder does not know."""
        text: str = word.value
        name = Path(text).name
        known = {Path(path).name for path in paths}
        if text.removeprefix("./") in known or not {".", "/"} & set(text):
            return
        if text in paths:
            what = f"command: the bot sees {shown(text)} as {shown(name)}, write that"
        elif not Path(text).is_absolute() and _is_file(self._folder / text):
            what = f"command: {shown(text)} is a file that the bot cannot see, list it in 'files'"
        elif text.startswith("./"):
            what = f"command: no file named {shown(name)} is among the bot's files"
        else:
            return
        self._problems.add(word.at, what)


def _listed(entrant: Values, key: str) -> tuple[Located, ...]:
    return entrant[key] or ()


def _paths(entrant: Values) -> Iterator[tuple[str, Located]]:
    """Every path of an entrant that can be looked at, with its key."""
    if entrant["bot"] is not None:
        yield "bot", Located(entrant["bot"], entrant.at_of("bot"))
    for path in _listed(entrant, "files"):
        if path.value is not None:
            yield "files", path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a word of a command can be too long for a path
        return False


def _near(path: Path) -> str:
    """A hint for a path that leads nowhere."""
    try:
        names = [beside.name for beside in path.parent.iterdir()]
    except OSError:
        names = []
    return did_you_mean(path.name, names, cutoff=0.75)
