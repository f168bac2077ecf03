"""Small leagues for tests: their files, ways to run them, and what they leave behind."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from runner.config import load_league
from runner.league.progress import Quiet
from runner.league.run import run_league
from runner.league.stopping import Stop
from runner.report.exports import EXPORTS, as_jsonl
from runner.storage.reader import open_reader

ROOT = Path(__file__).resolve().parents[1]
BOTS = ROOT / "bots"

BOT = """
import json, os, sys, time
{before}
seen = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({{"type": "ready"}}))
    elif message["type"] in ("shove", "play"):
        seen += 1
        {middle}
        if message["type"] == "shove":
            at = seen % len(message["hand"])
            cards = (message["hand"] * 2)[at : at + message["count"]]
            print(json.dumps({{"id": message["id"], "cards": cards}}))
        else:
            card = message["legal"][seen % len(message["legal"])]
            print(json.dumps({{"id": message["id"], "card": card}}))
"""


def bot(middle="pass", before=""):
    """A bot that does what the counter of its process's requests says, and something besides."""
    return BOT.format(middle=middle, before=before)


COUNTING = bot()
WILD = bot(
    'if seen > 200 and seen % 7 == 0: print(json.dumps({"id": message["id"]})); continue\n'
    "        if seen == 250: sys.exit(7)"
)
"""Good for the 200 requests of a check, then illegal replies, then gone: needs long sittings."""
BROKEN = bot(before='sys.exit("no engine found")')
SLEEPING = bot(middle="time.sleep(60) if seen > 200 else None")


def write_league(
    folder,
    entrants=("random.py", "low.py", "high.py"),
    *,
    name="Test",
    players=3,
    seed="test",
    execution="serial",
    **more,
):
    """Write a league file and its bots into a folder.

    Args:
        folder: is made if need be.
        entrants: names of the project's bots, pairs of a name and a bot's text, or what the file is
            to say.
        name: the league's.
        players: at a table.
        seed: of the deals, or None for a secret.
        execution: serial or ray.
        more: other keys of the league file; there are 4 deals, 2 a sitting, unless they say so.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = []
    for entrant in entrants:
        if isinstance(entrant, dict):
            listed.append(entrant)
        elif isinstance(entrant, str):
            shutil.copy(BOTS / entrant, folder)
            listed.append({"bot": entrant})
        else:
            (folder / f"{entrant[0]}.py").write_text(entrant[1])
            listed.append({"bot": f"{entrant[0]}.py"})
    keys = {"name": name, "players": players, "execution": execution, "entrants": listed}
    keys |= {"deals": 4, "deals_per_sitting": 2} | ({} if seed is None else {"seed": seed}) | more
    path = folder / "league.yaml"
    path.write_text(json.dumps(keys, indent=1))
    return path


def write_full_league(folder, **more):
    """A league with all that there can be in one: bots with a memory, twins, faults, two runs."""
    twin = {"name": "twin", "bot": "counting.py"}
    entrants = ["random.py", ("counting", COUNTING), twin, ("wild", WILD)]
    return write_league(folder, entrants, **({"deals": 52, "deals_per_sitting": 48} | more))


def edit(path, **keys):
    """Change keys of a league file; None takes one away."""
    changed = json.loads(path.read_text()) | keys
    kept = {key: value for key, value in changed.items() if value is not None}
    path.write_text(json.dumps(kept, indent=1))


def play(path, workers=1):
    """Play a league in this process."""
    return run_league(load_league(str(path)), Quiet(), Stop(), workers)


def exports(path):
    """All exports of a league, as text, by their names."""
    with open_reader(path.with_suffix(".db")) as reader:
        return {name: "".join(as_jsonl(rows(reader))) for name, rows in EXPORTS.items()}


def rows(path, what):
    """One export of a league as objects."""
    return [json.loads(line) for line in exports(path)[what].splitlines()]


def environment(**more):
    """The environment of commands: poor, and the same everywhere."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return kept | {"PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "TERM": "xterm"} | more


def command(*arguments):
    """The command line of `run-league …` or `letzter …`, with Ctrl-C as in a terminal."""
    program = "main()" if arguments[0] == "letzter" else "run_league()"
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        f"sys.argv[0] = {arguments[0]!r}; from runner.cli import main, run_league; {program}"
    )
    return [sys.executable, "-P", "-W", "error", "-c", code, *map(str, arguments[1:])]


def run(*arguments, env=None, timeout=100, **more):
    """Run `run-league …` or `letzter …` to its end."""
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        env=environment(**(env or {})),
        timeout=timeout,
        check=False,
        **more,
    )


@contextlib.contextmanager
def started(*arguments, **more):
    """Start `run-league …` or `letzter …`, as the leader of its own group; killed at the end."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    with subprocess.Popen(
        command(*arguments), env=environment(), start_new_session=True, **pipes
    ) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_until(true, seconds=30.0):
    """Wait for something to become true; says whether it did."""
    deadline = time.monotonic() + seconds
    while not (found := true()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(found)


def bots_of(pid):
    """The processes that live in the workspace of a run, which its bots cannot leave.

    Those in a box have their folder mounted from there, others have their home there.
    """
    alive = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (
                f"HOME=/tmp/letzter-{pid}-".encode() in (process / "environ").read_bytes()
                or f"/letzter-{pid}-".encode() in (process / "mountinfo").read_bytes()
            ):
                alive.append(int(process.name))
    return alive


def workspaces_of(pid):
    """What a run has in /tmp."""
    return list(Path("/tmp").glob(f"letzter-{pid}-*"))


def stored_sittings(path):
    """How many sittings a league's database holds at present; 0 if there is none yet."""
    try:
        with open_reader(path.with_suffix(".db")) as reader:
            return len(reader.sitting_keys())
    except Exception:
        return 0
