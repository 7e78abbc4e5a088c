"""Numbered questions become bulleted ones."""

from numbering import lines
from rubric_kit import group, leaf
from shared import extraneous, slide_after, verdict

SLIDE = 2
QUESTIONS = (
    "Why does the sea rise twice a day?",
    "Why is high water fifty minutes later each day?",
    "Why are some tides larger than others?",
    "How are tides measured and predicted?",
    "Can tides drive power stations?",
)
SUB_LINES = ("From week to week: spring and neap tides", "From coast to coast: bays, shelves, funnels")
# Characters that show as a filled round bullet; "l" and U+F06C in Wingdings, U+F0B7 in Symbol.
ROUND = "•●∙·⚫⬤\uf0b7\uf06cl"


def questions_are_bullets():
    """Each of the five questions has a bullet, and no number."""
    found = {text: bullet for text, _, bullet, _ in lines(slide_after(SLIDE))}
    kinds = {question: (found.get(question) or ("none",))[0] for question in QUESTIONS}
    good = sum(kind == "char" for kind in kinds.values())
    if good == 5:
        return "all five questions have bullets", 1.0
    names = {"auto": "a number", "none": "no bullet"}
    wrong = [f"{text!r}: {names[kind]}" for text, kind in kinds.items() if kind != "char"]
    return "; ".join(wrong), good / 5


def bullets_are_round():
    """The five bullets are round ones."""
    found = {text: bullet for text, _, bullet, _ in lines(slide_after(SLIDE))}
    shown = [(found.get(question) or ("none", "none"))[1] for question in QUESTIONS]
    wrong = sorted({mark for mark in shown if len(mark) != 1 or mark not in ROUND})
    return verdict([f"the bullet is {mark!r}" for mark in wrong], f"the bullets are {shown[0]!r}")


def sub_lines_kept():
    """The two lines below the third question are dashes still, one level deeper."""
    found = {text: (level, bullet) for text, level, bullet, _ in lines(slide_after(SLIDE))}
    wrong = []
    for line in SUB_LINES:
        level, bullet = found.get(line, (-1, None))
        if level < 0:
            wrong.append(f"{line!r} is gone")
        elif level < 1 or bullet is None or bullet[0] != "char" or bullet[1] not in ("–", "-", "—"):
            wrong.append(f"{line!r}: level {level + 1}, bullet {bullet}")
    return verdict(wrong, "both lines are dashes below the third question")


def words_kept():
    """The seven lines say what they said, in the same order; no bullets are typed into them."""
    wanted = [*QUESTIONS[:3], *SUB_LINES, *QUESTIONS[3:]]
    texts = [text for text, *_ in lines(slide_after(SLIDE))]
    missing = [text for text in wanted if text not in texts]
    if missing:
        return f"missing or changed: {missing}", 0.0
    found = [text for text in texts if text in wanted]
    return ("all seven lines are there, in order", 1.0) if found == wanted else (f"the lines are now {found}", 0.0)


def nothing_else():
    """Other shapes and all other slides are as they were."""
    return verdict(extraneous({SLIDE: is_list}), "nothing else has changed")


def is_list(key):
    """The list itself: its words are another leaf's business."""
    return key[0] == "text" and any(question in key[1] for question in QUESTIONS)


NAME = "Questions with bullets"
DESCRIPTION = "The five numbered questions are a bulleted list, and say what they said."
TREE = [
    group(
        "Bullets for numbers",
        "Round bullets before each question.",
        leaf(questions_are_bullets, "Questions have bullets", critical=True),
        leaf(bullets_are_round, "The bullets are round"),
        critical=True,
    ),
    group(
        "Rest intact",
        "Lines below a question, and words, stay.",
        leaf(sub_lines_kept, "Deeper lines kept", critical=True),
        leaf(words_kept, "Words and order kept", critical=True),
        leaf(nothing_else, "Nothing else changed"),
        critical=True,
    ),
]
