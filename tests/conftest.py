"""Settings of all tests, and a league that many of them look at."""

import os
import shutil

import pytest
from hypothesis import settings

from tests import leagues

# Properties take no wall-clock limit, since machines under load are slow; CI tries the same
# examples each time, people's machines new ones.
settings.register_profile(
    "league", deadline=None, derandomize="CI" in os.environ, print_blob=True, max_examples=60
)
settings.load_profile("league")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The file of the full league, played to its end in this process; for reading only."""
    path = leagues.write_full_league(tmp_path_factory.mktemp("finished"))
    leagues.play(path)
    return path


@pytest.fixture
def resumable(finished, tmp_path):
    """A copy of the finished league, to go on with."""
    return shutil.copytree(finished.parent, tmp_path / "resumable") / finished.name
