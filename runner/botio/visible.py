"""What of the machine a boxed bot can see, for reading and executing.

The system's programs and libraries as a whole: there are too many to tell what a bot of which
language needs. So nothing secret may lie there; `seen_by_bots` tells.
"""

import functools
from collections.abc import Iterable
from pathlib import Path

DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")
"""Not /dev/zero: mapped, it is memory that nobody counts."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
_SETTINGS = (
    "ld.so.cache",
    "alternatives",
    "java*",
    "ssl/openssl.cnf",
)  # of /etc: what programs are found by


@functools.cache
def system_paths() -> tuple[Path, ...]:
    """The system's own: folders, files, and links between them."""
    paths = [Path(path) for path in _SYSTEM]
    paths += [path for name in _SETTINGS for path in sorted(Path("/etc").glob(name))]
    return tuple(path for path in paths if path.exists())


def beyond_system(paths: Iterable[Path]) -> list[Path]:
    """Those of some paths that do not lie below the system's."""
    return [
        path for path in paths if not any(path.is_relative_to(system) for system in system_paths())
    ]


def seen_by_bots(path: Path, needs: Iterable[Path]) -> Path | None:
    """The visible folder that a path lies in, if there is one."""
    real = path.resolve()
    for visible in (*system_paths(), *needs):
        if real.is_relative_to(visible.resolve()):
            return visible
    return None
