"""notes: writes its input down, each process in a file of its own; exits at a marked request."""

import os
import sys
from pathlib import Path

from honest import is_marked, reply, requests, say

FILE = Path(f"input-{len(list(Path.cwd().glob('input-*')))}")


def noted(lines):
    with FILE.open("w") as file:
        for line in lines:
            file.write(line)
            file.flush()
            yield line


sys.stdin = noted(sys.stdin)
for request in requests():
    if is_marked(request):
        os._exit(1)
    say(reply(request))
