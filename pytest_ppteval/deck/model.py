"""What two decks differ in, as data. Standard library only, so that pytest's own process can hold it without lxml.

The names, order and defaults of the fields up to the marked lines are a contract with rubrics written for
microsoft/ppteval; what stands below those lines is this project's own and always has a default.

The records are frozen: a rubric reads them and calls to_dict(). PowerPointDiff holds lists, not tuples, because
rubrics add its fields together (`added + modified`), sort them and compare them with [].
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pytest_ppteval.deck.account import Account

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class _Record:
    """to_dict and from_dict of a flat dataclass whose values JSON knows."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Every field by name, as JSON types."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The exact inverse of to_dict. Raises TypeError for a missing or an unknown key."""
        return cls(**data)


@dataclass(frozen=True)
class AnimationEffect(_Record):
    """One effect of a slide's animation pane.

    slide_id: as in Slide. element_id: the id of the shape it moves, "unknown" where it names none.
    effect_type: "fade", "fly_in_from_left", "motion_path", ...: the preset's name and direction.
    trigger: "click", "with_previous" or "after_previous". delay, duration: seconds; duration is until its last
        behaviour ends, one repetition. order: its place on the slide, from 0.
    element_text: the text of the shape, or of the paragraphs or characters it moves, runs joined with nothing; None
        where there is none, and of groups, tables and the like.
    element_type: "text" where its target is a range of text, else "shape".

    effect_class: "entrance", "emphasis", "exit", "motion_path", "media", "verb" or "custom".
    element_part: what of the shape it moves, where that is not all of it: "paragraph 2" (from 1), "chart category 0".
    path: a motion path in PowerPoint's notation. trigger_element_id: the shape to click on, where it is not just any
        click. content_hash: sha256 of the effect's XML without ids, its delay included.
    """

    slide_id: str
    element_id: str
    effect_type: str
    trigger: str
    delay: float
    duration: float
    order: int
    element_text: str | None = None
    element_type: str | None = None
    # ---- this project's own
    effect_class: str | None = None
    element_part: str | None = None
    path: str | None = None
    trigger_element_id: str | None = None
    content_hash: str | None = None


@dataclass(frozen=True)
class SlideTransition(_Record):
    """How a slide comes in. A slide without a p:transition element has none.

    transition_type: "fade", "push", "vortex", "morph", ...: the name of the element that says it, "none" where nothing
    does. duration: seconds. direction: "l", "u", "in", ... as the file says it, None where it says nothing.

    variant: whatever else the type's element says, "option=byObject", "prst=origami", "spokes=8".
    advance_on_click, advance_after (seconds): when the show goes on. sound: the name of the sound it plays, "stop"
    where it ends one.
    """

    slide_id: str
    transition_type: str
    duration: float
    direction: str | None = None
    # ---- this project's own
    variant: str | None = None
    advance_on_click: bool = True
    advance_after: float | None = None
    sound: str | None = None


@dataclass(frozen=True)
class Slide(_Record):
    """A slide.

    slide_id: its id in the file as text, the same wherever the slide moves. slide_number: its place, from 1.
    title, layout_type (the layout's name), notes: None where there is none. element_count: p:sp elements at any depth.
    content_hash: sha256 of its XML as data, each relationship id replaced by what it points at.

    hidden: left out of the show.
    """

    slide_id: str
    slide_number: int
    title: str | None = None
    layout_type: str | None = None
    element_count: int = 0
    notes: str | None = None
    content_hash: str | None = None
    # ---- this project's own
    hidden: bool = False


@dataclass(frozen=True)
class PartChange(_Record):
    """A difference outside of the slides.

    kind: "master", "layout", "notes master", "handout master", "notes page", "comments", "comment authors", "sections",
        "slide size", "show settings", "custom shows", "table styles", "macros", "presentation".
    name: which one, for people. change: "added", "removed" or "modified".
    """

    kind: str
    name: str
    change: str


@dataclass(frozen=True)
class PowerPointDiff:
    """What differs between two decks. modified_* and moved_slides hold (before, after) pairs.

    modified_slides: the same slide_id on both sides and content, notes or layout that differ as data.
    moved_slides: the fewest slides that one has to move to get the new order.
    slide_changes: for each modified slide, by slide_id, what of it: "content", "related" (only a picture, chart or
        other part that it shows), "notes", "layout", "hidden".
    changed_parts: differences outside of the slides: masters, layouts, show settings, comments, ...
    account: the same slide by slide and shape by shape, for people and for rules (`account.only_changed`).
    """

    added_animations: list[AnimationEffect]
    removed_animations: list[AnimationEffect]
    modified_animations: list[tuple[AnimationEffect, AnimationEffect]]
    added_transitions: list[SlideTransition]
    removed_transitions: list[SlideTransition]
    modified_transitions: list[tuple[SlideTransition, SlideTransition]]
    added_slides: list[Slide]
    removed_slides: list[Slide]
    modified_slides: list[tuple[Slide, Slide]]
    # ---- this project's own
    moved_slides: list[tuple[Slide, Slide]] = field(default_factory=list)
    slide_changes: dict[str, list[str]] = field(default_factory=dict)
    changed_parts: list[PartChange] = field(default_factory=list)
    account: Account = field(default_factory=Account)

    @classmethod
    def empty(cls) -> Self:
        """The diff of a deck with itself."""
        return cls([], [], [], [], [], [], [], [], [])

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not any(getattr(self, item.name) for item in fields(self) if item.name != "account")

    def to_dict(self) -> dict[str, Any]:
        """JSON types; a pair is {"before": ..., "after": ...}."""
        done: dict[str, Any] = {}
        for name in _RECORDS:
            items = getattr(self, name)
            if name in _PAIRED:
                done[name] = [{"before": before.to_dict(), "after": after.to_dict()} for before, after in items]
            else:
                done[name] = [item.to_dict() for item in items]
        done["slide_changes"] = {slide_id: list(what) for slide_id, what in self.slide_changes.items()}
        done["account"] = self.account.to_dict()
        return done

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The exact inverse of to_dict, through JSON too."""
        read: dict[str, Any] = {}
        for name, record in _RECORDS.items():
            items = data[name]
            if name in _PAIRED:
                read[name] = [(record(item["before"]), record(item["after"])) for item in items]
            else:
                read[name] = [record(item) for item in items]
        changes = {slide_id: list(what) for slide_id, what in data["slide_changes"].items()}
        return cls(**read, slide_changes=changes, account=Account.from_dict(data["account"]))


_RECORDS: dict[str, Callable[[Mapping[str, Any]], _Record]] = {
    "added_animations": AnimationEffect.from_dict,
    "removed_animations": AnimationEffect.from_dict,
    "modified_animations": AnimationEffect.from_dict,
    "added_transitions": SlideTransition.from_dict,
    "removed_transitions": SlideTransition.from_dict,
    "modified_transitions": SlideTransition.from_dict,
    "added_slides": Slide.from_dict,
    "removed_slides": Slide.from_dict,
    "modified_slides": Slide.from_dict,
    "moved_slides": Slide.from_dict,
    "changed_parts": PartChange.from_dict,
}
_PAIRED = {"modified_animations", "modified_transitions", "modified_slides", "moved_slides"}
