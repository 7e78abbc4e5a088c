"""Programs run by a user that owns nothing here: what root may do without its capabilities says little of others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

# Any id that owns nothing here; it need not have a name.
ORDINARY = 64_123


def run_as(user: str, *arguments: str, cwd: str | Path = "/") -> subprocess.CompletedProcess[str]:
    """An interpreter of this version with this checkout on its path, run by "root" or "ordinary"; skips without one."""
    python = sys.executable
    identity: dict[str, Any] = {}
    if user == "ordinary" and os.geteuid() == 0:
        found = python_for_others()
        if found is None:
            pytest.skip("there is no interpreter here that an ordinary user may run")
        python, identity = found, {"user": ORDINARY, "group": ORDINARY, "extra_groups": []}
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), sysconfig.get_path("purelib")]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "ANTHROPIC_API_KEY": "sk-secret",
        **{name: value for name, value in os.environ.items() if name.startswith("PPTEVAL_SANDBOX_")},
    }
    done = subprocess.run(
        [python, *arguments], env=environment, capture_output=True, text=True, cwd=cwd, timeout=500, **identity
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def python_for_others() -> str | None:
    """An interpreter of this version that an ordinary user may run."""
    for candidate in (
        sys.executable,
        shutil.which(f"python3.{sys.version_info.minor}", path="/usr/local/bin:/usr/bin"),
    ):
        real = Path(os.path.realpath(candidate)) if candidate else None
        if candidate and real and all(folder.stat().st_mode & 0o001 for folder in (real, *real.parents)):
            return candidate
    return None
