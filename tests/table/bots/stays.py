"""stays: plays well, ignores signals, goodbye and the end of input, and never ends by itself."""

import signal
import time

from honest import main

for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
main()
while True:
    time.sleep(1)
