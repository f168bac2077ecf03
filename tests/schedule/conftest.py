"""Entrants and plans to change a thing of."""

from dataclasses import replace
from hashlib import sha256

import pytest

from runner.game.deals import secret_of_seed
from runner.game.rules import Play, Rules
from runner.records import Bot, Entrant, Limits
from runner.schedule.plan import Plan


@pytest.fixture(scope="session")
def entrants_of():
    """Makes entrants a, b, c, …, each with a bot of its own."""

    def entrants(count):
        return tuple(
            Entrant(name, Bot(("python", f"{name}.py"), ((f"{name}.py", name * 64),)))
            for name in "abcdefghij"[:count]
        )

    return entrants


@pytest.fixture(scope="session")
def plan_of(entrants_of):
    """Makes a plan; `count` entrants, and whatever else is to differ."""

    def plan(count=4, players=4, **changes):
        secret = secret_of_seed("7")
        made = Plan(
            rules=Rules(players, Play.ANTICLOCKWISE),
            limits=Limits(),
            format="round_robin",
            entrants=entrants_of(count),
            deals=24,
            deals_per_sitting=12,
            secret_hash=sha256(secret).hexdigest(),
        )
        return replace(made, **changes)

    return plan
