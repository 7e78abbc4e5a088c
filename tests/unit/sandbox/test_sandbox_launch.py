"""The sandbox's interpreter runs the package that started it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest_ppteval


def test_a_copy_of_the_package_starts_a_sandbox_of_its_own(tmp_path: Path) -> None:
    """As with a checkout on PYTHONPATH beside an installed one: two versions would not speak alike."""
    installed = Path(pytest_ppteval.__file__).parent
    copy = tmp_path / "elsewhere" / "pytest_ppteval"
    shutil.copytree(installed, copy, ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "import subprocess, sys\n"
        "from pytest_ppteval.sandbox.launch import boot, environment\n"
        "program = boot('code.__name__', 'sandbox.source') + '\\nprint(code.__file__)'\n"
        "done = subprocess.run([sys.executable, '-c', program], env=environment(), capture_output=True, text=True)\n"
        "print(done.stdout + done.stderr)\n"
    )
    seen = os.environ | {"PYTHONPATH": str(copy.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=seen, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(copy / "sandbox" / "source" / "code.py")
