"""Stopping a run: the first signal lets it end in good order, the second ends it at once."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """Whether the run is to stop.

    Attributes:
        requested: True from the first signal on.
    """

    def __init__(self) -> None:
        """Not yet."""
        self.requested = False

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Note the first signal; the second one breaks off what is being done."""
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True


@contextlib.contextmanager
def stop_on_signals() -> Iterator[Stop]:
    """Handle Ctrl-C, termination and a closed terminal while a league is played.

    A signal that is ignored stays so: `nohup run-league …` outlives its terminal.
    """
    stop = Stop()
    before = {
        number: signal.signal(number, stop.on_signal)
        for number in _SIGNALS
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
