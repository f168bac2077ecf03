"""sleeps_always: before every answer, as many seconds as `seconds.txt` says."""

import time
from pathlib import Path

from honest import reply, requests, say

SECONDS = float(Path("seconds.txt").read_text())

for request in requests():
    time.sleep(SECONDS)
    say(reply(request))
