"""Lists and groups of keys in a league file: how each is read, and its JSON Schema."""

from dataclasses import dataclass, field
from typing import Any

from runner.config.kinds import Kind, described, did_you_mean
from runner.config.yaml_nodes import Items, Node, Pairs, Problems, Scalar, Unusable, shown


@dataclass(frozen=True, slots=True)
class Located:
    """A value, or None for one that was wrong, and where it stands."""

    value: Any
    at: int


@dataclass(frozen=True, slots=True)
class Listing(Kind):
    """A list of values of one kind."""

    item: Kind
    what: str
    low: int
    high: int

    @property
    def expected(self) -> str:
        """What a value must be."""
        return f"a list of {self.low} to {self.high} {self.what}"

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        return {
            "type": "array",
            "items": self.item.schema(),
            "minItems": self.low,
            "maxItems": self.high,
        }

    def read(self, node: Node, key: str, problems: Problems) -> tuple[Located, ...] | None:
        """Read a list; items that are wrong keep their place in it."""
        if not isinstance(node, Items):
            self.refuse(node, key, problems)
            return None
        if not self.low <= len(node.items) <= self.high:
            problems.add(node.at, f"{key}: expected {self.expected}, got {len(node.items)}")
            return None
        return tuple(Located(self.item.read(each, key, problems), each.at) for each in node.items)


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a league file.

    Attributes:
        name: as it is written.
        kind: the type of its value.
        doc: what it means, in a sentence.
        default: the value when it is left out; None where there is none or it depends.
        default_doc: how the default comes about, where it depends.
        required: whether it must be there.
    """

    name: str
    kind: Kind
    doc: str
    default: Any = None
    default_doc: str = ""
    required: bool = False

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the key's value, with its meaning and default."""
        doc = f"{self.doc} Default: {self.default_doc}." if self.default_doc else self.doc
        default = {} if self.default is None else {"default": self._plain_default()}
        return {"description": doc, **self.kind.schema(), **default}

    def _plain_default(self) -> Any:
        return list(self.default) if isinstance(self.default, tuple) else self.default


@dataclass(frozen=True, slots=True)
class Values:
    """What a group of keys holds.

    Attributes:
        at: where the group begins.
        places: where the value of each given key stands, also of one that is wrong.
        values: by key, what is given and right, and the defaults of what is not given.
    """

    at: int
    places: dict[str, int]
    values: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        """The value of a key, or None if it is wrong, or left out without a default."""
        return self.values.get(key)

    def at_of(self, key: str) -> int:
        """Where the value of a key stands, or where the group begins if it is left out."""
        return self.places.get(key, self.at)


@dataclass(frozen=True, slots=True)
class Group(Kind):
    """Keys and their values.

    Attributes:
        what: what the group describes, for messages.
        keys: the keys that it can hold.
        rules: what else its JSON Schema says; whoever uses the values checks the same.
        elsewhere: for keys of other groups, where they belong.
    """

    what: str
    keys: tuple[Key, ...]
    rules: dict[str, Any] = field(default_factory=dict)
    elsewhere: dict[str, str] = field(default_factory=dict)

    @property
    def expected(self) -> str:
        """What a value must be."""
        return f"the keys of {self.what} ('{self.keys[0].name}: …')"

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        required = [key.name for key in self.keys if key.required]
        return {
            "type": "object",
            "additionalProperties": False,
            **({"required": required} if required else {}),
            "properties": {key.name: key.schema() for key in self.keys},
            **self.rules,
        }

    def defaults(self) -> Values:
        """What the group holds when it is left out."""
        defaults = {key.name: key.default for key in self.keys if key.default is not None}
        return Values(0, {}, defaults)

    def read(self, node: Node, key: str, problems: Problems) -> Values | None:
        """Read all keys; unknown, doubled and missing ones are mistakes."""
        if not isinstance(node, Pairs):
            self.refuse(node, key, problems)
            return None
        given = self._given(node, problems)
        values = Values(node.at, {name: value.at for name, value in given.items()}, {})
        for each in self.keys:
            if each.name in given:
                value = each.kind.read(given[each.name], each.name, problems)
            else:
                value = each.default
                if each.required:
                    problems.add(node.at, f"missing key {shown(each.name)} of {self.what}")
            if value is not None:
                values.values[each.name] = value
        return values

    def _given(self, node: Pairs, problems: Problems) -> dict[str, Node]:
        """The known keys of a mapping, each with its first value."""
        known = [key.name for key in self.keys]
        first: dict[str, int] = {}
        given: dict[str, Node] = {}
        for name, value in node.pairs:
            if not isinstance(name, Scalar):
                if not isinstance(name, Unusable):
                    problems.add(name.at, f"expected a key of {self.what}, got {described(name)}")
            elif name.text in first:
                line = problems.source.line_of(first[name.text])
                problems.add(name.at, f"duplicate key {shown(name.text)} (first on line {line})")
            else:
                first[name.text] = name.at
                if name.text in known:
                    given[name.text] = value
                else:
                    hint = self.elsewhere.get(name.text) or did_you_mean(name.text, known)
                    problems.add(name.at, f"unknown key {shown(name.text)}{hint}")
        return given
