"""Behaves as `claude -p --output-format stream-json --verbose` does: the prompt on stdin, JSON Lines on stdout."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from agents.acting import act

SESSION = "3f1c8f2e-0000-4000-8000-000000000001"
MODEL = "claude-sonnet-5"


class Stream:
    def __init__(self) -> None:
        self.calls = 0

    def line(self, **fields: Any) -> None:
        print(json.dumps({**fields, "session_id": SESSION}), flush=True)

    def start(self) -> None:
        self.line(type="system", subtype="init", cwd=str(Path.cwd()), model=MODEL, tools=["Bash", "Read", "Write"])

    def assistant(self, block: dict[str, Any]) -> None:
        self.calls += 1
        usage = {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 20}
        message = {"id": f"msg_{self.calls}", "role": "assistant", "model": MODEL, "content": [block], "usage": usage}
        self.line(type="assistant", message=message, parent_tool_use_id=None)

    def tool(self, name: str, arguments: dict[str, str], result: str) -> None:
        call = f"toolu_{self.calls + 1}"
        self.assistant({"type": "tool_use", "id": call, "name": name, "input": arguments})
        block = {"type": "tool_result", "tool_use_id": call, "content": result, "is_error": False}
        self.line(type="user", message={"role": "user", "content": [block]}, parent_tool_use_id=None)

    def end(self, text: str) -> None:
        self.assistant({"type": "text", "text": text})
        self.result(subtype="success", is_error=False, result=text)

    def fail(self, text: str) -> None:
        self.assistant({"type": "text", "text": text})
        self.result(subtype="success", is_error=True, result=text)

    def result(self, **fields: Any) -> None:
        turns = self.calls
        usage = {"input_tokens": 100 * turns, "cache_read_input_tokens": 900 * turns, "output_tokens": 20 * turns}
        self.line(type="result", duration_ms=1200, num_turns=turns, total_cost_usd=0.01 * turns, usage=usage, **fields)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", action="store_true", required=True)
    parser.add_argument("--output-format", choices=["stream-json"], required=True)
    parser.add_argument("--verbose", action="store_true", required=True)
    parser.add_argument("--permission-mode", choices=["default", "acceptEdits", "bypassPermissions"])
    parser.add_argument("--allowedTools")
    parser.add_argument("--model", default=MODEL)
    parser.parse_args()
    prompt = sys.stdin.read()
    given = re.search(r"^The presentation is (.+)\. Leave", prompt, re.MULTILINE)
    output = re.search(r"^Save the result as (.+)$", prompt, re.MULTILINE)
    stream = Stream()
    act(stream, given[1] if given else "", output[1] if output else "")


if __name__ == "__main__":
    main()
