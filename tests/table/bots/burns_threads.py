"""burns_threads: at a marked request, CPU time in four threads, while its main thread sleeps."""

import hashlib
import threading
import time

from honest import is_marked, reply, requests, say


def burn():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 10_000)


for request in requests():
    if is_marked(request):
        for _ in range(4):
            threading.Thread(target=burn, daemon=True).start()
        time.sleep(600)
    say(reply(request))
