"""Landlock: a process gives up, for good, all files but some, the network, and its neighbours.

It needs no privilege and no namespace, so it works in containers. The kernel's versions of it
differ in what they can take away; each takes what it can, and `seccomp` denies the rest.
"""

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

# The three calls have the same numbers on every machine.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_FILES_BY_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_BIND_TCP_CONNECT_TCP = 3
_NETWORK_FROM_VERSION = 4
_SCOPED_ABSTRACT_SOCKET_AND_SIGNAL = 3
_SCOPED_FROM_VERSION = 6

_PR_SET_NO_NEW_PRIVS = 38
_LIBC = ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """Which version of Landlock the kernel has; 0 for none."""
    return max(0, int(_LIBC.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)))


def make_ruleset(read: Iterable[Path], write: Iterable[Path]) -> int:
    """A file descriptor of a ruleset: what lies below `read` can be read and executed.

    Args:
        read: files and folders; those that do not exist are passed over.
        write: files that can be read and written, such as /dev/null.

    Raises:
        OSError: the kernel has no Landlock.
    """
    found = version()
    files = max(rights for since, rights in _FILES_BY_VERSION.items() if since <= max(found, 1))
    attributes = struct.pack(
        "<QQQ",
        files,
        _BIND_TCP_CONNECT_TCP if found >= _NETWORK_FROM_VERSION else 0,
        _SCOPED_ABSTRACT_SOCKET_AND_SIGNAL if found >= _SCOPED_FROM_VERSION else 0,
    )
    ruleset = _checked(_LIBC.syscall(_CREATE_RULESET, attributes, len(attributes), 0))
    try:
        for path in read:
            folder = _READ_DIR if path.is_dir() else 0
            _allow(ruleset, path, _EXECUTE | _READ_FILE | folder)
        for path in write:
            _allow(ruleset, path, _READ_FILE | _WRITE_FILE)
    except BaseException:
        os.close(ruleset)
        raise
    return ruleset


def restrict(ruleset: int) -> None:
    """Put this process, and all that it will start, under a ruleset.

    Raises:
        OSError: the kernel refuses.
    """
    forbid_new_privileges()
    _checked(_LIBC.syscall(_RESTRICT_SELF, ruleset, 0))


def forbid_new_privileges() -> None:
    """From now on no program gives this process more rights than it has."""
    _checked(_LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        rule = struct.pack("<Qi", rights, beneath)
        _checked(_LIBC.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0))
    finally:
        os.close(beneath)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"Landlock: {os.strerror(number)}")
    return int(result)
