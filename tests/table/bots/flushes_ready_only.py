"""flushes_ready_only: what it answers stays in its own buffer."""

import io

from honest import reply, requests

out = io.BufferedWriter(io.FileIO(1, "w"), 1 << 20)
for request in requests():
    out.write(reply(request).encode())
