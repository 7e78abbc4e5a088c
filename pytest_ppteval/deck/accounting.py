"""From a diff and the two decks to the account for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.account import Account, Change
from pytest_ppteval.deck.deckwide import all_designs
from pytest_ppteval.deck.design_words import parts_changed
from pytest_ppteval.deck.normal import Node, differences
from pytest_ppteval.deck.playing import timing_words, transition_key
from pytest_ppteval.deck.shape_account import Pairs, shape_changes
from pytest_ppteval.deck.shapes import SHAPES, loose_elements, read_shapes
from pytest_ppteval.deck.slides import notes_text
from pytest_ppteval.deck.wording import SLIDE_PATHS, words
from pytest_ppteval.deck.words import word_diff
from pytest_ppteval.deck.xmlnames import MC, P

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_ppteval.deck.model import AnimationEffect, PartChange, PowerPointDiff, Slide, SlideTransition
    from pytest_ppteval.deck.opening import SlidePart
    from pytest_ppteval.deck.side import Side


def account_of(
    diff: PowerPointDiff, before: Side, after: Side, modified: Sequence[tuple[SlidePart, SlidePart]]
) -> Account:
    """The account that goes with `diff`. modified: the slides of diff.modified_slides, in their order."""
    changes = [
        *(_slide_change("slide added", slide) for slide in diff.added_slides),
        *(_slide_change("slide removed", slide) for slide in diff.removed_slides),
        *(_moved_slide(old, new) for old, new in diff.moved_slides),
    ]
    for (old, new), (was, now) in zip(modified, diff.modified_slides, strict=True):
        changes.extend(_slide_changes(diff, before, old, was, after, new, now))
    changes.extend(_of_slide(part, after) for part in diff.changed_parts if part.kind in _OF_SLIDES)
    changes.sort(key=lambda change: change.slide_number or 0)  # stable: what was said of a slide stays in order
    changes.extend(
        Change(
            "layout design" if part.kind == "layout" else part.kind,
            detail=_part_detail(part.name, part.kind, part.change) + _design_detail(part, before, after),
        )
        for part in diff.changed_parts
        if part.kind not in _OF_SLIDES
    )
    return Account(changes)


# Parts outside of a slide that are yet one slide's; their names are "slide 3".
_OF_SLIDES = ("notes page", "comments")


def _of_slide(part: PartChange, after: Side) -> Change:
    number = int(part.name.rpartition(" ")[2])
    slide_id = next(slide.slide_id for slide in after.slides.values() if slide.number == number)
    return Change(part.kind, slide_id, number, detail=part.change)


def _part_detail(name: str, kind: str, change: str) -> str:
    return change if name == kind else f"{name} {change}"


def _design_detail(part: PartChange, before: Side, after: Side) -> str:
    """ ": background" and the like where a master or layout differs in nothing else."""
    if part.change != "modified" or part.kind not in ("master", "layout"):
        return ""
    for old, new in all_designs(before, after).items():
        if new.kind == part.kind and new.name == part.name and old.name == new.name:
            found = parts_changed(before, old.part, after, new.part)
            if found:
                return f": {', '.join(found)}"
    return ""


def _slide_change(what: str, slide: Slide) -> Change:
    return Change(what, slide.slide_id, slide.slide_number, detail=slide.title or "")


def _moved_slide(old: Slide, new: Slide) -> Change:
    detail = f"from {old.slide_number} to {new.slide_number}"
    return Change("slide moved", new.slide_id, new.slide_number, detail=detail)


def _slide_changes(
    diff: PowerPointDiff, before: Side, old: SlidePart, was: Slide, after: Side, new: SlidePart, now: Slide
) -> Iterator[Change]:
    """Everything about one modified slide."""
    slide_id, number = new.slide_id, new.number
    what = diff.slide_changes[slide_id]
    if "hidden" in what:
        yield Change("hidden" if now.hidden else "shown", slide_id, number)
    if "content" in what or "related" in what or "hidden" in what:
        found = list(_content(diff, before, old, after, new))
        yield from found
        if not found and "hidden" not in what:
            yield Change("rewritten", slide_id, number, detail="the same slide in other XML")
    if "layout" in what:
        detail = f"{was.layout_type or 'none'} → {now.layout_type or 'none'}"
        yield Change("layout", slide_id, number, detail=detail)
    if "notes" in what:
        yield Change("notes", slide_id, number, detail=word_diff(notes_text(old.part), notes_text(new.part)))


def _content(diff: PowerPointDiff, before: Side, old: SlidePart, after: Side, new: SlidePart) -> Iterator[Change]:
    """What differs in a slide's XML and in what that leads to. Nothing only where nobody sees a difference."""
    slide_id, number = new.slide_id, new.number
    yield from _background(before, old, after, new)
    pairs = Pairs(read_shapes(old, before), read_shapes(new, after))
    yield from shape_changes(pairs, slide_id, number)
    effects = list(_effects(diff, slide_id, number))
    yield from effects
    told = {change.what for change in effects}
    if "transition" not in told and transition_key(before, old) != transition_key(after, new):
        yield Change("transition", slide_id, number, detail="details")
    for word, detail in timing_words(before, old, after, new, pairs, _moving(diff, slide_id)):
        if word not in told:
            yield Change(word, slide_id, number, detail=detail)
    said = words(differences(_rest(before, old), _rest(after, new)), SLIDE_PATHS)
    for word, path in said.items():
        if word != "animation" or "animation" not in told:
            yield Change(word, slide_id, number, detail=path)
    yield from _unnamed_parts(before, old, after, new, pairs)


def _moving(diff: PowerPointDiff, slide_id: str) -> set[str]:
    """Ids of the shapes whose effects are told of."""
    effects = [*diff.added_animations, *diff.removed_animations]
    effects += [effect for pair in diff.modified_animations for effect in pair]
    return {effect.element_id for effect in effects if effect.slide_id == slide_id}


def _rest(side: Side, slide: SlidePart) -> Node:
    """The slide without what is compared on its own: shapes, background, transition, timing, whether it is shown."""
    node = side.shown.node(slide.part, slide.element, _APART)
    node.attributes.pop("show", None)
    node.children = [
        *(child for child in node.children if not _is_left_empty(child)),
        *(side.shown.node(slide.part, element) for element in loose_elements(slide)),
    ]
    tree = slide.element.find(f"{P}cSld/{P}spTree")
    if tree is not None:
        node.children.append(side.shown.node(slide.part, tree, (*SHAPES, MC + "AlternateContent")))
    # A second one of what there should be one of: programs may show it.
    for path in (f"{P}cSld", f"{P}cSld/{P}bg", f"{P}cSld/{P}spTree", f"{P}timing"):
        node.children.extend(side.shown.node(slide.part, more) for more in slide.element.findall(path)[1:])
    return node


def _is_left_empty(node: Node) -> bool:
    """Whether it only wrapped what is compared on its own."""
    if node.tag != MC + "AlternateContent" or not node.children:
        return False
    return not any(branch.children or branch.text.strip() for branch in node.children)


# The tree of shapes is added again without the shapes.
_APART = (P + "bg", P + "spTree", P + "transition", P + "timing")


def _unnamed_parts(before: Side, old: SlidePart, after: Side, new: SlidePart, pairs: Pairs) -> Iterator[Change]:
    """Parts that belong to the slide although its XML does not name them."""
    claimed = tuple(
        f"diagramDrawing diagramDrawing {digest}" for shape in (*pairs.before, *pairs.after) for digest in shape.drawing
    )
    was = [part for part in before.shown.implicit(old.part) if part not in claimed]
    now = [part for part in after.shown.implicit(new.part) if part not in claimed]
    for kind, word in (("themeOverride", "theme override"), ("vmlDrawing", "other"), ("diagramDrawing", "other")):
        one, other = ([part for part in parts if part.startswith(f"{kind} ")] for parts in (was, now))
        # The drawing for older programs comes and goes with the objects that it shows.
        told = kind == "vmlDrawing" and any(s.kind == "object" for s in (*pairs.added, *pairs.removed))
        if one != other and not told:
            yield Change(word, new.slide_id, new.number, detail="" if word != "other" else f"related part: {kind}")


def _background(before: Side, old: SlidePart, after: Side, new: SlidePart) -> Iterator[Change]:
    was, now = old.element.find(f"{P}cSld/{P}bg"), new.element.find(f"{P}cSld/{P}bg")
    keys = (
        before.shown.node(old.part, was).key() if was is not None else None,
        after.shown.node(new.part, now).key() if now is not None else None,
    )
    if keys[0] != keys[1]:
        detail = "set" if was is None else "reset" if now is None else ""
        yield Change("background", new.slide_id, new.number, detail=detail)


def _effects(diff: PowerPointDiff, slide_id: str, number: int) -> Iterator[Change]:
    def transition(detail: str) -> Change:
        return Change("transition", slide_id, number, detail=detail)

    def animation(effect: AnimationEffect, detail: str) -> Change:
        return Change("animation", slide_id, number, detail=f"{detail} on shape {effect.element_id}")

    yield from (transition(f"{t.transition_type} added") for t in diff.added_transitions if t.slide_id == slide_id)
    yield from (transition(f"{t.transition_type} removed") for t in diff.removed_transitions if t.slide_id == slide_id)
    for old, new in diff.modified_transitions:
        if new.slide_id == slide_id:
            yield transition(_pair(_transition_words(old), _transition_words(new)))
    yield from (animation(e, f"{e.effect_type} added") for e in diff.added_animations if e.slide_id == slide_id)
    yield from (animation(e, f"{e.effect_type} removed") for e in diff.removed_animations if e.slide_id == slide_id)
    for was, now in diff.modified_animations:
        if now.slide_id == slide_id:
            yield animation(now, _pair(_effect_words(was), _effect_words(now)))


def _pair(old: str, new: str) -> str:
    return f"{old} → {new}" if old != new else f"{new}, details"


def _transition_words(transition: SlideTransition) -> str:
    after = f", after {transition.advance_after:g} s" if transition.advance_after is not None else ""
    direction = f" {transition.direction}" if transition.direction else ""
    return f"{transition.transition_type}{direction} {transition.duration:g} s{after}"


def _effect_words(effect: AnimationEffect) -> str:
    delay = f" after {effect.delay:g} s" if effect.delay else ""
    return f"#{effect.order + 1} {effect.effect_type} {effect.duration:g} s {effect.trigger}{delay}"
