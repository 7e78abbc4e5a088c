"""东湖分馆 becomes 云湖分馆; the park 东湖公园 and the road 东湖路 keep their names."""

from leaf_globals import modified_ppt_path, original_ppt_path
from library_shared import charts_on, judged, other_changes
from rubric_kit import group, leaf
from shared import all_shapes, deck, notes_of, plain, shown_by, slide_after

OLD, NEW = "东湖分馆", "云湖分馆"
PLACES = ("东湖公园", "东湖路")


def name_on_slides():
    """幻灯片正文、文本框和表格里的“东湖分馆”全部改为“云湖分馆”。"""
    return renamed(lambda slide: "\n".join(texts_of(slide)), "文字和表格中")


def name_in_charts():
    """图表的分类、系列名称和标题里的“东湖分馆”全部改为“云湖分馆”。"""
    return renamed(lambda slide: "\n".join(chart_words(slide)), "图表中")


def name_in_notes():
    """备注里的“东湖分馆”全部改为“云湖分馆”。"""
    return renamed(notes_of, "备注中")


def name_in_descriptions():
    """图片替代文字里的“东湖分馆”改为“云湖分馆”。"""
    return renamed(lambda slide: "\n".join(descriptions(slide)), "替代文字中")


def renamed(text_of, where):
    """One kind of text: the share of places that were renamed, 1 only if all were."""
    wrong, total, done = [], 0, 0
    for number, slide in enumerate(deck(original_ppt_path).slides, 1):
        expected = plain(text_of(slide)).count(OLD)
        other = slide_after(number) if expected else None
        text = plain(text_of(other)) if other is not None else ""
        named, left = text.count(NEW), text.count(OLD)
        total += expected
        done += max(0, min(named, expected - left))
        if named != expected or left:
            wrong.append(f"第{number}页应有{expected}处“{NEW}”，实有{named}处，旧名还剩{left}处")
    if wrong:
        return f"{where}：" + "；".join(wrong), min(0.9, done / total)
    return f"{where}{total}处都已改为“{NEW}”", 1.0


def texts_of(slide):
    for shape in all_shapes(slide.shapes):
        if getattr(shape, "has_table", False):
            yield from (cell.text for row in shape.table.rows for cell in row.cells)
        elif shape.has_text_frame:
            yield shape.text_frame.text


def chart_words(slide):
    for shape in charts_on(slide):
        for plot in shape.chart.plots:
            yield from map(str, plot.categories)
            yield from (str(series.name) for series in plot.series)
        for title in shape.chart._chartSpace.iter("{*}title"):
            yield "".join(t.text or "" for t in title.iter("{*}t"))


def descriptions(slide):
    return [e.get("descr") for e in slide.shapes._spTree.iter("{*}cNvPr") if e.get("descr")]


def places_kept():
    """“东湖公园”和“东湖路”是地名，不是馆名，次数与原来一样。"""
    before, after = (plain(" | ".join(all_words(path))) for path in (original_ppt_path, modified_ppt_path))
    counts = [(place, before.count(place), after.count(place)) for place in PLACES]
    wrong = [f"“{place}”原有{old}处，现有{new}处" for place, old, new in counts if new < old]
    wrong += [f"出现了“{p.replace('东', '云')}”" for p in PLACES if p.replace("东", "云") in after]
    return judged(wrong, "公园和路名没有被误改")


def all_words(path):
    for slide in deck(path).slides:
        yield from (*texts_of(slide), notes_of(slide), *chart_words(slide))


def formatting_kept():
    """馆名的粗体与原来一样：第3页不加粗，第7页只有前两个字加粗。"""
    wrong = []
    for number in (3, 7):
        old = sorted(bold_words(deck(original_ppt_path).slides[number - 1], OLD))
        slide = slide_after(number)
        new = sorted(bold_words(slide, NEW)) if slide is not None else []
        if old != new:
            wrong.append(f"第{number}页馆名（前两字，后两字）加粗：{new}，原为{old}")
    return judged(wrong, "粗体与原来一样")


def bold_words(slide, name):
    """(first two signs bold, last two bold) for each place outside of tables that has the name."""
    for shape in all_shapes(slide.shapes):
        for paragraph in shape.text_frame.paragraphs if shape.has_text_frame else ():
            marks = [(char, bool(run.font.bold)) for run in paragraph.runs for char in run.text]
            at = "".join(char for char, _ in marks).find(name)
            if at >= 0:
                bold = [mark for _, mark in marks[at : at + 4]]
                yield all(bold[:2]), all(bold[2:])


def nothing_else():
    """除馆名外，文字、备注、动画、切换和版式都与原来一样。"""
    # Notes differ by the name, so they are compared here, and so are the texts that hold it.
    found = other_changes(dict.fromkeys((3, 6, 7, 9, 15), names_branch))
    problems = [one for one in found if not one.endswith("备注被改动")]
    after = {slide.slide_id: slide for slide in deck(modified_ppt_path).slides}
    for number, slide in enumerate(deck(original_ppt_path).slides, 1):
        other = after.get(slide.slide_id, slide)  # a lost slide is told of above
        if words_of(slide) != words_of(other):
            problems.append(f"第{number}页除馆名外还改了文字")
        if new_name(notes_of(slide)) != new_name(notes_of(other)):
            problems.append(f"第{number}页备注除馆名外还有改动")
    return judged(problems, "除馆名外没有其他改动")


def names_branch(key):
    return OLD in str(key) or NEW in str(key)


def new_name(text):
    return plain(text).replace(OLD, NEW)


def words_of(slide):
    return sorted(new_name(str(shown_by(shape))) for shape in all_shapes(slide.shapes))


NAME = "分馆更名"
DESCRIPTION = "凡是指分馆的地方都改为“云湖分馆”，地名不动。"
TREE = [
    group(
        "新馆名",
        "文字、表格、图表、备注和替代文字都用新馆名。",
        leaf(name_on_slides, "文字和表格已改名", critical=True),
        leaf(name_in_charts, "图表已改名", critical=True),
        leaf(name_in_notes, "备注已改名", critical=True),
        leaf(name_in_descriptions, "替代文字已改名"),
        critical=True,
    ),
    group(
        "其余不变",
        "不是馆名的内容不动。",
        leaf(places_kept, "公园和路名未误改", critical=True),
        leaf(formatting_kept, "格式保持"),
        leaf(nothing_else, "其余内容未变"),
        critical=True,
    ),
]
