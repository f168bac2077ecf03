"""A table to play at, as in tests/table."""

from tests.table.conftest import table

__all__ = ["table"]
