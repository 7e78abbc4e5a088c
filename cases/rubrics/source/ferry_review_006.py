"""The main points of the next steps become a numbered list."""

from numbering import lines, numbers
from rubric_kit import group, leaf
from shared import extraneous, slide_after, verdict

SLIDE = 16
POINTS = (
    "Approve the winter timetable",
    "Release £180,000 for the second vehicle lane at Port Alder",
    "Confirm the yard slot of MV Petrel in February",
    "Buy fuel ahead for the first half of 2027",
    "Report on punctuality again in January",
)
SUB_POINTS = (
    "Vote today; publication on 13 November",
    "MV Sanderling covers her sailings for four weeks",
    "The yard needs our word by 1 November",
)


def points_numbered():
    """Each of the five main points has an automatic number."""
    found = {text: bullet for text, _, bullet, _ in lines(slide_after(SLIDE))}
    bare = [point for point in POINTS if (found.get(point) or ("",))[0] != "auto"]
    if not bare:
        return "all five main points have automatic numbers", 1.0
    typed = [text for text in found if any(point in text and point != text for point in POINTS)]
    more = f"; numbers typed as text: {typed}" if typed else ""
    return f"without an automatic number: {bare}{more}", 1 - len(bare) / 5


def count_to_five():
    """The numbers that show are 1, 2, 3, 4, 5, in the order of the points."""
    shown = numbers(lines(slide_after(SLIDE)))
    found = [shown.get(point) for point in POINTS]
    if found == [1, 2, 3, 4, 5]:
        return "the points show 1 to 5", 1.0
    return f"the points show {found} instead of 1 to 5", 0.0


def figure_and_stop():
    """The numbers are written 1. 2. 3., not a) or i."""
    found = {text: bullet for text, _, bullet, _ in lines(slide_after(SLIDE))}
    schemes = sorted({found[point][1] for point in POINTS if (found.get(point) or ("",))[0] == "auto"})
    if schemes == ["arabicPeriod"]:
        return "written 1. 2. 3.", 1.0
    return f"the numbering scheme is {', '.join(schemes) or 'none'}, wanted arabicPeriod", 0.0


def sub_points_kept():
    """The three sub-points are bullets still, below the level of the main points."""
    found = {text: (level, bullet) for text, level, bullet, _ in lines(slide_after(SLIDE))}
    wrong = []
    for point in SUB_POINTS:
        level, bullet = found.get(point, (-1, None))
        if level < 1 or bullet is None or bullet[0] != "char":
            wrong.append(f"{point!r}: level {level + 1}, bullet {bullet}" if level >= 0 else f"{point!r} is gone")
    return verdict(wrong, "all three are bullets below their points")


def words_kept():
    """The eight lines say what they said, in the same order, without numbers typed into them."""
    wanted = [POINTS[0], SUB_POINTS[0], POINTS[1], POINTS[2], *SUB_POINTS[1:], *POINTS[3:]]
    texts = [text for text, *_ in lines(slide_after(SLIDE))]
    missing = [text for text in wanted if text not in texts]
    if missing:
        return f"missing or changed: {missing}", 0.0
    found = [text for text in texts if text in wanted]
    return ("all eight lines are there, in order", 1.0) if found == wanted else (f"the order is now {found}", 0.0)


def nothing_else():
    """Other shapes and all other slides are as they were."""
    return verdict(extraneous({SLIDE: is_list}), "nothing else has changed")


def is_list(key):
    """The list itself: its words are another leaf's business."""
    return key[0] == "text" and any(point in key[1] for point in POINTS)


NAME = "Next steps numbered"
DESCRIPTION = "The five main points are a numbered list, their sub-points are not."
TREE = [
    group(
        "Numbered list",
        "Automatic numbers, 1 to 5.",
        leaf(points_numbered, "Main points are numbered", critical=True),
        leaf(count_to_five, "They count from 1 to 5", critical=True),
        leaf(figure_and_stop, "Figure and full stop"),
        critical=True,
    ),
    group(
        "Rest intact",
        "Sub-points and words stay.",
        leaf(sub_points_kept, "Sub-points are bullets", critical=True),
        leaf(words_kept, "Words and order kept", critical=True),
        leaf(nothing_else, "Nothing else changed"),
        critical=True,
    ),
]
