"""A bot of several files: a zip or a folder with a `bot.yaml` that names its command.

Nothing about it is trusted: it may come from anybody. Only regular files are taken, under names
that stay inside, up to a number and a total size; everything else is refused, never skipped in
silence, but for names that begin with a dot, `__pycache__` and `__MACOSX`.
"""

import lzma
import os
import stat
import struct
import unicodedata
import zipfile
import zlib
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from runner.config.file_names import both_file_and_folder, wrong_with_file_name
from runner.config.keys import BOT
from runner.config.yaml_nodes import Problems, Source, parse, read_regular_file, shown
from runner.errors import UsageError
from runner.records import Bot, BotFiles

DESCRIPTION = "bot.yaml"
MAX_PACK_BYTES = 64 * 1024 * 1024
MAX_PACK_FILES = 1000
_MAX_DESCRIPTION_BYTES = 16 * 1024
_LEFT_OUT = {"__pycache__", "__MACOSX"}
_PYTHONS = {"python", "python3"}
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)


@dataclass(frozen=True, slots=True)
class NamedBot:
    """A bot, with what it says that it is called; texts are empty if it does not say."""

    files: BotFiles
    name: str = ""
    author: str = ""


def is_pack(path: Path) -> bool:
    """Whether a path is taken for a bot of several files."""
    try:
        return path.suffix.lower() == ".zip" or path.is_dir()
    except (OSError, ValueError):  # no path can be like that
        return False


def load_pack(path: Path, given: str) -> NamedBot:
    """Read a zip or a folder.

    Args:
        path: where it is.
        given: how the user calls it, for messages.

    Raises:
        UsageError: it cannot be read, or holds what no bot may hold.
    """
    contents = _zip(path, given) if path.suffix.lower() == ".zip" else _folder(path, given)
    described = contents.pop(DESCRIPTION, None)
    if described is None:
        what = "it is a zip" if path.suffix.lower() == ".zip" else "it is a folder"
        raise UsageError(f"cannot read {shown(given)}: {what} without a {DESCRIPTION}")
    doubled = both_file_and_folder(contents)
    if doubled is not None:
        raise UsageError(f"{shown(given)}: {shown(doubled)} is both a file and a folder")
    return _described(described, contents, given)


def _described(described: bytes, contents: dict[str, bytes], given: str) -> NamedBot:
    where = f"{given}/{DESCRIPTION}"
    try:
        text = described[:_MAX_DESCRIPTION_BYTES].decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise UsageError(f"{where}: not UTF-8 text") from None
    problems = Problems(Source(where, text))
    root = parse(problems)
    if root is None and not problems.found:
        problems.stop(0, f"the file is empty: expected {BOT.expected}")
    values = None if root is None else BOT.read(root, "bot", problems)
    words = values["command"] if values is not None else None
    if values is None or problems.found or not words:
        raise problems.error()
    for word in words:
        name = word.value.removeprefix("./")
        if word.value.startswith("./") and name not in contents:
            problems.add(word.at, f"command: no file named {shown(name)} is in it")
    if problems.found:
        raise problems.error()
    command = tuple(word.value for word in words)
    if command[0] in _PYTHONS and not values["packages"]:
        command = (command[0], "-S", "-s", *command[1:])
    hashes = sorted((name, sha256(data).hexdigest()) for name, data in contents.items())
    files = BotFiles(Bot(command, tuple(hashes)), dict(sorted(contents.items())))
    return NamedBot(files, values["name"] or "", values["author"] or "")


class _Contents:
    """Gathers files, up to the limits."""

    def __init__(self, given: str) -> None:
        self.files: dict[str, bytes] = {}
        self._given = given
        self._left = MAX_PACK_BYTES

    @property
    def room(self) -> int:
        """How many bytes may still come."""
        return self._left

    def refuse(self, name: str, what: str) -> UsageError:
        return UsageError(f"{shown(self._given)}: {shown(name)}: {what}")

    def check(self, name: str) -> str:
        """The name as it is kept, if it may be.

        Raises:
            UsageError: it may not.
        """
        name = unicodedata.normalize("NFC", name)
        wrong = wrong_with_file_name(name)
        if wrong is not None:
            raise self.refuse(name, wrong)
        if name in self.files:
            raise self.refuse(name, "it is there twice")
        if len(self.files) >= MAX_PACK_FILES:
            raise self.refuse(name, f"more than {MAX_PACK_FILES} files")
        return name

    def add(self, name: str, data: bytes) -> None:
        self._left -= len(data)
        if self._left < 0:
            raise self.refuse(name, f"all together more than {MAX_PACK_BYTES >> 20} MiB")
        self.files[self.check(name)] = data


def _is_left_out(name: str) -> bool:
    return any(part in _LEFT_OUT or _is_hidden(part) for part in name.split("/"))


def _is_hidden(part: str) -> bool:
    return part.startswith(".") and part != "." and not part.startswith("..")


def _zip(path: Path, given: str) -> dict[str, bytes]:
    contents = _Contents(given)
    try:
        read_regular_file(path, MAX_PACK_BYTES)
        with zipfile.ZipFile(path) as opened:
            entries = opened.infolist()
            if len(entries) > 2 * MAX_PACK_FILES:
                raise contents.refuse(path.name, f"more than {MAX_PACK_FILES} files")
            inside = _common_folder([entry.filename for entry in entries])
            for entry in entries:
                _take_entry(opened, entry, inside, contents)
    except _UNREADABLE as error:
        what = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise UsageError(f"cannot read {shown(given)}: {what}") from None
    return contents.files


def _common_folder(names: list[str]) -> str:
    """The one folder that everything lies in, with its slash, unless `bot.yaml` lies outside."""
    kept = [name for name in names if not _is_left_out(name)]
    first = kept[0].partition("/")[0] + "/" if kept else ""
    if first in ("/", "./", "../") or not all(name.startswith(first) for name in kept):
        return ""
    return first


def _take_entry(
    opened: zipfile.ZipFile, entry: zipfile.ZipInfo, inside: str, contents: _Contents
) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise contents.refuse(entry.filename, "neither a file nor a folder (a link or a device?)")
    # As it stands in the file: `filename` ends at a NUL.
    name = entry.orig_filename.removeprefix(inside)
    if not name.rstrip("/") or _is_left_out(name):
        return
    if entry.is_dir() or kind == stat.S_IFDIR:
        contents.check(name.rstrip("/"))
        return
    if entry.flag_bits & 1:
        raise contents.refuse(name, "it is encrypted")
    name = contents.check(name)
    with opened.open(entry) as file:
        # What an entry claims about its size is not believed.
        contents.add(name, file.read(contents.room + 1))


def _folder(path: Path, given: str) -> dict[str, bytes]:
    contents = _Contents(given)
    try:
        for folder, folders, files, handle in os.fwalk(path, onerror=_raise):
            relative = os.path.relpath(folder, path)
            prefix = "" if relative == "." else f"{relative}/"
            for name in folders:
                if stat.S_ISLNK(os.lstat(name, dir_fd=handle).st_mode) and not _is_left_out(name):
                    raise contents.refuse(prefix + name, "it is a link")
            folders[:] = sorted(name for name in folders if not _is_left_out(name))
            for name in sorted(files):
                if not _is_left_out(name):
                    kept = contents.check(prefix + name)
                    contents.add(kept, _read_in(handle, name, kept, contents))
    except OSError as error:
        raise UsageError(f"cannot read {shown(given)}: {error.strerror}") from None
    return contents.files


def _read_in(handle: int, name: str, kept: str, contents: _Contents) -> bytes:
    try:
        opened = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=handle
        )
    except OSError as error:
        what = "it is a link" if os.path.islink(f"/proc/self/fd/{handle}/{name}") else None  # noqa: PTH114
        raise contents.refuse(kept, what or f"cannot be read: {error.strerror}") from None
    with os.fdopen(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise contents.refuse(kept, "it is not a regular file")
        return file.read(contents.room + 1)


def _raise(error: OSError) -> None:
    raise error
