"""traced: a process in a session of its own traces it and never lets go: it cannot be reaped."""

import ctypes
import os
import time

from honest import main

PTRACE_SEIZE = 0x4206
PR_SET_PTRACER = 0x59616D61

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.prctl(PR_SET_PTRACER, ctypes.c_ulong(-1), 0, 0, 0)
reader, writer = os.pipe()
bot = os.getpid()
if os.fork() == 0:
    os.setsid()
    seized = libc.ptrace(PTRACE_SEIZE, bot, None, None)
    os.write(writer, b"1" if seized == 0 else b"0")
    for descriptor in range(3):
        os.close(descriptor)
    time.sleep(600)
assert os.read(reader, 1) == b"1"
main()
