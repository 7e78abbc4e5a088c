"""Three dividers: one dark green background, and the transition Push."""

import colorsys

from colours import colour, shine
from leaf_globals import original_ppt_path
from library_shared import judged, lines_on, other_changes
from rubric_kit import group, leaf
from shared import deck, may_not_change, slide_after

SECTIONS = {4: "馆藏与服务", 8: "阅读推广与古籍保护", 12: "经费、问题与打算"}


def dark_green():
    """三张节标题页的背景格式都是深绿色的纯色填充。"""
    wrong = []
    for number, title in SECTIONS.items():
        rgb = background(slide_after(number))
        if not is_dark_green(rgb):
            wrong.append(f"“{title}”的背景是{named(rgb)}")
    return ("；".join(wrong), 1 - len(wrong) / 3) if wrong else ("三张都是深绿色背景", 1.0)


def same_green():
    """三张的背景颜色相同。"""
    found = [background(slide_after(number)) for number in SECTIONS]
    if None in found:
        return "不是每一张都有纯色背景", 0.0
    apart = max(max(parts) - min(parts) for parts in zip(*found, strict=True))
    return f"背景颜色：{'、'.join(map(named, found))}", float(apart <= 0.012)


def background(slide):
    """The (r, g, b) of the background that shows: the slide's own, else its layout's or master's; None if not solid."""
    if slide is None:
        return None
    for owner in (slide, slide.slide_layout, slide.slide_layout.slide_master):
        own = owner._element.find("{*}cSld/{*}bg")
        if own is not None:
            solid = own.find("{*}bgPr/{*}solidFill")
            by_theme = own.find("{*}bgRef")
            # Number 1001 is the theme's plain background fill, in the colour given with it.
            if solid is None and by_theme is not None and by_theme.get("idx") == "1001":
                solid = by_theme
            return colour(solid, slide) if solid is not None else None
    return None


def is_dark_green(rgb):
    if rgb is None:
        return False
    hue, _, sat = colorsys.rgb_to_hls(*rgb)
    return 80 <= hue * 360 <= 176 and sat >= 0.12 and shine(rgb) <= 0.125


def named(rgb):
    return "#" + "".join(f"{round(255 * part):02X}" for part in rgb) if rgb else "（不是纯色）"


def pushed():
    """三张节标题页的切换效果都是“推入”。"""
    found = {title: transition(slide_after(number)) for number, title in SECTIONS.items()}
    wrong = [f"“{title}”的切换是{kind}" for title, kind in found.items() if kind != "push"]
    return ("；".join(wrong), 1 - len(wrong) / 3) if wrong else ("三张的切换都是推入", 1.0)


def transition(slide):
    """The kind of the slide's transition as in its XML; a newer one comes before its fallback."""
    for element in slide._element.iter("{*}transition") if slide is not None else ():
        kinds = [str(child.tag).split("}")[-1] for child in element]
        return next((kind for kind in kinds if kind not in ("sndAc", "extLst")), "无")
    return "无"


def readable():
    """标题和副题在新背景上看得清，对比度不低于3。"""
    poor = []
    for number in SECTIONS:
        slide = slide_after(number)
        below = background(slide) or (1, 1, 1)
        for _, paragraph in lines_on(slide):
            for run in paragraph.runs:
                own = run._r.find("{*}rPr/{*}solidFill")
                ink = (colour(own, slide) if own is not None else None) or (1, 1, 1)  # the layout's text is white
                dark, light = sorted((shine(ink), shine(below)))
                if (light + 0.05) / (dark + 0.05) < 3:
                    poor.append(f"第{number}页“{run.text}”看不清，对比度{(light + 0.05) / (dark + 0.05):.1f}")
    return judged(poor, "文字都看得清")


def nothing_else():
    """三张的文字和位置、其他各页及其切换都与原来一样。"""
    # The dividers' layout is used by them alone: a background set there is as good.
    problems = other_changes(dict.fromkeys(SECTIONS, may_not_change), allowed=("layout 节标题",))
    for number, slide in enumerate(deck(original_ppt_path).slides, 1):
        other = slide_after(number)
        if number not in SECTIONS and other is not None and transition(slide) != transition(other):
            problems.append(f"第{number}页的切换由{transition(slide)}变成{transition(other)}")
    return judged(problems, "没有其他改动")


NAME = "统一节标题页"
DESCRIPTION = "三张节标题页用同一种深绿色背景和“推入”切换。"
TREE = [
    group(
        "背景与切换",
        "深绿、相同、推入。",
        leaf(dark_green, "背景是深绿色", critical=True),
        leaf(same_green, "三张颜色相同", critical=True),
        leaf(pushed, "切换都是推入", critical=True),
        critical=True,
    ),
    group(
        "其余不变",
        "文字看得清，其他不动。",
        leaf(readable, "文字看得清"),
        leaf(nothing_else, "其余内容未变"),
    ),
]
