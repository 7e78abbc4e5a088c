"""Traces of further agents, SDKs and tracing services, in tests/data/traces. What is expected was read off the files.

Most were recorded with the real programs, whose model was a script: the same few calls come back in each form.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_trace_behaviour import digest, flipped, prefixes
from test_trace_samples import Expected, check, usage

from pytest_ppteval.trace import Usage, detect, read_traces
from pytest_ppteval.trace.readers import Head, readers
from pytest_ppteval.trace.source import Source

HERE = Path(__file__).parent / "data" / "traces"

Call = tuple[str, Any, str | None, bool | None]

NOTES_ANSWER = "notes.md has 2 lines; missing.md is not there."
MISSING = "/home/ada/proj/missing.md"


def gemini(first: str, second: str | None, third: str | None) -> list[Call]:
    """Two files read at once, one of which is not there; then a command."""
    return [
        ("read_file", {"file_path": "notes.md"}, first, False),
        ("read_file", {"file_path": "missing.md"}, second, True),
        ("run_shell_command", {"command": "wc -l notes.md", "description": "Count the lines."}, third, False),
    ]


# Three requests with 7900, 8100 and 8200 tokens, of which 6000, 7900 and 8100 came from the cache; 30 + 20 + 12 tokens
# of answers and 40 of thoughts.
GEMINI = usage(24200, 102, read=22000, why=40)
GEMINI_STREAM = usage(24200, 102, read=22000)  # answers and thoughts in one sum


def opencode(run: str, model: str, seconds: float, roles: str) -> Expected:
    """The same task. The file that is not there was answered first, but asked for second."""
    path = "/home/ada/proj/"
    return Expected(
        run,
        [
            ("read", {"filePath": f"{path}notes.md"}, f"<path>{path}notes.md</path>\n<type>file</type>", False),
            ("read", {"filePath": f"{path}missing.md"}, None, True),
            ("bash", {"command": "wc -l notes.md", "description": "Count the lines"}, "2 notes.md\n", False),
        ],
        [[1, 2]],
        NOTES_ANSWER,
        # 1000 + 200 + 100 fresh and 8000 + 9000 + 9200 cached; 40 + 30 + 14 of answers and 20 of reasoning
        {model: usage(27500, 104, read=26200, write=0, why=20)},
        0.00204 + 0.00122 + 0.001076,
        seconds,
        roles=roles,
    )


DECK: list[Call] = [
    ("list_slides", {"deck": "q3.pptx"}, '["Title", "Results", "Outlook"]', False),
    ("read_file", {"path": "data/q3.csv"}, "region,total\nEMEA,42\n", False),
    ("broken", {"x": 1}, None, True),
]
DECK_ANSWER = "The deck has 3 slides; the CSV total is 42."
# Two requests: 120 (of them 64 cached) and 200 (128) in, 40 (of them 12 of reasoning) and 15 out.
DECK_TOKENS = usage(320, 55, read=192, write=0, why=12)
STRANDS = usage(320, 55, read=192, write=0)  # nothing of reasoning
ERROR = "Error: x must be > 1"
SPANS = usage(320, 55, read=192)
SPANS_RUN = "c3151613cc8de0ba1196c0073dc30fc0"
SERVICE = usage(320, 55, read=192, why=12)
RUN = "01a22f89-e151-7528-b696-7226bc470a5b"  # from 14.998597 to 15.060406; in Langfuse's milliseconds .998 to .060
# The failed tool's span has no result; the next request has what the model was told.
REPAIR = "Error: ValueError('x must be > 1')\n Please fix your mistakes."


def deck(
    run: str | None = None,
    model: str | None = None,
    tokens: Usage = DECK_TOKENS,
    *,
    error: str | None = None,
    **more: Any,
) -> Expected:
    """Three calls at once, the last of which fails: with `error` as its result, where the failure has a result."""
    calls = [*DECK[:2], (*DECK[2][:2], error, True)]
    return Expected(run, calls, [[1, 2, 3]], DECK_ANSWER, {model: tokens} if model else {}, **more)


def goose(run: str | None, model: str, seconds: float, roles: str, cache: tuple[int, int] | None = None) -> Expected:
    """Two calls at once, the second of which ends with exit code 1; then a call that was none."""
    wrong = "-32602: The provided function name 'developer shell' had invalid characters"
    read, write = cache or (None, None)
    return Expected(
        run,
        [
            (
                "developer__text_editor",
                {"command": "write", "path": "hello.txt", "file_text": "hello from goose.\n"},
                "Created hello.txt (1 lines)",
                False,
            ),
            ("developer__shell", {"command": "pytest -q"}, "1 failed", True),
            ("", None, wrong, True),
        ],
        [[1, 2]],
        "hello.txt is there; one test fails.",
        {model: usage(15100, 140, read=read, write=write)},
        seconds=seconds,
        codes={"no_tool_name"},
        roles=roles,
    )


EXPECTED: dict[str, tuple[str, list[Expected]]] = {
    "cursor/self-written.jsonl": (
        "cursor",
        [
            Expected(
                "3f0c7a52-6d1e-4c0b-9a51-0f6f2c0d7e11",
                [
                    ("read", {"path": "/home/ada/proj/hello.py"}, "print('hello world')\n", False),
                    ("read", {"path": MISSING}, "", True),
                    (
                        "edit",
                        {"path": "/home/ada/proj/hello.py", "streamContent": "print('hi')\n"},
                        '{"path": "/home/ada/proj/hello.py", "linesAdded": 1',
                        False,
                    ),
                    ("shell", {"command": "python3 hello.py", "workingDirectory": "", "timeout": 30000}, "hi\n", False),
                    ("shell", {"command": "rm -rf build", "workingDirectory": ""}, "", True),  # rejected
                    ("mcp__decks__find_decks", {"query": "ferry"}, "ferry.pptx", False),
                ],
                [[1, 2]],  # one model_call_id; the second ends first
                "It greets; the search finds ferry.pptx.",  # not the text before the calls, which `result` repeats
                {"Composer 2.5 Fast": usage(14125 + 28224, 111, read=28224, write=0)},
                seconds=4.889,
                roles="uraa",  # each message once, though it comes in pieces and whole
            )
        ],
    ),
    "cursor/cursor_stream_success.jsonl": (
        "cursor",
        [
            Expected(
                "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
                [("read", {"path": "/home/user/project/README.md"}, "Project README", None)],  # no word of success
                final="I found README.md. Here is the content: Project README",
                seconds=2.5,
                roles="ura",
            )
        ],
    ),
    "gemini/self-stream.jsonl": (
        "gemini-cli",
        [
            Expected(
                "fee82369-99d5-46d9-9601-a7dc8e8f9d07",
                gemini("", "File not found.", "2 notes.md"),
                [[1, 2]],
                NOTES_ANSWER,
                {"gemini-2.5-flash": GEMINI_STREAM},
                seconds=0.192,
                roles="uaa",
            )
        ],
    ),
    "gemini/self-output.json": (
        "gemini-cli",
        [
            Expected(
                "8dbf155e-f9df-4c23-9beb-01f6e10aefce",
                final=NOTES_ANSWER,
                usage={"gemini-2.5-flash": GEMINI},
                codes={"hidden_calls"},  # three, of which only the number is there
            )
        ],
    ),
    "gemini/self-session.jsonl": (
        "gemini-session",
        [
            Expected(
                "fee82369-99d5-46d9-9601-a7dc8e8f9d07",
                gemini("first\nsecond\n", f"File not found: {MISSING}", "<untrusted_context>\nOutput: 2 notes.md\n"),
                [[1, 2]],
                NOTES_ANSWER,
                {"gemini-2.5-flash": GEMINI},
                seconds=0.199,  # 26.354 to 26.553
                roles="suraa",  # the context that the CLI puts first is not the user's
            )
        ],
    ),
    "gemini/self-telemetry.log": (
        "gemini-telemetry",
        [
            Expected(
                "8dbf155e-f9df-4c23-9beb-01f6e10aefce",
                [(tool, args, None, failed) for tool, args, _, failed in gemini("", None, None)],
                final=NOTES_ANSWER,
                usage={"gemini-2.5-flash": GEMINI},
                seconds=0.31,  # 49.247 to 49.557
                roles="uaa",
            )
        ],
    ),
    # From the prompt, 1796093906.051, to the end of the last message, 1796093920.532.
    "opencode/self-export.json": ("opencode", [opencode("ses_dd075f4daffellF6d3y78Hbx8f", "scripted", 14.481, "uaa")]),
    # From the first call's start, 1796093915.562, to the last event, 1796093920.602. Neither prompt nor model is there.
    "opencode/self-run.jsonl": ("opencode", [opencode("ses_dd075f4daffellF6d3y78Hbx8f", "unknown", 5.04, "aa")]),
    "opencode/opencode_stream_success.jsonl": (
        "opencode",
        [
            Expected(
                "ses_494719016ffe85dkDMj0FPRbHK",
                [("bash", {"command": "echo hello", "description": "Print hello to stdout"}, "hello\n", False)],
                final="```\nhello\n```",
                usage={"unknown": usage(21772 + 671 + 21415, 118, read=21415, write=0, why=0)},
                cost=0.001,
                seconds=4.935,  # 59.338 to 64.273
                roles="a",
            )
        ],
    ),
    "opencode/opencode_stream_error.jsonl": (
        "opencode",
        [Expected("ses_error123", seconds=1.0, status="error", error="Rate limit exceeded")],
    ),
    "ai-sdk/self-result.json": ("ai-sdk", [deck(model="mock-large", roles="raa")]),
    "ai-sdk/self-messages.json": ("ai-sdk", [deck(error="x must be > 1", roles="uraa")]),
    "ai-sdk/self-uimessages.json": ("ai-sdk", [deck(roles="uraa")]),
    "ai-sdk/self-fullstream.jsonl": ("ai-sdk-stream", [deck(model="mock-large", roles="raa")]),
    "ai-sdk/self-ui.sse": ("ai-sdk-stream", [deck(model="unknown", roles="raa")]),
    "ai-sdk/self-otlp.json": (
        "otel",
        [
            Expected(
                "5904b886ac78f7c25c5f7f52147c7dc8",
                # Two calls began in the same millisecond, and stand as they ended.
                [
                    ("list_slides", {"deck": "q3.pptx"}, '["Title","Results","Outlook"]', False),
                    ("broken", {"x": 1}, None, True),
                    ("read_file", {"path": "data/q3.csv"}, "region,total\nEMEA,42\n", False),
                ],
                [[1, 2, 3]],
                DECK_ANSWER,
                {"mock-large": DECK_TOKENS},
                seconds=0.110571,  # ...114668000000 to ...114778571108 ns
            )
        ],
    ),
    "goose/self-session.jsonl": ("goose", [goose("Hello file", "unknown", 8, "uraa")]),
    "goose/self-export.json": ("goose", [goose("20260709_4", "gpt-5.1", 8, "uraa")]),
    "goose/self-stream.jsonl": ("goose", [goose(None, "unknown", 6, "raa", (9000, 0))]),  # without the prompt
    "bedrock/converse-structured-response.jsonl": (
        "bedrock",
        [
            Expected(
                None,
                [
                    ("temperature", {"city": "London", "date": "2022-01-01"}, "30°C", False),
                    ("final_result", {"city": "London", "date": "2022-01-01", "temperature": "30°C"}, None, None),
                ],
                final='<thinking> The "temperature" tool has provided the temperature information for the...',
                usage={"unknown": usage(551 + 689, 136 + 172)},
                status="truncated",  # it ends with a call
                codes={"no_end"},
                roles="suaa",  # the second request repeats what the first and its answer said
            )
        ],
    ),
    # Strands' script said totals without the cache in them, as the API doesn't; the reader goes by them.
    "strands/self-messages.json": ("bedrock", [deck(model="unknown", tokens=STRANDS, error=ERROR, roles="uaa")]),
    "strands/self-summary.json": (
        "bedrock",
        [deck(model="unknown", tokens=STRANDS, error=ERROR, seconds=0.022055, roles="aa")],
    ),
    "strands/self-result.json": (
        "bedrock",
        [
            Expected(
                None,
                final=DECK_ANSWER,
                usage={"unknown": usage(200, 15, read=128, write=0)},
                codes={"hidden_calls"},
                roles="a",
            )
        ],
    ),
    "strands/self-otlp.json": (
        "otel",
        [
            deck(
                "vWJOOkOva4MFkNtFNaSI2Q==",
                "unknown",
                STRANDS,
                error=ERROR,
                seconds=0.029008,  # the root's ...389267294 to ...418274836 ns
                roles="suaa",
            )
        ],
    ),
    # The second model's span says no reasoning, and none whether the cache was written to. The root runs from 15.000901
    # to 15.061009.
    "openinference/self-otlp.json": (
        "openinference",
        [deck("wxUWE8yN4LoRlsAHPcMPwA==", "unknown", SPANS, error=REPAIR, seconds=0.060108, roles="uaa")],
    ),
    "openinference/self-phoenix-api.json": (
        "openinference",
        [deck(SPANS_RUN, "unknown", SPANS, error=REPAIR, seconds=0.060108, roles="uaa")],
    ),
    "openinference/self-phoenix-frame.jsonl": (
        "openinference",
        [deck(SPANS_RUN, "unknown", SPANS, error=REPAIR, seconds=0.060108, roles="uaa")],
    ),
    "langsmith/self-runs.jsonl": (
        "langsmith",
        [deck(RUN, "scripted-large", SERVICE, error=REPAIR, seconds=0.061809, roles="uaa")],
    ),
    "langsmith/self-tree.json": (  # only the root has a cost
        "langsmith",
        [deck(RUN, "scripted-large", SERVICE, error=REPAIR, seconds=0.061809, cost=0.0021, roles="uaa")],
    ),
    # Its arguments are Python there ("{'deck': 'q3.pptx'}"); what the model asked for is JSON.
    "langfuse/self-trace.json": (
        "langfuse",
        [deck(SPANS_RUN, "scripted-large", SERVICE, error=REPAIR, seconds=0.062, cost=0.0021, roles="uaa")],
    ),
    "langfuse/self-download.json": (
        "langfuse",
        [deck(SPANS_RUN, "scripted-large", SERVICE, error=REPAIR, seconds=0.062, cost=0.0021, roles="uaa")],
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_real_trace_is_read_as_it_stands(name: str) -> None:
    format_name, runs = EXPECTED[name]
    path = HERE / name
    assert detect(path) == format_name
    traces = read_traces(path)
    assert [trace.run for trace in traces] == [run.run for run in runs]
    for trace, expected in zip(traces, runs, strict=True):
        check(trace, expected)
    assert read_traces(path.read_bytes(), format_name) == traces


@pytest.mark.parametrize("name", EXPECTED)
def test_no_two_formats_are_certain_of_one_file(name: str) -> None:
    source = Source(HERE / name)
    head = Head(source.some(), source.head, source.is_zip)
    signs = {reader.name: reader.recognise(head) for reader in readers().values()}
    assert [name for name, sign in signs.items() if sign is not None and sign.certain] == [EXPECTED[name][0]]


@pytest.mark.parametrize("damage", [prefixes, flipped])
@pytest.mark.parametrize("name", EXPECTED)
def test_damaged_files_never_raise(name: str, damage: Callable[[bytes, random.Random], list[bytes]]) -> None:
    for broken in damage((HERE / name).read_bytes(), random.Random(name)):
        digest(broken, EXPECTED[name][0])
        digest(broken, None)


def test_no_sample_is_left_out() -> None:
    folders = {path.name for path in HERE.iterdir() if path.is_dir()}
    files = {path.relative_to(HERE).as_posix() for folder in folders for path in (HERE / folder).rglob("*.*")}
    assert files == set(EXPECTED)
