"""Rules about the final response, and what their reasons show of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from agent_run import judge, outcome, trace_of

from pytest_ppteval.grade.rules.regex import RegexTimeoutError, search

if TYPE_CHECKING:
    from pathlib import Path

REPORT = "压测结论：测试有效。资源上出现CPU瓶颈，业务QPS平稳。"


@pytest.mark.parametrize(
    ("rule", "score", "reason"),
    [
        ("response_contains: 测试有效", 1, f"the final response has '测试有效': \"{REPORT}\""),
        (
            "response_contains: [测试有效, 出现内存瓶颈, 磁盘]",
            0,
            f"'出现内存瓶颈', '磁盘' are not in the final response; it begins: \"{REPORT}\"",
        ),
        (
            "response_contains: 业务QPS不平稳",
            0,
            f"'业务QPS不平稳' is not in the final response; nearest: \"{REPORT}\"",
        ),
        ("not_response_contains: [内存, 磁盘]", 1, "none of '内存', '磁盘' is in the final response (29 characters)"),
        (
            "not_response_contains: [内存, CPU, QPS]",
            0,
            f"'CPU' is in the final response: \"{REPORT}\" (and 1 more too)",
        ),
        ("response_contains: cpu瓶颈\nignore_case: true", 1, f"the final response has 'cpu瓶颈': \"{REPORT}\""),
        ("response_matches: '测试(有效|无效)'", 1, f'the final response has /测试(有效|无效)/: "{REPORT}"'),
        ("response_matches: '^资源'", 0, f'/^资源/ is not in the final response; it begins: "{REPORT}"'),
        ("not_response_matches: 'CPU.{2}'", 0, f'/CPU.{{2}}/ is in the final response: "{REPORT}"'),
        (
            "not_response_matches: ['内存+', '(?i)gpu']",
            1,
            "none of /内存+/, /(?i)gpu/ is in the final response (29 characters)",
        ),
    ],
)
def test_response(tmp_path: Path, rule: str, score: float, reason: str) -> None:
    assert outcome(judge(tmp_path, rule, trace_of(response=REPORT))) == (score, reason)


def test_a_long_response_is_shown_around_the_place_on_one_line(tmp_path: Path) -> None:
    response = "x" * 100 + "\nverdict:\n  valid\n" + "y" * 100
    result = judge(tmp_path, "response_contains: verdict", trace_of(response=response))
    assert result.reason == f"the final response has 'verdict': \"...{'x' * 29} verdict: valid {'y' * 20}...\""


def test_the_same_character_written_in_two_ways_is_one_text(tmp_path: Path) -> None:
    assert judge(tmp_path, "response_contains: caf\u00e9", trace_of(response="the cafe\u0301")).score == 1


@pytest.mark.parametrize("rule", ["response_contains: x", "not_response_contains: x", "not_response_matches: x"])
@pytest.mark.parametrize(
    ("status", "error", "score", "reason"),
    [
        ("finished", None, 0, "the agent gave no final response"),
        ("error", "out of tokens", 0, "the agent gave no final response (it ended as error: out of tokens)"),
        ("truncated", None, "unscored", "no final response: the trace records no end of the run"),
    ],
)
def test_no_response(
    tmp_path: Path, rule: str, status: str, error: str | None, score: float | str, reason: str
) -> None:
    trace = trace_of(response=None, status=status, error=error)
    assert outcome(judge(tmp_path, rule, trace)) == (score, reason)


def test_a_response_kept_as_a_file_comes_before_the_trace(tmp_path: Path) -> None:
    result = judge(tmp_path, "response_contains: kept", trace_of(response="told"), files={"response.md": "# kept"})
    assert result.score == 1


def test_neither_response_nor_trace(tmp_path: Path) -> None:
    result = judge(tmp_path, "not_response_contains: x")
    assert result.status == "unscored"
    assert result.reason.startswith("no final response: no response.md or response.txt, and no trace: looked for ")


def test_an_empty_response_fails_both_forms(tmp_path: Path) -> None:
    result = judge(tmp_path, "not_response_contains: x", files={"response.md": " \n"})
    assert result.score == 0
    assert result.reason.startswith("the final response is empty")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "(a?){40}a{40}$"])
def test_a_pattern_that_would_take_for_ever_is_stopped(pattern: str) -> None:
    started = time.monotonic()
    with pytest.raises(RegexTimeoutError, match="took more than 1 s in 40 characters"):
        search([pattern], "a" * 39 + "b", limit=1)
    assert time.monotonic() - started < 20


def test_a_pattern_that_is_stopped_is_an_error_of_its_leaf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_ppteval.grade.rules.regex.TIME_LIMIT", 1.0)
    result = judge(tmp_path, "response_matches: '(a+)+$'", trace_of(response="a" * 40 + "b"))
    assert result.status == "error"
    assert "write the pattern without repetition inside of repetition" in result.reason


def test_patterns_find_the_same_in_a_process_of_their_own() -> None:
    text = "id=42; 测试 \U0001f600 id=43"
    assert search([r"id=\d", "测", "nothing"], text) == [(0, 4), (7, 8), None]
    assert search([r"id=(\d+)$", "测试?", "\U0001f600 +", "(?i)NOTHING"], text) == [(12, 17), (7, 9), (10, 12), None]
