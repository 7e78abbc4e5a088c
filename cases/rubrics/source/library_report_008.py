"""The restorer's desk, lying on its side, is set upright and described."""

import io

from leaf_globals import (
    modified_ppt_path,
    modified_ppt_screenshots,
    original_ppt_path,
    original_ppt_screenshots,
)
from library_shared import box_of, covered, judged, loose, other_changes, pictures_on
from PIL import Image
from rubric_kit import group, leaf
from shared import deck, slide_after
from visual import asked

from pytest_ppteval.picture import measures

SLIDE = 10
TEXT = "修复师的工作台"
# What turning a picture upright may go wrong by: quarter turns clockwise, and mirrored or not.
TURNS = [(quarter, mirrored) for quarter in range(4) for mirrored in (False, True)]


def upright():
    """照片是正的：没有横躺、倒置，也没有左右颠倒。"""
    shape = the_picture()
    if shape is None:
        return f"第{SLIDE}页没有照片", 0.0
    angle = shape.rotation % 360
    if min(angle % 90, 90 - angle % 90) > 1:
        return f"照片歪着，旋转角度是{angle:.0f}°", 0.0
    quarter, mirrored = orientation(shape, round(angle / 90) % 4)
    if (quarter, mirrored) == (0, False):
        return "照片是正的", 1.0
    return f"照片看起来顺时针转了{quarter * 90}°" + ("，而且左右颠倒" if mirrored else ""), 0.0


def the_picture():
    found = pictures_on(slide_after(SLIDE))
    return found[0] if found else None


def orientation(shape, quarter):
    """How the picture is seen, against how it was drawn: (quarter turns clockwise, mirrored)."""
    [old] = pictures_on(deck(original_ppt_path).slides[SLIDE - 1])
    frame = shape._element.spPr.find("{*}xfrm")
    image = pixels(shape)
    if frame.get("flipH") in ("1", "true"):
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if frame.get("flipV") in ("1", "true"):
        image = image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    seen = turned(image, quarter, False).resize((32, 32)).tobytes()
    drawn = pixels(old, cropped=False)
    return min(TURNS, key=lambda turn: apart(seen, turned(drawn, *turn).resize((32, 32)).tobytes()))


def pixels(shape, cropped=True):
    """The picture in grey, without what is cropped away."""
    image = Image.open(io.BytesIO(shape.image.blob)).convert("L")
    if not cropped:
        return image
    wide, high = image.size
    box = (shape.crop_left * wide, shape.crop_top * high, (1 - shape.crop_right) * wide, (1 - shape.crop_bottom) * high)
    return image.crop(tuple(round(edge) for edge in box))


def turned(image, quarter, mirrored):
    if mirrored:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return image.rotate(-90 * quarter, expand=True)


def apart(one, other):
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def proportions_kept():
    """照片没有被压扁或拉长，也没有裁掉。"""
    shape = the_picture()
    if shape is None:
        return f"第{SLIDE}页没有照片", 0.0
    wide, high = pixels(shape).size
    stretch = (shape.width / shape.height) / (wide / high)
    cut = [side for side in ("left", "top", "right", "bottom") if getattr(shape, f"crop_{side}") > 0.03]
    if abs(stretch - 1) > 0.03:
        return f"照片的宽高比是原来的{stretch:.2f}倍", 0.0
    return (f"照片被裁掉了：{cut}", 0.0) if cut else ("比例不变", 1.0)


def described():
    """照片的替代文字是“修复师的工作台”。"""
    shape = the_picture()
    if shape is None:
        return f"第{SLIDE}页没有照片", 0.0
    text = shape._element.nvPicPr.cNvPr.get("descr", "")
    return f"替代文字是“{text}”", float(loose(text).rstrip(".") == loose(TEXT))


def in_its_place():
    """照片在页面之内，不太小，不盖住文字。"""
    shape = the_picture()
    if shape is None:
        return f"第{SLIDE}页没有照片", 0.0
    left, top, right, bottom = box_of(shape)
    if round(shape.rotation / 90) % 2:  # the frame of a quarter turn lies the other way
        x, y, half_w, half_h = (left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2
        left, top, right, bottom = x - half_h, y - half_w, x + half_h, y + half_w
    size = deck(modified_ppt_path)
    wrong = [f"照片盖住了“{text}”" for text in covered((left, top, right, bottom), slide_after(SLIDE), shape)]
    if min(left, top) < -0.05 or right > size.slide_width / 914400 + 0.05 or bottom > size.slide_height / 914400 + 0.05:
        wrong.append("照片超出页面")
    if min(right - left, bottom - top) < 1.2:
        wrong.append(f"照片只有{right - left:.1f}×{bottom - top:.1f}英寸")
    return judged(wrong, "照片位置合适")


def rest_looks_same():
    """画出来看，只有照片那一块变了，页面其他地方一点没变。"""
    shape = the_picture()
    if shape is None:
        return f"第{SLIDE}页没有照片", 0.0
    before = measures.of_slide(original_ppt_screenshots, SLIDE)
    after = measures.of_slide(modified_ppt_screenshots, SLIDE)
    [old] = pictures_on(deck(original_ppt_path).slides[SLIDE - 1])
    places = [measures.shape_box(one).grown(4) for one in (old, shape)]
    changed = measures.changed_region(before, after)
    if changed is None:
        return "画面一点没变", 0.0
    if not measures.same_except(before, after, places):
        return f"照片以外也变了，变动的范围是{changed}", 0.0
    return f"只有照片变了：{changed}", 1.0


def looks_upright():
    """视觉模型看这一页：照片是正的，没有变形，也不挡文字。"""
    pictures = [shot.image_path for shot in modified_ppt_screenshots if shot.slide_number == SLIDE]
    return asked(QUESTION, pictures)


QUESTION = """\
这是一页幻灯片，右边是修复师工作台的照片。照片是不是正着放的，没有横躺、倒置或变形，也没有盖住文字？
请先回答 YES 或 NO，再用一句话说明理由。"""


def nothing_else():
    """这一页只有一张照片，文字不变；其他页都与原来一样。"""
    number = len(pictures_on(slide_after(SLIDE)))
    wrong = [f"这一页有{number}张照片，原来是一张"] if number != 1 else []
    return judged(wrong + other_changes({SLIDE: is_picture}), "没有其他改动")


def is_picture(key):
    return key[0] == "picture"


NAME = "照片转正"
DESCRIPTION = "修复室的照片转正，比例不变，有替代文字。"
THRESHOLD = 0.7  # what is left where all looks fall short; see "Looks" in cases/README.md
TREE = [
    group(
        "照片",
        "转正、比例、替代文字。",
        leaf(upright, "照片已转正", critical=True),
        leaf(proportions_kept, "比例不变", critical=True),
        leaf(described, "替代文字正确", critical=True),
        critical=True,
    ),
    group(
        "观感",
        "这一页看起来怎么样。",
        leaf(rest_looks_same, "画面其余不变"),
        leaf(looks_upright, "看起来是正的"),
    ),
    group(
        "其余不变",
        "页面整齐，其他不动。",
        leaf(in_its_place, "照片位置合适", critical=True),
        leaf(nothing_else, "其余内容未变", critical=True),
        critical=True,
    ),
]
