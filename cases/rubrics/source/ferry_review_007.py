"""The risk slide moves to the front, the backup slide is hidden."""

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

RISKS, FIGURES = "Risks and what we do about them", "The quarter in four figures"
BACKUP = "Backup: fuel price scenarios"


def risks_follow_figures():
    """The risk slide comes right after the slide with the four figures."""
    order = titles(modified_ppt_path)
    missing = [title for title in (RISKS, FIGURES) if title not in order]
    if missing:
        return f"missing: {missing}", 0.0
    figures, risks = order.index(FIGURES) + 1, order.index(RISKS) + 1
    if risks == figures + 1:
        return f"risks are slide {risks}, the figures slide {figures}", 1.0
    moved = [new.title for _, new in getattr(ppt_diff, "moved_slides", [])]
    return f"risks are slide {risks}, the figures slide {figures}; moved: {moved or 'none'}", 0.0


def backup_hidden():
    """The backup slide is in the deck, hidden in the show."""
    found = [slide for title, slide in slides(modified_ppt_path) if title == BACKUP]
    if not found:
        return "the backup slide was deleted or renamed", 0.0
    return ("it is hidden", 1.0) if all(map(is_hidden, found)) else ("the backup slide is shown", 0.0)


def slides(path):
    """(title, slide) in order. By title, since copying and pasting gives a slide a new id."""
    for slide in deck(path).slides:
        title = slide.shapes.title
        yield plain(title.text_frame.text) if title is not None else "", slide


def titles(path):
    return [title for title, _ in slides(path)]


def is_hidden(slide):
    return slide._element.get("show") in ("0", "false")


def every_slide_once():
    """All 18 slides are in the deck, each once."""
    before, after = titles(original_ppt_path), titles(modified_ppt_path)
    wrong = [f"lost: {title!r}" for title in before if title not in after]
    wrong += [f"new or doubled: {title!r}" for title in sorted(set(after)) if after.count(title) > before.count(title)]
    return verdict(wrong, f"all {len(after)} slides are there once")


def others_in_order():
    """Without the risk slide, the order is the old one."""
    before, after = ([t for t in titles(path) if t != RISKS] for path in (original_ppt_path, modified_ppt_path))
    if [title for title in before if title in after] == [title for title in after if title in before]:
        return "the other slides are in their old order", 1.0
    return f"the order is now {after}", 0.0


def only_backup_hidden():
    """No other slide was hidden."""
    found = [title for title, slide in slides(modified_ppt_path) if is_hidden(slide) and title != BACKUP]
    return verdict([f"hidden too: {title!r}" for title in found], "no other slide is hidden")


def nothing_else():
    """Texts, pictures, notes, animations and transitions are as they were."""
    after = dict(slides(modified_ppt_path))
    touched = {new.title for _, new in ppt_diff.modified_slides} - {BACKUP}
    rewritten = is_rewritten()
    problems = []
    for title, slide in slides(original_ppt_path):
        other = after.get(title)
        if other is None:
            continue  # another leaf's business
        problems += [f"{title!r}: {one}" for one in differences(content(slide), content(other), may_not_change)]
        if plain(notes_of(slide)) != plain(notes_of(other)):
            problems.append(f"{title!r}: the notes changed")
        if title in touched and not rewritten:
            problems.append(f"{title!r} was changed")
    problems += lost_effects(()) + ([] if rewritten else changed_masters())
    return verdict(problems, "nothing else has changed")


NAME = "Risks early, backup hidden"
DESCRIPTION = "One slide moves, one is hidden, all others stay as they are."
TREE = [
    group(
        "Slides arranged",
        "Both requests are met.",
        leaf(risks_follow_figures, "Risks follow the figures", critical=True),
        leaf(backup_hidden, "Backup is hidden", critical=True),
        critical=True,
    ),
    group(
        "Rest intact",
        "No slide lost, doubled, reordered or edited.",
        leaf(every_slide_once, "Every slide once", critical=True),
        leaf(others_in_order, "Other slides in their order", critical=True),
        leaf(only_backup_hidden, "Only the backup is hidden"),
        leaf(nothing_else, "Nothing else changed"),
        critical=True,
    ),
]
