"""What it is given, and what the system tells of others."""

import ctypes
import fcntl
import os

from attacker import TARGETS, attempt, done, play, syscall

KNOWN = {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONUNBUFFERED", "PYTHONHASHSEED", "PWD"}
done += [f"environment: {name}" for name in os.environ if name not in KNOWN]
for number in range(3, 256):
    attempt(f"descriptor {number}", fcntl.fcntl, number, fcntl.F_GETFD)
attempt("list /proc/1", os.listdir, "/proc/1")
attempt("list its threads", os.listdir, "/proc/self/task")
for path in ("/proc/self/maps", "/proc/1/environ", "/proc/loadavg", "/proc/meminfo", "/proc/locks"):
    attempt(f"read {path}", lambda path=path: open(path).read())
attempt(f"read /proc/{TARGETS['runner']}", os.listdir, f"/proc/{TARGETS['runner']}")
attempt("list /sys", os.listdir, "/sys")
attempt("load average", os.getloadavg)
buffer = ctypes.create_string_buffer(512)
syscall("sysinfo", (99, 179), buffer)
syscall("perf events", (298, 241), b"\0" * 128, 0, -1, -1, 0)
syscall("kernel log", (103, 116), 3, buffer, 512)
syscall("keys", (250, 219), 0, -4, 1)
syscall("bpf", (321, 280), 0, buffer, 72)
syscall("userfaultfd", (323, 282), 1)
play()
