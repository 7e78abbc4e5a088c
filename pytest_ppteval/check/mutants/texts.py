"""Faults of text: how it looks, and what it says. Each takes a slide and says what it did, or None if it can't."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lxml import etree
from pptx.util import Pt

from pytest_ppteval.check.mutants.rgb import of_rgb
from pytest_ppteval.check.mutants.shapes import every, is_furniture
from pytest_ppteval.deck.xmlnames import A

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_ppteval.check.mutants.shapes import Fault

_BEFORE_COLOUR = ("ln",)


def runs(slide: Any, *, titles: bool = True) -> Iterator[Any]:
    """The runs of a slide's shapes and tables that say something, in python-pptx's words."""
    for paragraph in paragraphs(slide, titles=titles):
        yield from (run for run in paragraph.runs if run.text.strip())


def paragraphs(slide: Any, *, titles: bool = True) -> Iterator[Any]:
    """The paragraphs of a slide's shapes and tables."""
    for shape in every(slide.shapes):
        if is_furniture(shape) or (not titles and shape == slide.shapes.title):
            continue
        if shape.has_text_frame:
            yield from shape.text_frame.paragraphs
        elif getattr(shape, "has_table", False):
            for row in shape.table.rows:
                for cell in row.cells:
                    yield from cell.text_frame.paragraphs


def _each_run(change: Callable[[Any], None], says: str) -> Callable[[Any], str | None]:
    def fault(slide: Any) -> str | None:
        found = list(runs(slide))
        for run in found:
            change(run)
        return says if found else None

    return fault


def _each_paragraph(change: Callable[[Any], bool | None], says: str) -> Callable[[Any], str | None]:
    def fault(slide: Any) -> str | None:
        found = [one for one in paragraphs(slide, titles=False) if one.text.strip()]
        return says if [one for one in found if change(one) is not False] else None

    return fault


def _size(points: float) -> Callable[[Any], None]:
    def change(run: Any) -> None:
        run.font.size = Pt(points)

    return change


def _font(name: str) -> Callable[[Any], None]:
    def change(run: Any) -> None:
        run.font.name = name

    return change


def _colour(rgb: str) -> Callable[[Any], None]:
    def change(run: Any) -> None:
        run.font.color.rgb = of_rgb(rgb)

    return change


def _flag(name: str, value: object = None) -> Callable[[Any], None]:
    """An attribute of the run's properties: the other state of what it says itself, or `value`."""

    def change(run: Any) -> None:
        properties = run._r.get_or_add_rPr()
        properties.set(name, str(value) if value is not None else "0" if properties.get(name) in ("1", "true") else "1")

    return change


def _property(name: str, content: str, *, after: tuple[str, ...]) -> Callable[[Any], None]:
    """A child of the run's properties, in its place behind those of `after`."""

    def change(run: Any) -> None:
        properties = run._r.get_or_add_rPr()
        for old in properties.findall(A + name):
            properties.remove(old)
        made = etree.fromstring(f'<a:{name} xmlns:a="{A[1:-1]}">{content}</a:{name}>')
        before = [child for child in properties if etree.QName(child).localname in after]
        properties.insert(properties.index(before[-1]) + 1 if before else 0, made)

    return change


def _title_small(slide: Any) -> str | None:
    title = slide.shapes.title
    found = [run for paragraph in title.text_frame.paragraphs for run in paragraph.runs] if title is not None else []
    for run in found:
        run.font.size = Pt(6)
        run.font.color.rgb = of_rgb("DDDDDD")
    return "title at 6 pt, pale grey" if found else None


def _title_words(slide: Any) -> str | None:
    title = slide.shapes.title
    found = [run for paragraph in title.text_frame.paragraphs for run in paragraph.runs] if title is not None else []
    if not found:
        return None
    found[-1].text += " (edited)"
    return "words behind the title"


def _a_letter(slide: Any) -> str | None:
    for run in runs(slide, titles=False):
        spoilt = re.sub(r"[^\W\d_](?=\w*$)", lambda m: "x" if m[0] != "x" else "y", run.text, count=1)
        if spoilt != run.text:
            run.text = spoilt
            return "a letter of a text is another"
    return None


def _a_number(slide: Any) -> str | None:
    for run in runs(slide):
        if found := re.search(r"\d", run.text):
            digit = "7" if found[0] != "7" else "3"
            run.text = run.text[: found.start()] + digit + run.text[found.end() :]
            return "a digit of a text is another"
    return None


def _a_point_more(slide: Any) -> str | None:
    for shape in every(slide.shapes):
        if shape.has_text_frame and len(shape.text_frame.paragraphs) > 1:
            shape.text_frame.add_paragraph().text = "And one point that nobody asked for"
            return "a point more in a list"
    return None


def _a_point_less(slide: Any) -> str | None:
    for shape in every(slide.shapes):
        found = [one for one in shape.text_frame.paragraphs if one.text.strip()] if shape.has_text_frame else []
        if len(found) > 1:
            found[-1]._p.getparent().remove(found[-1]._p)
            return "the last point of a list is gone"
    return None


def _alignment(paragraph: Any) -> bool:
    properties = paragraph._p.get_or_add_pPr()
    properties.set("algn", "r" if properties.get("algn") != "r" else "ctr")
    return True


def _level(paragraph: Any) -> bool:
    paragraph.level = 0 if paragraph.level else 3
    return True


def _paragraph_property(name: str, content: str, *, attributes: str = "") -> Callable[[Any], bool]:
    order = ("lnSpc", "spcBef", "spcAft", "buClr", "buSzPct", "buFont", "buNone", "buAutoNum", "buChar", "buBlip")
    same = ("buNone", "buAutoNum", "buChar", "buBlip") if name.startswith("bu") else (name,)

    def change(paragraph: Any) -> bool:
        properties = paragraph._p.get_or_add_pPr()
        for other in same:
            for old in properties.findall(A + other):
                properties.remove(old)
        made = etree.fromstring(f'<a:{name} xmlns:a="{A[1:-1]}" {attributes}>{content}</a:{name}>')
        before = [c for c in properties if etree.QName(c).localname in order[: order.index(name)]]
        properties.insert(properties.index(before[-1]) + 1 if before else 0, made)
        return True

    return change


def _indent(paragraph: Any) -> bool:
    paragraph._p.get_or_add_pPr().set("marL", "2743200")
    return True


def _autofit(slide: Any) -> str | None:
    for shape in every(slide.shapes):
        if shape.has_text_frame and shape.text_frame.text.strip() and not is_furniture(shape):
            body = shape.text_frame._txBody.bodyPr
            for old in list(body):
                if etree.QName(old).localname in ("noAutofit", "normAutofit", "spAutoFit"):
                    body.remove(old)
            made = etree.fromstring(f'<a:normAutofit xmlns:a="{A[1:-1]}" fontScale="25000" lnSpcReduction="20000"/>')
            warp = body.find(A + "prstTxWarp")
            body.insert(body.index(warp) + 1 if warp is not None else 0, made)
            return "a text shrunk to a quarter"
    return None


def _text_box(slide: Any) -> str | None:
    for shape in every(slide.shapes):
        if shape.has_text_frame and shape.text_frame.text.strip() and not is_furniture(shape):
            body = shape.text_frame._txBody.bodyPr
            body.set("vert", "vert270" if body.get("vert") != "vert270" else "horz")
            return "a text turned on its side"
    return None


def _solid(rgb: str) -> str:
    return f'<a:srgbClr val="{rgb}"/>'


_WHITE = f"<a:solidFill>{_solid('FFFFFF')}</a:solidFill>"
_FILLS = ("ln", "noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill")
_SHADOW = f'<a:outerShdw blurRad="50800" dist="38100">{_solid("FF0000")}</a:outerShdw>'

FAULTS: tuple[Fault, ...] = (
    ("size", _each_run(_size(4), "all text at 4 pt")),
    ("size", _title_small),
    ("font", _each_run(_font("Wingdings"), "all text in Wingdings")),
    ("font", _each_run(_font("Comic Sans MS"), "all text in Comic Sans MS")),
    ("colour", _each_run(_colour("FFFFFF"), "all text white")),
    ("colour", _each_run(_colour("FF0000"), "all text red")),
    ("bold", _each_run(_flag("b"), "bold where it was not, plain where it was bold")),
    ("italic", _each_run(_flag("i"), "italic where it was not")),
    ("underline", _each_run(_flag("u", "wavyHeavy"), "all text underlined")),
    ("strike", _each_run(_flag("strike", "sngStrike"), "all text struck through")),
    ("case", _each_run(_flag("cap", "all"), "all text in capitals")),
    ("baseline", _each_run(_flag("baseline", 60000), "all text raised")),
    ("spacing", _each_run(_flag("spc", 1500), "letters far apart")),
    ("highlight", _each_run(_property("highlight", _solid("FFFF00"), after=(*_FILLS, "effectLst")), "marked yellow")),
    ("text effects", _each_run(_property("effectLst", _SHADOW, after=_FILLS), "all text with a red shadow")),
    ("text effects", _each_run(_property("ln", _WHITE, after=()), "all text outlined in white")),
    ("alignment", _each_paragraph(_alignment, "paragraphs aligned otherwise")),
    ("level", _each_paragraph(_level, "list levels lost")),
    ("bullets", _each_paragraph(_paragraph_property("buChar", "", attributes='char="♥"'), "hearts as bullets")),
    ("bullets", _each_paragraph(_paragraph_property("buAutoNum", "", attributes='type="romanUcPeriod" startAt="4"'),
                                "roman numbers as bullets")),
    ("line spacing", _each_paragraph(_paragraph_property("lnSpc", '<a:spcPct val="300000"/>'), "lines far apart")),
    ("indent", _each_paragraph(_indent, "paragraphs far to the right")),
    ("autofit", _autofit),
    ("text box", _text_box),
    ("text", _title_words),
    ("text", _a_letter),
    ("text", _a_number),
    ("text", _a_point_more),
    ("text", _a_point_less),
)  # fmt: skip
