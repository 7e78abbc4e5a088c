"""Four steps fade in, a click each."""

from leaf_globals import ppt_diff
from rubric_kit import group, leaf
from shared import extraneous, may_not_change, plain, slide_after, verdict

SLIDE = 14
STEPS = {
    "Consult": "Drafts go to island councils",
    "Publish": "Timetable online",
    "Train": "Crews and ticket desks",
    "Start": "First winter sailings",
}


def every_step_fades():
    """Each step has the entrance effect Fade, and all that belongs to it comes in."""
    shapes = step_shapes()
    good, wrong = 0, []
    for step, own in step_effects().items():
        bare = [i for i in shapes[step] if i not in {effect.element_id for effect in own}]
        kinds = sorted({effect.effect_type for effect in own})
        if not shapes[step]:
            wrong.append(f"{step} is not on the slide")
        elif bare:
            wrong.append(f"{step}: {len(bare)} of {len(shapes[step])} shapes without an entrance")
        elif kinds != ["fade"]:
            wrong.append(f"{step}: {', '.join(kinds)} instead of fade")
        else:
            good += 1
    return ("; ".join(wrong), good / 4) if wrong else ("all four steps fade in", 1.0)


def one_click_each():
    """Each step starts with a click, and needs no second one."""
    triggers = {step: [effect.trigger for effect in own] for step, own in step_effects().items()}
    wrong = [
        f"{step}: {', '.join(found) or 'no effect'}"
        for step, found in triggers.items()
        if found[:1] != ["click"] or found.count("click") != 1
    ]
    return ("; ".join(wrong), 1 - len(wrong) / 4) if wrong else ("each step starts on its own click", 1.0)


def in_order():
    """The steps come in the order of the slide, and none begins before the last one is complete."""
    found = step_effects()
    missing = [step for step, own in found.items() if not own]
    if missing:
        return f"without an effect: {missing}", 0.0
    order = [step for _, step in sorted((effect.order, step) for step, own in found.items() for effect in own)]
    turns = [step for at, step in enumerate(order) if at == 0 or order[at - 1] != step]
    if turns == list(STEPS):
        return f"they come in as {', '.join(turns)}", 1.0
    return f"they come in as {', '.join(turns)}, wanted {', '.join(STEPS)}", 0.0


def step_shapes():
    """{step: ids of the shapes outside of groups that show it}: its group, or arrow and text once ungrouped."""
    slide = slide_after(SLIDE)
    found = {step: [] for step in STEPS}
    for shape in slide.shapes if slide is not None else ():
        texts = [plain("".join(t.text or "" for t in p.iter("{*}t"))) for p in shape._element.iter("{*}p")]
        for step, words in STEPS.items():
            if step in texts or any(text.startswith(words) for text in texts):
                found[step].append(str(shape.shape_id))
    return found


def new_effects():
    """The effects that the slide has now, in order. It had none before."""
    slide = slide_after(SLIDE)
    found = [] if slide is None else [e for e in ppt_diff.added_animations if e.slide_id == str(slide.slide_id)]
    return sorted(found, key=lambda effect: effect.order)


def is_entrance(effect):
    return getattr(effect, "effect_class", None) in (None, "entrance")


def step_effects():
    """{step: the entrance effects of all its shapes, in order}."""
    entrances = [effect for effect in new_effects() if is_entrance(effect)]
    return {step: [e for e in entrances if e.element_id in ids] for step, ids in step_shapes().items()}


def no_other_effects():
    """Title and introduction are not animated, and nothing on the slide disappears."""
    ids = {i for own in step_shapes().values() for i in own}
    more = [effect for effect in new_effects() if effect.element_id not in ids or not is_entrance(effect)]
    shown = [f"{effect.effect_type} on {(effect.element_text or effect.element_id)[:30]!r}" for effect in more]
    return verdict([f"added too: {one}" for one in shown], "only the steps are animated")


def nothing_else():
    """Words and places of the slide, and all other slides, are as they were."""
    return verdict(extraneous({SLIDE: may_not_change}), "nothing else has changed")


NAME = "Steps fade in one by one"
DESCRIPTION = "Each of the four steps enters with a fade, on its own click, in order."
TREE = [
    group(
        "Animation",
        "Fades, clicks, order.",
        leaf(every_step_fades, "Every step fades in", critical=True),
        leaf(one_click_each, "One click a step", critical=True),
        leaf(in_order, "From Consult to Start", critical=True),
        critical=True,
    ),
    group(
        "Rest intact",
        "The slide shows what it showed, other animations stay.",
        leaf(no_other_effects, "No other effects"),
        leaf(nothing_else, "Nothing else changed"),
    ),
]
