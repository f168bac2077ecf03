"""ponders: computes for 20 ms after each answer, while others are asked."""

import time

from honest import reply, requests, say

for request in requests():
    say(reply(request))
    until = time.process_time() + 0.02
    while time.process_time() < until:
        pass
