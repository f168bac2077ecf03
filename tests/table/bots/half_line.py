"""half_line: half an answer, text on stderr, then the other half, every time."""

import os

from honest import reply, requests, say

for request in requests():
    line = reply(request)
    say(line[:8])
    os.write(2, b'{"id":7,"card":"7C"}\n')
    say(line[8:])
