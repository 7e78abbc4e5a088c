"""How a reader behaves with what is odd, broken or hostile: the table of the trace formats, row by row."""

from __future__ import annotations

import codecs
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_trace_samples import EXPECTED, sample

from pytest_ppteval.trace import Trace, TraceError, detect, read_trace, read_traces
from pytest_ppteval.trace.show import as_data, as_table

EVENTS: list[dict[str, Any]] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r", "timestamp": 1770389239},
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "I look. "},
    {"type": "TEXT_MESSAGE_END", "messageId": "m"},
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "search"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"q": '},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '"decks"}'},
    {"type": "TOOL_CALL_END", "toolCallId": "c"},
    {"type": "TOOL_CALL_RESULT", "messageId": "x", "toolCallId": "c", "content": "two"},
    {"type": "TEXT_MESSAGE_START", "messageId": "n", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "n", "delta": "There are two."},
    {"type": "TEXT_MESSAGE_END", "messageId": "n"},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "timestamp": 1770389242},
]


def lines(events: list[dict[str, Any]], end: str = "\n") -> bytes:
    return "".join(json.dumps(event) + end for event in events).encode()


def sse(events: list[dict[str, Any]], *, end: str = "\n", name: str = "data: ", blank: bool = True) -> bytes:
    return "".join(name + json.dumps(event) + end + (end if blank else "") for event in events).encode()


def codes(trace: Trace) -> set[str]:
    return {note.code for note in trace.diagnostics}


def expect_all(trace: Trace, *expected: str) -> None:
    """The run of EVENTS, whole, with these diagnostics and no others."""
    assert [(step.id, step.tool, step.args, step.result) for step in trace.steps] == [
        ("c", "search", {"q": "decks"}, "two")
    ]
    assert [message.text for message in trace.messages] == ["I look. ", "There are two."]
    assert trace.final_response == "There are two."
    assert (trace.status, trace.duration_s, trace.run) == ("finished", 3.0, "t")
    assert codes(trace) == set(expected)


PRETTY = "".join(f"data: {part}\n" for part in json.dumps(EVENTS[0], indent=1).splitlines()).encode() + b"\n"
NOISE = b": keep-alive\nid: 7\nevent: message\nretry: 100\n\n"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(lines(EVENTS), (), id="JSON Lines, LF"),
        pytest.param(lines(EVENTS, "\r\n"), (), id="JSON Lines, CRLF"),
        pytest.param(lines(EVENTS, "\r"), (), id="JSON Lines, lone CR"),
        pytest.param(sse(EVENTS), (), id="SSE, LF"),
        pytest.param(sse(EVENTS, end="\r\n"), (), id="SSE, CRLF"),
        pytest.param(sse(EVENTS, end="\r"), (), id="SSE, lone CR"),
        pytest.param(sse(EVENTS, name="data:"), (), id="SSE, data: without the space"),
        pytest.param(json.dumps(EVENTS).encode(), (), id="an array on one line"),
        pytest.param(json.dumps(EVENTS, indent=2).encode(), (), id="an array on many lines"),
        pytest.param(json.dumps({"events": EVENTS}).encode(), (), id="an object that holds the array"),
        pytest.param(codecs.BOM_UTF8 + lines(EVENTS), (), id="UTF-8 BOM"),
        pytest.param(codecs.BOM_UTF8 + json.dumps(EVENTS, indent=2).encode(), (), id="UTF-8 BOM, array"),
        pytest.param(lines(EVENTS).decode().encode("utf-16"), (), id="UTF-16 BOM"),
        pytest.param(
            codecs.BOM_UTF16_BE + sse(EVENTS).decode().encode("utf-16-be"), (), id="UTF-16 BOM, big end first"
        ),
        pytest.param(NOISE + sse(EVENTS) + b"data: [DONE]\n\n", (), id="comments, id, event, retry, [DONE]"),
        pytest.param(PRETTY + sse(EVENTS[1:]), (), id="data over several lines"),
        pytest.param(sse(EVENTS, blank=False), ("no_blank_line",), id="frames without a blank line between"),
        pytest.param(lines(EVENTS).rstrip(), (), id="no line break at the end"),
        pytest.param(lines(EVENTS).replace(b"\n", b"\n\n"), (), id="empty lines between"),
        pytest.param(lines(EVENTS)[:-1] + b"   \n\t\n", (), id="white space at the end"),
    ],
)
def test_framing(data: bytes, expected: tuple[str, ...]) -> None:
    assert detect(data) == "agui"
    expect_all(read_trace(data), *expected)


def changed(index: int, **fields: Any) -> list[dict[str, Any]]:
    return [{**event, **fields} if number == index else event for number, event in enumerate(EVENTS)]


def moved(index: int, to: int) -> list[dict[str, Any]]:
    events = EVENTS[:]
    events.insert(to, events.pop(index))
    return events


def with_added(index: int, *added: dict[str, Any]) -> list[dict[str, Any]]:
    return [*EVENTS[:index], *added, *EVENTS[index:]]


SNAKE = [
    {"type": "RUN_STARTED", "thread_id": "t", "run_id": "r", "timestamp": 1770389239},
    *EVENTS[1:4],
    {"type": "TOOL_CALL_START", "tool_call_id": "c", "tool_call_name": "search", "parent_message_id": "m"},
    {"type": "TOOL_CALL_ARGS", "tool_call_id": "c", "delta": '{"q": "decks"}'},
    *EVENTS[7:],
]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param(with_added(3, {"type": "HEARTBEAT", "n": 1}), ("unknown_event",), id="unknown event"),
        pytest.param(with_added(3, {"n": 1}), ("no_type",), id="no type"),
        pytest.param(SNAKE, (), id="snake_case keys"),
        pytest.param(moved(7, 5), ("arguments_after_end",), id="arguments after the end"),
        pytest.param(moved(8, 7), ("result_before_end",), id="result before the end"),
        pytest.param(moved(8, 6), ("result_before_end",), id="result before the arguments are whole"),
        pytest.param(with_added(5, EVENTS[4]), ("duplicate_start",), id="the start twice"),
        pytest.param(with_added(8, *EVENTS[4:8]), ("duplicate_start",), id="the whole call twice"),
        pytest.param(with_added(2, EVENTS[1]), ("duplicate_start",), id="a message's start twice"),
        pytest.param(
            with_added(8, {**EVENTS[8], "content": "one"}), ("duplicate_result",), id="two results: the last counts"
        ),
        pytest.param(changed(2, timestamp=1770389240123), (), id="seconds and milliseconds"),
        pytest.param(moved(0, 1), ("no_run_started", "end_without_start"), id="the run starts late"),
        pytest.param(EVENTS[:3] + EVENTS[4:], ("unclosed",), id="a message without an end"),
        pytest.param(
            [*EVENTS[:8], {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "result": "two"}, *EVENTS[9:]],
            ("result_without_content",),
            id='"result" in place of "content"',
        ),
        pytest.param(
            changed(8, content=[{"type": "text", "text": "t"}, {"type": "text", "text": "wo"}]), (), id="parts"
        ),
        pytest.param(changed(3, rawEvent={"a": [1]}, metadata={"b": 1}), (), id="keys that don't matter"),
    ],
)
def test_odd_events(events: list[dict[str, Any]], expected: tuple[str, ...]) -> None:
    expect_all(read_trace(lines(events)), *expected)


def test_the_diagnostics_tell_the_line_and_the_count() -> None:
    data = lines(EVENTS[:3]) + b"not json\n[]]\n17\n" + lines(EVENTS[3:])
    trace = read_trace(data)
    expect_all(trace, "bad_json", "no_object")
    notes = {note.code: note for note in trace.diagnostics}
    assert (notes["bad_json"].line, notes["bad_json"].count) == (4, 2)
    assert (notes["no_object"].line, notes["no_object"].count) == (6, 1)
    assert "line 4: no JSON: " in str(notes["bad_json"])


def test_a_bad_item_of_an_array_is_skipped_with_its_line() -> None:
    text = json.dumps(EVENTS, indent=1).replace('"delta": "I look. "', '"delta": "I look. "oops"')
    line = text[: text.index("oops")].count("\n") + 1
    trace = read_trace(text.encode())
    assert trace.status == "finished"
    assert [step.args for step in trace.steps] == [{"q": "decks"}]
    (note,) = [note for note in trace.diagnostics if note.code == "bad_json"]
    assert note.line is not None
    assert line - 4 <= note.line <= line  # where the item begins


def test_u2028_does_not_split_a_line() -> None:
    events = changed(10, delta="There \u2028are\u2029 two\u0085.")
    data = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events).encode()
    trace = read_trace(data)
    assert trace.final_response == "There \u2028are\u2029 two\u0085."
    assert codes(trace) == set()


@pytest.mark.parametrize("bom", [b"", codecs.BOM_UTF8], ids=["plain", "with a BOM"])
def test_invalid_utf8_is_replaced_and_its_offset_told(bom: bytes) -> None:
    data = bom + lines(EVENTS).replace(b"There are", b"There\xff are")
    trace = read_trace(data)
    assert trace.final_response == "There\ufffd are two."
    (note,) = trace.diagnostics
    assert note.code == "bad_utf8"
    assert f"byte {data.index(bytes([0xFF]), 3)} " in note.text


def test_a_truncated_last_line() -> None:
    trace = read_trace(lines(EVENTS)[:-20])
    assert trace.status == "truncated"
    assert [step.args for step in trace.steps] == [{"q": "decks"}]
    assert {"cut_off", "no_end"} <= codes(trace)


def test_a_truncated_last_frame() -> None:
    trace = read_trace(sse(EVENTS)[:-20])
    assert (trace.status, trace.final_response) == ("truncated", "There are two.")
    assert {"cut_off", "no_end"} <= codes(trace)


def test_a_truncated_array_keeps_what_is_whole() -> None:
    trace = read_trace(json.dumps(EVENTS).encode()[:-40])
    assert (trace.status, trace.final_response) == ("truncated", "There are two.")
    assert codes(trace) == {"cut_off"}


def test_no_terminal_event() -> None:
    trace = read_trace(lines(EVENTS[:-1]))
    assert (trace.status, trace.final_response) == ("truncated", "There are two.")
    assert codes(trace) == {"no_end"}


def test_truncated_arguments_are_kept_as_text() -> None:
    trace = read_trace(lines(EVENTS[:6]))
    assert (trace.steps[0].args, trace.steps[0].args_raw) == (None, '{"q": ')
    assert "bad_arguments" in codes(trace)
    trace = read_trace(lines(EVENTS[:5]))  # not even begun: unknown, which is not {}
    assert trace.steps[0].args is None


def test_a_call_without_arguments_has_none_which_is_known() -> None:
    trace = read_trace(lines(EVENTS[:5] + EVENTS[7:]))
    assert trace.steps[0].args == {}


def test_nor_has_a_chunk_without_arguments_any() -> None:
    chunk = {"type": "TOOL_CALL_CHUNK", "toolCallId": "alone", "toolCallName": "now"}
    trace = read_trace(lines([EVENTS[0], chunk, EVENTS[-1]]))
    assert [(step.tool, step.args) for step in trace.steps] == [("now", {})]
    cut = read_trace(lines([EVENTS[0], chunk]))
    assert [(step.tool, step.args) for step in cut.steps] == [("now", None)]


def test_unknown_events_are_kept() -> None:
    trace = read_trace(lines(with_added(3, {"type": "HEARTBEAT", "n": 1}, {"type": "HEARTBEAT", "n": 2})))
    assert trace.unknown == ({"type": "HEARTBEAT", "n": 1}, {"type": "HEARTBEAT", "n": 2})
    (note,) = trace.diagnostics
    assert (note.code, note.line, note.count) == ("unknown_event", 4, 2)


def test_only_keys_at_the_top_are_renamed() -> None:
    state = {"type": "STATE_SNAPSHOT", "snapshot": {"tool_call_id": "x"}}
    call = {**EVENTS[5], "delta": '{"message_id": {"run_id": 1}}'}
    trace = read_trace(lines([*EVENTS[:5], call, state, *EVENTS[7:]]))
    assert trace.steps[0].args == {"message_id": {"run_id": 1}}
    trace = read_trace(lines(with_added(2, {"type": "NEW", "snapshot": {"thread_id": "y"}})))
    assert trace.unknown == ({"type": "NEW", "snapshot": {"thread_id": "y"}},)


def test_interleaved_calls_go_by_id() -> None:
    other = [{**event, "toolCallId": "d"} for event in EVENTS[4:9]]
    mixed = [event for both in zip(EVENTS[4:9], other, strict=True) for event in both]
    trace = read_trace(lines([*EVENTS[:4], *mixed, *EVENTS[9:]]))
    assert [(step.id, step.args, step.result) for step in trace.steps] == [
        ("c", {"q": "decks"}, "two"),
        ("d", {"q": "decks"}, "two"),
    ]
    assert trace.steps[0].group == trace.steps[1].group is not None


def test_several_runs_of_a_thread_are_one_trace() -> None:
    second = [{**event, "runId": "s"} if "runId" in event else event for event in EVENTS]
    second = [{**event, **({"toolCallId": "d"} if "toolCallId" in event else {})} for event in second]
    trace = read_trace(lines(EVENTS + second))
    assert [step.id for step in trace.steps] == ["c", "d"]
    assert (trace.status, trace.duration_s) == ("finished", 6.0)


def test_runs_of_several_threads_are_several_traces() -> None:
    other = changed(0, threadId="u")
    data = lines(EVENTS + other + EVENTS)
    assert [trace.run for trace in read_traces(data)] == ["t", "u"]
    assert read_trace(data, run="u").final_response == "There are two."
    with pytest.raises(TraceError, match="2 runs in one file: name one of t, u"):
        read_trace(data)
    with pytest.raises(TraceError, match="no run 'v' in it; it has t, u"):
        read_trace(data, run="v")


def test_a_failed_run_stays_failed() -> None:
    error = {"type": "RUN_ERROR", "error": "quota"}
    trace = read_trace(lines([*EVENTS[:-1], error, EVENTS[-1]]))
    assert (trace.status, trace.error) == ("error", "quota")
    assert codes(trace) == {"error_without_message", "event_after_end"}


def test_twelve_megabytes_of_arguments() -> None:
    big = "x" * 4_000_000
    pieces: list[dict[str, Any]] = [{**EVENTS[5], "delta": part} for part in ('{"q": "', big, big, big, '"}')]
    trace = read_trace(lines([*EVENTS[:5], *pieces, *EVENTS[7:]]))
    args = trace.steps[0].args
    assert isinstance(args, dict)
    assert args["q"] == big * 3
    one = {**EVENTS[5], "delta": json.dumps({"q": big * 3})}
    assert read_trace(lines([*EVENTS[:5], one, *EVENTS[7:]])).steps[0].args == args


@pytest.mark.parametrize(
    "deep", ["[" * 5000 + "]" * 5000, '{"a":' * 5000 + "1" + "}" * 5000], ids=["arrays", "objects"]
)
def test_json_nested_5000_deep(deep: str) -> None:
    trace = read_trace(lines([*EVENTS[:5], {**EVENTS[5], "delta": deep}, *EVENTS[7:]]))
    assert (trace.steps[0].args, trace.steps[0].args_raw) == (None, deep)
    assert codes(trace) == {"bad_arguments"}
    state = f'{{"type": "STATE_SNAPSHOT", "snapshot": {deep}}}\n'.encode()
    expect_all(read_trace(lines(EVENTS[:3]) + state + lines(EVENTS[3:])), "bad_json")
    array = json.dumps(EVENTS[:3])[:-1].encode() + b", " + state + b", " + json.dumps(EVENTS[3:])[1:].encode()
    expect_all(read_trace(array), "bad_json")


@pytest.mark.parametrize(
    "data", [b"", b" \n\t\n", codecs.BOM_UTF8, b"\r\n"], ids=["no byte", "white space", "BOM", "CRLF"]
)
def test_an_empty_file_is_refused(data: bytes, tmp_path: Path) -> None:
    for format_name in (None, "agui", "otel"):
        with pytest.raises(TraceError, match="the file is empty: no run was recorded"):
            read_trace(data, format_name)
    path = tmp_path / "run.jsonl"
    path.write_bytes(data)
    with pytest.raises(TraceError, match=r"run\.jsonl: the file is empty"):
        read_trace(path)


@pytest.mark.parametrize("data", [b"hello\n", b'{"a": 1}', b"[1, 2]", b"PK\x03\x04rest", b"\x00\x01\x02"])
def test_what_is_not_recognised_is_refused_with_the_formats_known(data: bytes) -> None:
    assert detect(data) is None
    with pytest.raises(TraceError, match=r"no trace format recognised; name it if it is one of .*agui, .*otel, "):
        read_trace(data)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(TraceError, match="unknown trace format 'ag-ui': use one of adk, agui, "):
        read_trace(lines(EVENTS), "ag-ui")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"nowhere\.jsonl: No such file or directory"):
        read_trace(tmp_path / "nowhere.jsonl")


def test_strict_refuses_what_was_put_up_with() -> None:
    assert read_trace(lines(EVENTS), strict=True).status == "finished"
    with pytest.raises(TraceError, match="line 4: unknown event HEARTBEAT"):
        read_trace(lines(with_added(3, {"type": "HEARTBEAT"})), strict=True)


def test_halves_of_characters() -> None:
    """A pair of halves split over two deltas is one character again; a lone half is replaced."""
    halves = [{**EVENTS[10], "delta": "\ud83d"}, {**EVENTS[10], "delta": "\ude00 \ud83d."}]
    trace = read_trace(lines([*EVENTS[:10], *halves, *EVENTS[11:]]))
    assert trace.final_response == "\U0001f600 \ufffd."
    trace = read_trace(lines([*EVENTS[:5], {**EVENTS[5], "delta": '{"q": "\\ud83d"}'}, *EVENTS[7:]]))
    assert trace.steps[0].args == {"q": "\ufffd"}


def test_numbers_that_are_no_json() -> None:
    trace = read_trace(lines([*EVENTS[:5], {**EVENTS[5], "delta": '{"a": NaN, "b": 1e999, "c": 1.5}'}, *EVENTS[7:]]))
    assert trace.steps[0].args == {"a": "NaN", "b": "1e999", "c": 1.5}


def digest(data: bytes, format_name: str | None) -> None:
    """Read and show; what isn't recognised any more may be refused, in words."""
    try:
        traces = read_traces(data, format_name)
    except TraceError:
        assert format_name is None
        return
    for trace in traces:
        as_table(trace)
        json.dumps(as_data(trace), allow_nan=False).encode()


def prefixes(data: bytes, rng: random.Random) -> list[bytes]:
    count = 40 if len(data) < 40_000 else 10
    ends = range(1, len(data)) if len(data) < 600 else sorted(rng.sample(range(1, len(data)), count))
    return [data[:end] for end in ends]


def flipped(data: bytes, rng: random.Random) -> list[bytes]:
    results = []
    for start in range(3):
        broken = bytearray(data)
        for index in range(start, len(broken), 3):
            broken[index] ^= 1 << rng.randrange(8)
        results.append(bytes(broken))
    for count in (1, 5, 50):
        broken = bytearray(data)
        for index in rng.sample(range(len(broken)), min(count, len(broken))):
            broken[index] ^= 1 << rng.randrange(8)
        results.append(bytes(broken))
    return results


@pytest.mark.parametrize("damage", [prefixes, flipped])
@pytest.mark.parametrize("name", EXPECTED)
def test_damaged_files_never_raise(name: str, damage: Callable[[bytes, random.Random], list[bytes]]) -> None:
    """Cut anywhere, or with every third byte flipped: in the format that it was, and with the format to be found."""
    data = sample(name).read_bytes()
    if len(data) > 200_000:
        data = data[:100_000]
    for broken in damage(data, random.Random(name)):
        digest(broken, EXPECTED[name][0])
        digest(broken, None)


def test_every_prefix_of_a_run_never_raises() -> None:
    for data in (lines(EVENTS), sse(EVENTS, end="\r\n"), json.dumps(EVENTS, indent=1).encode()):
        for end in range(1, len(data)):
            trace = read_trace(data[:end], "agui")
            assert trace.status == "truncated" or end > len(data) - 5
