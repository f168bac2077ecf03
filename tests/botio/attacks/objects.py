"""System V and POSIX objects."""

import ctypes

from attacker import attempt, play, syscall

LIBC = ctypes.CDLL(None, use_errno=True)
KEY = 0x4C5A5452


def checked(result):
    if result < 0:
        raise OSError


syscall("shared memory", (29, 194), KEY, 4096, 0o1666)
syscall("semaphores", (64, 190), KEY, 1, 0o1666)
syscall("message queue", (68, 186), KEY, 0o1666)
syscall("POSIX message queue", (240, 180), b"attack", 0o102, 0o666, 0)
attempt("secret memory", lambda: checked(LIBC.syscall(447, 0)))
play()
