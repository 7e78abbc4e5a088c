"""From the scores of children to the score of their parent: PPT-Eval's two strategies, and exact bounds on both.

Sums run left to right in child order, so that results equal the reference engine's (ai-rubric 0.2.5) to 1e-12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.choices import NON_CRITICAL_WEIGHT, Strategy

if TYPE_CHECKING:
    from collections.abc import Sequence


def _mean(values: Sequence[float]) -> float:
    # Not sum(): from Python 3.12 it compensates rounding, and the last digit would depend on the interpreter.
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def aggregate(
    scores: Sequence[float],
    critical: Sequence[bool],
    strategy: Strategy = "default",
    non_critical_weight: float = NON_CRITICAL_WEIGHT,
) -> float:
    """The score of a parent whose children have `scores`, of which those marked in `critical` are critical.

    default: with children of both kinds max(0, mean(critical) - weight * (1 - mean(non-critical))), else the mean.
    mind2web2: a critical child at 0 gives 0; all critical at 1 give the mean of the others (1 if there are none);
    otherwise the mean of all.
    """
    must = [score for score, is_critical in zip(scores, critical, strict=True) if is_critical]
    other = [score for score, is_critical in zip(scores, critical, strict=True) if not is_critical]
    if strategy == "mind2web2" and must:
        if any(score == 0 for score in must):
            return 0.0
        if all(score == 1 for score in must):
            return _mean(other) if other else 1.0
        return _mean(scores)
    if must and other and strategy == "default":
        return max(0.0, _mean(must) - non_critical_weight * (1 - _mean(other)))
    return _mean(scores)


def bounds(
    ranges: Sequence[tuple[float, float]],
    critical: Sequence[bool],
    strategy: Strategy = "default",
    non_critical_weight: float = NON_CRITICAL_WEIGHT,
) -> tuple[float, float]:
    """The lowest and highest score of a parent whose children's scores lie in `ranges`.

    The default strategy rises with each child, so that these are its values at all-lowest and all-highest: unscored
    leaves taken as 0, then as 1. mind2web2 does not: a critical child that goes from 0.99 to 1 can LOWER the parent
    (the non-critical mean takes over), so its bounds are those of every case that the ranges allow.
    """
    lows = [low for low, _ in ranges]
    highs = [high for _, high in ranges]
    ends = [
        aggregate(lows, critical, strategy, non_critical_weight),
        aggregate(highs, critical, strategy, non_critical_weight),
    ]
    if strategy == "mind2web2":
        must = [r for r, is_critical in zip(ranges, critical, strict=True) if is_critical]
        other = [r for r, is_critical in zip(ranges, critical, strict=True) if not is_critical]
        if must and all(high > 0 for _, high in must):
            if all(high == 1 for _, high in must) and other:
                ends += [_mean([low for low, _ in other]), _mean([high for _, high in other])]
            if any(low < high for low, high in must):
                # Some critical child may lie strictly between: then the plain mean rules.
                ends += [_mean(lows), _mean(highs)]
    return min(ends), max(ends)
