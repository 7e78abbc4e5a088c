"""Three dividers: one dark green background, and the transition Push."""

import colorsys

from colours import colour, shine
from leaf_globals import modified_ppt_screenshots, original_ppt_path
from library_shared import judged, lines_on, other_changes
from rubric_kit import group, leaf
from shared import deck, may_not_change, slide_after
from visual import asked

from pytest_ppteval.picture import measures

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


def alike_as_drawn():
    """画出来看，三张都以绿色为主，除文字外一模一样，文字看得清。"""
    shots = {
        4: measures.of_slide(modified_ppt_screenshots, 4),
        8: measures.of_slide(modified_ppt_screenshots, 8),
        12: measures.of_slide(modified_ppt_screenshots, 12),
    }
    wrong = []
    for number, shot in shots.items():
        ground = measures.dominant_colour(shot)
        wrong += [] if ground.is_a("green") else [f"第{number}页主要是{ground.hex}，不是绿色"]
        for line in measures.drawn_text(shot):
            clear = measures.text_contrast(shot, line)
            wrong += [f"第{number}页“{line.text}”看不清，对比度{clear:.1f}"] if clear < 4.5 else []
        wrong += (
            []
            if measures.same_except(shots[4], shot, text_boxes(4) + text_boxes(number))
            else [f"第{number}页除文字外与第4页看起来不同"]
        )
    return judged(wrong, "三张看起来一样，文字看得清")


def text_boxes(number):
    """Where the slide's texts stand."""
    return [measures.shape_box(shape).grown(3) for shape, _ in lines_on(slide_after(number))]


def looks_uniform():
    """视觉模型看三张节标题页：背景同为深绿色，风格统一。"""
    pictures = [shot.image_path for shot in modified_ppt_screenshots if shot.slide_number in (4, 8, 12)]
    return asked(QUESTION, pictures)


QUESTION = """\
这是一份演示文稿的三张节标题页。三张的背景是不是同一种深绿色，文字都看得清，看起来是统一的一组？
请先回答 YES 或 NO，再用一句话说明理由。"""


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
THRESHOLD = 0.7  # what is left where all looks fall short; see "Looks" in cases/README.md
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
        "观感",
        "三张看起来怎么样。",
        leaf(alike_as_drawn, "画出来三张一样"),
        leaf(looks_uniform, "看起来统一"),
    ),
    group(
        "其余不变",
        "文字看得清，其他不动。",
        leaf(readable, "文字看得清", critical=True),
        leaf(nothing_else, "其余内容未变", critical=True),
        critical=True,
    ),
]
