"""ready_late: needs as many seconds to get ready as `seconds.txt` says, without computing."""

import time
from pathlib import Path

from honest import main

time.sleep(float(Path("seconds.txt").read_text()))
main()
