"""What a leaf costs: 10,000 trivial leaves through pytest with JUnit, sandbox off and on; does memory stay flat?

.venv/bin/python bench/leaves.py [leaves]
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LEAVES_PER_TASK = 50
ROUNDS = 3
BUDGET = {"off": 2.5, "auto": 8.0}
CODE = "def compute_score():\n    return 'fine', 1.0\n"
# Reports pytest's own resident memory as each tenth of the tasks ends.
CONFTEST = """
import resource
count = 0
def pytest_runtest_logfinish(nodeid):
    global count
    count += 1
    if count % {step} == 0:
        pages = int(open("/proc/self/statm").read().split()[1])
        print(f"RSS {{count}} {{pages * resource.getpagesize() >> 20}}", file=open("rss.txt", "a"))
"""


def make_suite(folder: Path, leaves: int) -> int:
    """A registry with that many leaves; gives the number of tasks."""
    from pptx import Presentation

    tasks = leaves // LEAVES_PER_TASK
    (folder / "cases").mkdir()
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[5])
    deck.save(str(folder / "cases" / "deck.pptx"))
    children = [
        {"name": f"leaf {n}", "scorer": {"type": "function", "function_code": CODE}} for n in range(LEAVES_PER_TASK)
    ]
    (folder / "cases" / "rubric.json").write_text(json.dumps({"root": {"name": "r", "children": children}}), "utf-8")
    registry = {
        f"task-{n}": {"goal": "none", "file_path": "cases/deck.pptx", "rubric_path": "cases/rubric.json", "misc": {}}
        | {"tags": []}
        for n in range(tasks)
    }
    (folder / "cases" / "tasks.json").write_text(json.dumps(registry), "utf-8")
    (folder / "outputs").mkdir()
    for name in registry:
        (folder / "outputs" / f"{name}.pptx").write_bytes((folder / "cases" / "deck.pptx").read_bytes())
    (folder / "conftest.py").write_text(CONFTEST.format(step=max(1, tasks // 10)), "utf-8")
    return tasks


def run(folder: Path, sandbox: str) -> float:
    """Seconds of one run of the suite."""
    command = [sys.executable, "-m", "pytest", "cases", "--ppteval-outputs=outputs", f"--ppteval-sandbox={sandbox}"]
    command += ["--junitxml=report.xml", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    (folder / "rss.txt").unlink(missing_ok=True)
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - started


def main() -> None:
    """Print milliseconds a leaf, start-up included, and pytest's memory along the way."""
    leaves = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tasks = make_suite(folder, leaves)
        times: dict[str, list[float]] = {mode: [] for mode in BUDGET}
        memory: dict[str, list[int]] = {}
        for _ in range(ROUNDS):
            for mode in BUDGET:
                times[mode].append(run(folder, mode) * 1000 / leaves)
                memory[mode] = [int(line.split()[2]) for line in (folder / "rss.txt").read_text().splitlines()]
        print(f"{leaves} leaves in {tasks} tasks, JUnit included, {ROUNDS} rounds")
        for mode, values in times.items():
            middle = statistics.median(values)
            print(
                f"sandbox {mode:5} median {middle:5.2f} ms a leaf, {min(values):.2f}..{max(values):.2f}"
                f" (budget {BUDGET[mode]} ms); pytest's memory in MiB by tenths: {memory[mode]}"
            )
        print(f"ratio on/off {statistics.median(times['auto']) / statistics.median(times['off']):.1f}")
        print(f"largest child process: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10} MiB")


if __name__ == "__main__":
    main()
