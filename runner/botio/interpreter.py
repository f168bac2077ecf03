"""The Python that bots are run with: the runner's own, or the one that the league file names."""

import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from runner.errors import UsageError

_ASK_SECONDS = 20
_ASK = (
    "import json,os,sys;print(json.dumps([sys.executable,"
    "os.path.realpath(getattr(sys,'_base_executable',sys.executable)),"
    "sys.base_prefix,sys.prefix]))"
)


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python.

    Attributes:
        executable: what runs a bot that needs installed packages; of a virtual environment, if
            it is one.
        base_executable: what runs a bot that needs only the standard library.
        base_prefix: where the standard library is.
        prefix: where the packages are; the base prefix if it is no virtual environment.
    """

    executable: str
    base_executable: str
    base_prefix: str
    prefix: str


@functools.cache
def interpreter(path: str = "") -> Interpreter:
    """The interpreter at a path, or of a virtual environment's folder; without a path our own.

    Raises:
        UsageError: there is none.
    """
    if not path:
        base = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
        return Interpreter(sys.executable, base, sys.base_prefix, sys.prefix)
    given = Path(path).absolute()
    executable = given / "bin" / "python" if given.is_dir() else given
    try:
        asked = subprocess.run(
            [executable, "-c", _ASK], capture_output=True, timeout=_ASK_SECONDS, check=True
        )
        return Interpreter(*json.loads(asked.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, TypeError) as error:
        what = getattr(error, "strerror", None) or f"it does not answer as Python does ({error})"
        raise UsageError(
            f"python: {path}: {what}; expected an interpreter, or the folder of a virtual "
            "environment"
        ) from None
