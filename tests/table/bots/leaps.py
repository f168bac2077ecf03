"""leaps: leaves a process that forks and exits without end, in one session of its own."""

import os

from honest import main

if os.fork() == 0:
    os.setsid()
    for descriptor in range(3):
        os.close(descriptor)
    while True:
        if os.fork():
            os._exit(0)
main()
