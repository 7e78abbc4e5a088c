"""Names and kinds of colours, and contrast."""

from __future__ import annotations

import pytest

from pytest_ppteval.picture.measures import Colour, contrast, is_kind_of
from pytest_ppteval.picture.measures.colour import KINDS


@pytest.mark.parametrize(
    ("kind", "colours"),
    [
        ("blue", ["#0000FF", "#000080", "#4472C4", "#1F6FA8", "#87CEEB", "#12355B", "#0070C0", "royalblue", "#5B9BD5"]),
        ("red", ["#FF0000", "#C00000", "#8B0000", "#DC143C", "firebrick"]),
        ("green", ["#00B050", "#70AD47", "#008000", "#92D050", "#006400", "seagreen"]),
        ("orange", ["#ED7D31", "#FFA500", "#FF8C00", "darkorange"]),
        ("yellow", ["#FFFF00", "#FFC000", "#FFD966", "gold"]),
        ("purple", ["#7030A0", "#800080", "#8A2BE2", "rebeccapurple"]),
        ("pink", ["#FFC0CB", "#FF69B4", "hotpink"]),
        ("brown", ["#8B4513", "#A0522D", "saddlebrown"]),
        ("teal", ["#008080", "#1B998B", "turquoise"]),
        ("grey", ["#808080", "#A5A5A5", "#D9D9D9", "#404040"]),
        ("gray", ["#808080"]),
        ("black", ["#000000", "#0A0A0A"]),
        ("white", ["#FFFFFF", "#FAFAFA"]),
    ],
)
def test_what_people_call_a_kind_of_a_colour(kind: str, colours: list[str]) -> None:
    assert [colour for colour in colours if not is_kind_of(colour, kind)] == []


@pytest.mark.parametrize(
    ("kind", "colours"),
    [
        ("red", ["pink", "hotpink"]),
        ("blue", ["#FF0000", "#00B050", "#7030A0", "#FFFFFF", "#000000", "#808080", "#FFA500", "#FFC0CB"]),
        ("red", ["#0000FF", "#00FF00", "#FFFF00", "#808080", "#7030A0"]),
        ("green", ["#FFFF00", "#FF0000", "#0000FF", "#FFA500", "#4472C4"]),
        ("purple", ["#0000FF", "#000080", "#FF0000", "#00B050"]),
        ("grey", ["#FF0000", "#4472C4", "#FFFFFF", "#000000"]),
        ("black", ["#000080", "navy", "#FFFFFF"]),
    ],
)
def test_what_nobody_calls_so(kind: str, colours: list[str]) -> None:
    assert [colour for colour in colours if is_kind_of(colour, kind)] == []


# CSS's basic colours, and the themes' and standard colours of Office: every kind that each may be called.
@pytest.mark.parametrize(
    ("colour", "kinds"),
    [
        ("black", "black"), ("silver", "grey"), ("gray", "grey"), ("white", "white"), ("maroon", "red brown"),
        ("red", "red"), ("purple", "purple"), ("fuchsia", "purple pink"), ("green", "green"), ("lime", "green"),
        ("olive", "yellow green"), ("yellow", "yellow"), ("navy", "blue"), ("blue", "blue"),
        ("teal", "green teal blue"), ("aqua", "green teal blue"), ("orange", "orange"), ("pink", "pink"),
        ("hotpink", "pink"), ("deeppink", "pink"), ("lightpink", "pink"), ("crimson", "red"), ("darkred", "red brown"),
        ("gold", "yellow"), ("khaki", "yellow"), ("lightyellow", "yellow"), ("darkblue", "blue"),
        ("midnightblue", "blue"), ("brown", "red brown"), ("salmon", "red"),
        ("#4472C4", "blue"), ("#ED7D31", "orange"), ("#A5A5A5", "grey"), ("#FFC000", "yellow"), ("#5B9BD5", "blue"),
        ("#70AD47", "green"), ("#44546A", "blue"), ("#C00000", "red"), ("#00B050", "green"), ("#002060", "blue"),
        ("#0070C0", "blue"), ("#7030A0", "purple"), ("#156082", "teal blue"), ("#196B24", "green"),
        ("#A02B93", "purple"), ("#4EA72E", "green"), ("#FFC7CE", "pink"),
    ],
)  # fmt: skip
def test_a_colour_is_called_nothing_else(colour: str, kinds: str) -> None:
    assert {kind for kind in KINDS if is_kind_of(colour, kind)} - {"teal"} == set(kinds.split()) - {"teal"}


def test_an_unknown_kind_is_told() -> None:
    with pytest.raises(ValueError, match="'mauve' is no kind of colour here: use one of black"):
        is_kind_of("#FF0000", "mauve")


@pytest.mark.parametrize(
    ("hex_text", "name"), [("#FF0000", "red"), ("#000080", "navy"), ("#1F6FA8", "steelblue"), ("#FEFEFE", "white")]
)
def test_names_are_those_of_css(hex_text: str, name: str) -> None:
    colour = Colour(*bytes.fromhex(hex_text[1:]))
    assert colour.name == name
    assert colour.hex == hex_text


# Black on white is the greatest ratio that WCAG's formula gives, and #767676 is well known as the lightest grey
# that passes 4.5 on white.
@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#FFFFFF", 21.0),
        ("#FFFFFF", "#FFFFFF", 1.0),
        ("#767676", "#FFFFFF", 4.54),
        ("#777777", "#FFFFFF", 4.48),
    ],
)
def test_contrast_is_wcags_ratio(one: str, other: str, ratio: float) -> None:
    assert contrast(one, other) == pytest.approx(ratio, abs=0.005)
    assert contrast(other, one) == contrast(one, other)
