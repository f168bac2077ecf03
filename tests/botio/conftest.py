"""Every test begins without children."""

import pytest

from tests.table.playing import end_leftovers


@pytest.fixture(autouse=True)
def _no_leftovers():
    end_leftovers()
