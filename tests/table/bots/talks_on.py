"""talks_on: at a marked request, a short comment every 20 ms and no answer."""

import time

from honest import is_marked, reply, requests, say

for request in requests():
    while is_marked(request):
        say("# hm\n")
        time.sleep(0.02)
    say(reply(request))
