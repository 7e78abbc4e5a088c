"""MV Petrel becomes MV Fulmar; the harbour Petrel Point keeps its name."""

from leaf_globals import modified_ppt_path, original_ppt_path
from rubric_kit import group, leaf
from shared import all_shapes, deck, extraneous, notes_of, plain, shown_by, slide_after, verdict

OLD, NEW = "MV Petrel", "MV Fulmar"


def name_on_slides():
    """Every text and table cell that named the ship names it MV Fulmar."""
    return renamed(lambda slide: plain("\n".join(texts_of(slide))), "on slides")


def name_in_notes():
    """Speaker notes that named the ship name it MV Fulmar."""
    return renamed(lambda slide: plain(notes_of(slide)), "in the notes")


def renamed(text_of, where):
    """The score for one kind of text: the share of places that were renamed, 1 only if all were."""
    wrong, total, done = [], 0, 0
    for number, slide in enumerate(deck(original_ppt_path).slides, 1):
        expected = text_of(slide).count(OLD)
        other = slide_after(number) if expected else None
        text = text_of(other) if other is not None else ""
        named, left = text.count(NEW), text.count(OLD)
        total += expected
        done += max(0, min(named, expected - left))
        if named != expected or left:
            wrong.append(f"slide {number}: {NEW} {named} times of {expected}, {OLD} left {left} times")
    if wrong:
        return f"{where}: " + "; ".join(wrong), min(0.9, done / total)
    return f"all {total} places {where} say {NEW}", 1.0


def texts_of(slide):
    for shape in all_shapes(slide.shapes):
        if getattr(shape, "has_table", False):
            yield from (cell.text for row in shape.table.rows for cell in row.cells)
        elif shape.has_text_frame:
            yield shape.text_frame.text


def name_in_description():
    """The alternative text of the ship's picture on slide 9 says MV Fulmar."""
    slide = slide_after(9)
    found = [] if slide is None else [e.get("descr") for e in slide.shapes._spTree.iter("{*}cNvPr") if e.get("descr")]
    if any("Petrel" in text for text in found):
        return f"a description still says Petrel: {found}", 0.0
    if not any(NEW in text for text in found):
        return f"no description says {NEW}: {found}", 0.0
    return f"the picture's description says {NEW}", 1.0


def harbour_kept():
    """Petrel Point is a place: it is named as often as before, on slides, in charts and in notes."""
    before, _ = harbour(original_ppt_path)
    after, renamed_too = harbour(modified_ppt_path)
    if renamed_too or after < before:
        return f"Petrel Point is named {after} times instead of {before}, Fulmar Point {renamed_too} times", 0.0
    return f"Petrel Point is still named {after} times", 1.0


def harbour(path):
    """How often the deck names Petrel Point and Fulmar Point."""
    words = []
    for slide in deck(path).slides:
        words += [*texts_of(slide), notes_of(slide)]
        charts = [shape.chart for shape in all_shapes(slide.shapes) if getattr(shape, "has_chart", False)]
        words += [str(category) for chart in charts for plot in chart.plots for category in plot.categories]
    text = plain(" | ".join(words))
    return text.count("Petrel Point"), text.count("Fulmar Point")


def formatting_kept():
    """The name is bold where it was: wholly in the caption on slide 9, its last word in the list on slide 7."""
    wrong = []
    for number in (7, 9):
        old = sorted(bold_words(deck(original_ppt_path).slides[number - 1], OLD))
        slide = slide_after(number)
        new = sorted(bold_words(slide, NEW)) if slide is not None else []
        if old != new:
            wrong.append(f"slide {number}: (MV, name) bold: {new}, before: {old}")
    return verdict(wrong, "the name is bold where it was")


def bold_words(slide, name):
    """(first word bold, last word bold) for each place outside of tables that has the name."""
    for shape in all_shapes(slide.shapes):
        for paragraph in shape.text_frame.paragraphs if shape.has_text_frame else ():
            marks = [(char, bool(run.font.bold)) for run in paragraph.runs for char in run.text]
            at = "".join(char for char, _ in marks).find(name)
            if at >= 0:
                yield marks[at][1], all(bold for _, bold in marks[at + 3 : at + len(name)])


def nothing_else():
    """Apart from the name, slides, notes, animations and transitions are as they were."""
    # Notes differ by the name, so they are compared here word by word, and so are the texts that hold it.
    problems = [one for one in extraneous(dict.fromkeys((7, 9, 16), names_ship)) if "the notes changed" not in one]
    after = {slide.slide_id: slide for slide in deck(modified_ppt_path).slides}
    for number, slide in enumerate(deck(original_ppt_path).slides, 1):
        other = after.get(slide.slide_id, slide)  # a lost slide is told of above
        if words_of(slide) != words_of(other):
            problems.append(f"slide {number}: texts differ by more than the name")
        if new_name(notes_of(slide)) != new_name(notes_of(other)):
            problems.append(f"slide {number}: notes differ by more than the name")
    return verdict(problems, "nothing but the name has changed")


def names_ship(key):
    return OLD in str(key) or NEW in str(key)


def new_name(text):
    return plain(text).replace(OLD, NEW)


def words_of(slide):
    return sorted(new_name(str(shown_by(shape))) for shape in all_shapes(slide.shapes))


NAME = "The ferry's new name"
DESCRIPTION = "MV Petrel is MV Fulmar wherever the ship is meant, and nowhere else."
TREE = [
    group(
        "New name everywhere",
        "Slides, tables, notes and picture descriptions say MV Fulmar.",
        leaf(name_on_slides, "Name on the slides", critical=True),
        leaf(name_in_notes, "Name in the notes", critical=True),
        leaf(name_in_description, "Name in the picture's description"),
        critical=True,
    ),
    group(
        "Rest intact",
        "What is not the ship's name stays.",
        leaf(harbour_kept, "The harbour keeps its name", critical=True),
        leaf(formatting_kept, "Formatting kept"),
        leaf(nothing_else, "Nothing else changed"),
        critical=True,
    ),
]
