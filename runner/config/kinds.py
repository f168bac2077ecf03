"""The types of single values in a league file: how each is read, and its JSON Schema.

A kind states both, so that what an editor accepts and what the runner accepts are one thing.
Reading never raises: a mistake goes to `Problems`, and None comes back.

YAML 1.1 and 1.2 read some bare words differently (`no`, `on`, `010`, `1:30`, `1e-1`). What both
take for the same thing is that thing; a number with an exponent is a number; anything else has a
message that says how to write it. Nothing is ever guessed.
"""

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any

import yaml

from runner.config.yaml_nodes import Items, Node, Pairs, Problems, Scalar, Unusable, shown

_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z", re.ASCII)
_NUMBER = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?\Z", re.ASCII)
_NUMBER_OF_1_2 = re.compile(
    r"([-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+)\Z", re.ASCII
)
_LOOKS_NUMERIC = re.compile(r"[-+]?\.?[0-9][0-9_.:eExXoObBa-fA-F+-]*\Z", re.ASCII)
_MOMENT = "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})"
_RESOLVER: Any = yaml.resolver.Resolver()

UNSEEN_RANGES = (
    "\\u0000-\\u001f\\u007f-\\u00a0\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891"
    "\\u08e2\\u115f\\u1160\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u2064"
    "\\u2066-\\u206f\\u2800\\u3000\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb"
)
"""The inside of a character class, for JSON Schema: what a name may not hold, of the first plane.

`unseen` decides; a test compares the two.
"""

_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"


def unseen(text: str) -> str | None:
    """The first character of a text that cannot be seen or that reorders what can be, or None.

    Controls, bidirectional and other format characters, surrogates, blank letters, line
    separators, and every space but the ordinary one.
    """
    for char in text:
        category = unicodedata.category(char)
        if category in ("Cc", "Cf", "Cs", "Zl", "Zp") or char in _BLANK_LETTERS:
            return char
        if category == "Zs" and char != " ":
            return char
    return None


def did_you_mean(word: str, known: Sequence[str], cutoff: float = 0.6) -> str:
    """A hint that names the nearest of some words, or an empty text if none is near enough."""
    by_fold = {name.casefold(): name for name in known}
    close = get_close_matches(word[:100].casefold(), by_fold, n=1, cutoff=cutoff)
    return f" (did you mean {shown(by_fold[close[0]])}?)" if close else ""


def described(node: Node) -> str:
    """What came, for a message."""
    match node:
        case Items():
            return "a list"
        case Pairs():
            return "a group of keys"
        case Scalar(text="", plain=True):
            return "nothing"
        case Scalar(text=text):
            return shown(text)
        case Unusable():
            return "nothing usable"


def _means_text(text: str) -> bool:
    """Whether YAML 1.1 and 1.2 both take a bare word for text."""
    tag = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))
    return bool(tag == "tag:yaml.org,2002:str") and not _NUMBER_OF_1_2.match(text)


def _number_hint(node: Node) -> str:
    """How to write what was perhaps meant as a number, or an empty text."""
    if not isinstance(node, Scalar) or not _LOOKS_NUMERIC.match(node.text):
        return ""
    if not node.plain:
        return " (write it without quotes)" if _NUMBER.match(node.text) else ""
    hints = {
        "_": "without underscores",
        ":": "as one number, without colons",
        r"^[-+]?0[xobXOB]": "in decimal digits",
        r"^[-+]?0[0-9]": "without the leading zero",
    }
    hint = next((how for what, how in hints.items() if re.search(what, node.text)), None)
    return f" (write it {hint})" if hint else ""


class Kind(ABC):
    """A type of value."""

    @property
    @abstractmethod
    def expected(self) -> str:
        """What a value must be, for messages: "a whole number from 1 to 9"."""

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""

    @abstractmethod
    def read(self, node: Node, key: str, problems: Problems) -> Any:
        """The value of a node, or None if it is wrong; then its mistakes are among the problems.

        Args:
            node: what the file holds.
            key: the key that it stands under, for messages.
            problems: takes the mistakes.
        """

    def refuse(self, node: Node, key: str, problems: Problems, hint: str = "") -> None:
        """Report that a node is not what was expected."""
        if not isinstance(node, Unusable):
            what = f"{key}: expected {self.expected}, got {described(node)}{hint}"
            problems.add(node.at, what)


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    """A whole number within a range."""

    low: int
    high: int

    @property
    def expected(self) -> str:
        """What a value must be."""
        if self.high == self.low + 1:
            return f"{self.low} or {self.high}"
        return f"a whole number from {self.low} to {self.high}"

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}

    def read(self, node: Node, key: str, problems: Problems) -> int | None:
        """Read a whole number in decimal digits."""
        if isinstance(node, Scalar) and node.plain and _WHOLE.match(node.text):
            # No range needs more digits, and int() would refuse thousands of them.
            value = int(node.text[:18])
            if len(node.text) <= 18 and self.low <= value <= self.high:
                return value
        self.refuse(node, key, problems, _number_hint(node))
        return None


@dataclass(frozen=True, slots=True)
class Seconds(Kind):
    """A duration within a range."""

    low: float
    high: float

    @property
    def expected(self) -> str:
        """What a value must be."""
        return f"a number of seconds from {self.low:g} to {self.high:g}"

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        return {"type": "number", "minimum": self.low, "maximum": self.high}

    def read(self, node: Node, key: str, problems: Problems) -> float | None:
        """Read a decimal number, with or without fraction and exponent."""
        if isinstance(node, Scalar) and node.plain and _NUMBER.match(node.text):
            value = float(node.text)
            if self.low <= value <= self.high:
                return value
        self.refuse(node, key, problems, _number_hint(node))
        return None


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    """True or false."""

    @property
    def expected(self) -> str:
        """What a value must be."""
        return "true or false"

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        return {"type": "boolean"}

    def read(self, node: Node, key: str, problems: Problems) -> bool | None:
        """Read a truth value; `yes` and `on` are text to YAML 1.2 and are refused."""
        if isinstance(node, Scalar) and node.plain:
            value = {"true": True, "false": False}.get(node.text.lower())
            if value is not None:
                return value
        self.refuse(node, key, problems)
        return None


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of a few words."""

    options: tuple[str, ...]

    @property
    def expected(self) -> str:
        """What a value must be."""
        return " or ".join(self.options)

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        return {"enum": list(self.options)}

    def read(self, node: Node, key: str, problems: Problems) -> str | None:
        """Read one of the words, quoted or not."""
        if isinstance(node, Scalar):
            if node.text in self.options:
                return node.text
            self.refuse(node, key, problems, did_you_mean(node.text, self.options))
        else:
            self.refuse(node, key, problems)
        return None


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """A text that is shown to people: one line, nothing in it that cannot be seen.

    It comes out in Unicode's composed form, so that what looks the same is the same.
    """

    low: int
    high: int

    @property
    def expected(self) -> str:
        """What a value must be."""
        return f"text of {self.low} to {self.high} characters"

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        seen, edge = f"[^{UNSEEN_RANGES}]", f"[^ {UNSEEN_RANGES}]"
        pattern = f"^{edge}({seen}*{edge})?$"
        return {
            "type": "string",
            "minLength": self.low,
            "maxLength": self.high,
            "pattern": pattern if self.low else f"^({pattern[1:-1]})?$",
        }

    def read(self, node: Node, key: str, problems: Problems) -> str | None:
        """Read a text; a bare word that some YAML takes for something else must be quoted."""
        if not isinstance(node, Scalar) or (node.plain and not node.text):
            self.refuse(node, key, problems)
        elif node.plain and not _means_text(node.text):
            self.refuse(node, key, problems, " (write it in quotes)")
        else:
            wrong = self.wrong_with(node.text)
            if wrong is None:
                return unicodedata.normalize("NFC", node.text)
            problems.add(node.at, f"{key}: {wrong}")
        return None

    def wrong_with(self, text: str) -> str | None:
        """What is wrong with a text, or None."""
        if not self.low <= len(text) <= self.high:
            return f"expected {self.expected}, got {len(text)}"
        hidden = unseen(text)
        if hidden is not None:
            return f"expected text that can be seen, got U+{ord(hidden):04X} in {shown(text)}"
        if text != text.strip():
            return f"expected no space at either end, got {shown(text)}"
        return None


@dataclass(frozen=True, slots=True)
class Seed(Kind):
    """A text or a whole number; the number counts as its decimal text."""

    text: Text

    @property
    def expected(self) -> str:
        """What a value must be."""
        return f"{self.text.expected}, or a whole number"

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value: a string's rules do not bear on numbers."""
        return {**self.text.schema(), "type": ["string", "integer"]}

    def read(self, node: Node, key: str, problems: Problems) -> str | None:
        """Read a text, or the text of a whole number."""
        if isinstance(node, Scalar) and node.plain:
            if re.match(r"(0|-?[1-9][0-9]*)\Z", node.text, re.ASCII):
                node = Scalar(node.at, node.text, plain=False)
            elif not _means_text(node.text):
                self.refuse(node, key, problems, " (write it in quotes)" if node.text else "")
                return None
        return self.text.read(node, key, problems)


@dataclass(frozen=True, slots=True)
class Moment(Kind):
    """A date and time with its zone."""

    @property
    def expected(self) -> str:
        """What a value must be."""
        return "a time with its zone, such as 2026-12-01T18:00:00+01:00"

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        return {"type": "string", "pattern": f"^{_MOMENT}$"}

    def read(self, node: Node, key: str, problems: Problems) -> datetime | None:
        """Read a time, quoted or not: YAML 1.1 and 1.2 differ in its type, not in its meaning."""
        if isinstance(node, Scalar) and re.fullmatch(_MOMENT, node.text, re.ASCII):
            try:
                return datetime.fromisoformat(node.text)
            except ValueError:  # a 31st of February
                pass
        self.refuse(node, key, problems)
        return None


@dataclass(frozen=True, slots=True)
class Word(Kind):
    """A path or a word of a command: any text that the operating system can be given."""

    what: str
    high: int

    @property
    def expected(self) -> str:
        """What a value must be."""
        return f"{self.what} of 1 to {self.high} characters"

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        return {"type": "string", "minLength": 1, "maxLength": self.high}

    def read(self, node: Node, key: str, problems: Problems) -> str | None:
        """Read a text that holds no NUL and no half of a surrogate pair."""
        if not isinstance(node, Scalar):
            self.refuse(node, key, problems)
        elif node.plain and node.text and not _means_text(node.text):
            self.refuse(node, key, problems, " (write it in quotes)")
        elif not 1 <= len(node.text) <= self.high or re.search("[\0\ud800-\udfff]", node.text):
            self.refuse(node, key, problems)
        else:
            return node.text
        return None
