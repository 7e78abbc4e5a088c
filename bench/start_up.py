"""Starting pytest where no bytecode may be written: the installed package as it is, and with its asserts rewritten.

Needs an installed package, since pytest rewrites what an installation's list of files names: python bench/start_up.py
[rounds], with the project's environment. It installs a copy into a folder of its own and compiles it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 10


def install(into: Path) -> None:
    """The package, compiled, with its list of files."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(into), str(ROOT)]
    subprocess.run(command, check=True)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(into)], check=True)


def start(site: Path, folder: str) -> float:
    """Seconds of one run of pytest on a small task, collected only."""
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q", str(ROOT / "cases")]
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain, rewritten = Path(folder) / "plain", Path(folder) / "rewritten"
        for site in (plain, rewritten):
            install(site)
        init = rewritten / "pytest_ppteval" / "__init__.py"
        init.write_text(init.read_text("utf-8").replace("\n_keep_asserts_plain()\n", "\n"), "utf-8")
        took: dict[Path, list[float]] = {plain: [], rewritten: []}
        for _ in range(ROUNDS):
            for site, found in took.items():
                found.append(start(site, folder))
    for site, found in took.items():
        print(f"{site.name:10} {statistics.median(found):.2f} s (from {min(found):.2f} to {max(found):.2f})")


if __name__ == "__main__":
    main()
