"""The system-call filter of a boxed bot: a BPF program, made here and loaded by the kernel.

The filter is inherited by whatever the bot executes and can never be taken off. It knows numbers
and plain arguments only, not what pointers point to. `syscalls` says what is denied and why.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Sequence

from runner.botio.syscalls import DENIED, DENIED_WITHOUT_NAMESPACES, NEWEST, numbers

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# Instructions, as linux/bpf_common.h puts them together.
_LOAD = 0x20
_IF_EQUAL = 0x15
_IF_GREATER = 0x25
_IF_ANY_BIT = 0x45
_AND = 0x54
_RETURN = 0x06

# Offsets in struct seccomp_data; of an argument its low word, on little-endian machines.
_NUMBER = 0
_ARCHITECTURE = 4
_ARGUMENTS = 16

_ALLOW = 0x7FFF0000
_FAIL = 0x00050000
_KILL = 0x80000000

_CLONE_THREAD = 0x00010000
_MAP_SHARED, _MAP_ANONYMOUS, _MAP_GROWSDOWN = 0x01, 0x20, 0x0100
_AF_UNIX, _SOCK_STREAM, _SOCK_KIND = 1, 1, 0xF
_PR_SET_PDEATHSIG, _PR_SCHED_CORE = 1, 62
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_MADV_COLD, _MADV_PAGEOUT = 20, 21
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ:
# neither locks nor leases nor hints, which show on files that others have open.
_FCNTL_ALLOWED = (0, 1, 2, 3, 4, 1030, 1031, 1032)

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_LIBC = ctypes.CDLL(None, use_errno=True)

Code = list[tuple[int, int, int, int]]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def supported() -> bool:
    """Whether a filter can be made for this machine."""
    return os.uname().machine in _ARCHITECTURES


def filter_for(own_pid: int, *, namespaces: bool) -> bytes:
    """The filter for a bot.

    Args:
        own_pid: the bot's process id as it sees it: it may signal nobody else.
        namespaces: whether the bot has a view of files and processes of its own. Else more is
            denied.
    """
    machine = os.uname().machine
    known = numbers(machine)
    fail = _fail(errno.EPERM)
    code: Code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, _ARCHITECTURES[machine]),
        _answer(_KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_IF_GREATER, 0, 1, NEWEST),  # the other ABI of x86_64, x32, has large numbers
        _answer(_fail(errno.ENOSYS)),
    ]
    names = [name for group in DENIED.values() for name in group]
    if not namespaces:
        names += DENIED_WITHOUT_NAMESPACES
    for name in names:
        if name in known:
            code += _when(known[name], [_answer(fail)])
    for name, block in _conditions(own_pid).items():
        code += _when(known[name], block)
    code.append(_answer(_ALLOW))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def install(program: bytes) -> None:
    """Put this process under a filter for good. It needs `no_new_privs`.

    Raises:
        OSError: the kernel does not take it.
    """
    filled = _Program(len(program) // 8, program)
    if _LIBC.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(filled), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def _conditions(own_pid: int) -> dict[str, Code]:
    """The calls that are allowed in part, each with the code that decides."""
    fail = _fail(errno.EPERM)
    only_self = [*_one_of(0, [own_pid], _ALLOW), _answer(fail)]
    no_flags = [*_one_of(5, [0], _ALLOW), _answer(_fail(errno.EOPNOTSUPP))]
    return {
        # No such call, says the filter, and libc takes clone, whose flags can be looked at.
        "clone3": [_answer(_fail(errno.ENOSYS))],
        "clone": [*_any_bit(0, _CLONE_THREAD, _ALLOW), _answer(fail)],
        "kill": only_self,
        "tgkill": only_self,
        "rt_sigqueueinfo": only_self,
        "rt_tgsigqueueinfo": only_self,
        "prlimit64": [*_one_of(0, [0, own_pid], _ALLOW), _answer(fail)],
        # Memory that RLIMIT_DATA does not count.
        "mmap": [
            *_any_bit(3, _MAP_GROWSDOWN, fail),
            *_all_bits(3, _MAP_SHARED | _MAP_ANONYMOUS, fail),
            _answer(_ALLOW),
        ],
        # A pair of streams can reach nobody else; asyncio wakes itself by one.
        "socketpair": [
            _argument(0),
            (_IF_EQUAL, 1, 0, _AF_UNIX),
            _answer(fail),
            _argument(1),
            (_AND, 0, 0, _SOCK_KIND),
            (_IF_EQUAL, 0, 1, _SOCK_STREAM),
            _answer(_ALLOW),
            _answer(fail),
        ],
        "fcntl": [*_one_of(1, _FCNTL_ALLOWED, _ALLOW), _answer(fail)],
        # It dies with its runner, whatever it does.
        "prctl": [*_one_of(0, [_PR_SET_PDEATHSIG, _PR_SCHED_CORE], fail), _answer(_ALLOW)],
        "ioctl": [*_one_of(1, [_TIOCSTI, _TIOCLINUX], fail), _answer(_ALLOW)],
        # What would tell, or change, which pages of a shared file are in memory.
        "preadv2": no_flags,
        "pwritev2": no_flags,
        "fadvise64": [_answer(_fail(0))],
        "readahead": [_answer(_fail(0))],
        "madvise": [*_one_of(2, [_MADV_COLD, _MADV_PAGEOUT], fail), _answer(_ALLOW)],
    }


def _fail(number: int) -> int:
    """The answer that a call fails with an error; with 0 it seems to succeed."""
    return _FAIL | number


def _answer(value: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, value)


def _argument(index: int) -> tuple[int, int, int, int]:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * index)


def _when(number: int, block: Code) -> Code:
    """A block for one call; it must end in an answer."""
    return [(_IF_EQUAL, 0, len(block), number), *block]


def _one_of(index: int, values: Sequence[int], answer: int) -> Code:
    """An answer if an argument has one of the values."""
    code: Code = [_argument(index)]
    for value in values:
        code += [(_IF_EQUAL, 0, 1, value), _answer(answer)]
    return code


def _any_bit(index: int, bits: int, answer: int) -> Code:
    """An answer if an argument has any of the bits."""
    return [_argument(index), (_IF_ANY_BIT, 0, 1, bits), _answer(answer)]


def _all_bits(index: int, bits: int, answer: int) -> Code:
    """An answer if an argument has all of the bits."""
    return [_argument(index), (_AND, 0, 0, bits), (_IF_EQUAL, 0, 1, bits), _answer(answer)]
