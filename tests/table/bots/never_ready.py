"""never_ready: says nothing at all."""

import time

time.sleep(600)
