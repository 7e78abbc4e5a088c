"""Behaves as `codex exec --json -` does: the prompt on stdin, thread events as JSON Lines on stdout."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from agents.acting import act


class Events:
    def __init__(self) -> None:
        self.items = 0

    def event(self, kind: str, **fields: Any) -> None:
        print(json.dumps({"type": kind, **fields}), flush=True)

    def start(self) -> None:
        self.event("thread.started", thread_id="0199a213-81c0-7800-8aa1-bbab2a035a53")
        self.event("turn.started")

    def tool(self, name: str, arguments: dict[str, str], result: str) -> None:
        self.items += 1
        command = arguments.get("command", f"{name} {' '.join(arguments.values())}")
        item = {"id": f"item_{self.items}", "type": "command_execution", "command": command}
        self.event("item.started", item={**item, "aggregated_output": "", "exit_code": None, "status": "in_progress"})
        self.event("item.completed", item={**item, "aggregated_output": result, "exit_code": 0, "status": "completed"})

    def end(self, text: str) -> None:
        self.items += 1
        self.event("item.completed", item={"id": f"item_{self.items}", "type": "agent_message", "text": text})
        self.event("turn.completed", usage={"input_tokens": 4000, "cached_input_tokens": 3000, "output_tokens": 120})

    def fail(self, text: str) -> None:
        self.event("error", message=text)
        self.event("turn.failed", error={"message": text})


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("exec", choices=["exec"])
    parser.add_argument("--json", action="store_true", required=True)
    parser.add_argument("--skip-git-repo-check", action="store_true", required=True)
    parser.add_argument("--sandbox", choices=["read-only", "workspace-write", "danger-full-access"], required=True)
    parser.add_argument("prompt", choices=["-"])
    parser.parse_args()
    prompt = sys.stdin.read()
    given = re.search(r"^The presentation is (.+)\. Leave", prompt, re.MULTILINE)
    output = re.search(r"^Save the result as (.+)$", prompt, re.MULTILINE)
    act(Events(), given[1] if given else "", output[1] if output else "")


if __name__ == "__main__":
    main()
