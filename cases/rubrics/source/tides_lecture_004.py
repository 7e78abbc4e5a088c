"""A column of changes in the tide table."""

from leaf_globals import modified_ppt_path, original_ppt_path
from looks import overlap, placed
from rubric_kit import group, leaf
from shared import deck, extraneous, plain, slide_after, verdict

SLIDE, HEAD = 13, "Change (m)"
CHANGES = ("+5.2", "-5.4", "+5.7")


def column_there():
    """The table has a fourth and last column, headed 'Change (m)', with a cell in each row."""
    rows = cells(tide_table())
    if not rows:
        return f"the tide table is gone from slide {SLIDE}", 0.0
    head = rows[0]
    if len(head) != 4 or head[3].lower().replace(" ", "") != HEAD.lower().replace(" ", ""):
        return f"the columns are {', '.join(head)}; wanted a fourth, {HEAD}", 0.0
    widths = len(list(tide_table().table._tbl.find("{*}tblGrid")))
    if widths != 4 or any(len(row) != 4 for row in rows):
        # PowerPoint refuses such a file.
        return f"{widths} columns have a width, and the rows have {[len(row) for row in rows]} cells", 0.0
    return f"the columns are {', '.join(head)}", 1.0


def changes_right():
    """The last column says +5.2, −5.4 and +5.7 beside the second to fourth tide."""
    found = last_column()[1:]
    marks = [text.replace("−", "-").replace("–", "-").replace(" ", "").removesuffix("m") for text in found]
    right = sum(a == b for a, b in zip(marks, CHANGES, strict=False))
    return f"the column says {', '.join(found) or 'nothing'}", right / 3 if len(marks) == 3 else 0.0


def first_blank():
    """The first tide has no change: its cell is empty or holds a dash."""
    found = last_column()
    if not found:
        return "there is no such column", 0.0
    text = found[0].lower()
    return (f"it says {text!r}", 1.0 if text in ("", "-", "–", "—", "−", "n/a", "…") else 0.0)


def last_column():
    """The texts of the fourth column below its head."""
    return [row[3] for row in cells(tide_table())[1:] if len(row) > 3]


def tide_table():
    """The frame of the table that has a column Time, or None."""
    slide = slide_after(SLIDE)
    for shape in slide.shapes if slide is not None else ():
        if getattr(shape, "has_table", False) and shape.table.cell(0, 0).text.strip() == "Time":
            return shape
    return None


def cells(frame):
    """The texts of a table, row by row, as the XML holds them: a broken table may have rows of different lengths."""
    if frame is None:
        return []
    return [
        ["".join(t.text or "" for t in tc.iter("{*}t")).strip() for tc in tr.iterfind("{*}tc")]
        for tr in frame.table._tbl.iterfind("{*}tr")
    ]


def like_neighbours():
    """The new cells are set right and as large as those of the heights beside them."""
    frame, wrong = tide_table(), []
    if frame is None or len(cells(frame)[0]) != 4:
        return "there is no such column", 0.0
    for number, row in enumerate(frame.table._tbl.iterfind("{*}tr"), 1):
        height, new = list(row.iterfind("{*}tc"))[2:4]
        if not "".join(t.text or "" for t in new.iter("{*}t")).strip():
            continue
        looks = [(alignment(cell), sizes(cell)) for cell in (height, new)]
        if looks[0] != looks[1]:
            wrong.append(f"row {number}: {looks[1]} instead of {looks[0]}")
    return verdict(wrong, "the new cells look like the heights")


def alignment(cell):
    return {pr.get("algn", "l") for pr in cell.iter("{*}pPr")} or {"l"}


def sizes(cell):
    return {int(r.find("{*}rPr").get("sz", "1800")) / 100 if r.find("{*}rPr") is not None else 18.0 for r in runs(cell)}


def runs(cell):
    return [r for r in cell.iter("{*}r") if "".join(t.text or "" for t in r.iterfind("{*}t")).strip()]


def old_columns():
    """Time, Water and Height say what they said, in five rows."""
    before = cells(next(s for s in deck(original_ppt_path).slides[SLIDE - 1].shapes if getattr(s, "has_table", False)))
    after = [row[:3] for row in cells(tide_table())]
    return ("they are as they were", 1.0) if before == after else (f"they are now {after}", 0.0)


def within():
    """The table is on the slide and covers no other text."""
    frame = tide_table()
    if frame is None:
        return "the tide table is gone", 0.0
    left, top = frame.left / 914400, frame.top / 914400
    wide = sum(int(column.get("w")) for column in frame.table._tbl.find("{*}tblGrid")) / 914400
    high = sum(int(row.get("h")) for row in frame.table._tbl.iterfind("{*}tr")) / 914400
    box, wrong = (left, top, left + wide, top + high), []
    if left < -0.01 or box[2] > deck(modified_ppt_path).slide_width / 914400 + 0.01:
        wrong.append(f"it runs off the slide: {left:.2f} to {box[2]:.2f} inches")
    for shape, other in placed(slide_after(SLIDE)):
        text = plain(shape.text_frame.text) if shape.has_text_frame else ""
        if text and overlap(box, other) > 0.05:
            wrong.append(f"it covers {text[:30]!r}")
    return verdict(wrong, "it is on the slide and covers nothing")


def nothing_else():
    """The rest of the slide and all other slides are as they were."""
    return verdict(extraneous({SLIDE: is_tide_table}), "nothing else has changed")


def is_tide_table(key):
    return key[0] == "table" and len(key) > 1 and key[1][:1] == ("Time",)


NAME = "Changes in the tide table"
DESCRIPTION = "The tide table has a last column with the rise or fall since the row above."
TREE = [
    group(
        "Column added",
        "Head and figures.",
        leaf(column_there, "A fourth column", critical=True),
        leaf(changes_right, "The changes are right", critical=True),
        leaf(first_blank, "None for the first tide"),
        leaf(like_neighbours, "Looks like its neighbours"),
        critical=True,
    ),
    group(
        "Rest intact",
        "The table stays whole and in place.",
        leaf(old_columns, "Other columns kept", critical=True),
        leaf(within, "Within the slide"),
        leaf(nothing_else, "Nothing else changed"),
        critical=True,
    ),
]
