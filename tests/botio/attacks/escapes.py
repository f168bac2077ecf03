"""Text that does something to whoever prints it."""

import os
import sys

from attacker import play

NASTY = "\x1b[2J\x1b]0;owned\x07\u202e\u2028\x00\x9b31m"
os.write(2, (NASTY + "\ud800").encode("utf-8", "surrogatepass") * 3 + b"\xff\xfe\x1b[5n\r\n")


def each(message):
    if message["id"] == 3:
        sys.stdout.buffer.write(b'{"id":3,"card":"\\u001b[2J\\u202e"}\n')
    if message["id"] == 6:
        sys.stdout.buffer.write(b'{"id":6,"card":"\\ud800\x1b[2J"}\n')
    sys.stdout.buffer.flush()


play(ready={"type": "ready", "name": NASTY, "version": "\x1b[2J", "author": NASTY}, each=each)
