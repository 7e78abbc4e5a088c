"""`changes: {allow: ...}`: everything that is not allowed is as it was."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_ppteval.deck.account import INVISIBLE, WHATS
from pytest_ppteval.deck.design_words import BACKGROUND, PROMPTS
from pytest_ppteval.look.compare import ASPECTS, CHART, PLACE, STYLE, compare_shapes
from pytest_ppteval.vocabulary import within
from pytest_ppteval.vocabulary.address import shapes, slides
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.finding import LeafError
from pytest_ppteval.vocabulary.rewritten import NEWER_TRANSITIONS, is_rewritten, is_writers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_ppteval.deck.account import Change
    from pytest_ppteval.look.model import Shape, Slide
    from pytest_ppteval.vocabulary.world import World

RULE_KEYS = ("slides", "shapes", *within.KEYS, "designs", "what", "keep")
# Words that stand for several.
FAMILIES: dict[str, tuple[str, ...]] = {
    "format": (*STYLE, "restyled", "autofit", "locks"),
    "place": (*PLACE, "rescaled", "place"),
    "z-order": ("restacked",),
    "name": ("renamed",),
    "chart": (*CHART, "content"),
    "animation": ("animation", "build"),
    "master": ("design background", "design prompt"),
    "layout design": ("design background", "design prompt"),
    "design": (
        "master",
        "layout design",
        "design background",
        "design prompt",
        "theme override",
        "colour map",
        "master shapes",
        "theme",
    ),
    "hidden": ("hidden", "shown", "shape hidden", "shape shown"),
}
# Of an account's words those of which looks tell the aspects.
_REFINED = ("restyled", "moved", "resized", "rotated", "rescaled", "content", "autofit")
# Worst first, in a reason.
_WORST = (
    "slide removed",
    "hidden",
    "shape removed",
    "content",
    "text",
    "chart data",
    "picture",
    "slide added",
    "shape added",
)
# Of a master or layout, where nothing else of it differs.
DESIGN_PARTS = {BACKGROUND: "design background", PROMPTS: "design prompt"}
WORDS = tuple(dict.fromkeys((*WHATS, *ASPECTS, *FAMILIES, *DESIGN_PARTS.values(), "any")))


@dataclass(frozen=True, slots=True)
class Seen:
    """A change as leaves see it. what: a word of WORDS that is no family. says: for people.

    design: of a change of a master, layout or theme its name.
    """

    what: str
    slide: str | None
    shape: str | None
    says: str
    design: str | None = None


def judge(want: Any, world: World) -> tuple[str, float]:
    """The reason and score of a leaf: 1 or 0. want: {allow: [rules]}; each rule has RULE_KEYS."""
    unknown_key("changes", want, ("allow",))
    rules = [_Rule(rule, world) for rule in want.get("allow") or ()]
    everything = list(seen_changes(world))
    extra = [change for change in everything if not any(rule.allows(change) for rule in rules)]
    if not extra:
        return f"nothing else was changed ({len(everything)} allowed change{'' if len(everything) == 1 else 's'})", 1.0
    extra.sort(key=lambda change: _WORST.index(change.what) if change.what in _WORST else len(_WORST))
    lines = list(dict.fromkeys(change.says for change in extra))
    more = f"; and {len(lines) - 6} more" if len(lines) > 6 else ""
    return f"changed besides what was asked: {'; '.join(lines[:6])}{more}", 0.0


def seen_changes(world: World) -> Iterator[Seen]:
    """Every change that could be seen, the account's general words as the looks' aspects."""
    rewritten = is_rewritten(world)
    refined: set[tuple[str | None, str | None]] = set()
    for change in world.account.changes:
        if change.what in INVISIBLE:
            continue
        if change.what in ("master", "layout design"):
            if not rewritten:
                yield from _of_design(change, world)
            continue
        pair = _looks(change, world)
        for seen, aspect in _refined(change, pair, refined, world):
            if not (rewritten and _is_writers(seen, pair, aspect, change, world)):
                yield seen


def _refined(
    change: Change,
    pair: tuple[Shape, Shape] | None,
    refined: set[tuple[str | None, str | None]],
    world: World,
) -> Iterator[tuple[Seen, tuple[str, str]]]:
    """A change of the account, or the aspects that looks tell of it, each with what it was and is."""
    whole = Seen(change.what, change.slide_id, change.shape_id, str(change)), ("", "")
    if change.what not in _REFINED or pair is None:
        yield whole
        return
    key = change.slide_id, change.shape_id
    aspects = [one for one in compare_shapes(*pair) if one[0] != "text"]
    mine = [one for one in aspects if _belongs(one[0], change.what)]
    if not mine:
        if not _is_proven(change, pair, world):
            yield whole
        return
    if key not in refined and change.what == "restyled" and _residue(change, pair, world):
        yield whole
    for what, old, new in aspects if key not in refined else ():
        says = f"{change.place}: {what}: {_short(old)} → {_short(new)}"
        yield Seen(what, change.slide_id, change.shape_id, says), (old, new)
    refined.add(key)


def _is_writers(
    seen: Seen, pair: tuple[Shape, Shape] | None, aspect: tuple[str, str], change: Change, world: World
) -> bool:
    """Whether a change is LibreOffice's own; effects and transitions are compared as looks tell them."""
    slide = world.after.by_id(change.slide_id) if change.slide_id is not None else None
    was = world.was(slide) if slide is not None else None
    if slide is not None and was is not None and seen.what == "animation":
        return _effects(was, was, world) == _effects(slide, was, world)
    if slide is not None and was is not None and seen.what == "transition":
        # It knows the transitions of 2007 alone.
        lost = was.transition is not None and was.transition.kind in NEWER_TRANSITIONS
        return _coming(was) == _coming(slide) or (
            lost and (slide.transition is None or slide.transition.kind == "none")
        )
    return is_writers(seen.what, pair, aspect)


def _effects(slide: Slide, was: Slide, world: World) -> list[tuple[object, ...]]:
    """What a slide plays, its shapes by what they were."""
    names: dict[str, str] = {}
    for shape in slide.shapes:
        old = shape if slide is was else world.shape_was(slide, shape)
        names[shape.id] = old.id if old is not None else shape.id
    return [(names.get(e.shape, e.shape), e.paragraph, e.name, e.trigger, e.delay, e.duration) for e in slide.effects]


def _coming(slide: Slide) -> tuple[object, ...] | None:
    """How a slide comes and goes on; None where it does nothing but wait for a click."""
    found = slide.transition
    if found is None or (found.kind == "none" and found.advance_on_click and found.advance_after is None):
        return None
    return found.kind, found.advance_on_click, found.advance_after, found.sound


def _of_design(change: Change, world: World) -> Iterator[Seen]:
    """A change of a master or layout; of its background also where slides show it."""
    parts = change.detail.rpartition(" modified: ")[2].split(", ") if " modified: " in change.detail else []
    name = re.sub(r" (?:added|removed|modified(?:: .*)?)$", "", change.detail)
    if not parts:
        yield Seen(change.what, None, None, str(change), name)
    for part in parts:
        yield Seen(DESIGN_PARTS[part], None, None, str(change), name)
    told = {one.slide_id for one in world.account.changes if one.what == "background"}
    for slide in world.after.slides if BACKGROUND in parts else ():
        was = world.was(slide)
        if was is not None and slide.id not in told and was.background != slide.background:
            yield Seen("background", slide.id, None, f"slide {slide.number}: background, by its layout or master")


def _looks(change: Change, world: World) -> tuple[Shape, Shape] | None:
    slide = world.after.by_id(change.slide_id) if change.slide_id is not None else None
    new = slide.shape(change.shape_id) if slide is not None and change.shape_id is not None else None
    old = world.shape_was(slide, new) if slide is not None and new is not None else None
    return (old, new) if old is not None and new is not None else None


def _belongs(aspect: str, what: str) -> bool:
    if what == "content":
        return aspect in CHART or aspect in ("picture", "recolour", "crop")
    if what in ("moved", "resized", "rotated", "rescaled"):
        return aspect in PLACE
    return aspect in STYLE


def _is_proven(change: Change, pair: tuple[Shape, Shape], world: World) -> bool:
    """Whether a change that looks don't tell is one that nobody could see: the same said in another way."""
    if change.what in ("moved", "resized", "rotated", "rescaled"):
        known = pair[0].box is not None and pair[1].box is not None
        return known and (pair[0].kind != "group" or _members_stay(change, pair[1], world))
    return change.what in ("restyled", "autofit") and not _residue(change, pair, world)


def _members_stay(change: Change, group: Shape, world: World) -> bool:
    """Whether all that a group holds is where it was, and as large."""
    slide = world.after.by_id(change.slide_id) if change.slide_id is not None else None
    for shape in slide.shapes if slide is not None else ():
        if group.id in shape.groups:
            old = world.shape_was(slide, shape) if slide is not None else None
            if old is None or any(aspect in PLACE for aspect, _, _ in compare_shapes(old, shape)):
                return False
    return slide is not None


def _residue(change: Change, pair: tuple[Shape, Shape], world: World) -> bool:
    """Whether anything of the change is in no field of the looks."""
    return change.slide_id is None or bool(world.residue(change.slide_id, pair[0].id, pair[1].id))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


class _Rule:
    """What one rule allows."""

    def __init__(self, rule: Any, world: World) -> None:
        unknown_key("changes: allow", rule, RULE_KEYS)
        self._what = _words(rule.get("what", "any"))
        self._keep = _words(rule.get("keep", [])) or frozenset()
        self._world = world
        self._within = {key: rule[key] for key in within.KEYS if key in rule}
        designs = rule.get("designs")
        self._designs = None if designs is None else {designs} if isinstance(designs, str) else set(designs)
        self._slides: set[str] | None = None
        self._shapes = rule.get("shapes")
        self._ids: dict[str, set[str]] = {}  # of the shapes that are meant, by slide: found when a change is there
        self._places: list[Slide] = [*world.after.slides]
        self._old_places: list[Slide] = [*world.before.slides]
        if "slides" in rule:
            self._places, self._old_places = _both(rule["slides"], world)
            self._slides = {slide.id for slide in (*self._places, *self._old_places)}
        if "shapes" in rule and self._places:
            self._ids_on(self._places[0].id)  # an address that says nothing is told though nothing was changed

    def allows(self, change: Seen) -> bool:
        if self._what is not None and change.what not in self._what:
            return False
        if change.what in self._keep:
            return False
        if self._designs is not None and change.design not in self._designs:
            return False
        if self._slides is not None and change.slide not in self._slides:
            return False
        if self._shapes is not None and (change.shape is None or change.shape not in self._ids_on(change.slide or "")):
            return False
        return not self._within or self._is_within(change)

    def _ids_on(self, slide_id: str) -> set[str]:
        """The shapes that are meant on a slide, in the new deck or in the original."""
        if slide_id not in self._ids:
            self._ids[slide_id] = {
                shape.id
                for places, old in ((self._places, False), (self._old_places, True))
                for slide in places
                if slide.id == slide_id
                for shape in _with_members(self._shapes, slide, self._world, old=old)
            }
        return self._ids[slide_id]

    def _is_within(self, change: Seen) -> bool:
        """Whether the change lies in the cells, paragraphs or words of the rule alone."""
        slide = self._world.after.by_id(change.slide or "")
        new = slide.shape(change.shape or "") if slide is not None else None
        old = self._world.shape_was(slide, new) if slide is not None and new is not None else None
        if old is None or new is None:
            return False
        return within.is_confined(change.what, old, new, self._within)


def _both(want: Any, world: World) -> tuple[list[Slide], list[Slide]]:
    """Slides of the new deck that an address means, and those of the original that became them or are gone."""
    new = slides(want, world)
    old = [was for slide in new if (was := world.was(slide)) is not None]
    if isinstance(want, dict) and "was" in want:
        old = slides(want["was"], world, old=True)
    elif not (isinstance(want, dict) and "added" in want):
        old += [slide for slide in slides(want, world, old=True) if world.now(slide) is None]
    return new, old


def _with_members(want: Any, slide: Slide, world: World, *, old: bool) -> Iterator[Shape]:
    """The shapes that an address means, and of a group all that it holds."""
    found = shapes(want, slide, world, old=old)
    groups = {shape.id for shape in found if shape.kind == "group"}
    yield from found
    yield from (shape for shape in slide.shapes if groups & set(shape.groups))


def _words(want: Any) -> frozenset[str] | None:
    """The words that are meant, families opened; None for any."""
    if want == "any" or want is None:
        return None
    found: set[str] = set()
    given: Iterable[Any] = want if isinstance(want, list) else [want]
    for word in given:
        if word not in WORDS:
            from difflib import get_close_matches

            near = get_close_matches(str(word), WORDS, 1)
            raise LeafError(
                f"changes: unknown change {word!r}: "
                + (f"did you mean {near[0]!r}?" if near else f"use {', '.join(WORDS)}")
            )
        if word == "any":
            return None
        found |= {word, *FAMILIES.get(word, ())}
        if word == "restyled":
            found |= set(STYLE)
        elif word == "content":
            found |= {*CHART, "picture", "recolour", "crop"}
        elif word == "moved":
            found.add("rescaled")
    return frozenset(found)
