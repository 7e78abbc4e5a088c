"""Guards: what an edit must not break, whatever it was to do. One a module: `guard(options, world)` yields faults.

Each compares with the original, so that what was wrong before is nobody's fault.
"""

from __future__ import annotations

NAMES = ("legible", "editable", "opens")
