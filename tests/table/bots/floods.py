"""floods: at a marked request, repeats what `says.bin` holds on stdout until it is ended."""

import os
from pathlib import Path

from honest import is_marked, reply, requests, say

TEXT = Path("says.bin").read_bytes() * 1000

for request in requests():
    while is_marked(request):
        os.write(1, TEXT)
    say(reply(request))
