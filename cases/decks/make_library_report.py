"""Writes library_report.pptx: the yearly report, in Chinese, of a city library that does not exist.

Run it as `python cases/decks/make_library_report.py [folder]`. All names and figures are made up; the sums agree.
Some slides hold, on purpose, what people ask an agent to put right: numbers typed by hand (15), a picture lying on
its side (10), last year's footer and missing slide numbers.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import library_art as art
from kit import (
    add_fades,
    add_modern_transition,
    add_runs,
    add_slide,
    add_table,
    add_text,
    add_transition,
    emu,
    fill_list,
    light_grid,
    paint,
    save,
    style_chart,
    theme,
    write,
)
from library_look import finish, library_deck
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION
from pptx.enum.shapes import MSO_CONNECTOR, MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.oxml import parse_xml
from pptx.util import Pt

if TYPE_CHECKING:
    from kit import Deck, Shape, Slide

NAME = "library_report.pptx"
FOOTER = "云溪市图书馆2024年度工作报告"  # last year's: a task asks to put that right

BRANCHES = ("总馆", "东湖分馆", "城西分馆", "北苑分馆", "高铁新城分馆", "少儿分馆")
VISITS = (86.4, 38.2, 29.7, 24.6, 18.3, 41.5)  # ten thousands; in all 238.7
LOANS_2024 = (104.2, 42.3, 30.1, 29.5, 17.6, 61.2)  # in all 284.9
LOANS_2025 = (112.5, 46.9, 31.4, 33.8, 22.1, 68.7)  # in all 315.4
EVENTS = (486, 214, 168, 152, 97, 395)  # in all 1,512
READERS = (12_840, 5_120, 3_960, 4_215, 3_388, 6_902)  # in all 36,425


def build() -> Deck:
    deck = library_deck("云溪市图书馆2025年度工作报告", "云溪市图书馆办公室")
    for slide in (
        cover, agenda, overview, services, visits, branches, loans, reading, events, repair, repair_steps,
        money_section, money, problems, measures, contact,
    ):  # fmt: skip
        slide(deck)
    finish(deck)
    return deck


def slide_in(deck: Deck, layout: str, title: str, notes: str | None = None, number: bool = True) -> Slide:
    """A slide with last year's footer; some have lost their slide number."""
    slide = add_slide(deck, layout, title, FOOTER, notes)
    if not number:
        for holder in slide.placeholders:
            if holder.placeholder_format.type == 13:
                remove(holder)
    return slide


def remove(shape: Shape) -> None:
    shape._element.getparent().remove(shape._element)


def describe(shape: Shape, text: str) -> None:
    shape._element.xpath(".//p:cNvPr")[0].set("descr", text)


def cover(deck: Deck) -> None:
    slide = add_slide(
        deck, "标题幻灯片", "2025年度工作报告",
        notes="各位代表、同志们：现在由我向大会报告2025年度工作，请予审议。报告约四十分钟。",
    )  # fmt: skip
    fill_list(slide.placeholders[1].text_frame, ["云溪市图书馆", "2026年1月16日 第五届职工代表大会"])
    picture = slide.shapes.add_picture(art.main_building(), emu(7.81), emu(0), emu(5.523), emu(7.5))
    picture.name = "封面图"
    describe(picture, "云溪市图书馆总馆外景，三层重檐建筑")
    add_transition(slide, "<p:fade/>")


def agenda(deck: Deck) -> None:
    slide = slide_in(deck, "两栏内容", "目录")
    left, right = slide.placeholders[1], slide.placeholders[2]
    left.left, left.top, left.width, left.height = emu(0.6), emu(1.8), emu(6.6), emu(4.6)
    fill_list(left.text_frame, ["年度概览", "馆藏与服务", "阅读推广与古籍保护", "经费、问题与打算"], 26)
    for paragraph in left.text_frame.paragraphs:
        paragraph.space_after = Pt(16)
    remove(right)
    picture = slide.shapes.add_picture(art.shelves(), emu(8.93), emu(1.8), emu(3.8), emu(3.8 * 560 / 460))
    picture.name = "书架"
    describe(picture, "四层书架的插画")


FIGURES = (
    ("238.7万", "到馆人次", "比上年增长7.6%", "ACCENT_1"),
    ("315.4万", "外借册次", "比上年增长10.7%", "ACCENT_2"),
    ("1,512场", "读者活动", "其中少儿活动395场", "ACCENT_3"),
    ("36,425", "新增读者", "持证读者达41.2万", "ACCENT_4"),
)


def overview(deck: Deck) -> None:
    slide = slide_in(
        deck, "仅标题", "年度概览：四项指标全部增长",
        "持证读者41.2万人，约占常住人口的29%。四项指标均含自助图书馆。",
    )  # fmt: skip
    for index, (figure, label, detail, colour) in enumerate(FIGURES):
        x = 0.6 + index * 3.11
        group = slide.shapes.add_group_shape()
        group.name = f"指标：{label}"
        panel = group.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(x), emu(1.75), emu(2.8), emu(2.35))
        panel.name = "底板"
        paint(panel, "BACKGROUND_2")
        edge = group.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(x), emu(1.75), emu(0.1), emu(2.35))
        edge.name = "色条"
        paint(edge, colour)
        for y, h, text, size, how in (
            (1.95, 0.8, figure, 36, {"colour": colour, "bold": True}),
            (2.8, 0.45, label, 20, {"bold": True}),
            (3.3, 0.45, detail, 14, {}),
        ):
            add_text(group.shapes, (x + 0.2, y, 2.5, h), text, size, **how)
    picture = slide.shapes.add_picture(art.lakeside_branch(), emu(0.6), emu(4.45), emu(3.56), emu(2.25))
    picture.name = "分馆外景"
    describe(picture, "湖边的东湖分馆外景插画")
    note = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(4.4), emu(4.45), emu(8.33), emu(2.25))
    note.name = "说明"
    paint(note, "BACKGROUND_1", "ACCENT_2")
    write(
        note,
        "**分馆带动增长。**东湖分馆改造后于3月重新开放，全年到馆38.2万人次；少儿分馆外借册次首次接近七十万。\n"
        "**总分馆一卡通借通还**覆盖6个馆、24个自助图书馆。",
        18, inset=0.3,
    )  # fmt: skip
    note.text_frame.paragraphs[1].space_before = Pt(8)


def section(deck: Deck, title: str, line: str) -> Slide:
    # Dividers have neither footer nor number here: a task asks for them.
    slide = add_slide(deck, "节标题", title)
    slide.placeholders[1].text_frame.text = line
    return slide


def services(deck: Deck) -> None:
    slide = section(deck, "馆藏与服务", "到馆、外借与六个馆的主要数据")
    add_modern_transition(slide, "<p14:reveal/>", 1400)


def visits(deck: Deck) -> None:
    slide = slide_in(
        deck, "两栏内容", "到馆人次稳步回升",
        "2022年闭馆47天。2025年的数字不含线上访问；线上访问另有312万次。", number=False,
    )  # fmt: skip
    remove(slide.placeholders[1])
    data = CategoryChartData(number_format="0.0")
    data.categories = ("2021年", "2022年", "2023年", "2024年", "2025年")
    data.add_series("到馆人次（万）", (142.6, 128.3, 189.5, 221.8, 238.7))
    graphic = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, emu(0.6), emu(1.62), emu(7.6), emu(5.1), data)
    graphic.name = "到馆人次"
    chart = graphic.chart
    chart.has_title = False
    style_chart(chart, ("ACCENT_1",), size=14)
    chart.plots[0].gap_width = 80
    light_grid(chart.value_axis)
    chart.value_axis.minimum_scale, chart.value_axis.maximum_scale, chart.value_axis.major_unit = 0, 300, 50
    chart.value_axis.tick_labels.number_format, chart.value_axis.tick_labels.number_format_is_linked = "0", False
    text = slide.placeholders[2]
    text.left, text.top, text.width, text.height = emu(8.6), emu(1.62), emu(4.13), emu(5.1)
    fill_list(
        text.text_frame,
        [
            "2025年到馆**238.7万**人次，比上年多16.9万",
            "周末到馆占四成，座位仍然紧张",
            "延时开放到21:00后，晚间到馆增长三成",
            (1, "夜间读者以学生和上班族为主"),
            (1, "21:00闭馆前一小时仍有约800人"),
        ],
        18,
    )


def branches(deck: Deck) -> None:
    slide = slide_in(
        deck, "仅标题", "各馆主要指标",
        "东湖分馆1月至2月闭馆改造，3月起按新的开放时间统计。高铁新城分馆2024年5月开馆。",
    )  # fmt: skip
    rows = [("馆名", "到馆人次（万）", "外借册次（万）", "活动场次", "新增读者")]
    for name, visit, loan, event, reader in zip(BRANCHES, VISITS, LOANS_2025, EVENTS, READERS, strict=True):
        rows.append((name, f"{visit}", f"{loan}", f"{event}", f"{reader:,}"))
    graphic = add_table(slide, (0.6, 1.7, 12.13, 3.85), rows, (3.33, 2.3, 2.3, 2.1, 2.1), range(1, 5), 18)
    graphic.name = "各馆指标"
    add_text(
        slide.shapes, (0.6, 6.3, 12.13, 0.5),
        "数据来源：业务管理系统，截至2025年12月31日；自助图书馆计入所属分馆。", 14, colour="ACCENT_5", inset=0,
    )  # fmt: skip


def loans(deck: Deck) -> None:
    slide = slide_in(
        deck, "两栏内容", "外借册次：六个馆都在增长",
        "增幅最大的是高铁新城分馆，25.6%；东湖分馆10.9%。城西分馆周边道路施工，增幅最小。", number=False,
    )  # fmt: skip
    remove(slide.placeholders[1])
    data = CategoryChartData(number_format="0.0")
    data.categories = BRANCHES
    data.add_series("2024年", LOANS_2024)
    data.add_series("2025年", LOANS_2025)
    graphic = slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, emu(0.6), emu(1.62), emu(7.6), emu(5.1), data)
    graphic.name = "外借册次"
    chart = graphic.chart
    style_chart(chart, ("ACCENT_5", "ACCENT_4"), size=14)
    chart.plots[0].gap_width, chart.plots[0].overlap = 60, -5
    chart.category_axis.reverse_order = True
    light_grid(chart.value_axis)
    chart.value_axis.tick_labels.number_format, chart.value_axis.tick_labels.number_format_is_linked = "0", False
    text = slide.placeholders[2]
    text.left, text.top, text.width, text.height = emu(8.6), emu(1.62), emu(4.13), emu(5.1)
    fill_list(
        text.text_frame,
        [
            "全年外借**315.4万**册次",
            # One name in two runs, as it comes out of people's editing; a task renames this branch.
            "**东湖**分馆：儿童绘本占六成",
            "高铁新城分馆：增长25.6%，增幅第一",
            "城西分馆：受修路影响，只增长4.3%",
        ],
        18,
    )


def reading(deck: Deck) -> None:
    section(deck, "阅读推广与古籍保护", "把书送到读者身边，把古籍留给后人")


ACTIVITIES = (
    ("云溪读书节", "4月", "东湖公园", "12,600"),
    ("湖畔夜读", "6月至9月", "东湖分馆", "3,480"),
    ("小小图书管理员", "暑假", "少儿分馆", "1,260"),
    ("银发数字课堂", "全年", "各分馆", "2,150"),
    ("古籍开放日", "11月", "总馆", "940"),
)


def events(deck: Deck) -> None:
    slide = slide_in(
        deck, "仅标题", "品牌活动一览",
        "读书节主会场设在东湖公园，分会场设在东湖分馆和总馆。", number=False,
    )  # fmt: skip
    rows = [("活动", "时间", "地点", "参与人次"), *ACTIVITIES]
    graphic = add_table(slide, (0.6, 1.7, 12.13, 3.3), rows, (4.33, 2.5, 3.0, 2.3), (3,), 18)
    graphic.name = "品牌活动"
    band = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, emu(0.6), emu(5.4), emu(12.13), emu(1.2))
    band.name = "读者留言"
    paint(band, "ACCENT_3")
    write(band, "“孩子第一次自己借书，回家路上一直抱着不肯放。”  读者留言簿，7月", 20, "BACKGROUND_1", inset=0.35)
    add_transition(slide, '<p:wipe dir="r"/>')


def repair(deck: Deck) -> None:
    slide = slide_in(
        deck, "两栏内容", "古籍修复：全年修复1,260叶",
        "照片是修复室的工作台。省古籍保护中心9月来馆检查，评定为优秀。",
    )  # fmt: skip
    right = slide.placeholders[2]
    remove(right)
    left = slide.placeholders[1]
    left.left, left.top, left.width, left.height = emu(0.6), emu(1.62), emu(7.3), emu(5.1)
    fill_list(
        left.text_frame,
        [
            "馆藏古籍3.8万册，其中善本612种",
            "全年修复古籍1,260叶，完成普查登记2,140种",
            "新增恒温恒湿书柜24组，书库温度保持在18℃左右",
            "与市档案馆共建修复实训基地",
            (1, "接收实习生11名"),
            (1, "面向市民开放体验课9期"),
        ],
        20,
    )
    # Somebody has turned the landscape picture by a quarter: it lies on its side.
    wide, high = 4.65, 3.1
    middle_x, middle_y = 10.75, 4.15
    picture = slide.shapes.add_picture(
        art.repair_desk(), emu(middle_x - wide / 2), emu(middle_y - high / 2), emu(wide), emu(high)
    )
    picture.name = "修复工作台"
    picture.rotation = 90


STEPS = ("登记建档", "检测分析", "拆解清洗", "修补托裱", "装订验收")
STEP_LINES = (
    "拍照、测量、\n写修复方案",
    "测酸碱度、\n辨纸张纤维",
    "揭页、除尘、\n水洗去污",
    "选配补纸、\n逐叶补破",
    "复原装帧、\n专家验收",
)


def repair_steps(deck: Deck) -> None:
    slide = slide_in(
        deck, "仅标题", "一册古籍的修复流程",
        "讲到第四步时展示补纸样本。单击一次出现下方提示。",
    )  # fmt: skip
    boxes = []
    for index, (head, line) in enumerate(zip(STEPS, STEP_LINES, strict=True)):
        x = 0.6 + index * 2.5
        box = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, emu(x), emu(2.0), emu(2.13), emu(0.95))
        box.name = f"步骤{index + 1}"
        paint(box, ("ACCENT_4", "ACCENT_4", "ACCENT_3", "ACCENT_1", "ACCENT_2")[index])
        write(box, head, 20, "BACKGROUND_1", True, PP_ALIGN.CENTER)
        boxes.append(box)
        add_text(
            slide.shapes, (x, 3.1, 2.13, 1.1), line, 18, align=PP_ALIGN.CENTER, anchor=MSO_ANCHOR.TOP, inset=0
        )  # fmt: skip
    for left, right in pairwise(boxes):
        link = slide.shapes.add_connector(MSO_CONNECTOR.STRAIGHT, 0, 0, 0, 0)
        link.begin_connect(left, 3)
        link.end_connect(right, 1)
        link.line.width = Pt(2.25)
        link.line.color.theme_color = theme("ACCENT_5")
        arrow = '<a:tailEnd xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" type="triangle"/>'
        link.line._get_or_add_ln().append(parse_xml(arrow))
    tip = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(0.6), emu(4.8), emu(12.13), emu(1.5))
    tip.name = "提示"
    paint(tip, "BACKGROUND_2", "ACCENT_2")
    write(tip, "**原则：修旧如旧，最少干预，过程可逆。**\n平均每册用时23个工作日；每一步都留影像记录。", 20, inset=0.3)
    tip.text_frame.paragraphs[1].space_before = Pt(6)
    add_fades(slide, [(tip.shape_id, "click")])


def money_section(deck: Deck) -> None:
    slide = section(deck, "经费、问题与打算", "钱花在哪里，差在哪里，明年怎么办")
    add_transition(slide, "<p:cover/>")


def money(deck: Deck) -> None:
    slide = slide_in(
        deck,
        "两栏内容",
        "全年支出2,750万元，近三成用于购书",
        "文献购置742万元，占27%。决算数以审计为准。",
        number=False,
    )
    for index in (1, 2):
        remove(slide.placeholders[index])
    data = CategoryChartData(number_format="#,##0")
    data.categories = ("人员经费", "文献购置", "运行维护", "活动推广", "设备更新")
    data.add_series("支出（万元）", (1286, 742, 415, 168, 139))
    graphic = slide.shapes.add_chart(XL_CHART_TYPE.DOUGHNUT, emu(0.6), emu(1.62), emu(6.4), emu(5.1), data)
    graphic.name = "支出构成"
    chart = graphic.chart
    chart.has_title = False
    style_chart(chart, (), size=14)
    chart.legend.position = XL_LEGEND_POSITION.RIGHT
    chart.legend.font.size = Pt(16)
    plot = chart.plots[0]
    plot.vary_by_categories = True
    plot.has_data_labels = True
    plot.data_labels.show_value, plot.data_labels.show_percentage = True, False
    plot.data_labels.font.size, plot.data_labels.font.bold = Pt(13), True
    plot.data_labels.font.color.theme_color = theme("BACKGROUND_1")
    for index in range(5):
        point = plot.series[0].points[index]
        point.format.fill.solid()
        point.format.fill.fore_color.theme_color = theme(f"ACCENT_{(4, 1, 3, 2, 5)[index]}")
    rows = [("收入来源", "金额（万元）", "占比"), ("财政拨款", "2,610", "94.9%"), ("社会捐赠", "58", "2.1%"),
            ("其他收入", "82", "3.0%"), ("合计", "2,750", "100%")]  # fmt: skip
    graphic = add_table(slide, (7.4, 1.9, 5.33, 3.0), rows, (2.13, 1.9, 1.3), (1, 2), 18)
    graphic.name = "收入来源"
    graphic.table.last_row = True
    add_text(
        slide.shapes, (7.4, 5.2, 5.33, 1.0), "社会捐赠全部用于流动图书车和盲文文献。", 16, colour="ACCENT_5", inset=0,
        anchor=MSO_ANCHOR.TOP,
    )  # fmt: skip


def problems(deck: Deck) -> None:
    slide = slide_in(deck, "比较", "存在的问题", "问题来自1,086份读者问卷和三次座谈会，不回避，逐条说。")
    slide.placeholders[1].text_frame.text = "空间与设备"
    fill_list(
        slide.placeholders[2].text_frame,
        ["周末座位不足，高峰时一座难求", "自助借还机平均已用九年，故障率高", "古籍修复室面积只有40平方米"],
    )
    slide.placeholders[3].text_frame.text = "资源与服务"
    fill_list(
        slide.placeholders[4].text_frame,
        ["科技类、外文类新书偏少", "分馆周末闭馆偏早，读者意见集中", "意见回复平均要三天"],
    )
    badge = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(0.6), emu(5.3), emu(12.13), emu(1.15))
    badge.name = "问卷结果"
    paint(badge, "ACCENT_1")
    write(badge, "读者满意度4.6分（满分5分），最低一项是“座位”：3.9分", 22, "BACKGROUND_1", True, PP_ALIGN.CENTER)
    add_fades(slide, [(badge.shape_id, "click")])


MEASURES = (
    "1、延长分馆周末开放时间",
    (1, "东湖分馆和少儿分馆周末开放到21:00"),
    "2．补充科技类和外文类图书",
    (1, "全年新购不少于4.2万册"),
    (1, "外文书由读者荐购，两周内到馆"),
    "3、更换自助借还机18台",
    "（4）新建古籍修复工作室",
    "5、读者意见一天内回复",
)


def measures(deck: Deck) -> None:
    slide = slide_in(deck, "标题和内容", "改进措施", "五项措施都已列入2026年预算，责任部门见会议材料附件二。")
    body = slide.placeholders[1]
    body.left, body.top, body.width, body.height = emu(0.6), emu(1.62), emu(8.4), emu(5.1)
    fill_list(body.text_frame, MEASURES)
    for paragraph in body.text_frame.paragraphs:
        if paragraph.level == 0:  # numbers typed by hand, no bullets
            properties = paragraph._p.get_or_add_pPr()
            properties.set("marL", "0")
            properties.set("indent", "0")
            properties.append(parse_xml('<a:buNone xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"/>'))
    panel = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(9.4), emu(1.75), emu(3.33), emu(2.7))
    panel.name = "目标"
    paint(panel, "ACCENT_4")
    write(
        panel, "**2026年目标**\n到馆255万人次\n外借330万册次\n满意度4.7分", 20, "BACKGROUND_1", inset=0.3,
        anchor=MSO_ANCHOR.MIDDLE,
    )  # fmt: skip
    for paragraph in panel.text_frame.paragraphs[1:]:
        paragraph.space_before = Pt(6)


def contact(deck: Deck) -> None:
    slide = slide_in(deck, "标题和内容", "谢谢大家，请审议")
    frame = slide.placeholders[1].text_frame
    fill_list(
        frame,
        ["报告全文与数据表：", "意见请发送至：", "总馆地址：云溪市东湖路18号", "开放时间：周二至周日 9:00—21:00"],
        22,
    )
    for paragraph, words, address in (
        (frame.paragraphs[0], "年报专题页", "https://www.yunxi-library.example/nianbao/2025"),
        (frame.paragraphs[1], "bangongshi@yunxi-library.example", "mailto:bangongshi@yunxi-library.example"),
    ):
        add_runs(paragraph, words, 22)
        paragraph.runs[-1].hyperlink.address = address
    for paragraph in frame.paragraphs:
        paragraph.space_after = Pt(10)
    strip = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, emu(0.6), emu(5.3), emu(12.13), emu(1.1))
    strip.name = "结语"
    paint(strip, "ACCENT_1")
    write(strip, "让每一位市民十五分钟走到书边", 26, "BACKGROUND_1", True, PP_ALIGN.CENTER)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    save(build(), folder / NAME)
