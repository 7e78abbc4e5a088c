"""One transition, Fade, on all slides, and none that goes on by itself."""

from leaf_globals import modified_ppt_path, original_ppt_path, ppt_diff
from rubric_kit import group, leaf
from shared import deck, extraneous, may_not_change, verdict

SPEEDS = {"slow": 750, "med": 500, "fast": 250}  # milliseconds, as PowerPoint plays a Fade


def every_slide_fades():
    """Each slide comes in with the transition Fade."""
    found = [kind_of(element) for element in transitions()]
    wrong = [f"slide {number}: {name}" for number, name in enumerate(found, 1) if name != "fade"]
    if wrong:
        return "; ".join(wrong), 1 - len(wrong) / len(found)
    return f"all {len(found)} slides fade in", 1.0


def none_by_itself():
    """No slide goes on after a time."""
    found = [(n, e.get("advTm")) for n, e in enumerate(transitions(), 1) if e is not None]
    return verdict([f"slide {n} goes on after {time} ms" for n, time in found if time], "no slide goes on by itself")


def click_leads_on():
    """A click leads on to the next slide, on every slide."""
    found = [n for n, e in enumerate(transitions(), 1) if e is not None and e.get("advClick") in ("0", "false")]
    return verdict([f"slide {number} does not go on by a click" for number in found], "a click leads on everywhere")


def all_the_same():
    """The fades are of one sort and take the same time."""
    sorts = {}
    for number, element in enumerate(transitions(), 1):
        if kind_of(element) == "fade":
            sorts.setdefault((seconds_of(element), through_black(element)), []).append(number)
    if len(sorts) == 1:
        return "all fades are alike", 1.0
    told = [f"slides {n}: {time:g} s{', through black' * black}" for (time, black), n in sorts.items()]
    return "; ".join(told) or "no slide fades", 0.0


def transitions():
    """The transition of each slide, None without one. Of two forms, the newer: it is what PowerPoint plays."""
    out = []
    for slide in deck(modified_ppt_path).slides:
        found = list(slide._element.iterfind("{*}transition"))
        found += slide._element.iterfind("{*}AlternateContent/{*}Choice/{*}transition")
        out.append(found[0] if found else None)
    return out


def effect_of(element):
    """What the transition does: its first child, but for a sound."""
    children = [] if element is None else [c for c in element if c.tag.split("}")[-1] not in ("sndAc", "extLst")]
    return children[0] if children else None


def kind_of(element):
    found = effect_of(element)
    return "no transition" if found is None else found.tag.split("}")[-1]


def seconds_of(element):
    own = next((value for name, value in element.attrib.items() if name.endswith("}dur")), None)
    return int(own or SPEEDS.get(element.get("spd", "fast"), 250)) / 1000


def through_black(element):
    return effect_of(element).get("thruBlk") in ("1", "true")


def animations_kept():
    """Slides 5 and 14 are animated as before."""
    lost = [f"{one.effect_type} on slide id {one.slide_id}" for one in ppt_diff.removed_animations]
    if len(lost) <= len(ppt_diff.added_animations):
        return "no animation was lost", 1.0
    return f"animations lost: {', '.join(lost)}", 0.0


def nothing_else():
    """What slides show, and their notes, are as they were."""
    slides = range(1, len(deck(original_ppt_path).slides) + 1)
    return verdict(extraneous(dict.fromkeys(slides, may_not_change)), "nothing else has changed")


NAME = "One transition for all"
DESCRIPTION = "All slides fade in alike, and wait for a click."
TREE = [
    group(
        "Transitions set",
        "Fade everywhere, and no time limit.",
        leaf(every_slide_fades, "Every slide fades in", critical=True),
        leaf(none_by_itself, "None goes on by itself", critical=True),
        leaf(all_the_same, "All fades are alike"),
        critical=True,
    ),
    group(
        "Rest intact",
        "Clicks, animations and contents stay.",
        leaf(click_leads_on, "A click leads on", critical=True),
        leaf(animations_kept, "Animations kept", critical=True),
        leaf(nothing_else, "Nothing else changed"),
        critical=True,
    ),
]
