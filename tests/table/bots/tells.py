"""tells: plays, and writes what it is given into files beside the folder of homes.

`<version>-told` is what it finds, `<version>-input` the lines that it is sent.
"""

import json
import os
import sys
from pathlib import Path

from honest import reply, requests, say


def is_open(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


OUT = Path(os.environ["HOME"]).parents[1] / Path.cwd().name
TOLD = {
    "argv": sys.argv,
    "descriptors": [number for number in range(1024) if is_open(number)],
    "environment": dict(os.environ),
    "files": sorted(path.name for path in Path.cwd().iterdir() if path.name != "__pycache__"),
    "folder": str(Path.cwd()),
    "home": list(map(str, Path(os.environ["HOME"]).iterdir())),
    "cores": sorted(os.sched_getaffinity(0)),
    "leads": [os.getpgid(0) == os.getpid(), os.getsid(0) == os.getpid()],
}
Path(f"{OUT}-told").write_text(json.dumps(TOLD))


def recorded(lines):
    with Path(f"{OUT}-input").open("a") as file:
        for line in lines:
            file.write(line)
            file.flush()
            yield line


sys.stdin = recorded(sys.stdin)
for request in requests('{"type":"ready","results":true}\n'):
    say(reply(request))
