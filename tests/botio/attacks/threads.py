import threading

from attacker import TARGETS, done, play

started = 0
wait = threading.Event()
try:
    while started < 3 * TARGETS["threads"]:
        threading.Thread(target=wait.wait, daemon=True).start()
        started += 1
except RuntimeError:
    pass
if started >= TARGETS["threads"]:
    done.append(f"{started} threads")
play()
