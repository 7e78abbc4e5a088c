"""tool_order against definitions that are too slow for use: every order of every parallel batch is tried."""

from __future__ import annotations

import random
import time
from collections import Counter
from itertools import groupby, permutations, product

import pytest
from agent_run import step, trace_of

from pytest_ppteval.evidence.evidence import Evidence
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.grade.rules.calls import tool_order
from pytest_ppteval.grade.rules.finding import Finding, Rule
from pytest_ppteval.sandbox.host import Sandbox
from pytest_ppteval.trace.model import Step

MODES = ("exact", "in_order", "any_order", "subset", "superset")


def holds(steps: list[Step], mode: str, tools: list[str]) -> bool | None:
    with Evidence(Sandbox("off"), None, None, run=Run(None, given=trace_of(*steps))) as evidence:
        found = tool_order(Rule("tool_order", False, {"tools": tools, "mode": mode}, {}), evidence)
    assert isinstance(found, Finding)
    return found.holds


def orders(steps: list[Step]) -> list[list[str]]:
    """Every order in which the calls may be read."""
    batches = [[one.tool for one in batch] for _, batch in groupby(steps, lambda one: one.group or one.id)]
    return [[tool for batch in chosen for tool in batch] for chosen in product(*map(permutations, batches))]


def is_subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(tool in rest for tool in part)


def by_definition(steps: list[Step], mode: str, tools: list[str]) -> bool:
    asked, made = Counter(tools), Counter(one.tool for one in steps)
    match mode:
        case "exact":
            return tools in orders(steps)
        case "in_order":
            return any(is_subsequence(tools, order) for order in orders(steps))
        case "any_order":
            return asked == made
        case "subset":
            return set(made) <= set(asked)
        case _:
            return made >= asked


@pytest.mark.parametrize("mode", MODES)
def test_small_random_runs(mode: str) -> None:
    rng = random.Random(f"tool order, {mode}")
    answers: Counter[bool] = Counter()
    for _ in range(600):
        made = [rng.choice("abc") for _ in range(rng.randint(1, 6))]
        batches, batch = [], 0
        for _ in made:
            batch += rng.random() < 0.6
            batches.append(batch)
        sizes = Counter(batches)
        steps = [step(tool, group=f"g{b}" if sizes[b] > 1 else None) for tool, b in zip(made, batches, strict=True)]
        tools = rng.sample(made, rng.randint(1, len(made))) if rng.random() < 0.5 else list(made)
        if rng.random() < 0.3:
            tools.insert(rng.randint(0, len(tools)), rng.choice("abc"))
        expected = by_definition(steps, mode, tools)
        assert holds(steps, mode, tools) == expected, (mode, tools, made, batches)
        answers[expected] += 1
    assert min(answers[True], answers[False]) > 50


@pytest.mark.parametrize("mode", MODES)
def test_ten_thousand_calls_take_no_time(mode: str) -> None:
    steps = [step("a" if number % 3 else "b") for number in range(10_000)]
    started = time.perf_counter()
    holds(steps, mode, ["a", "b"] * 10)
    assert time.perf_counter() - started < 3
