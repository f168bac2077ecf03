"""Locks and watches on files that its twin has, too."""

import fcntl
import os

from attacker import TARGETS, attempt, play, syscall

for path in ("attacker.py", TARGETS["library"]):
    file = open(path, "rb")
    attempt("flock", fcntl.flock, file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    attempt("a lock of records", fcntl.lockf, file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    attempt("who has a lock", fcntl.fcntl, file, fcntl.F_GETLK, b"\0" * 32)
    attempt("a lock of the open file", fcntl.fcntl, file, 37, b"\0" * 32)
    attempt("a lease", fcntl.fcntl, file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    attempt("a watch on the folder", fcntl.fcntl, file, fcntl.F_NOTIFY, 1)
    attempt("a hint", fcntl.fcntl, file, 1036, b"\0" * 8)
    attempt("a pages' hint", os.preadv, file.fileno(), [bytearray(1)], 0, 8)
syscall("inotify", (294, 26), 0)
syscall("fanotify", (300, 262), 0, 0)
syscall("which pages are in memory", (451, 451), 3, b"\0" * 16, b"\0" * 40, 0)
play()
