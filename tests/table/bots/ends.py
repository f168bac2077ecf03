"""ends: at a marked request it writes a last line to stderr and ends as `how.txt` says."""

import os
import signal
import time
from pathlib import Path

from honest import is_marked, pause, reply, requests, say

HOW = Path("how.txt").read_text()

for request in requests():
    pause()
    if not is_marked(request):
        say(reply(request))
        continue
    os.write(2, "\x1b[31mlast words\u202e\n".encode())
    if HOW == "with a code":
        os._exit(3)
    if HOW == "by a signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    if HOW == "by an exception":
        raise RuntimeError("no idea")
    if HOW == "in mid-line":
        say(reply(request)[:-5])
        os._exit(0)
    if HOW == "after its answer":
        say(reply(request))
        os._exit(4)
    if HOW == "after two answers":
        say(2 * reply(request))
        os._exit(4)
    if HOW == "closing stdout":
        os.close(1)
        time.sleep(60)
    if HOW == "closing stdin after its answer":
        say(reply(request))
        os.close(0)
        time.sleep(60)
    if HOW == "closing stdin":
        os.close(0)
        time.sleep(60)
    if HOW == "by its main thread only":
        if os.fork() == 0:
            time.sleep(60)
        os._exit(5)
    raise AssertionError(HOW)
