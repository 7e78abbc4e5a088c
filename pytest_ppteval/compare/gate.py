"""Whether a run may take the place of another: what a build fails by."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.compare.differ import Comparison

_SHOWN = 3
# Floats are added up in some order.
_SAME = 1e-9


def refusals(comparison: Comparison, max_drop: float | None) -> Iterator[str]:
    """Why not, a line each. Critical leaves count always; the rest where `max_drop` is given, 0..1.

    What is open is no evidence that nothing got worse: then it must be small enough whatever the open ones come to.
    """
    critical = comparison.critical
    if critical:
        names = ", ".join(f"{leaf.id} of {task.name}" for task, leaf in critical[:_SHOWN])
        more = f" and {len(critical) - _SHOWN} more" if len(critical) > _SHOWN else ""
        yield f"critical checks that held and hold no more: {names}{more}"
    if max_drop is None:
        return
    gone = comparison.of_kind("gone")
    if gone:
        names = ", ".join(task.name for task in gone[:_SHOWN])
        more = f" and {len(gone) - _SHOWN} more" if len(gone) > _SHOWN else ""
        yield f"tasks of {comparison.old.name} that {comparison.new.name} has no verdict on: {names}{more}"
    if comparison.drop is None:
        yield "no task is in both runs, so that nothing says how far the score fell"
        return
    least, most = comparison.drop
    if least > max_drop + _SAME:
        yield f"the mean score fell by {least:.3f}, more than {max_drop:g}"
    elif most > max_drop + _SAME:
        yield (
            f"the mean score may have fallen by up to {most:.3f}, more than {max_drop:g}: unscored checks leave it open"
        )
