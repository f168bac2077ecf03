"""Starting a bot under Landlock, a filter and limits: what can be had without namespaces.

The bot prepares itself between fork and execution (`enter`): it becomes a user of its own where
the runner is root, then gives up, for good, all that it does not need. It can write to no file.
"""

import ctypes
import os
from pathlib import Path

from runner.botio.landlock import forbid_new_privileges, make_ruleset, restrict
from runner.botio.program import Program
from runner.botio.seccomp import filter_for, install
from runner.botio.spare_users import become, spare_id
from runner.botio.visible import DEVICES, system_paths

_NULL = Path("/dev/null")
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 47, 2
_CAP_DAC_READ_SEARCH = 2
_LIBC = ctypes.CDLL(None, use_errno=True)


def ruleset_for(program: Program, home: Path) -> int:
    """A file descriptor of the ruleset of a bot.

    Raises:
        OSError: the kernel has no Landlock.
    """
    read = [*system_paths(), *program.needs, program.folder, home, *map(Path, DEVICES)]
    return make_ruleset(read, [_NULL])


def become_nobody() -> None:
    """As root: become a spare user, who may still enter the folders on the way to its files.

    Landlock says what it can read there.

    Raises:
        OSError: there is no such user here.
    """
    become(spare_id(os.getpid()), _CAP_DAC_READ_SEARCH)
    ambient = (_PR_CAP_AMBIENT_RAISE, _CAP_DAC_READ_SEARCH, 0, 0)
    _checked(_LIBC.prctl(_PR_CAP_AMBIENT, *ambient))


def enter(ruleset: int) -> None:
    """Give up everything but what the ruleset and the filter leave.

    Raises:
        OSError: the kernel refuses.
    """
    forbid_new_privileges()
    restrict(ruleset)
    install(filter_for(os.getpid(), namespaces=False))


def _checked(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), "privileges")
