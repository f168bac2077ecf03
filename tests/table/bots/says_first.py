"""says_first: begins with what `says.bin` holds instead of a ready line, then plays."""

from pathlib import Path

from honest import reply, requests, say

TEXT = Path("says.bin").read_bytes()

for request in requests(ready=TEXT):
    say(reply(request))
