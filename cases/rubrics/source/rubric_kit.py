"""How a source module says its tree; nothing of this goes into a rubric."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

Leaf = tuple["Callable[[], tuple[str, float]]", str, bool]
Group = tuple[str, str, bool, list[Leaf]]


def leaf(function: Callable[[], tuple[str, float]], name: str, *, critical: bool = False) -> Leaf:
    """A leaf; its description is the function's docstring."""
    return function, name, critical


def group(name: str, description: str, *leaves: Leaf, critical: bool = False) -> Group:
    """A group of leaves."""
    return name, description, critical, list(leaves)
