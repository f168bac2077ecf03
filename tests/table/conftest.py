"""A table to play at."""

import pytest

from runner.botio.process import adopt_strays
from tests.table.playing import Table, children


@pytest.fixture
def table(tmp_path):
    """A table of its own for a test."""
    adopt_strays()
    assert children() == []
    return Table(tmp_path)
