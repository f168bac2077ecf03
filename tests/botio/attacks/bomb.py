"""Takes memory until it dies of it, in the middle of a deal."""

from attacker import play

kept = []


def each(message):
    while message["id"] > 3:
        kept.append(bytearray(1 << 24))


play(each=each)
