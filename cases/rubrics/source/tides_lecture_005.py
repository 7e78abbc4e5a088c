"""A new date in the footers, and two slide numbers put back."""

from leaf_globals import modified_ppt_path, original_ppt_path
from looks import placed
from rubric_kit import group, leaf
from shared import deck, extraneous, plain, slide_after, verdict

OLD, NEW = "3 November 2026", "10 November 2026"
MISSING = (8, 11)
FOOT = 6.8  # inches from the top: what begins below belongs to the footer


def new_date():
    """Every footer that had a date says 10 November 2026, and will say so tomorrow: it is no automatic date."""
    numbers = [n for n, slide in enumerate(deck(original_ppt_path).slides, 1) if OLD in foot_texts(slide)]
    wrong = {}
    for number in numbers:
        found = [text for text in foot_texts(slide_after(number)) if "2026" in text]
        if any(is_automatic(shape) for shape, _ in foot(slide_after(number))):
            found.append("an automatic date")
        if found != [NEW]:
            wrong[number] = ", ".join(found) or "no date"
    if wrong:
        told = "; ".join(f"slide {number}: {found}" for number, found in wrong.items())
        return told, 1 - len(wrong) / len(numbers)
    return f"all {len(numbers)} dates are new", 1.0


def is_automatic(shape):
    return any(field.get("type", "").startswith("datetime") for field in shape._element.iter("{*}fld"))


def numbers_back():
    """Slides 8 and 11 show their numbers in the footer."""
    wrong = []
    for number in MISSING:
        found = foot_texts(slide_after(number))
        # The text of a field is what the program that saved it last saw there, if anything.
        if str(number) not in found and not number_shapes(slide_after(number)):
            wrong.append(f"slide {number}: the footer says {', '.join(found)}")
    return ("; ".join(wrong), 1 - len(wrong) / 2) if wrong else ("both slides show their numbers", 1.0)


def numbers_count():
    """The numbers of slides 8 and 11 are fields, which follow when slides are moved."""
    wrong = [
        f"slide {number} has no slide number field" for number in MISSING if not number_shapes(slide_after(number))
    ]
    return ("; ".join(wrong), 1 - len(wrong) / 2) if wrong else ("both are fields", 1.0)


def foot(slide):
    """(shape, box) of what stands in the slide's footer."""
    return [(shape, box) for shape, box in placed(slide) if shape.has_text_frame and is_in_foot(shape, box)]


def is_in_foot(shape, box):
    """Whether the shape stands low on the slide, or is a placeholder for number, footer or date."""
    return box[1] > FOOT or (shape.is_placeholder and shape.placeholder_format.type in (13, 15, 16))


def foot_texts(slide):
    return [plain(shape.text_frame.text) for shape, _ in foot(slide)]


def number_shapes(slide):
    """(shape, box) of what holds the slide's number as a field."""
    return [one for one in foot(slide) if any(f.get("type") == "slidenum" for f in one[0]._element.iter("{*}fld"))]


def like_the_others():
    """The two numbers stand where the number of slide 7 does."""
    [wanted] = [box for _, box in number_shapes(deck(original_ppt_path).slides[6])]
    wrong = []
    for number in MISSING:
        boxes = [box for _, box in number_shapes(slide_after(number))]
        if not boxes:
            wrong.append(f"slide {number} has no slide number field")
        elif abs(boxes[0][2] - wanted[2]) > 0.3 or abs(boxes[0][1] - wanted[1]) > 0.15:
            wrong.append(f"slide {number}: it ends {boxes[0][2]:.2f} inches from the left, {boxes[0][1]:.2f} down")
    return verdict(wrong, "both stand where the others do")


def other_footers():
    """All other footers and slide numbers stay; title and section slides still have none."""
    wrong = []
    for number, slide in enumerate(deck(original_ppt_path).slides, 1):
        other = slide_after(number)
        before, after = ({text for text in foot_texts(s) if "Introduction" in text} for s in (slide, other))
        if before != after:
            wrong.append(f"slide {number}: the footer says {', '.join(after) or 'nothing'}")
        if number not in MISSING and bool(number_shapes(slide)) != bool(number_shapes(other)):
            wrong.append(f"slide {number}: its number {'is gone' if number_shapes(slide) else 'is new'}")
        if OLD not in foot_texts(slide) and NEW in foot_texts(other):
            wrong.append(f"slide {number}: a date is new")
    return verdict(wrong, "they are as they were")


def other_dates():
    """Dates that are not in the footer stay, such as the last day for signing up on slide 17."""
    before, after = (dates_above(path) for path in (original_ppt_path, modified_ppt_path))
    return ("they are as they were", 1.0) if before == after else (f"lines with dates: {after}, before: {before}", 0.0)


def dates_above(path):
    """The lines above the footers that name November, slide by slide."""
    return [
        plain(paragraph.text)
        for slide in deck(path).slides
        for shape, box in placed(slide)
        if shape.has_text_frame and not is_in_foot(shape, box)
        for paragraph in shape.text_frame.paragraphs
        if "November" in paragraph.text
    ]


def nothing_else():
    """Apart from dates and slide numbers, slides are as they were."""
    slides = range(1, len(deck(original_ppt_path).slides) + 1)
    return verdict(extraneous(dict.fromkeys(slides, is_of_footer)), "nothing else has changed")


def is_of_footer(key):
    """Numbers and dates by themselves."""
    return key[0] == "text" and (key[1] in (OLD, NEW, "<number>", "‹#›") or key[1].isdigit())


NAME = "Footers brought up to date"
DESCRIPTION = "Footers have the new date, and slides 8 and 11 their numbers."
TREE = [
    group(
        "Footers set",
        "Date and numbers.",
        leaf(new_date, "The new date", critical=True),
        leaf(numbers_back, "Numbers on slides 8 and 11", critical=True),
        leaf(numbers_count, "The numbers are fields", critical=True),
        leaf(like_the_others, "They stand where others do"),
        critical=True,
    ),
    group(
        "Rest intact",
        "Other footers and other dates stay.",
        leaf(other_footers, "Other footers kept", critical=True),
        leaf(other_dates, "Other dates kept", critical=True),
        leaf(nothing_else, "Nothing else changed"),
        critical=True,
    ),
]
