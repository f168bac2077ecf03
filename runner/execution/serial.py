"""Playing in this process itself, one sitting after the other: tests, small leagues, `check`."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from runner.execution.executor import play_on_core
from runner.records import UNBOXED, BotFiles, Sandbox, Sitting, SittingResult, Void


class SerialExecutor:
    """Plays each sitting when it is asked for the next result."""

    def __init__(
        self, bots: Mapping[str, BotFiles], folder: Path, sandbox: Sandbox = UNBOXED
    ) -> None:
        """Play bots, by version, in a workspace, boxed like this."""
        self._bots = bots
        self._folder = folder
        self._sandbox = sandbox

    def __enter__(self) -> "SerialExecutor":
        """Nothing to get ready."""
        return self

    def __exit__(self, *args: object) -> None:
        """Nothing to end: a sitting that was broken off has ended its bots itself."""

    def wait_until_ready(self) -> None:
        """It always is."""

    def play(self, sittings: Iterable[Sitting]) -> Iterator[SittingResult | Void]:
        """Play sittings in their order."""
        for sitting in sittings:
            bots = [self._bots[version] for version in sitting.versions]
            yield play_on_core(sitting, bots, self._folder, self._sandbox)
