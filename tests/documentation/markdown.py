"""What the tests need to know of Markdown: code blocks, headings, links, tables, code in lines."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

DOCUMENTS = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "bots/README.md",
    "leagues/README.md",
    "runner/README.md",
    "runner/game/README.md",
    "scripts/README.md",
    "tests/README.md",
)

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Block:
    """A fenced code block: where it stands, what follows the fence, what is in it."""

    document: str
    line: int
    info: str
    text: str

    def __str__(self):
        return f"{self.document}:{self.line}"


@cache
def text_of(document):
    return (ROOT / document).read_text(encoding="utf-8")


def prose_of(document):
    """A document without its code blocks."""
    return _FENCE.sub("", text_of(document))


def blocks(*documents):
    return [
        Block(document, text_of(document).count("\n", 0, found.start()) + 1, found[1], found[2])
        for document in documents
        for found in _FENCE.finditer(text_of(document))
    ]


def block(document, info):
    """The one block of a document that is marked so."""
    (found,) = [each for each in blocks(document) if each.info == info]
    return found


def anchors(document):
    """What a link into the document may name, as GitHub makes it from the headings."""
    headings = (re.sub(r"[^\w\- ]", "", title).lower() for title in _headings(document))
    return {heading.replace(" ", "-") for heading in headings}


def links(document):
    return _LINK.findall(prose_of(document))


def codes(text):
    """What stands in backticks."""
    return _CODE.findall(text)


def section(document, heading):
    """What stands below a heading, up to the next heading of any level."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", prose_of(document), re.M | re.S)
    assert found, f"{document} has no heading '{heading}'"
    return found[1]


def tables(text):
    """The tables of a text, each a list of rows of cells, without head."""
    found = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    return [[_cells(row) for row in table.splitlines()[2:]] for table in found]


def table(document, heading, number=0):
    """A table below a heading."""
    return tables(section(document, heading))[number]


def first_code(cells):
    """What stands in backticks in the first cell of a row, and nothing else does."""
    return cells[0].removeprefix("`").removesuffix("`")


def _headings(document):
    return [title.replace("`", "") for title in _HEADING.findall(prose_of(document))]


def _cells(row):
    return [cell.strip() for cell in row.strip("|").split("|")]
