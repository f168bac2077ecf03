"""Two processes of one bot leave marks wherever they can, and look for each other's."""

import os

from attacker import attempt, done, play

PLACES = ["/tmp", "/dev/shm", os.environ["HOME"], os.environ["TMPDIR"], ".", "/var/tmp", "/run"]
MARK = "left-by-an-attack-"
mine = set()


def leave(folder):
    path = os.path.join(folder, MARK + os.urandom(8).hex())
    with open(path, "w") as file:
        file.write("attack")
    mine.add(os.path.basename(path))


def each(message):
    for folder in PLACES:
        before = len(done)
        attempt("", leave, folder)
        del done[before:]  # to write is no offence here
        try:
            names = {name for name in os.listdir(folder) if name.startswith(MARK)}
        except OSError:
            continue
        if names - mine:
            done.append(f"sees its twin in {folder}")


play(each=each)
