"""What a run took, in numbers: from its metrics, and what they don't say, from its trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.evidence.run import Run
    from pytest_ppteval.trace.model import Trace


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that is known. lacks: why it may have become more than that, "" where it is the whole number."""

    value: float
    lacks: str = ""

    @property
    def at_least(self) -> bool:
        """Whether it may have become more."""
        return bool(self.lacks)


# What a run may take. More is a mistake of whoever wrote it down, and no number can be shown of it.
_MOST = 1e15


def measure(key: str, metrics: Mapping[str, float], problem: str | None, run: Run) -> Measure | Lacking:
    """The run's seconds, input_tokens, output_tokens, tokens (both), cost_usd or tool_calls.

    metrics: of the run's metrics.json; `problem` says why that can't be used.
    """
    if problem is not None:
        return Lacking(problem)
    if key == "tokens":
        parts = [measure(part, metrics, problem, run) for part in ("input_tokens", "output_tokens")]
        known = [part for part in parts if isinstance(part, Measure)]
        lacking = next((part for part in parts if isinstance(part, Lacking)), None)
        return lacking or Measure(
            sum(part.value for part in known), next((part.lacks for part in known if part.lacks), "")
        )
    if key in metrics:
        return _possible(key, metrics[key], "", "the run's metrics")
    why = "not in the run's metrics (metrics.json beside the output)"
    trace = run.trace
    if isinstance(trace, Lacking):
        return Lacking(why if trace.absent else f"{why}; {trace.reason}", trace.fault)
    value = _of_trace(key, trace)
    if value is None:
        return Lacking(f"{why} nor in its trace")
    return _possible(key, value, (trace.calls_unknown if key == "tool_calls" else trace.parts_lost) or "", "its trace")


def _possible(key: str, value: float, lacks: str, where: str) -> Measure | Lacking:
    if 0 <= value <= _MOST:  # which no NaN is
        return Measure(value, lacks)
    shown = "below 0" if value < 0 else "no finite number of 15 digits at most"
    return Lacking(f"{key} is {shown} in {where}, which can't be")


def _of_trace(key: str, trace: Trace) -> float | None:
    usage = trace.total_usage
    match key:
        case "seconds":
            return trace.duration_s
        case "input_tokens":
            return _total(usage.input_total, [one.input_total for one in trace.usage.values()]) if usage else None
        case "output_tokens":
            return _total(usage.output, [one.output for one in trace.usage.values()]) if usage else None
        case "cost_usd":
            return trace.cost_usd
        case _:
            return len(trace.steps)


def _total(total: int | None, parts: list[int | None]) -> int | None:
    """The sum over all models. A part below 0 would hide what the others took: it is the result, to be refused."""
    return next((part for part in parts if part is not None and part < 0), total)
