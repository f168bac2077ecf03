"""The users that bots run as where the runner is root: ids that nobody else has.

Root itself would own the machine's files, and no limit on its processes holds.
"""

import ctypes
import itertools
import os
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

BOXED_ID = 65534
"""The user and group id that a bot in a user namespace sees as its own."""

# Beyond what systemd, containers and subordinate ids use.
_FIRST, _COUNT = 0x7A000000, 0x1000000
_FEW = 4096
_ROOT_IN_BOX = 65535
_CLONE_NEWUSER = 0x10000000
_PR_SET_KEEPCAPS = 8
_CAPABILITY_VERSION_3 = 0x20080522
_CAP_SYS_ADMIN = 21
_LIBC = ctypes.CDLL(None, use_errno=True)
_slots = itertools.count()
_free: list["Namespace"] = []


@dataclass(frozen=True, slots=True)
class Namespace:
    """A user namespace of a spare user, who may enter it.

    Attributes:
        descriptor: an open file descriptor of it.
        owner: the spare user, by the id on this machine.
    """

    descriptor: int
    owner: int


def spare_id(number: int) -> int:
    """The id of a number; where this process has few ids, several numbers have the same."""
    first, count = _range("uid")
    return first + number % count


def become(user: int, capability: int) -> None:
    """As root: become a user, and group, with one capability left.

    Raises:
        OSError: there is no such user here.
    """
    _checked(_LIBC.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0))
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    kept = 1 << capability
    header = struct.pack("<Ii", _CAPABILITY_VERSION_3, 0)
    _checked(_LIBC.capset(header, struct.pack("<6I", kept, kept, kept, 0, 0, 0)))


def take_namespace() -> Namespace:
    """A user namespace in which `BOXED_ID` is a spare user of this machine, who owns it.

    Bubblewrap is to run as that user: the kernel lets the bot die with it only if both are the
    same. Everybody else is there too, so that with the namespace's capabilities any folder can be
    entered while a box is being built. Give it back to `give_namespace`, for the next bot: making
    one takes milliseconds.

    Raises:
        OSError: the kernel makes none for us.
    """
    return _free.pop() if _free else _make_namespace(spare_id(os.getpid() * 16 + next(_slots)))


def give_namespace(namespace: Namespace) -> None:
    """Give a namespace back; nobody is in it any more."""
    _free.append(namespace)


def _make_namespace(spare: int) -> Namespace:
    with subprocess.Popen(
        ["cat"],  # noqa: S607 - holds the namespace until it is open here
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: _enter_namespace(spare),  # noqa: PLW1509 - system calls only
    ) as holder:
        for kind in ("uid", "gid"):
            Path(f"/proc/{holder.pid}/{kind}_map").write_text(_map(kind, spare), encoding="ascii")
        path = f"/proc/{holder.pid}/ns/user"
        return Namespace(os.open(path, os.O_RDONLY | os.O_CLOEXEC), spare)


def _enter_namespace(owner: int) -> None:
    become(owner, _CAP_SYS_ADMIN)  # where only the privileged may make namespaces
    _checked(_LIBC.unshare(_CLONE_NEWUSER))


def _checked(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), "privileges")


def _map(kind: str, spare: int) -> str:
    """A namespace's ids: all as they are, but the spare one and root moved."""
    moved = {BOXED_ID: spare, _ROOT_IN_BOX: 0}
    lines = [f"{inside} {outside} 1" for inside, outside in moved.items()]
    for first, count in _ids(kind):
        start = first
        for stop in sorted({*moved, *moved.values(), first + count}):
            if first <= stop <= first + count:
                if stop > start:
                    lines.append(f"{start} {start} {stop - start}")
                start = stop + 1
    return "\n".join(lines) + "\n"


def _range(kind: str) -> tuple[int, int]:
    """The first of the spare ids, and how many there are."""
    ids = _ids(kind)
    if any(first <= _FIRST and first + count >= _FIRST + _COUNT for first, count in ids):
        return _FIRST, _COUNT
    first, count = max(ids)
    few = min(_FEW, max(1, count // 2))
    return first + count - few, max(1, few - 2)  # the last two may be BOXED_ID and root's


def _ids(kind: str) -> list[tuple[int, int]]:
    """The ids that there are for this process: first and count of each stretch."""
    lines = Path(f"/proc/self/{kind}_map").read_text(encoding="ascii").splitlines()
    return [(int(line.split()[0]), int(line.split()[2])) for line in lines]
