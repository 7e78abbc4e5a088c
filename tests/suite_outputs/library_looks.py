"""Outputs for tasks on the library's report: 005 (footers), 006 (dividers) and 008 (a picture set upright)."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from PIL import Image
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import PP_ALIGN
from pptx.oxml import parse_xml
from pptx.util import Inches, Pt

from suite_outputs import A, Deck, Parts, Rgb, Shape, Slide, good, good_parts, remove, replace_once, wrong

if TYPE_CHECKING:
    from collections.abc import Iterable

P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'

# --- 005: numbers and footers ----------------------------------------------------------------------------------------

OLD, NEW = "云溪市图书馆2024年度工作报告", "云溪市图书馆2025年度工作报告"
FIELD = f'<a:fld {A} id="{{7D1E64A5-0A0B-4C53-9A55-0B1C0F2D9A11}}" type="slidenum"><a:t>‹#›</a:t></a:fld>'


def holders(slide: Slide, kind: int) -> list[Shape]:
    """Placeholders of the slide: 13 is a slide number, 15 a footer."""
    return [shape for shape in slide.placeholders if shape.placeholder_format.type == kind]


def add_box(slide: Slide, text: str | None, left: float, wide: float) -> Shape:
    """A small text box at the foot; without a text it shows the slide's number."""
    box = slide.shapes.add_textbox(Inches(left), Inches(6.98), Inches(wide), Inches(0.32))
    if text is None:
        box.text_frame.paragraphs[0]._p.append(parse_xml(FIELD))
        box.text_frame.paragraphs[0].alignment = PP_ALIGN.RIGHT
    else:
        box.text_frame.text = text
        box.text_frame.paragraphs[0].runs[0].font.size = Pt(11)
    if slide.slide_layout.name == "节标题":  # on dark brown
        lighten(box)
    return box


def lighten(box: Shape) -> None:
    """All its runs and fields in cream."""
    for run in box._element.iter("{*}r", "{*}fld"):
        properties = run.find("{*}rPr")
        if properties is None:
            properties = parse_xml(f"<a:rPr {A}/>")
            run.insert(0, properties)
        if properties.find("{*}solidFill") is None:
            properties.insert(0, parse_xml(f'<a:solidFill {A}><a:srgbClr val="F6F0E4"/></a:solidFill>'))


def add_feet(deck: Deck, numbers: bool = True, sections: bool = True) -> None:
    """Footers changed in place; what is missing comes as text boxes in the same places."""
    for slide in list(deck.slides)[1:]:
        for shape in holders(slide, 15):
            shape.text_frame.text = NEW
        if sections and not holders(slide, 15):
            add_box(slide, NEW, 0.6, 8)
        if numbers and not holders(slide, 13) and (sections or holders(slide, 15)):
            add_box(slide, None, 11.73, 1)


@good("图书馆年报-005")
def text_boxes_where_placeholders_are_missing(deck: Deck) -> None:
    add_feet(deck)


@good("图书馆年报-005")
def all_feet_as_text_boxes(deck: Deck) -> None:
    for slide in list(deck.slides)[1:]:
        for shape in (*holders(slide, 13), *holders(slide, 15)):
            remove(shape)
        add_box(slide, NEW, 0.6, 8)
        box = add_box(slide, None, 11.5, 1.23)
        field = next(box._element.iter("{*}fld"))
        field.addprevious(parse_xml(f"<a:r {A}><a:t>第</a:t></a:r>"))
        field.addnext(parse_xml(f"<a:r {A}><a:t>页</a:t></a:r>"))
        if slide.slide_layout.name == "节标题":
            lighten(box)


@good_parts("图书馆年报-005")
def placeholders_in_the_xml_and_layouts_too(parts: Parts) -> None:
    """As PowerPoint's own dialogue does it: layouts and master get the footer's words as well."""
    spare = '<p:sp><p:nvSpPr><p:cNvPr id="{0}" name="{1} {0}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr>'
    spare += '<p:ph type="{2}" sz="quarter" idx="{3}"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>'
    spare += "<a:p>{4}</a:p></p:txBody></p:sp>"
    field = FIELD.replace(f" {A}", "")
    for name, text in parts.items():
        if name.startswith(("ppt/slideLayouts/slideLayout", "ppt/slideMasters/slideMaster")):
            text = text.replace("<a:t>页脚</a:t>", f"<a:t>{NEW}</a:t>")
        elif name.startswith("ppt/slides/slide") and name != "ppt/slides/slide1.xml":
            text = text.replace(OLD, NEW)
            more = "" if 'type="ftr"' in text else spare.format(71, "页脚", "ftr", 11, f"<a:r><a:t>{NEW}</a:t></a:r>")
            more += "" if 'type="sldNum"' in text else spare.format(72, "灯片编号", "sldNum", 12, field)
            text = replace_once(text, "</p:spTree>", f"{more}</p:spTree>")
        parts[name] = text


@wrong("图书馆年报-005", "每页有自动页码", "每页有新页脚")
def dividers_forgotten(deck: Deck) -> None:
    add_feet(deck, sections=False)


@wrong("图书馆年报-005", "每页有自动页码")
def numbers_typed(deck: Deck) -> None:
    add_feet(deck, numbers=False)
    for number, slide in enumerate(deck.slides, 1):
        if number > 1 and not holders(slide, 13):
            add_box(slide, str(number), 11.73, 1)


@wrong("图书馆年报-005", "旧页脚已改掉")
def new_footer_beside_the_old(deck: Deck) -> None:
    add_feet(deck)
    for shape in holders(deck.slides[1], 15):
        shape.text_frame.text = OLD
    add_box(deck.slides[1], NEW, 6, 5)


@wrong("图书馆年报-005", "封面没有")
def cover_numbered_too(deck: Deck) -> None:
    add_feet(deck)
    add_box(deck.slides[0], NEW, 0.6, 8)
    add_box(deck.slides[0], None, 11.73, 1)


@wrong("图书馆年报-005", "页码位置统一")
def missing_numbers_put_on_the_left(deck: Deck) -> None:
    add_feet(deck, numbers=False)
    for slide in list(deck.slides)[1:]:
        if not holders(slide, 13):
            add_box(slide, None, 9, 1)


@wrong("图书馆年报-005", "其余内容未变")
def year_changed_everywhere(deck: Deck) -> None:
    add_feet(deck)
    for slide in list(deck.slides)[1:]:
        for text in slide._element.iter("{*}t"):
            text.text = (text.text or "").replace("2026年", "2025年")


@wrong("图书馆年报-005", "其余内容未变")
def animations_cleared(deck: Deck) -> None:
    add_feet(deck)
    for slide in deck.slides:
        for timing in slide._element.findall("{*}timing"):
            slide._element.remove(timing)


# --- 006: dividers in dark green, with a push -------------------------------------------------------------------------

SECTIONS = (3, 7, 11)


def fill_background(slide: Slide, colour: str) -> None:
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = Rgb.from_string(colour)


def set_transition(slide: Slide, inner: str = "<p:push/>") -> None:
    for old in [e for e in slide._element if str(e.tag).endswith(("}transition", "}AlternateContent"))]:
        slide._element.remove(old)
    slide._element.find("{*}clrMapOvr").addnext(parse_xml(f"<p:transition {P}>{inner}</p:transition>"))


def dress(deck: Deck, colours: Iterable[str] = ("1B4332",) * 3, inner: str = "<p:push/>") -> None:
    for number, colour in zip(SECTIONS, colours, strict=True):
        fill_background(deck.slides[number], colour)
        set_transition(deck.slides[number], inner)


@good("图书馆年报-006")
def pine_green_and_a_push_upwards(deck: Deck) -> None:
    dress(deck, inner='<p:push dir="u"/>')


@good("图书馆年报-006")
def background_on_the_layout(deck: Deck) -> None:
    """The three slides have a layout of their own; its background serves as well as theirs."""
    [layout] = [one for one in deck.slide_layouts if one.name == "节标题"]
    fill = layout._element.find("{*}cSld/{*}bg/{*}bgPr/{*}solidFill")
    fill.getparent().replace(fill, parse_xml(f'<a:solidFill {A}><a:srgbClr val="385723"/></a:solidFill>'))
    for number in SECTIONS:
        set_transition(deck.slides[number])


@good_parts("图书馆年报-006")
def darker_theme_green_and_a_modern_push(parts: Parts) -> None:
    green = '<a:schemeClr val="accent3"><a:lumMod val="50000"/></a:schemeClr>'
    push = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice '
        'xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main" Requires="p14"><p:transition '
        'spd="slow" p14:dur="1200"><p:push dir="r"/></p:transition></mc:Choice><mc:Fallback><p:transition spd="slow">'
        '<p:push dir="r"/></p:transition></mc:Fallback></mc:AlternateContent>'
    )
    for number in (4, 8, 12):
        name = f"ppt/slides/slide{number}.xml"
        head, _, rest = parts[name].partition("<p:spTree>")
        background = f"<p:bg><p:bgPr><a:solidFill>{green}</a:solidFill><a:effectLst/></p:bgPr></p:bg>"
        body, _, _ = rest.partition("<p:clrMapOvr>")
        override = "<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr>"
        parts[name] = f"{head}{background}<p:spTree>{body}{override}{push}</p:sld>"


@wrong("图书馆年报-006", "背景是深绿色")
def light_green(deck: Deck) -> None:
    dress(deck, ("A9D18E",) * 3)


@wrong("图书馆年报-006", "背景是深绿色")
def dark_blue(deck: Deck) -> None:
    dress(deck, ("002060",) * 3)


@wrong("图书馆年报-006", "背景是深绿色")
def green_rectangles(deck: Deck) -> None:
    dress(deck)
    for number in SECTIONS:
        slide = deck.slides[number]
        slide._element.cSld.remove(slide._element.cSld.find("{*}bg"))
        sheet = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, 0, 0, deck.slide_width, deck.slide_height)
        sheet.fill.solid()
        sheet.fill.fore_color.rgb = Rgb.from_string("1B4332")
        slide.shapes._spTree.insert(2, sheet._element)


@wrong("图书馆年报-006", "背景是深绿色", "切换都是推入")
def last_divider_forgotten(deck: Deck) -> None:
    for number in SECTIONS[:2]:
        fill_background(deck.slides[number], "1B4332")
        set_transition(deck.slides[number])


@wrong("图书馆年报-006", "三张颜色相同")
def three_greens(deck: Deck) -> None:
    dress(deck, ("1B4332", "385723", "24503A"))


@wrong("图书馆年报-006", "切换都是推入")
def wiped_not_pushed(deck: Deck) -> None:
    dress(deck, inner="<p:wipe/>")


@wrong("图书馆年报-006", "切换都是推入")
def old_transitions_left(deck: Deck) -> None:
    for number in SECTIONS:
        fill_background(deck.slides[number], "1B4332")


@wrong("图书馆年报-006", "看得清")
def dark_titles(deck: Deck) -> None:
    dress(deck)
    for number in SECTIONS:
        for run in deck.slides[number].shapes.title.text_frame.paragraphs[0].runs:
            run.font.color.rgb = Rgb(0x2B, 0x26, 0x22)


@wrong("图书馆年报-006", "其余内容未变")
def every_slide_pushed(deck: Deck) -> None:
    dress(deck)
    for slide in deck.slides:
        set_transition(slide)


@wrong("图书馆年报-006", "其余内容未变")
def every_background_green(deck: Deck) -> None:
    dress(deck)
    fill_background(deck.slide_master, "1B4332")


# --- 008: a picture set upright --------------------------------------------------------------------------------------

TEXT = "修复师的工作台"


def picture(deck: Deck) -> Shape:
    [found] = [shape for shape in deck.slides[9].shapes if shape._element.tag.endswith("}pic")]
    return found


def describe(shape: Shape, text: str = TEXT) -> None:
    shape._element.nvPicPr.cNvPr.set("descr", text)


def replaced(deck: Deck, image: Any, wide: float, high: float, kind: str = "PNG") -> Shape:
    """Another picture file in the old one's place, around the same middle."""
    old = picture(deck)
    blob = io.BytesIO()
    image.convert("RGB").save(blob, kind)
    x, y = old.left + old.width / 2 - Inches(wide) / 2, old.top + old.height / 2 - Inches(high) / 2
    new = deck.slides[9].shapes.add_picture(blob, round(x), round(y), Inches(wide), Inches(high))
    remove(old)
    return new


def file_of(deck: Deck) -> Any:
    return Image.open(io.BytesIO(picture(deck).image.blob))


@good("图书馆年报-008")
def turned_back_smaller(deck: Deck) -> None:
    shape = picture(deck)
    shape.rotation = 0
    shape.width, shape.height = round(shape.width * 0.8), round(shape.height * 0.8)
    shape.left = Inches(8.9)
    describe(shape, TEXT + "。")


@good("图书馆年报-008")
def put_in_anew_as_a_smaller_jpeg(deck: Deck) -> None:
    describe(replaced(deck, file_of(deck).resize((600, 400)), 4.5, 3, "JPEG"))


@good("图书馆年报-008")
def turned_twice(deck: Deck) -> None:
    """The file is turned by a quarter one way and the shape by a quarter the other way: upright again."""
    shape = replaced(deck, file_of(deck).rotate(90, expand=True), 3, 4.5)
    shape.rotation = 90
    describe(shape)


@good_parts("图书馆年报-008")
def turned_in_the_xml(parts: Parts) -> None:
    name = "ppt/slides/slide10.xml"
    text = replace_once(parts[name], ' rot="5400000"', "")
    parts[name] = replace_once(text, 'descr="image.png"', f'descr="{TEXT}" title="照片"')


@wrong("图书馆年报-008", "照片已转正")
def upside_down(deck: Deck) -> None:
    picture(deck).rotation = 180
    describe(picture(deck))


@wrong("图书馆年报-008", "照片已转正")
def mirrored(deck: Deck) -> None:
    shape = picture(deck)
    shape.rotation = 0
    shape._element.spPr.find("{*}xfrm").set("flipH", "1")
    describe(shape)


@wrong("图书馆年报-008", "照片已转正")
def a_little_crooked(deck: Deck) -> None:
    picture(deck).rotation = 5
    describe(picture(deck))


@wrong("图书馆年报-008", "比例不变")
def squeezed_into_the_upright_frame(deck: Deck) -> None:
    shape = picture(deck)
    shape.rotation = 0
    shape.left, shape.width, shape.height = Inches(9), Inches(3.1), Inches(4.65)
    describe(shape)


@wrong("图书馆年报-008", "比例不变")
def cut_to_an_upright_format(deck: Deck) -> None:
    shape = picture(deck)
    shape.rotation = 0
    shape.crop_left = shape.crop_right = 0.25
    shape.width = round(shape.width / 2)
    describe(shape)


@wrong("图书馆年报-008", "替代文字正确")
def words_in_the_name(deck: Deck) -> None:
    shape = picture(deck)
    shape.rotation = 0
    shape.name = TEXT


@wrong("图书馆年报-008", "照片位置合适")
def picture_over_the_list(deck: Deck) -> None:
    shape = picture(deck)
    shape.rotation = 0
    shape.left = Inches(6)
    describe(shape)


@wrong("图书馆年报-008", "比例不变")
def a_second_picture_left(deck: Deck) -> None:
    blob = io.BytesIO(picture(deck).image.blob)
    shape = picture(deck)
    shape.rotation = 0
    describe(shape)
    deck.slides[9].shapes.add_picture(blob, Inches(9), Inches(6), Inches(1.2), Inches(0.8))
