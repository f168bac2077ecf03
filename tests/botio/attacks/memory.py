import mmap
import os

from attacker import TARGETS, done, play

PIECE = 16 << 20
FULL = TARGETS["memory_mb"] << 20
GROWS_DOWN = 0x0100
kept = []


def grow(get):
    """How many bytes of a kind of memory it gets, at most twice what it may have."""
    got = 0
    try:
        while got < 2 * FULL:
            piece = get()
            piece[::4096] = b"x" * len(range(0, PIECE, 4096))
            kept.append(piece)
            got += PIECE
    except (MemoryError, OSError, ValueError):
        pass
    kept.clear()
    return got


def mapped(flags, descriptor=-1):
    return lambda: mmap.mmap(descriptor, PIECE, flags=flags, prot=mmap.PROT_READ | mmap.PROT_WRITE)


def hidden():
    with open("/dev/zero", "r+b", 0) as file:
        return mmap.mmap(file.fileno(), PIECE, flags=mmap.MAP_SHARED)


def in_memory_file():
    descriptor = os.memfd_create("attack")
    os.ftruncate(descriptor, PIECE)
    return mmap.mmap(descriptor, PIECE)


for what, get in {
    "bytes": lambda: bytearray(PIECE),
    "private pages": mapped(mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS),
    "shared pages": mapped(mmap.MAP_SHARED | mmap.MAP_ANONYMOUS),
    "stacks": mapped(mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | GROWS_DOWN),
    "/dev/zero": hidden,
    "a file in memory": in_memory_file,
}.items():
    got = grow(get)
    if got > FULL:
        done.append(f"{got >> 20} MB of {what}")
play()
