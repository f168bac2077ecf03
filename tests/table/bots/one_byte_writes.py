"""one_byte_writes: answers a byte at a time."""

from honest import reply, requests, say

for request in requests():
    for char in reply(request):
        say(char)
