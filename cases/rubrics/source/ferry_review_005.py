"""Four cards in one row: same size, level, equal gaps."""

from itertools import pairwise

from leaf_globals import modified_ppt_screenshots
from rubric_kit import group, leaf
from shared import extraneous, is_group, plain, slide_after, verdict
from visual import asked

from pytest_ppteval.picture import measures

SLIDE = 3
FIGURES = {
    "412,300": ("passengers", "+4.5% on last year"),
    "91.8%": ("sailings on time", "target 93%"),
    "£9.62m": ("fare revenue", "£0.32m over budget"),
    "4.3 / 5": ("passenger rating", "1,870 answers"),
}


def same_size():
    """All four cards are as wide and as high as each other."""
    found = cards()
    if len(found) != 4:
        return f"only these cards are on the slide: {list(found)}", 0.0
    sizes = [(right - left, bottom - top) for left, top, right, bottom in found.values()]
    if all(max(side) - min(side) <= 0.04 for side in zip(*sizes, strict=True)):
        return f"all cards are {sizes[0][0]:.2f} by {sizes[0][1]:.2f} inches", 1.0
    return "sizes differ: " + ", ".join(f"{w:.2f} by {h:.2f}" for w, h in sizes) + " inches", 0.0


def one_row():
    """The tops of the four cards are level."""
    found = cards()
    if len(found) != 4:
        return f"only these cards are on the slide: {list(found)}", 0.0
    tops = [top for _, top, _, _ in found.values()]
    if max(tops) - min(tops) <= 0.04:
        return f"all tops are {tops[0]:.2f} inches down", 1.0
    return "tops differ: " + ", ".join(f"{top:.2f}" for top in tops) + " inches", 0.0


def equal_gaps():
    """From left to right the gaps between the cards are equal, and no card overlaps the next."""
    found = sorted(cards().values())
    if len(found) != 4:
        return f"only {len(found)} of the cards are on the slide", 0.0
    gaps = [right[0] - left[2] for left, right in pairwise(found)]
    shown = ", ".join(f"{gap:.2f}" for gap in gaps) + " inches"
    if min(gaps) < -0.01:
        return f"cards overlap; gaps: {shown}", 0.0
    if max(gaps) - min(gaps) <= 0.05:
        return f"gaps: {shown}", 1.0
    return f"gaps differ: {shown}", 0.0


def cards():
    """The four cards by figure: the largest shape behind each figure that is no more than a quarter of the slide."""
    found = {}
    shapes = boxes()
    for figure in FIGURES:
        for one in shapes:
            if figure in one[4]:
                x, y = (one[0] + one[2]) / 2, (one[1] + one[3]) / 2
                behind = [o for o in shapes if o[0] <= x <= o[2] and o[1] <= y <= o[3] and area(o) <= 25]
                found[figure] = max(behind, key=area, default=one)[:4]
    return found


def boxes():
    """(left, top, right, bottom, text) of every shape, in inches on the slide, whatever groups it is in."""
    slide = slide_after(SLIDE)
    out = []

    def walk(shapes, scale_x, scale_y, move_x, move_y):
        for shape in shapes:
            x, y, w, h = ((v or 0) / 914400 for v in (shape.left, shape.top, shape.width, shape.height))
            x, y, w, h = x * scale_x + move_x, y * scale_y + move_y, w * scale_x, h * scale_y
            if is_group(shape):
                frame = shape._element.grpSpPr.find("{*}xfrm")
                inner = [int(frame.find("{*}" + tag).get(name)) / 914400 for tag, name in INNER]
                sx, sy = (w / inner[2] if inner[2] else 1), (h / inner[3] if inner[3] else 1)
                walk(shape.shapes, sx, sy, x - inner[0] * sx, y - inner[1] * sy)
            else:
                out.append((x, y, x + w, y + h, plain(shape.text_frame.text) if shape.has_text_frame else ""))

    walk(slide.shapes if slide is not None else (), 1, 1, 0, 0)
    return out


# Where a group keeps its own coordinates.
INNER = (("chOff", "x"), ("chOff", "y"), ("chExt", "cx"), ("chExt", "cy"))


def area(one):
    return (one[2] - one[0]) * (one[3] - one[1])


def content_kept():
    """Each card holds its figure, label and detail, and the cards stand in the old order from left to right."""
    found = cards()
    if len(found) != 4:
        return f"only these cards are on the slide: {list(found)}", 0.0
    shapes = boxes()
    wrong = [
        f"{word!r} is not on the card of {figure}"
        for figure, words in FIGURES.items()
        for word in words
        if not any(word in one[4] and within(one, found[figure]) for one in shapes)
    ]
    order = sorted(found, key=lambda figure: found[figure])
    if order != list(FIGURES):
        wrong.append(f"the order is now {order}")
    return verdict(wrong, "each card holds its texts, in the old order")


def within(one, card):
    """Whether the middle of `one` lies on the card."""
    x, y = (one[0] + one[2]) / 2, (one[1] + one[3]) / 2
    return card[0] - 0.05 <= x <= card[2] + 0.05 and card[1] - 0.05 <= y <= card[3] + 0.05


def on_the_slide():
    """Cards lie on the slide, and cover neither the title nor the summary."""
    found = cards()
    if len(found) != 4:
        return f"only these cards are on the slide: {list(found)}", 0.0
    wrong = []
    for figure, (left, top, right, bottom) in found.items():
        if left < -0.01 or top < -0.01 or right > 13.35 or bottom > 7.51:
            wrong.append(f"the card of {figure} runs off the slide")
        for one in boxes():
            over = min(min(right, one[2]) - max(left, one[0]), min(bottom, one[3]) - max(top, one[1]))
            if one[4].startswith(("The quarter in four", "A good summer")) and over > 0.1:
                wrong.append(f"the card of {figure} covers {one[4][:30]!r}")
    return verdict(wrong, "all cards are on the slide and cover no other text")


def texts_on_cards():
    """As drawn, each card's texts stay on their card, and none runs into another."""
    slide, shot = slide_after(SLIDE), measures.of_slide(modified_ppt_screenshots, SLIDE)
    found = cards()
    if len(found) != 4:
        return f"only these cards are on the slide: {list(found)}", 0.0
    wrong = []
    for figure, edges in found.items():
        card = measures.Box(*(72 * edge for edge in edges))
        lines = measures.drawn_text(shot, inside=card)
        said = plain(" ".join(line.text for line in lines))
        wrong += [f"{word!r} is not drawn on its card" for word in (figure, *FIGURES[figure]) if word not in said]
        wrong += [f"{line.text!r} reaches beyond its card" for line in lines if line.box.beyond(card.grown(2))]
    wrong += [f"{clash} cover each other" for clash in measures.overlaps(slide, shot)]
    return verdict(wrong, "every text is drawn on its card")


def looks_tidy():
    """A vision model sees four cards that look the same, in one row with equal gaps."""
    pictures = [shot.image_path for shot in modified_ppt_screenshots if shot.slide_number == SLIDE]
    return asked(QUESTION, pictures)


QUESTION = """\
This is a slide of a presentation. Are there four cards on it that are equally large, stand in one row with equal gaps,
and hold their texts neatly inside? Start with the word YES or NO, then say in one sentence why."""


def nothing_else():
    """Other shapes and all other slides are as they were."""
    return verdict(extraneous({SLIDE: is_of_card}), "nothing else has changed")


def is_of_card(key):
    """Cards move and may have been taken out of their groups; what they say is another leaf's business."""
    words = {"", *FIGURES, *(word for pair in FIGURES.values() for word in pair)}
    return key[0] == "text" and (key[1] in words or any(figure in key[1] for figure in FIGURES))


NAME = "Four cards in line"
DESCRIPTION = "The cards on slide 3 have one size, one top and equal gaps."
THRESHOLD = 0.7  # what is left where all looks fall short; see "Looks" in cases/README.md
TREE = [
    group(
        "Cards tidy",
        "Size, row and gaps.",
        leaf(same_size, "Same size", critical=True),
        leaf(one_row, "One row", critical=True),
        leaf(equal_gaps, "Equal gaps", critical=True),
        critical=True,
    ),
    group(
        "Looks",
        "The cards as people see them.",
        leaf(texts_on_cards, "Texts stay on their cards"),
        leaf(looks_tidy, "Looks like one tidy row"),
    ),
    group(
        "Rest intact",
        "Cards keep what they say, and nothing else changed.",
        leaf(content_kept, "Cards keep their content", critical=True),
        leaf(on_the_slide, "Within the slide", critical=True),
        leaf(nothing_else, "Nothing else changed", critical=True),
        critical=True,
    ),
]
