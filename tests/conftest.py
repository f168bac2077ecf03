"""Settings of all tests."""

import os

from hypothesis import settings

# Properties take no wall-clock limit, since machines under load are slow; CI tries the same
# examples each time, people's machines new ones.
settings.register_profile(
    "league", deadline=None, derandomize="CI" in os.environ, print_blob=True, max_examples=60
)
settings.load_profile("league")
