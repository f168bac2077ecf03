"""shouts_on: at a marked request, writes to stderr from a second process too, until it is ended."""

import os

from honest import is_marked, reply, requests, say

TEXT = b"0123456789abcde\n" * 4096

for request in requests():
    if is_marked(request):
        os.fork()
        os.fork()
    while is_marked(request):
        os.write(2, TEXT)
    say(reply(request))
