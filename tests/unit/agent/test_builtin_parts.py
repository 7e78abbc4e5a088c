"""Small parts of the built-in agent: what is kept of printed text, of a conversation with many pictures, of a deck."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.agent.builtin import disk as disk_module
from pytest_ppteval.agent.builtin import reading
from pytest_ppteval.agent.builtin.confined import Limits
from pytest_ppteval.agent.builtin.disk import Disk
from pytest_ppteval.agent.builtin.journal import Journal
from pytest_ppteval.agent.builtin.model import _sent
from pytest_ppteval.agent.builtin.printed import Printed
from pytest_ppteval.deck.limits import DeckRejected

Json = dict[str, Any]
REFUSED = ("strict.pptx", "template.potx")  # python-pptx can't open them
DECKS = sorted((Path(__file__).parents[2] / "data" / "decks").glob("*.p*"))


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_printed_text_keeps_its_beginning_and_its_end(size: int) -> None:
    text = "".join(f"{number:06}\n" for number in range(100_000)).encode()
    printed = Printed(3000)
    for start in range(0, len(text), size):
        printed.add(text[start : start + size])
    head, note, tail = printed.text().partition("\n[... 697,000 bytes are left out here ...]\n")
    assert note
    assert (head, tail) == (text[:2000].decode(), text[-1000:].decode())
    assert printed.over(699_999)
    assert not printed.over(700_000)


def test_what_fits_is_whole_even_where_a_letter_lies_on_the_seam() -> None:
    printed = Printed(30)
    printed.add("é".encode() * 15)  # the head takes 20 bytes
    assert printed.text() == "é" * 15
    odd = Printed(29)
    odd.add("é".encode() * 14)
    assert odd.text() == "é" * 14


def _seen(number: int) -> Json:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    words = {"type": "text", "text": f"slide {number}"}
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": str(number), "content": [words, picture]}],
    }


@pytest.mark.parametrize(("count", "first"), [(1, 0), (20, 0), (39, 0), (40, 20), (59, 20), (60, 40), (100, 80)])
def test_the_oldest_of_many_pictures_are_left_out(count: int, first: int) -> None:
    """Many at a time: the part before stays the same from turn to turn, as a cache of it needs."""
    messages = [_seen(number) for number in range(count)]
    sent = _sent(messages)
    shown = [len(message["content"][0]["content"][1]["type"]) == len("image") for message in sent]
    assert shown == [number >= first for number in range(count)]
    assert [message["content"][0]["content"][0] for message in sent] == [
        message["content"][0]["content"][0] for message in messages
    ]
    assert messages == [_seen(number) for number in range(count)]  # the conversation itself is as it was


def test_the_workspace_may_hold_much_but_code_may_not_add_to_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_module, "_EVERY", 0.0)
    limits = Limits(disk=1 << 20, files=10)
    (tmp_path / "large").write_bytes(bytes([1]) * (2 << 20))
    disk = Disk([tmp_path], limits.disk, limits.files)
    assert disk.exceeded() == ""
    (tmp_path / "more").write_bytes(bytes([1]) * (1 << 20))
    assert disk.exceeded() == "stopped: more than 2 MiB in the workspace"
    os.unlink(tmp_path / "large")
    assert disk.exceeded() == ""
    for number in range(20):
        (tmp_path / f"{number}").touch()
    assert disk.exceeded().startswith("stopped: more than 10 files in the workspace")


def test_the_trace_is_replaced_as_a_whole_and_holds_no_secret(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    journal = Journal(trace, tmp_path / "response.md", ["s3cret-key", "x", ""])
    journal.asked({"role": "user", "content": "Go."})
    assert not trace.exists()  # nothing has happened yet
    journal.answered({"role": "assistant", "content": "s3cret-key or x \ud800"}, "system")
    assert "[secret] or x" in trace.read_text("utf-8")
    journal.respond("s3cret-key")
    assert (tmp_path / "response.md").read_text("utf-8") == "[secret]\n"
    assert sorted(os.listdir(tmp_path)) == ["response.md", "trace.json"]


@pytest.mark.parametrize("deck", DECKS, ids=[deck.name for deck in DECKS])
def test_every_slide_of_a_deck_is_read(deck: Path) -> None:
    if deck.name in REFUSED:
        with pytest.raises(DeckRejected):
            reading.list_slides(str(deck))
        return
    listed = reading.list_slides(str(deck)).splitlines()
    assert listed[0].startswith(f"{len(listed) - 1} slides of ")
    for number in range(1, len(listed)):
        assert "can't be read" not in reading.read_slide(str(deck), number)
    with pytest.raises(LookupError, match=f"there is no slide {len(listed)}: the deck has {len(listed) - 1}"):
        reading.read_slide(str(deck), len(listed))


def test_tables_charts_groups_pictures_and_notes_are_told() -> None:
    deck = str(Path(__file__).parents[3] / "cases" / "decks" / "ferry_review.pptx")
    slides = "\n".join(reading.read_slide(deck, number) for number in range(1, 19))
    for part in ('"rows": [[', '"series": {', '"shapes": [{', '"alt": "Drawing of a red and white lighthouse"'):
        assert part in slides
    assert any(line.startswith('notes: "') for line in slides.splitlines())


ALTERNATIVES = "http://schemas.openxmlformats.org/markup-compatibility/2006"
EQUATION = (
    '<a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">'
    "<m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath></a14:m>"
)


def test_shapes_in_alternate_content_are_listed(tmp_path: Path) -> None:
    """What PowerPoint shows of them, the choice: a title with an equation, a text box, one in a group."""
    from lxml import etree
    from pptx import Presentation
    from pptx.util import Inches

    deck: Any = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Energy is "
    slide.shapes.title.text_frame.paragraphs[0]._p.append(etree.fromstring(EQUATION))
    group = slide.shapes.add_group_shape()
    boxes = [shapes.add_textbox(Inches(1), Inches(2), Inches(3), Inches(1)) for shapes in (slide.shapes, group.shapes)]
    for box, name in zip(boxes, ("Outside", "Inside"), strict=True):
        box.name = name
        box.text_frame.text = f"{name.lower()} text"
    for shape in (slide.shapes.title, *boxes):
        element = shape._element
        whole = etree.Element(f"{{{ALTERNATIVES}}}AlternateContent", nsmap={"mc": ALTERNATIVES})
        element.addprevious(whole)
        choice = etree.SubElement(whole, f"{{{ALTERNATIVES}}}Choice", Requires="a14")
        fallback = etree.SubElement(whole, f"{{{ALTERNATIVES}}}Fallback")
        fallback.append(etree.fromstring(etree.tostring(element).replace(b"Energy", b"Never shown")))
        choice.append(element)
    deck.save(str(tmp_path / "a.pptx"))
    listed = reading.list_slides(str(tmp_path / "a.pptx"))
    assert '1. "Energy is E=mc", layout Title Only: ' in listed
    assert listed.count("Outside (") == 1
    read = reading.read_slide(str(tmp_path / "a.pptx"), 1)
    assert "Energy is E=mc" in read
    assert read.count("outside text") == 1
    assert read.count("inside text") == 1
    assert "Never shown" not in read
