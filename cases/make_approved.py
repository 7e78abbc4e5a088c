"""Writes the suite's approved runs: `python cases/make_approved.py [folder]`, by default into baselines/cases.

For every task of tasks.json, <folder>/<task id>/output.pptx and run.json. The outputs are reference solutions, made
by the functions in decks/approved_*.py; no agent ran, so run.json names no tokens and no cost. Where a task has a
budget, run.json says the seconds that the solution took and, as tool_calls, how many edits it made. A run.json whose
output has not changed is left alone.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
APPROVED_AT = "2026-11-30"
sys.path.insert(0, str(HERE / "decks"))


def write(folder: Path) -> None:
    from kit import save
    from pptx import Presentation

    tasks = json.loads((HERE / "tasks.json").read_text(encoding="utf-8"))
    for task_id, task in tasks.items():
        original = HERE.parent / task["file_path"]
        solve = importlib.import_module(f"approved_{original.stem}").SOLUTIONS[task_id]
        place = folder / task_id
        place.mkdir(parents=True, exist_ok=True)
        output, record = place / "output.pptx", place / "run.json"
        before = output.read_bytes() if output.exists() else b""
        start = time.perf_counter()
        deck = Presentation(str(original))
        edits = solve(deck)
        save(deck, output)
        seconds = time.perf_counter() - start
        if output.read_bytes() == before and record.exists():
            continue
        run: dict[str, object] = {
            "approved_by": "the pytest-ppteval authors",
            "approved_at": APPROVED_AT,
            "agent": "none: reference solution written by hand, as a script",
            "why": f"reference solution, not an agent's run: {' '.join((solve.__doc__ or '').split())}",
        }
        if "budget" in task["misc"]:
            run["metrics"] = {"seconds": round(seconds, 2), "tool_calls": edits}
        record.write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "baselines" / HERE.name)
