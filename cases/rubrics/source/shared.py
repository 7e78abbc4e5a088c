"""Helpers that leaves of several rubrics use. A leaf gets those that it uses, and what those use in turn."""

import hashlib
from functools import cache

from leaf_globals import modified_ppt_path, original_ppt_path, ppt_diff
from pptx import Presentation


@cache
def deck(path):
    """A deck, opened once in a leaf."""
    return Presentation(path)


def slide_after(number):
    """The slide of the modified deck that had this number in the original one; None where it is gone."""
    slide_id = deck(original_ppt_path).slides[number - 1].slide_id
    return next((slide for slide in deck(modified_ppt_path).slides if slide.slide_id == slide_id), None)


def all_shapes(shapes):
    """The shapes, those in groups in place of their group."""
    for shape in shapes:
        if is_group(shape):
            yield from all_shapes(shape.shapes)
        else:
            yield shape


def is_group(shape):
    return shape._element.tag.endswith("}grpSp")


def notes_of(slide):
    return slide.notes_slide.notes_text_frame.text if slide.has_notes_slide else ""


def plain(text):
    """The text with each run of blanks and line ends as one blank."""
    return " ".join(text.split())


def content(slide):
    """What a slide shows, in no order: {content: places, in inches, of those of its shapes that are in no group}."""
    found = {}

    def walk(shapes, grouped):
        for shape in shapes:
            if is_group(shape):
                walk(shape.shapes, True)
                continue
            if shape.is_placeholder and shape.placeholder_format.type == 13:
                continue  # a slide number follows its slide
            place = None if grouped else ((shape.left or 0) / 914400, (shape.top or 0) / 914400)
            found.setdefault(shown_by(shape), []).append(place)

    walk(slide.shapes, False)
    return found


def shown_by(shape):
    """What a shape shows, without its looks: its kind and its texts, numbers or picture."""
    if getattr(shape, "has_chart", False):
        plots = shape.chart.plots
        return ("chart", *((tuple(plot.categories), tuple((s.name, *s.values) for s in plot.series)) for plot in plots))
    if getattr(shape, "has_table", False):
        return ("table", *(tuple(plain(cell.text) for cell in row.cells) for row in shape.table.rows))
    if shape._element.tag.endswith("}pic"):
        return ("picture", hashlib.sha256(shape.image.blob).hexdigest())
    return ("text", plain(shape.text_frame.text) if shape.has_text_frame else "")


def differences(before, after, may_change):
    """What differs between two slides' contents, where `may_change` doesn't say that it may."""
    out = []
    for key in [*before, *(key for key in after if key not in before)]:
        if may_change(key):
            continue
        old, new = before.get(key, []), after.get(key, [])
        name = f"{key[0]} {str(key[1])[:40]!r}"
        if len(old) != len(new):
            out.append(f"{name} is there {len(new)} times instead of {len(old)}")
            continue
        old, new = (sorted(place for place in places if place) for places in (old, new))
        # Where shapes were grouped or ungrouped there is nothing to compare.
        pairs = zip(old, new, strict=True) if len(old) == len(new) else ()
        if any(abs(a - b) > 0.2 for p, q in pairs for a, b in zip(p, q, strict=True)):
            out.append(f"{name} has moved")
    return out


def may_not_change(_):
    return False


def extraneous(targets):
    """What changed beside the goal. `targets` says, by slide number, of what content there may change."""
    ours = list(deck(original_ppt_path).slides)
    theirs = {slide.slide_id: slide for slide in deck(modified_ppt_path).slides}
    out = []
    if [slide.slide_id for slide in ours] != list(theirs):
        out.append("slides were added, removed or moved")
    touched = {new.slide_id for _, new in ppt_diff.modified_slides}
    rewritten = is_rewritten()
    for number, slide in enumerate(ours, 1):
        other = theirs.get(slide.slide_id)
        if other is None or str(slide.slide_id) not in touched:
            continue
        if number in targets or rewritten:
            may_change = targets.get(number, may_not_change)
            out += [f"slide {number}: {one}" for one in differences(content(slide), content(other), may_change)]
            if plain(notes_of(slide)) != plain(notes_of(other)):
                out.append(f"slide {number}: the notes changed")
        else:
            out.append(f"slide {number} was changed")
    ids = {str(ours[number - 1].slide_id) for number in targets}
    return out + lost_effects(ids) + ([] if rewritten else changed_masters())


def is_rewritten():
    """Whether a program wrote the whole deck anew, as PowerPoint and LibreOffice do.

    Then every slide's XML differs, and only what slides show can be compared.
    """
    return len(ppt_diff.modified_slides) > len(deck(original_ppt_path).slides) / 2


def lost_effects(ids):
    """Animations and transitions that other slides than these have lost."""
    out = []
    for kind in ("animations", "transitions"):
        lost, gained = (
            sum(one.slide_id not in ids for one in getattr(ppt_diff, f"{how}_{kind}")) for how in ("removed", "added")
        )
        if lost > gained:
            out.append(f"{lost - gained} {kind} lost on other slides")
    return out


def changed_masters():
    parts = [part for part in getattr(ppt_diff, "changed_parts", []) if part.kind in ("master", "layout", "slide size")]
    return [f"{part.kind} {part.name} {part.change}" for part in parts]


def verdict(problems, good):
    """A reason and a score from a list of problems."""
    return ("; ".join(problems), 0.0) if problems else (good, 1.0)
