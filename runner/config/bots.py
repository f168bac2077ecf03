"""From an entrant's `bot:` or `command:` to the command that runs it, with its files.

Files that a league file lists are known to the bot by their base names; a zip or a folder (see
`runner.config.packs`) keeps its own folders.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from runner.config.file_names import wrong_with_file_name
from runner.config.groups import Located, Values
from runner.config.kinds import did_you_mean
from runner.config.packs import NamedBot, is_pack, load_pack
from runner.config.yaml_nodes import Problems, read_regular_file, shown
from runner.errors import UsageError
from runner.records import Bot, BotFiles

MAX_BOT_FILE_BYTES = 64 * 1024 * 1024


def load_bot(path: str, *, packages: bool = False) -> BotFiles:
    """Read a bot, as an entrant with just `bot:` (and `packages:`) names it.

    Raises:
        UsageError: it cannot be read, or is of no kind that can be run.
    """
    return load_named_bot(path, packages=packages).files


def load_named_bot(path: str, *, packages: bool = False, links: bool = True) -> NamedBot:
    """Read a bot, with the name and author that its `bot.yaml` says.

    Args:
        path: a file, a zip or a folder.
        packages: whether a bot of one Python file needs installed packages.
        links: whether the path itself may be a symbolic link.

    Raises:
        UsageError: it cannot be read, or is of no kind that can be run.
    """
    if not links and _is_link(Path(path)):
        raise UsageError(f"cannot read {shown(path)}: it is a link")
    if is_pack(Path(path)):
        if packages:
            raise UsageError(f"{shown(path)}: 'packages' belongs into its bot.yaml")
        return load_pack(Path(path), path)
    name = Path(path).name
    try:
        content, mode = read_regular_file(Path(path), MAX_BOT_FILE_BYTES)
    except OSError as error:
        hint = _near(Path(path)) if isinstance(error, FileNotFoundError) else ""
        raise UsageError(f"cannot read {shown(path)}: {error.strerror}{hint}") from None
    wrong = wrong_with_file_name(name)
    if wrong is not None:
        raise UsageError(f"{shown(name)} cannot name a bot's file, rename it: {wrong}")
    command = _command_by_ending(name, packages=packages)
    if packages and not name.endswith(".py"):
        raise UsageError(f"{shown(path)}: 'packages' is only for a bot that is a Python file")
    if command is None and not _is_program(content, mode):
        raise UsageError(
            f"{shown(path)} is not executable; make it so (chmod +x), or give it an ending out of "
            f"{', '.join(_BY_ENDING)}"
        )
    files = ((name, sha256(content).hexdigest()),)
    return NamedBot(BotFiles(Bot(command or (f"./{name}",), files), {name: content}))


_BY_ENDING = {
    ".py": ("python", "-S", "-s"),
    ".sh": ("sh",),
    ".js": ("node",),
    ".rb": ("ruby",),
    ".pl": ("perl",),
    ".jar": ("java", "-jar"),
}
"""By the ending of a bot's file, the words before its name."""


def _command_by_ending(name: str, *, packages: bool) -> tuple[str, ...] | None:
    """How a file of a known ending is run; None for one that must run by itself."""
    words = _BY_ENDING.get(Path(name).suffix)
    if words is None:
        return None
    return (words[0], name) if packages else (*words, name)


def _is_program(content: bytes, mode: int) -> bool:
    """Whether a file runs by itself; the copy that is run is executable in any case."""
    return bool(mode & 0o111) or content.startswith((b"#!", b"\x7fELF"))


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

    def read(self, entrant: Values) -> NamedBot | None:
        """The bot of an entrant, or None; then its mistakes are among the problems."""
        if entrant["bot"] is not None and "command" not in entrant.places:
            path = self._folder / entrant["bot"]
            if is_pack(path):
                return self._pack(path, entrant)
        found = len(self._problems.found)
        contents = self._contents(entrant)
        command = self._command(entrant)
        wrong = any(each.value is None for each in _listed(entrant, "files"))
        if command is None or wrong or len(self._problems.found) > found:
            return None
        hashes = sorted((name, sha256(data).hexdigest()) for name, data in contents.items())
        return NamedBot(BotFiles(Bot(command, tuple(hashes)), dict(sorted(contents.items()))))

    def _pack(self, path: Path, entrant: Values) -> NamedBot | None:
        for key in ("files", "packages"):
            if key in entrant.places:
                what = f"{key}: a zip or folder says that itself (its files, its bot.yaml)"
                self._problems.add(entrant.at_of(key), what)
        try:
            return load_pack(path, entrant["bot"])
        except UsageError as error:
            first = str(error).partition("\n")[0]
            self._problems.add(entrant.at_of("bot"), f"bot: {first}")
            return None

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
            if wrong_with_file_name(name) is not None:
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
        if file and not _is_program(*file):
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


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except (OSError, ValueError):  # no path can be like that
        return False


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
