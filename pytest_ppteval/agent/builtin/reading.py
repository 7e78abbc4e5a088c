"""What a deck holds, as text for the model. Runs in the confined process only: the deck may be anything."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_ppteval.deck.guard import read_deck
from pytest_ppteval.deck.opening import open_deck, slide_parts
from pytest_ppteval.deck.xmlnames import MC, A, P

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_ppteval.deck.opening import SlidePart

_DEEPEST = 5
_EMU = 914_400
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def list_slides(deck: str) -> str:
    """One line a slide. Raises DeckRejected for what is no deck."""
    presentation = open_deck(read_deck(deck))
    width, height = presentation.slide_width or 0, presentation.slide_height or 0
    slides = [_slide(part) for part in slide_parts(presentation)]
    lines = [f"{len(slides)} slides of {width} x {height} EMU ({width / _EMU:.2f} x {height / _EMU:.2f} in)"]
    for number, slide in enumerate(slides, 1):
        title = next(
            (_text_of(shape.text_frame) for shape in slide.shapes if _placeholder(shape).startswith("title")), None
        )
        hidden = ", hidden" if slide._element.get("show") == "0" else ""
        shapes = "; ".join(f"{shape.name} ({_kind(shape)})" for shape in slide.shapes)
        lines.append(
            f"{number}. {json.dumps(title, ensure_ascii=False) if title else 'no title'}, "
            f"layout {slide.slide_layout.name}{hidden}: {shapes or 'no shapes'}"
        )
    return "\n".join(lines)


def read_slide(deck: str, number: int) -> str:
    """One line of JSON a shape. Raises DeckRejected, and LookupError where there is no such slide."""
    presentation = open_deck(read_deck(deck))
    slides = slide_parts(presentation)
    if not 1 <= number <= len(slides):
        raise LookupError(f"there is no slide {number}: the deck has {len(slides)}")
    slide = _slide(slides[number - 1])
    head = f"slide {number} of {len(slides)}, layout {slide.slide_layout.name}; lengths in EMU, 914400 to the inch"
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    said = json.dumps(notes.text, ensure_ascii=False) if notes is not None and notes.text.strip() else "none"
    lines = [json.dumps(shape, ensure_ascii=False) for shape in _shapes(slide.shapes)]
    return "\n".join([head, *(lines or ["no shapes"]), f"notes: {said}"])


def _slide(slide: SlidePart) -> Any:
    part: Any = slide.part  # a SlidePart of python-pptx, which has no types
    _unwrap(part.slide.shapes._spTree)
    return part.slide


def _unwrap(tree: Any) -> None:
    """Put in place of each mc:AlternateContent what PowerPoint shows of it: python-pptx passes over what is inside."""
    for choice in list(tree.iter(f"{MC}AlternateContent")):
        around = choice.getparent()
        if around.tag not in (f"{P}spTree", f"{P}grpSp"):
            continue
        branches = [list(branch) for branch in choice if branch.tag in (f"{MC}Choice", f"{MC}Fallback")]
        for shape in next((shapes for shapes in branches if shapes), []):
            choice.addprevious(shape)
        around.remove(choice)


def _said(paragraph: Any) -> str:
    """A paragraph's text; of one with an equation, its signs too, in their order."""
    element = paragraph._p
    if element.find(f".//{_MATH}t") is None:
        text: str = paragraph.text
        return text
    return "".join(one.text or "" for one in element.iter(f"{A}t", f"{_MATH}t"))


def _text_of(frame: Any) -> str:
    return "\n".join(_said(paragraph) for paragraph in frame.paragraphs)


def _shapes(shapes: Iterable[Any], depth: int = 0) -> list[dict[str, Any]]:
    return [_shape(shape, depth) for shape in shapes]


def _shape(shape: Any, depth: int) -> dict[str, Any]:
    facts: dict[str, Any] = {"id": shape.shape_id, "name": shape.name, "kind": _kind(shape)}
    for read in (_geometry, _text, _table, _chart, _picture):
        try:
            facts |= read(shape)
        except Exception as error:  # python-pptx raises what its innards happen to raise; the rest is still of use
            facts[read.__name__.strip("_")] = f"can't be read: {type(error).__name__}: {error}"[:200]
    if _kind(shape) == "group":
        facts["shapes"] = _shapes(shape.shapes, depth + 1) if depth < _DEEPEST else "too deep to show"
    return facts


def _placeholder(shape: Any) -> str:
    if not getattr(shape, "is_placeholder", False):
        return ""
    kind = shape.placeholder_format.type
    name = kind.name.lower() if kind is not None else "some"
    return {"center_title": "title", "vertical_title": "title"}.get(name, name) + " placeholder"


def _kind(shape: Any) -> str:
    try:
        if getattr(shape, "has_table", False):
            return "table"
        if getattr(shape, "has_chart", False):
            return "chart"
        named = _placeholder(shape)
        if not named and shape.shape_type is not None:
            named = shape.shape_type.name.lower().replace("_", " ")
    except Exception:  # as in _shape
        return "of unknown kind"
    return named or "of unknown kind"


def _geometry(shape: Any) -> dict[str, Any]:
    place = {name: getattr(shape, name) for name in ("left", "top", "width", "height")}
    facts: dict[str, Any] = {name: value for name, value in place.items() if value is not None}
    if getattr(shape, "rotation", 0):
        facts["rotation"] = shape.rotation
    return facts


def _text(shape: Any) -> dict[str, Any]:
    if not getattr(shape, "has_text_frame", False):
        return {}
    paragraphs = []
    for paragraph in shape.text_frame.paragraphs:
        facts: dict[str, Any] = {"text": _said(paragraph)}
        if paragraph.level:
            facts["level"] = paragraph.level
        sizes = {run.font.size.pt for run in paragraph.runs if run.font.size is not None}
        if sizes:
            facts["pt"] = sorted(sizes)
        if any(run.font.bold for run in paragraph.runs):
            facts["bold"] = True
        paragraphs.append(facts)
    return {"paragraphs": paragraphs} if any(p["text"] for p in paragraphs) else {"paragraphs": []}


def _table(shape: Any) -> dict[str, Any]:
    if not getattr(shape, "has_table", False):
        return {}
    return {"rows": [[cell.text for cell in row.cells] for row in shape.table.rows]}


def _chart(shape: Any) -> dict[str, Any]:
    if not getattr(shape, "has_chart", False):
        return {}
    chart = shape.chart
    plots = list(chart.plots)
    return {
        "chart": chart.chart_type.name.lower(),
        "title": chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else None,
        "categories": [str(category) for category in plots[0].categories] if plots else [],
        "series": {series.name: list(series.values) for plot in plots for series in plot.series},
    }


def _picture(shape: Any) -> dict[str, Any]:
    if _kind(shape) != "picture":
        return {}
    described = shape._element.nvPicPr.cNvPr.get("descr")
    return {"image": shape.image.content_type, **({"alt": described} if described else {})}
