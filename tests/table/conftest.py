"""A table to play at."""

import pytest

from runner.botio.process import adopt_strays
from tests.table.playing import Table, end_leftovers


@pytest.fixture
def table(tmp_path):
    """A table of its own for a test."""
    adopt_strays()
    end_leftovers()
    return Table(tmp_path)
