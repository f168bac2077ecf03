"""Which cage is found, and what is said of it."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from runner.botio import bubblewrap, landlock, sandbox, seccomp, spare_users
from runner.botio.process import BotProcess, CannotStartError, adopt_strays
from runner.botio.program import Program
from runner.botio.sandbox import find_cage, probe, require_unseen
from runner.botio.start import OPEN, Cage
from runner.errors import RunError, UsageError
from runner.records import Isolation, Limits, Sandbox, SandboxMode
from tests.botio.test_attacks import CAGES, ROOT, named
from tests.table.playing import wait_until

AUTO = Sandbox(SandboxMode.AUTO)
REQUIRED = Sandbox(SandboxMode.REQUIRED)


@pytest.fixture
def find(monkeypatch):
    """Finds a cage as a fresh process does."""
    monkeypatch.setattr(sandbox, "find_cage", find_cage.__wrapped__)
    return find_cage.__wrapped__


@pytest.fixture
def no_namespaces(monkeypatch):
    def refuse(*_):
        raise OSError(1, "bubblewrap: No permissions to create new namespace")

    monkeypatch.setattr(bubblewrap, "start", refuse)


@pytest.fixture
def no_landlock(monkeypatch):
    monkeypatch.setattr(landlock, "version", lambda: 0)


@pytest.fixture(params=CAGES, ids=named)
def boxed(request, tmp_path):
    """Starts shell scripts in a cage; ends them all."""
    adopt_strays()
    tmp_path.chmod(0o755)  # as the folder of a bot is
    started = []

    def start(script, limits=Limits()):  # noqa: B008
        started.append(
            BotProcess(Program(("sh", "-c", script), tmp_path), tmp_path, limits, request.param)
        )
        return started[-1]

    yield start
    for process in started:
        process.end()


def lives(pid):
    """Whether a process runs; one that has died may wait to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_best_cage_of_this_machine_is_found(find):
    found = find(AUTO)

    assert probe(found.cage) is None
    assert found.cage.isolation in (Isolation.BUBBLEWRAP, Isolation.LANDLOCK)
    assert not found.warning


def test_cage_is_looked_for_once(monkeypatch):
    first = find_cage(AUTO)
    monkeypatch.setattr(sandbox, "cages", None)
    assert find_cage(AUTO) is first


def test_sandbox_off_is_none(find):
    found = find(Sandbox(SandboxMode.OFF))
    assert found.cage == OPEN
    assert found.warning


def test_no_namespaces_landlock_is_taken_and_the_cause_is_named(find, no_namespaces):
    found = find(AUTO)

    assert found.cage.isolation is Isolation.LANDLOCK
    assert "No permissions to create new namespace" in found.text
    assert "user.max_user_namespaces" in found.text
    assert "\n" not in found.text


def test_nothing_to_be_had_auto_warns_in_one_line(find, no_namespaces, no_landlock):
    found = find(AUTO)

    assert found.cage.isolation is Isolation.LIMITS
    assert found.warning
    assert "run none that you do not trust" in found.text
    assert "no Landlock" in found.text
    assert "\n" not in found.text


def test_nothing_to_be_had_required_refuses(find, no_namespaces, no_landlock):
    with pytest.raises(RunError, match=r"requires one: bubblewrap: No permissions .*To mend it: "):
        find(REQUIRED)


def test_no_bubblewrap_installed_says_so(find, monkeypatch, no_landlock):
    monkeypatch.setattr(bubblewrap, "candidates", lambda: iter(()))
    with pytest.raises(
        RunError, match=r"bubblewrap is not installed.*To mend it: install bubblewrap"
    ):
        find(REQUIRED)


def test_python_that_is_none_is_wrong_usage(find, tmp_path):
    with pytest.raises(UsageError, match=r"python: .*expected an interpreter"):
        find(Sandbox(SandboxMode.AUTO, str(tmp_path / "none")))


def test_league_where_bots_may_read_is_refused(tmp_path):
    cage = Cage(Isolation.LANDLOCK)
    require_unseen([tmp_path / "league.yaml"], cage, AUTO)
    with pytest.raises(RunError, match="lies in /usr, where bots may read everything"):
        require_unseen([tmp_path, Path("/usr/share/league.yaml")], cage, AUTO)


def test_exit_code_of_a_boxed_bot_is_its_own(boxed):
    assert boxed("exit 7").wait_for_death(30) == 7


def test_bot_that_is_killed_in_its_box_died_of_the_signal(boxed):
    process = boxed("read x")
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait_for_death(30) == -signal.SIGKILL


def test_end_kills_a_boxed_bot_at_once(boxed):
    process = boxed("while :; do :; done")
    began = time.monotonic()
    process.end()
    assert time.monotonic() - began < 0.9
    assert process.exit_status == -signal.SIGKILL
    assert not lives(process.pid)


def test_cpu_of_a_boxed_bot_is_its_own(boxed):
    process = boxed("read x; while :; do :; done")
    time.sleep(0.2)
    quiet = process.cpu_ns()
    os.write(process.stdin, b"\n")
    time.sleep(0.4)
    assert quiet < 100_000_000
    assert process.cpu_ns() - quiet > 50_000_000


def test_closing_its_output_is_seen_though_bubblewrap_has_it_open(boxed):
    process = boxed("exec >&-; read x")
    until = time.monotonic() + 30
    while not process.talks_no_more() and time.monotonic() < until:
        with contextlib.suppress(BlockingIOError):
            if not os.read(process.stdout, 1):
                return  # nobody has it open any more
        time.sleep(0.01)
    assert process.talks_no_more()


def test_command_that_is_none_cannot_start(tmp_path):
    for cage in CAGES:
        with pytest.raises(CannotStartError, match="No such file"):
            BotProcess(Program(("no-such-command",), tmp_path), tmp_path, Limits(), cage)
        (tmp_path / "plain").write_text("")
        with pytest.raises(CannotStartError, match="Permission denied"):
            BotProcess(Program(("./plain",), tmp_path), tmp_path, Limits(), cage)


def status_of(program, homes, cage):
    process = BotProcess(program, homes, Limits(), cage)
    try:
        return process.wait_for_death(30)
    finally:
        process.end()


def test_box_that_cannot_be_built_is_nobodys_fault(tmp_path):
    program = Program(("true",), tmp_path / "gone")
    cage = next(cage for cage in CAGES if cage.isolation is Isolation.BUBBLEWRAP)
    with pytest.raises(OSError, match=r"sandbox failed|bubblewrap"):
        status_of(program, tmp_path, cage)


KILLED = """
import os, sys, time
from pathlib import Path
from runner.botio.process import BotProcess
from runner.botio.program import Program
from runner.botio.start import Cage
from runner.records import Isolation, Limits
cage = Cage(Isolation(sys.argv[1]), sys.argv[2])
home = Path(sys.argv[3])
process = BotProcess(Program(("sh", "-c", "while :; do :; done"), home), home, Limits(), cage)
print(process.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("cage", CAGES, ids=named)
def test_boxed_bot_dies_with_a_runner_that_is_killed(tmp_path, cage):
    words = [sys.executable, "-c", KILLED, cage.isolation.value, cage.bwrap, str(tmp_path)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as runner:
        assert runner.stdout
        pid = int(runner.stdout.readline())
        time.sleep(0.3)  # the box is built
        runner.kill()
    assert wait_until(lambda: not lives(pid), seconds=5)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("namespaces", [True, False])
def test_filter_jumps_stay_within_it(monkeypatch, machine, namespaces):
    monkeypatch.setattr(os, "uname", lambda: type("Uname", (), {"machine": machine}))
    code = seccomp.filter_for(1, namespaces=namespaces)
    steps = [(code[at : at + 8]) for at in range(0, len(code), 8)]
    assert len(steps) < 4096
    for at, step in enumerate(steps):
        if step[0] & 0x07 == 0x05:
            assert at + 1 + max(step[2], step[3]) < len(steps)
    assert steps[-1][0] == 0x06


@pytest.mark.parametrize(
    "ids", [[(0, 2**32 - 1)], [(0, 65536)], [(0, 1), (1, 65536)], [(0, 65535)]]
)
def test_map_of_a_namespace_has_each_id_once(monkeypatch, ids):
    monkeypatch.setattr(spare_users, "_ids", lambda _: ids)
    lines = [
        tuple(map(int, line.split()))
        for line in spare_users._map("uid", spare_users.spare_id(7)).splitlines()
    ]
    inside = sorted((first, first + count) for first, _, count in lines)
    outside = sorted((first, first + count) for _, first, count in lines)
    for spans in (inside, outside):
        assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
    assert (65534, spare_users.spare_id(7), 1) in lines
    assert (65535, 0, 1) in lines
    assert all(
        any(at <= first and end <= at + many for at, many in ids) for first, end in outside[1:]
    )
