"""killed_at_start: ends by a signal before it is ready."""

import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
