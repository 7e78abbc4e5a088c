"""Five measures: typed numbers become automatic ones in Chinese numerals."""

import re

from library_shared import judged, loose, other_changes
from numbering import lines, numbers
from rubric_kit import group, leaf
from shared import slide_after

SLIDE = 15
POINTS = (
    "延长分馆周末开放时间",
    "补充科技类和外文类图书",
    "更换自助借还机18台",
    "新建古籍修复工作室",
    "读者意见一天内回复",
)
SUB_POINTS = ("东湖分馆和少儿分馆周末开放到21:00", "全年新购不少于4.2万册", "外文书由读者荐购，两周内到馆")
# PowerPoint's schemes that count 一 二 三, with a stop or without, be it half or full width.
CHINESE = (
    "ea1ChsPeriod", "ea1ChsPlain", "ea1ChtPeriod", "ea1ChtPlain", "ea1JpnChsDbPeriod", "ea1JpnKorPeriod",
    "ea1JpnKorPlain",
)  # fmt: skip
TYPED = r"^\s*[（(]?\s*([0-9０-９]+|[一二三四五]|[①-⑤])\s*[)）.．、,，:：]"


def typed_gone():
    """五项措施前面手打的序号都删掉了。"""
    typed = [text for text, *_ in lines_here() if re.match(TYPED, text) and point_in(text)]
    missing = [point for point in POINTS if not any(point_in(text) == point for text, *_ in lines_here())]
    wrong = [f"还有手打序号：{typed}"] if typed else []
    return judged(wrong + ([f"找不到：{missing}"] if missing else []), "手打的序号都删掉了")


def points_numbered():
    """五项措施每一项都有自动编号。"""
    bare = [point for point in POINTS if (bullets().get(point) or ("",))[0] != "auto"]
    return (f"没有自动编号：{bare}", 1 - len(bare) / 5) if bare else ("五项都有自动编号", 1.0)


def chinese_numerals():
    """编号用中文数字一、二、三，标点不限。"""
    schemes = sorted({bullets()[p][1] for p in POINTS if (bullets().get(p) or ("",))[0] == "auto"})
    if schemes and set(schemes) <= set(CHINESE):
        return f"编号格式是{'、'.join(schemes)}", 1.0
    return f"编号格式是{'、'.join(schemes) or '无'}，不是中文数字", 0.0


def one_to_five():
    """显示出来的编号依次是一到五，不从头重排。"""
    shown = {point_in(text): number for text, number in numbers(lines_here()).items()}
    found = [shown.get(point) for point in POINTS]
    return ("依次是一到五", 1.0) if found == [1, 2, 3, 4, 5] else (f"显示的编号是{found}", 0.0)


def lines_here():
    return lines(slide_after(SLIDE))


def point_in(text):
    """The measure that a line holds, whatever is typed before it."""
    return next((point for point in POINTS if loose(text).endswith(loose(point))), None)


def bullets():
    return {point_in(text): bullet for text, _, bullet, _ in lines_here()}


def sub_points_kept():
    """三个小点仍是下一级的项目符号。"""
    found = {loose(text): (level, bullet) for text, level, bullet, _ in lines_here()}
    wrong = []
    for point in SUB_POINTS:
        level, bullet = found.get(loose(point), (-1, None))
        if level < 1 or bullet is None or bullet[0] != "char":
            wrong.append(f"“{point}”不见了" if level < 0 else f"“{point}”：第{level + 1}级，符号{bullet}")
    return judged(wrong, "三个小点不变")


def words_kept():
    """八行文字与次序不变。"""
    wanted = [POINTS[0], SUB_POINTS[0], POINTS[1], *SUB_POINTS[1:], *POINTS[2:]]
    found = []
    for text, *_ in lines_here():
        line = re.sub(TYPED, "", text)
        found += [one for one in wanted if loose(line) == loose(one)]
    return ("文字和次序不变", 1.0) if found == wanted else (f"现在各行是{found}", 0.0)


def nothing_else():
    """这一页其他内容和其他页都与原来一样。"""
    return judged(other_changes({SLIDE: is_list}), "没有其他改动")


def is_list(key):
    """The list itself: its words are another leaf's business."""
    return key[0] == "text" and any(point in key[1] for point in POINTS)


NAME = "措施自动编号"
DESCRIPTION = "手打的序号换成自动编号一、二、三、四、五。"
TREE = [
    group(
        "自动编号",
        "手打序号删掉，换成中文数字的自动编号。",
        leaf(typed_gone, "手打序号已删", critical=True),
        leaf(points_numbered, "每项都有自动编号", critical=True),
        leaf(chinese_numerals, "用中文数字", critical=True),
        leaf(one_to_five, "依次为一到五", critical=True),
        critical=True,
    ),
    group(
        "其余不变",
        "小点、文字和其他页不动。",
        leaf(sub_points_kept, "小点不变", critical=True),
        leaf(words_kept, "文字和次序不变", critical=True),
        leaf(nothing_else, "其余内容未变"),
        critical=True,
    ),
]
