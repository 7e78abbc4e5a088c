"""Traces that are made to hurt: what is read has limits, each with a name, and memory and time are bounded by them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.evidence.run import Lacking, Run
from pytest_ppteval.trace import TraceError, read_trace, read_traces
from pytest_ppteval.trace.limits import MAX_VALUES, MEBIBYTE
from pytest_ppteval.trace.model import TraceLimitError

START = b'{"type": "RUN_STARTED", "threadId": "t"}\n'
END = b'{"type": "RUN_FINISHED", "threadId": "t"}\n'
HUGE = 10**6  # digits


def sparse(path: Path, start: bytes, size: int) -> Path:
    """A file that is large, and takes no room: zeros after its start."""
    with path.open("wb") as file:
        file.write(start)
        file.truncate(size)
    return path


def bomb(path: Path, size: int, *, directory: bool = True) -> Path:
    """An Inspect log of which one sample has `size` bytes of zeros."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("samples/1.json", "w") as member:
        for _ in range(size // MEBIBYTE):
            member.write(b"0" * MEBIBYTE)
    raw = data.getvalue()
    path.write_bytes(raw if directory else raw[: raw.rindex(b"PK\x01\x02")])
    return path


def many(text: str, count: int) -> bytes:
    return ("[" + ",".join([text] * count) + "]").encode()


CASES: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "a line of 1 GB": ("MAX_FILE", lambda p: sparse(p, START, 1 << 30)),
    "a line of 100 MB": ("MAX_LINE", lambda p: sparse(p, START, 100 * MEBIBYTE)),
    "an object of 200 MB over several lines": ("MAX_DOCUMENT", lambda p: sparse(p, b'{\n"type":\n"', 200 * MEBIBYTE)),
    "an array of 200 MB": ("MAX_DOCUMENT", lambda p: sparse(p, b"[\n", 200 * MEBIBYTE)),
    "UTF-16 of 200 MB": ("MAX_DOCUMENT", lambda p: sparse(p, b"\xff\xfe", 200 * MEBIBYTE)),
    "a document of empty objects": ("MAX_VALUES", lambda p: p.write_bytes(many("{}", MAX_VALUES + 1))),
    "a line of empty objects": (
        "MAX_VALUES",
        lambda p: p.write_bytes(START + b'{"type": "CUSTOM", "a": ' + many("{}", MAX_VALUES) + b"}\n"),
    ),
    "many documents": ("MAX_VALUES", lambda p: p.write_bytes(b"[]" * (MAX_VALUES + 1))),
    "an array of what is no JSON": ("MAX_BAD", lambda p: p.write_bytes(many('{"a" 1}', 200_000))),
    "a bomb": ("MAX_DOCUMENT", lambda p: bomb(p, 160 * MEBIBYTE)),
    "a bomb without its directory": ("MAX_DOCUMENT", lambda p: bomb(p, 160 * MEBIBYTE, directory=False)),
}


def memory_and_problem(path: Path) -> tuple[int, str]:
    """Read in a process of its own that may have 1.5 GB; the most it had, in MiB, and what it said."""
    code = (
        "import resource, sys\n"
        "from pytest_ppteval.trace import read_traces, TraceError\n"
        "try:\n    read_traces(sys.argv[1])\n    print('read')\n"
        "except TraceError as error:\n    print(getattr(error, 'limit', ''), error)\n"
        "if sys.platform == 'linux':\n"  # where getrusage tells the most that the forking process had, too
        "    print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))\n"
        "else:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )

    resource = pytest.importorskip("resource", reason="no limits of a process here")

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))

    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, preexec_fn=limited, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    *said, most = done.stdout.splitlines()
    return int(most) // (1024 if sys.platform == "linux" else MEBIBYTE), "\n".join(said)


@pytest.mark.parametrize("case", CASES)
def test_what_is_too_much_is_refused_with_the_limits_name(case: str, tmp_path: Path) -> None:
    limit, write = CASES[case]
    write(tmp_path / "trace.log")
    most, said = memory_and_problem(tmp_path / "trace.log")
    assert said.startswith(f"{limit} ")
    assert f"(limit {limit})" in said
    assert "trace.log" in said
    assert most < 700


def test_a_limit_that_is_met_is_the_agents_failure(tmp_path: Path) -> None:
    sparse(tmp_path / "trace.jsonl", START, 1 << 30)
    found = Run(tmp_path).trace
    assert isinstance(found, Lacking)
    assert found.fault == "agent"
    assert "MAX_FILE" in found.reason


def test_a_large_honest_trace_is_read(tmp_path: Path) -> None:
    """40 MB, most of it one result that is full of commas."""
    result = {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": "1,2,3," * 7_000_000}
    call = {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "t", "delta": "{}"}
    data = START + b"".join(json.dumps(event).encode() + b"\n" for event in (call, result)) + END
    (step,) = read_trace(data).steps
    assert step.result == result["content"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_plain_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(TraceError, match=r"run\.jsonl: no plain file"):
        read_traces(path)


NUMBERS = [str(10**400), "1" * HUGE, "-" + "9" * 5000, "1e999", "1" * 310 + ".5", "9" * 300]
FORMS: dict[str, Any] = {
    "arguments": {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "t", "delta": '{"n": N}'},
    "a timestamp": {"type": "CUSTOM", "timestamp": "N"},
    "tokens": {"type": "RUN_FINISHED", "usage": [{"inputTokens": "N", "outputTokens": 1}]},
}


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number[:6]}... of {len(number)}")
@pytest.mark.parametrize("form", FORMS)
def test_numbers_without_bounds(form: str, number: str) -> None:
    text = json.dumps(FORMS[form]).replace('"N"', number).replace("N}", number + "}")
    trace = read_trace(START + text.encode() + b"\n" + END)
    assert trace.status == "finished"
    assert all(note.code != "bad_json" for note in trace.diagnostics)
    assert trace.total_usage is None or trace.total_usage.tokens is None
    assert len(trace.steps) == (form == "arguments")
    for step in trace.steps:
        assert isinstance(step.args, dict)
        float(str(step.args["n"]))  # a number still, or its text


DEEP = 100_000


@pytest.mark.parametrize(
    "nested", ["[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP, "[" * DEEP, '{"a":' * DEEP]
)
@pytest.mark.parametrize(
    "place", ["alone", "a line", "an array's item", "a field", "arguments", "a result's JSON text"]
)
def test_json_100_000_deep(nested: str, place: str) -> None:
    text = json.dumps(nested)
    data = {
        "alone": nested.encode(),
        "a line": START + nested.encode() + b"\n" + END,
        "an array's item": b"[" + START.strip() + b"," + nested.encode() + b"," + END.strip() + b"]",
        "a field": START + b'{"type": "CUSTOM", "value": ' + nested.encode() + b"}\n" + END,
        "arguments": START + f'{{"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "delta": {text}}}\n'.encode() + END,
        "a result's JSON text": START
        + f'{{"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": {text}}}\n'.encode(),
    }[place]
    for name in (None, "agui", "openai-chat", "otel", "inspect"):
        try:
            traces = read_traces(data, name)
        except TraceError:
            assert name is None or place == "alone"
            continue
        # What could not be read may have been a call.
        assert all(trace.steps or trace.calls_unknown is not None for trace in traces)


def test_the_limits_error_is_a_traces_error() -> None:
    assert issubclass(TraceLimitError, TraceError)
