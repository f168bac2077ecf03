"""revokes: in marked deals, does not follow suit where it could and should."""

from honest import Marked, reply, requests, say

is_in_marked = Marked()
for request in requests():
    others = sorted(set(request["hand"]) - set(request.get("legal", request["hand"])))
    say(reply(request, others[0] if is_in_marked(request) and others else None))
