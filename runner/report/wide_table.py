"""A table that goes on below itself where the terminal is too narrow for all its columns."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

# A line below the head, and one wherever a rule is called for.
RULED = Box("    \n    \n ── \n    \n ── \n ── \n    \n    \n")

_BESIDE = 3
"""What a column takes beside its text: padding on both sides, and what parts it from the next."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        head: its heading.
        cells: a text for each row; texts are shown as they are, without markup.
        left: whether the texts stand on the left; figures stand on the right.
        style: how they are shown.
    """

    head: str
    cells: Sequence[str]
    left: bool = False
    style: str = ""

    @property
    def width(self) -> int:
        """How much room the column takes."""
        lines = [line for text in (self.head, *self.cells) for line in text.split("\n")]
        return max(map(cell_len, lines)) + _BESIDE


class WideTable:
    """Columns side by side as far as there is room, then further ones below, and so on.

    The key columns, which say what a row is about, begin each part.
    """

    def __init__(
        self, keys: Sequence[Column], columns: Sequence[Column], ruled: Collection[int] = ()
    ) -> None:
        """Make a table.

        Args:
            keys: the columns that say what a row is about.
            columns: the others.
            ruled: the rows, from 0, that have a rule below them.
        """
        self._keys = keys
        self._columns = columns
        self._ruled = ruled

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The parts, from top to bottom."""
        for columns in self._parts(options.max_width):
            yield self._table([*self._keys, *columns])

    def _parts(self, width: int) -> Iterator[list[Column]]:
        room = width - sum(column.width for column in self._keys)
        part: list[Column] = []
        for column in self._columns:
            if part and sum(each.width for each in part) + column.width > room:
                yield part
                part = []
            part.append(column)
        yield part

    def _table(self, columns: Sequence[Column]) -> Table:
        table = Table(box=RULED, pad_edge=False)
        for column in columns:
            table.add_column(
                Text(column.head),
                justify="left" if column.left else "right",
                style=column.style,
                no_wrap=not column.left,
                overflow="fold",
            )
        for number, cells in enumerate(zip(*(each.cells for each in columns), strict=True)):
            table.add_row(*map(Text, cells))
            if number in self._ruled:
                table.add_section()
        return table
