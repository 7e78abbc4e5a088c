"""A copy of the worked example becomes an exercise."""

from leaf_globals import modified_ppt_path, original_ppt_path, ppt_diff
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
    verdict,
)

OLD, NEW = "Worked example: a day at Port Calder", "Your turn: a day at Port Calder"


def copy_follows():
    """A slide titled 'Your turn: a day at Port Calder' comes right after the worked example."""
    order = [title for title, _ in slides(modified_ppt_path)]
    if NEW not in order or OLD not in order:
        return f"no slide is titled {NEW if NEW not in order else OLD!r}", 0.0
    old, new = order.index(OLD) + 1, order.index(NEW) + 1
    if order.count(NEW) > 1 or len(order) != len(deck(original_ppt_path).slides) + 1:
        return f"{order.count(NEW)} slides have the new title, the deck has {len(order)} slides", 0.0
    return f"the worked example is slide {old}, the exercise slide {new}", 1.0 if new == old + 1 else 0.0


def slides(path):
    """(title, slide) in order. By title, since a copy's id may be any."""
    for slide in deck(path).slides:
        title = slide.shapes.title
        yield plain(title.text_frame.text) if title is not None else "", slide


def titled(path, wanted):
    return next((slide for title, slide in slides(path) if title == wanted), None)


def heights_empty():
    """In the exercise the four cells below 'Height (m)' are empty."""
    rows = table_rows(titled(modified_ppt_path, NEW))
    if not rows or "Height (m)" not in rows[0]:
        return "the exercise has no table with a column Height (m)", 0.0
    found = [row[rows[0].index("Height (m)")] for row in rows[1:]]
    if len(found) != 4:
        return f"the table has {len(found)} tides instead of 4", 0.0
    full = [text for text in found if text]
    return (f"heights left: {', '.join(full)}", 1 - len(full) / 4) if full else ("all four are empty", 1.0)


def rest_of_table():
    """In the exercise the table's head, times and waters are those of the worked example."""
    before = table_rows(titled(original_ppt_path, OLD))
    after = table_rows(titled(modified_ppt_path, NEW))
    wanted = [before[0], *(row[:2] for row in before[1:])]
    found = [row if number == 0 else row[:2] for number, row in enumerate(after)]
    return ("they are those of the worked example", 1.0) if found == wanted else (f"the table says {found}", 0.0)


def table_rows(slide):
    tables = [s.table for s in slide.shapes if getattr(s, "has_table", False)] if slide is not None else []
    return [[plain(cell.text) for cell in row.cells] for row in tables[0].rows] if tables else []


def texts_copied():
    """The boxes beside and below the table are on the exercise too, at their places."""
    copy = titled(modified_ppt_path, NEW)
    if copy is None:
        return "there is no exercise", 0.0
    # The footer is another leaf's business.
    old, new = content(titled(original_ppt_path, OLD)), content(copy)
    # What the exercise has beside the copied things is another leaf's business, too.
    problems = differences(old, new, lambda key: is_told_of_elsewhere(key) or key not in old)
    return verdict(problems, "both boxes are at their places")


def is_told_of_elsewhere(key):
    return key[0] == "table" or key[1] in (OLD, NEW, "") or is_foot(key[1])


def is_foot(text):
    return text in ("Introduction to Oceanography, lecture 6", "3 November 2026") or text.isdigit()


def fittings_copied():
    """The exercise has the layout, footer, date and slide number of the worked example."""
    old, new = titled(modified_ppt_path, OLD), titled(modified_ppt_path, NEW)
    if old is None or new is None:
        return f"there is no {'worked example' if old is None else 'exercise'}", 0.0
    wrong = []
    if old.slide_layout.name != new.slide_layout.name:
        wrong.append(f"its layout is {new.slide_layout.name} instead of {old.slide_layout.name}")
    before, after = ({key[1] for key in content(slide) if is_foot(str(key[1]))} for slide in (old, new))
    wrong += [f"the footer lacks {text!r}" for text in sorted(before - after)]
    if not any(field.get("type") == "slidenum" for field in new._element.iter("{*}fld")):
        wrong.append("it has no slide number")
    return verdict(wrong, "layout, footer, date and number are there")


def original_kept():
    """The worked example says what it said, with its notes."""
    before, after = titled(original_ppt_path, OLD), titled(modified_ppt_path, OLD)
    if after is None:
        return "the worked example is gone", 0.0
    wrong = differences(content(before), content(after), may_not_change)
    if plain(notes_of(before)) != plain(notes_of(after)):
        wrong.append("its notes changed")
    return verdict(wrong, "it is as it was")


def nothing_else():
    """All other slides are as they were, in their order, and the exercise has nothing new on it."""
    before = list(slides(original_ppt_path))
    after = {title: slide for title, slide in slides(modified_ppt_path) if title != NEW}
    problems = []
    if [title for title, _ in before] != [title for title, _ in slides(modified_ppt_path) if title != NEW]:
        problems.append(f"without the exercise, the slides are {list(after)}")
    rewritten = is_rewritten()
    touched = {new.title for _, new in ppt_diff.modified_slides} - {OLD, NEW}
    for title, slide in before:
        other = after.get(title)
        if other is None or title == OLD:
            continue  # told of above, or another leaf's business
        problems += [f"{title!r}: {one}" for one in differences(content(slide), content(other), may_not_change)]
        if plain(notes_of(slide)) != plain(notes_of(other)):
            problems.append(f"{title!r}: the notes changed")
        if title in touched and not rewritten:
            problems.append(f"{title!r} was changed")
    copy = titled(modified_ppt_path, NEW)
    old = content(titled(original_ppt_path, OLD))
    more = content(copy) if copy is not None else {}
    problems += [f"new on the exercise: {key[1]!r}" for key in more if key not in old and not is_told_of_elsewhere(key)]
    problems += lost_effects(()) + ([] if rewritten else changed_masters())
    return verdict(problems, "nothing else has changed")


NAME = "The exercise"
DESCRIPTION = "A copy of the worked example, without its heights, follows it."
TREE = [
    group(
        "Exercise made",
        "A copy with a new title and without the heights.",
        leaf(copy_follows, "The copy follows", critical=True),
        leaf(heights_empty, "Heights are empty", critical=True),
        leaf(rest_of_table, "Rest of the table copied", critical=True),
        leaf(texts_copied, "Boxes copied", critical=True),
        leaf(fittings_copied, "Layout and footer copied"),
        critical=True,
    ),
    group(
        "Rest intact",
        "The worked example and all other slides stay.",
        leaf(original_kept, "The worked example kept", critical=True),
        leaf(nothing_else, "Nothing else changed"),
        critical=True,
    ),
]
