"""What a slide show plays and no effect of the animation pane tells: builds, media, the rest of the timing tree."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from lxml import etree

from pytest_ppteval.deck.forms import forms
from pytest_ppteval.deck.normal import Node
from pytest_ppteval.deck.xmlnames import MC, P

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from pytest_ppteval.deck.opening import SlidePart
    from pytest_ppteval.deck.shape_account import Pairs
    from pytest_ppteval.deck.side import Side

_TRANSITION, _TIMING = P + "transition", P + "timing"
_BUILDS, _TIME_NODE, _REFERENCE = P + "bldLst", P + "cTn", P + "tn"
_MEDIA = (P + "audio", P + "video")
# What acts on something, or waits for something. A tree without any plays nothing.
_ACTING = "set anim animEffect animClr animMotion animRot animScale cmd spTgt sldTgt sndTgt inkTgt sp"
_ACTS = tuple(P + name for name in _ACTING.split())


def is_transition(element: etree._Element) -> bool:
    """Whether a child of a slide's root is its transition, in whatever wrapping."""
    return element.tag == _TRANSITION or (
        element.tag == MC + "AlternateContent" and element.find(f"*/{_TRANSITION}") is not None
    )


def transition_key(side: Side, slide: SlidePart) -> str:
    """All that is said of the transition."""
    found = [child for child in slide.element if is_transition(child)]
    return "".join(side.shown.node(slide.part, child).key() for child in found)


def timing_words(
    before: Side, old: SlidePart, after: Side, new: SlidePart, pairs: Pairs, moving: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Words for what differs between two timing trees, with details. "animation" is for any difference of what acts.

    moving: ids of shapes of which an effect was added, removed or changed: their builds come and go with it.
    """
    one, other = forms(old.element, _TIMING), forms(new.element, _TIMING)
    needs = [form.requires for form in one], [form.requires for form in other]
    if one and other and needs[0] != needs[1] and all(map(any, needs)):
        yield "animation", "which programs play it"
    if needs[0] != needs[1]:
        # What new programs play, and what old ones do.
        one, other = [*one[:1], *one[-1:]], [*other[:1], *other[-1:]]
    found: dict[str, str] = {}
    for was, now in zip_longest(one, other):
        elements = was.element if was else None, now.element if now else None
        for word, detail in _words(before, old, elements[0], after, new, elements[1], pairs, moving):
            found.setdefault(word, detail)
    yield from found.items()


def _words(
    before: Side,
    old: SlidePart,
    was: etree._Element | None,
    after: Side,
    new: SlidePart,
    now: etree._Element | None,
    pairs: Pairs,
    moving: Collection[str],
) -> Iterator[tuple[str, str]]:
    """The same, of one form of each."""
    if _raw(was) == _raw(now) and not pairs.renumbered and b":embed=" not in _raw(now):
        return
    one = _Timing(before, old, was, pairs.old_name)
    other = _Timing(after, new, now, pairs.new_name)
    # An empty tree comes with the first sound or film.
    if one.tree != other.tree and (one.acts or other.acts or (one.tree and other.tree)):
        yield "animation", "details of the timing"
    explained = {*moving, *(shape.id for shape in (*pairs.removed, *pairs.added)), "gone"}
    if one.builds_of(explained) != other.builds_of(explained):
        yield "build", ""
    if one.media_of(explained) != other.media_of(explained):
        yield "media", "how it is played"


def _raw(element: etree._Element | None) -> bytes:
    return etree.tostring(element, with_tail=False) if element is not None else b""


class _Timing:
    """A timing tree, taken apart. name: what a shape's id means."""

    def __init__(
        self, side: Side, slide: SlidePart, element: etree._Element | None, name: Callable[[str], str]
    ) -> None:
        self._builds: list[tuple[str, str]] = []
        self._media: list[tuple[str, str]] = []
        self.tree = ""
        self.acts = False
        if element is None:
            return
        root = side.shown.node(slide.part, element)
        _with_names(root, name)
        for builds in root.iter(_BUILDS):
            self._builds += [(build.attributes.get("spid", ""), build.key()) for build in builds.children]
        built = {
            (build.attributes.get("spid", ""), build.attributes.get("grpId", ""))
            for builds in root.iter(_BUILDS)
            for build in builds.children
        }
        _without_numbers(root, built)
        self._take_media(root)
        root.children = [child for child in root.children if child.tag != _BUILDS]
        self.tree = root.key()
        self.acts = any(True for _ in root.iter(*_ACTS))

    def _take_media(self, node: Node) -> None:
        for child in node.children:
            if child.tag in _MEDIA:
                target = next(child.iter(P + "spTgt"), None)
                self._media.append((target.attributes.get("spid", "") if target is not None else "", child.key()))
            else:
                self._take_media(child)
        node.children = [child for child in node.children if child.tag not in _MEDIA]

    def builds_of(self, explained: Collection[str]) -> list[tuple[str, str]]:
        """How shapes come in, paragraph by paragraph or at once, but for those whose effects are told anyway."""
        return sorted(build for build in self._builds if build[0] not in explained)

    def media_of(self, explained: Collection[str]) -> list[tuple[str, str]]:
        """How loud and how long media play, but for those of shapes that are told anyway."""
        return sorted(media for media in self._media if media[0] not in explained)


def _with_names(root: Node, name: Callable[[str], str]) -> None:
    """Put what a shape's id means in its place."""
    if "spid" in root.attributes:
        root.attributes["spid"] = name(root.attributes["spid"])
    for child in root.children:
        _with_names(child, name)


def _without_numbers(root: Node, built: Collection[tuple[str, str]]) -> None:
    """The numbers of time nodes shift as effects come and go: what refers to one is given its place in the tree.

    An effect's group is said by whether there is a build of it.
    """
    nodes = list(root.iter(_TIME_NODE))
    places: dict[str, str] = {}
    for place, node in enumerate(nodes):
        places.setdefault(node.attributes.pop("id", ""), str(place))
        group = node.attributes.get("grpId")
        target = next(node.iter(P + "spTgt"), None) if group is not None else None
        if group is not None and target is not None:
            is_built = (target.attributes.get("spid", ""), group) in built
            node.attributes["grpId"] = "of a build" if is_built else "of none"
    for reference in root.iter(_REFERENCE):
        number = reference.attributes.get("val", "")
        reference.attributes["val"] = places.get(number, "nothing")
