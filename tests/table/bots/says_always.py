"""says_always: answers every request with what `says.bin` holds; <reply> is a good one's line."""

from pathlib import Path

from honest import pause, reply, requests, say

TEXT = Path("says.bin").read_bytes()

for request in requests():
    pause()
    line = reply(request).encode().rstrip(b"\n")
    say(TEXT.replace(b"<reply>", line).replace(b"<id>", b"%d" % request["id"]))
