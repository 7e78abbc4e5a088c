"""What is rounding and no difference: programs keep lengths in other units, and write back what that left of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_ppteval.look.model import Fill, Line

# How far values of a field may lie apart: EMU for lengths (LibreOffice counts in 360), points, shares.
_SLACK = {
    "size": 0.05, "spacing": 0.06, "line_spacing": 0.02, "line_points": 0.06, "space_before": 0.06, "space_after": 0.06,
    "margin": 1_000, "indent": 1_000, "insets": 1_000, "crop": 0.002, "alpha": 0.01, "widths": 1_000, "heights": 1_000,
    "baseline": 0.02, "rotation": 0.01,
}  # fmt: skip
_CHANNEL = 2  # of 255: a tint worked out once and written as a value
_WIDTH = 0.06  # points of a line


def near(name: str, one: object, other: object) -> bool:
    """Whether two values of the field `name` are the same but for rounding."""
    if one == other:
        return True
    slack = _SLACK.get(name)
    if slack is None:
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(near(name, a, b) for a, b in zip(one, other, strict=True))
    return isinstance(one, (int, float)) and isinstance(other, (int, float)) and abs(one - other) <= slack


def near_rgb(one: str, other: str) -> bool:
    """Whether two hex values can't be told apart."""
    return all(abs(int(one[i : i + 2], 16) - int(other[i : i + 2], 16)) <= _CHANNEL for i in (0, 2, 4))


def near_fill(one: Fill, other: Fill) -> bool:
    """Whether two fills are drawn alike."""
    return (
        one.kind == other.kind
        and one.picture == other.picture
        and one.details == other.details
        and len(one.colours) == len(other.colours)
        and all(
            near_rgb(a.rgb, b.rgb) and near("alpha", a.alpha, b.alpha)
            for a, b in zip(one.colours, other.colours, strict=True)
        )
    )


def near_line(one: Line | None, other: Line | None) -> bool:
    """Whether two outlines are drawn alike."""
    if one is None or other is None:
        return one is other
    same = one.dash == other.dash and one.ends == other.ends and abs(one.width - other.width) <= _WIDTH
    return same and near_fill(one.fill, other.fill)
