"""digs: leaves 1500 folders in each other in its home, a locked one, and a link to elsewhere."""

import os
from pathlib import Path

from honest import main

here = Path.cwd()
home = Path(os.environ["HOME"])
(home / "link").symlink_to(here)
(home / "locked").mkdir()
(home / "locked" / "file").touch()
(home / "locked").chmod(0)
os.chdir(home)
for _ in range(1500):
    Path("deeper").mkdir()
    os.chdir("deeper")
os.chdir(here)
main()
