"""never_flushes: prints into a block buffer, and so never says anything."""

import io
import os
import sys

import honest

if "PYTHONUNBUFFERED" in os.environ:
    del os.environ["PYTHONUNBUFFERED"]
    os.execv(sys.executable, [sys.executable, "-S", "-s", *sys.argv])
assert not isinstance(sys.stdout.buffer, io.RawIOBase)
assert not sys.stdout.line_buffering
honest.say = print
honest.main()
