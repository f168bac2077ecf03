"""plays_not_held: in marked deals, the first card that it plays is one that it does not hold."""

from honest import Marked, reply, requests, say

is_in_marked = Marked()
PACK = [rank + suit for suit in "CSHD" for rank in "9TJQKA"]
for request in requests():
    if is_in_marked(request) and request["type"] == "play":
        say(reply(request, next(card for card in PACK if card not in request["hand"])))
    else:
        say(reply(request))
