"""trickles: at a marked request, blanks without a line end, one every 20 ms."""

import time

from honest import is_marked, reply, requests, say

for request in requests():
    while is_marked(request):
        say(" ")
        time.sleep(0.02)
    say(reply(request))
