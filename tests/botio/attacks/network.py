import socket

from attacker import TARGETS, attempt, play, syscall


def send(family, kind, address):
    with socket.socket(family, kind) as made:
        made.connect(address)
        made.send(b"attack")


def listen(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as made:
        made.bind(address)
        made.listen()


def datagrams():
    import ctypes

    pair = (ctypes.c_int * 2)()
    if ctypes.CDLL(None).socketpair(socket.AF_UNIX, socket.SOCK_DGRAM, 0, pair):
        raise OSError
    with socket.socket(fileno=pair[0]) as made:
        made.sendto(b"attack", TARGETS["unix"])


attempt("TCP", send, socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", TARGETS["tcp"]))
attempt("TCP, version 6", send, socket.AF_INET6, socket.SOCK_STREAM, ("::1", TARGETS["tcp"]))
attempt("UDP", send, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", TARGETS["udp"]))
attempt("unix socket", send, socket.AF_UNIX, socket.SOCK_DGRAM, TARGETS["unix"])
attempt("abstract socket", send, socket.AF_UNIX, socket.SOCK_DGRAM, TARGETS["abstract"])
attempt("listening", listen, socket.AF_INET, ("127.0.0.1", 0))
attempt("listening, abstract", listen, socket.AF_UNIX, "\0attack")
attempt("netlink", socket.socket, 16, socket.SOCK_RAW, 0)
attempt("a datagram pair's other addresses", datagrams)
syscall("socket, past the library", (41, 198), 2, 1, 0)
syscall("io_uring", (425, 425), 4, b"\0" * 120)
play()
