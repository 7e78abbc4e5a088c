"""The design of the lecture deck: 4:3, a violet band with the phases of the Moon at the left, serif titles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import NS, SLIDE_NUMBER, Design, Look, block, emu, placeholder, set_tree
from pptx.oxml import parse_xml

if TYPE_CHECKING:
    from kit import Deck

LOOK = Look(
    "Calder University",
    ("22223B", "FFFFFF", "2E2A4F", "F6F1E7", "574B90", "E0A030",
     "2A8C82", "C8553D", "8A86A0", "A9CBDD", "2F6DB5", "7A5C86"),
    heading="Times New Roman",
    body="Arial",
)  # fmt: skip
WIDTH, HEIGHT = 10.0, 7.5
LEFT, WIDE = 0.95, 8.55  # the content's left edge and width
TOP, HIGH = 1.6, 5.15

Layout = tuple[list[str], "str | None", bool]


def _style(align: str, size: int, colour: str, bold: bool = False) -> str:
    return (
        f'<a:lstStyle><a:lvl1pPr marL="0" indent="0" algn="{align}"><a:buNone/><a:defRPr sz="{size}" b="{int(bold)}">'
        f'<a:solidFill><a:schemeClr val="{colour}"/></a:solidFill></a:defRPr></a:lvl1pPr></a:lstStyle>'
    )


def _title(box: tuple[float, float, float, float] | None = None, style: str = "<a:lstStyle/>") -> str:
    return placeholder(2, "Title", 'type="title"', box, "<a:bodyPr/>", style, "Click to edit title")


# name, type, index on a layout, index on the master, box, alignment, sample text
SMALL = (
    ("Date Placeholder", "dt", 10, 2, (LEFT, 6.98, 2.2, 0.3), "l", "Date"),
    ("Footer Placeholder", "ftr", 11, 3, (3.2, 6.98, 4.05, 0.3), "ctr", "Footer"),
    ("Slide Number Placeholder", "sldNum", 12, 4, (8.5, 6.98, 1.0, 0.3), "r", SLIDE_NUMBER),
)


def _footers(first: int, on_master: bool = False) -> list[str]:
    body = '<a:bodyPr lIns="0" rIns="0" anchor="ctr"/>'
    return [
        placeholder(
            first + n, name, f'type="{kind}" sz="quarter" idx="{master_index if on_master else index}"', box, body,
            _style(align, 1000, "accent5"), text,
        )
        for n, (name, kind, index, master_index, box, align, text) in enumerate(SMALL)
    ]  # fmt: skip


def _phases() -> list[str]:
    """The phases of the Moon on the band: crescent, half, full, and back again."""
    out = []
    kinds = (("moon", 0.5, False), ("flowChartDelay", 0.5, True), ("ellipse", 1.0, False),
             ("flowChartDelay", 0.5, False), ("moon", 0.5, True))  # fmt: skip
    for n, (geometry, share, mirrored) in enumerate(kinds):
        w = 0.26 * share
        x = 0.26 - w / 2
        guide = '<a:gd name="adj" fmla="val 60000"/>' if geometry == "moon" else ""
        one = block(30 + n, f"Phase {n + 1}", "accent2", (x, 5.0 + 0.42 * n, w, 0.26), geometry, guide)
        out.append(one.replace("<a:xfrm>", '<a:xfrm flipH="1">') if mirrored else one)
    return out


def _set_master(deck: Deck) -> None:
    shapes = [
        block(20, "Band", "tx2", (0, 0, 0.52, HEIGHT)),
        *_phases(),
        block(21, "Title rule", "accent2", (LEFT, 1.34, WIDE, 0.03)),
        placeholder(
            2, "Title", 'type="title"', (LEFT, 0.38, WIDE, 0.92),
            '<a:bodyPr lIns="0" rIns="0" anchor="b"><a:normAutofit/></a:bodyPr>', text="Click to edit title",
        ),
        placeholder(
            3, "Text", 'type="body" idx="1"', (LEFT, TOP, WIDE, HIGH),
            '<a:bodyPr lIns="0" rIns="0"><a:normAutofit/></a:bodyPr>', text="Click to edit text",
        ),
        *_footers(4, on_master=True),
    ]  # fmt: skip
    master = deck.slide_master
    p = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
    common = master._element.find(f"{p}cSld")
    common.remove(common.find(f"{p}bg"))
    set_tree(master, shapes, "bg2")
    old = master._element.find(f"{p}txStyles")
    old.getparent().replace(old, parse_xml(_text_styles()))


def _text_styles() -> str:
    def level(n: int, margin: float, size: int, bullet: str, before: int) -> str:
        return (
            f'<a:lvl{n}pPr marL="{emu(margin + 0.3)}" indent="-{emu(0.3)}" algn="l" rtl="0" eaLnBrk="1">'
            f'<a:spcBef><a:spcPts val="{before}"/></a:spcBef><a:buClr><a:schemeClr val="accent4"/></a:buClr>'
            f'<a:buFont typeface="Arial"/><a:buChar char="{bullet}"/><a:defRPr sz="{size}" kern="1200"><a:solidFill>'
            '<a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/><a:ea typeface="+mn-ea"/>'
            f'<a:cs typeface="+mn-cs"/></a:defRPr></a:lvl{n}pPr>'
        )

    levels = [(1, 0, 2000, "•", 900), (2, 0.32, 1700, "–", 350), (3, 0.6, 1500, "•", 300)]
    levels += [(n, 0.6 + 0.3 * (n - 3), 1400, "–", 300) for n in range(4, 10)]
    return (
        f"<p:txStyles {NS}><p:titleStyle><a:lvl1pPr algn='l' rtl='0'><a:lnSpc><a:spcPct val='90000'/></a:lnSpc>"
        "<a:spcBef><a:spcPct val='0'/></a:spcBef><a:buNone/><a:defRPr sz='3200' b='1' kern='1200'><a:solidFill>"
        "<a:schemeClr val='accent1'/></a:solidFill><a:latin typeface='+mj-lt'/><a:ea typeface='+mj-ea'/>"
        "<a:cs typeface='+mj-cs'/></a:defRPr></a:lvl1pPr></p:titleStyle>"
        f"<p:bodyStyle>{''.join(level(*one) for one in levels)}</p:bodyStyle>"
        "<p:otherStyle><a:defPPr><a:defRPr/></a:defPPr><a:lvl1pPr marL='0' algn='l' rtl='0'><a:defRPr sz='1800' "
        "kern='1200'><a:solidFill><a:schemeClr val='tx1'/></a:solidFill><a:latin typeface='+mn-lt'/>"
        "<a:ea typeface='+mn-ea'/><a:cs typeface='+mn-cs'/></a:defRPr></a:lvl1pPr></p:otherStyle></p:txStyles>"
    )


def _cover() -> Layout:
    return (
        [
            block(11, "Rule", "accent2", (0.8, 2.28, 1.3, 0.05)),
            placeholder(
                2, "Title", 'type="ctrTitle"', (0.8, 0.75, 8.4, 1.4), '<a:bodyPr lIns="0" anchor="b"/>',
                _style("l", 5400, "bg1", True), "Click to edit title",
            ),
            placeholder(
                3, "Subtitle", 'type="subTitle" idx="1"', (0.8, 2.45, 8.4, 1.0), '<a:bodyPr lIns="0"/>',
                _style("l", 2000, "bg2"), "Click to edit subtitle",
            ),
        ],
        "tx2",
        True,
    )  # fmt: skip


def _section() -> Layout:
    return (
        [
            block(10, "Moon", "accent2", (7.55, 0.95, 1.35, 1.35), "ellipse"),
            block(11, "Sea", "accent3", (0, 6.3, WIDTH, 1.9), "wave", '<a:gd name="adj1" fmla="val 20000"/>'),
            _title((0.95, 2.5, 8.1, 1.3), _style("l", 4000, "tx2", True)),
            placeholder(
                3, "Text", 'type="body" idx="1"', (0.95, 3.95, 8.1, 1.2), '<a:bodyPr lIns="0"/>',
                _style("l", 2000, "tx1"), "Click to edit text",
            ),
        ],
        "accent6",
        True,
    )  # fmt: skip


def _content() -> Layout:
    return [_title(), placeholder(3, "Content", 'idx="1"', text="Click to edit text"), *_footers(4)], None, False


def _two() -> Layout:
    return (
        [
            _title(),
            placeholder(3, "Content left", 'sz="half" idx="1"', (LEFT, TOP, 4.15, HIGH), text="Click to edit text"),
            placeholder(4, "Content right", 'sz="half" idx="2"', (5.35, TOP, 4.15, HIGH), text="Click to edit text"),
            *_footers(5),
        ],
        None,
        False,
    )


def _comparison() -> Layout:
    head, low = _style("l", 2000, "accent4", True), '<a:bodyPr anchor="b"/>'
    return (
        [
            _title(),
            placeholder(3, "Heading left", 'type="body" idx="1"', (LEFT, TOP, 4.15, 0.5), low, head, "Heading"),
            placeholder(4, "Content left", 'sz="half" idx="2"', (LEFT, 2.15, 4.15, 2.0), text="Click to edit text"),
            placeholder(
                5, "Heading right", 'type="body" sz="quarter" idx="3"', (5.35, TOP, 4.15, 0.5), low, head, "Heading"
            ),
            placeholder(6, "Content right", 'sz="quarter" idx="4"', (5.35, 2.15, 4.15, 2.0), text="Click to edit text"),
            *_footers(7),
        ],
        None,
        False,
    )


def _title_only() -> Layout:
    return [_title(), *_footers(3)], None, False


DESIGN = Design(
    WIDTH,
    HEIGHT,
    _set_master,
    {
        "Title Slide": _cover,
        "Section Header": _section,
        "Title and Content": _content,
        "Two Content": _two,
        "Comparison": _comparison,
        "Title Only": _title_only,
    },
)
