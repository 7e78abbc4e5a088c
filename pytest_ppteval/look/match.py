"""Which shape of a slide is which on another: by id and name, then by what it shows, then by name or place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.likeness import Spoken, alike

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_ppteval.look.model import Shape


def match_shapes(before: Sequence[Shape], after: Sequence[Shape]) -> dict[int, Shape]:
    """From id() of a shape after to the one before that it was."""
    pairs: dict[int, Shape] = {}
    taken: set[int] = set()
    for key in _KEYS:
        if key is None:
            _by_likeness(before, after, pairs, taken)
            continue
        free: dict[tuple[object, ...], list[Shape]] = {}
        for shape in before:
            if id(shape) not in taken and (known_by := key(shape)):
                free.setdefault(known_by, []).append(shape)
        for shape in after if free else ():
            if id(shape) not in pairs and (same := free.get(key(shape))):
                was = min(same, key=lambda other, new=shape: _distance(other, new))  # type: ignore[misc]
                same.remove(was)
                pairs[id(shape)] = was
                taken.add(id(was))
    return pairs


def _by_likeness(before: Sequence[Shape], after: Sequence[Shape], pairs: dict[int, Shape], taken: set[int]) -> None:
    spoken = [shape for shape in before if id(shape) not in taken and shape.words.strip()]
    free = [shape for shape in after if id(shape) not in pairs and shape.words.strip()]

    def said(shape: Shape) -> Spoken:
        return Spoken(shape.words, _family(shape), shape.id, shape.name)

    for i, j in alike([*map(said, spoken)], [*map(said, free)]):
        pairs[id(free[j])] = spoken[i]
        taken.add(id(spoken[i]))


def _family(shape: Shape) -> str:
    """Its kind; whether a shape is marked as a text box is its writer's habit."""
    return "shape" if shape.kind == "text box" else shape.kind


def _by_all(shape: Shape) -> tuple[object, ...]:
    return shape.id, shape.name, _family(shape)


def _by_words(shape: Shape) -> tuple[object, ...]:
    words = shape.words.strip()
    return (words, _family(shape)) if words else ()


def _by_image(shape: Shape) -> tuple[object, ...]:
    return (shape.picture.image, shape.kind) if shape.picture is not None and shape.picture.image else ()


def _by_id(shape: Shape) -> tuple[object, ...]:
    return shape.id, _family(shape)


def _by_placeholder(shape: Shape) -> tuple[object, ...]:
    return (shape.placeholder, shape.placeholder_index) if shape.placeholder else ()


def _by_name(shape: Shape) -> tuple[object, ...]:
    return (shape.name, _family(shape)) if shape.name else ()


# None: by likeness of words.
_KEYS: tuple[Callable[[Shape], tuple[object, ...]] | None, ...] = (
    _by_all, _by_words, _by_image, _by_placeholder, None, _by_id, _by_name,
)  # fmt: skip


def _distance(one: Shape, other: Shape) -> float:
    if one.box is None or other.box is None:
        return 0.0
    return abs(one.box.x - other.box.x) + abs(one.box.y - other.box.y)
