"""What the deck scripts share: a theme with its master and layouts, small shapes, and a save that gives the same bytes.

The decks are built on python-pptx's empty template; its theme, master and layouts are replaced, so that the result
looks like a deck of a company and not like the template.
"""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from lxml import etree
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE, PP_ALIGN
from pptx.opc.package import XmlPart
from pptx.oxml import parse_xml
from pptx.util import Emu, Pt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

# python-pptx is untyped; its objects are Any here.
Deck = Any
Slide = Any
Shape = Any

NS = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)
WIDTH, HEIGHT = 13.333, 7.5  # inches: 16:9
MADE_AT = datetime(2026, 10, 12, 9, 0, 0)  # the decks' own date: fixed, so that two runs give the same bytes


def emu(inches: float) -> Emu:
    return Emu(round(inches * 914400))


@dataclass(frozen=True)
class Look:
    """A theme: its name, twelve colours in the order of a:clrScheme, and two font pairs (Latin, East Asian)."""

    name: str
    colours: tuple[str, ...]
    heading: str = "Calibri"
    body: str = "Calibri"
    heading_ea: str = ""
    body_ea: str = ""


SLOTS = ("dk1", "lt1", "dk2", "lt2", *(f"accent{n}" for n in range(1, 7)), "hlink", "folHlink")


# --- theme, master, layouts ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Design:
    """A deck's size in inches, what writes its master, and its layouts by name: (shapes, background, own_only)."""

    width: float
    height: float
    set_master: Callable[[Deck], None]
    layouts: Mapping[str, Callable[[], tuple[list[str], str | None, bool]]]


def new_deck(look: Look, title: str, author: str, design: Design | None = None) -> Deck:
    """An empty deck with the theme of `look`, and the master and layouts of `design`, by default the 16:9 ones here."""
    design = design or Design(WIDTH, HEIGHT, _set_master, LAYOUTS)
    deck = Presentation()
    deck.slide_width, deck.slide_height = emu(design.width), emu(design.height)
    deck.part._element.sldSz.attrib.pop("type", None)  # the template's says 4:3
    _set_theme(deck, look)
    design.set_master(deck)
    for layout in list(deck.slide_layouts):
        if layout.name in design.layouts:
            set_tree(layout, *design.layouts[layout.name]())
        else:
            deck.slide_layouts.remove(layout)
    for package_level in (deck.part.package, deck.part, deck.slide_master.part):
        # The template's own thumbnail and printer settings say nothing about this deck.
        for rel_id, rel in list(package_level._rels.items()):
            if rel.reltype.endswith(("/thumbnail", "/printerSettings")):
                package_level._rels.pop(rel_id)
    core = deck.core_properties
    core.title, core.author, core.last_modified_by = title, author, author
    core.created = core.modified = MADE_AT
    core.revision = 1
    return deck


def _set_theme(deck: Deck, look: Look) -> None:
    [part] = [rel.target_part for rel in deck.slide_master.part.rels.values() if rel.reltype.endswith("/theme")]
    theme = etree.fromstring(part.blob)
    a = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
    theme.set("name", look.name)
    colours = theme.find(f".//{a}clrScheme")
    colours.set("name", look.name)
    for slot, rgb in zip(SLOTS, look.colours, strict=True):
        [old] = list(colours.find(f"{a}{slot}"))
        new = etree.SubElement(colours.find(f"{a}{slot}"), f"{a}srgbClr", val=rgb)
        old.getparent().replace(old, new)
    fonts = theme.find(f".//{a}fontScheme")
    fonts.set("name", look.name)
    for tag, latin, east in (
        ("majorFont", look.heading, look.heading_ea),
        ("minorFont", look.body, look.body_ea),
    ):
        font = fonts.find(f"{a}{tag}")
        font.find(f"{a}latin").set("typeface", latin)
        font.find(f"{a}ea").set("typeface", east)
    for style in theme.iter(f"{a}effectStyle"):  # flat: the template's theme gives every shape a shadow
        for child in list(style):
            style.remove(child)
        etree.SubElement(style, f"{a}effectLst")
    part._blob = etree.tostring(theme, xml_declaration=True, encoding="UTF-8", standalone=True)


def _frame(x: float, y: float, w: float, h: float) -> str:
    return f'<a:xfrm><a:off x="{emu(x)}" y="{emu(y)}"/><a:ext cx="{emu(w)}" cy="{emu(h)}"/></a:xfrm>'


def placeholder(
    number: int,
    name: str,
    ph: str,
    box: tuple[float, float, float, float] | None = None,
    body: str = "<a:bodyPr/>",
    style: str = "<a:lstStyle/>",
    text: str = "",
) -> str:
    frame = _frame(*box) + '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>' if box else ""
    run = f"<a:r><a:rPr/><a:t>{text}</a:t></a:r>" if text and not text.startswith("<") else text
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr>'
        f"<p:nvPr><p:ph {ph}/></p:nvPr></p:nvSpPr><p:spPr>{frame}</p:spPr>"
        f"<p:txBody>{body}{style}<a:p>{run or '<a:endParaRPr/>'}</a:p></p:txBody></p:sp>"
    )


def block(
    number: int, name: str, colour: str, box: tuple[float, float, float, float], geometry: str = "rect", extra: str = ""
) -> str:
    """A plain coloured shape of the master or a layout: decoration, no placeholder."""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name}"/><p:cNvSpPr/><p:nvPr userDrawn="1"/></p:nvSpPr>'
        f'<p:spPr>{_frame(*box)}<a:prstGeom prst="{geometry}"><a:avLst>{extra}</a:avLst></a:prstGeom>'
        f'<a:solidFill><a:schemeClr val="{colour}"/></a:solidFill><a:ln><a:noFill/></a:ln></p:spPr>'
        "<p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:endParaRPr/></a:p></p:txBody></p:sp>"
    )


SLIDE_NUMBER = '<a:fld id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}" type="slidenum"><a:rPr/><a:t>‹#›</a:t></a:fld>'
FOOTER_BOX = (0.6, 6.98, 8.0, 0.32)
NUMBER_BOX = (11.73, 6.98, 1.0, 0.32)


def _small(align: str, colour: str = "tx1") -> str:
    tint = '<a:lumMod val="65000"/><a:lumOff val="35000"/>' if colour == "tx1" else ""
    return (
        f'<a:lstStyle><a:lvl1pPr algn="{align}"><a:defRPr sz="1100"><a:solidFill>'
        f'<a:schemeClr val="{colour}">{tint}</a:schemeClr></a:solidFill></a:defRPr></a:lvl1pPr></a:lstStyle>'
    )


def _footers(first: int) -> list[str]:
    middle = '<a:bodyPr lIns="0" rIns="0" anchor="ctr"/>'
    return [
        placeholder(
            first, "Footer Placeholder", 'type="ftr" sz="quarter" idx="11"', FOOTER_BOX, middle, _small("l"), "Footer"
        ),
        placeholder(
            first + 1,
            "Slide Number Placeholder",
            'type="sldNum" sz="quarter" idx="12"',
            NUMBER_BOX,
            middle,
            _small("r"),
            SLIDE_NUMBER,
        ),
    ]


def _title(box: tuple[float, float, float, float] | None = None, style: str = "<a:lstStyle/>") -> str:
    return placeholder(2, "Title", 'type="title"', box, "<a:bodyPr/>", style, "Click to edit title")


BODY_TOP, BODY_HEIGHT = 1.62, 5.1


def _set_master(deck: Deck) -> None:
    master = deck.slide_master
    shapes = [
        block(20, "Title rule", "accent2", (0.6, 1.3, 0.9, 0.06)),
        block(21, "Footer rule", "bg2", (0.6, 6.9, 12.13, 0.02)),
        placeholder(
            2, "Title", 'type="title"', (0.6, 0.42, 12.13, 0.85),
            '<a:bodyPr lIns="0" rIns="0" anchor="b"><a:normAutofit/></a:bodyPr>',
            text="Click to edit title",
        ),
        placeholder(
            3, "Text", 'type="body" idx="1"', (0.6, BODY_TOP, 12.13, BODY_HEIGHT),
            '<a:bodyPr lIns="0" rIns="0"><a:normAutofit/></a:bodyPr>', text="Click to edit text",
        ),
        placeholder(
            4, "Footer Placeholder", 'type="ftr" sz="quarter" idx="3"', FOOTER_BOX,
            '<a:bodyPr lIns="0" rIns="0" anchor="ctr"/>', _small("l"), "Footer",
        ),
        placeholder(
            5, "Slide Number Placeholder", 'type="sldNum" sz="quarter" idx="4"', NUMBER_BOX,
            '<a:bodyPr lIns="0" rIns="0" anchor="ctr"/>', _small("r"), SLIDE_NUMBER,
        ),
    ]  # fmt: skip
    set_tree(master, shapes)
    old = master._element.find("{http://schemas.openxmlformats.org/presentationml/2006/main}txStyles")
    old.getparent().replace(old, parse_xml(_text_styles()))


def _text_styles() -> str:
    def level(n: int, margin: float, size: int, bullet: str, before: int) -> str:
        indent = 0.25
        return (
            f'<a:lvl{n}pPr marL="{emu(margin + indent)}" indent="-{emu(indent)}" algn="l" rtl="0" eaLnBrk="1">'
            f'<a:lnSpc><a:spcPct val="100000"/></a:lnSpc><a:spcBef><a:spcPts val="{before}"/></a:spcBef>'
            f'<a:buClr><a:schemeClr val="accent2"/></a:buClr><a:buFont typeface="Arial"/><a:buChar char="{bullet}"/>'
            f'<a:defRPr sz="{size}" kern="1200"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill>'
            f'<a:latin typeface="+mn-lt"/><a:ea typeface="+mn-ea"/><a:cs typeface="+mn-cs"/></a:defRPr></a:lvl{n}pPr>'
        )

    levels = [(1, 0, 2000, "•", 1000), (2, 0.3, 1700, "–", 400), (3, 0.6, 1500, "•", 300)]
    levels += [(n, 0.6 + 0.3 * (n - 3), 1400, "–", 300) for n in range(4, 10)]
    return (
        f"<p:txStyles {NS}><p:titleStyle><a:lvl1pPr algn='l' rtl='0'><a:lnSpc><a:spcPct val='90000'/></a:lnSpc>"
        "<a:spcBef><a:spcPct val='0'/></a:spcBef><a:buNone/><a:defRPr sz='3000' b='1' kern='1200'><a:solidFill>"
        "<a:schemeClr val='tx2'/></a:solidFill><a:latin typeface='+mj-lt'/><a:ea typeface='+mj-ea'/>"
        "<a:cs typeface='+mj-cs'/></a:defRPr></a:lvl1pPr></p:titleStyle>"
        f"<p:bodyStyle>{''.join(level(*one) for one in levels)}</p:bodyStyle>"
        "<p:otherStyle><a:defPPr><a:defRPr/></a:defPPr><a:lvl1pPr marL='0' algn='l' rtl='0'><a:defRPr sz='1800' "
        "kern='1200'><a:solidFill><a:schemeClr val='tx1'/></a:solidFill><a:latin typeface='+mn-lt'/>"
        "<a:ea typeface='+mn-ea'/><a:cs typeface='+mn-cs'/></a:defRPr></a:lvl1pPr></p:otherStyle></p:txStyles>"
    )


def set_tree(owner: Any, shapes: Sequence[str], background: str | None = None, own_only: bool = False) -> None:
    """Replace all shapes of a master or layout; `own_only` hides the master's decoration."""
    element = owner._element
    common = element.find("{http://schemas.openxmlformats.org/presentationml/2006/main}cSld")
    tree = common.find("{http://schemas.openxmlformats.org/presentationml/2006/main}spTree")
    for child in list(tree)[2:]:
        tree.remove(child)
    for xml in shapes:
        wrapper = etree.fromstring(f"<x {NS}>{xml}</x>")
        tree.append(parse_xml(etree.tostring(wrapper[0])))
    if background:
        fill = f'<a:solidFill><a:schemeClr val="{background}"/></a:solidFill><a:effectLst/>'
        common.insert(0, parse_xml(f"<p:bg {NS}><p:bgPr>{fill}</p:bgPr></p:bg>"))
    if own_only:
        element.set("showMasterSp", "0")


def _layout_cover() -> tuple[list[str], str, bool]:
    white = (
        '<a:lstStyle><a:lvl1pPr algn="l"><a:defRPr sz="4800" b="1"><a:solidFill><a:schemeClr val="bg1"/></a:solidFill>'
        "</a:defRPr></a:lvl1pPr></a:lstStyle>"
    )
    pale = (
        '<a:lstStyle><a:lvl1pPr marL="0" indent="0" algn="l"><a:buNone/><a:defRPr sz="2200"><a:solidFill>'
        '<a:schemeClr val="bg2"/></a:solidFill></a:defRPr></a:lvl1pPr></a:lstStyle>'
    )
    return (
        [
            block(10, "Band low", "accent1", (0, 6.0, WIDTH, 1.5)),
            block(11, "Band high", "accent2", (0, 5.86, WIDTH, 0.14)),
            placeholder(
                2, "Title", 'type="ctrTitle"', (0.9, 1.5, 8.0, 1.9),
                '<a:bodyPr lIns="0" anchor="b"/>', white, "Click to edit title",
            ),
            placeholder(
                3, "Subtitle", 'type="subTitle" idx="1"', (0.9, 3.55, 8.0, 1.5),
                '<a:bodyPr lIns="0"/>', pale, "Click to edit subtitle",
            ),
        ],
        "tx2",
        True,
    )  # fmt: skip


def _layout_section() -> tuple[list[str], str, bool]:
    white = (
        '<a:lstStyle><a:lvl1pPr algn="l"><a:defRPr sz="4000" b="1"><a:solidFill><a:schemeClr val="bg1"/></a:solidFill>'
        "</a:defRPr></a:lvl1pPr></a:lstStyle>"
    )
    pale = (
        '<a:lstStyle><a:lvl1pPr marL="0" indent="0" algn="l"><a:buNone/><a:defRPr sz="2000"><a:solidFill>'
        '<a:schemeClr val="bg2"/></a:solidFill></a:defRPr></a:lvl1pPr></a:lstStyle>'
    )
    return (
        [
            block(10, "Band", "accent2", (0.9, 3.72, 1.6, 0.08)),
            _title((0.9, 2.2, 11.0, 1.4), white),
            placeholder(
                3, "Text", 'type="body" idx="1"', (0.9, 3.95, 11.0, 1.2), '<a:bodyPr lIns="0"/>', pale,
                "Click to edit text",
            ),
            placeholder(
                4, "Slide Number Placeholder", 'type="sldNum" sz="quarter" idx="12"', NUMBER_BOX,
                '<a:bodyPr lIns="0" rIns="0" anchor="ctr"/>', _small("r", "bg2"), SLIDE_NUMBER,
            ),
        ],
        "tx2",
        True,
    )  # fmt: skip


def _layout_content() -> tuple[list[str], None, bool]:
    return [_title(), placeholder(3, "Content", 'idx="1"', text="Click to edit text"), *_footers(4)], None, False


def _layout_two() -> tuple[list[str], None, bool]:
    return (
        [
            _title(),
            placeholder(
                3, "Content left", 'sz="half" idx="1"', (0.6, BODY_TOP, 5.9, BODY_HEIGHT), text="Click to edit text"
            ),
            placeholder(
                4, "Content right", 'sz="half" idx="2"', (6.83, BODY_TOP, 5.9, BODY_HEIGHT), text="Click to edit text"
            ),
            *_footers(5),
        ],
        None,
        False,
    )


def _layout_comparison() -> tuple[list[str], None, bool]:
    head = (
        '<a:lstStyle><a:lvl1pPr marL="0" indent="0"><a:buNone/><a:defRPr sz="2000" b="1"><a:solidFill>'
        '<a:schemeClr val="accent1"/></a:solidFill></a:defRPr></a:lvl1pPr></a:lstStyle>'
    )
    low = '<a:bodyPr anchor="b"/>'
    top, rest = BODY_TOP + 0.6, BODY_HEIGHT - 0.6
    return (
        [
            _title(),
            placeholder(3, "Heading left", 'type="body" idx="1"', (0.6, BODY_TOP, 5.9, 0.5), low, head, "Heading"),
            placeholder(4, "Content left", 'sz="half" idx="2"', (0.6, top, 5.9, rest), text="Click to edit text"),
            placeholder(
                5, "Heading right", 'type="body" sz="quarter" idx="3"', (6.83, BODY_TOP, 5.9, 0.5), low, head, "Heading"
            ),
            placeholder(6, "Content right", 'sz="quarter" idx="4"', (6.83, top, 5.9, rest), text="Click to edit text"),
            *_footers(7),
        ],
        None,
        False,
    )


def _layout_title_only() -> tuple[list[str], None, bool]:
    return [_title(), *_footers(3)], None, False


LAYOUTS = {
    "Title Slide": _layout_cover,
    "Section Header": _layout_section,
    "Title and Content": _layout_content,
    "Two Content": _layout_two,
    "Comparison": _layout_comparison,
    "Title Only": _layout_title_only,
}


# --- slides and shapes -----------------------------------------------------------------------------------------------


def add_slide(
    deck: Deck, layout: str, title: str, footer: str | None = None, notes: str | None = None, date: str = ""
) -> Slide:
    """A slide with its title, a footer, number and date where the layout has them, and speaker notes."""
    [found] = [one for one in deck.slide_layouts if one.name == layout]
    slide = deck.slides.add_slide(found)
    slide.shapes.title.text = title
    if footer is not None:
        # python-pptx leaves footers and numbers on the layout; PowerPoint copies them to the slide.
        for holder in found.placeholders:
            kind = holder._element.xpath("./p:nvSpPr/p:nvPr/p:ph/@type")
            texts = {"ftr": footer, "dt": date, "sldNum": SLIDE_NUMBER.replace("‹#›", str(len(deck.slides)))}
            if kind and texts.get(kind[0]):
                number = max(shape.shape_id for shape in slide.shapes) + 1
                text = texts[kind[0]]
                ph = f'type="{kind[0]}" sz="quarter" idx="{holder.placeholder_format.idx}"'
                wrapper = etree.fromstring(f"<x {NS}>{placeholder(number, holder.name, ph, text=text)}</x>")
                slide.shapes._spTree.append(parse_xml(etree.tostring(wrapper[0])))
    if notes:
        slide.notes_slide.notes_text_frame.text = notes
    return slide


Line = str | tuple[int, str]


def fill_list(frame: Any, lines: Iterable[Line], size: float | None = None) -> None:
    """Paragraphs into a text frame: a text, or (level, text); "**words**" is a bold run."""
    for index, line in enumerate(lines):
        level, text = line if isinstance(line, tuple) else (0, line)
        paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
        paragraph.level = level
        add_runs(paragraph, text, size)


def add_runs(paragraph: Any, text: str, size: float | None = None) -> None:
    for index, piece in enumerate(text.split("**")):
        if piece:
            run = paragraph.add_run()
            run.text = piece
            if index % 2:
                run.font.bold = True
            if size:
                run.font.size = Pt(size)


def theme(name: str) -> Any:
    return getattr(MSO_THEME_COLOR, name)


def paint(shape: Shape, fill: str | None, line: str | None = None) -> None:
    """Fill and outline from the theme (ACCENT_1, BACKGROUND_2 ...); None is no fill, no outline."""
    if fill is None:
        shape.fill.background()
    else:
        shape.fill.solid()
        shape.fill.fore_color.theme_color = theme(fill)
    if line is None:
        shape.line.fill.background()
    else:
        shape.line.color.theme_color = theme(line)
        shape.line.width = Pt(1.25)


def write(
    shape: Shape,
    text: str,
    size: float,
    colour: str = "TEXT_1",
    bold: bool = False,
    align: Any = PP_ALIGN.LEFT,
    anchor: Any = MSO_ANCHOR.MIDDLE,
    inset: float = 0.08,
) -> None:
    """One text (lines by \\n) into a shape, in one size and colour; "**words**" is bold."""
    frame = shape.text_frame
    frame.word_wrap = True
    frame.vertical_anchor = anchor
    frame.margin_left = frame.margin_right = emu(inset)
    frame.margin_top = frame.margin_bottom = emu(0.04)
    for index, line in enumerate(text.split("\n")):
        paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
        paragraph.alignment = align
        add_runs(paragraph, line, size)
        for run in paragraph.runs:
            run.font.color.theme_color = theme(colour)
            if bold:
                run.font.bold = True


def add_text(owner: Any, box: tuple[float, float, float, float], text: str, size: float, **how: Any) -> Shape:
    shape = owner.add_textbox(*map(emu, box))
    shape.text_frame.auto_size = MSO_AUTO_SIZE.NONE
    write(shape, text, size, **how)
    return shape


def add_table(
    slide: Slide, box: tuple[float, float, float, float], rows: Sequence[Sequence[str]], widths: Sequence[float],
    numeric: Iterable[int] = (), size: float = 14,
) -> Shape:  # fmt: skip
    """A native table with a header row; the columns in `numeric` are set right."""
    graphic = slide.shapes.add_table(len(rows), len(rows[0]), *map(emu, box))
    table = graphic.table
    for column, width in zip(table.columns, widths, strict=True):
        column.width = emu(width)
    right = set(numeric)
    for r, row in enumerate(rows):
        table.rows[r].height = emu(box[3] / len(rows))
        for c, text in enumerate(row):
            cell = table.cell(r, c)
            cell.vertical_anchor = MSO_ANCHOR.MIDDLE
            paragraph = cell.text_frame.paragraphs[0]
            paragraph.alignment = PP_ALIGN.RIGHT if c in right else PP_ALIGN.LEFT
            add_runs(paragraph, text, size)
    return graphic


def style_chart(chart: Any, colours: Sequence[str], legend: bool = True, size: float = 12) -> None:
    """Theme colours for each series, one text size, light grid lines, a legend below."""
    from pptx.enum.chart import XL_LEGEND_POSITION

    chart.font.size = Pt(size)
    chart.font.color.theme_color = theme("TEXT_1")
    chart.has_legend = legend
    if legend:
        chart.legend.position = XL_LEGEND_POSITION.BOTTOM
        chart.legend.include_in_layout = False
    for series, colour in zip(chart.plots[0].series, colours, strict=False):
        series.format.fill.solid()
        series.format.fill.fore_color.theme_color = theme(colour)


def light_grid(axis: Any) -> None:
    axis.has_major_gridlines = True
    axis.major_gridlines.format.line.color.rgb = RGBColor(0xDD, 0xE3, 0xE9)
    axis.format.line.fill.background()


# --- transitions and animations --------------------------------------------------------------------------------------


def add_transition(slide: Slide, inner: str, speed: str = "med") -> None:
    """A plain transition of PowerPoint 2007: `inner` is its child element, as <p:fade/>."""
    _after_map(slide, f'<p:transition {NS} spd="{speed}">{inner}</p:transition>')


def add_modern_transition(slide: Slide, inner: str, milliseconds: int, fallback: str = "<p:fade/>") -> None:
    """A transition of PowerPoint 2010 and later: in mc:AlternateContent, with a fallback for older programs."""
    _after_map(
        slide,
        f'<mc:AlternateContent {NS} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        '<mc:Choice xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main" Requires="p14">'
        f'<p:transition spd="slow" p14:dur="{milliseconds}">{inner}</p:transition></mc:Choice>'
        f'<mc:Fallback><p:transition spd="slow">{fallback}</p:transition></mc:Fallback></mc:AlternateContent>',
    )


def _after_map(slide: Slide, xml: str) -> None:
    # The order of CT_Slide: cSld, clrMapOvr, transition, timing, extLst.
    anchor = slide._element.find("{http://schemas.openxmlformats.org/presentationml/2006/main}clrMapOvr")
    anchor.addnext(parse_xml(xml))


def add_fades(slide: Slide, effects: Sequence[tuple[int, str]]) -> None:
    """Entrance effects "Fade" in PowerPoint's own timing tree: (shape id, click | after | with), in order."""
    wanted = {shape_id for shape_id, _ in effects}
    # PowerPoint gives a build entry and a group id to shapes with text, and neither to groups and pictures.
    built = [s.shape_id for s in slide.shapes if s.has_text_frame and s.shape_id in wanted]
    clicks: list[str] = []
    number = 2
    for shape_id, start in effects:
        node = {"click": "clickEffect", "after": "afterEffect", "with": "withEffect"}[start]
        group = 'grpId="0" ' if shape_id in built else ""
        target = f'<p:tgtEl><p:spTgt spid="{shape_id}"/></p:tgtEl>'
        ids = [number + step for step in range(1, 6)]
        number += 5
        effect = (
            f'<p:par><p:cTn id="{ids[2]}" presetID="10" presetClass="entr" presetSubtype="0" fill="hold" {group}'
            f'nodeType="{node}"><p:stCondLst><p:cond delay="0"/></p:stCondLst><p:childTnLst><p:set><p:cBhvr>'
            f'<p:cTn id="{ids[3]}" dur="1" fill="hold"><p:stCondLst><p:cond delay="0"/></p:stCondLst></p:cTn>{target}'
            "<p:attrNameLst><p:attrName>style.visibility</p:attrName></p:attrNameLst></p:cBhvr><p:to>"
            '<p:strVal val="visible"/></p:to></p:set><p:animEffect transition="in" filter="fade"><p:cBhvr>'
            f'<p:cTn id="{ids[4]}" dur="500"/>{target}</p:cBhvr></p:animEffect></p:childTnLst></p:cTn></p:par>'
        )
        inner = (
            f'<p:par><p:cTn id="{ids[1]}" fill="hold"><p:stCondLst><p:cond delay="0"/></p:stCondLst>'
            f"<p:childTnLst>{effect}</p:childTnLst></p:cTn></p:par>"
        )
        if start == "click" or not clicks:
            clicks.append(
                f'<p:par><p:cTn id="{ids[0]}" fill="hold"><p:stCondLst><p:cond delay="indefinite"/></p:stCondLst>'
                f"<p:childTnLst>{inner}</p:childTnLst></p:cTn></p:par>"
            )
        elif start == "after":
            later = inner.replace('<p:cond delay="0"/>', '<p:cond delay="500"/>', 1)
            clicks[-1] = clicks[-1].removesuffix("</p:childTnLst></p:cTn></p:par>")
            clicks[-1] += f"{later}</p:childTnLst></p:cTn></p:par>"
        else:  # "with": beside the last effect, in the same inner p:par
            tail = "</p:childTnLst></p:cTn></p:par>" * 2
            clicks[-1] = clicks[-1].removesuffix(tail) + effect + tail
    builds = "".join(f'<p:bldP spid="{shape_id}" grpId="0" animBg="1"/>' for shape_id in built)
    timing = (
        f'<p:timing {NS}><p:tnLst><p:par><p:cTn id="1" dur="indefinite" restart="never" nodeType="tmRoot">'
        '<p:childTnLst><p:seq concurrent="1" nextAc="seek"><p:cTn id="2" dur="indefinite" nodeType="mainSeq">'
        f"<p:childTnLst>{''.join(clicks)}</p:childTnLst></p:cTn>"
        '<p:prevCondLst><p:cond evt="onPrev" delay="0"><p:tgtEl><p:sldTgt/></p:tgtEl></p:cond></p:prevCondLst>'
        '<p:nextCondLst><p:cond evt="onNext" delay="0"><p:tgtEl><p:sldTgt/></p:tgtEl></p:cond></p:nextCondLst>'
        "</p:seq></p:childTnLst></p:cTn></p:par></p:tnLst>"
        + (f"<p:bldLst>{builds}</p:bldLst>" if builds else "")
        + "</p:timing>"
    )
    element = slide._element
    p = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
    before = [child for child in element if child.tag in (f"{p}cSld", f"{p}clrMapOvr", f"{p}transition")]
    before += [child for child in element if child.tag.endswith("}AlternateContent")]
    before[-1].addnext(parse_xml(timing))


# --- saving ----------------------------------------------------------------------------------------------------------


def save(deck: Deck, path: Path) -> None:
    """Write `deck` so that the same deck gives the same bytes: fixed times in the zip and in embedded workbooks."""
    for part in deck.part.package.iter_parts():
        if not isinstance(part, XmlPart) and str(part.partname).endswith(".xlsx"):
            part._blob = _plain_workbook(part.blob)
    buffer = io.BytesIO()
    deck.save(buffer)
    path.write_bytes(_plain_zip(buffer.getvalue()))


def _plain_zip(blob: bytes, change: Any = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(blob)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            data = old.read(entry)
            info = zipfile.ZipInfo(entry.filename, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            info.create_system = 3  # the same on every platform
            new.writestr(info, change(entry.filename, data) if change else data)
    return out.getvalue()


def _plain_workbook(blob: bytes) -> bytes:
    """A chart's workbook without the moment it was written."""

    def change(name: str, data: bytes) -> bytes:
        if name != "docProps/core.xml":
            return data
        stamp = MADE_AT.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
        return re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp, data)

    return _plain_zip(blob, change)
