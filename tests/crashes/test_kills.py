"""kill -9 at chosen moments: no bot outlives it, and the league ends as if undisturbed."""

import os
import random
import signal
import time
from collections.abc import Callable

import pytest

from runner.config import load_league
from runner.league import run as league_run
from runner.league.progress import Quiet
from runner.league.run import run_league
from runner.league.stopping import Stop
from runner.storage.schema import migrations
from runner.storage.store import Store
from runner.table import check
from runner.table import sitting as sitting_module
from runner.table.player import Player
from tests.league.test_kill import whole_sittings
from tests.leagues import bots_of, exports, play, wait_until, workspaces_of, write_full_league

NEVER = 1 << 60


class Doom:
    """Kills this process when it has counted so many steps since it was armed."""

    def __init__(self, steps):
        self.steps = steps
        self.armed = False

    def step(self, *_):
        if self.armed:
            self.steps -= 1
            if self.steps == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def arm_within(self, owner, name):
        """Count only what happens within calls of a function."""
        real = getattr(owner, name)

        def armed(*arguments, **more):
            self.armed = True
            try:
                return real(*arguments, **more)
            finally:
                self.armed = False

        setattr(owner, name, armed)

    def count_requests(self):
        """A step is that a bot is asked something."""
        ask = Player.ask

        def counted(player, deals):
            ask(player, deals)
            self.step()

        Player.ask = counted  # type: ignore[method-assign]

    def count_statements(self):
        """A step is a statement of SQL, before it is executed."""
        opened = Store.__init__

        def traced(store, db, *arguments):
            opened(store, db, *arguments)
            db.conn.set_trace_callback(self.step)

        Store.__init__ = traced  # type: ignore[method-assign]


def in_check(doom):
    doom.count_requests()
    doom.arm_within(check, "play_sitting")


def in_play(doom):
    doom.count_requests()
    doom.arm_within(sitting_module, "_play_deals")
    doom.armed = False


def in_transaction(doom):
    doom.count_statements()
    doom.arm_within(Store, "store_sitting")


def in_rating(doom):
    doom.count_statements()
    doom.arm_within(league_run._Run, "rate")


def at_first_writes(doom):
    doom.count_statements()
    doom.armed = True


STAGES: dict[str, tuple[Callable[[Doom], None], int]] = {
    "at the first writes": (at_first_writes, 12),
    "in the check": (in_check, 150),
    "in the store's transaction": (in_transaction, 90),
    "in play": (in_play, 350),
    "while rating": (in_rating, 12),
}
"""In the order in which a league comes to them, with the most steps that there surely are."""


def killed(path, prepare, steps):
    """Play a league in a process of its own that is killed after so many steps of a stage."""
    pid = os.fork()
    if pid == 0:
        try:
            prepare(Doom(steps))
            run_league(load_league(str(path)), Quiet(), Stop(), 1)
        finally:
            os._exit(99)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    assert wait_until(lambda: not bots_of(pid), 2)
    whole_sittings(path)
    return pid


def kill_at_moments(path, moments_of_a_stage):
    """Kill the run of a league at seeded moments of each stage, then play it to its end."""
    draw = random.Random("moments")
    pids = [
        killed(path, prepare, draw.randint(1, most))
        for prepare, most in STAGES.values()
        for _ in range(moments_of_a_stage)
    ]
    play(path)
    assert [left for pid in pids for left in workspaces_of(pid)] == []
    assert bots_of(os.getpid()) == []


def test_run_killed_at_a_moment_of_each_stage_ends_as_if_undisturbed(finished, tmp_path):
    path = write_full_league(tmp_path)
    kill_at_moments(path, 1)
    assert exports(path) == exports(finished)


@pytest.mark.slow
def test_run_killed_at_twenty_five_moments_ends_as_if_undisturbed(finished, tmp_path):
    path = write_full_league(tmp_path)
    kill_at_moments(path, 5)
    assert exports(path) == exports(finished)


def test_run_killed_while_it_makes_its_database_begins_anew(tmp_path, finished):
    # The file exists, with a header, but nothing in it.
    def before_the_schema(doom):
        def die(db):
            os.kill(os.getpid(), signal.SIGKILL)

        vars(migrations)["apply"] = die

    path = write_full_league(tmp_path, deals=4, deals_per_sitting=4)
    killed(path, before_the_schema, NEVER)
    assert path.with_suffix(".db").stat().st_size > 0
    outcome = play(path)
    assert not outcome.standing.provisional


def test_run_whose_bots_are_all_killed_from_outside_is_not_stopped_by_it(tmp_path):
    # The referee cannot tell who killed them; what matters is that the league ends, and soon.
    path = write_full_league(tmp_path, deals=48)
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            run_league(load_league(str(path)), Quiet(), Stop(), 1)
            code = 0
        finally:
            os._exit(code)
    assert wait_until(lambda: len(bots_of(pid)) >= 3)
    for bot in bots_of(pid):
        os.kill(bot, signal.SIGKILL)
    began = time.monotonic()
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 99)  # 99: too few passed their check
    assert time.monotonic() - began < 60
    assert bots_of(pid) == []
