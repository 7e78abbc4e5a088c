"""Helpers of leaves that judge looks: colours as hex digits, text sizes, places on the slide in inches."""

import re

from colours import as_hex, colour, theme_colour
from shared import is_group


def hex_of(fill, slide):
    """The colour that a solid fill element shows, as six hex digits; None without one."""
    shown = None if fill is None or len(fill) == 0 else colour(fill, slide)
    return as_hex(shown) if shown else None


def near(one, other, by=6):
    """Whether two colours are the same to the eye; a word for another kind of fill is like no colour."""
    return all(re.fullmatch("[0-9A-Fa-f]{6}", text or "") for text in (one, other)) and all(
        abs(int(one[i : i + 2], 16) - int(other[i : i + 2], 16)) <= by for i in (0, 2, 4)
    )


def fill_colour(shape, slide):
    """The colour of a shape's own solid fill, or None."""
    return hex_of(shape._element.find("{*}spPr/{*}solidFill"), slide)


def text_properties(run, shape, slide, level=0):
    """Where a run gets its looks from: its own properties, then those of its shape, layout and master."""
    own = run._r.find("{*}rPr")
    found = [] if own is None else [own]
    where = f"{{*}}lstStyle/{{*}}lvl{level + 1}pPr/{{*}}defRPr"
    found += shape._element.txBody.iterfind(where)
    if shape.is_placeholder:
        layout = slide.slide_layout
        wanted = shape.placeholder_format
        for owner in (layout, layout.slide_master):
            for holder in owner.placeholders:
                same = holder.placeholder_format
                if same.idx == wanted.idx or (owner is not layout and same.type == wanted.type):
                    found += holder._element.txBody.iterfind(where)
        style = "titleStyle" if wanted.type in (1, 3) else "bodyStyle"
        found += layout.slide_master._element.iterfind(f"{{*}}txStyles/{{*}}{style}/{{*}}lvl{level + 1}pPr/{{*}}defRPr")
    return found


def text_colour(run, shape, slide, level=0):
    """The colour that a run shows."""
    for properties in text_properties(run, shape, slide, level):
        found = hex_of(properties.find("{*}solidFill"), slide)
        if found:
            return found
    return theme_colour("tx1", slide).upper()


def text_size(run, shape, slide, level=0):
    """The size that a run shows, in points; 18 where nothing says one."""
    sizes = (properties.get("sz") for properties in text_properties(run, shape, slide, level))
    return int(next((size for size in sizes if size), "1800")) / 100


def placed(slide):
    """(shape, (left, top, right, bottom)) of each shape that is no group, in inches, whatever groups it is in."""
    out = []

    def walk(shapes, scale_x, scale_y, move_x, move_y):
        for shape in shapes:
            x, y, w, h = ((v or 0) / 914400 for v in (shape.left, shape.top, shape.width, shape.height))
            x, y, w, h = x * scale_x + move_x, y * scale_y + move_y, w * scale_x, h * scale_y
            if is_group(shape):
                frame = shape._element.grpSpPr.find("{*}xfrm")
                inner = [int(frame.find("{*}" + tag).get(name)) / 914400 for tag, name in INNER]
                sx, sy = (w / inner[2] if inner[2] else 1), (h / inner[3] if inner[3] else 1)
                walk(shape.shapes, sx, sy, x - inner[0] * sx, y - inner[1] * sy)
            else:
                out.append((shape, (x, y, x + w, y + h)))

    walk(slide.shapes if slide is not None else (), 1, 1, 0, 0)
    return out


# Where a group keeps its own coordinates.
INNER = (("chOff", "x"), ("chOff", "y"), ("chExt", "cx"), ("chExt", "cy"))


def middle(box):
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def overlap(one, other):
    """How deep two boxes overlap, in inches; negative where they are apart."""
    return min(min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1]))
