"""What each rule gives where the evidence is lacking: nothing follows from what a trace doesn't tell.

One table holds every rule and its not_ form against everything that a run may lack. A cell is "plain/not_": 1 holds, 0
doesn't, ? leaves it open. In all of these runs what the rule looks for is not to be seen, unless the cell's column says
that it is. Where it is seen all the same, the rule is settled: that is the second table.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest
from agent_run import case_with, judge_run, step, tokens, trace_of, unrecorded

from pytest_ppteval.case.rules import KINDS
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_ppteval.trace.model import Trace

# One rule of each kind, by a short name.
RULES = {
    "tool_call": "tool_call: bash",
    "with text": "tool_call: bash\ncontains: rm",
    "with args": "tool_call: bash\nargs: {cmd: rm}",
    "exact": "tool_order: {mode: exact, tools: [read, bash]}",
    "in_order": "tool_order: [read, bash]",
    "any_order": "tool_order: {mode: any_order, tools: [bash, read]}",
    "subset": "tool_order: {mode: subset, tools: [read]}",
    "superset": "tool_order: {mode: superset, tools: [bash, read]}",
    "skill_used": "skill_used: report",
    "file_exists": "file_exists: out.json",
    "file_contains": "file_contains: {file: out.json, text: x}",
    "file_matches": "file_matches: {file: out.json, pattern: x}",
    "json_path": "json_path: {file: out.json, path: $.a, equals: 1}",
    "its json": "json_path: {path: $.a, equals: 1}",
    "response_contains": "response_contains: broken",
    "response_matches": "response_matches: bro+ken",
    "max_tool_calls": "max_tool_calls: 5",
    "min_tool_calls": "min_tool_calls: 5",
    "max of a tool": "max_tool_calls: 0\ntool: bash",
    "min of a tool": "min_tool_calls: 1\ntool: bash",
    "max_retries": "max_retries: 0",
    "min_retries": "min_retries: 1",
    "max_tokens": "max_tokens: 100",
    "min_tokens": "min_tokens: 100",
    "max_cost": "max_cost: 1",
    "min_cost": "min_cost: 1",
    "max_seconds": "max_seconds: 60",
    "min_seconds": "min_seconds: 60",
    "with result": "tool_call: bash\nresult_contains: gone",
    "with failure": "tool_call: bash\nfailed: true",
    "max with args": "max_tool_calls: 0\nargs: {cmd: rm}",
    "only_tools": "only_tools: read",
    "no_effect": "no_effect: true",
    "only_effects": "only_effects: read",
    "file_written": "file_written: out.json",
    "file_read": "file_read: out.json",
    "file_kept": "file_kept: out.json",
    "file_parses": "file_parses: out.json",
    "json_schema": "json_schema: {file: out.json, schema: {required: [a]}}",
    "its schema": "json_schema: {schema: {required: [a]}}",
    "says": "says: {value: broken}",
    "answered_from": "answered_from: {tool: [bash, Skill], value: broken}",
    "grounded": "grounded: true",
    "any_of": "any_of: [{tool_call: bash}, {response_contains: broken}]",
}
# What the case of a rule has beside it.
MORE = {
    "no_effect": "writes: [bash]",
    "only_effects": "writes: [bash, read]",
    "file_kept": "inputs: [out.json]",
    "file_read": "inputs: [out.json]",
}

# A run as Claude Code writes it down: one call, one answer, 15 tokens, 0.10 dollars, 9 seconds.
LINES: list[dict[str, Any]] = [
    {"type": "system", "subtype": "init", "session_id": "s", "tools": ["read", "bash"], "model": "m"},
    {
        "type": "assistant",
        "session_id": "s",
        "message": {
            "id": "m1",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a"}}],
            "usage": {"input_tokens": 5, "output_tokens": 5},
        },
    },
    {
        "type": "user",
        "session_id": "s",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1"}]},
    },
    {
        "type": "assistant",
        "session_id": "s",
        "message": {
            "id": "m2",
            "role": "assistant",
            "content": [{"type": "text", "text": '{"b": 2}'}],
            "usage": {"input_tokens": 2, "output_tokens": 3},
        },
    },
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "session_id": "s",
        "duration_ms": 9000,
        "num_turns": 2,
        "result": '{"b": 2}',
        "total_cost_usd": 0.1,
        "usage": {"input_tokens": 7, "output_tokens": 8},
        "modelUsage": {"m": {"inputTokens": 7, "outputTokens": 8, "costUSD": 0.1}},
    },
]
SPENT: dict[str, Any] = {"usage": tokens(7, 8), "cost_usd": 0.1, "duration_s": 9.0}


def stream(*lines: str) -> Callable[[Path], Run]:
    """A run whose trace is a file of these lines."""

    def of(folder: Path) -> Run:
        (folder / "workspace").mkdir()
        (folder / "trace.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return Run(folder, "a case")

    return of


def known(trace: Trace) -> Callable[[Path], Run]:
    """A run with a workspace and this trace."""

    def of(folder: Path) -> Run:
        (folder / "workspace").mkdir()
        return Run(folder, "a case", trace)

    return of


def no_trace(folder: Path) -> Run:
    return Run(folder, "a case")


TEXTS = [json.dumps(line) for line in LINES]
# What is in the file instead of the one call, the rest of it whole.
HALF = TEXTS[1][:60]

LACKING: dict[str, Callable[[Path], Run]] = {
    # The file: there is none (nor a workspace), it is empty, it breaks off, one line of it is damaged, the format
    # tells of no calls.
    "none": no_trace,
    "empty": stream(),
    "cut": stream(*TEXTS[:3]),
    "damaged": stream(TEXTS[0], TEXTS[1], HALF, *TEXTS[2:]),
    "no calls": stream(TEXTS[-1]),
    # A call: its tool, its arguments, a part of them, whether it failed.
    "tool ?": known(trace_of("read", step(""), response='{"b": 2}', **SPENT)),
    "args ?": known(trace_of("read", unrecorded("bash"), unrecorded("Skill"), response='{"b": 2}', **SPENT)),
    "args cut": known(
        trace_of(
            "read",
            unrecorded("bash", args_raw='{"cmd": "l'),
            unrecorded("Skill", args_raw='{"ski'),
            response='{"b": 2}',
            **SPENT,
        )
    ),
    "failed ?": known(trace_of("read", "read", response='{"b": 2}', **SPENT)),
    # What it came to: no last word, no numbers, and numbers that can't be.
    "silent": known(trace_of("read", response=None, **SPENT)),
    "no numbers": known(trace_of("read", response='{"b": 2}')),
    "negative": known(trace_of("read", response='{"b": 2}', usage=tokens(-7, 900), cost_usd=-0.1, duration_s=-9.0)),
    "NaN": known(
        trace_of("read", response='{"b": 2}', usage=tokens(None, 8), cost_usd=float("nan"), duration_s=float("inf"))
    ),
    "huge": known(
        trace_of("read", response='{"b": 2}', usage=tokens(10**400, 8), cost_usd=1e300, duration_s=float(10**300))
    ),
}

TABLE = """
rule              | none | empty | cut | damaged | no calls | tool ? | args ? | args cut | failed ? | silent | no numbers | negative | NaN | huge
tool_call         | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 1/0    | 1/0      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
with text         | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | ?/?    | ?/?      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
with args         | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | ?/?    | ?/?      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
exact             | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 0/1    | 0/1      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
in_order          | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 1/0    | 1/0      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
any_order         | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 0/1    | 0/1      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
subset            | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 0/1    | 0/1      | 1/0      | 1/0    | 1/0        | 1/0      | 1/0 | 1/0
superset          | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 1/0    | 1/0      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
skill_used        | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | ?/?    | ?/?      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
file_exists       | ?/?  | 0/1   | 0/1 | 0/1     | 0/1      | 0/1    | 0/1    | 0/1      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
file_contains     | ?/?  | 0/0   | 0/0 | 0/0     | 0/0      | 0/0    | 0/0    | 0/0      | 0/0      | 0/0    | 0/0        | 0/0      | 0/0 | 0/0
file_matches      | ?/?  | 0/0   | 0/0 | 0/0     | 0/0      | 0/0    | 0/0    | 0/0      | 0/0      | 0/0    | 0/0        | 0/0      | 0/0 | 0/0
json_path         | ?/?  | 0/0   | 0/0 | 0/0     | 0/0      | 0/0    | 0/0    | 0/0      | 0/0      | 0/0    | 0/0        | 0/0      | 0/0 | 0/0
its json          | ?/?  | 0/0   | ?/? | ?/?     | 0/1      | 0/1    | 0/1    | 0/1      | 0/1      | 0/0    | 0/1        | 0/1      | 0/1 | 0/1
response_contains | ?/?  | 0/0   | ?/? | ?/?     | 0/1      | 0/1    | 0/1    | 0/1      | 0/1      | 0/0    | 0/1        | 0/1      | 0/1 | 0/1
response_matches  | ?/?  | 0/0   | ?/? | ?/?     | 0/1      | 0/1    | 0/1    | 0/1      | 0/1      | 0/0    | 0/1        | 0/1      | 0/1 | 0/1
max_tool_calls    | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | 1/0    | 1/0    | 1/0      | 1/0      | 1/0    | 1/0        | 1/0      | 1/0 | 1/0
min_tool_calls    | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | 0/1    | 0/1    | 0/1      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
max of a tool     | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 0/1    | 0/1      | 1/0      | 1/0    | 1/0        | 1/0      | 1/0 | 1/0
min of a tool     | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 1/0    | 1/0      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
max_retries       | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 1/0    | 1/0      | ?/?      | 1/0    | 1/0        | 1/0      | 1/0 | 1/0
min_retries       | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 0/1    | 0/1      | ?/?      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
max_tokens        | ?/?  | 0/0   | ?/? | ?/?     | 1/0      | 1/0    | 1/0    | 1/0      | 1/0      | 1/0    | ?/?        | ?/?      | ?/? | ?/?
min_tokens        | ?/?  | 0/0   | ?/? | ?/?     | 0/1      | 0/1    | 0/1    | 0/1      | 0/1      | 0/1    | ?/?        | ?/?      | ?/? | ?/?
max_cost          | ?/?  | 0/0   | ?/? | ?/?     | 1/0      | 1/0    | 1/0    | 1/0      | 1/0      | 1/0    | ?/?        | ?/?      | ?/? | ?/?
min_cost          | ?/?  | 0/0   | ?/? | ?/?     | 0/1      | 0/1    | 0/1    | 0/1      | 0/1      | 0/1    | ?/?        | ?/?      | ?/? | ?/?
max_seconds       | ?/?  | 0/0   | ?/? | ?/?     | 1/0      | 1/0    | 1/0    | 1/0      | 1/0      | 1/0    | ?/?        | ?/?      | ?/? | ?/?
min_seconds       | ?/?  | 0/0   | ?/? | ?/?     | 0/1      | 0/1    | 0/1    | 0/1      | 0/1      | 0/1    | ?/?        | ?/?      | ?/? | ?/?
with result       | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | ?/?    | ?/?      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
with failure      | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | ?/?    | ?/?      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
max with args     | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | 1/0    | ?/?    | ?/?      | 1/0      | 1/0    | 1/0        | 1/0      | 1/0 | 1/0
only_tools        | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 0/1    | 0/1      | 1/0      | 1/0    | 1/0        | 1/0      | 1/0 | 1/0
no_effect         | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 0/1    | 0/1      | 1/0      | 1/0    | 1/0        | 1/0      | 1/0 | 1/0
only_effects      | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 0/1    | 0/1      | 1/0      | 1/0    | 1/0        | 1/0      | 1/0 | 1/0
file_written      | ?/?  | 0/1   | 0/1 | 0/1     | 0/1      | 0/1    | 0/1    | 0/1      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
file_read         | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | ?/?    | ?/?      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
file_kept         | ?/?  | 0/1   | 0/1 | 0/1     | 0/1      | 0/1    | 0/1    | 0/1      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
file_parses       | ?/?  | 0/0   | 0/0 | 0/0     | 0/0      | 0/0    | 0/0    | 0/0      | 0/0      | 0/0    | 0/0        | 0/0      | 0/0 | 0/0
json_schema       | ?/?  | 0/0   | 0/0 | 0/0     | 0/0      | 0/0    | 0/0    | 0/0      | 0/0      | 0/0    | 0/0        | 0/0      | 0/0 | 0/0
its schema        | ?/?  | 0/0   | ?/? | ?/?     | 0/1      | 0/1    | 0/1    | 0/1      | 0/1      | 0/0    | 0/1        | 0/1      | 0/1 | 0/1
says              | ?/?  | 0/0   | ?/? | ?/?     | 0/1      | 0/1    | 0/1    | 0/1      | 0/1      | 0/0    | 0/1        | 0/1      | 0/1 | 0/1
answered_from     | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 0/1    | 0/1      | 0/1      | 0/0    | 0/1        | 0/1      | 0/1 | 0/1
grounded          | ?/?  | 0/0   | ?/? | ?/?     | 1/0      | 1/0    | 1/0    | 1/0      | 1/0      | 0/0    | 1/0        | 1/0      | 1/0 | 1/0
any_of            | ?/?  | 0/0   | ?/? | ?/?     | ?/?      | ?/?    | 1/0    | 1/0      | 0/1      | 0/1    | 0/1        | 0/1      | 0/1 | 0/1
"""  # noqa: E501 - a table

# The same where what is looked for is seen: a trace that breaks off afterwards takes nothing back, but for what more
# calls would change.
SEEN = trace_of(
    "read",
    step("bash", {"cmd": "rm"}, failed=True, result="gone"),
    step("bash", {"cmd": "rm"}, failed=True),
    step("Skill", {"skill": "report"}, result="broken"),
    step("read", {"path": "/w/out.json"}),
    response='{"a": 1, "is": "broken"}',
    usage=tokens(90, 90),
    cost_usd=2.0,
    duration_s=90.0,
)
SETTLED = {
    **dict.fromkeys(RULES, "1/0"),
    "exact": "0/1",  # more calls than asked for
    "any_order": "0/1",
    "subset": "0/1",  # bash is called, which it must not be
    "max_tool_calls": "?/?",  # five calls, and five are allowed
    "max of a tool": "0/1",
    "max with args": "0/1",
    "only_tools": "0/1",
    "no_effect": "0/1",
    "only_effects": "0/1",
    "grounded": "?/?",  # all that was said so far, and more may have been
    "max_retries": "0/1",
    "max_tokens": "0/1",
    "max_cost": "0/1",
    "max_seconds": "0/1",
}


def rows() -> list[tuple[str, str, str]]:
    head, *lines = ([cell.strip() for cell in line.split("|")] for line in TABLE.strip().splitlines())
    return [(name, lack, cell) for name, *cells in lines for lack, cell in zip(head[1:], cells, strict=True)]


def test_the_table_has_every_rule_and_everything_that_may_be_lacking() -> None:
    checked = {word for rule in RULES.values() for word in [rule.split(":")[0]]}
    assert checked == set(KINDS)
    assert [(name, lack) for name, lack, _ in rows()] == [(name, lack) for name in RULES for lack in LACKING]


def told(result: LeafResult) -> str:
    assert result.status in ("scored", "unscored"), result
    assert result.reason
    return "?" if result.score is None else f"{result.score:g}"


def both(folder: Path, name: str, run_of: Callable[[Path], Run]) -> str:
    """What a rule and its not_ form give."""
    rule = RULES[name]
    found = []
    for word in ("", "not_"):
        place = folder / (word or "plain")
        (place / "run").mkdir(parents=True)
        (place / "out.json").write_text('{"a": 1, "x": 0}')
        found.append(told(judge_run(case_with(place, word + rule, MORE.get(name, "")), run_of(place / "run"), {})))
    return "/".join(found)


@pytest.mark.parametrize(("name", "lack", "expected"), rows())
def test_what_is_not_told_settles_nothing(tmp_path: Path, name: str, lack: str, expected: str) -> None:
    assert both(tmp_path, name, LACKING[lack]) == expected


@pytest.mark.parametrize("name", RULES)
def test_what_is_seen_is_settled_in_a_trace_that_breaks_off(tmp_path: Path, name: str) -> None:
    def of(folder: Path) -> Run:
        (folder / "workspace").mkdir()
        (folder / "workspace" / "out.json").write_text('{"a": 1, "x": 0}')
        return Run(folder, "a case", dataclasses.replace(SEEN, status="truncated"))

    assert both(tmp_path, name, of) == SETTLED[name]
