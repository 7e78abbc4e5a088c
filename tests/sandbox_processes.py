"""Looking at the sandbox's processes from outside, by /proc."""

from __future__ import annotations

import time
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """All processes below this one."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir() if Path(f"/proc/{pid}").exists() else ():
        try:
            below = [int(text) for text in (task / "children").read_text().split()]
        except OSError:
            continue
        for child in below:
            found += [child, *descendants(child)]
    return found


def gone(pids: list[int], seconds: float = 3.0) -> bool:
    """Whether these processes have ended, or end soon."""
    end = time.monotonic() + seconds
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
