"""The table of branches: sorted by loans, with a row of sums."""

import unicodedata

from leaf_globals import original_ppt_path
from library_shared import judged, loose, other_changes, tables_on
from rubric_kit import group, leaf
from shared import deck, slide_after

SLIDE, BY = 6, 2
SUMS = (238.7, 315.4, 1512, 36425)


def sorted_by_loans():
    """六个馆按外借册次从高到低排列。"""
    order = [(row[0], number(row[BY])) for row in rows() if not is_sum(row)]
    if len(order) < 2:
        return f"第{SLIDE}页没有各馆的表格", 0.0
    loans = [loan or 0 for _, loan in order]
    return f"现在的次序：{order}", float(loans == sorted(loans, reverse=True))


def sum_row_last():
    """最后一行是“合计”，只有一行。"""
    sums = [at for at, row in enumerate(rows()) if is_sum(row)]
    if not sums:
        return "表格里没有合计行", 0.0
    if sums != [len(rows()) - 1]:
        return f"合计行在第{[at + 1 for at in sums]}行，共{len(rows())}行", 0.0
    return "最后一行是合计", 1.0


def sums_right():
    """四列合计数正确：238.7、315.4、1,512、36,425。"""
    row = next((row for row in reversed(rows()) if is_sum(row)), None)
    if row is None:
        return "表格里没有合计行", 0.0
    found = [number(text) for text in row[1:]]
    good = [a is not None and abs(a - b) < 0.05 for a, b in zip(found, SUMS, strict=False)]
    if len(found) == 4 and all(good):
        return "四个合计数都对", 1.0
    return f"合计数是{row[1:]}，应为{SUMS}", min(0.9, sum(good) / 4)


def rows_kept():
    """表头不变；六个馆都在，每个馆的四个数还是它自己的。"""
    table = find(slide_after(SLIDE))
    if table is None:
        return f"第{SLIDE}页没有各馆的表格", 0.0
    old, new = (texts(one) for one in (find(deck(original_ppt_path).slides[SLIDE - 1]), table))
    wrong = [] if list(map(loose, old[0])) == list(map(loose, new[0])) else [f"表头变成{new[0]}"]
    before, after = ([as_data(row) for row in one[1:] if not is_sum(row)] for one in (old, new))
    wrong += [f"缺少或改了：{row}" for row in before if row not in after]
    wrong += [f"多出：{row}" for row in after if row not in before or after.count(row) > 1]
    return judged(wrong, "各馆的数据没有变")


def find(slide):
    """The table whose header begins with 馆名."""
    return next((t for t in tables_on(slide) if loose(t.rows[0].cells[0].text) == "馆名"), None)


def texts(table):
    return [[cell.text.strip() for cell in row.cells] for row in table.rows]


def rows():
    """The rows below the header, as texts; none where the table is gone."""
    table = find(slide_after(SLIDE))
    return texts(table)[1:] if table is not None else []


def is_sum(row):
    return any(word in loose(row[0]) for word in ("合计", "总计"))


def number(text):
    """The number in a cell, with or without separators of thousands, in whatever width."""
    digits = "".join(unicodedata.normalize("NFKC", text).split()).replace(",", "").removesuffix("万")
    try:
        return float(digits)
    except ValueError:
        return None


def as_data(row):
    return (loose(row[0]), *map(number, row[1:]))


def sum_row_fits():
    """合计行的数字和其他行一样靠右、字号一样，表格不盖住下面的说明。"""
    slide = slide_after(SLIDE)
    table = find(slide)
    if table is None:
        return f"第{SLIDE}页没有各馆的表格", 0.0
    *_, above, last = list(table.rows)
    wrong = []
    for old, new in zip(above.cells, last.cells, strict=True):
        if new.text.strip() and look(old) != look(new):
            wrong.append(f"“{new.text}”的（对齐，字号）是{look(new)}，上一行是{look(old)}")
    graphic = next(s for s in slide.shapes if getattr(s, "has_table", False) and s.table._tbl is table._tbl)
    bottom = (graphic.top + sum(row.height for row in table.rows)) / 914400
    tops = [s.top / 914400 for s in slide.shapes if s.has_text_frame and s.text_frame.text.startswith("数据来源")]
    if bottom > min([*tops, 6.98]) + 0.12:
        wrong.append(f"表格下缘到{bottom:.2f}英寸，盖住了下面的文字")
    return judged(wrong, "合计行与其他行一致，没有盖住说明")


def look(cell):
    """(alignment, size in points) of a cell's first line."""
    paragraph = cell.text_frame.paragraphs[0]
    sizes = [run.font.size.pt for run in paragraph.runs if run.font.size]
    align = paragraph._p.find("{*}pPr").get("algn", "l") if paragraph._p.find("{*}pPr") is not None else "l"
    return align, sizes[0] if sizes else None


def nothing_else():
    """这一页其他内容和其他页都与原来一样。"""
    return judged(other_changes({SLIDE: is_table}), "没有其他改动")


def is_table(key):
    return key[0] == "table"


NAME = "各馆指标排序并合计"
DESCRIPTION = "按外借册次从高到低排序，最后加一行合计。"
TREE = [
    group(
        "排序与合计",
        "次序、合计行和合计数。",
        leaf(sorted_by_loans, "按外借册次排序", critical=True),
        leaf(sum_row_last, "末行是合计", critical=True),
        leaf(sums_right, "合计数正确", critical=True),
        critical=True,
    ),
    group(
        "其余不变",
        "各馆数据不变，表格整齐。",
        leaf(rows_kept, "各馆数据不变", critical=True),
        leaf(sum_row_fits, "合计行整齐"),
        leaf(nothing_else, "其余内容未变"),
        critical=True,
    ),
]
