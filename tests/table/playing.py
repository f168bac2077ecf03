"""Sittings for tests: fixture bots at a table, and what their logs must be."""

import contextlib
import json
import re
import time
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from bots import high, low
from bots import random as random_bot
from runner.botio.process import end_children
from runner.botio.program import unpack
from runner.game.cards import cards_in, names_of
from runner.game.deals import deal_hands, secret_of_seed
from runner.game.rules import Play, Rules
from runner.records import Bot, BotFiles, FaultKind, Limits, Sitting, SittingDeal, SittingResult
from runner.schedule.seating import seats
from runner.table.sitting import play_sitting
from tests.reference import Game

HOUSE = Path(low.__file__).parent
FIXTURES = Path(__file__).parent / "bots"

PLACE = 1
"""Where the bot under test sits in the table's base order."""

DEALS = range(101, 113)
"""The deals of a sitting, by the numbers that they have at the table."""

MARKED = (103, 107)
"""The deals in which a bot misbehaves, where it chooses."""

PATIENT = Limits(
    start_seconds=60, move_seconds=30, wall_seconds=60, pondering_seconds=30, sleep_seconds=600
)
"""Limits that no bot reaches that answers at all, however busy the machine is."""


def pass_on(request):
    """What `shoves_received.py` answers."""
    chosen = low.choose(request)
    if request["type"] == "play":
        return chosen
    received = request["received"]
    return [*received, *(card for card in chosen if card not in received)][: request["count"]]


POLICIES = {
    "low": low.choose,
    "random": random_bot.choose,
    "high": high.choose,
    "passing on": pass_on,
}
"""How bots answer a request; most fixture bots mean to play as `low` does."""


@dataclass(frozen=True)
class Case:
    """A bot that misbehaves, and what must come of it.

    Attributes:
        name: what it does.
        bot: its file among the fixtures.
        expected: how many faults of which kind it makes.
        deals: the deals that it loses, `marked` ones or `all`; None if that is not determinate.
        files: what its folder holds besides.
        command: how it is run; by default with Python.
        limits: what it may use.
        starts: how many processes that takes.
        detail: a pattern that the text of every fault matches.
        reply: what came instead of a good reply, where that is determinate.
        status: its exit status as the fault has it.
        stderr: the head and tail of its stderr.
        policy: the name of the policy that it plays by.
        beside: one of the two bots at the table with it; it plays as `low` does.
    """

    name: str
    bot: str
    expected: dict[FaultKind, int] = field(default_factory=dict)
    deals: str | None = "marked"
    files: dict[str, bytes] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    limits: Limits = PATIENT
    starts: int | None = None
    detail: str = ""
    reply: str | None = None
    status: int | None = None
    stderr: str | None = None
    policy: str = "low"
    beside: BotFiles = field(default_factory=lambda: house("low"))

    def __str__(self):
        return self.name


def fixture(name, files=None, command=()):
    """A bot out of the fixtures, with the files that they share."""
    contents = {"honest.py": (FIXTURES / "honest.py").read_bytes(), **(files or {})}
    if name:
        contents.setdefault(name, (FIXTURES / name).read_bytes())
    return bot_files(command or ("python", "-S", "-s", name), contents)


def house(name):
    """A house bot."""
    file = f"{name}.py"
    return bot_files(("python", "-S", "-s", file), {file: (HOUSE / file).read_bytes()})


def bot_files(command, contents):
    hashes = sorted((name, sha256(data).hexdigest()) for name, data in contents.items())
    return BotFiles(Bot(tuple(command), tuple(hashes)), contents)


def bot_of(case, wobbly=False):
    """The bot of a case, with its marks."""
    files = {"marks.json": marks(), **case.files}
    if wobbly:
        files["wobbly"] = b""
    return fixture(case.bot, files, case.command)


def rules_of(players=3):
    return Rules(players, Play.ANTICLOCKWISE)


def make_sitting(players=3, limits=PATIENT, deals=DEALS, numbers=None, seed="tests", rotation=0):
    """A sitting of these deals; `numbers` are what they are called."""
    rules = rules_of(players)
    secret = secret_of_seed(seed)
    return Sitting(
        id=f"sitting-{seed}",
        rules=rules,
        limits=limits,
        versions=("0" * 64,) * players,
        deals=tuple(
            SittingDeal(
                number, deal_hands(secret, "0", deal, rules), seats(players, "0", deal, rotation)
            )
            for deal, number in zip(deals, numbers or deals, strict=True)
        ),
    )


def marks(players=3, deals=MARKED, place=PLACE):
    """The contents of `marks.json`: the hands dealt to a place in these deals."""
    sitting = make_sitting(players, deals=deals)
    hands = [
        sorted(names_of(cards_in(deal.hands[deal.seats.index(place)]))) for deal in sitting.deals
    ]
    return json.dumps(hands).encode()


@dataclass
class Table:
    """A place to play sittings at; it looks after what they leave behind.

    Attributes:
        folder: where it keeps bots and homes.
    """

    folder: Path

    @property
    def homes(self):
        return self.folder / "homes"

    def programs(self, bots):
        return [unpack(bot, self.folder / "bots") for bot in bots]

    def play(self, sitting, bots) -> SittingResult:
        """Play a sitting, and check that nothing is left of it."""
        self.homes.mkdir(parents=True, exist_ok=True)
        programs = self.programs(bots)
        descriptors = open_descriptors()
        result = play_sitting(sitting, programs, self.homes)
        assert open_descriptors() == descriptors
        assert bot_processes(self.homes) == []
        assert children() == []
        assert list(self.homes.iterdir()) == []
        return result


def open_descriptors():
    """The file descriptors of this process, with what they lead to."""
    found = {}
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the folder itself was open, too
            found[int(link.name)] = str(link.readlink())
    return {number: to for number, to in found.items() if not to.startswith("/proc/")}


def children():
    """The child processes of this one, dead or alive, but for the library's own helpers."""
    found = [
        int(pid)
        for task in Path("/proc/self/task").iterdir()
        for pid in (task / "children").read_text().split()
    ]
    return [
        pid
        for pid in found
        if b"from multiprocessing." not in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


def end_leftovers():
    """End what other tests have left to this process, which adopts what its children leave."""
    left = children()
    end_children(lambda pid: pid in left)
    assert children() == []


def bot_processes(homes):
    """All processes alive whose home lies in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
        except OSError:
            continue
        if f"HOME={homes}/".encode() in environment:
            found.append(int(process.name))
    return found


def wait_until(condition, seconds=30.0):
    """Wait for something to become true; whether it did."""
    until = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < until:
        time.sleep(0.01)
    return value


def lost_deals(result):
    """The numbers of the deals that were lost by a fault."""
    return [log.deal for log in result.logs if log.fault is not None]


def counts(result):
    """By place, how many faults of which kind."""
    return [dict(by_kind) for by_kind in result.fault_counts]


def without_times(result):
    """What a sitting came to, but for what was measured."""
    faults = [replace(fault, elapsed_seconds=None) for fault in result.faults]
    return result.logs, result.fault_counts, faults


def check_logs(sitting, result, policies):
    """Every action in the logs is what the bot at that seat answers offline, to the last card.

    Args:
        sitting: what was played.
        result: what came of it.
        policies: by place, the name of the policy that the bot plays by.
    """
    assert [log.deal for log in result.logs] == [deal.deal for deal in sitting.deals]
    for deal, log in zip(sitting.deals, result.logs, strict=True):
        game = Game(
            sitting.rules.players,
            sitting.rules.play,
            [names_of(cards_in(hand)) for hand in deal.hands],
        )
        shoved, played = cards_of(log.shoves), cards_of(log.plays)
        while not game.done():
            choose = POLICIES[policies[deal.seats[game.turn()]]]
            answer = choose(game.request(1, 1))
            if game.shoving():
                if not shoved:
                    break
                assert shoved[: len(answer)] == answer
                del shoved[: len(answer)]
                game.shove(answer)
            else:
                if not played:
                    break
                assert played.pop(0) == answer
                game.play(answer)
        assert not shoved
        assert not played
        if log.fault is None:
            assert game.done()
            assert list(log.penalties) == game.penalties()
        else:
            assert not game.done()
            assert list(log.penalties) == [
                int(seat == log.fault_seat) for seat in range(sitting.rules.players)
            ]


def cards_of(text):
    return re.findall("..", text)
