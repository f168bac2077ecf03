"""says: answers a marked request with what `says.bin` holds.

In it <id>, <next> and <last> stand for numbers of requests, <reply> for a good reply's line.
"""

from pathlib import Path

from honest import is_marked, pause, reply, requests, say

TEXT = Path("says.bin").read_bytes()


def filled(request):
    number = request["id"]
    text = TEXT.replace(b"<reply>", reply(request).encode().rstrip(b"\n"))
    for name, value in ((b"<id>", number), (b"<next>", number + 1), (b"<last>", number - 1)):
        text = text.replace(name, b"%d" % value)
    return text


for request in requests():
    pause()
    say(filled(request) if is_marked(request) else reply(request))
