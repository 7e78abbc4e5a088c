"""Colours, by whatever way a deck names them, and how light they are."""

import colorsys

from lxml import etree


def colour(fill, slide):
    """The (r, g, b), each 0..1, that a solid fill names; theme colours are those of the slide's theme."""
    element = fill[0]
    kind, value = element.tag.split("}")[1], element.get("val")
    if kind == "schemeClr":
        value = theme_colour(value, slide)
    elif kind == "sysClr":
        value = element.get("lastClr")
    elif kind == "prstClr":
        value = NAMED.get(value)
    elif kind == "hslClr":
        hue, sat, lum = (int(element.get(name).rstrip("%")) for name in ("hue", "sat", "lum"))
        value = as_hex(colorsys.hls_to_rgb(hue / 21600000, lum / 100000, sat / 100000))
    elif kind == "scrgbClr":
        value = as_hex((int(element.get(name)) / 100000) ** (1 / 2.2) for name in "rgb")
    if value is None:
        return None
    hue, light, sat = colorsys.rgb_to_hls(*(int(value[at : at + 2], 16) / 255 for at in (0, 2, 4)))
    for change in element:
        name, by = change.tag.split("}")[1], int(change.get("val", "0")) / 100000
        if name in ("lumMod", "shade"):
            light *= by
        elif name == "lumOff":
            light += by
        elif name == "tint":
            light = 1 - (1 - light) * by
        elif name == "satMod":
            sat *= by
    return colorsys.hls_to_rgb(hue, min(1, max(0, light)), min(1, max(0, sat)))


def theme_colour(name, slide):
    """A colour of the slide's theme as hex, by the name that slides use (accent1, tx1, ...)."""
    master = slide.slide_layout.slide_master
    slot = next(master._element.iter("{*}clrMap")).get(name, name)
    [theme] = [rel.target_part for rel in master.part.rels.values() if rel.reltype.endswith("/theme")]
    scheme = next(etree.fromstring(theme.blob).iter("{*}clrScheme"))
    [found] = [e[0] for e in scheme if e.tag.split("}")[1] == slot]
    return found.get("lastClr") or found.get("val")


def as_hex(rgb):
    return "".join(f"{round(255 * part):02X}" for part in rgb)


NAMED = {
    "red": "FF0000", "darkRed": "8B0000", "crimson": "DC143C", "firebrick": "B22222", "orange": "FFA500",
    "gold": "FFD700", "yellow": "FFFF00", "darkOrange": "FF8C00", "goldenrod": "DAA520", "green": "008000",
    "lime": "00FF00", "limeGreen": "32CD32", "forestGreen": "228B22", "lightGreen": "90EE90", "darkGreen": "006400",
    "seaGreen": "2E8B57", "white": "FFFFFF", "black": "000000", "blue": "0000FF", "darkBlue": "00008B",
    "dkBlue": "00008B", "navy": "000080", "midnightBlue": "191970", "steelBlue": "4682B4",
}  # fmt: skip


def shine(rgb):
    """Relative luminance, as in WCAG."""
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
