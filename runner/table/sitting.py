"""The referee of a sitting: plays all its deals in rounds of pipelined requests.

A round: for every deal in play, in order, the one request that it waits for is written; all
replies are read; the deals go on. What comes out depends on what the bots answer, never on when.
"""

import contextlib
import selectors
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from runner.botio.process import BotProcess, adopt_strays, end_strays
from runner.botio.program import Program
from runner.botio.start import OPEN, Cage
from runner.records import Limits, Sitting, SittingDeal, SittingResult
from runner.table.deal_in_play import DealInPlay
from runner.table.player import Player

GOODBYE_SECONDS = 1.0
"""How long the bots of a sitting have to end by themselves once it is over."""

_LOSS_NOTICED_NS = 100_000_000


def play_sitting(
    sitting: Sitting, programs: Sequence[Program], homes: Path, cage: Cage = OPEN
) -> SittingResult:
    """Play a sitting with a fresh process for each entrant.

    Args:
        sitting: what to play.
        programs: the bot of each entrant, by place.
        homes: a folder in which each process gets a home of its own, for its lifetime.
        cage: what keeps the bots from everything else.

    Returns:
        A log of every deal, what went wrong, and what was used.

    Raises:
        OSError: the machine has no room for a process, a pipe or a file; nobody's fault.
    """
    began = time.monotonic()
    cpu_before = time.process_time()
    with seated(sitting, programs, homes, cage) as (players, attention):
        deals = _play_deals(sitting, players, attention)
        for player in players:
            player.say_goodbye()
        wait_for_ends(players, attention)
    return SittingResult(
        id=sitting.id,
        logs=tuple(deal.log() for deal in deals),
        fault_counts=tuple(dict(player.fault_counts) for player in players),
        faults=tuple(fault for player in players for fault in player.faults),
        usage=tuple(player.usage() for player in players),
        wall_seconds=time.monotonic() - began,
        referee_cpu_seconds=time.process_time() - cpu_before,
        isolation=cage.isolation,
    )


@contextlib.contextmanager
def seated(
    sitting: Sitting, programs: Sequence[Program], homes: Path, cage: Cage = OPEN
) -> Iterator[tuple[list[Player], "Attention"]]:
    """The players of a sitting, each with a fresh process that is ready or out.

    Afterwards all that they started is ended. No two may be seated at the same time.

    Args:
        sitting: what is played; its first deal takes what goes wrong before anything is asked.
        programs: the bot of each player, by place.
        homes: a folder in which each process gets a home of its own, for its lifetime.
        cage: what keeps the bots from everything else.
    """
    adopt_strays()
    with selectors.DefaultSelector() as selector:
        attention = Attention(selector)
        players = [
            Player(
                place,
                _starter(program, homes, sitting.limits_of(place), cage),
                sitting.rules,
                sitting.limits,
                selector,
                sitting.deals[0],
            )
            for place, program in enumerate(programs)
        ]
        try:
            for player in players:
                player.launch()
            wait_for(players, attention)
            yield players, attention
        finally:
            for player in players:
                player.leave()
            end_strays()


def _starter(program: Program, homes: Path, limits: Limits, cage: Cage) -> Callable[[], BotProcess]:
    return lambda: BotProcess(program, homes, limits, cage)


def _play_deals(
    sitting: Sitting, players: Sequence[Player], attention: "Attention"
) -> list[DealInPlay]:
    """All deals of the sitting, each played to its end or forfeited."""
    deals: list[DealInPlay] = []
    in_play: list[DealInPlay] = []
    coming = iter(sitting.deals)
    while not any(player.out for player in players):
        in_play = _go_on(in_play, coming, sitting, deals)
        if not in_play:
            return deals
        turns: list[list[DealInPlay]] = [[] for _ in players]
        for deal in in_play:
            turns[deal.to_move].append(deal)
        for player, asked in zip(players, turns, strict=True):
            player.ask(asked)
        wait_for(players, attention)
        for deal in in_play:
            if deal.done:
                for player in players:
                    player.tell_result(deal)
    deals.extend(DealInPlay(sitting.rules, deal) for deal in coming)
    _forfeit_rest(deals, players)
    return deals


def _go_on(
    in_play: list[DealInPlay],
    coming: Iterable[SittingDeal],
    sitting: Sitting,
    deals: list[DealInPlay],
) -> list[DealInPlay]:
    """The deals of the next round: those not done, and new ones up to the limit."""
    going = [deal for deal in in_play if not deal.done]
    room = sitting.limits.deals_in_flight - len(going)
    for _, deal in zip(range(room), coming, strict=False):
        begun = DealInPlay(sitting.rules, deal)
        deals.append(begun)
        going.append(begun)
    return going


def wait_for(players: Sequence[Player], attention: "Attention") -> None:
    """Serve the bots' pipes until nobody is busy."""
    while busy := [player for player in players if player.busy]:
        due = min(player.due for player in busy)
        events, awaited, lost = attention.select(due)
        for player in busy:
            player.awaited += awaited
            if lost:
                player.excuse(lost)
        _react(events)
        now = time.monotonic_ns()
        for player in busy:
            if player.due <= now:
                player.on_due(now)


class Attention:
    """Notices for how long the referee could not do its work: stopped, suspended, without a core.

    While it is not there it cannot see who answers, so no bot is charged with that time.

    Attributes:
        selector: what it waits with.
    """

    def __init__(self, selector: selectors.BaseSelector) -> None:
        """It is there now."""
        self.selector = selector
        self._seen = time.monotonic_ns()
        self._cpu = time.thread_time_ns()

    def select(self, due: int) -> tuple[list[tuple[selectors.SelectorKey, int]], int, int]:
        """Wait for events until `due`: them, how long that was, and what was lost since last time.

        Lost is what the referee neither waited nor worked, in nanoseconds; 0 if it is little.
        """
        began = time.monotonic_ns()
        asked = max(0, due - began)
        events = self.selector.select(asked / 1e9)
        seen, cpu = time.monotonic_ns(), time.thread_time_ns()
        awaited = min(seen - began, asked)
        lost = (seen - self._seen) - (cpu - self._cpu) - awaited
        self._seen, self._cpu = seen, cpu
        return events, awaited, lost if lost > _LOSS_NOTICED_NS else 0


def _react(events: Iterable[tuple[selectors.SelectorKey, int]]) -> None:
    """React to what has happened on the bots' pipes."""
    for key, _ in events:
        react, process = key.data
        react(process)


def _forfeit_rest(deals: Iterable[DealInPlay], players: Sequence[Player]) -> None:
    """With an entrant out, every deal not done is lost by it; of two, by the higher seat."""
    for deal in deals:
        if not deal.done:
            loser = next(
                player for place in reversed(deal.places) if (player := players[place]).out
            )
            assert loser.out
            deal.forfeit(loser.out, loser.place)


def wait_for_ends(players: Sequence[Player], attention: Attention) -> None:
    """Give all a moment to end by themselves."""
    deadline = time.monotonic() + GOODBYE_SECONDS
    while any(player.alive for player in players):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        _react(attention.selector.select(left))
