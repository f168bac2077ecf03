"""exits_at_start: has a complaint on stderr and ends with exit code 3."""

import sys

sys.stderr.write("no engine found\n")
sys.exit(3)
