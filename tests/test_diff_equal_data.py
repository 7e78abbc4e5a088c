"""Two programs that write the same deck differently give the same diff: what counts is the data, not the bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from deck_edits import counts, deck_bytes, diff_bytes, edited, only_modified, rezipped
from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Callable

    from pptx.presentation import Presentation

P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def each_xml(change: Callable[[str, bytes], bytes], pattern: str) -> Callable[[bytes], bytes]:
    def rewrite(data: bytes) -> bytes:
        def parts_changed(parts: dict[str, bytes]) -> None:
            hits = [name for name in parts if re.search(pattern, name)]
            assert hits
            for name in hits:
                parts[name] = change(name, parts[name])

        changed = rezipped(data, parts_changed)
        assert changed != data
        return changed

    return rewrite


XML_PARTS = r"^ppt/(slides|slideLayouts|slideMasters|notesSlides|charts|theme)/[^/]*\.xml$"


def _attributes_reversed(_name: str, content: bytes) -> bytes:
    top = etree.fromstring(content)
    for element in top.iter("{*}*"):
        pairs = list(element.attrib.items())
        element.attrib.clear()
        for key, value in reversed(pairs):
            element.set(str(key), str(value))
    return etree.tostring(top)


def _indented(_name: str, content: bytes) -> bytes:
    """Whitespace between elements; none within the text of a run."""
    top = etree.fromstring(content)
    etree.indent(top, space="\t")
    return etree.tostring(top)


def _prefixes_renamed(_name: str, content: bytes) -> bytes:
    for uri, prefix in ((P, "p"), (A, "a")):
        text = content.decode("utf-8")
        if f'xmlns:{prefix}="{uri}"' in text:
            text = text.replace(f"xmlns:{prefix}=", f"xmlns:{prefix}{prefix}x=")
            text = re.sub(rf"<(/?){prefix}:", rf"<\1{prefix}{prefix}x:", text)
            content = text.encode("utf-8")
    return content


def _comments_inserted(_name: str, content: bytes) -> bytes:
    top = etree.fromstring(content)
    for index, element in enumerate(list(top)):
        top.insert(2 * index, etree.Comment("written by another program"))
        assert element.getparent() is top
    return etree.tostring(top)


@pytest.mark.parametrize("name", ["comments", "dense", "fly_in", "groups", "languages", "shapes"])
@pytest.mark.parametrize(
    "way", [_attributes_reversed, _indented, _prefixes_renamed, _comments_inserted], ids=lambda way: way.__name__[1:]
)
def test_xml_written_another_way_is_no_difference(name: str, way: Callable[[str, bytes], bytes]) -> None:
    data = deck_bytes(name)
    assert counts(diff_bytes(data, each_xml(way, XML_PARTS)(data))) == {}


def _renumber(_name: str, content: bytes) -> bytes:
    return re.sub(rb'"rId(\d+)"', lambda match: b'"rId' + str(900 - int(match[1])).encode() + b'"', content)


@pytest.mark.parametrize("name", ["dense", "groups", "shapes", "comments"])
def test_relationship_ids_numbered_anew_are_no_difference(name: str) -> None:
    """The ids differ in the slides' XML and in their lists of relationships; what they lead to is the same."""
    data = deck_bytes(name)
    renumbered = each_xml(_renumber, r"^ppt/(slides/|slideMasters/)?(_rels/)?[^/]*\.xml(\.rels)?$")(data)
    assert counts(diff_bytes(data, renumbered)) == {}


def test_two_relationship_ids_exchanged_are_a_difference() -> None:
    """The XML is the same to the byte; what is shown is not."""
    data = deck_bytes("shapes")

    def exchange(parts: dict[str, bytes]) -> None:
        name = "ppt/slides/_rels/slide5.xml.rels"
        found = re.findall(rb'Id="(rId\d+)"[^>]*hyperlink"', parts[name]) or re.findall(
            rb'hyperlink"[^>]*Id="(rId\d+)"', parts[name]
        )
        targets = re.findall(rb'(Target="[^"]*" TargetMode="External")', parts[name])
        assert len(found) >= 1
        assert targets
        parts[name] = parts[name].replace(targets[0], b'Target="http://example.org/other" TargetMode="External"')

    assert only_modified(diff_bytes(data, rezipped(data, exchange))) == {"260": ["content"]}


def test_names_of_parts_are_no_difference() -> None:
    """Slide parts in the order of another program: slide1.xml is slide3.xml, and the deck is the same."""
    data = deck_bytes("comments")

    def rename(parts: dict[str, bytes]) -> None:
        moved = {}
        for name in list(parts):
            if re.match(r"ppt/slides/(_rels/)?slide\d\.xml", name):
                moved[re.sub(r"slide(\d)\.", r"slide7\1.", name)] = parts.pop(name)
        parts.update(moved)
        for name in ("[Content_Types].xml", "ppt/_rels/presentation.xml.rels"):
            parts[name] = re.sub(rb"slides/slide(\d)\.", rb"slides/slide7\1.", parts[name])

    assert counts(diff_bytes(data, rezipped(data, rename))) == {}


def test_the_same_edit_written_by_two_programs_gives_the_same_diff() -> None:
    """python-pptx edits the text; another program makes the same edit in the XML, indented and with other prefixes."""
    data = deck_bytes("comments")

    def by_library(deck: Presentation) -> None:
        deck.slides[1].shapes[0].text_frame.text = "A new start"

    def by_hand(name: str, content: bytes) -> bytes:
        assert b"<a:t>Start</a:t>" in content
        return _prefixes_renamed(name, _indented(name, content.replace(b"<a:t>Start</a:t>", b"<a:t>A new start</a:t>")))

    one = diff_bytes(data, edited(data, by_library))
    other = diff_bytes(data, each_xml(by_hand, r"^ppt/slides/slide2\.xml$")(data))
    assert only_modified(one) == {"257": ["content"]}
    # python-pptx writes the run anew, without the language that was there: the title and the diff's shape are the same
    assert [after.title for _, after in one.modified_slides] == [after.title for _, after in other.modified_slides]
    assert counts(one) == counts(other)


def test_whitespace_within_text_is_a_difference() -> None:
    data = deck_bytes("comments")

    def wider(_name: str, content: bytes) -> bytes:
        assert b"<a:t>Start</a:t>" in content
        return content.replace(b"<a:t>Start</a:t>", b"<a:t>Start </a:t>")

    assert only_modified(diff_bytes(data, each_xml(wider, r"^ppt/slides/slide2\.xml$")(data))) == {"257": ["content"]}
