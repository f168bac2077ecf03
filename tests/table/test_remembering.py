"""A bot that remembers the deals it was shown: what that is worth, protected and not.

Its twin is the same bot without a memory. Each meets two that play as `sensible`, at tables
with the same deals, in every rotation; they are compared board by board.
"""

import json
import math
import sys
from pathlib import Path

import pytest

from runner.botio.sandbox import find_cage
from runner.botio.start import OPEN
from runner.game.deals import deal_hands, playing_order, secret_of_seed
from runner.records import Sandbox, SandboxMode, Sitting, SittingDeal
from runner.schedule.seating import seats
from runner.table.sitting import play_sitting
from tests.table.playing import HOUSE, PATIENT, Table, bot_files, counts, house, rules_of

REMEMBERS = Path(__file__).parent / "remembering" / "remembers.py"
RULES = rules_of(3)
KEY = "ab"
SECRET = secret_of_seed("remembering")
MEMORY = "left-by-an-attack-memory"


def remembering(remembers):
    how = json.dumps({"remembers": remembers, "name": MEMORY}).encode()
    contents = {
        "remembers.py": REMEMBERS.read_bytes(),
        "sensible.py": (HOUSE / "sensible.py").read_bytes(),
        "how.json": how,
    }
    return bot_files(("python", "-S", "-s", "remembers.py"), contents)


TABLES = [
    [remembering(True), house("sensible"), house("sensible")],
    [remembering(False), house("sensible"), house("sensible")],
]


def rotations(deals, run=1):
    """The sittings of a run, as a league plays them: an order of deals of its own for each."""
    for rotation in range(3):
        order = playing_order(SECRET, KEY, run, rotation, deals)
        yield [(deal, rotation) for deal in order]


def played(table, plays, cage):
    """Each play's deal, and the penalties in it of the bot that remembers and of its twin."""
    table.homes.mkdir(exist_ok=True)
    sitting = Sitting(
        id="remembering",
        rules=RULES,
        limits=PATIENT,
        versions=("0" * 64,) * 3,
        deals=tuple(
            SittingDeal(deal, deal_hands(SECRET, KEY, deal, RULES), seats(3, KEY, deal, rotation))
            for deal, rotation in plays
        ),
    )
    results = [play_sitting(sitting, table.programs(bots), table.homes, cage) for bots in TABLES]
    assert [counts(result) for result in results] == [[{}, {}, {}]] * 2
    for at, dealt in enumerate(sitting.deals):
        seat = dealt.seats.index(0)
        yield dealt.deal, *(result.logs[at].penalties[seat] for result in results)


def gain(outcomes):
    """How many penalties a board the twin scores more than the one that remembers, with error."""
    boards: dict[int, int] = {}
    for deal, ours, twins in outcomes:
        boards[deal] = boards.get(deal, 0) + twins - ours
    mean = sum(boards.values()) / len(boards)
    variance = sum((each - mean) ** 2 for each in boards.values()) / (len(boards) - 1)
    return mean, math.sqrt(variance / len(boards))


def report(capsys, how, mean, error):
    """Show the figure, whatever comes of it."""
    with capsys.disabled():
        sys.stdout.write(f" {how}: {mean:+.3f} ± {error:.3f} a board of 3 deals\n")


@pytest.fixture
def table(tmp_path):
    """A table; memories that were left on the machine are taken away."""
    places = [Path(place) / MEMORY for place in ("/tmp", "/dev/shm", "/var/tmp")]
    for place in places:
        place.unlink(missing_ok=True)
    yield Table(tmp_path)
    for place in places:
        place.unlink(missing_ok=True)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_memory_of_deals_in_a_league_is_worth_nothing(table, capsys):
    cage = find_cage(Sandbox(SandboxMode.REQUIRED)).cage
    outcomes = []
    for run, first in enumerate(range(1, 2001, 600), 1):
        deals = range(first, min(first + 600, 2001))
        for plays in rotations(deals, run):
            outcomes += played(table, plays, cage)

    mean, error = gain(outcomes)

    report(capsys, "protected", mean, error)
    assert len(outcomes) == 6000
    assert abs(mean) <= 2 * error


@pytest.mark.slow
def test_memory_in_one_process_for_all_rotations_is_worth_plenty(table, capsys):
    plays = [play for sitting in rotations(range(1, 301)) for play in sitting]

    mean, error = gain(played(table, plays, OPEN))

    report(capsys, "same process", mean, error)
    assert mean > 5 * error


@pytest.mark.slow
def test_memory_on_a_disk_that_processes_share_is_worth_plenty(table, capsys):
    outcomes = [
        outcome for plays in rotations(range(1, 301)) for outcome in played(table, plays, OPEN)
    ]

    mean, error = gain(outcomes)

    report(capsys, "shared disk", mean, error)
    assert mean > 5 * error
