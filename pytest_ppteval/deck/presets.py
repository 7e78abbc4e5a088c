"""PowerPoint's animation presets: from the numbers in a file to the names in its animation pane, in snake case."""

from __future__ import annotations

ENTRANCE: dict[int, str] = {
    1: "appear",
    2: "fly_in",
    3: "blinds",
    4: "box",
    5: "checkerboard",
    6: "circle",
    7: "crawl_in",
    8: "diamond",
    9: "dissolve_in",
    10: "fade",
    11: "flash_once",
    12: "peek_in",
    13: "plus",
    14: "random_bars",
    15: "spiral_in",
    16: "split",
    17: "stretch",
    18: "strips",
    19: "swivel",
    20: "wedge",
    21: "wheel",
    22: "wipe",
    23: "zoom",
    24: "random_effects",
    25: "boomerang",
    26: "bounce",
    27: "colored_lettering",
    28: "credits",
    29: "ease_in",
    30: "float",
    31: "grow_and_turn",
    34: "light_speed",
    35: "pinwheel",
    37: "rise_up",
    38: "swish",
    39: "thin_line",
    40: "unfold",
    41: "whip",
    42: "ascend",
    43: "center_revolve",
    45: "faded_swivel",
    47: "descend",
    48: "sling",
    49: "spinner",
    50: "compress",
    51: "magnify",
    52: "curve_up",
    53: "faded_zoom",
    54: "glide",
    55: "expand",
    56: "flip",
    58: "fold",
}

EMPHASIS: dict[int, str] = {
    1: "fill_color",
    2: "font",
    3: "font_color",
    4: "font_size",
    5: "font_style",
    6: "grow_shrink",
    7: "line_color",
    8: "spin",
    9: "transparency",
    10: "bold_flash",
    14: "blast",
    15: "bold_reveal",
    16: "brush_color",
    18: "underline",
    19: "color_blend",
    20: "color_wave",
    21: "complementary_color",
    22: "complementary_color_2",
    23: "contrasting_color",
    24: "darken",
    25: "desaturate",
    26: "flash_bulb",
    27: "flicker",
    28: "grow_with_color",
    30: "lighten",
    31: "style_emphasis",
    32: "teeter",
    33: "vertical_highlight",
    34: "wave",
    35: "blink",
    36: "shimmer",
}

# An exit is named as the entrance of its number, with in/out and up/down turned.
EXIT: dict[int, str] = {number: name.replace("_in", "_out") for number, name in ENTRANCE.items()} | {
    1: "disappear",
    2: "fly_out",
    37: "sink_down",
    42: "descend",
    47: "ascend",
    49: "spinner_out",
    52: "curve_down",
    55: "contract",
}
MEDIA: dict[int, str] = {1: "media_play", 2: "media_pause", 3: "media_stop"}

# presetClass -> (effect_class for people, names)
CLASSES: dict[str, tuple[str, dict[int, str]]] = {
    "entr": ("entrance", ENTRANCE),
    "emph": ("emphasis", EMPHASIS),
    "exit": ("exit", EXIT),
    "path": ("motion_path", {}),
    "mediacall": ("media", MEDIA),
    "verb": ("verb", {}),
}

# presetSubtype is a number of which only the effect's own kind knows the meaning: 4 is "from the bottom" of a wipe,
# and four spokes of a wheel.
_FROM: dict[int, str] = {
    1: "from_top",
    2: "from_right",
    3: "from_top_right",
    4: "from_bottom",
    6: "from_bottom_right",
    8: "from_left",
    9: "from_top_left",
    12: "from_bottom_left",
}
_SHAPE: dict[int, str] = {
    5: "horizontal",
    10: "vertical",
    16: "in",
    21: "vertical_in",
    26: "horizontal_in",
    32: "out",
    36: "out_from_screen_center",
    37: "vertical_out",
    42: "horizontal_out",
    272: "in_slightly",
    288: "out_slightly",
    528: "in_from_screen_center",
}
DIRECTIONS: dict[int, dict[int, str]] = {
    **dict.fromkeys((2, 7, 12, 18, 22), _FROM),  # fly, crawl, peek, strips, wipe
    # blinds, box, circle, diamond, plus, random bars, split, zoom
    **dict.fromkeys((3, 4, 6, 8, 13, 14, 16, 23), _SHAPE),
}


def effect_name(preset_class: str, preset: int, subtype: int) -> str:
    """The effect_type of a preset: its name, then its direction where it has one ("fly_in_from_left").

    A preset that is not known has a name too, the same each time: "entrance_99".
    """
    if preset_class == "path":
        return "motion_path"
    effect_class, names = CLASSES.get(preset_class, (preset_class or "custom", {}))
    name = names.get(preset)
    if name is None:
        return f"{effect_class}_{preset}"
    direction = DIRECTIONS.get(preset, {}).get(subtype) if preset_class in ("entr", "exit") else None
    return f"{name}_{direction}" if direction else name
