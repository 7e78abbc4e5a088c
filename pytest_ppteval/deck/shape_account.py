"""What differs between the shapes of two slides, in the words of the account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.account import SHAPE_CHANGES, Change
from pytest_ppteval.deck.align import moved
from pytest_ppteval.deck.bodies import body_words
from pytest_ppteval.deck.likeness import Spoken, alike
from pytest_ppteval.deck.normal import differences
from pytest_ppteval.deck.wording import SHAPE_PATHS, words
from pytest_ppteval.deck.words import word_diff

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_ppteval.deck.shapes import Shape

_EMU_PER_CM = 360_000
# Words in the order in which they are said.
_ORDER = {
    word: place
    for place, word in enumerate(
        dict.fromkeys(
            (
                "renamed",
                "regrouped",
                "moved",
                "resized",
                "rescaled",
                "rotated",
                "text",
                "field",
                "equation",
                "alt text",
                "link",
                "tooltip",
                "content",
                "restyled",
                *SHAPE_CHANGES,
                "other",
            )
        )
    )
}


class Pairs:
    """Which shape of a slide is which after the edit.

    both: the pairs. removed, added: those that only one side has.
    """

    def __init__(self, before: list[Shape], after: list[Shape]) -> None:
        self.both = _match(before, after)
        partners = {id(old) for old, _ in self.both}
        matched = {id(new) for _, new in self.both}
        self.before, self.after = before, after
        self.removed = [shape for shape in before if id(shape) not in partners]
        self.added = [shape for shape in after if id(shape) not in matched]
        # A shape is called by its id after the edit. Of two with one id the first is meant.
        self._old_names = {old.id: new.id for old, new in reversed(self.both)}
        self._new_names = {shape.id for shape in after}

    @property
    def renumbered(self) -> bool:
        """Whether an id means another shape than before, or none."""
        ids = {shape.id for shape in self.before}
        return any(self.old_name(key) != self.new_name(key) for key in ids | self._new_names)

    def old_name(self, shape_id: str) -> str:
        """What the id meant before the edit: the id of that shape now."""
        return self._old_names.get(shape_id, "gone")

    def new_name(self, shape_id: str) -> str:
        """What it means after it."""
        return shape_id if shape_id in self._new_names else "gone"


def shape_changes(pairs: Pairs, slide_id: str, number: int) -> Iterator[Change]:
    """Every change of the shapes of one slide."""

    def change(what: str, shape: Shape, detail: str = "") -> Change:
        return Change(what, slide_id, number, shape.id, shape.name, shape.kind, detail)

    for shape in pairs.removed:
        yield change("shape removed", shape, _first_words(shape))
    for shape in pairs.added:
        yield change("shape added", shape, _first_words(shape))
    for old, new in pairs.both:
        aspects = _aspects(old, new, pairs)
        yield from (change(what, new, aspects[what]) for what in sorted(aspects, key=_ORDER.__getitem__))
        if not aspects and old.raw != new.raw and (old.holds_all or old.own_raw != new.own_raw):
            yield change("rewritten", new, "the same text and look in other XML")
    for shape in _restacked(pairs.both, pairs.before, pairs.after):
        yield change("restacked", shape)


def _match(before: list[Shape], after: list[Shape]) -> list[tuple[Shape, Shape]]:
    """By id, name and kind; then, of what is left, by words, by id, by name: programs may give others of either."""
    pairs: dict[int, Shape] = {}
    taken: set[int] = set()

    def family(shape: Shape) -> str:
        return "shape" if shape.kind == "text box" else shape.kind  # a mark that programs set or leave out

    def by_both(shape: Shape) -> tuple[str, ...]:
        return shape.id, shape.name, family(shape)

    def by_words(shape: Shape) -> tuple[str, ...]:
        words = "\n".join(shape.lines)
        return (words, family(shape)) if words.strip() else ()

    def by_id(shape: Shape) -> tuple[str, ...]:
        return shape.id, family(shape)

    def by_name(shape: Shape) -> tuple[str, ...]:
        return shape.name, family(shape)

    def by_element(shape: Shape) -> tuple[str, ...]:
        return shape.id, shape.name, shape.tag  # a placeholder that is a mere text box now

    def by_picture(shape: Shape) -> tuple[str, ...]:
        return (shape.kind, *shape.targets) if shape.kind == "picture" and shape.targets else ()

    for key in (by_both, by_words, by_picture, None, by_id, by_name, by_element):
        if key is None:
            _by_likeness(before, after, family, pairs, taken)
            continue
        free: dict[tuple[str, ...], list[Shape]] = {}
        for shape in after:
            if id(shape) not in taken and (known_by := key(shape)):
                free.setdefault(known_by, []).append(shape)
        for shape in before if free else ():
            if id(shape) not in pairs and (same := free.get(key(shape))):
                pairs[id(shape)] = same.pop(0)
                taken.add(id(pairs[id(shape)]))
    _by_member(before, after, pairs, taken)
    return [(shape, pairs[id(shape)]) for shape in before if id(shape) in pairs]


def _by_likeness(
    before: list[Shape], after: list[Shape], family: Callable[[Shape], str], pairs: dict[int, Shape], taken: set[int]
) -> None:
    """Shapes that some other program gave new ids and names, and whose words were edited: by most of their words."""
    spoken = [shape for shape in before if id(shape) not in pairs and "".join(shape.lines).strip()]
    free = [shape for shape in after if id(shape) not in taken and "".join(shape.lines).strip()]

    def said(shape: Shape) -> Spoken:
        return Spoken("\n".join(shape.lines), family(shape), shape.id, shape.name)

    for i, j in alike([*map(said, spoken)], [*map(said, free)]):
        pairs[id(spoken[i])] = free[j]
        taken.add(id(free[j]))


def _by_member(before: list[Shape], after: list[Shape], pairs: dict[int, Shape], taken: set[int]) -> None:
    """Groups of which a member is known."""
    old_groups = {shape.id: shape for shape in before if shape.kind == "group" and id(shape) not in pairs}
    new_groups = {shape.id: shape for shape in after if shape.kind == "group" and id(shape) not in taken}
    for shape in before if old_groups and new_groups else ():
        member = pairs.get(id(shape))
        old, new = old_groups.get(shape.parent or ""), new_groups.get(member.parent or "") if member else None
        if old is not None and new is not None and id(old) not in pairs and id(new) not in taken:
            pairs[id(old)] = new
            taken.add(id(new))


def _aspects(old: Shape, new: Shape, pairs: Pairs) -> dict[str, str]:
    """What differs between a shape before and after: words with details."""
    said: dict[str, str] = {}
    if old.parent != new.parent and pairs.old_name(old.parent or "") != pairs.new_name(new.parent or ""):
        said["regrouped"] = "out of its group" if new.parent is None else "into a group"
    glue = (_glue(old, pairs.old_name), _glue(new, pairs.new_name))
    if glue[0] != glue[1]:
        said["glue"] = ""
    if old.raw == new.raw and old.targets == new.targets:
        return said  # the usual case, and cheap
    for word, path in words(differences(old.frame, new.frame), SHAPE_PATHS).items():
        said[word] = _detail(word, path, old, new)
    if "shape hidden" in said and not new.hidden:
        said["shape shown"] = said.pop("shape hidden")
    texts = body_words(old.bodies, new.bodies)
    said |= {word: detail for word, detail in texts.items() if word not in said}
    same_text = _joined(old.lasting_lines) == _joined(new.lasting_lines)
    if not same_text and not ("field" in texts and _joined(old.lines) == _joined(new.lines)):
        said["text"] = _text(old, new)
    said |= _link_words(old, new, same_text=same_text)
    if old.drawing != new.drawing:
        said.setdefault("content", "the drawing of the SmartArt")
    if old.fallback != new.fallback:
        said["fallback"] = "the form for older programs"
    return said


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def _glue(shape: Shape, name: Callable[[str], str]) -> list[tuple[str, str, str]]:
    return [(end, name(shape_id), site) for end, shape_id, site in shape.glue]


def _detail(word: str, path: str, old: Shape, new: Shape) -> str:
    """What the account says beside the word."""
    if word == "renamed":
        return f"{old.name} → {new.name}"
    if word == "moved":
        return _moved(old, new)
    if word == "resized" and old.place and new.place:
        return f"{_cm(old.place[2])} × {_cm(old.place[3])} → {_cm(new.place[2])} × {_cm(new.place[3])}"
    if word == "rotated":
        return _turn(new.turn)
    if word == "alt text":
        return word_diff("\n".join(old.alt).strip(), "\n".join(new.alt).strip())
    if word == "content" and old.data != new.data:
        differing = sum(1 for a, b in zip(old.data, new.data, strict=False) if a != b)
        differing += abs(len(old.data) - len(new.data))
        return f"{differing} of {max(len(old.data), len(new.data))} values of the chart"
    if word in ("restyled", "content", "shape hidden"):
        return ""
    return path


def _link_words(old: Shape, new: Shape, *, same_text: bool) -> dict[str, str]:
    said: dict[str, str] = {}
    was, now = old.linked, new.linked
    if [(link.where, link.rest) for link in was] != [(link.where, link.rest) for link in now]:
        said["link"] = f"{', '.join(old.links) or 'none'} → {', '.join(new.links) or 'none'}"
    elif same_text and [link.words for link in was] != [link.words for link in now]:
        said["link"] = f"{_linked_words(old)} → {_linked_words(new)}"
    # Of links that came or went nothing more is said.
    if len(was) == len(now):
        both = list(zip(was, now, strict=True))
    else:
        known = {(link.where, link.words): link for link in was}
        both = [(known[link.where, link.words], link) for link in now if (link.where, link.words) in known]
    tips = [(a.tooltip, b.tooltip) for a, b in both if a.tooltip != b.tooltip]
    if tips:
        said["tooltip"] = f"{tips[0][0] or 'none'} → {tips[0][1] or 'none'}"
    if any(a.colour != b.colour for a, b in both):
        said["restyled"] = ""
    return said


def _moved(old: Shape, new: Shape) -> str:
    if not (old.has_place and new.has_place):
        return "to its layout's place" if old.has_place else "from its layout's place to one of its own"
    if old.place is None or new.place is None:
        return "a place that cannot be read"
    right, down = new.place[0] - old.place[0], new.place[1] - old.place[1]
    return ", ".join(
        f"{_cm(abs(way))} {word}"
        for way, word in ((right, "right" if right > 0 else "left"), (down, "down" if down > 0 else "up"))
        if way
    )


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
    return ", ".join(f'on "{link.words}"' if link.words else "on the whole shape" for link in shape.linked)


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
