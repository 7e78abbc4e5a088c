"""The columns of visits become a line with data labels and a title."""

from leaf_globals import modified_ppt_path, original_ppt_path
from library_shared import box_of, charts_on, covered, judged, loose, other_changes
from rubric_kit import group, leaf
from shared import deck, slide_after

SLIDE, TITLE = 5, "近五年到馆人次"


def line_for_columns():
    """这一页只有一个原生图表，是折线图。"""
    charts = charts_on(slide_after(SLIDE))
    if not charts:
        return f"第{SLIDE}页没有原生图表", 0.0
    kinds = [kind for chart in charts for kind in kinds_of(chart)]
    if "lineChart" not in kinds and "line3DChart" not in kinds:
        return f"图表类型是{kinds}，不是折线图", 0.0
    if len(kinds) > 1:
        return f"除折线图外还有别的图：{kinds}", 0.5
    return "是一个折线图", 1.0


def same_numbers():
    """五年的数据不变，仍按年份排列。"""
    chart = the_chart()
    if chart is None:
        return f"第{SLIDE}页没有原生图表", 0.0
    [old] = charts_on(deck(original_ppt_path).slides[SLIDE - 1])
    wanted, found = points(old), points(chart)
    if len(chart.chart.plots[0].series) != 1:
        return f"有{len(chart.chart.plots[0].series)}个系列，应为一个", 0.0
    return (f"数据是{found}", 1.0) if found == wanted else (f"数据是{found}，应为{wanted}", 0.0)


def labels_shown():
    """每个点都显示数值标签。"""
    chart = the_chart()
    if chart is None:
        return f"第{SLIDE}页没有原生图表", 0.0
    area = next(chart.chart._chartSpace.iter("{*}plotArea"))
    plot = next(e for e in area if str(e.tag).endswith("Chart"))
    series = next(plot.iter("{*}ser"))
    count = len(points(chart))
    # A series' own labels come before those of the plot.
    whole = series.find("{*}dLbls") if series.find("{*}dLbls") is not None else plot.find("{*}dLbls")
    shown = dict.fromkeys(range(count), whole is not None and shows_value(whole))
    for one in whole.findall("{*}dLbl") if whole is not None else ():
        shown[int(one.find("{*}idx").get("val"))] = shows_value(one)
    bare = [index + 1 for index in range(count) if not shown[index]]
    return (f"没有数值标签的点：{bare}", 1 - len(bare) / count) if bare else ("每个点都有数值标签", 1.0)


def shows_value(labels):
    deleted, value = labels.find("{*}delete"), labels.find("{*}showVal")
    if deleted is not None and deleted.get("val", "1") in ("1", "true"):
        return False
    return value is not None and value.get("val", "1") in ("1", "true")


def title_set():
    """图表标题是“近五年到馆人次”。"""
    chart = the_chart()
    if chart is None:
        return f"第{SLIDE}页没有原生图表", 0.0
    title = chart.chart._chartSpace.find("{*}chart/{*}title")
    if title is None:
        return "图表没有标题", 0.0
    text = "".join(t.text or "" for t in (*title.iter("{*}t"), *title.iter("{*}v")))
    if not text:  # a title without text of its own shows the name of the only series
        text = str(chart.chart.plots[0].series[0].name)
    return f"图表标题是“{text}”", float(loose(text) == loose(TITLE))


def the_chart():
    """The line chart, else the first chart, else None."""
    charts = charts_on(slide_after(SLIDE))
    return next((c for c in charts if set(kinds_of(c)) & {"lineChart", "line3DChart"}), charts[0] if charts else None)


def kinds_of(shape):
    area = next(shape.chart._chartSpace.iter("{*}plotArea"))
    return [str(e.tag).split("}")[1] for e in area if str(e.tag).endswith("Chart")]


def points(shape):
    """[(year, number)] of the first series; years without 年 too, numbers to one decimal."""
    plot = shape.chart.plots[0]
    return [
        (str(year).strip().removesuffix("年"), None if value is None else round(value, 1))
        for year, value in zip(plot.categories, plot.series[0].values, strict=True)
    ]


def in_its_place():
    """图表在页面之内，看得清，不盖住文字。"""
    slide, chart = slide_after(SLIDE), the_chart()
    if chart is None:
        return f"第{SLIDE}页没有原生图表", 0.0
    size = deck(modified_ppt_path)
    left, top, right, bottom = box_of(chart)
    wrong = [f"图表盖住了“{text}”" for text in covered((left, top, right, bottom), slide, chart)]
    if min(left, top) < -0.05 or right > size.slide_width / 914400 + 0.05 or bottom > size.slide_height / 914400 + 0.05:
        wrong.append("图表超出页面")
    if right - left < 2.5 or bottom - top < 1.5:
        wrong.append(f"图表只有{right - left:.1f}×{bottom - top:.1f}英寸")
    return judged(wrong, "图表位置合适")


def nothing_else():
    """这一页其他内容和其他页都与原来一样。"""
    return judged(other_changes({SLIDE: is_chart}), "没有其他改动")


def is_chart(key):
    return key[0] == "chart"


NAME = "到馆人次折线图"
DESCRIPTION = "柱形图改为同一数据的折线图，有数据标签和标题。"
TREE = [
    group(
        "折线图",
        "类型、数据、标签、标题。",
        leaf(line_for_columns, "柱形图改为折线图", critical=True),
        leaf(same_numbers, "数据不变", critical=True),
        leaf(labels_shown, "每点有数据标签", critical=True),
        leaf(title_set, "图表标题正确", critical=True),
        critical=True,
    ),
    group(
        "其余不变",
        "页面仍然整齐，其他不动。",
        leaf(in_its_place, "图表位置合适"),
        leaf(nothing_else, "其余内容未变"),
    ),
]
