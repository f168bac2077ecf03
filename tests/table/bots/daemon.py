"""daemon: says ready and goes on as a grandchild of the referee; the process started exits."""

import os
import time

from honest import main

if os.fork() == 0:
    time.sleep(5)
    main()
    os._exit(0)
os.write(1, b'{"type":"ready"}\n')
