"""shouts: 1 MB on stderr before it is ready, 5 MB at marked requests, and 1 MB at the end."""

import os

from honest import is_marked, reply, requests, say

MEGABYTE = b"0123456789abcde\n" * 65536

os.write(2, MEGABYTE)
for request in requests():
    if is_marked(request):
        for _ in range(5):
            left = MEGABYTE
            while left:
                left = left[os.write(2, left) :]
    say(reply(request))
os.write(2, MEGABYTE)
