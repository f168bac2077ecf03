import os

from attacker import TARGETS, attempt, play


def read(path):
    with open(path, "rb") as file:
        file.read(1)


for path in TARGETS["files"]:
    attempt(f"read {path}", read, path)
for path in TARGETS["folders"]:
    attempt(f"list {path}", os.listdir, path)
for path in ("/etc/passwd", "/etc/shadow", "/var/log", "/root/.bashrc", "/home", "/etc/ssh"):
    attempt(f"read {path}", read, path)
    attempt(f"list {path}", os.listdir, path)
for path in TARGETS["bot_beside"]:
    attempt(f"read {path}", read, path)
play()
