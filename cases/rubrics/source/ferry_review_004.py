"""Traffic-light fills for the ratings in the risk table."""

import colorsys

from colours import colour, shine
from leaf_globals import original_ppt_path
from rubric_kit import group, leaf
from shared import deck, extraneous, may_not_change, plain, slide_after, verdict

SLIDE = 15


def high_red():
    """The two Rating cells that say High are filled red."""
    return filled("High", "red", 2)


def medium_amber():
    """The two Rating cells that say Medium are filled amber: a yellow or an orange."""
    return filled("Medium", "amber", 2)


def low_green():
    """The Rating cell that says Low is filled green."""
    return filled("Low", "green", 1)


def filled(level, wanted, number):
    table = risk_table(slide_after(SLIDE))
    if table is None:
        return f"the risk table is gone from slide {SLIDE}", 0.0
    cells = [cell for text, cell in ratings(table) if text == level]
    if len(cells) != number:
        return f"{len(cells)} Rating cells say {level} instead of {number}", 0.0
    found = [called(own_fill(cell)) for cell in cells]
    return f"{level}: {', '.join(found)}", found.count(wanted) / number


def risk_table(slide):
    """The table with a column Rating; None where it is gone."""
    for shape in slide.shapes if slide is not None else ():
        if getattr(shape, "has_table", False) and "Rating" in [cell.text.strip() for cell in shape.table.rows[0].cells]:
            return shape.table
    return None


def ratings(table):
    """(text, cell) of the Rating column below the header."""
    column = [cell.text.strip() for cell in table.rows[0].cells].index("Rating")
    cells = [row.cells[column] for row in list(table.rows)[1:]]
    return [(cell.text.strip(), cell) for cell in cells]


def own_fill(cell):
    """The colour, as (r, g, b) of 0..1, of the cell's own solid fill, or None."""
    fills = list(cell._tc.iterfind("{*}tcPr/{*}solidFill"))
    return colour(fills[0], slide_after(SLIDE)) if fills else None


def called(rgb):
    """What people call the colour: red, amber, green, or something else."""
    if rgb is None:
        return "no fill of its own"
    hue, light, sat = colorsys.rgb_to_hls(*rgb)
    hue *= 360
    if sat < 0.2 or not 0.08 < light < 0.96:
        return "no clear colour"
    if hue <= 18 or hue >= 335:
        return "red"
    if 20 <= hue <= 64:
        return "amber"
    return "green" if 75 <= hue <= 178 else "another colour"


def words_kept():
    """All cells hold the text that they held, and no row or column was added or removed."""
    new = risk_table(slide_after(SLIDE))
    if new is None:
        return f"the risk table is gone from slide {SLIDE}", 0.0
    old = risk_table(deck(original_ppt_path).slides[SLIDE - 1])
    before, after = ([[plain(cell.text) for cell in row.cells] for row in table.rows] for table in (old, new))
    if before == after:
        return "all cells hold their text", 1.0
    changed = [b for x, y in zip(before, after, strict=False) for a, b in zip(x, y, strict=False) if a != b]
    return f"{len(after)} rows instead of {len(before)}; changed cells: {changed}", 0.0


def only_ratings():
    """Cells of other columns, and the header, were not coloured."""
    table = risk_table(slide_after(SLIDE))
    if table is None:
        return f"the risk table is gone from slide {SLIDE}", 0.0
    rated = [cell._tc for _, cell in ratings(table)]
    others = [cell for row in table.rows for cell in row.cells if cell._tc not in rated]
    extra = [cell.text for cell in others if called(own_fill(cell)) in ("red", "amber", "green")]
    return verdict([f"coloured too: {text!r}" for text in extra], "no other cell was coloured")


def readable():
    """The text of the Rating cells stands out from the fill: a contrast of 2.2 to 1 or more."""
    table = risk_table(slide_after(SLIDE))
    if table is None:
        return f"the risk table is gone from slide {SLIDE}", 0.0
    poor = []
    for level, cell in ratings(table):
        own = list(cell._tc.iterfind("{*}txBody/{*}p/{*}r/{*}rPr/{*}solidFill"))
        # Text without a colour of its own has that of the table's style: the theme's dark one.
        ink = colour(own[0], slide_after(SLIDE)) if own else None
        dark, light = sorted(shine(rgb) for rgb in (own_fill(cell) or (1, 1, 1), ink or (0.12, 0.16, 0.2)))
        if (light + 0.05) / (dark + 0.05) < 2.2:
            poor.append(f"{level} is hardly readable, contrast {(light + 0.05) / (dark + 0.05):.1f}")
    return verdict(poor, "all ratings are readable")


def nothing_else():
    """The rest of the slide and all other slides are as they were."""
    return verdict(extraneous({SLIDE: may_not_change}), "nothing else has changed")


NAME = "Traffic-light ratings"
DESCRIPTION = "The Rating cells show their level by their fill."
TREE = [
    group(
        "Colours by level",
        "Each level has its colour.",
        leaf(high_red, "High is red", critical=True),
        leaf(medium_amber, "Medium is amber", critical=True),
        leaf(low_green, "Low is green", critical=True),
        critical=True,
    ),
    group(
        "Rest intact",
        "The table says what it said, readably.",
        leaf(words_kept, "The table keeps its words", critical=True),
        leaf(only_ratings, "Only the Rating cells"),
        leaf(readable, "The words can be read"),
        leaf(nothing_else, "Nothing else changed"),
        critical=True,
    ),
]
