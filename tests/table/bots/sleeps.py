"""sleeps: at a marked request, as many seconds as `seconds.txt` says; then it answers."""

import time
from pathlib import Path

from honest import is_marked, reply, requests, say

SECONDS = float(Path("seconds.txt").read_text())

for request in requests():
    if is_marked(request):
        time.sleep(SECONDS)
    say(reply(request))
