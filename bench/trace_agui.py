"""Events a second of the AG-UI reader, and its memory as the events grow and the steps don't.

    python bench/trace_agui.py [EVENTS]

Beside it, as a yardstick of the machine: json.loads of the same lines and nothing else. Each is run in turn, several
times; what is printed is the median, the spread (lowest to highest) and the ratio of the medians.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from pytest_ppteval.trace import read_trace

ROUNDS = 5
STEPS = 1000


def events(count: int, steps: int = STEPS) -> Iterator[str]:
    """A run with `steps` calls whose arguments come in pieces, and a text between them, as servers stream them."""
    stamp = 1_770_000_000_000
    yield json.dumps({"type": "RUN_STARTED", "threadId": "t", "runId": "r", "timestamp": stamp})
    left = count - 2 - 7 * steps
    for step in range(steps):
        call, message = f"call_{step}", f"message-{step}"
        yield json.dumps({"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant", "timestamp": stamp})
        words = left // (steps - step)
        left -= words
        for _ in range(words):
            stamp += 7
            yield json.dumps({"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": " a", "timestamp": stamp})
        yield json.dumps({"type": "TEXT_MESSAGE_END", "messageId": message, "timestamp": stamp})
        yield json.dumps(
            {"type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": "search", "parentMessageId": message}
        )
        yield json.dumps({"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": '{"query": "page '})
        yield json.dumps({"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": f'{step}"}}'})
        yield json.dumps({"type": "TOOL_CALL_END", "toolCallId": call})
        yield json.dumps({"type": "TOOL_CALL_RESULT", "messageId": f"r{step}", "toolCallId": call, "content": "found"})
    yield json.dumps({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "timestamp": stamp})


def write(path: Path, count: int, *, silent: bool = False) -> None:
    """The events as JSON Lines; with `silent`, all beyond the steps are state that no step and no text comes from."""
    with path.open("w") as stream:
        if not silent:
            stream.writelines(f"{line}\n" for line in events(count))
            return
        lines = list(events(2 + 7 * STEPS))
        state = json.dumps({"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/n", "value": 1}]})
        stream.writelines(f"{line}\n" for line in lines[:1])
        stream.writelines(f"{state}\n" for _ in range(count - len(lines)))
        stream.writelines(f"{line}\n" for line in lines[1:])


def seconds_of_reader(path: Path) -> float:
    start = time.perf_counter()
    trace = read_trace(path)
    seconds = time.perf_counter() - start
    assert len(trace.steps) == STEPS, len(trace.steps)
    assert trace.status == "finished", trace.status
    return seconds


def seconds_of_json(path: Path) -> float:
    start = time.perf_counter()
    with path.open() as stream:
        for line in stream:
            json.loads(line)
    return time.perf_counter() - start


def peak(path: Path) -> float:
    tracemalloc.start()
    read_trace(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        write(path, count)
        reader, plain = [], []
        for _ in range(ROUNDS):
            plain.append(seconds_of_json(path))
            reader.append(seconds_of_reader(path))
        for name, times in (("read_trace", reader), ("json.loads only", plain)):
            speeds = [count / seconds for seconds in times]
            print(
                f"{name:16} {statistics.median(speeds):>9,.0f} events/s "
                f"(of {ROUNDS} runs: {min(speeds):,.0f} to {max(speeds):,.0f})"
            )
        print(f"ratio of the medians: {statistics.median(reader) / statistics.median(plain):.2f} x json.loads")
        for size in (50_000, 500_000):
            write(path, size, silent=True)
            megabytes = path.stat().st_size / 1e6
            print(f"{size:>9,} events, {STEPS} steps, {megabytes:.0f} MB of file: peak memory {peak(path):.1f} MB")


if __name__ == "__main__":
    main()
