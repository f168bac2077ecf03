"""Make `.venv`: the slow part of `scripts/setup`, started by it and only when there is work.

A set-up may be killed at any moment, and two may be started at once. Hence the rules:

- All work is done under a kernel lock (`.venv.lock`). The installers hold it too, so that one
  which outlives a killed set-up is waited for.
- `.venv/letzter-stamp` is the last thing written. A `.venv` of ours whose stamp is not whole is
  thrown away and made anew; downloads are not lost, pip and uv keep them in their caches.
- A `.venv` that somebody else made is never touched.

Only the standard library, and Python 3.11: nothing else is there yet. stdout is left alone.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

# Raise this, here and in scripts/setup, when what set-up makes changes in itself.
LAYOUT = 1

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "letzter-stamp"
LOCK_COPY = VENV / "letzter-lock.txt"
REQUIREMENTS = {
    "run": ROOT / "scripts" / "requirements.txt",
    "dev": ROOT / "scripts" / "requirements-dev.txt",
}
BUILD_REQUIREMENTS = ROOT / "scripts" / "requirements-build.txt"

# The commands that pyproject.toml declares, and the functions of runner.cli behind them.
COMMANDS = {"letzter": "main", "run-league": "run_league"}

# The shell part lets the script stand in a path with spaces, which a plain #! line cannot.
LAUNCHER = """\
#!/bin/sh
'''exec' '{python}' -P "$0" "$@"
' '''
import sys
from runner.cli import {function}
sys.exit({function}())
"""


@dataclass(frozen=True, slots=True)
class Job:
    """What this set-up is to make.

    Attributes:
        requirements: the lock file to install.
        python: the command by which the user, or scripts/setup, named the Python.
        uv: the path of uv, or empty.
        lock_fd: the open lock, handed on to the installers.
    """

    requirements: Path
    python: str
    uv: str
    lock_fd: int

    @property
    def stamp(self) -> str:
        """What the stamp holds when `.venv` is whole; scripts/setup compares the same."""
        return f"letzter set-up {LAYOUT} in {ROOT}\n{self.python}\n"


def main() -> None:
    """Make `.venv`, or bring it up to date, and say what goes on."""
    group, python, uv = sys.argv[1:]
    started = time.monotonic()
    try:
        job = Job(REQUIREMENTS[group], python, uv, take_lock())
        if is_ready(job):
            return  # another set-up did it while this one waited for the lock
        make(job)
    except PermissionError as error:
        fail(f"cannot write {error.filename}. Set-up makes {VENV}: is the checkout read-only?")
    except OSError as error:
        if error.filename is None:
            fail(str(error))
        fail(f"{error.strerror}: {error.filename}")
    except KeyboardInterrupt:
        say("interrupted; run again to start over")
        sys.exit(130)
    say(f"done in {time.monotonic() - started:.0f} s")


def take_lock() -> int:
    """Wait until no other set-up works on this checkout; the lock ends with its last holder."""
    lock_fd = os.open(ROOT / ".venv.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("another set-up of this checkout is at work, waiting for it")
        fcntl.flock(lock_fd, fcntl.LOCK_EX)
    return lock_fd


def is_ready(job: Job) -> bool:
    """Tell whether `.venv` is what this job would make."""
    try:
        locked = LOCK_COPY.read_bytes()
        # What serves the tools serves the program too.
        enough = {job.requirements, REQUIREMENTS["dev"]}
        return STAMP.read_text() == job.stamp and locked in {f.read_bytes() for f in enough}
    except FileNotFoundError:
        return False


def make(job: Job) -> None:
    """Bring `.venv` to the state of the lock file, from nothing if need be."""
    updating = STAMP.is_file() and STAMP.read_text() == job.stamp
    if updating:
        STAMP.write_text("begun\n")
    else:
        clear_venv()
        say(f"making {VENV} with {job.python} and {'uv' if job.uv else 'pip'}")
        create_venv(job)
    say(f"installing {job.requirements.relative_to(ROOT)}")
    install(job, BUILD_REQUIREMENTS)
    install(job, job.requirements)
    add_checkout()
    shutil.copyfile(job.requirements, LOCK_COPY)
    unfinished = STAMP.with_suffix(".new")
    unfinished.write_text(job.stamp)
    unfinished.replace(STAMP)


def clear_venv() -> None:
    """Remove what is left of an earlier `.venv` of ours."""
    old = ROOT / ".venv.old"
    shutil.rmtree(old, ignore_errors=True)
    if not VENV.exists():
        return
    if any(VENV.iterdir()) and not STAMP.exists():
        fail(f"{VENV} was not made by these scripts. Move it away, then run this again.")
    # Renamed first, so that a removal cut short does not leave one without its stamp.
    VENV.rename(old)
    shutil.rmtree(old)


def create_venv(job: Job) -> None:
    """Make an empty virtual environment, marked as begun before anything else."""
    VENV.mkdir()
    STAMP.write_text("begun\n")
    if job.uv:
        command = [job.uv, "venv", "--quiet", "--no-project", "--allow-existing"]
        run(job, [*command, "--python", sys.executable, str(VENV)])
    else:
        run(job, [sys.executable, "-m", "venv", str(VENV)])


def install(job: Job, requirements: Path) -> None:
    """Install a lock file.

    Build isolation is off because the packages of an isolated build are bound by no lock file:
    setuptools comes from requirements-build.txt.
    """
    python = str(VENV / "bin" / "python")
    what = ["--require-hashes", "--no-build-isolation", "--requirement", str(requirements)]
    if job.uv:
        run(job, [job.uv, "pip", "install", "--compile-bytecode", "--python", python, *what])
    else:
        options = ["--disable-pip-version-check", "--no-input", "--use-pep517"]
        run(job, [python, "-m", "pip", "install", *options, *what])


def run(job: Job, command: list[str]) -> None:
    """Run a command with its output on stderr, and end set-up if it fails."""
    # A user's `pip install --user` setting does not fit a virtual environment.
    environment = {**os.environ, "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0"}
    environment.pop("PYTHONHOME", None)
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        pass_fds=[job.lock_fd],
        check=False,
    )
    if done.returncode != 0:
        fail(f"`{' '.join(command[:4])} ...` failed (exit {done.returncode}); its own words above.")


def add_checkout() -> None:
    """Put the checkout on the path of `.venv`, so that edits take effect, and add the commands."""
    (site_packages,) = VENV.glob("lib/python3.*/site-packages")
    (site_packages / "letzter-checkout.pth").write_text(f"{ROOT}\n")
    python = str(VENV / "bin" / "python").replace("'", "'\\''")
    for name, function in COMMANDS.items():
        launcher = VENV / "bin" / name
        launcher.write_text(LAUNCHER.format(python=python, function=function))
        launcher.chmod(0o755)


def say(message: str) -> None:
    """Tell the user."""
    print(f"set-up: {message}", file=sys.stderr, flush=True)


def fail(message: str) -> NoReturn:
    """Tell the user why set-up ends here, and end it."""
    say(message)
    sys.exit(1)


if __name__ == "__main__":
    main()
