"""Colours as drawn: every way to say one, and everything that may be done to it.

Values: those that PowerPoint shows for Office 2007's accent1 (4F81BD) in its palette ("Lighter 80%", ...) and in its
table styles (tint), else worked out by hand from ECMA-376 part 1, 20.1.2.3. One step of 255 of rounding is allowed.
"""

from __future__ import annotations

import pytest
from small_looks import element, p, shape_of, sp

from pytest_ppteval.look.colour import Palette, contrast, over
from pytest_ppteval.look.model import Colour

THEME = {"dk1": "000000", "lt1": "FFFFFF", "dk2": "1F497D", "lt2": "EEECE1", "accent1": "4F81BD", "hlink": "0000FF"}
PLAIN = {"tx1": "dk1", "bg1": "lt1", "tx2": "dk2", "bg2": "lt2", "accent1": "accent1", "hlink": "hlink"}
PALETTE = Palette(THEME, PLAIN)


def near(found: Colour | None, rgb: str) -> bool:
    assert found is not None
    wanted = Colour(rgb)
    return all(abs(a - b) <= 1 for a, b in zip(found.triple, wanted.triple, strict=True))


def scheme(name: str, *changes: str) -> str:
    return f'<a:schemeClr val="{name}">{"".join(changes)}</a:schemeClr>'


def change(name: str, value: int | str) -> str:
    return f'<a:{name} val="{value}"/>'


def rgb(value: str, *changes: str) -> str:
    return f'<a:srgbClr val="{value}">{"".join(changes)}</a:srgbClr>'


@pytest.mark.parametrize(
    ("xml", "wanted"),
    [
        (rgb("C0504D"), "C0504D"),
        (rgb("c0504d"), "C0504D"),
        (scheme("tx1"), "000000"),
        (scheme("bg1"), "FFFFFF"),
        (scheme("dk2"), "1F497D"),  # a slot of the theme, without the map
        (scheme("bg2"), "EEECE1"),
        ('<a:prstClr val="dkBlue"/>', "00008B"),
        ('<a:prstClr val="darkBlue"/>', "00008B"),
        ('<a:prstClr val="orange"/>', "FFA500"),
        ('<a:sysClr val="window"/>', "FFFFFF"),
        ('<a:sysClr val="window" lastClr="FEFEFE"/>', "FEFEFE"),  # what it was where the deck was saved
        ('<a:sysClr val="grayText"/>', "6D6D6D"),
        # Linear light: half of it is BC in sRGB.
        ('<a:scrgbClr r="50000" g="0" b="100000"/>', "BC00FF"),
        ('<a:scrgbClr r="50%" g="0%" b="100%"/>', "BC00FF"),  # as the strict form writes it
        # 120 degrees is green; its lightness is half.
        ('<a:hslClr hue="7200000" sat="100000" lum="50000"/>', "00FF00"),
        ('<a:hslClr hue="0" sat="0" lum="50%"/>', "808080"),
        # PowerPoint's palette.
        (scheme("accent1", change("lumMod", 20000), change("lumOff", 80000)), "DCE6F2"),
        (scheme("accent1", change("lumMod", 40000), change("lumOff", 60000)), "B9CDE5"),
        (scheme("accent1", change("lumMod", 60000), change("lumOff", 40000)), "95B3D7"),
        (scheme("accent1", change("lumMod", 75000)), "376092"),
        (scheme("accent1", change("lumMod", 50000)), "254061"),
        (scheme("bg1", change("lumMod", "85%")), "D9D9D9"),
        (scheme("tx1", change("lumMod", 50000), change("lumOff", 50000)), "808080"),
        # PowerPoint's table style "Medium Style 2 - Accent 1".
        (scheme("accent1", change("tint", 20000)), "E9EDF4"),
        (scheme("accent1", change("tint", 40000)), "D0D8E8"),
        (rgb("FFFFFF", change("shade", 50000)), "BCBCBC"),
        (rgb("000000", change("tint", 50000)), "BCBCBC"),
        # Without its saturation a colour is the grey of its lightness: (4F + BD) / 2.
        (rgb("4F81BD", change("satMod", 0)), "868686"),
        (rgb("808080", change("lum", 25000)), "404040"),
        (rgb("FF0000", change("hueOff", 7200000)), "00FF00"),
        (rgb("FF0000", change("hue", 14400000)), "0000FF"),
        (rgb("FF0000", "<a:comp/>"), "00FFFF"),
        (rgb("FFFF00", "<a:inv/>"), "0000FF"),
        (rgb("FF0000", "<a:gray/>"), "4C4C4C"),  # 29.9 % of 255
        (rgb("808080", "<a:gamma/>"), "BCBCBC"),
        (rgb("BCBCBC", "<a:invGamma/>"), "808080"),
        (rgb("FFFFFF", change("red", 0)), "00FFFF"),
        (rgb("FFFFFF", change("blueMod", 50000)), "FFFFBC"),
        (rgb("000000", change("greenOff", 50000)), "00BC00"),
        # What is more than all is all.
        (scheme("accent1", change("lumMod", 900000)), "FFFFFF"),
        (rgb("000000", change("lumOff", -50000)), "000000"),
        # In the order of the file: half, then half more, is not the other way round.
        (rgb("FFFFFF", change("lumMod", 50000), change("lumOff", 50000)), "FFFFFF"),
        (rgb("FFFFFF", change("lumOff", 50000), change("lumMod", 50000)), "808080"),
    ],
)
def test_a_colour_is_what_it_looks_like(xml: str, wanted: str) -> None:
    found = PALETTE.colour(element(xml))
    assert near(found, wanted), found


@pytest.mark.parametrize(
    ("changes", "alpha"),
    [
        ((change("alpha", 40000),), 0.4),
        ((change("alpha", "40%"),), 0.4),
        ((change("alpha", 50000), change("alphaMod", 50000)), 0.25),
        ((change("alpha", 50000), change("alphaOff", -20000)), 0.3),
        ((change("alphaOff", 50000),), 1.0),
        ((change("alpha", -5),), 0.0),
        ((), 1.0),
    ],
)
def test_how_opaque_it_is(changes: tuple[str, ...], alpha: float) -> None:
    found = PALETTE.colour(element(rgb("FF0000", *changes)))
    assert found == Colour("FF0000", alpha)


@pytest.mark.parametrize("xml", [scheme("accent9"), rgb("red"), rgb("F00"), rgb(""), '<a:prstClr val="mauvish"/>'])
def test_what_is_no_colour_is_none(xml: str) -> None:
    assert PALETTE.colour(element(xml)) is None


def test_a_style_s_own_colour() -> None:
    """phClr: the colour of the reference, with what the theme's fill does to it."""
    half = element(scheme("phClr", change("lumMod", 75000)))
    found = PALETTE.colour(half, Colour("4F81BD", 1.0, "accent1"))
    assert near(found, "376092")
    assert found is not None
    assert found.scheme == "accent1"
    assert PALETTE.colour(half) is None


def test_a_map_turns_dark_and_light() -> None:
    turned = Palette(THEME, {**PLAIN, "bg1": "dk1", "tx1": "lt1"})
    assert turned.colour(element(scheme("bg1"))) == Colour("000000", 1.0, "bg1")
    assert turned.colour(element(scheme("dk1"))) == Colour("000000", 1.0, "dk1")


def test_contrast_and_what_shows_through() -> None:
    assert contrast(Colour("000000"), Colour("FFFFFF")) == pytest.approx(21.0)
    assert contrast(Colour("777777"), Colour("777777")) == 1.0
    assert over(Colour("FF0000", 0.5), Colour("FFFFFF")) == Colour("FF8080")


FILLED = '<a:solidFill><a:schemeClr val="tx1"/></a:solidFill>'
SWAPPED = (
    '<p:clrMapOvr><a:overrideClrMapping bg1="dk1" tx1="lt1" bg2="dk2" tx2="lt2" accent1="accent1" accent2="accent2" '
    'accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
    "</p:clrMapOvr>"
)


def swap(part: object) -> None:
    root = part._element  # type: ignore[attr-defined]
    old = root.find("{*}clrMapOvr")
    if old is not None:
        root.replace(old, element(SWAPPED))
    else:
        root.append(element(SWAPPED))


def test_whose_map_it_is() -> None:
    """The slide's own, else the layout's, else the master's, as PowerPoint draws it."""
    shape = sp(p(), properties=FILLED)

    def fill(edit: object) -> str:
        colour = shape_of(shape, edit=edit).fill.colour  # type: ignore[arg-type]
        assert colour is not None
        return colour.rgb

    assert fill(None) == "000000"
    assert fill(lambda _, slide: swap(slide)) == "FFFFFF"
    assert fill(lambda _, slide: swap(slide.slide_layout)) == "FFFFFF"


def test_a_theme_s_colours_in_any_notation() -> None:
    def edit(presentation: object, slide: object) -> None:
        master = slide.slide_layout.slide_master  # type: ignore[attr-defined]
        theme = next(rel.target_part for rel in master.part.rels.values() if rel.reltype.endswith("/theme"))
        theme._blob = theme.blob.replace(b'<a:srgbClr val="4F81BD"/>', b'<a:prstClr val="orange"/>')

    shape = sp(p(), properties='<a:solidFill><a:schemeClr val="accent1"/></a:solidFill>')
    colour = shape_of(shape, edit=edit).fill.colour
    assert colour is not None
    assert colour.rgb == "FFA500"
