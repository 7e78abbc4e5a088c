"""While agents run: a line from time to time of what is done, what runs, and what was spent, with workers too."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.report import agents as report
from pytest_ppteval.report.progress import Spent, describe
from pytest_ppteval.runs.running import Running

if TYPE_CHECKING:
    from agent_project import AgentProject


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "workers"])
def test_what_runs_is_told_with_its_seconds(
    agents: AgentProject, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]
) -> None:
    monkeypatch.setattr(report, "LOGGED", 0.3)  # a minute in a log, else
    agents.does("first", "good")
    agents.does("second", "sleep=2")
    result = agents.run_agent(*workers)
    told = [line for line in result.outlines if line.startswith("ppteval: ") and "; running: " in line]
    pattern = (
        r"ppteval: [01] of 2 runs judged, agents spent no tokens known; running: (first \(\d+ s\), )?second \(\d+ s\)"
    )
    assert any(re.fullmatch(pattern, line) for line in told), told
    result.stdout.fnmatch_lines(["2 passed"])


def test_many_that_run_are_counted() -> None:
    now = datetime(2026, 3, 1, 9, 1, 0, tzinfo=UTC)
    found = [Running(f"f.json::t{n}", n, "a", 1, f"2026-03-01T09:00:0{n}Z") for n in range(1, 7)]
    assert describe(found, now) == "t1 (59 s), t2[trial-2] (58 s), t3[trial-3] (57 s), t4[trial-4] (56 s) and 2 more"


def test_what_was_spent_is_the_sum_of_runs_and_no_price_is_made_up() -> None:
    spent = Spent()
    spent.add("a", {"seconds": 3, "input_tokens": 1200, "output_tokens": 300, "cost_usd": 0.01})
    spent.add("b", {"seconds": 2, "input_tokens": 800, "output_tokens": 100})
    spent.add(
        "b", {"seconds": 2, "input_tokens": 800, "output_tokens": 100}
    )  # a rerun takes the place of the run before
    assert str(spent) == "2,000 tokens in, 400 out, $0.0100 (1 of 2 priced)"
    assert str(Spent()) == "no tokens known"
