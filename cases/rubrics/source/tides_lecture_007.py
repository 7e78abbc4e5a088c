"""Dark section slides with white words."""

from colours import theme_colour
from leaf_globals import modified_ppt_screenshots, original_ppt_path
from looks import fill_colour, hex_of, near, text_colour
from rubric_kit import group, leaf
from shared import all_shapes, deck, extraneous, may_not_change, plain, slide_after, verdict
from visual import asked

from pytest_ppteval.picture import measures

BLUE = "1D3557"
SECTIONS = {
    4: ("Why the sea rises and falls", "Gravity, two bulges, and a Moon that moves on"),
    10: ("Tides on real coasts", "Ranges, gauges, tables and turbines"),
}


def dark_background():
    """Both section slides have the plain background #1D3557."""
    found = {number: background(slide_after(number)) for number in SECTIONS}
    wrong = [f"slide {number}: {what}" for number, what in found.items() if not near(what, BLUE, by=2)]
    return ("; ".join(wrong), 1 - len(wrong) / 2) if wrong else (f"both are {BLUE}", 1.0)


def background(slide):
    """The colour of the background that shows, from slide, layout or master; another kind of fill by its name."""
    if slide is None:
        return "no slide"
    layout = slide.slide_layout
    for owner in (slide, layout, layout.slide_master):
        found = owner._element.find("{*}cSld/{*}bg")
        if found is None:
            continue
        reference, own = found.find("{*}bgRef"), found.find("{*}bgPr")
        if reference is not None:
            return hex_of(reference, slide)
        fill = own[0]
        return hex_of(fill, slide) if fill.tag.endswith("}solidFill") else fill.tag.split("}")[-1]
    return theme_colour("bg1", slide)


def white_titles():
    """The titles of both section slides are white."""
    return white(0, "title")


def white_lines():
    """The lines below the titles are white."""
    return white(1, "line")


def white(which, name):
    wrong = []
    for number, texts in SECTIONS.items():
        colours = colours_of(slide_after(number), texts[which])
        if not colours or not all(near(one, "FFFFFF", by=12) for one in colours):
            wrong.append(f"slide {number}: the {name} is {', '.join(sorted(colours)) or 'gone'}")
    return ("; ".join(wrong), 1 - len(wrong) / 2) if wrong else (f"both {name}s are white", 1.0)


def colours_of(slide, text):
    """The colours of the runs of the shape that says just this."""
    for shape in all_shapes(slide.shapes if slide is not None else ()):
        if shape.has_text_frame and plain(shape.text_frame.text) == text:
            runs = [run for paragraph in shape.text_frame.paragraphs for run in paragraph.runs if run.text.strip()]
            return {text_colour(run, shape, slide) for run in runs}
    return set()


def other_colours():
    """All other slides have the backgrounds, and their boxes the fills, that they had."""
    wrong = []
    for number, slide in enumerate(deck(original_ppt_path).slides, 1):
        other = slide_after(number)
        if number in SECTIONS or other is None:
            continue
        before, after = background(slide), background(other)
        if before != after and not near(before, after, by=2):
            wrong.append(f"slide {number}: the background is {after}, before: {before}")
        old, new = fills(slide), fills(other)
        changed = [text for text in old if text in new and not near(old[text], new[text])]
        wrong += [f"slide {number}: {text[:30]!r} is filled {new[text]}, before: {old[text]}" for text in changed]
    return verdict(wrong, "they are as they were")


def fills(slide):
    """{text: colour} of the shapes that have a text and a solid fill."""
    shapes = [shape for shape in all_shapes(slide.shapes) if shape.has_text_frame and shape.text_frame.text.strip()]
    found = {plain(shape.text_frame.text): fill_colour(shape, slide) for shape in shapes}
    return {text: rgb for text, rgb in found.items() if rgb}


def words_stand_out():
    """As drawn, both section slides are mostly dark blue, and title and line stand out from it."""
    wrong = []
    shots = (measures.of_slide(modified_ppt_screenshots, 4), measures.of_slide(modified_ppt_screenshots, 10))
    for (number, texts), shot in zip(SECTIONS.items(), shots, strict=True):
        ground = measures.dominant_colour(shot)
        # 7 to 1 with white: dark.
        if not ground.is_a("blue") or measures.contrast(ground, "#FFFFFF") < 7:
            wrong.append(f"slide {number} is mostly {ground}")
        lines = measures.drawn_text(shot)
        said = plain(" ".join(line.text for line in lines))
        wrong += [f"slide {number}: {text!r} is not drawn" for text in texts if text not in said]
        for line in lines:
            clear = measures.text_contrast(shot, line)
            wrong += [f"slide {number}: {line.text!r} has a contrast of only {clear:.1f}"] if clear < 4.5 else []
    return verdict(wrong, "dark blue, and every word stands out")


def look_alike():
    """A vision model sees two dark blue section slides with white words, in one style."""
    pictures = [shot.image_path for shot in modified_ppt_screenshots if shot.slide_number in (4, 10)]
    return asked(QUESTION, pictures)


QUESTION = """\
These are the two section slides of a presentation. Do both have a plain dark blue background with white words that can
be read well, so that they look like one pair? Start with the word YES or NO, then say in one sentence why."""


def nothing_else():
    """Words and places of the section slides, and all other slides and layouts, are as they were."""
    targets = dict.fromkeys(SECTIONS, may_not_change)
    # The colours may be set on the layout of the section slides: only they use it.
    own = f"layout {deck(original_ppt_path).slides[3].slide_layout.name} modified"
    problems = [one for one in extraneous(targets) if one != own]
    return verdict(problems, "nothing else has changed")


NAME = "Dark section slides"
DESCRIPTION = "Section slides have white words on dark blue; no other slide changes."
THRESHOLD = 0.7  # what is left where all looks fall short; see "Looks" in cases/README.md
TREE = [
    group(
        "Colours set",
        "Background and words.",
        leaf(dark_background, "Dark blue background", critical=True),
        leaf(white_titles, "White titles", critical=True),
        leaf(white_lines, "White lines", critical=True),
        critical=True,
    ),
    group(
        "Looks",
        "The section slides as people see them.",
        leaf(words_stand_out, "Words stand out"),
        leaf(look_alike, "Look like one pair"),
    ),
    group(
        "Rest intact",
        "Other slides keep their looks.",
        leaf(other_colours, "Other slides keep their colours", critical=True),
        leaf(nothing_else, "Nothing else changed", critical=True),
        critical=True,
    ),
]
