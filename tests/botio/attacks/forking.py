import ctypes
import os
import subprocess

from attacker import attempt, done, play, syscall

LIBC = ctypes.CDLL(None, use_errno=True)


def fork():
    if os.fork() == 0:
        os.setsid()  # a grandchild that nobody waits for
        if os.fork() == 0:
            os.execv("/bin/sleep", ["sleep", "300"])
        os._exit(0)


def vfork():
    pid = LIBC.vfork()
    if pid == 0:
        LIBC._exit(0)
    if pid < 0:
        raise OSError


def clone(number, *arguments):
    """A process by the bare call; the child ends at once."""
    result = LIBC.syscall(number[os.uname().machine != "x86_64"], *arguments)
    if result == 0:
        LIBC._exit(0)
    if result < 0:
        raise OSError


attempt("fork", fork)
attempt("a bomb", lambda: [fork() for _ in range(20)])
attempt("another program", subprocess.Popen, ["/bin/sleep", "300"])
attempt("another program, by spawn", os.posix_spawn, "/bin/sleep", ["sleep", "300"], {})
attempt("clone", clone, (56, 220), 17, 0, 0, 0, 0)
attempt("clone, as a sibling", clone, (56, 220), 17 | 0x8000, 0, 0, 0, 0)
attempt("clone3", clone, (435, 435), b"\0" * 32 + (17).to_bytes(8, "little") + b"\0" * 24, 64)
if not done:  # where it works, a child would go on in its parent's memory
    attempt("vfork", vfork)
syscall("a new user namespace", (272, 97), 0x10000000)
play()
