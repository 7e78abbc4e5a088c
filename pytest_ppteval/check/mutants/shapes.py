"""Faults of shapes: where they are, what they are filled with, whether they are there at all."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree
from pptx.util import Inches

from pytest_ppteval.check.mutants.rgb import of_rgb
from pytest_ppteval.deck.xmlnames import A, P, R

# An aspect of the vocabulary, and what does it to a slide: in words what it did, or None if it can't here.
Fault = tuple[str, Callable[[Any], str | None]]

_FURNITURE = (13, 15, 16)  # PP_PLACEHOLDER: slide number, footer, date


def every(shapes: Any) -> Iterator[Any]:
    """The shapes, and those in groups."""
    for shape in shapes:
        yield shape
        if shape.shape_type == 6:  # MSO_SHAPE_TYPE.GROUP
            yield from every(shape.shapes)


def is_furniture(shape: Any) -> bool:
    """Whether it is a slide number, footer or date."""
    return bool(shape.is_placeholder) and shape.placeholder_format.type in _FURNITURE


def _main(slide: Any) -> list[Any]:
    return [shape for shape in slide.shapes if not is_furniture(shape)]


def _placed(slide: Any) -> list[Any]:
    return [shape for shape in _main(slide) if shape.left is not None and shape.width]


def _half_width(slide: Any) -> str | None:
    found = _placed(slide)
    for shape in found:
        shape.width = shape.width // 2
    return "all shapes at half their width" if found else None


def _off_slide(slide: Any) -> str | None:
    found = [shape for shape in _placed(slide) if shape != slide.shapes.title]
    if not found:
        return None
    found[-1].left = slide.part.package.presentation_part.presentation.slide_width + Inches(1)
    return f"{found[-1].name!r} beside the slide"


def _nudged(slide: Any) -> str | None:
    found = _placed(slide)
    if not found:
        return None
    found[0].top += Inches(0.4)
    return f"{found[0].name!r} one centimetre lower"


def _over_each_other(slide: Any) -> str | None:
    found = _placed(slide)
    if len(found) < 2:
        return None
    found[-1].left, found[-1].top = found[0].left, found[0].top
    return f"{found[-1].name!r} over {found[0].name!r}"


def _turned(slide: Any) -> str | None:
    found = [shape for shape in _placed(slide) if hasattr(shape, "rotation")]
    if not found:
        return None
    found[-1].rotation = (found[-1].rotation + 180) % 360
    return f"{found[-1].name!r} upside down"


def _filled(slide: Any) -> str | None:
    for shape in _main(slide):
        if shape.has_text_frame and shape.text_frame.text.strip():
            shape.fill.solid()
            shape.fill.fore_color.rgb = of_rgb("00B050")
            return f"{shape.name!r} filled green"
    return None


def _outlined(slide: Any) -> str | None:
    for shape in _main(slide):
        if shape.has_text_frame and shape.text_frame.text.strip():
            shape.line.color.rgb = of_rgb("FF0000")
            shape.line.width = Inches(0.1)
            return f"{shape.name!r} outlined red"
    return None


def _shadowed(slide: Any) -> str | None:
    for element in slide._element.iter(P + "spPr"):
        if element.find(A + "xfrm") is not None and element.find(A + "effectLst") is None:
            colour = '<a:srgbClr val="FF00FF"/>'
            glow = f'<a:effectLst xmlns:a="{A[1:-1]}"><a:glow rad="228600">{colour}</a:glow></a:effectLst>'
            before = [c for c in element if etree.QName(c).localname not in ("effectDag", "scene3d", "sp3d", "extLst")]
            before[-1].addnext(etree.fromstring(glow))
            return "a shape that glows"
    return None


def _form(slide: Any) -> str | None:
    for geometry in slide._element.iter(A + "prstGeom"):
        if geometry.getparent().tag == P + "spPr" and geometry.getparent().getparent().tag == P + "sp":
            geometry.set("prst", "cloud" if geometry.get("prst") != "cloud" else "heart")
            for guides in geometry.findall(A + "avLst"):
                geometry.remove(guides)
            return "a shape of another form"
    return None


def _see_through(slide: Any) -> str | None:
    found = [fill for fill in slide._element.iter(A + "solidFill") if fill.getparent().tag == P + "spPr" and len(fill)]
    for fill in found:
        for old in fill[0].findall(A + "alpha"):
            fill[0].remove(old)
        etree.SubElement(fill[0], A + "alpha").set("val", "0")
    return "fills that can't be seen" if found else None


def _added(slide: Any) -> str | None:
    box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(2.5), Inches(0.5))
    box.text_frame.text = "Draft, made by an agent"
    return "a text box that nobody asked for"


def _empty_placeholder(slide: Any) -> str | None:
    used = {shape.placeholder_format.idx for shape in slide.placeholders}
    for placeholder in slide.slide_layout.placeholders:
        if placeholder.placeholder_format.idx not in used and not is_furniture(placeholder):
            slide.shapes.clone_placeholder(placeholder)
            return "an empty placeholder left behind"
    return None


def _removed(slide: Any) -> str | None:
    found = [shape for shape in _main(slide) if shape != slide.shapes.title]
    if not found:
        return None
    found[-1]._element.getparent().remove(found[-1]._element)
    return f"{found[-1].name!r} is gone"


def _number_removed(slide: Any) -> str | None:
    found = [shape for shape in slide.shapes if is_furniture(shape)]
    for shape in found:
        shape._element.getparent().remove(shape._element)
    return "slide number and footer are gone" if found else None


def _hidden(slide: Any) -> str | None:
    found = [shape for shape in _main(slide) if shape != slide.shapes.title]
    if not found:
        return None
    found[-1]._element.find(f"*/{P}cNvPr").set("hidden", "1")
    return f"{found[-1].name!r} is hidden"


def _reversed(slide: Any) -> str | None:
    elements = [shape._element for shape in slide.shapes]
    if len(elements) < 3:
        return None
    tree = elements[0].getparent()
    for element in elements:
        tree.remove(element)
    place = next((n for n, child in enumerate(tree) if child.tag == P + "extLst"), len(tree))
    for element in elements:
        tree.insert(place, element)
    return "shapes in the opposite order of depth"


def _ungrouped(slide: Any) -> str | None:
    for group in slide._element.iter(P + "grpSp"):
        for child in list(group):
            if etree.QName(child).localname in ("sp", "pic", "cxnSp", "graphicFrame"):
                group.addnext(child)
        group.getparent().remove(group)
        return "a group taken apart"
    return None


def _twice(slide: Any) -> str | None:
    found = [shape for shape in _main(slide) if shape != slide.shapes.title and not shape.has_chart]
    if not found:
        return None
    twin = copy.deepcopy(found[-1]._element)
    name = twin.find(f"*/{P}cNvPr")
    name.set("id", str(max(int(e.get("id", "0")) for e in slide._element.iter(P + "cNvPr")) + 1))
    found[-1]._element.addnext(twin)
    return f"{found[-1].name!r} is there twice"


def _links_lost(slide: Any) -> str | None:
    found = [link for name in ("hlinkClick", "hlinkHover") for link in slide._element.iter(A + name)]
    for link in found:
        link.getparent().remove(link)
    return "links are gone" if found else None


def _links_elsewhere(slide: Any) -> str | None:
    found = False
    for link in slide._element.iter(A + "hlinkClick"):
        relation = slide.part.rels.get(link.get(R + "id", ""))
        if relation is not None and relation.is_external:
            link.set(R + "id", slide.part.relate_to("https://elsewhere.example/", relation.reltype, is_external=True))
            found = True
    return "links lead elsewhere" if found else None


def _tooltip(slide: Any) -> str | None:
    for link in slide._element.iter(A + "hlinkClick"):
        link.set("tooltip", "Click here!!")
        return "another tip at a link"
    return None


def _alt_lost(slide: Any) -> str | None:
    found = [e for e in slide._element.iter(P + "cNvPr") if e.get("descr")]
    for element in found:
        element.set("descr", "")
    return "descriptions are gone" if found else None


FAULTS: tuple[Fault, ...] = (
    ("resized", _half_width),
    ("moved", _off_slide),
    ("moved", _nudged),
    ("moved", _over_each_other),
    ("rotated", _turned),
    ("fill", _filled),
    ("line", _outlined),
    ("effects", _shadowed),
    ("geometry", _form),
    ("opacity", _see_through),
    ("shape added", _added),
    ("shape added", _empty_placeholder),
    ("shape added", _twice),
    ("shape removed", _removed),
    ("shape removed", _number_removed),
    ("shape hidden", _hidden),
    ("restacked", _reversed),
    ("regrouped", _ungrouped),
    ("link", _links_lost),
    ("link", _links_elsewhere),
    ("tooltip", _tooltip),
    ("alt text", _alt_lost),
)
