"""Memory grows with the steps, not with the events."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from pytest_ppteval.trace import read_trace

STATE = json.dumps({"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/n", "value": 1}]}) + "\n"
UNKNOWN = json.dumps({"type": "HEARTBEAT", "at": "x" * 50}) + "\n"
STRAY = json.dumps({"type": "TEXT_MESSAGE_END", "messageId": "none"}) + "\n"


def peak(path: Path) -> int:
    tracemalloc.start()
    trace = read_trace(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(trace.steps) == 50
    return most


@pytest.mark.parametrize("noise", [STATE, UNKNOWN, STRAY], ids=["known", "unknown", "odd"])
def test_events_that_are_no_steps_take_no_memory(noise: str, tmp_path: Path) -> None:
    start = json.dumps({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}) + "\n"
    steps = "".join(
        json.dumps({"type": "TOOL_CALL_CHUNK", "toolCallId": f"c{n}", "toolCallName": "t", "delta": "{}"}) + "\n"
        for n in range(50)
    )
    peaks = []
    for count in (5_000, 30_000):
        path = tmp_path / f"{count}.jsonl"
        path.write_text(start + noise * (count // 2) + steps + noise * (count // 2))
        peaks.append(peak(path))
    # 25,000 events more, of which nothing is kept; some pieces of the file are in memory at a time.
    assert peaks[1] < peaks[0] + 1e6
