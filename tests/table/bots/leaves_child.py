"""leaves_child: leaves a process behind, as `how.txt` says, at the start and at marked requests.

At those it then ends with exit code 1. The child holds on to stdin, stdout and stderr.
"""

import os
import signal
import time
from pathlib import Path

from honest import is_marked, reply, requests, say

HOW = Path("how.txt").read_text()


def leave():
    if os.fork():
        return
    if HOW in ("session", "daemon"):
        os.setsid()
    if HOW == "daemon" and os.fork():
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if HOW == "hidden":
        os.setsid()
        os.execve("/bin/sleep", ["sleep", "600"], {})
    time.sleep(600)


leave()
for request in requests():
    if is_marked(request):
        leave()
        os._exit(1)
    say(reply(request))
