"""Text of shapes and paragraphs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_ppteval.deck.xmlnames import A, text_of

if TYPE_CHECKING:
    from lxml import etree

_TEXT, _BREAK, _PARAGRAPH = A + "t", A + "br", A + "p"


def runs(element: etree._Element) -> list[str]:
    """The text of every run and field below `element`, in the order of the file."""
    return [text_of(found) for found in element.iter(_TEXT)]


def paragraph_text(paragraph: etree._Element) -> str:
    """A paragraph as one reads it: runs joined, a line break as a newline."""
    return "".join("\n" if found.tag == _BREAK else text_of(found) for found in paragraph.iter(_TEXT, _BREAK))


def paragraphs(element: etree._Element) -> list[str]:
    """The text of each paragraph below `element`."""
    return [paragraph_text(found) for found in element.iter(_PARAGRAPH)]


def collapse(text: str) -> str | None:
    """Spaces and tabs collapsed to one space, stripped; None when nothing is left."""
    return re.sub(r"[ \t]+", " ", text).strip() or None
