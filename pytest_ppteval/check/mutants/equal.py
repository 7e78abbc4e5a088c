"""Decks that are only written otherwise: what other programs leave, and what nobody sees."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from lxml import etree

from pytest_ppteval.check.mutants.shapes import every
from pytest_ppteval.deck.xmlnames import A, P, R

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.check.mutants.shapes import Fault

_CREATION = "http://schemas.microsoft.com/office/drawing/2014/main"


def _saved_anew(_: Any) -> str:
    return "saved anew by python-pptx"


def _read(deck: Any) -> str:
    """Everything is asked for that python-pptx can be asked without its making anything up."""
    for slide in deck.slides:
        for shape in every(slide.shapes):
            _ = shape.left, shape.name, getattr(shape, "rotation", 0)
            for paragraph in shape.text_frame.paragraphs if shape.has_text_frame else ():
                _ = paragraph.alignment, paragraph.level, paragraph.font.size
                for run in paragraph.runs:
                    _ = run.font.size, run.font.bold, run.font.name, run.hyperlink.address
    return "read through with python-pptx"


def _marks(deck: Any) -> str:
    """PowerPoint's marks of spelling and language."""
    for slide in deck.slides:
        for properties in slide._element.iter(A + "rPr"):
            properties.set("dirty", "0")
            properties.set("err", "1")
        for paragraph in slide._element.iter(A + "p"):
            if paragraph.find(A + "endParaRPr") is None:
                etree.SubElement(paragraph, A + "endParaRPr").set("dirty", "0")
    return "with PowerPoint's spelling marks"


def _ids(deck: Any) -> str:
    """What PowerPoint puts down of who made a shape, and when a slide was last touched."""
    for number, slide in enumerate(deck.slides, 1):
        for name in slide._element.iter(P + "cNvPr"):
            if name.find(A + "extLst") is None and name.find(A + "hlinkClick") is None:
                etree.SubElement(name, A + "extLst").append(
                    etree.fromstring(
                        f'<a:ext xmlns:a="{A[1:-1]}" uri="{{FF2B5EF4-FFF2-40B4-BE49-F238E27FC236}}"><a16:creationId '
                        f'xmlns:a16="{_CREATION}" id="{{00000000-0008-0000-0000-0000{number:08d}}}"/></a:ext>'
                    )
                )
    return "with the marks of who made each shape"


def _split_runs(deck: Any) -> str:
    for slide in deck.slides:
        for run in list(slide._element.iter(A + "r")):
            text = run.find(A + "t")
            words = (text.text or "") if text is not None else ""
            if text is None or len(words) < 4 or run.find(f"{A}rPr/{A}hlinkClick") is not None:
                continue
            twin = copy.deepcopy(run)
            half = len(words) // 2
            text.text = words[:half]
            twin.find(A + "t").text = words[half:]
            run.addnext(twin)
    return "with runs cut in two"


def _said_again(deck: Any) -> str | None:
    """What is inherited said again: upright, not struck, at the baseline."""
    found = False
    for slide in deck.slides:
        for run in slide._element.iter(A + "r"):
            properties = run.find(A + "rPr")
            if properties is not None and properties.get("strike") is None and properties.get("baseline") is None:
                properties.set("strike", "noStrike")
                found = True
    return "with what holds anyway said again" if found else None


def _empty_properties(deck: Any) -> str:
    for slide in deck.slides:
        for paragraph in slide._element.iter(A + "p"):
            if paragraph.find(A + "pPr") is None:
                paragraph.insert(0, etree.Element(A + "pPr"))
    return "with empty properties"


def _attributes_turned(deck: Any) -> str:
    for slide in deck.slides:
        for element in slide._element.iter():
            if isinstance(element.tag, str) and len(element.attrib) > 1:
                items = list(element.attrib.items())
                element.attrib.clear()
                for name, value in reversed(items):
                    element.set(name, value)
    return "with attributes in another order"


def _relations_renamed(deck: Any) -> str:
    """Other ids of relations, and other names of parts."""
    for slide in deck.slides:
        rels = slide.part.rels._rels
        names = {rid: f"rId{100 + number}" for number, rid in enumerate(list(rels))}
        for element in slide._element.iter():
            for name, value in list(element.attrib.items()):
                if str(name).startswith(R) and value in names:
                    element.set(name, names[str(value)])
        for old, new in names.items():
            known = rels.pop(old)
            rels[new] = type(known)(known._base_uri, new, known._reltype, known._target_mode, known._target)
    return "with other ids of relations"


def _themed(deck: Any) -> str | None:
    """A colour by the theme's name where it is the theme's own RGB."""
    found = False
    for slide, colours in _theme_colours(deck):
        for element in slide._element.iter(A + "srgbClr"):
            name = colours.get(element.get("val", "").upper())
            if name is not None and not len(element):
                element.tag = A + "schemeClr"
                element.set("val", name)
                found = True
    return "with the theme's names for the same colours" if found else None


def _theme_colours(deck: Any) -> Iterator[tuple[Any, dict[str, str]]]:
    from pytest_ppteval.deck.parts import related

    for slide in deck.slides:
        theme = next(iter(related(slide.slide_layout.slide_master.part, "theme")), None)
        root = etree.fromstring(theme.blob) if theme is not None else None
        colours: dict[str, str] = {}
        for number in range(1, 7) if root is not None else ():
            for child in root.iterfind(f".//{A}accent{number}/{A}srgbClr"):  # type: ignore[union-attr]  # see above
                colours.setdefault(child.get("val", "").upper(), f"accent{number}")
        yield slide, colours


EQUAL: tuple[Fault, ...] = (
    ("equal", _saved_anew),
    ("equal", _read),
    ("equal", _marks),
    ("equal", _ids),
    ("equal", _split_runs),
    ("equal", _said_again),
    ("equal", _empty_properties),
    ("equal", _attributes_turned),
    ("equal", _relations_renamed),
    ("equal", _themed),
)
