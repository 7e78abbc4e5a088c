"""A fifth milestone on the time line."""

from itertools import pairwise

from leaf_globals import modified_ppt_path, modified_ppt_screenshots
from looks import fill_colour, middle, overlap, placed, text_colour, text_size
from rubric_kit import group, leaf
from shared import deck, extraneous, plain, slide_after, verdict
from visual import asked

from pytest_ppteval.picture import measures

SLIDE = 12
OLD = {
    "1831": "Sheerness: the first gauge that draws its own curve",
    "1873": "Kelvin's machine adds up ten partial tides",
    "1985": "GLOSS joins gauges into a world network",
    "1992": "TOPEX/Poseidon measures the sea from orbit",
}
YEAR, WORDS = "2022", "SWOT maps the sea surface in wide strips"


def year_stands():
    """The year 2022 stands to the right of 1992, level with the other years."""
    new, last = saying(YEAR), saying("1992")
    if new is None or last is None:
        return f"no text {YEAR if new is None else '1992'} on slide {SLIDE}", 0.0
    (x, y), (x_last, y_last) = middle(new[1]), middle(last[1])
    if x < x_last + 0.8:
        return f"2022 is not clearly to the right of 1992: {x:.2f} and {x_last:.2f} inches from the left", 0.0
    if abs(y - y_last) > 0.15:
        return f"2022 is {abs(y - y_last):.2f} inches {'below' if y > y_last else 'above'} the other years", 0.0
    return f"2022 is {x - x_last:.2f} inches to the right of 1992, level with it", 1.0


def words_stand():
    """'SWOT maps the sea surface in wide strips' stands below 2022, level with the other texts."""
    year, new, last = saying(YEAR), saying(WORDS), saying(OLD["1992"])
    if new is None:
        return f"no text of its own says {WORDS!r}", 0.0
    if year is None or last is None:
        return "the year or the text of 1992 is gone", 0.0
    aside, down = abs(middle(new[1])[0] - middle(year[1])[0]), abs(new[1][1] - last[1][1])
    if aside > 0.35 or down > 0.2:
        return f"the text stands {aside:.2f} inches beside its year, {down:.2f} off the height of the others", 0.0
    return "the text stands below its year, level with the others", 1.0


def dot_on_line():
    """A round dot marks 2022 on the line."""
    year, dot = saying(YEAR), dot_of(YEAR)
    if year is None:
        return "there is no year to mark", 0.0
    return ("a dot marks 2022", 1.0) if dot else ("no round dot on the line at 2022", 0.0)


def on_slide():
    return placed(slide_after(SLIDE))


def saying(text):
    """(shape, box) of the shape that says just this, or None."""
    return next((one for one in on_slide() if says(one[0]) == simple(text)), None)


def says(shape):
    return simple(shape.text_frame.text) if shape.has_text_frame else ""


def simple(text):
    return plain(text).rstrip(".").replace("’", "'").lower()


def dot_of(year):
    """(shape, box) of the round shape on the line that is nearest below the year, or None."""
    at, line = saying(year), line_height()
    if at is None or line is None:
        return None
    near = [
        one
        for one in on_slide()
        if one[0]._element.xpath("./p:spPr/a:prstGeom/@prst") in (["ellipse"], ["flowChartConnector"])
        and abs(middle(one[1])[1] - line) <= 0.08
        and abs(middle(one[1])[0] - middle(at[1])[0]) <= 0.3
    ]
    return near[0] if near else None


def line_height():
    """How far down the time line runs: the longest flat shape of the slide."""
    flat = [box for shape, box in on_slide() if box[3] - box[1] < 0.1 and box[2] - box[0] > 5]
    return middle(max(flat, key=lambda box: box[2] - box[0]))[1] if flat else None


def like_the_others():
    """Dot, year and text have the size and colours that those of 1992 have."""
    slide, wrong = slide_after(SLIDE), []
    dots = dot_of(YEAR), dot_of("1992")
    if not all(dots):
        wrong.append("a dot is missing")
    else:
        (new, a), (old, b) = dots
        if abs((a[2] - a[0]) - (b[2] - b[0])) > 0.03 or abs((a[3] - a[1]) - (b[3] - b[1])) > 0.03:
            wrong.append(f"the dot is {a[2] - a[0]:.2f} by {a[3] - a[1]:.2f} inches, the others {b[2] - b[0]:.2f}")
        if fill_colour(new, slide) != fill_colour(old, slide):
            wrong.append(f"the dot is {fill_colour(new, slide)}, the others {fill_colour(old, slide)}")
    for name, new, old in (("year", YEAR, "1992"), ("text", WORDS, OLD["1992"])):
        looks = [text_looks(saying(text), slide) for text in (new, old)]
        if looks[0] != looks[1]:
            wrong.append(f"the {name} is {looks[0]}, the others {looks[1]}")
    return verdict(wrong, "dot, year and text look like the others")


def text_looks(one, slide):
    """The sizes, colours and weights of a shape's runs, in words."""
    if one is None:
        return "missing"
    runs = [run for paragraph in one[0].text_frame.paragraphs for run in paragraph.runs if run.text.strip()]
    looks = {
        f"{text_size(run, one[0], slide):g} pt {text_colour(run, one[0], slide)}{' bold' * bool(run.font.bold)}"
        for run in runs
    }
    return ", ".join(sorted(looks))


def clear_of_others():
    """The milestone lies on the slide and covers no other text."""
    wide = deck(modified_ppt_path).slide_width / 914400
    wrong = []
    for text in (YEAR, WORDS):
        one = saying(text)
        if one is None:
            wrong.append(f"{text!r} is missing")
            continue
        if one[1][0] < -0.01 or one[1][2] > wide + 0.01:
            wrong.append(f"{text!r} runs off the slide")
        others = [other for other in on_slide() if says(other[0]) and other[0]._element is not one[0]._element]
        wrong += [f"{text!r} covers {says(o[0])[:30]!r}" for o in others if overlap(one[1], o[1]) > 0.1]
    return verdict(wrong, "the milestone is on the slide and covers no other text")


def others_kept():
    """The four milestones stand in their order, each with its text below and a dot on the line."""
    wrong = []
    for year, words in OLD.items():
        at, text = saying(year), saying(words)
        if at is None or text is None:
            wrong.append(f"{year}: {'the year' if at is None else 'its text'} is gone or changed")
        elif abs(middle(at[1])[0] - middle(text[1])[0]) > 0.35 or dot_of(year) is None:
            wrong.append(f"{year}: text or dot no longer stand at the year")
    if not wrong:
        order = [middle(saying(year)[1])[0] for year in OLD]
        if any(a >= b for a, b in pairwise(order)):
            wrong.append("the years are in another order")
    return verdict(wrong, "the four milestones are in place")


def words_have_room():
    """As drawn, no text runs into another, out of its box or off the slide."""
    slide, shot = slide_after(SLIDE), measures.of_slide(modified_ppt_screenshots, SLIDE)
    wrong = [f"{clash} cover each other" for clash in measures.overlaps(slide, shot)]
    wrong += [f"the text of {over} is drawn beyond it" for over in measures.text_overflows(slide, shot)]
    wrong += [f"{over} is beyond the slide" for over in measures.off_slide(slide, shot)]
    return verdict(wrong, "every text has its room")


def looks_alike():
    """A vision model sees five milestones on the line that look alike, 2022 the last."""
    pictures = [shot.image_path for shot in modified_ppt_screenshots if shot.slide_number == SLIDE]
    return asked(QUESTION, pictures)


QUESTION = """\
This is a slide with a time line. Are there five milestones on the line, 2022 at the right end, and is that one drawn in
the same manner as the other four (dot, year above, text below)? Start with the word YES or NO, then say in one sentence
why."""


def nothing_else():
    """The rest of the slide and all other slides are as they were."""
    return verdict(extraneous({SLIDE: is_of_milestones}), "nothing else has changed")


def is_of_milestones(key):
    """Dots and the line have no text; of the old years and texts another leaf judges."""
    return key[0] == "text" and simple(key[1]) in {"", *map(simple, (YEAR, WORDS, *OLD, *OLD.values()))}


NAME = "A fifth milestone"
DESCRIPTION = "The time line has a fifth milestone, 2022, that looks like the other four."
THRESHOLD = 0.7  # what is left where all looks fall short; see "Looks" in cases/README.md
TREE = [
    group(
        "Milestone added",
        "Year, text and dot at the right end of the line.",
        leaf(year_stands, "The year is to the right", critical=True),
        leaf(words_stand, "The text is below", critical=True),
        leaf(dot_on_line, "A dot on the line", critical=True),
        leaf(like_the_others, "Looks like the others", critical=True),
        critical=True,
    ),
    group(
        "Looks",
        "The time line as people see it.",
        leaf(words_have_room, "Texts have room"),
        leaf(looks_alike, "Five milestones that look alike"),
    ),
    group(
        "Rest intact",
        "The other milestones, and all the rest, stay.",
        leaf(others_kept, "Other milestones kept", critical=True),
        leaf(clear_of_others, "Clear of other texts", critical=True),
        leaf(nothing_else, "Nothing else changed", critical=True),
        critical=True,
    ),
]
