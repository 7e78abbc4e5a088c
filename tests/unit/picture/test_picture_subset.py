"""Decks cut down to some of their slides: whatever their parts and relations are called, nothing leads nowhere."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from lxml import etree
from pptx import Presentation
from pptx.util import Inches

from pytest_ppteval.picture.keys import slide_keys
from pytest_ppteval.picture.package import Package, relations_part
from pytest_ppteval.picture.subset import subset

Parts = dict[str, bytes]


def three_slides() -> Any:
    deck = Presentation()
    for number in (1, 2, 3):
        deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = f"Slide {number}"
    return deck


def saved(deck: Any) -> bytes:
    stream = BytesIO()
    deck.save(stream)
    return stream.getvalue()


def edited(data: bytes, change: Callable[[Parts], None]) -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    result = BytesIO()
    with zipfile.ZipFile(result, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return result.getvalue()


def swap(parts: Parts, name: str, *pairs: tuple[str, str]) -> None:
    text = parts[name].decode()
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    parts[name] = text.encode()


def relate(parts: Parts, name: str, own: str, kind: str, target: str) -> None:
    kind = kind if ":" in kind else f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"
    swap(
        parts, name, ("</Relationships>", f'<Relationship Id="{own}" Type="{kind}" Target="{target}"/></Relationships>')
    )


LINK = (
    '<a:hlinkClick xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rIdLink"'
    ' action="ppaction://hlinksldjump"/>'
)
MAIN = "ppt/_rels/presentation.xml.rels"


def ids_of_both_levels_clash(parts: Parts) -> None:
    for number, own in enumerate(re.findall(rb'Id="(\w+)"', parts[MAIN])):
        parts["_rels/.rels"] = re.sub(rb'Id="rId%d"' % (number + 1), b'Id="%s"' % own, parts["_rels/.rels"])


def targets_are_absolute(parts: Parts) -> None:
    swap(
        parts,
        MAIN,
        ('Target="slides/', 'Target="/ppt/slides/'),
        ('Target="slideMasters/', 'Target="/ppt/slideMasters/'),
    )


def slides_have_names_of_their_own(parts: Parts) -> None:
    for number, name in ((1, "intro of it"), (2, "slide7"), (3, "slide1")):
        escaped = name.replace(" ", "%20")
        parts[f"ppt/slides/new/{name}.xml"] = parts.pop(f"ppt/slides/slide{number}.xml")
        moved = parts.pop(f"ppt/slides/_rels/slide{number}.xml.rels").replace(b"../", b"../../")
        parts[f"ppt/slides/new/_rels/{name}.xml.rels"] = moved
        swap(parts, MAIN, (f'"slides/slide{number}.xml"', f'"slides/new/{escaped}.xml"'))
        swap(parts, "[Content_Types].xml", (f'"/ppt/slides/slide{number}.xml"', f'"/ppt/slides/new/{escaped}.xml"'))


def slides_link_to_each_other(parts: Parts) -> None:
    for number, other in ((1, 3), (2, 1), (3, 2)):
        relate(parts, f"ppt/slides/_rels/slide{number}.xml.rels", "rIdLink", "slide", f"slide{other}.xml")
        swap(parts, f"ppt/slides/slide{number}.xml", ("<a:t>", f"<a:rPr>{LINK}</a:rPr><a:t>"))


def views_and_shows_name_slides(parts: Parts) -> None:
    relate(parts, "ppt/_rels/presentation.xml.rels", "rIdCustom", "customXml", "../customXml/item1.xml")
    parts["customXml/item1.xml"] = b"<about/>"
    parts["ppt/_rels/viewProps.xml.rels"] = parts["_rels/.rels"].replace(b"ppt/presentation.xml", b"slides/slide2.xml")
    slides = re.findall(rb'<p:sldId [^>]*r:id="(\w+)"', parts["ppt/presentation.xml"])
    shows = b"".join(b'<p:sld r:id="%s"/>' % own for own in slides)
    parts["ppt/presentation.xml"] = parts["ppt/presentation.xml"].replace(
        b"<p:defaultTextStyle>",
        b'<p:custShowLst><p:custShow name="Short" id="0"><p:sldLst>%s</p:sldLst></p:custShow></p:custShowLst>'
        b"<p:defaultTextStyle>" % shows,
    )


def properties_are_missing(parts: Parts) -> None:
    relate(parts, "_rels/.rels", "rIdGone", "custom-properties", "docProps/custom.xml")
    relate(parts, "_rels/.rels", "rIdSigned",
           "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin",
           "_xmlsignatures/origin.sigs")  # fmt: skip
    parts["_xmlsignatures/origin.sigs"] = b""


def nothing(parts: Parts) -> None:
    pass


@pytest.mark.parametrize("numbers", [[1], [2], [3], [1, 3], [2, 3], [1, 2, 3]])
@pytest.mark.parametrize("after_blank", [False, True])
@pytest.mark.parametrize(
    "change",
    [nothing, ids_of_both_levels_clash, targets_are_absolute, slides_have_names_of_their_own, slides_link_to_each_other,
     views_and_shows_name_slides, properties_are_missing],
)  # fmt: skip
def test_every_package_is_cut_to_a_whole_package(
    change: Callable[[Parts], None], after_blank: bool, numbers: list[int]
) -> None:
    cut = subset(Package(edited(saved(three_slides()), change)), numbers, after_blank=after_blank)
    package = Package(cut)
    for part in ("", *package.names):
        for relation in package.relations(part):
            assert relation.external or relation.target in package.names, (part, relation)
        if part and not part.endswith(".rels") and relations_part(part) in package.names and part.endswith(".xml"):
            named = set(re.findall(rb'r:(?:id|embed|link)="([^"]+)"', package.read(part)))
            assert named <= {relation.id.encode() for relation in package.relations(part)}, part
    parts = {entry.part for entry in package.slides}
    assert parts == {f"{entry.part.rpartition('/')[0]}/slide{n}.xml" for n, entry in enumerate(package.slides, 1)}
    assert not [name for name in package.names if re.search(r"slides/.*\.xml$", name) and name not in parts]
    titles = [slide.shapes.title.text for slide in list(Presentation(BytesIO(cut)).slides)[int(after_blank) :]]
    assert titles == [f"Slide {number}" for number in numbers]


def with_field(kind: str) -> Any:
    """Three slides; a text box of the second has a field, whose saved text is "saved"."""
    deck = three_slides()
    box: Any = deck.slides[1].shapes.add_textbox(Inches(1), Inches(2), Inches(3), Inches(1))
    paragraph = box.text_frame.paragraphs[0]._p
    name = f"{{{paragraph.nsmap['a']}}}"
    field = etree.SubElement(paragraph, f"{name}fld", id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}", type=kind)
    etree.SubElement(field, f"{name}t").text = "saved"
    return deck


@pytest.mark.parametrize(
    ("kind", "text"),
    [("slidenum", "2"), ("slidecount", "3"), ("SlideCount", "3"), ("datetime1", "saved"), ("file", "saved"),
     ("slidename", "saved"), ("author", "saved")],
)  # fmt: skip
def test_fields_show_what_they_show_in_the_whole_deck(kind: str, text: str) -> None:
    cut = Presentation(BytesIO(subset(Package(saved(with_field(kind))), [2])))
    assert [shape.text_frame.text for shape in cut.slides[0].shapes] == ["Slide 2", text]


@pytest.mark.parametrize(("kind", "changes"), [("slidecount", [False, True, False]), ("datetime1", [False] * 3)])
def test_a_count_of_slides_that_is_drawn_is_part_of_the_key(kind: str, changes: list[bool]) -> None:
    deck = with_field(kind)
    before = slide_keys(Package(saved(deck)))
    deck.slides.add_slide(deck.slide_layouts[5])
    after = slide_keys(Package(saved(deck)))
    assert [a != b for a, b in zip(before, after[:3], strict=True)] == changes
