"""Where shapes are and how they are filled: groups, turns, flips, placeholders, styles, backgrounds, pictures."""

# mypy: allow-untyped-calls
from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from pptx.dml.color import RGBColor
from small_looks import TITLE_AND_BODY, TITLE_ONLY, element, p, shape_of, slide_of, sp

from pytest_ppteval.look.model import Shape

GRADIENT = (
    '<a:gradFill><a:gsLst><a:gs pos="100000"><a:srgbClr val="FFFFFF"/></a:gs><a:gs pos="0"><a:srgbClr val="000000"/>'
    "</a:gs></a:gsLst></a:gradFill>"
)
PATTERN = (
    '<a:pattFill prst="pct50"><a:fgClr><a:srgbClr val="FF0000"/></a:fgClr><a:bgClr><a:srgbClr val="0000FF"/>'
    "</a:bgClr></a:pattFill>"
)
ACCENT = '<a:solidFill><a:schemeClr val="accent1"/></a:solidFill>'
STYLE = (
    '<p:style><a:lnRef idx="2"><a:schemeClr val="accent1"><a:shade val="50000"/></a:schemeClr></a:lnRef>'
    '<a:fillRef idx="1"><a:schemeClr val="accent1"/></a:fillRef><a:effectRef idx="0"><a:schemeClr val="accent1"/>'
    '</a:effectRef><a:fontRef idx="minor"><a:schemeClr val="lt1"/></a:fontRef></p:style>'
)


def group(inner: str, own: str, children: str, turn: str = "", properties: str = "", hidden: str = "") -> str:
    x, y, width, height = own.split()
    left, top, wide, high = children.split()
    return (
        f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="50" name="G" {hidden}/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr>'
        f'<a:xfrm {turn}><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/><a:chOff x="{left}" y="{top}"/>'
        f'<a:chExt cx="{wide}" cy="{high}"/></a:xfrm>{properties}</p:grpSpPr>{inner}</p:grpSp>'
    )


def place(shape: Shape) -> tuple[float, float, float, float]:
    assert shape.box is not None
    return shape.box.x, shape.box.y, shape.box.width, shape.box.height


@pytest.mark.parametrize(
    ("own", "children", "turn", "inner_turn", "wanted", "rotation", "flip"),
    [
        # As it is; moved; twice as wide, three times as high.
        ("0 0 1000 1000", "0 0 1000 1000", "", "", (100, 200, 300, 400), 0, (False, False)),
        ("50 70 1000 1000", "0 0 1000 1000", "", "", (150, 270, 300, 400), 0, (False, False)),
        ("0 0 2000 3000", "0 0 1000 1000", "", "", (200, 600, 600, 1200), 0, (False, False)),
        ("0 0 1000 1000", "100 200 500 500", "", "", (0, 0, 600, 800), 0, (False, False)),
        # Mirrored in the group's middle, 500: 100 to 400 is 600 to 900.
        ("0 0 1000 1000", "0 0 1000 1000", 'flipH="1"', "", (600, 200, 300, 400), 0, (True, False)),
        ("0 0 1000 1000", "0 0 1000 1000", 'flipV="1"', "", (100, 400, 300, 400), 0, (False, True)),
        # A mirrored turn goes the other way; one that is mirrored twice is not.
        ("0 0 1000 1000", "0 0 1000 1000", 'flipH="1"', 'rot="1800000"', (600, 200, 300, 400), 330, (True, False)),
        (
            "0 0 1000 1000",
            "0 0 1000 1000",
            'flipH="1" flipV="1"',
            'rot="1800000"',
            (600, 400, 300, 400),
            30,
            (True, True),
        ),
        ("0 0 1000 1000", "0 0 1000 1000", 'flipH="1"', 'flipH="1"', (600, 200, 300, 400), 0, (False, False)),
        # A quarter turn about (500, 500): the centre (250, 400) comes to (600, 250).
        ("0 0 1000 1000", "0 0 1000 1000", 'rot="5400000"', "", (450, 50, 300, 400), 90, (False, False)),
        ("0 0 1000 1000", "0 0 1000 1000", 'rot="5400000"', 'rot="5400000"', (450, 50, 300, 400), 180, (False, False)),
        # What lies on its side is made wider by what the group makes higher: centre (250, 1200), 900 by 400.
        ("0 0 1000 3000", "0 0 1000 1000", "", 'rot="5400000"', (-200, 1000, 900, 400), 90, (False, False)),
        # A group without an inner size does not scale.
        ("0 0 1000 1000", "0 0 0 0", "", "", (100, 200, 300, 400), 0, (False, False)),
    ],
)
def test_in_a_group(
    own: str, children: str, turn: str, inner_turn: str, wanted: tuple[int, ...], rotation: float, flip: object
) -> None:
    shape = shape_of(group(sp(place=(100, 200, 300, 400), turn=inner_turn), own, children, turn))
    assert (place(shape), shape.rotation, shape.flip, shape.groups) == (wanted, rotation, flip, ("50",))


def test_in_a_group_of_a_group() -> None:
    inner = group(sp(place=(0, 0, 100, 100)), "100 0 100 100", "0 0 100 100")
    assert place(shape_of(group(inner, "0 0 2000 1000", "0 0 1000 1000"))) == (200, 0, 200, 100)


def test_a_group_s_fill_and_what_is_hidden_with_it() -> None:
    inner = sp(properties="<a:grpFill/>")
    shape = shape_of(group(inner, "0 0 1 1", "0 0 1 1", properties=ACCENT, hidden='hidden="1"'))
    assert shape.fill.colour is not None
    assert (shape.fill.colour.rgb, shape.hidden) == ("4F81BD", True)


def test_coordinates_with_units() -> None:
    xml = sp().replace('x="0" y="0"', 'x="1in" y="2.5cm"').replace('cx="100" cy="100"', 'cx="12pt" cy="1e3"')
    assert place(shape_of(xml)) == (914_400, 900_000, 152_400, 1000)


def test_a_placeholder_without_a_place_has_the_layout_s() -> None:
    shape = shape_of(sp(p(), placeholder='<p:ph type="title"/>', place=None), layout=TITLE_ONLY)
    assert place(shape) == (457_200, 274_638, 8_229_600, 1_143_000)  # the master's: this layout says none
    assert shape.inherits_place
    own = shape_of(sp(p(), placeholder='<p:ph type="title"/>', place=(1, 2, 3, 4)), layout=TITLE_AND_BODY)
    assert (place(own), own.inherits_place) == ((1, 2, 3, 4), False)


@pytest.mark.parametrize(
    ("properties", "style", "kind", "rgb"),
    [
        (ACCENT, "", "solid", "4F81BD"),
        ("<a:noFill/>", STYLE, "none", None),
        ("", STYLE, "solid", "4F81BD"),
        ("", "", "none", None),
        ("<a:solidFill/>", STYLE, "solid", "4F81BD"),  # python-pptx, asked for the colour only
        (GRADIENT, "", "gradient", "808080"),
        (PATTERN, "", "pattern", "800080"),
    ],
)
def test_fills(properties: str, style: str, kind: str, rgb: str | None) -> None:
    fill = shape_of(sp(properties=properties, style=style)).fill
    assert (fill.kind, fill.colour.rgb if fill.colour is not None else None) == (kind, rgb)


def test_lines() -> None:
    styled = shape_of(sp(style=STYLE)).line
    assert styled is not None
    assert styled.width == 2.0  # the second of Office 2007's lines, 25,400 EMU
    own = shape_of(sp(style=STYLE, properties='<a:ln w="12700"><a:prstDash val="dash"/></a:ln>')).line
    assert own is not None
    assert (own.width, own.dash, own.fill) == (1.0, "dash", styled.fill)
    assert shape_of(sp(properties='<a:ln w="12700"/>')).line is None  # nobody says a colour
    assert shape_of(sp(style=STYLE, properties="<a:ln><a:noFill/></a:ln>")).line is None


def test_a_line_has_no_inside() -> None:
    connector = (
        '<p:cxnSp><p:nvCxnSpPr><p:cNvPr id="4" name="C"/><p:cNvCxnSpPr><a:stCxn id="2" idx="3"/></p:cNvCxnSpPr>'
        '<p:nvPr/></p:nvCxnSpPr><p:spPr><a:prstGeom prst="line"/></p:spPr>' + STYLE + "</p:cxnSp>"
    )
    shape = shape_of(connector)
    assert (shape.kind, shape.fill.kind, shape.ends) == ("connector", "none", ("2", None))


def test_a_shape_that_is_a_window_to_the_background() -> None:
    def edit(presentation: Any, slide: Any) -> None:
        slide.background.fill.solid()
        slide.background.fill.fore_color.rgb = RGBColor.from_string("123456")

    shape = shape_of(sp(attributes='useBgFill="1"', style=STYLE), edit=edit)
    assert shape.fill.colour is not None
    assert shape.fill.colour.rgb == "123456"


def test_whose_background_it_is() -> None:
    def background(part: Any, fill: str) -> None:
        held = part._element.find("{*}cSld")
        for old in held.findall("{*}bg"):
            held.remove(old)
        held.insert(0, element(f"<p:bg>{fill}</p:bg>"))

    red = '<p:bgPr><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></p:bgPr>'
    of_theme = '<p:bgRef idx="1001"><a:schemeClr val="bg2"/></p:bgRef>'

    def rgb(edit: Any) -> str:
        colour = slide_of(edit=edit).background.colour
        assert colour is not None
        return colour.rgb

    assert rgb(None) == "FFFFFF"
    assert rgb(lambda _, slide: background(slide.slide_layout.slide_master, of_theme)) == "EEECE1"
    assert rgb(lambda _, slide: background(slide.slide_layout, red)) == "FF0000"
    assert rgb(lambda _, slide: background(slide, of_theme)) == "EEECE1"


PICTURE = (
    '<p:pic><p:nvPicPr><p:cNvPr id="5" name="P"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>{fill}<p:spPr><a:xfrm>'
    '<a:off x="0" y="0"/><a:ext cx="2000" cy="1000"/></a:xfrm><a:prstGeom prst="rect"/></p:spPr></p:pic>'
)
FILL = '<p:blipFill><a:blip r:embed="rIdPicture"/>{more}<a:stretch><a:fillRect/></a:stretch></p:blipFill>'


def add_image(presentation: Any, slide: Any) -> None:
    made = BytesIO()
    Image.new("RGB", (200, 100)).save(made, "PNG")
    _, link = slide.part.get_or_add_image_part(made)
    for found in slide._element.iter("{*}blip"):
        found.set("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed", link)


@pytest.mark.parametrize(
    ("more", "stretch"),
    [
        ("", 1.0),
        ('<a:srcRect l="25000" r="25000"/>', 2.0),  # half of its width drawn as wide
        ('<a:srcRect t="50%"/>', 0.5),
        ('<a:srcRect l="100000"/>', None),
    ],
)
def test_how_far_a_picture_is_stretched(more: str, stretch: float | None) -> None:
    picture = shape_of(PICTURE.format(fill=FILL.format(more=more)), edit=add_image).picture
    assert picture is not None
    assert (picture.pixels, picture.stretch) == ((200, 100), stretch)


def test_a_picture_that_powerpoint_for_the_mac_wrote_twice() -> None:
    fill = (
        '<mc:AlternateContent><mc:Choice Requires="ma"><p:blipFill><a:blip/></p:blipFill></mc:Choice><mc:Fallback>'
        + FILL.format(more="") + "</mc:Fallback></mc:AlternateContent>"
    )  # fmt: skip
    picture = shape_of(PICTURE.format(fill=fill), edit=add_image).picture
    assert picture is not None
    assert picture.pixels == (200, 100)


def test_of_two_ways_to_draw_a_shape_the_first_counts() -> None:
    both = (
        '<mc:AlternateContent><mc:Choice Requires="p14">' + sp(p("new"), shape_id=7) + "</mc:Choice><mc:Fallback>"
        + sp(p("old"), shape_id=8) + "</mc:Fallback></mc:AlternateContent>"
    )  # fmt: skip
    assert [shape.words for shape in slide_of(both).shapes] == ["new"]
