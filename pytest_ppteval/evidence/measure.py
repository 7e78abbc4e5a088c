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
    """A number that is known. at_least: the trace records no end of the run, so that it may have become more."""

    value: float
    at_least: bool = False


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
        return lacking or Measure(sum(part.value for part in known), any(part.at_least for part in known))
    if key in metrics:
        return Measure(metrics[key])
    why = "not in the run's metrics (metrics.json beside the output)"
    trace = run.trace
    if isinstance(trace, Lacking):
        return Lacking(why if trace.absent else f"{why}; {trace.reason}", trace.fault)
    value = _of_trace(key, trace)
    if value is None:
        return Lacking(f"{why} nor in its trace")
    return Measure(value, at_least=trace.status == "truncated")


def _of_trace(key: str, trace: Trace) -> float | None:
    usage = trace.total_usage
    match key:
        case "seconds":
            return trace.duration_s
        case "input_tokens":
            return usage.input_total if usage else None
        case "output_tokens":
            return usage.output if usage else None
        case "cost_usd":
            return trace.cost_usd
        case _:
            return len(trace.steps)
