"""floods_idle: answers a marked request, then writes lines to stdout until it is ended."""

import os

from honest import is_marked, reply, requests, say

for request in requests():
    say(reply(request))
    while is_marked(request):
        os.write(1, b"tick tack toe\n" * 1000)
