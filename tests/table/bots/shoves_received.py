"""shoves_received: passes on what it was given, as far as that goes."""

from honest import choice, reply, requests, say

for request in requests():
    if request["type"] == "shove":
        received = request["received"]
        cards = [*received, *(card for card in choice(request) if card not in received)]
        say(reply(request, cards[: request["count"]]))
    else:
        say(reply(request))
