"""The XML names that decks use, and a parser for parts that python-pptx leaves as bytes."""

from __future__ import annotations

from lxml import etree

from pytest_ppteval.deck.encoding import utf_16_text

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
P14 = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"
OFFICE_VML = "{urn:schemas-microsoft-com:office:office}"


def local_name(element: etree._Element) -> str:
    """The name without its namespace; "" for a comment or processing instruction."""
    tag: object = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


# python-pptx gives some elements (a:p, a:r) a `text` of their own that is not the element's text.
_LXML_TEXT = vars(etree._Element)["text"]


def text_of(element: etree._Element) -> str:
    """The text between the start of the element and its first child, whatever class the element has."""
    text: str | None = _LXML_TEXT.__get__(element)
    return text or ""


def attributes(element: etree._Element) -> list[tuple[str, str]]:
    """Names and values, sorted."""
    return sorted(element.items())  # type: ignore[arg-type]  # the stubs of lxml allow bytes, which lxml never gives


def parse_blob(blob: bytes) -> etree._Element | None:
    """The root element of `blob`, or None where it is not XML that is safe to parse (lxml's own limits stay on)."""
    text = utf_16_text(blob)
    looked_at = blob if text is None else text.encode()
    if b"\0" in looked_at[:4] or b"<!DOCTYPE" in looked_at or b"<!ENTITY" in looked_at:
        return None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(blob, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
