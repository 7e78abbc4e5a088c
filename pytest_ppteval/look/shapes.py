"""The shapes of a sheet, flattened, each with what it takes from its layout, master and style."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.deck.canonical import canonical, digest
from pytest_ppteval.deck.text import paragraphs
from pytest_ppteval.deck.xmlnames import MC, A, P, R, local_name
from pytest_ppteval.look import charts
from pytest_ppteval.look.context import placeholder_of
from pytest_ppteval.look.links import Links
from pytest_ppteval.look.model import NO_FILL, Chart, Fill, Media, Shape, Text
from pytest_ppteval.look.paint import Paint
from pytest_ppteval.look.pictures import read_picture
from pytest_ppteval.look.place import Placed, completed, placed, transform_of
from pytest_ppteval.look.tables import read_table
from pytest_ppteval.look.text import Around, Styles, TextReader, run_properties
from pytest_ppteval.look.theme import root_of
from pytest_ppteval.look.values import flag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lxml import etree
    from pptx.opc.package import Part

    from pytest_ppteval.look.context import Sheet
    from pytest_ppteval.look.model import Box, Line, Picture, Table
    from pytest_ppteval.look.table_styles import TableStyles

_LINES = ("line", "straightConnector", "bentConnector", "curvedConnector")
_SHAPES = tuple(P + name for name in ("sp", "pic", "grpSp", "cxnSp", "graphicFrame", "contentPart"))
_GRAPHICS = (
    ("/table", "table"),
    ("/chart", "chart"),
    ("/chartex", "chart"),
    ("/diagram", "SmartArt"),
    ("/ole", "object"),
)
_DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_DSP = "{http://schemas.microsoft.com/office/drawing/2008/diagram}"
_DECORATIVE = "{http://schemas.microsoft.com/office/drawing/2017/decorative}decorative"
_P14_MEDIA = "{http://schemas.microsoft.com/office/powerpoint/2010/main}media"


@dataclass(frozen=True, slots=True)
class _Group:
    """The groups around a shape, innermost first, and the fill that their members may take."""

    ids: tuple[str, ...] = ()
    transforms: tuple[etree._Element, ...] = ()
    fill: Fill = NO_FILL
    hidden: bool = False


class ShapeReader:
    """Reads the shapes of one sheet. number: of its slide. slide_id: from a slide's part to its id.

    background: what shapes are filled with that say so.
    """

    def __init__(
        self,
        sheet: Sheet,
        number: int | None,
        slide_id: Callable[[Part], str | None],
        tables: TableStyles,
        background: Fill = NO_FILL,
    ) -> None:
        self._sheet, self._tables, self._background = sheet, tables, background
        self.paint = Paint(sheet.palette, sheet.theme, sheet.part)
        self._links = Links(sheet.part, slide_id)
        self._texts = TextReader(Around(self.paint, sheet.theme, self._links, number))

    def shapes(self) -> tuple[Shape, ...]:
        """All shapes, a group before its members, the lowest first."""
        tree = self._sheet.root.find(f"{P}cSld/{P}spTree")
        if tree is None:
            return ()
        return tuple(self._shape(element, group, z) for z, (element, group) in enumerate(self._walk(tree)))

    def _walk(self, tree: etree._Element) -> Iterator[tuple[etree._Element, _Group]]:
        # Not recursive: groups may be nested as deep as the parser allows.
        stack = [(child, _Group()) for child in reversed(tree)]
        while stack:
            element, around = stack.pop()
            if element.tag in _SHAPES:
                yield element, around
                if element.tag == P + "grpSp":
                    inner = self._inside(element, around)
                    stack.extend((child, inner) for child in reversed(element))
            elif element.tag == MC + "AlternateContent":
                chosen = next((c for c in element.iterchildren(MC + "Choice", MC + "Fallback") if len(c)), None)
                stack.extend((child, around) for child in (reversed(chosen) if chosen is not None else ()))

    def _inside(self, group: etree._Element, around: _Group) -> _Group:
        transform = group.find(f"{P}grpSpPr/{A}xfrm")
        fill = self.paint.fill([group.find(P + "grpSpPr")], group=around.fill)
        return _Group(
            (*around.ids, _identity(group)[0]),
            (transform, *around.transforms) if transform is not None else around.transforms,
            fill,
            around.hidden or _identity(group)[2],
        )

    def _shape(self, element: etree._Element, group: _Group, z: int) -> Shape:
        placeholder = placeholder_of(element)
        followed = self._sheet.followed(placeholder) if placeholder is not None else (None, None)
        chain = [shape for shape in (element, *followed) if shape is not None]
        place, inherited = _place(chain, group)
        properties = [found for shape in chain if (found := _properties(shape)) is not None]
        style = element.find(P + "style")
        shape_id, name, hidden, alt = _identity(element)
        marks = element.find(f"*/{P}cNvPr")
        link = marks.find(A + "hlinkClick") if marks is not None else None
        kind = _kind(element)
        box = place.box if place is not None else None
        fill, line = self._painted(element, kind, properties, style, group)
        return Shape(
            id=shape_id,
            name=name,
            kind=kind,
            groups=group.ids,
            placeholder=placeholder.get("type", "obj") if placeholder is not None else None,
            placeholder_index=_index(placeholder),
            box=box,
            rotation=place.rotation if place is not None else 0.0,
            flip=place.flip if place is not None else (False, False),
            z=z,
            hidden=hidden or group.hidden,
            alt=alt,
            alt_title=marks.get("title", "") if marks is not None else "",
            decorative=_decorative(marks),
            geometry=_geometry(properties),
            fill=fill,
            line=line,
            effects=self.paint.effects(properties, style),
            link=self._links.address(link),
            tooltip=link.get("tooltip") if link is not None else None,
            text=self._text(element, placeholder, chain, style),
            picture=self._picture(element, box),
            table=self._table(element),
            chart=self._chart(element),
            media=self._media(element),
            diagram=self._diagram(element),
            ends=_ends(element),
            object_type=_object_type(element),
            inherits_place=inherited,
            adjustments=_adjustments(properties),
        )

    def _painted(
        self,
        element: etree._Element,
        kind: str,
        properties: Sequence[etree._Element],
        style: etree._Element | None,
        group: _Group,
    ) -> tuple[Fill, Line | None]:
        if kind in ("table", "SmartArt", "object", "graphic"):
            return NO_FILL, None
        if kind == "chart":
            space = self._chart_space(element)
            holder = next((c for c in space if local_name(c) == "spPr"), None) if space is not None else None
            return self.paint.fill([holder]), self.paint.line([holder])
        line = self.paint.line(properties, style)
        if kind == "connector" or _geometry(properties).startswith(_LINES):
            return NO_FILL, line  # nothing is in it that could be filled
        if flag(element.get("useBgFill")):
            return self._background, line
        return self.paint.fill(properties, style, group.fill), line

    def _text(
        self,
        element: etree._Element,
        placeholder: etree._Element | None,
        chain: Sequence[etree._Element],
        style: etree._Element | None,
    ) -> Text | None:
        body = element.find(P + "txBody")
        if body is None:
            return None
        followed = [found for shape in chain[1:] if (found := shape.find(P + "txBody")) is not None]
        reference = style.find(A + "fontRef") if style is not None else None
        kind = placeholder.get("type", "obj") if placeholder is not None else None
        lists = [found for text in followed if (found := text.find(A + "lstStyle")) is not None]
        styles = Styles(
            bodies=tuple(found for text in followed if (found := text.find(A + "bodyPr")) is not None),
            own=tuple(lists),
            lists=tuple(self._sheet.text_style(kind)),
            runs=(run_properties(reference, reference.get("idx")),) if reference is not None else (),
        )
        return self._texts.body(body, styles)

    def _picture(self, element: etree._Element, box: Box | None) -> Picture | None:
        fill = element.find(P + "blipFill") if element.tag == P + "pic" else None
        if fill is None and element.tag == P + "pic":
            # PowerPoint for the Mac writes a PDF for itself and a picture for all others.
            fill = element.find(f"{MC}AlternateContent/{MC}Fallback/{P}blipFill")
        return read_picture(fill, self._sheet.part, self.paint, box) if fill is not None else None

    def _table(self, element: etree._Element) -> Table | None:
        table = element.find(f"{A}graphic/{A}graphicData/{A}tbl")
        if table is None:
            return None
        return read_table(table, self.paint, self._texts, self._tables, tuple(self._sheet.text_style(None)))

    def _chart_part(self, element: etree._Element) -> Part | None:
        data = element.find(f"{A}graphic/{A}graphicData")
        if data is None or not data.get("uri", "").endswith(("/chart", "/chartex")):
            return None
        relation = self._sheet.part.rels.get(charts.relation_id(data))
        return relation.target_part if relation is not None and not relation.is_external else None

    def _chart_space(self, element: etree._Element) -> etree._Element | None:
        return self._sheet.designs.root(self._chart_part(element))

    def _chart(self, element: etree._Element) -> Chart | None:
        part = self._chart_part(element)
        root = self._sheet.designs.root(part)
        if part is None or root is None:
            return None
        paint = Paint(self._sheet.palette, self._sheet.theme, part)
        return charts.read_chart(root, paint)

    def _media(self, element: etree._Element) -> Media | None:
        holder = element.find(f"*/{P}nvPr")
        for child in (
            holder.iterchildren(A + "videoFile", A + "audioFile", A + "wavAudioFile") if holder is not None else ()
        ):
            kind = "video" if child.tag == A + "videoFile" else "audio"
            extension = next(iter(holder.iter(_P14_MEDIA)), None) if holder is not None else None
            embedded = extension.get(R + "embed", "") if extension is not None else ""
            source = self.paint.image(embedded) or self.paint.image(
                child.get(R + "link") or child.get(R + "embed") or ""
            )
            details = digest(canonical(extension, lambda _: ""))[:8] if extension is not None else ""
            return Media(kind, source or "", details)
        return None

    def _diagram(self, element: etree._Element) -> tuple[str, ...] | None:
        ids = element.find(f"{A}graphic/{A}graphicData/{_DGM}relIds")
        relation = self._sheet.part.rels.get(ids.get(R + "dm", "")) if ids is not None else None
        if relation is None or relation.is_external:
            return None
        root = self._sheet.designs.root(relation.target_part)
        if root is None:
            return ()
        data = [text for t in root.iter(_DGM + "t") for text in paragraphs(t) if text.strip()]
        named = next(root.iter(_DSP + "dataModelExt"), None)
        drawing = self._sheet.part.rels.get(named.get("relId", "")) if named is not None else None
        shown = root_of(drawing.target_part) if drawing is not None and not drawing.is_external else None
        drawn = {text for text in paragraphs(shown) if text.strip()} if shown is not None else set()
        # What is drawn is the drawing's, which PowerPoint makes anew only when the diagram is edited.
        return tuple(data) if not drawn or set(data) <= drawn else (*data, *sorted(drawn - set(data)))


def _identity(element: etree._Element) -> tuple[str, str, bool, str]:
    marks = element.find(f"*/{P}cNvPr")
    if marks is None:
        return "", "", False, ""
    return marks.get("id", ""), marks.get("name", ""), flag(marks.get("hidden")), marks.get("descr", "")


def _index(placeholder: etree._Element | None) -> int | None:
    text = placeholder.get("idx", "0") if placeholder is not None else ""
    return int(text) if text.isdecimal() and len(text) < 11 else None


def _place(chain: Sequence[etree._Element], group: _Group) -> tuple[Placed | None, bool]:
    own = transform_of(chain[0])
    transforms = [found for shape in chain if (found := transform_of(shape)) is not None]
    transform = completed(transforms)
    if transform is None:
        return None, False
    return placed(transform, group.transforms if own is not None else ()), own is None


def _properties(element: etree._Element) -> etree._Element | None:
    found = element.find(P + "spPr")
    return found if found is not None else element.find(P + "grpSpPr")


def _kind(element: etree._Element) -> str:
    name = local_name(element)
    if name == "sp":
        marks = element.find(f"{P}nvSpPr/{P}cNvSpPr")
        return "text box" if marks is not None and flag(marks.get("txBox")) else "shape"
    if name == "graphicFrame":
        data = element.find(f"{A}graphic/{A}graphicData")
        uri = data.get("uri", "") if data is not None else ""
        return next((kind for end, kind in _GRAPHICS if uri.endswith(end)), "graphic")
    return {"pic": "picture", "grpSp": "group", "cxnSp": "connector"}.get(name, "ink")


def _decorative(marks: etree._Element | None) -> bool:
    return marks is not None and any(flag(found.get("val")) for found in marks.iter(_DECORATIVE))


def _geometry(properties: Sequence[etree._Element]) -> str:
    for holder in properties:
        preset = holder.find(A + "prstGeom")
        if preset is not None:
            return preset.get("prst", "")
        custom = holder.find(A + "custGeom")
        if custom is not None:
            return f"custom {digest(canonical(custom))[:8]}"
    return "rect"


def _adjustments(properties: Sequence[etree._Element]) -> tuple[str, ...]:
    for holder in properties:
        preset = holder.find(A + "prstGeom")
        if preset is not None:
            return tuple(guide.get("fmla", "") for guide in preset.iter(A + "gd"))
    return ()


def _ends(element: etree._Element) -> tuple[str | None, str | None]:
    marks = element.find(f"{P}nvCxnSpPr/{P}cNvCxnSpPr")
    if marks is None:
        return None, None
    start, end = marks.find(A + "stCxn"), marks.find(A + "endCxn")
    return (start.get("id") if start is not None else None), (end.get("id") if end is not None else None)


def _object_type(element: etree._Element) -> str | None:
    held = next(iter(element.iter(P + "oleObj")), None)
    return held.get("progId", "") or "object" if held is not None else None
