"""burns: at a marked request, CPU time without end."""

from honest import is_marked, reply, requests, say

for request in requests():
    while is_marked(request):
        pass
    say(reply(request))
