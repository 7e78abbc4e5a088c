"""How the sandbox's interpreters are started: with which program, in which environment; and how long they may take."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PATIENCE = 10.0  # seconds for the sandbox's own processes to do something that takes them milliseconds
CONTROL_LIMIT = 1 << 20
DIFF_LIMIT = 1 << 30
# What a loader, or Windows' own libraries, cannot do without; and the switch of fast/.
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "WINDIR", "SYSTEMDRIVE", "PPTEVAL_PLAIN_PPTX")
PACKAGES = ("pytest_ppteval", "pptx", "lxml", "PIL", "numpy", "typing_extensions", "xlsxwriter")


def environment() -> dict[str, str]:
    """The sandbox's environment: nothing of the user's but what the loader may need to start Python at all."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {
        "PATH": "/usr/bin:/bin",
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
        # macOS: its frameworks would end a forked process that uses them, or start threads before the fork.
        "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",
        "VECLIB_MAXIMUM_THREADS": "1",
    }


def boot(call: str, room: str = "sandbox.inside", packages: Sequence[str] = PACKAGES) -> str:
    """A program that makes a call into a module of a room, such as "zygote.main(3)".

    It finds the packages that this process would import, wherever they are installed. packages: this one first.
    """
    places = []
    for name in packages:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            origin = Path(spec.origin)
            place = str((origin.parent.parent if spec.submodule_search_locations else origin.parent).resolve())
            if place not in places:
                places.append(place)
    return (
        # This very package, and not one that the interpreter's own site has: the two would not speak alike.
        f"import sys; sys.path.insert(0, {json.dumps(places[0])}); import pytest_ppteval; del sys.path[0]\n"
        f"sys.path.extend(p for p in {json.dumps(places)} if p not in sys.path)\n"
        f"from pytest_ppteval.{room} import {call.partition('.')[0]}\n{call}"
    )
