"""notes: writes its input down, and exits at a marked request.

Each process has a file of its own beside the folder of homes, `<version>-input-<number>`.
"""

import os
import sys
from pathlib import Path

from honest import is_marked, reply, requests, say

FOLDER = Path(os.environ["HOME"]).parents[1]
NUMBER = len(list(FOLDER.glob(f"{Path.cwd().name}-input-*")))
FILE = FOLDER / f"{Path.cwd().name}-input-{NUMBER}"


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
