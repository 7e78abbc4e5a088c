"""Traces that people really have. What is expected was read off the files, line by line, not off this program.

The whole collection lies in a folder beside the checkout, which users don't have; some of it is in tests/data/traces.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.trace import Trace, TraceError, Usage, detect, read_traces
from pytest_ppteval.trace.readers import Head, readers
from pytest_ppteval.trace.source import Source

HERE = Path(__file__).parent / "data" / "traces"
BESIDE = Path(__file__).parents[2] / "shared" / "data" / "traces"


def sample(name: str) -> Path:
    for path in (BESIDE / name, HERE / Path(name).name):
        if path.is_file():
            return path
    pytest.skip(f"{name} is in the folder shared/data/traces beside the checkout, which is missing")


@dataclass(frozen=True)
class Expected:
    """One run of a sample. steps: tool, arguments, start of the result (None: no result), failed."""

    run: str | None
    steps: Sequence[tuple[str, Any, str | None, bool | None]] = ()
    groups: list[list[int]] = field(default_factory=list)  # steps asked for at once
    final: str | None = None  # its start, where it ends with "..."
    usage: dict[str, Usage] = field(default_factory=dict)
    cost: float | None = None
    seconds: float | None = None
    status: str = "finished"
    error: str | None = None
    codes: set[str] = field(default_factory=set)
    roles: str | None = None  # first letters of the messages' roles


ANY = "any result"


def usage(total: int, output: int, read: int | None = None, write: int | None = None, why: int | None = None) -> Usage:
    return Usage(input_total=total, cache_read=read, cache_write=write, output=output, reasoning=why)


CALCULATION = ("calculator", {"expression": "10 + 20"}, "10 + 20 = 30", None)


def time_then_sum(time: str) -> list[tuple[str, Any, str | None, bool | None]]:
    return [("get_current_time", {}, f"2026-02-06 {time}", None), CALCULATION]


DECK = [
    ("list_slides", {"deck": "q3.pptx"}, '["Title","Results","Outlook"]', None),
    ("read_file", {"path": "data/q3.csv"}, "region,total\nEMEA,42\n", None),
    ("broken", {"x": 1}, "x must be > 1", None),
]
DECK_KNOWN = [(tool, args, result, tool == "broken") for tool, args, result, _ in DECK]
THREE_SLIDES = "The deck has 3 slides; the CSV total is 42."
MANY = "Hello — I’m ChatGPT, an AI assistant here to help with questions, "


def shell(keys: str, seconds: float = 0.1) -> tuple[str, Any, str | None, bool | None]:
    return (
        "bash_command",
        {"keystrokes": keys, "duration": seconds},
        "New Terminal Output:\n\nroot@CONTAINER_ID",
        None,
    )


EXPECTED: dict[str, tuple[str, list[Expected]]] = {
    "agui/agb-ag2-run1-simple.jsonl": (
        "agui",
        [Expected("test-thread-ag2", final=MANY + "brainstorming, and tasks. Tell me what you need and I’ll do my...")],
    ),
    "agui/agb-agno-anthropic-run1-multi_tool.jsonl": (
        "agui",
        [
            Expected(
                "test-thread-agno-anthropic",
                time_then_sum("11:47:18"),
                [[1, 2]],
                "Perfect! Here are the results:\n\n- **Current time:** 2026-02-06 11:47:18\n- **10 + 20 = 30**",
                roles="a",
            )
        ],
    ),
    "agui/agb-agno-openai-run1-tool_calc.jsonl": (
        "agui",
        [
            Expected(
                "test-thread-agno-openai",
                [("calculator", {"expression": "42 * 17"}, "42 * 17 = 714", None)],
                final="42 * 17 = 714",
            )
        ],
    ),
    "agui/agb-anthropic-raw-run1-multi_tool.jsonl": (
        "agui",
        [
            Expected(
                "test-thread-anthropic-raw",
                time_then_sum("11:47:31"),  # one after the other: the first result comes before the second call
                final="Perfect! Here are the results:\n\n**Current time:** 2026-02-06 11:47:31\n\n"
                "**Calculation:** 10 + 20 = **30**",
                usage={"claude-haiku-4-5-20251001": usage(681, 77)},
                codes={"unknown_event", "result_without_content"},
            )
        ],
    ),
    "agui/agb-cerebras-llama-3.1-8b-run1-simple.jsonl": (
        "agui",
        [
            Expected(
                "test-thread-cerebras-llama-3.1-8b",
                final="Hello, I'm an AI assistant, and I'm here to help answer your questions and provide...",
                usage={"llama-3.1-8b": usage(48, 59)},
                codes={"unknown_event"},
            )
        ],
    ),
    "agui/agb-langgraph-openai-run1-tool_calc.jsonl": (
        "agui",
        [
            Expected(
                "test-thread-langgraph-openai",
                final=MANY + "writing, coding, and problem-solving. Tell me what you need and I’ll do my best to help "
                "quickly and clearly.",
                codes={"unclosed"},  # two STEP_STARTED of one name, one STEP_FINISHED
                roles="ua",
            )
        ],
    ),
    "agui/agb-llamaindex-openai-run1-multi_tool.jsonl": (
        "agui",
        [
            Expected(
                "test-thread-llamaindex-openai",
                time_then_sum("11:47:25"),
                [[1, 2]],
                "Current time: 2026-02-06 11:47:25\n10 + 20 = 30",
                seconds=8.0,  # 1770389239 to 1770389247, in seconds
                roles="sua",  # the last snapshot's, not those of all three
            )
        ],
    ),
    "agui/agb-pydantic-anthropic-run1-multi_tool.jsonl": (
        "agui",
        [
            Expected(
                "test-thread-pydantic-anthropic",
                time_then_sum("11:47:17"),
                [[1, 2]],
                "Perfect! Here are the results:\n\n- **Current time**: 2026-02-06 11:47:17\n- **10 + 20 = 30**",
                roles="aa",
            )
        ],
    ),
    "agui/agb-pydantic-openai-run1-multi_tool.jsonl": (
        "agui",
        [
            Expected(
                "test-thread-pydantic-openai",
                time_then_sum("11:47:25"),
                [[1, 2]],
                "Current time: 2026-02-06 11:47:25\n10 + 20 = 30",
            )
        ],
    ),
    "agui/agui-dart-events.json": (
        "agui",
        [
            Expected("thread_01", final="Hello, how can I help you today?"),
            Expected(
                "thread_02",
                [
                    (
                        "search",
                        {"query": "AG-UI protocol"},
                        "AG-UI is an event-based protocol for agent-user interactions.",
                        None,
                    )
                ],
                final="Based on my search, AG-UI is an event-based protocol for agent-user interactions.",
            ),
            Expected("thread_03", final="Updating count..."),
            Expected(
                "thread_04",  # the call is in the snapshot only
                [("get_weather", {"location": "New York"}, "72°F and sunny", None)],
                final="The weather in New York is 72°F and sunny.",
                roles="uaua",  # msg_09 is a user's and then an assistant's
            ),
            Expected("thread_04b", final="Indexing started.", roles="ura"),
            Expected("thread_05", final="Second run message.", roles="aa"),  # two runs of one thread
            Expected("thread_06", final="Based on my analysis...", roles="ra"),
            Expected("thread_07"),
            Expected(
                "thread_08",
                final="Processing...",
                status="error",
                error="Connection timeout",
                codes={"event_after_end"},
            ),
            Expected("thread_09"),
            Expected("thread_10", final="First message", roles="as"),
            Expected("thread_11", final="Complete message in a single chunk"),
            Expected("thread_12"),
            Expected("thread_13", roles="r"),
            Expected("thread_14", roles="r"),
        ],
    ),
    "agui/agui-dotnet-mixed-tools-turn2.json": (
        "agui",
        [
            Expected(
                "thread_Id_1",
                [("", None, '"Paris: 18C, rainy"', None)],  # the call was made in the turn before
                final="1) Your current city: Tokyo, Japan.\n2) Weather in Paris: 18°C, rainy.\n\n"
                "Would you like a forecast or more details for either location?",
                usage={"unknown": usage(243, 172, read=0, why=128)},
                codes={"result_without_call", "no_tool_name"},
            )
        ],
    ),
    "agui/agui-dotnet-reasoning.json": (
        "agui",
        [
            Expected(
                "thread_Id_1",
                final="Let c = number of chickens and r = number of rabbits....",
                usage={"gpt-5-mini": usage(39, 345, read=0, why=128)},
                roles="ra",
            )
        ],
    ),
    "agui/copilotkit-multiline-data.sse": (
        "agui",
        [Expected("t-3", [("multiline_tool", {}, None, None)])],
    ),
    "agui/self-pydantic-ai-2.68-agui-0.1.10.sse": (
        "agui",
        [
            Expected(
                "t-1",
                DECK,
                [[1, 2]],
                THREE_SLIDES + " ✅ – “done”.",
                seconds=0.087,  # 26.139 to 26.226
                codes={"arguments_after_end"},
                roles="raa",
            )
        ],
    ),
    "agui/self-pydantic-ai-2.68-agui-1.0.sse": (
        "agui",
        [
            Expected(
                "t-1",
                DECK,
                [[1, 2]],
                THREE_SLIDES + " ✅ – “done”.",
                usage={"function::stream": usage(150, 49)},
                seconds=0.12,  # 25.894 to 26.014
                codes={"arguments_after_end"},
                roles="raa",
            )
        ],
    ),
    "claude/stream-json-session.jsonl": (
        "claude-code",
        [
            Expected(
                "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa",
                [
                    ("Bash", {"command": "ls", "timeout": 600000}, "README.md\npyproject.toml\nsrc/\n", False),
                    ("Write", {"file_path": "notes.md", "content": "hello"}, "ok", False),
                ],
                [[1, 2]],
                "I see README.md, pyproject.toml, and src/.",
                {"claude-sonnet-4-5-20250929": usage(130, 76, read=0, write=0)},
                0.012345,
                2.45,
                roles="uaa",
            ),
            Expected(
                "bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb",
                [("Write", {"file_path": "/root/secret.txt", "content": "hello\n"}, None, True)],
                usage={"claude-sonnet-4-5-20250929": usage(40, 12)},
                cost=0.001,
                seconds=1.2,
                status="error",
                error="Permission denied: cannot write to /root/secret.txt",
            ),
        ],
    ),
    "claude/log-representative_messages.jsonl": (
        "claude-session",
        [
            Expected(
                "test_session",
                [
                    ("Edit", ..., "File created successfully at: /tmp/decorator_example.py", False),
                    (
                        "Bash",
                        {
                            "command": "python /tmp/decorator_example.py",
                            "description": "Run the decorator example to show output",
                        },
                        "Hello, Alice!\nHello, Alice!\nHello, Alice!",
                        False,
                    ),
                ],
                final="Perfect! As you can see, the `@repeat(3)` decorator successfully made the `greet` function...",
                # 25 + 45 + 78 + 25 + 45 in, 120 + 85 + 95 + 35 + 110 out
                usage={"claude-3-sonnet-20240229": usage(218, 445, read=0, write=0)},
                seconds=240,
                status="truncated",  # the last word is the user's
                codes={"no_end"},
                roles="uauauau",
            )
        ],
    ),
    "claude/log-todowrite_examples.jsonl": (
        "claude-session",
        [
            Expected(
                "todowrite_session",
                [("TodoWrite", ..., "Todos have been modified successfully.", False)] * 3,
                final="Absolutely! Security review is crucial. Let me add that to our todo list with high priority.",
                # 20 + 25 + 150 + 168 + 250 + 270 in, 25 + 85 + 18 + 85 + 20 + 95 out
                usage={"claude-sonnet-4": usage(883, 328)},
                seconds=241,
                status="truncated",
                codes={"no_end"},
            )
        ],
    ),
    "claude/session-4c289ca8.jsonl": (
        "claude-session",
        [
            Expected(
                "4c289ca8-f8bb-4588-8400-88b78beb784d",
                [
                    ("Glob", {"pattern": "**/ClaudeAgentManager*"}, "No files found", False),
                    (
                        "Grep",
                        {"pattern": "ClaudeAgentManager", "output_mode": "files_with_matches"},
                        "Found 4 files\n",
                        False,
                    ),
                    ("Read", ..., "     1→/*------", False),
                    ("Edit", ..., "The file /Users/ada/code/", False),
                    (
                        "Bash",
                        {"command": "ls pac*", "description": "List files starting with 'pac'"},
                        "package-lock.json\npackage.json\npackage.nls.json",
                        False,
                    ),
                ],
                final="I'll add a small comment to the ClaudeAgentManager class:",
                # In: 15660 + 15762 + 16016 + 19056 + 19786, each with its cache; out: 87 + 80 + 112 + 181 + 78.
                usage={"claude-sonnet-4-20250514": usage(86280, 538, read=78476, write=7775)},
                seconds=54.425,  # 16:12:32.442 to 16:13:26.867
                status="truncated",  # ends with the result of a call
                codes={"no_end"},
            )
        ],
    ),
    "claude/session-98b76fb9.jsonl": (
        "claude-session",
        [
            Expected(
                "98b76fb9-f5d3-40c5-ab82-b970c20e3764",
                final="Here are 4 paragraphs of 20-sentence Shrek-style lorem ipsum for chat testing:...",
                usage={"claude-haiku-4-5-20251001": usage(73494, 18, read=48730, write=24734)},
                seconds=1054.409,  # 00:28:42.648 to 00:46:17.057
            )
        ],
    ),
    "claude/session-30530d66-long.jsonl": (
        "claude-session",
        [
            Expected(
                "30530d66-37fb-4f3b-aa5f-d92b6a8afae2",
                [
                    (tool, ..., ANY, False)
                    for tool in (
                        *("TodoWrite", "Bash", "Read", "Read", "Glob", "TodoWrite", "Bash", "Read", "Glob", "Glob"),
                        *("Read", "Glob", "Glob", "Read", "Read", "Bash", "TodoWrite", "Bash", "Glob", "Glob", "Glob"),
                        *("Bash", "TodoWrite", "Write", "TodoWrite"),
                    )
                ],
                [[2, 3, 4, 5], [7, 8, 9, 10], [11, 12, 13], [14, 15], [18, 19, 20], [21, 22]],
                "You're welcome! The CLAUDE.md file is now ready to help fut...",
                {"claude-sonnet-4": usage(802193, 4756, read=0, write=0)},
                seconds=190.229,
            )
        ],
    ),
    "claude/session-b3a7bd3c/subagents/agent-aa9d784.jsonl": (
        "claude-session",
        [
            Expected(
                "b3a7bd3c-5a10-4e7b-8ff0-7fc0cd6d1093",
                [("Bash", {"command": "sleep 3", "description": "Sleep for 3 seconds"}, "", False)],
                final="Done. The command completed successfully after 3 seconds.",
                usage={"claude-haiku-4-5-20251001": usage(8979, 10, read=4410, write=4545)},
                seconds=9.294,
                roles="urra",
            )
        ],
    ),
    "claude/session-b3a7bd3c/subagents/agent-ac47f8c.jsonl": (
        "claude-session",
        [
            Expected(
                "b3a7bd3c-5a10-4e7b-8ff0-7fc0cd6d1093",
                [("Bash", {"command": "sleep 4", "description": "Sleep for 4 seconds"}, "", False)],
                final="The sleep command completed successfully - the process slept...",
                usage={"claude-haiku-4-5-20251001": usage(8988, 6, read=4410, write=4554)},
                seconds=10.411,
            )
        ],
    ),
    "codex/exec-json-phase-unknown.jsonl": (
        "codex-exec",
        [
            Expected(
                "0199a213-81c0-7800-8aa1-bbab2a035a53",
                [
                    (
                        "spawn_agent",
                        {
                            "sender_thread_id": "main-thread",
                            "receiver_thread_ids": ["worker-thread"],
                            "prompt": "Find failing tests",
                        },
                        '{"worker-thread": {"status": "completed", "message": "done"}}',
                        False,
                    )
                ],
                final="Implemented the requested changes.",
                usage={"unknown": usage(10, 5, read=0)},
                codes={"unknown_event"},
                roles="aa",
            )
        ],
    ),
    "copilot/synthetic-events.jsonl": (
        "copilot",
        [
            Expected(
                "s1",
                [
                    ("bash", {"command": "ls"}, "a.txt\n", False),
                    ("view", {"path": "README.md"}, None, True),
                ],
                [[1, 2]],
                "There is one file: a.txt",
                {"claude-sonnet-4.6": usage(10100, 115, read=8000, write=600)},
                seconds=9.5,
                roles="ura",
            )
        ],
    ),
    "openai/chat-completions-tool-calls.json": (
        "openai-chat",
        [
            Expected(
                None,
                [
                    ("get_capital", {"country": "France"}, "Paris", None),
                    ("get_capital", {"country": "England"}, "London", None),
                ],
                final="The capital of England is London.",
                usage={"gpt-4o-mini-2024-07-18": usage(104 + 129, 16 + 9, read=0, why=0)},
                codes={"no_messages"},  # two exchanges with another provider
                roles="uaua",
            )
        ],
    ),
    "openai/responses-file-search.json": (
        "openai-responses",
        [
            Expected(
                None,
                [("file_search", {"queries": ["What is the capital of France?"]}, '[{"attributes": {}, ', False)],
                final="The capital of France is Paris.",
                usage={"gpt-4o-2024-08-06": usage(1178, 45, read=0, why=0)},
                codes={"no_items"},  # five exchanges about files
                roles="ua",
            )
        ],
    ),
    "messages/self-langchain-messages_to_dict.json": (
        "langchain",
        [
            Expected(
                None,
                [
                    ("list_slides", {"deck": "q3.pptx"}, '["Title"]', False),
                    ("read_file", {"path": "x"}, "no such file", True),
                    ("bad", None, None, True),
                ],
                [[1, 2, 3]],
                "One slide.",
                {"gpt-4.1-mini": usage(100, 20, read=64, why=8), "unknown": usage(150, 5)},
                codes={"bad_arguments"},
                roles="sua",
            )
        ],
    ),
    "messages/self-pydantic-ai-2.68-messages.json": (
        "pydantic-ai",
        [
            Expected(
                "01a22c41-9905-7566-99dc-067a625d7626",
                [(DECK[0][0], DECK[0][1], '["Title", "Results", "Outlook"]', False), *DECK_KNOWN[1:]],
                [[1, 2]],
                THREE_SLIDES,
                {"function:call:": usage(53 + 62 + 70, 20 + 24 + 35, read=0, write=0, why=0)},
                seconds=0.070195,  # 26.260336 to 26.330531
                roles="uraa",
            )
        ],
    ),
    "otel/self-pydantic-ai-2.68-otlp-messagetodict.json": (
        "otel",
        [
            Expected(
                "ZdzYKZ52uKGVtn/qFo8N7A==",
                DECK_KNOWN,
                [[1, 2]],
                THREE_SLIDES,
                {"function:call:": usage(185, 79)},
                seconds=0.086731,  # the root's 1796038826254234920 to ...340965635 ns
                roles="uraa",
            )
        ],
    ),
    "inspect/2025-05-12T20-28-26-04-00_security-guide.json": (
        "inspect",
        [
            Expected(
                f"{number}_epoch_1", final=final, usage={"openai/gpt-4o-mini": tokens}, seconds=seconds, roles="sua"
            )
            for number, final, tokens, seconds in (
                (
                    1,
                    "Use parameterized queries and prepared statements, sanitize inputs, and employ ORM frameworks.",
                    usage(320, 309, read=0, why=0),
                    6.282,
                ),
                (2, "Use prepared statements and parameterized queries.", usage(310, 256, read=0, why=0), 5.394),
                (3, "Use Content Security Policy (CSP), validate...", usage(329, 468, read=0, why=0), 9.96),
            )
        ],
    ),
    "inspect/log_streaming.eval": (
        "inspect",
        [
            Expected(
                run,
                final=final,
                usage={"azureai/Meta-Llama-3-1-405B-Instruct-jqf": usage(*tokens)},
                seconds=seconds,
            )
            for run, final, tokens, seconds in (
                ("2_epoch_2", "No", (60, 1), 0.536157),  # 20.322320 to 20.858477
                ("2_epoch_1", "No.", (60, 2), 0.578378),  # 20.318864 to 20.897242
                ("1_epoch_1", "No", (66, 1), 0.588303),  # 20.311501 to 20.899804
                ("1_epoch_2", "Yes.", (66, 2), 0.627987),  # 20.320640 to 20.948627
            )
        ],
    ),
    "atif/terminus_2-hello-world-timeout.trajectory.json": (
        "atif",
        [
            Expected(
                "NORMALIZED_SESSION_ID",
                [shell("echo 'Hello, world!'\n"), shell("sleep 50\n", 50.0), shell("sleep 50\n", 50.0)],
                final="Analysis: Continue working on the task.\nPlan: Sleep for 50 seconds.",
                # The steps' sum is 882 and 115: a request that timed out is in the total only.
                usage={"openai/gpt-4o": usage(982, 145, read=0)},
                cost=0.0039050000000000005,
                roles="uaaa",
            )
        ],
    ),
    "atif/terminus_2-hello-world-context-summarization.trajectory.json": (
        "atif",
        [
            Expected(
                "NORMALIZED_SESSION_ID",
                [
                    shell("mkdir test_dir\n"),
                    shell("echo 'test1' > test_dir/file1.txt\n"),
                    shell("echo 'test2' > test_dir/file2.txt\n"),
                    shell("printf 'Hello, world!\\n' > hello.txt\n"),
                    shell("cat hello.txt\n"),
                    ("mark_task_complete", {}, "Current terminal state:\n", None),
                    ("mark_task_complete", {}, "New Terminal Output:\n\n\n\n", None),
                ],
                final="Analysis: Yes, confirming task completion.\nPlan: Final confirmation.",
                usage={"openai/gpt-4o": usage(7802, 1030, read=0)},
                cost=0.029804999999999998,
                codes={"other_files"},
                roles="uaaasuaaaa",
            )
        ],
    ),
    "adk/order_query.test.json": (
        "adk",
        [
            Expected(
                "tests/integration/fixture/ecommerce_customer_service_agent/order_query.test.json",
                [
                    ("send_email", {"email": "alice@example.com", "user_id": "user_a"}, None, None),
                    ("get_order_status", {"order_id": "1"}, None, None),
                    ("get_order_ids_for_user", {"user_id": "user_a"}, None, None),
                    ("get_order_status", {"order_id": "1"}, None, None),
                    ("get_order_status", {"order_id": "4"}, None, None),
                    ("cancel_order", {"order_id": "4"}, None, None),
                    ("get_order_ids_for_user", {"user_id": "user_b"}, None, None),
                ],
                final="User user_b has placed one order with order ID 2.\n",
                roles="uauauaua",
            )
        ],
    ),
    "other/pi-print-mode.jsonl": (
        "pi",
        [
            Expected(
                None,
                [("read", {"path": "README.md"}, "# Pi Coding Agent\n\nUsage:\n  pi [options]", False)],
                final="Retry succeeded. Recent notes: 1) Added --mode json output. 2) Improved session export.",
                # 1240 + 680 + 320 (the request that failed) + 410 in, 182 + 128 + 0 + 96 out
                usage={"gpt-5.1-codex": usage(2650, 406, read=0, write=0)},
                cost=0.001604 + 0.000936 + 0.00032 + 0.000602,
                seconds=1004.2,  # 1767401000.000 to 1767402004.200
                roles="uraaua",
            )
        ],
    ),
}


def check(trace: Trace, expected: Expected) -> None:
    assert trace.run == expected.run
    assert [step.tool for step in trace.steps] == [tool for tool, *_ in expected.steps]
    for step, (_, args, result, failed) in zip(trace.steps, expected.steps, strict=True):
        if args is not ...:
            assert step.args == args
        if result != ANY:
            assert (step.result is None) == (result is None)
            assert (step.result or "").startswith(result or "")
        assert step.failed is failed
        assert (step.error is not None) == (failed is True)
    groups: dict[str, list[int]] = {}
    for number, step in enumerate(trace.steps, 1):
        if step.group is not None:
            groups.setdefault(step.group, []).append(number)
    assert list(groups.values()) == expected.groups
    if expected.final is not None and expected.final.endswith("..."):
        assert trace.final_response is not None
        assert trace.final_response.startswith(expected.final[:-3])
    else:
        assert trace.final_response == expected.final
    assert trace.usage == expected.usage
    assert trace.cost_usd == (None if expected.cost is None else pytest.approx(expected.cost, abs=1e-12))
    assert trace.duration_s == (None if expected.seconds is None else pytest.approx(expected.seconds, abs=2e-6))
    assert trace.status == expected.status
    assert trace.error == expected.error
    assert {note.code for note in trace.diagnostics} == expected.codes
    if expected.roles is not None:
        assert "".join(message.role[0] for message in trace.messages) == expected.roles


@pytest.mark.parametrize("name", EXPECTED)
def test_a_real_trace_is_read_as_it_stands(name: str) -> None:
    format_name, runs = EXPECTED[name]
    path = sample(name)
    assert detect(path) == format_name
    traces = read_traces(path)
    assert [trace.run for trace in traces] == [run.run for run in runs]
    for trace, expected in zip(traces, runs, strict=True):
        check(trace, expected)
    assert read_traces(path.read_bytes(), format_name) == traces


@pytest.mark.parametrize("name", EXPECTED)
def test_no_two_formats_claim_one_file(name: str) -> None:
    source = Source(sample(name))
    head = Head(source.some(), source.head, source.is_zip)
    assert [reader.name for reader in readers().values() if reader.recognise(head)] == [EXPECTED[name][0]]


def test_the_empty_recording_is_refused() -> None:
    with pytest.raises(TraceError, match=r"agb-empty\.jsonl: the file is empty: no run was recorded"):
        read_traces(sample("agui/agb-empty.jsonl"))


def test_no_sample_is_left_out() -> None:
    manifest = sample("manifest.json")
    files = {entry["file"] for entry in json.loads(manifest.read_text(encoding="utf-8"))}
    assert files == {*EXPECTED, "agui/agb-empty.jsonl"}


def test_times_of_calls() -> None:
    (trace,) = read_traces(sample("agui/self-pydantic-ai-2.68-agui-1.0.sse"))
    assert [(step.started, step.ended) for step in trace.steps] == [
        (1796038825.958, 1796038825.974),
        (1796038825.958, 1796038825.974),
        (1796038825.983, 1796038825.998),
    ]
    (trace,) = read_traces(sample("copilot/synthetic-events.jsonl"))
    # 2026-07-30T01:56:57Z is 1785376617
    times = [time for step in trace.steps for time in (step.started, step.ended)]
    assert times == pytest.approx([1785376617.308, 1785376617.9, 1785376617.309, 1785376617.4])


def test_arguments_that_are_not_whole_are_kept_as_text() -> None:
    (trace,) = read_traces(sample("messages/self-langchain-messages_to_dict.json"))
    assert (trace.steps[2].args, trace.steps[2].args_raw) == (None, '{"a":')


def test_a_subagents_steps_name_the_subagent() -> None:
    (trace,) = read_traces(sample("claude/session-b3a7bd3c/subagents/agent-aa9d784.jsonl"))
    assert [step.parent for step in trace.steps] == ["aa9d784"]
