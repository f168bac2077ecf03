"""What people and programs read of a walk through a bot (`letzter check`)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from runner.records import BotFiles, exit_text
from runner.report.listings import plain
from runner.table.walk import Outcome, Step

_STDERR_LINES = 10


def failed(steps: Iterable[Step]) -> bool:
    """Whether a step of a walk failed."""
    return any(step.found.outcome is Outcome.FAILED for step in steps)


def step_lines(step: Step) -> Iterator[str]:
    """A step in a line; of one that failed, what led to it below."""
    found = step.found
    mark = found.outcome.upper() if found.outcome is Outcome.FAILED else found.outcome
    text = f": {plain(found.text)}" if found.text else ""
    yield f"{step.number:>2} {mark:<6} {step.name}{text}"
    if found.outcome is Outcome.OK:
        return
    status = "" if found.exit_status is None else exit_text(found.exit_status)
    stderr = found.stderr.rstrip("\n").split("\n")[-_STDERR_LINES:]
    for label, lines in (
        ("request", [found.request]),
        ("reply", found.reply.split("\n")),
        ("status", [status]),
        ("stderr", stderr),
        ("see", [found.where]),
    ):
        for line in lines if any(lines) else []:
            yield f"   {label:<8} {plain(line)}"


def walk_object(bot: BotFiles, steps: Sequence[Step]) -> dict[str, Any]:
    """A walk as plain values."""
    return {
        "version": bot.bot.version,
        "command": list(bot.bot.command),
        "good": not failed(steps),
        "steps": [
            {
                "number": step.number,
                "name": step.name,
                "outcome": str(step.found.outcome),
                "text": step.found.text,
                "request": step.found.request,
                "reply": step.found.reply,
                "exit_status": step.found.exit_status,
                "stderr": step.found.stderr,
                "see": step.found.where,
            }
            for step in steps
        ],
    }
