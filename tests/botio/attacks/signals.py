"""Reaches for others; signal 0 asks only whether it could send one."""

import os
import signal

from attacker import TARGETS, attempt, play, syscall

runner = TARGETS["runner"]
siblings = [pid for pid in range(runner, runner + 3000) if pid != os.getpid()]
attempt("signal to the runner", os.kill, runner, 0)
attempt("signal to all", os.kill, -1, 0)
attempt("signal to the group", os.kill, 0, 0)
attempt("signal to the parent", os.kill, os.getppid() or runner, 0)
for pid in siblings:
    attempt(f"signal to {pid}", os.kill, pid, 0)
syscall("signal to a thread", (234, 131), runner, runner, 0)
syscall("signal to a thread, old", (200, 130), runner, 0)
syscall("queued signal", (129, 138), runner, 0, b"\0" * 128)
syscall("pidfd", (434, 434), runner, 0)
syscall("trace", (101, 117), 0x4206, runner, 0, 0)
syscall("be traced", (101, 117), 0, 0, 0, 0)
syscall("others' memory", (310, 270), runner, b"\0" * 16, 1, b"\0" * 16, 1, 0)
syscall("others' limits", (302, 261), runner, 7, 0, b"\0" * 16)
attempt("others' priority", os.setpriority, os.PRIO_PROCESS, runner, 19)
attempt("another core", os.sched_setaffinity, 0, range(os.cpu_count()))
attempt("outliving its runner", lambda: None) if syscall("no death signal", (157, 167), 1, 0) else 0
os.kill(os.getpid(), 0)
signal.raise_signal(signal.SIGWINCH)  # its own signals are its own matter
play()
