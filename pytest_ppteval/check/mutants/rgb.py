"""Colours, as python-pptx takes them."""

from __future__ import annotations

from typing import Any

from pptx.dml.color import RGBColor


def of_rgb(text: str) -> Any:
    """The colour of six hexadecimal digits."""
    return RGBColor.from_string(text)  # type: ignore[no-untyped-call]
