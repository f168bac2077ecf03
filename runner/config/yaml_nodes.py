"""YAML as located nodes, and the messages that point into it.

Built from the parser's events and not by a YAML loader: a loader drops the places, resolves `no`
and `010` before anybody can ask what was written, keeps the last of two equal keys, and expands
aliases. Here a scalar stays the text that the user sees; `runner.config.kinds` decides what it
means. The parser is the one in Python, so that messages do not depend on how PyYAML was built.
"""

import re
import stat
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Never

import yaml

from runner.errors import LeagueFileError

MAX_FILE_BYTES = 256 * 1024
MAX_DEPTH = 12
"""Far deeper than any key lies; keeps nesting from costing anything."""

MAX_MESSAGES = 100
EXCERPT_WIDTH = 100

_LINE_END = re.compile(r"\r\n|\n|\r")
_NOT_TEXT = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value.

    Attributes:
        at: index of its first character in the source.
        text: as written, without quotes and with escapes undone.
        plain: whether it stood without quotes.
    """

    at: int
    text: str
    plain: bool


@dataclass(frozen=True, slots=True)
class Items:
    """A YAML sequence."""

    at: int
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """A YAML mapping, its keys in order, equal ones included."""

    at: int
    pairs: tuple[tuple["Node", "Node"], ...]


@dataclass(frozen=True, slots=True)
class Unusable:
    """What already has its message, such as an alias; nobody need complain again."""

    at: int


Node = Scalar | Items | Pairs | Unusable


class Source:
    """The text of a league file.

    Attributes:
        path: as the user gave it.
        text: the whole file.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(text))]

    def line_of(self, at: int) -> int:
        """The number of the line, from 1, that a character stands on."""
        return bisect_right(self._starts, at)

    def message(self, at: int, what: str) -> str:
        """What is wrong at a character, with its place, its line and a caret below it."""
        line = self.line_of(at)
        column = at - self._starts[line - 1]
        head = f"{self.path}:{line}:{column + 1}: {what}"
        if not self.text:
            return head
        return "\n".join((head, *_excerpt(self._line(line), column)))

    def _line(self, line: int) -> str:
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        return self.text[self._starts[line - 1] : end].rstrip("\r\n")


@dataclass(slots=True)
class Problems:
    """The mistakes found in a source so far."""

    source: Source
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, at: int, what: str) -> None:
        """Note a mistake at a character of the source."""
        self.found.append((at, what))

    def error(self) -> LeagueFileError:
        """All mistakes as one error, in the order of the file; beyond a hundred only their number.

        The limit keeps what a hostile file can make us print within reason.
        """
        found = sorted(self.found, key=lambda problem: problem[0])
        if len(found) > MAX_MESSAGES:
            at = found[MAX_MESSAGES][0]
            more = f"from here on, {len(found) - MAX_MESSAGES} more mistakes are not shown"
            found[MAX_MESSAGES:] = [(at, more)]
        return LeagueFileError("\n".join(self.source.message(at, what) for at, what in found))

    def stop(self, at: int, what: str) -> Never:
        """Raise one mistake that stands alone, whatever else was found.

        Raises:
            LeagueFileError: always.
        """
        raise LeagueFileError(self.source.message(at, what))


def shown(text: str, limit: int = 60) -> str:
    """A text in quotes for a message: cut, and with what cannot be seen escaped."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def read_regular_file(path: Path, max_bytes: int) -> tuple[bytes, int]:
    """Read a file that a league names: its contents and its mode.

    Raises:
        OSError: it cannot be read, or is no regular file (a named pipe would hang us, a device
            never end); `strerror` says why.
    """
    try:
        mode = path.stat().st_mode
    except ValueError as error:  # a NUL in the path
        raise OSError(0, str(error)) from None
    if stat.S_ISDIR(mode):
        raise OSError(0, "it is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(0, "it is not a regular file")
    with path.open("rb") as file:
        contents = file.read(max_bytes + 1)
    if len(contents) > max_bytes:
        raise OSError(0, f"it is larger than {_size(max_bytes)}")
    return contents, mode


def read_source(path: str) -> Source:
    """Read a league file as text.

    Raises:
        LeagueFileError: it cannot be read, is too large, or is no UTF-8 text.
    """
    nothing = Problems(Source(path, ""))
    try:
        contents, _ = read_regular_file(Path(path), MAX_FILE_BYTES)
    except OSError as error:
        nothing.stop(0, f"cannot read the league file: {error.strerror}")
    try:
        text = contents.decode("utf-8")
    except UnicodeDecodeError as error:
        before = contents[: error.start].decode("utf-8")
        text = contents.decode("utf-8", errors="replace")
        what = f"not UTF-8 text: cannot read byte 0x{contents[error.start]:02x}"
        Problems(Source(path, text)).stop(len(before), what)
    source = Source(path, text.removeprefix("\ufeff"))
    strange = _NOT_TEXT.search(source.text)
    if strange:
        what = f"not a text file: U+{ord(strange[0]):04X} cannot stand in YAML"
        Problems(source).stop(strange.start(), what)
    return source


def parse(problems: Problems) -> Node | None:
    """The root node of a source, or None if it holds no value at all.

    Anchors, aliases and tags are mistakes: a league file has no use for them, and without them it
    cannot grow when it is read.

    Raises:
        LeagueFileError: it is not YAML; a syntax error stands alone.
    """
    loader = yaml.SafeLoader(problems.source.text)
    try:
        return _build(loader, problems)
    except yaml.MarkedYAMLError as error:
        problems.stop(*_syntax_error(error, len(problems.source.text)))
    except (ValueError, OverflowError):
        # PyYAML lets these through for an escape such as "\UFFFFFFFF" and for a directive such
        # as %YAML with thousands of digits.
        problems.stop(loader.get_mark().index, "not YAML: a number here is out of range")


def _build(loader: Any, problems: Problems) -> Node | None:
    """Turn events into nodes, with a stack of our own: depth costs no recursion."""
    roots: list[Node] = []
    open_nodes: list[tuple[int, bool, list[Node]]] = []
    while loader.check_event():
        event = loader.get_event()
        at = event.start_mark.index
        into = open_nodes[-1][2] if open_nodes else roots
        if isinstance(event, yaml.NodeEvent):
            _refuse_properties(event, at, problems)
        if isinstance(event, yaml.DocumentStartEvent) and roots:
            problems.stop(at, "a second document: a league file holds one league")
        elif isinstance(event, yaml.AliasEvent):
            into.append(Unusable(at))
        elif isinstance(event, yaml.ScalarEvent):
            into.append(Scalar(at, event.value, event.style is None))
        elif isinstance(event, yaml.CollectionStartEvent):
            if len(open_nodes) >= MAX_DEPTH:
                problems.stop(at, "nested deeper than any key of a league file")
            open_nodes.append((at, isinstance(event, yaml.MappingStartEvent), []))
        elif isinstance(event, yaml.CollectionEndEvent):
            start, is_mapping, nodes = open_nodes.pop()
            outer = open_nodes[-1][2] if open_nodes else roots
            outer.append(
                Pairs(start, tuple(zip(nodes[::2], nodes[1::2], strict=True)))
                if is_mapping
                else Items(start, tuple(nodes))
            )
    root = roots[0] if roots else None
    return None if isinstance(root, Scalar) and root.plain and not root.text else root


def _refuse_properties(event: Any, at: int, problems: Problems) -> None:
    if isinstance(event, yaml.AliasEvent):
        name = shown("*" + str(event.anchor))
        problems.add(at, f"alias {name}: a league file has no aliases, write the value here")
    elif event.anchor is not None:
        name = shown("&" + str(event.anchor))
        problems.add(at, f"anchor {name}: a league file has no anchors, take it out")
    if getattr(event, "tag", None) is not None:
        problems.add(at, f"tag {shown(event.tag)}: a league file has no tags, take it out")


def _syntax_error(error: yaml.MarkedYAMLError, end: int) -> tuple[int, str]:
    """Where and how to report a syntax error: where it began, if all of the rest is in it."""
    mark = error.problem_mark or error.context_mark
    if mark is None or (mark.index >= end and error.context_mark is not None):
        mark = error.context_mark
    what = ", ".join(part for part in (error.context, error.problem) if part)
    if "'\\t'" in what:
        what += " (indent with spaces, not with tabs)"
    elif "mapping values are not allowed" in what:
        what += " (is the indentation right? text with a colon and a space needs quotes)"
    return (mark.index if mark else 0), f"not YAML: {what}"


def _excerpt(line: str, column: int) -> tuple[str, str]:
    """A line of the source, cut to a window around a column, and the caret below it."""
    first = max(0, column - EXCERPT_WIDTH // 2) if len(line) > EXCERPT_WIDTH else 0
    before = ("…" if first else "") + _printable(line[first:column])
    after = _printable(line[column : first + EXCERPT_WIDTH])
    cut = "…" if len(line) > first + EXCERPT_WIDTH else ""
    return f"  {before}{after}{cut}", "  " + " " * _width(before) + "^"


def _printable(text: str) -> str:
    return "".join(
        " " if char == "\t" else char if char.isprintable() else repr(char)[1:-1] for char in text
    )


def _width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in ("Mn", "Me") for char in text)


def _size(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
