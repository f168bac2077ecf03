"""starves: at a marked request, leaves the core to its children, and computes when it can."""

import os

from honest import is_marked, reply, requests, say

for request in requests():
    if is_marked(request):
        os.nice(19)
        for _ in range(3):
            if os.fork() == 0:
                os.nice(-19) if os.getuid() == 0 else None
                while True:
                    pass
    while is_marked(request):
        pass
    say(reply(request))
