"""What is judged about an agent: five dimensions with their weight, and four scenarios in which it is tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Dimension = Literal["correctness", "process", "efficiency", "robustness", "experience"]
Priority = Literal["P0", "P1", "P2"]
Scenario = Literal["trigger", "core", "artifact", "robustness"]
Polarity = Literal["positive", "negative"]

DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
SCENARIOS: tuple[Scenario, ...] = get_args(Scenario)
PRIORITIES: dict[Dimension, Priority] = {
    "correctness": "P0",
    "process": "P1",
    "efficiency": "P1",
    "robustness": "P0",
    "experience": "P2",
}
# What a dimension asks, as its group in a tree is described.
MEANINGS: dict[Dimension, str] = {
    "correctness": "the result, the task's completion, instructions, use of tools",
    "process": "reasoning, steps, completeness of information, use of context",
    "efficiency": "tokens, tool calls, time, retries",
    "robustness": "consistency, recovery, adversarial input, invention, overreach, compliance",
    "experience": "tone, clarity, asking when unsure, empathy",
}


@dataclass(frozen=True, slots=True)
class Tried:
    """What one case of a suite is about. dimensions: of its leaves."""

    suite: str
    scenario: str | None
    polarity: str | None
    dimensions: frozenset[str]


def gaps(cases: list[Tried]) -> list[str]:
    """What these cases of one suite leave out, in words: "scenario trigger (negative)", "dimension experience"."""
    found = [f"scenario {scenario}" for scenario in SCENARIOS if not any(case.scenario == scenario for case in cases)]
    # A skill that is never wrongly asked for may be one that always answers: triggering needs both sides.
    sides = {case.polarity or "positive" for case in cases if case.scenario == "trigger"}
    found += [f"scenario trigger ({side})" for side in ("positive", "negative") if sides and side not in sides]
    tried = frozenset[str]().union(*(case.dimensions for case in cases))
    return found + [f"dimension {dimension}" for dimension in DIMENSIONS if dimension not in tried]
