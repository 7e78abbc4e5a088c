"""The look of library_report.pptx: theme colours and fonts, and a master and layouts with Chinese names of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import (
    FOOTER_BOX,
    HEIGHT,
    NUMBER_BOX,
    SLIDE_NUMBER,
    WIDTH,
    Design,
    Look,
    _set_master,
    block,
    new_deck,
    placeholder,
    set_tree,
)

if TYPE_CHECKING:
    from kit import Deck

# Paper, ink, cinnabar, brass, bamboo, indigo.
LOOK = Look(
    "云溪书香",
    ("2B2622", "FFFFFF", "4A2E27", "F6F0E4", "A63A2B", "C1903F",
     "5B7B62", "2F5673", "8C8074", "B8673A", "2F5673", "7A5C86"),
    heading="Cambria", body="Calibri", heading_ea="宋体", body_ea="微软雅黑",
)  # fmt: skip

NAMES = {
    "Title Slide": "标题幻灯片",
    "Section Header": "节标题",
    "Title and Content": "标题和内容",
    "Two Content": "两栏内容",
    "Comparison": "比较",
    "Title Only": "仅标题",
}
# What python-pptx and the kit call new shapes, and what a Chinese PowerPoint calls them.
SHAPE_NAMES = (
    ("Slide Number Placeholder", "灯片编号占位符"),
    ("Footer Placeholder", "页脚占位符"),
    ("Content Placeholder", "内容占位符"),
    ("Text Placeholder", "文本占位符"),
    ("Notes Placeholder", "备注占位符"),
    ("Slide Image Placeholder", "幻灯片图像占位符"),
    ("Subtitle", "副标题"),
    ("Title", "标题"),
    ("TextBox", "文本框"),
)
Layout = tuple[list[str], "str | None", bool]

TITLE_BOX = (1.0, 0.42, 11.73, 0.86)
TOP, FULL = 1.62, 5.1
MIDDLE = '<a:bodyPr lIns="0" rIns="0" anchor="ctr"/>'


def library_deck(title: str, author: str) -> Deck:
    """An empty deck in this look."""
    deck = new_deck(LOOK, title, author, Design(WIDTH, HEIGHT, _dress_master, LAYOUTS))
    for layout in deck.slide_layouts:
        layout._element.find("{*}cSld").set("name", NAMES[layout.name])
    return deck


def finish(deck: Deck) -> None:
    """Language and names as a Chinese PowerPoint gives them."""
    for slide in deck.slides:
        trees = [slide._element, *([slide.notes_slide._element] if slide.has_notes_slide else [])]
        for tree in trees:
            for run in tree.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}r"):
                properties = run.get_or_add_rPr()
                properties.set("lang", "zh-CN")
                properties.set("altLang", "en-US")
            for shape in tree.iter("{*}cNvPr"):
                for english, chinese in SHAPE_NAMES:
                    name = shape.get("name")
                    if name.startswith(english):
                        shape.set("name", f"{chinese} {name.removeprefix(english).strip() or shape.get('id')}")
                        break


def _dress_master(deck: Deck) -> None:
    _set_master(deck)  # for its text styles
    shapes = [
        block(20, "印章", "accent1", (0.6, 0.56, 0.2, 0.6)),
        block(21, "标题线", "accent2", (0.6, 1.36, 12.13, 0.02)),
        block(22, "页底", "accent1", (0, 7.4, WIDTH, 0.1)),
        placeholder(
            2, "标题占位符", 'type="title"', TITLE_BOX,
            '<a:bodyPr lIns="0" rIns="0" anchor="ctr"><a:normAutofit/></a:bodyPr>', text="单击此处编辑母版标题样式",
        ),
        placeholder(
            3, "文本占位符", 'type="body" idx="1"', (0.6, TOP, 12.13, FULL),
            '<a:bodyPr lIns="0" rIns="0"><a:normAutofit/></a:bodyPr>', text="单击此处编辑母版文本样式",
        ),
        placeholder(4, "页脚占位符", 'type="ftr" sz="quarter" idx="3"', FOOTER_BOX, MIDDLE, _small("l"), "页脚"),
        placeholder(
            5, "灯片编号占位符", 'type="sldNum" sz="quarter" idx="4"', NUMBER_BOX, MIDDLE, _small("r"), SLIDE_NUMBER
        ),
    ]  # fmt: skip
    set_tree(deck.slide_master, shapes)


def _small(align: str, colour: str = "accent5") -> str:
    return (
        f'<a:lstStyle><a:lvl1pPr algn="{align}"><a:defRPr sz="1100"><a:solidFill><a:schemeClr val="{colour}"/>'
        "</a:solidFill></a:defRPr></a:lvl1pPr></a:lstStyle>"
    )


def _feet(first: int, colour: str = "accent5") -> list[str]:
    return [
        placeholder(
            first, "页脚占位符", 'type="ftr" sz="quarter" idx="11"', FOOTER_BOX, MIDDLE, _small("l", colour), "页脚"
        ),
        placeholder(
            first + 1, "灯片编号占位符", 'type="sldNum" sz="quarter" idx="12"', NUMBER_BOX, MIDDLE,
            _small("r", colour), SLIDE_NUMBER,
        ),
    ]  # fmt: skip


def _title(box: tuple[float, float, float, float] | None = None, style: str = "<a:lstStyle/>") -> str:
    return placeholder(2, "标题", 'type="title"', box, "<a:bodyPr/>", style, "单击此处编辑母版标题样式")


def _style(size: int, colour: str, bold: bool = False) -> str:
    weight = ' b="1"' if bold else ""
    return (
        f'<a:lstStyle><a:lvl1pPr marL="0" indent="0" algn="l"><a:buNone/><a:defRPr sz="{size}"{weight}><a:solidFill>'
        f'<a:schemeClr val="{colour}"/></a:solidFill></a:defRPr></a:lvl1pPr></a:lstStyle>'
    )


PROMPT = "单击此处编辑母版文本样式"


def _cover() -> Layout:
    return [
        block(10, "书脊", "accent1", (0, 0, 0.45, HEIGHT)),
        block(11, "短线", "accent2", (1.0, 4.05, 1.3, 0.07)),
        placeholder(
            2, "标题", 'type="ctrTitle"', (1.0, 1.55, 6.6, 2.3), '<a:bodyPr lIns="0" anchor="b"/>',
            _style(4400, "tx2", True), "单击此处编辑母版标题样式",
        ),
        placeholder(
            3, "副标题", 'type="subTitle" idx="1"', (1.0, 4.3, 6.6, 1.4), '<a:bodyPr lIns="0"/>',
            _style(2000, "tx1"), "单击此处编辑母版副标题样式",
        ),
    ], "bg2", True  # fmt: skip


def _section() -> Layout:
    return [
        block(10, "书脊", "accent1", (0, 0, 0.45, HEIGHT)),
        block(11, "短线", "accent2", (1.2, 3.72, 1.3, 0.07)),
        _title((1.2, 2.2, 10.8, 1.4), _style(4000, "bg1", True)),
        placeholder(
            3, "文本占位符", 'type="body" idx="1"', (1.2, 3.95, 10.8, 1.2), '<a:bodyPr lIns="0"/>',
            _style(2000, "bg2"), PROMPT,
        ),
        *_feet(4, "bg2"),
    ], "tx2", True  # fmt: skip


def _content() -> Layout:
    return [_title(), placeholder(3, "内容占位符", 'idx="1"', text=PROMPT), *_feet(4)], None, False


def _two() -> Layout:
    return (
        [
            _title(),
            placeholder(3, "内容占位符", 'sz="half" idx="1"', (0.6, TOP, 5.9, FULL), text=PROMPT),
            placeholder(4, "内容占位符", 'sz="half" idx="2"', (6.83, TOP, 5.9, FULL), text=PROMPT),
            *_feet(5),
        ],
        None,
        False,
    )


def _comparison() -> Layout:
    head, low = _style(2000, "accent1", True), '<a:bodyPr anchor="b"/>'
    return (
        [
            _title(),
            placeholder(3, "文本占位符", 'type="body" idx="1"', (0.6, TOP, 5.9, 0.5), low, head, PROMPT),
            placeholder(4, "内容占位符", 'sz="half" idx="2"', (0.6, TOP + 0.6, 5.9, FULL - 0.6), text=PROMPT),
            placeholder(5, "文本占位符", 'type="body" sz="quarter" idx="3"', (6.83, TOP, 5.9, 0.5), low, head, PROMPT),
            placeholder(6, "内容占位符", 'sz="quarter" idx="4"', (6.83, TOP + 0.6, 5.9, FULL - 0.6), text=PROMPT),
            *_feet(7),
        ],
        None,
        False,
    )


def _title_only() -> Layout:
    return [_title(), *_feet(3)], None, False


LAYOUTS = {
    "Title Slide": _cover,
    "Section Header": _section,
    "Title and Content": _content,
    "Two Content": _two,
    "Comparison": _comparison,
    "Title Only": _title_only,
}
