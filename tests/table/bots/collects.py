"""collects: reads all that there is, then answers all of it in one write."""

import json
import os

from honest import reply, say

unread = b""
while data := os.read(0, 1 << 20):
    *lines, unread = (unread + data).split(b"\n")
    answers = ""
    for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            answers += '{"type":"ready"}\n'
        elif message["type"] in ("shove", "play"):
            answers += reply(message)
    say(answers)
