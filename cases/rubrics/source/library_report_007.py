"""A new slide after the measures: title, three points, two words of which are a link."""

from leaf_globals import modified_ppt_path, original_ppt_path, ppt_diff
from library_shared import in_chinese, judged, lines_on, loose
from numbering import bullet_of
from rubric_kit import group, leaf
from shared import (
    changed_masters,
    content,
    deck,
    differences,
    is_rewritten,
    lost_effects,
    may_not_change,
    notes_of,
    plain,
)

AFTER, TITLE = "改进措施", "需要支持的事项"
POINTS = ("将流动图书车纳入市政更新计划", "协调新馆周边公交线路", "支持云溪书房连锁布点")
WORDS, ADDRESS = "云溪书房", "https://shufang.yunxi-library.example"


def in_its_place():
    """新增一页，紧接在“改进措施”之后，原有16页都在。"""
    old, order = ([title for title, _ in titled(path)] for path in (original_ppt_path, modified_ppt_path))
    lost = [title for title in old if title not in order]
    if lost:
        return f"原来的这些页不见了：{lost}", 0.0
    fresh = [at for at, title in enumerate(order) if title not in old]
    if len(fresh) != 1 or len(order) != len(old) + 1:
        return f"现在有{len(order)}页，其中新的{len(fresh)}页，应只新增1页", 0.0
    before = order[fresh[0] - 1] if fresh[0] else "（无）"
    return f"新页是第{fresh[0] + 1}页，前一页是“{before}”", float(before == AFTER)


def titled(path):
    """(title, slide) in order. By title, since LibreOffice gives all slides new ids."""
    for slide in deck(path).slides:
        title = slide.shapes.title
        yield loose(title.text_frame.text) if title is not None else "", slide


def title_set():
    """新页的标题是“需要支持的事项”。"""
    found = [paragraph.text for _, paragraph in lines_on(new_slide())]
    return (f"新页有标题“{TITLE}”", 1.0) if loose(TITLE) in map(loose, found) else (f"新页的文字：{found}", 0.0)


def three_points():
    """正文是给定的三条，各成一段，次序不变。"""
    found = [paragraph.text for _, paragraph in lines_on(new_slide())]
    places = [next((at for at, text in enumerate(found) if is_point(text, point)), None) for point in POINTS]
    missing = [point for point, at in zip(POINTS, places, strict=True) if at is None]
    if missing:
        return f"没有单独成段的：{missing}", 1 - len(missing) / 3
    return ("三条都在，次序正确", 1.0) if places == sorted(places) else (f"次序不对：{found}", 0.0)


def is_point(text, point):
    """Whether a paragraph is the point, with a mark at its end or not."""
    return loose(text).rstrip(".;,").endswith(loose(point)) and len(loose(text)) <= len(loose(point)) + 4


def words_linked():
    """“云溪书房”四个字都链接到给定的网址，没有链接别的字。"""
    linked = []
    for text, addresses in linked_texts():
        at = text.find(WORDS)
        if at >= 0:
            linked = addresses[at : at + len(WORDS)]
            break
    if not linked:
        return f"新页没有“{WORDS}”", 0.0
    wrong = sorted({str(one) for one in linked if not same_address(one)})
    return judged([f"“{WORDS}”的链接是{wrong}，应为{ADDRESS}"] if wrong else [], f"“{WORDS}”链接到{ADDRESS}")


def only_these_words():
    """新页上没有别的字带链接。"""
    more = []
    for text, addresses in linked_texts():
        rest = "".join(c for c, a in zip(text.replace(WORDS, "\0" * len(WORDS)), addresses, strict=True) if a)
        more += [f"“{rest.strip(chr(0))}”也带链接"] if rest.strip("\0") else []
    return judged(more, "没有别的链接")


def same_address(address):
    return (address or "").strip().rstrip("/").lower() == ADDRESS


def linked_texts():
    """For each paragraph of the new slide: its text, and the address behind each sign."""
    for shape, paragraph in lines_on(new_slide()):
        whole = shape.click_action.hyperlink.address  # a link on the shape itself covers all its text
        marks = [(char, run.hyperlink.address or whole) for run in paragraph.runs for char in run.text]
        yield "".join(char for char, _ in marks), [address for _, address in marks]


def new_slide():
    """The slide with a title that the original deck does not have: that with the wanted one, if there are several."""
    old = {title for title, _ in titled(original_ppt_path)}
    fresh = [slide for title, slide in titled(modified_ppt_path) if title not in old]
    named = [s for s in fresh if any(loose(p.text) == loose(TITLE) for _, p in lines_on(s))]
    return (named or fresh or [None])[0]


def like_its_neighbours():
    """标题在标题占位符里，三条都是项目符号或自动编号，和前一页的做法一致。"""
    slide = new_slide()
    if slide is None:
        return "没有新页", 0.0
    title = slide.shapes.title
    wrong = [] if title is not None and loose(title.text_frame.text) == loose(TITLE) else ["标题不在标题占位符里"]
    for shape, paragraph in lines_on(slide):
        if any(is_point(paragraph.text, point) for point in POINTS):
            bullet = bullet_of(paragraph, shape, slide)
            if bullet is None or not any(loose(paragraph.text).startswith(loose(point)) for point in POINTS):
                wrong.append(f"“{paragraph.text}”没有项目符号或自动编号")
    empty = [s.name for s in slide.placeholders if s.has_text_frame and not s.text_frame.text.strip()]
    return judged(wrong + ([f"留下空的占位符：{empty}"] if empty else []), "和前一页的做法一致")


def nothing_else():
    """原有各页的内容、次序、备注、动画和切换都与原来一样。"""
    before, after = (dict(titled(path)) for path in (original_ppt_path, modified_ppt_path))
    rewritten = is_rewritten()
    touched = set() if rewritten else {loose(new.title or "") for _, new in ppt_diff.modified_slides}
    problems = lost_effects(()) + ([] if rewritten else changed_masters())
    for title, slide in before.items():
        other = after.get(title)
        if other is None:
            problems.append(f"“{title}”不见了")
            continue
        problems += [f"“{title}”：{one}" for one in differences(content(slide), content(other), may_not_change)]
        if plain(notes_of(slide)) != plain(notes_of(other)):
            problems.append(f"“{title}”：备注被改动")
        if title in touched:
            problems.append(f"“{title}”被改动")
    if [title for title in after if title in before] != [title for title in before if title in after]:
        problems.append("原有各页的次序变了")
    return judged([in_chinese(one) for one in problems], "原有各页没有改动")


NAME = "新增一页"
DESCRIPTION = "“改进措施”之后新增一页，有标题、三条正文和一个链接。"
TREE = [
    group(
        "新的一页",
        "位置、标题、正文、链接。",
        leaf(in_its_place, "新页在“改进措施”之后", critical=True),
        leaf(title_set, "标题正确", critical=True),
        leaf(three_points, "三条正文", critical=True),
        leaf(words_linked, "链接正确", critical=True),
        critical=True,
    ),
    group(
        "整齐且其余不变",
        "新页与全篇一致，原有各页不动。",
        leaf(only_these_words, "只链接这四个字"),
        leaf(like_its_neighbours, "版式一致"),
        leaf(nothing_else, "其余内容未变"),
    ),
]
