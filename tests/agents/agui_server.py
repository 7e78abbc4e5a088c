"""Behaves as an AG-UI server's client does that logs the events: agui_server.py INPUT OUTPUT LOG, the goal on stdin.

The events are written to LOG as they come over the wire, as server-sent events.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from agents.acting import act


class Log:
    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = path.open("w", encoding="utf-8")
        self.number = 0

    def event(self, kind: str, **fields: Any) -> None:
        self.file.write(f"data: {json.dumps({'type': kind, 'timestamp': int(time.time() * 1000), **fields})}\n\n")
        self.file.flush()

    def start(self) -> None:
        self.event("RUN_STARTED", threadId="t-1", runId="r-1")

    def tool(self, name: str, arguments: dict[str, str], result: str) -> None:
        self.number += 1
        call = f"call_{self.number}"
        self.event("TOOL_CALL_START", toolCallId=call, toolCallName=name)
        self.event("TOOL_CALL_ARGS", toolCallId=call, delta=json.dumps(arguments))
        self.event("TOOL_CALL_END", toolCallId=call)
        self.event("TOOL_CALL_RESULT", messageId=f"m-{call}", toolCallId=call, content=result, role="tool")

    def end(self, text: str) -> None:
        self.event("TEXT_MESSAGE_START", messageId="m-1", role="assistant")
        self.event("TEXT_MESSAGE_CONTENT", messageId="m-1", delta=text)
        self.event("TEXT_MESSAGE_END", messageId="m-1")
        self.event("RUN_FINISHED", threadId="t-1", runId="r-1")

    def fail(self, text: str) -> None:
        self.event("RUN_ERROR", message=text)


def main() -> None:
    given, output, log = sys.argv[1:]
    assert sys.stdin.read()
    act(Log(Path(log)), given, output)


if __name__ == "__main__":
    main()
