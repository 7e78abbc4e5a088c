"""From a diff and the two decks to the account for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.account import Account, Change
from pytest_ppteval.deck.align import moved
from pytest_ppteval.deck.shapes import read_shapes
from pytest_ppteval.deck.slides import notes_text
from pytest_ppteval.deck.words import word_diff
from pytest_ppteval.deck.xmlnames import P

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_ppteval.deck.model import AnimationEffect, PowerPointDiff, Slide, SlideTransition
    from pytest_ppteval.deck.opening import SlidePart
    from pytest_ppteval.deck.shapes import Shape
    from pytest_ppteval.deck.side import Side

_EMU_PER_CM = 360_000


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
    changes.sort(key=lambda change: change.slide_number or 0)  # stable: what was said of a slide stays in order
    changes.extend(
        Change(
            "layout design" if part.kind == "layout" else part.kind,
            detail=_part_detail(part.name, part.kind, part.change),
        )
        for part in diff.changed_parts
    )
    return Account(changes)


def _part_detail(name: str, kind: str, change: str) -> str:
    return change if name == kind else f"{name} {change}"


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
    found: list[Change] = []
    if "hidden" in what:
        found.append(Change("hidden" if now.hidden else "shown", slide_id, number))
    if "content" in what or "related" in what:
        found.extend(_background(before, old, after, new))
        found.extend(_shape_changes(read_shapes(old, before.reader), read_shapes(new, after.reader), slide_id, number))
        found.extend(_effects(diff, slide_id, number))
        if not any(change.what not in ("hidden", "shown") for change in found):
            found.append(Change("other", slide_id, number, detail="another part of the slide's XML"))
    if "layout" in what:
        detail = f"{was.layout_type or 'none'} → {now.layout_type or 'none'}"
        found.append(Change("layout", slide_id, number, detail=detail))
    if "notes" in what:
        found.append(Change("notes", slide_id, number, detail=word_diff(notes_text(old.part), notes_text(new.part))))
    return iter(found)


def _background(before: Side, old: SlidePart, after: Side, new: SlidePart) -> Iterator[Change]:
    was, now = old.element.find(f"{P}cSld/{P}bg"), new.element.find(f"{P}cSld/{P}bg")
    digests = (
        before.reader.element_digest(old.part, was) if was is not None else None,
        after.reader.element_digest(new.part, now) if now is not None else None,
    )
    if digests[0] != digests[1]:
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


# ---- shapes ----------------------------------------------------------------------------------------------------------


def _shape_changes(before: list[Shape], after: list[Shape], slide_id: str, number: int) -> Iterator[Change]:
    pairs = _match(before, after)
    partners = {id(old): new for old, new in pairs}

    def change(what: str, shape: Shape, detail: str = "") -> Change:
        return Change(what, slide_id, number, shape.id, shape.name, shape.kind, detail)

    matched = {id(new) for _, new in pairs}
    for shape in before:
        if id(shape) not in partners:
            yield change("shape removed", shape, _first_words(shape))
    for shape in after:
        if id(shape) not in matched:
            yield change("shape added", shape, _first_words(shape))
    for old, new in pairs:
        aspects = list(_aspects(old, new))
        yield from (change(what, new, detail) for what, detail in aspects)
        if not aspects and old.raw != new.raw and old.markup != new.markup:
            yield change("rewritten", new, "the same text and look in other XML")
    for shape in _restacked(pairs, before, after):
        yield change("restacked", shape)


def _match(before: list[Shape], after: list[Shape]) -> list[tuple[Shape, Shape]]:
    """By id, name and kind; then, of what is left, by words, by id, by name: programs may give others of either."""
    pairs: dict[int, Shape] = {}
    taken: set[int] = set()

    def by_both(shape: Shape) -> tuple[str, ...]:
        return shape.id, shape.name, shape.kind

    def by_words(shape: Shape) -> tuple[str, ...]:
        words = "\n".join(shape.lines)
        return (words, shape.kind) if words.strip() else ()

    def by_id(shape: Shape) -> tuple[str, ...]:
        return shape.id, shape.kind

    def by_name(shape: Shape) -> tuple[str, ...]:
        return shape.name, shape.kind

    for key in (by_both, by_words, by_id, by_name):
        free: dict[tuple[str, ...], list[Shape]] = {}
        for shape in after:
            if id(shape) not in taken and (known_by := key(shape)):
                free.setdefault(known_by, []).append(shape)
        for shape in before if free else ():
            if id(shape) not in pairs and (same := free.get(key(shape))):
                pairs[id(shape)] = same.pop(0)
                taken.add(id(pairs[id(shape)]))
    return [(shape, pairs[id(shape)]) for shape in before if id(shape) in pairs]


def _aspects(old: Shape, new: Shape) -> Iterator[tuple[str, str]]:
    """What differs between a shape before and after."""
    if old.raw == new.raw and old.parent == new.parent and old.content == new.content and old.links == new.links:
        return  # the usual case, and cheap
    if old.name != new.name:
        yield "renamed", f"{old.name} → {new.name}"
    if old.parent != new.parent:
        yield "regrouped", "out of its group" if new.parent is None else "into a group"
    if old.place != new.place:
        yield from _place(old.place, new.place)
    if old.turn != new.turn:
        yield "rotated", _turn(new.turn)
    if old.lines != new.lines:
        yield "text", _text(old, new)
    if old.alt != new.alt:
        yield "alt text", word_diff("\n".join(old.alt).strip(), "\n".join(new.alt).strip())
    if old.links != new.links:
        yield "link", f"{', '.join(old.links) or 'none'} → {', '.join(new.links) or 'none'}"
    elif old.linked != new.linked and old.lines == new.lines:
        yield "link", f"{_linked_words(old)} → {_linked_words(new)}"
    if old.content != new.content:
        detail = ""
        if old.data != new.data:
            differing = sum(1 for a, b in zip(old.data, new.data, strict=False) if a != b)
            differing += abs(len(old.data) - len(new.data))
            detail = f"{differing} of {max(len(old.data), len(new.data))} values of the chart"
        yield "content", detail
    if old.look != new.look or (old.lines == new.lines and old.spread != new.spread):
        yield "restyled", ""


def _place(old: tuple[int, int, int, int] | None, new: tuple[int, int, int, int] | None) -> Iterator[tuple[str, str]]:
    if old is None or new is None:
        yield "moved", "to its layout's place" if new is None else "from its layout's place to one of its own"
        return
    right, down = new[0] - old[0], new[1] - old[1]
    if right or down:
        yield (
            "moved",
            ", ".join(
                f"{_cm(abs(way))} {word}"
                for way, word in ((right, "right" if right > 0 else "left"), (down, "down" if down > 0 else "up"))
                if way
            ),
        )
    if old[2:] != new[2:]:
        yield "resized", f"{_cm(old[2])} × {_cm(old[3])} → {_cm(new[2])} × {_cm(new[3])}"


def _cm(emu: int) -> str:
    return f"{emu / _EMU_PER_CM:.2f} cm"


def _turn(turn: tuple[str, ...]) -> str:
    words = []
    for item in turn:
        name, _, value = item.partition("=")
        if name == "rot" and value.lstrip("-").isdecimal() and len(value) < 12:
            words.append(f"to {int(value) / 60_000:g}°")
        else:
            words.append(item)
    return ", ".join(words) or "upright"


def _text(old: Shape, new: Shape) -> str:
    if new.kind == "table" and len(old.lines) == len(new.lines):
        changed = [word_diff(a, b) for a, b in zip(old.lines, new.lines, strict=True) if a != b]
        return f"{len(changed)} cell{'' if len(changed) == 1 else 's'}: " + " | ".join(changed[:5])
    return word_diff("\n".join(old.lines), "\n".join(new.lines))


def _linked_words(shape: Shape) -> str:
    return ", ".join(f'on "{words}"' if words else "on the whole shape" for _, words in shape.linked)


def _first_words(shape: Shape) -> str:
    text = " ".join(" ".join(shape.lines).split())
    return text if len(text) <= 60 else text[:60] + "…"


def _restacked(pairs: list[tuple[Shape, Shape]], before: list[Shape], after: list[Shape]) -> list[Shape]:
    """The fewest shapes whose place in the stack changed; those that went to another group aside."""
    same_group = [(old, new) for old, new in pairs if old.parent == new.parent]
    found: list[Shape] = []
    for parent in dict.fromkeys(new.parent for _, new in same_group):
        name_of = {id(shape): str(n) for n, pair in enumerate(same_group) for shape in pair if pair[1].parent == parent}
        shape_of = {name_of[id(new)]: new for _, new in same_group if id(new) in name_of}
        order_before = [name_of[id(shape)] for shape in before if id(shape) in name_of]
        order_after = [name_of[id(shape)] for shape in after if id(shape) in name_of]
        found.extend(shape_of[name] for name in moved(order_before, order_after))
    return found
