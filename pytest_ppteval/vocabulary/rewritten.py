"""What LibreOffice changes by itself when it saves a deck that another program wrote: no agent's doing.

A closed list, each entry seen on decks that were only opened and saved. Words, numbers, sizes, colours of texts and
shapes, pictures, places, links, notes and the order of slides it keeps: these are compared as ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.vocabulary.address import is_furniture

if TYPE_CHECKING:
    from pytest_ppteval.look.model import Shape
    from pytest_ppteval.vocabulary.world import World

# Word of a change -> why.
WORDS = {
    "renamed": "placeholders are called PlaceHolder 1, 2, ...",
    "role": "placeholders get other numbers, a centred title becomes a title, a text box a shape",
    "locks": "locks of shapes go",
    "layout": "layouts are renamed after their kind",
    "layout design": "layouts are written anew, some go",
    "master": "masters are written anew, one more for each layout",
    "notes master": "written anew",
    "handout master": "written anew",
    "notes page": "written anew; the notes themselves are compared",
    "presentation": "default texts go",
    "slide size": "rounded to hundredths of a millimetre; the size itself is compared",
    "show settings": "written anew",
    "custom shows": "written anew",
    "comment authors": "written anew",
    "table styles": "the list of styles goes",
    "theme override": "worked in",
    "colour map": "said on each slide",
    "master shapes": "said on each slide",
    "restacked": "placeholders go to the bottom",
    "regrouped": "lines and boxes of groups are told apart",
    "rescaled": "groups' own coordinates are written anew",
    "text box": "insets are said, wrapping is said",
    "autofit": "how far text was shrunk is worked out anew",
    "restyled": "written in other XML; looks are compared",
    "spacing": "letter spacing is said",
    "table style": "styles become the cells' own formats",
    "cell borders": "styles' borders become the cells' own",
    "chart look": "charts' looks are written anew",
    "chart axes": "axes are written anew",
    "geometry": "shapes' guides are written anew",
    "effects": "shadows are written anew",
    "fallback": "older forms go",
    "other": "other XML",
    "tags": "tags go",
    "build": "lists of builds are written anew",
    "field": "types of dates are written anew",
    "tooltip": "tooltips go",
    "glue": "connectors' ends are written anew",
    "media": "media are written anew",
    "controls": "controls go",
}


# Kinds of transition that came after PowerPoint 2007, which it writes as none.
NEWER_TRANSITIONS = frozenset(
    (
        "conveyor", "doors", "ferris", "flash", "flip", "flythrough", "gallery", "glitter", "honeycomb", "morph", "pan",
        "prism", "prstTrans", "reveal", "ripple", "shred", "switch", "vortex", "warp", "wheelReverse", "window",
    )
)  # fmt: skip


def is_rewritten(world: World) -> bool:
    """Whether LibreOffice wrote the new deck, and not the original."""
    return world.after.program.startswith("LibreOffice") and not world.before.program.startswith("LibreOffice")


def is_writers(what: str, pair: tuple[Shape, Shape] | None, aspect: tuple[str, str] = ("", "")) -> bool:
    """Whether a change in a deck that LibreOffice wrote is its own. pair: the looks; aspect: from and to."""
    if what in WORDS:
        return True
    if pair is None:
        return False
    old, new = pair
    if what == "colour" and is_furniture(old):
        return True  # footers take the master's colour
    if what == "bold" and old.table is not None:
        return True  # a heading row's style goes
    if what == "chart data":  # the workbook goes
        return (
            old.chart is not None
            and new.chart is not None
            and [*map(_data, old.chart.series)] == [*map(_data, new.chart.series)]
        )
    if what == "chart title":  # a chart of one series is given its name for a title
        return aspect[0] == "None" and new.chart is not None and len(new.chart.series) == 1
    return what == "line" and old.line is None and new.line is not None and new.line.fill.kind == "none"


def _data(series: object) -> tuple[object, ...]:
    return tuple(getattr(series, name) for name in ("name", "categories", "values", "x_values"))
