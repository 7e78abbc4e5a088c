"""What the rubrics on library_report.pptx share: texts in loose comparison, and "nothing else changed" in Chinese."""

import re
import unicodedata

from shared import all_shapes, extraneous


def loose(text):
    """The text without blanks, full-width and half-width signs alike, one kind of dash and of quotes."""
    text = "".join(unicodedata.normalize("NFKC", text).split())
    for signs, one in (("—–−‐‑―", "-"), ("“”„‟«»「」", '"'), ("‘’", "'"), ("。", "."), ("、", ",")):
        text = re.sub(f"[{signs}]+", one, text)
    return text


def tables_on(slide):
    return [s.table for s in all_shapes(slide.shapes if slide is not None else ()) if getattr(s, "has_table", False)]


def charts_on(slide):
    return [s for s in all_shapes(slide.shapes if slide is not None else ()) if getattr(s, "has_chart", False)]


def pictures_on(slide):
    return [s for s in all_shapes(slide.shapes if slide is not None else ()) if s._element.tag.endswith("}pic")]


def lines_on(slide):
    """(shape, paragraph) for every paragraph with text outside of tables."""
    for shape in all_shapes(slide.shapes if slide is not None else ()):
        for paragraph in shape.text_frame.paragraphs if shape.has_text_frame else ():
            if paragraph.text.strip():
                yield shape, paragraph


def box_of(shape):
    """Left, top, right, bottom in inches."""
    left, top = (shape.left or 0) / 914400, (shape.top or 0) / 914400
    return left, top, left + (shape.width or 0) / 914400, top + (shape.height or 0) / 914400


def covered(box, slide, but):
    """Texts of the slide, other than of shape `but`, that the box covers by more than 0.2 inches."""
    left, top, right, bottom = box
    out = []
    for shape in slide.shapes:
        text = shape.text_frame.text.strip() if shape.has_text_frame else ""
        a, b, c, d = box_of(shape)
        over = min(min(right, c) - max(left, a), min(bottom, d) - max(top, b))
        if text and shape.shape_id != but.shape_id and over > 0.2:
            out.append(text[:20])
    return out


def other_changes(targets, allowed=()):
    """What changed beside the goal, in Chinese. `allowed`: starts of messages that are no fault here."""
    return [in_chinese(one) for one in extraneous(targets) if not one.startswith(tuple(allowed))]


def in_chinese(message):
    for pattern, words in IN_CHINESE:
        message = re.sub(pattern, words, message)
    return message


IN_CHINESE = (
    (r"slides were added, removed or moved", "有幻灯片被增加、删除或移动"),
    (r"^slide (\d+) was changed$", r"第\1页被改动"),
    (r"^slide (\d+): ", r"第\1页："),
    (r"the notes changed", "备注被改动"),
    (r" is there (\d+) times instead of (\d+)", r" 出现\1次，原为\2次"),
    (r" has moved", " 位置变了"),
    (r"(\d+) animations lost on other slides", r"其他页丢失\1个动画"),
    (r"(\d+) transitions lost on other slides", r"其他页丢失\1个切换"),
    (r"text '", "文字 '"),
)


def judged(problems, good):
    """A reason and a score from a list of problems."""
    return ("；".join(problems), 0.0) if problems else (good, 1.0)
