import os

from attacker import TARGETS, attempt, play

NAME = "left-by-an-attack"


def write(path):
    with open(path, "w") as file:
        file.write("attack")


folders = ["/", "/usr", "/usr/lib", "/etc", "/var/tmp", "/run", "/dev", "/bin", "/opt", "/srv", "."]
for folder in folders + TARGETS["folders"]:
    path = os.path.join(folder, NAME)
    attempt(f"write {path}", write, path)
    attempt(f"make {path}", os.mkdir, path)
    attempt(f"link {path}", os.symlink, "/etc/passwd", path)
for path in [*TARGETS["files"], "attacker.py", TARGETS["library"], "/usr/bin/env"]:
    attempt(f"write {path}", write, path)
    attempt(f"append {path}", lambda path=path: open(path, "a").close())
    attempt(f"truncate {path}", os.truncate, path, 0)
    attempt(f"remove {path}", os.unlink, path)
    attempt(f"change mode of {path}", os.chmod, path, 0o777)
    attempt(f"change time of {path}", os.utime, path, (1, 1))
    attempt(f"change attributes of {path}", os.setxattr, path, "user.attack", b"1")
play()
