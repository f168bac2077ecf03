"""What the attacks share: they try things, and then play on as an honest bot.

A bot that has managed to do something it must not says so on stderr and dies, which is a fault.
So an attack that is stopped makes no fault at all. `targets.json` lies beside it.
"""

import json
import os
import sys

DID = "DID: "
RANKS = "789TJQKA"
with open("targets.json") as file:
    TARGETS = json.load(file)

done = []


def attempt(what, action, *arguments):
    """Try something that must not work."""
    try:
        result = action(*arguments)
    except (OSError, ValueError, RuntimeError, MemoryError, ImportError):
        return None
    done.append(what)
    return result


def syscall(what, number, *arguments):
    """Try a system call, past the C library; numbers are those of x86_64 and aarch64."""
    import ctypes

    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    if call(number[os.uname().machine != "x86_64"], *arguments) >= 0:
        done.append(what)
        return True
    return False


def choose(message):
    ranks = [message["hand"] if message["type"] == "shove" else message["legal"]]
    cards = sorted(ranks[0], key=lambda card: RANKS.index(card[0]))
    if message["type"] == "shove":
        return {"cards": cards[: message["count"]]}
    return {"card": cards[0]}


def play(ready=None, each=None):
    """Play; `each` is called at every request."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print(json.dumps(ready or {"type": "ready"}), flush=True)
        elif message["type"] in ("shove", "play"):
            if each:
                each(message)
            if done:
                sys.stderr.write(DID + ", ".join(done))
                sys.stderr.flush()
                os._exit(9)
            print(json.dumps({"id": message["id"], **choose(message)}), flush=True)
