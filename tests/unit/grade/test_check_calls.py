"""Rules about tool calls: tool_call, tool_order, skill_used and their not_ forms, with what their reasons show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agent_run import judge, outcome, step, trace_of, unrecorded

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.trace.model import Trace

LOADS = trace_of(step("mcp", {"server": "tperf-mcp", "id": 7}), step("read", {"path": "a.json"}), step("read"))
CUT = "the trace records no end of the run, what came after is not known"


@pytest.mark.parametrize(
    ("rule", "score", "reason"),
    [
        ("tool_call: mcp", 1, 'call 1 of 3: mcp {"server": "tperf-mcp", "id": 7}'),
        ("tool_call: mcp\ncontains: tperf-mcp", 1, 'call 1 of 3: mcp {"server": "tperf-mcp", "id": 7}'),
        ("tool_call: mcp\ncontains: [tperf, '7']", 1, 'call 1 of 3: mcp {"server": "tperf-mcp", "id": 7}'),
        ("tool_call: mcp\nargs: {id: 7.0}", 1, 'call 1 of 3: mcp {"server": "tperf-mcp", "id": 7}'),
        ("tool_call: 're*'\nargs: {path: a.json}", 1, 'call 2 of 3: read {"path": "a.json"}'),
        (
            "tool_call: mcp\ncontains: TPERF",
            0,
            """1 call of mcp, not with 'TPERF'; nearest: mcp {"server": "tperf-mcp", "id": 7}""",
        ),
        ("tool_call: mcp\ncontains: TPERF\nignore_case: true", 1, 'call 1 of 3: mcp {"server": "tperf-mcp", "id": 7}'),
        (
            "tool_call: read\nargs: {path: b.json}",
            0,
            'none of 2 calls of read, with path="b.json"; nearest: read {"path": "a.json"}',
        ),
        (
            "tool_call: mcp\nargs: {id: true}",
            0,
            '1 call of mcp, not with id=true; nearest: mcp {"server": "tperf-mcp", "id": 7}',
        ),
        ("tool_call: reed", 0, "reed was not called; 3 calls: read x2, mcp"),
        ("not_tool_call: bash", 1, "bash was not called; 3 calls: read x2, mcp"),
        ("not_tool_call: mcp\ncontains: tperf-mcp", 0, 'call 1 of 3: mcp {"server": "tperf-mcp", "id": 7}'),
        (
            "not_tool_call: mcp\ncontains: other",
            1,
            """1 call of mcp, not with 'other'; nearest: mcp {"server": "tperf-mcp", "id": 7}""",
        ),
    ],
)
def test_tool_call(tmp_path: Path, rule: str, score: float, reason: str) -> None:
    assert outcome(judge(tmp_path, rule, LOADS)) == (score, reason)


@pytest.mark.parametrize("contains", ['"line 1\\nline 2"', "'say \"hi\"'", '"\\"cmd\\": \\"say"', "路径"])
def test_contained_text_is_found_as_it_is_and_as_json(tmp_path: Path, contains: str) -> None:
    trace = trace_of(step("bash", {"cmd": 'say "hi"', "deep": [{"text": "line 1\nline 2, 路径"}]}))
    assert judge(tmp_path, f"tool_call: bash\ncontains: {contains}", trace).score == 1


def test_arguments_are_a_subset_at_any_depth_and_lists_are_equal(tmp_path: Path) -> None:
    trace = trace_of(step("q", {"where": {"id": 1, "kind": "cpu"}, "cols": ["a", "b"]}))
    for number, (args, score) in enumerate(
        [("{where: {id: 1}}", 1), ("{where: {id: 2}}", 0), ("{cols: [a, b]}", 1), ("{cols: [a]}", 0), ("{x: null}", 0)]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert judge(folder, f"tool_call: q\nargs: {args}", trace).score == score, args


@pytest.mark.parametrize("rule", ["tool_call: mcp\ncontains: x", "not_tool_call: mcp\ncontains: x"])
def test_arguments_that_are_not_recorded_leave_it_open(tmp_path: Path, rule: str) -> None:
    assert outcome(judge(tmp_path, rule, trace_of(unrecorded("mcp")))) == (
        "unscored",
        "call 1 of 1 is mcp, and its arguments are not recorded",
    )


def test_no_call_at_all(tmp_path: Path) -> None:
    assert outcome(judge(tmp_path, "tool_call: mcp", trace_of())) == (0, "mcp was not called; no tool was called")


@pytest.mark.parametrize("rule", ["tool_call: bash", "not_tool_call: bash"])
def test_a_trace_without_an_end_cannot_say_that_a_call_was_not_made(tmp_path: Path, rule: str) -> None:
    cut = trace_of("read", status="truncated")
    assert outcome(judge(tmp_path, rule, cut)) == ("unscored", f"bash was not called; 1 call: read; {CUT}")


def test_a_trace_without_an_end_can_say_that_a_call_was_made(tmp_path: Path) -> None:
    cut = trace_of("bash", status="truncated")
    assert outcome(judge(tmp_path, "not_tool_call: bash", cut)) == (0, "call 1 of 1: bash {}")


def test_calls_of_subagents_and_calls_that_failed_count(tmp_path: Path) -> None:
    trace = trace_of("task", step("bash", {"c": 1}, parent="call-1", failed=True))
    assert outcome(judge(tmp_path, "tool_call: bash", trace)) == (1, 'call 2 of 2: bash {"c": 1} (failed)')


ORDERS = [
    # mode, tools asked for, tools called, holds, what is said
    ("exact", "a b c", "a b c", True, "as asked"),
    ("exact", "a b", "a b c", False, "3 calls, 2 expected"),
    ("exact", "a b", "a c b", False, "call 2 is c, b was expected"),
    ("exact", "a b", "a", False, "b was not called after a"),
    ("in_order", "a c", "a b c", True, "as asked"),
    ("in_order", "a c", "c a", False, "c was not called after a"),
    ("in_order", "a a", "a b", False, "a was not called after a"),
    ("any_order", "a b", "b a", True, "as asked"),
    ("any_order", "a b", "b a c", False, "called beyond what is listed: c"),
    ("any_order", "a b c", "b a", False, "not called: c"),
    ("subset", "a b c", "c a", True, "as asked"),
    ("subset", "a b", "a x", False, "called beyond what is listed: x"),
    ("subset", "a b", "a a", True, "as asked"),  # no call but these: how often isn't asked
    ("superset", "a b", "x b a", True, "as asked"),
    ("superset", "a a", "a x", False, "not called as often: a"),
    ("superset", "a*, ab", "ab ac", True, "as asked"),  # ab takes its own, though a* met it first
]


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize(("mode", "asked", "called", "holds", "said"), ORDERS)
def test_tool_order(tmp_path: Path, mode: str, asked: str, called: str, holds: bool, said: str, negated: bool) -> None:
    tools = ", ".join(f"'{tool}'" for tool in asked.replace(",", "").split())
    rule = f"{'not_' if negated else ''}tool_order: {{mode: {mode}, tools: [{tools}]}}"
    result = judge(tmp_path, rule, trace_of(*called.split()))
    assert result.score == (holds != negated)
    assert result.reason.startswith(f"{mode}: {said}; calls: {called.split()[0]}")


def test_a_list_alone_asks_for_that_order_with_others_between(tmp_path: Path) -> None:
    result = judge(tmp_path, "tool_order: [a, b]", trace_of("a", "x", "x", "b"))
    assert outcome(result) == (1, "in_order: as asked; calls: a, x x2, b")


@pytest.mark.parametrize(("mode", "score"), [("exact", 1), ("in_order", 1)])
def test_inside_a_parallel_batch_the_order_is_free(tmp_path: Path, mode: str, score: float) -> None:
    trace = trace_of("a", step("c", group="g"), step("b", group="g"), "d")
    assert judge(tmp_path, f"tool_order: {{mode: {mode}, tools: [a, b, c, d]}}", trace).score == score


@pytest.mark.parametrize(
    ("mode", "called", "score"),
    [
        ("in_order", "a b", 1),  # more calls change nothing
        ("in_order", "a", None),
        ("superset", "b a", 1),
        ("subset", "a", None),
        ("subset", "a x", 0),
        ("exact", "a b", None),
        ("exact", "x", 0),
    ],
)
def test_order_in_a_trace_without_an_end(tmp_path: Path, mode: str, called: str, score: float | None) -> None:
    trace = trace_of(*called.split(), status="truncated")
    result = judge(tmp_path, f"tool_order: {{mode: {mode}, tools: [a, b]}}", trace)
    assert result.score == score
    assert result.reason.endswith(CUT) == (score is None)


@pytest.mark.parametrize(
    "call",
    [
        step("Skill", {"skill": "load-report"}),
        step("Skill", {"command": "/load-report"}),
        step("Skill", {"skill": "team:load-report", "args": "for run 7"}),
        step("load_skill", {"name": "load-report"}),
        step("Read", {"file_path": "/home/a/.claude/skills/load-report/SKILL.md"}),
        step("shell", {"command": ["bash", "-lc", "cat skills/load-report/SKILL.md | head"]}),
        step("shell", None, args_raw='{"cmd": "cat C:\\\\skills\\\\load-report\\\\SKILL.md'),
    ],
    ids=lambda call: f"{call.tool}-{call.id}",
)
def test_ways_to_load_a_skill(tmp_path: Path, call: object) -> None:
    result = judge(tmp_path, "skill_used: load-report", trace_of(call))  # type: ignore[arg-type]  # a Step
    assert result.score == 1
    assert result.reason.startswith("skill load-report: call 1 of 1: ")


@pytest.mark.parametrize(
    ("rule", "trace", "score", "reason"),
    [
        (
            "skill_used: load-report",
            trace_of(step("Skill", {"skill": "other"}), "read"),
            0,
            "skill load-report was not used; skills used: other; 2 calls: Skill, read",
        ),
        (
            "not_skill_used: load-report",
            trace_of(step("grep", {"pattern": "load-report"})),
            1,
            "skill load-report was not used; no skill was used; 1 call: grep",
        ),
        (
            "skill_used: load-report",
            trace_of(step("Skill", {"skill": "load-report"}, failed=True, error="unknown skill")),
            0,
            "skill load-report failed to load: unknown skill",
        ),
        (
            "not_skill_used: load-report",
            trace_of(step("Skill", {"skill": "load-report"}, failed=True)),
            0,
            'skill load-report: call 1 of 1: Skill {"skill": "load-report"} (failed)',
        ),
    ],
)
def test_skill_used(tmp_path: Path, rule: str, trace: Trace, score: float, reason: str) -> None:
    assert outcome(judge(tmp_path, rule, trace)) == (score, reason)


def test_true_stands_for_the_skill_of_the_case(tmp_path: Path) -> None:
    trace = trace_of(step("Skill", {"skill": "load-report"}))
    assert judge(tmp_path, "skill_used: true", trace, more="skill: skills/load-report").score == 1


def test_what_an_agent_wrote_cannot_steer_the_terminal(tmp_path: Path) -> None:
    result = judge(tmp_path, "tool_call: bash", trace_of("\x1b[2Jb\nc"))
    assert result.reason == "bash was not called; 1 call: \\x1b[2Jb\\nc"
