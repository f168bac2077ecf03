"""Tells its twin something by which pages of a file of the system are in memory.

The writer reads the pages that stand for ones, and so brings them there. The reader times its
reading of them all. The file is one that nobody has read lately.
"""

import os
import time

from attacker import TARGETS, done, play

STRIDE = 1 << 20  # beyond what is read ahead
QUICK_S = 30e-6
file = os.open(TARGETS["cold"], os.O_RDONLY)
bits = []
for at, bit in enumerate(TARGETS["message"]):
    if TARGETS["writes"]:
        if bit:
            os.pread(file, 1, at * STRIDE)
    else:
        began = time.perf_counter()
        os.pread(file, 1, at * STRIDE)
        bits.append(int(time.perf_counter() - began < QUICK_S))
if bits == TARGETS["message"]:
    done.append("reads what its twin wrote")
play()
