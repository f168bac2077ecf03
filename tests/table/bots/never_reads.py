"""never_reads: says ready, and reads nothing, not even hello."""

import time

from honest import say

say('{"type":"ready"}\n')
time.sleep(600)
