"""Slide numbers and this year's footer on every slide but the cover."""

from leaf_globals import modified_ppt_path, original_ppt_path
from library_shared import box_of, judged, loose, other_changes
from rubric_kit import group, leaf
from shared import all_shapes, deck, lost_effects

OLD, NEW = "云溪市图书馆2024年度工作报告", "云溪市图书馆2025年度工作报告"


def numbers_everywhere():
    """除封面外每一页都有自动页码（页码域，不是手打的数字）。"""
    return on_every_slide(lambda slide: any(has_number(one) for one in shown_on(slide)), "自动页码")


def footer_everywhere():
    """除封面外每一页的页脚都是“云溪市图书馆2025年度工作报告”。"""
    return on_every_slide(lambda slide: any(is_footer(one, NEW) for one in shown_on(slide)), "新页脚")


def on_every_slide(has, what):
    slides = slides_after()[1:]
    bare = [number for number, slide in enumerate(slides, 2) if not has(slide)]
    return (f"这些页没有{what}：{bare}", min(0.9, 1 - len(bare) / len(slides))) if bare else (f"每页都有{what}", 1.0)


def old_footer_gone():
    """哪一页都不再显示去年的页脚。"""
    left = [n for n, slide in enumerate(slides_after(), 1) if any(loose(OLD) in words(one) for one in shown_on(slide))]
    return judged([f"这些页还有去年的页脚：{left}"] if left else [], "去年的页脚都改掉了")


def cover_clean():
    """封面没有页码，也没有页脚。"""
    shapes = shown_on(slides_after()[0])
    wrong = ["封面有页码"] if any(map(has_number, shapes)) else []
    return judged(wrong + (["封面有页脚"] if any(is_footer(one, NEW) for one in shapes) else []), "封面没有页码和页脚")


def same_places():
    """各页的页码在同一位置，页脚也在同一位置，都在页面下方之内。"""
    wrong = []
    for what, belongs in (("页码", has_number), ("页脚", lambda one: is_footer(one, NEW))):
        places = {n: box_of(s) for n, slide in enumerate(slides_after()[1:], 2) for s in shown_on(slide) if belongs(s)}
        if not places:
            wrong.append(f"没有{what}")
            continue
        usual = sorted(places.values())[len(places) // 2]
        off = [n for n, place in places.items() if max(abs(a - b) for a, b in zip(place, usual, strict=True)) > 0.15]
        wrong += [f"这些页的{what}位置不同：{off}"] if off else []
        wrong += [f"{what}不在页面之内"] if usual[3] > 7.55 or usual[2] > 13.4 else []
    return judged(wrong, "页码和页脚位置统一")


def slides_after():
    return list(deck(modified_ppt_path).slides)


def shown_on(slide):
    """Shapes that show: those of the slide, and those of its layout and master that are no placeholders."""
    shapes = list(all_shapes(slide.shapes))
    layout = slide.slide_layout
    if slide._element.get("showMasterSp", "1") in ("1", "true"):
        shapes += [one for one in all_shapes(layout.shapes) if not one.is_placeholder]
        if layout._element.get("showMasterSp", "1") in ("1", "true"):
            shapes += [one for one in all_shapes(layout.slide_master.shapes) if not one.is_placeholder]
    return shapes


def has_number(shape):
    return any(field.get("type") == "slidenum" for field in shape._element.iter("{*}fld"))


def words(shape):
    return loose(shape.text_frame.text) if shape.has_text_frame else ""


def is_footer(shape, text):
    """Whether the shape shows the footer: its words in the lowest part of the slide, with a number beside or not."""
    return loose(text) in words(shape) and len(words(shape)) < len(loose(text)) + 5 and box_of(shape)[1] > 6.3


def nothing_else():
    """除页脚和页码外，文字、图片、备注、动画和切换都与原来一样。"""
    numbers = range(2, len(deck(original_ppt_path).slides) + 1)
    # "Apply to all" writes the footer into layouts and master too.
    problems = other_changes(dict.fromkeys(numbers, is_foot), allowed=("layout", "master"))
    lost = [one.replace("lost on other slides", "丢失") for one in lost_effects(())]
    return judged(problems + lost, "没有其他改动")


def is_foot(key):
    text = loose(str(key[1]))
    return key[0] == "text" and (
        loose(OLD) in text or loose(NEW) in text or text.strip("第页/共-‹#›<>0123456789") == ""
    )


NAME = "页码与页脚"
DESCRIPTION = "除封面外每页有自动页码和今年的页脚。"
TREE = [
    group(
        "页码与页脚",
        "每页都有，封面没有。",
        leaf(numbers_everywhere, "每页有自动页码", critical=True),
        leaf(footer_everywhere, "每页有新页脚", critical=True),
        leaf(old_footer_gone, "旧页脚已改掉", critical=True),
        leaf(cover_clean, "封面没有", critical=True),
        critical=True,
    ),
    group(
        "其余不变",
        "位置统一，其他内容不动。",
        leaf(same_places, "位置统一"),
        leaf(nothing_else, "其余内容未变"),
    ),
]
