"""An account of what differs between two decks, shape by shape, for people and for rules. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# What can be said of a change. Of a shape:
SHAPE_CHANGES = (
    "shape added",
    "shape removed",
    "moved",
    "resized",
    "rotated",
    "text",
    "restyled",
    "content",
    "link",
    "alt text",
    "renamed",
    "restacked",
    "regrouped",
    "rewritten",
    "rescaled",
    "autofit",
    "field",
    "equation",
    "glue",
    "tooltip",
    "media",
    "locks",
    "role",
    "fallback",
    "shape hidden",
    "shape shown",
)
# Of a slide; "other" is a change of the XML of a slide, or of one of its shapes, that no other word tells:
SLIDE_CHANGES = (
    "slide added",
    "slide removed",
    "slide moved",
    "hidden",
    "shown",
    "layout",
    "notes",
    "background",
    "transition",
    "animation",
    "build",
    "colour map",
    "master shapes",
    "theme override",
    "tags",
    "controls",
    "other",
)
# Of the deck: the kinds of PartChange.
DECK_CHANGES = (
    "master",
    "layout design",
    "notes master",
    "handout master",
    "notes page",
    "comments",
    "comment authors",
    "sections",
    "slide size",
    "show settings",
    "custom shows",
    "table styles",
    "macros",
    "presentation",
)
WHATS = (*SHAPE_CHANGES, *SLIDE_CHANGES, *DECK_CHANGES)
# A run cut in two, a spelling mark, a language: other XML, and nothing that anybody sees (see invisible.py).
INVISIBLE = ("rewritten",)


@dataclass(frozen=True)
class Change:
    """One thing that differs.

    what: one of WHATS. slide_id, slide_number: None for changes of the deck; the number is the one in the new deck, of
    a removed slide that in the old one. shape_id, shape_name, shape_kind ("text box", "picture", "table", ...): None
    where no shape is meant. detail: for people, one line: "1.50 cm right", "Revenue [-2023-]{+2024+}".
    """

    what: str
    slide_id: str | None = None
    slide_number: int | None = None
    shape_id: str | None = None
    shape_name: str | None = None
    shape_kind: str | None = None
    detail: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Every field by name."""
        return dict(vars(self))

    @property
    def place(self) -> str:
        """Where, for people: "slide 3, Title 1 (placeholder)"."""
        slide = f"slide {self.slide_number}" if self.slide_number is not None else "deck"
        if self.shape_id is None:
            return slide
        return f"{slide}, {self.shape_name or 'shape ' + self.shape_id} ({self.shape_kind})"

    def __str__(self) -> str:
        return f"{self.place}: {self._words}"

    @property
    def _words(self) -> str:
        return f"{self.what}: {self.detail}" if self.detail else self.what


@dataclass(frozen=True)
class Account:
    """Every difference between two decks, in the order of the slides, those of the deck last."""

    changes: list[Change] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """JSON types."""
        return {"changes": [change.to_dict() for change in self.changes]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The exact inverse of to_dict."""
        return cls([Change(**change) for change in data["changes"]])

    def __str__(self) -> str:
        """One line for each change; "nothing differs" where there is none."""
        return "\n".join(map(str, self.changes)) or "nothing differs"

    def only_changed(
        self,
        *rules: Mapping[str, Any],
        slides: Iterable[int | str] | None = None,
        shapes: Iterable[int | str] | None = None,
        what: Iterable[str] | None = None,
    ) -> tuple[str, float]:
        """See the function `only_changed`."""
        return only_changed(self, *rules, slides=slides, shapes=shapes, what=what)


class LazyAccount(Account):
    """An account that is made when somebody looks at it: most leaves never do."""

    def __init__(self, make: Callable[[], Account]) -> None:
        object.__setattr__(self, "_make", make)

    @property  # a field of Account that is worked out here
    def changes(self) -> list[Change]:
        """See Account."""
        made: Account | None = self.__dict__.get("_made")
        if made is None:
            made = self.__dict__["_make"]()
            object.__setattr__(self, "_made", made)
            object.__setattr__(self, "_make", None)
        return made.changes

    def __eq__(self, other: object) -> bool:
        return self.changes == other.changes if isinstance(other, Account) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.changes,))  # raises, as that of an Account does

    def __reduce__(self) -> tuple[type[Account], tuple[list[Change]]]:
        return Account, (self.changes,)


LazyAccount.__qualname__ = Account.__qualname__  # what a dataclass's repr shows


class HasAccount(Protocol):
    """A PowerPointDiff. (model.py imports this module, not the other way round.)"""

    @property
    def account(self) -> Account:
        """The diff's account."""


def only_changed(
    diff: Account | HasAccount,
    *rules: Mapping[str, Any],
    slides: Iterable[int | str] | None = None,
    shapes: Iterable[int | str] | None = None,
    what: Iterable[str] | None = None,
) -> tuple[str, float]:
    """Whether nothing but what is allowed was changed: (reason, 1.0 or 0.0), what a leaf's compute_score() returns.

    slides: slide numbers (of the new deck) or, as text, slide ids. shapes: names, or ids as numbers or text. what:
    words of WHATS. What is left out is not asked; all three together are one rule. Each of `rules` is a mapping with
    the same keys, for what is allowed besides:
    `only_changed(ppt_diff, {"slides": [2], "what": ["text"]}, {"slides": [5]})`.
    Without any rule nothing may have changed. Changes that nobody can see ("rewritten") are always allowed.

    A rule with `shapes` allows changes of shapes only. A slide that was added is one change, whatever is on it. An
    animation or transition is a change of its slide, not of a shape. Raises ValueError for an unknown key or word.
    """
    account = diff if isinstance(diff, Account) else diff.account
    given = [dict(rule) for rule in rules]
    if not (slides is None and shapes is None and what is None):
        given.append({"slides": slides, "shapes": shapes, "what": what})
    checked = [_Rule.read(rule) for rule in given]
    extra = [
        change
        for change in account.changes
        if change.what not in INVISIBLE and not any(rule.allows(change) for rule in checked)
    ]
    if not extra:
        made = sum(1 for change in account.changes if change.what not in INVISIBLE)
        return f"nothing else was changed ({made} allowed change{'' if made == 1 else 's'})", 1.0
    shown = "; ".join(str(change) for change in extra[:5])
    more = f"; and {len(extra) - 5} more" if len(extra) > 5 else ""
    return f"changed besides what was asked: {shown}{more}", 0.0


@dataclass(frozen=True)
class _Rule:
    slides: frozenset[str] | None
    shapes: frozenset[str] | None
    what: frozenset[str] | None

    @classmethod
    def read(cls, rule: Mapping[str, Any]) -> Self:
        for key in rule:
            if key not in ("slides", "shapes", "what"):
                raise ValueError(f"only_changed: unknown key {key!r}: use slides, shapes, what")
        what = _texts(rule.get("what"))
        for word in what or ():
            if word not in WHATS:
                near = get_close_matches(word, WHATS, 1)
                raise ValueError(
                    f"only_changed: unknown change {word!r}: {f'did you mean {near[0]!r}?' if near else WHATS}"
                )
        slides = rule.get("slides")
        # A number is a place and a text is an id, and both may be 256: keep them apart.
        marked = None if slides is None else frozenset(f"#{s}" if isinstance(s, int) else str(s) for s in slides)
        return cls(marked, _texts(rule.get("shapes")), what)

    def allows(self, change: Change) -> bool:
        if self.slides is not None and not self.slides & {f"#{change.slide_number}", change.slide_id}:
            return False
        if self.shapes is not None and (
            change.shape_id is None or not self.shapes & {change.shape_id, change.shape_name}
        ):
            return False
        return self.what is None or change.what in self.what


def _texts(values: Iterable[int | str] | None) -> frozenset[str] | None:
    if values is None:
        return None
    return frozenset([values]) if isinstance(values, str) else frozenset(map(str, values))
