"""Behaves as `copilot --prompt=... --output-format=json` does: session events as JSON Lines on stdout."""

from __future__ import annotations

import argparse
import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from agents.acting import act

MODEL = "claude-sonnet-4.6"


class Session:
    def __init__(self) -> None:
        self.events = 0

    def event(self, kind: str, **data: Any) -> None:
        self.events += 1
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        print(json.dumps({"type": kind, "data": data, "id": f"e{self.events}", "timestamp": now}), flush=True)

    def start(self) -> None:
        self.event("session.start", sessionId="s-1", selectedModel=MODEL)
        self.event("user.message", content="...")

    def tool(self, name: str, arguments: dict[str, str], result: str) -> None:
        call = f"call_{self.events}"
        request = {"toolCallId": call, "name": name.lower(), "arguments": arguments}
        self.event("assistant.message", messageId=f"m{self.events}", content="", toolRequests=[request])
        self.event("tool.execution_start", toolCallId=call, toolName=name.lower(), arguments=arguments)
        self.event("tool.execution_complete", toolCallId=call, success=True, result={"content": result})

    def end(self, text: str) -> None:
        self.event("assistant.message", messageId=f"m{self.events}", content=text, toolRequests=[])
        usage = {"inputTokens": 2500, "outputTokens": 80, "cacheReadTokens": 2000, "cacheWriteTokens": 100}
        self.event("session.shutdown", shutdownType="routine", modelMetrics={MODEL: {"usage": usage}})

    def fail(self, text: str) -> None:
        self.event("session.error", errorType="query", message=text)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--prompt", required=True)
    parser.add_argument("--output-format", choices=["text", "json"], required=True)
    parser.add_argument("--allow-all-tools", action="store_true", required=True)
    parser.add_argument("--no-ask-user", action="store_true")
    parser.add_argument("--no-color", action="store_true")
    prompt = parser.parse_args().prompt
    given = re.search(r"^The presentation is (.+)\. Leave", prompt, re.MULTILINE)
    output = re.search(r"^Save the result as (.+)$", prompt, re.MULTILINE)
    act(Session(), given[1] if given else "", output[1] if output else "")


if __name__ == "__main__":
    main()
