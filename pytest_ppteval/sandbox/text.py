"""Untrusted text made fit to show, and sizes for people. Pure."""

from __future__ import annotations

from pytest_ppteval.prose.shown import clean, one_line

__all__ = ["clean", "one_line", "size"]


def size(count: int) -> str:
    """A number of bytes for people: "2 GiB"."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << shift:
            return f"{count / (1 << shift):g} {unit}"
    return f"{count} bytes"
