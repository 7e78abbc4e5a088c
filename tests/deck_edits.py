"""Edit a real deck by program, save it, and see what the diff says: shared by the tests of the diff."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pptx
from lxml import etree

from pytest_ppteval.deck.diff import compare
from pytest_ppteval.deck.guard import check
from pytest_ppteval.deck.opening import open_deck

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pptx.presentation import Presentation
    from pptx.slide import Slide

    from pytest_ppteval.deck.model import PowerPointDiff

DECKS = Path(__file__).parent / "data" / "decks"
OPENABLE = ("comments", "dense", "fly_in", "groups", "languages", "shapes", "text")
SHARED = Path(__file__).parents[1] / ".." / "shared" / "data" / "decks"

P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "p": P,
        "a": A,
        "r": R,
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "p14": "http://schemas.microsoft.com/office/powerpoint/2010/main",
        "p15": "http://schemas.microsoft.com/office/powerpoint/2012/main",
        "p159": "http://schemas.microsoft.com/office/powerpoint/2015/09/main",
    }.items()
)


def deck_bytes(name: str) -> bytes:
    return (DECKS / f"{name}.pptx").read_bytes()


def saved(deck: Presentation) -> bytes:
    stream = BytesIO()
    deck.save(stream)
    return stream.getvalue()


def edited(data: bytes, edit: Callable[[Presentation], object]) -> bytes:
    """The deck in `data` after `edit`, as a program that uses python-pptx would save it."""
    deck = pptx.Presentation(BytesIO(data))
    edit(deck)
    return saved(deck)


def diff_bytes(before: bytes, after: bytes) -> PowerPointDiff:
    check(before)
    check(after)
    return compare(open_deck(before), open_deck(after))


def diff_after(name: str, edit: Callable[[Presentation], object]) -> PowerPointDiff:
    """What the diff says of an edit of one of the decks of tests/data."""
    before = deck_bytes(name)
    return diff_bytes(before, edited(before, edit))


LISTS = (
    "added_animations",
    "removed_animations",
    "modified_animations",
    "added_transitions",
    "removed_transitions",
    "modified_transitions",
    "added_slides",
    "removed_slides",
    "modified_slides",
    "moved_slides",
    "changed_parts",
)


def counts(diff: PowerPointDiff) -> dict[str, int]:
    """How many entries each list of the diff has; empty ones left out, so that == says "and nothing else"."""
    return {name: len(getattr(diff, name)) for name in LISTS if getattr(diff, name)}


def only_modified(diff: PowerPointDiff) -> dict[str, list[str]]:
    """What changed of which slide, where the diff holds modified slides and nothing else at all."""
    assert counts(diff) == ({"modified_slides": len(diff.modified_slides)} if diff.modified_slides else {})
    assert [before.slide_id for before, _ in diff.modified_slides] == list(diff.slide_changes)
    assert [after.slide_id for _, after in diff.modified_slides] == list(diff.slide_changes)
    return diff.slide_changes


def rezipped(data: bytes, change: Callable[[dict[str, bytes]], object]) -> bytes:
    """The same deck with its parts changed by name, as another program might write it."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    change(parts)
    return zipped(parts)


def zipped(parts: Mapping[str, bytes]) -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return stream.getvalue()


def xml(text: str) -> etree._Element:
    """An element written without its namespace declarations."""
    head, space, rest = text.strip().partition(" ") if " " in text.split(">", 1)[0] else (text.strip(), "", "")
    if space:
        return etree.fromstring(f"{head} {NAMESPACES} {rest}")
    cut = min(head.index(">"), head.index("/>") if "/>" in head else len(head))
    return etree.fromstring(f"{head[:cut]} {NAMESPACES}{head[cut:]}")


def root(slide: Slide) -> etree._Element:
    """The slide's root element."""
    element: Any = slide.element
    assert isinstance(element, etree._Element)
    return element


def put(slide: Slide, text: str) -> None:
    """Add a transition or timing tree to the slide, at its place in the schema's order."""
    new, slide_root = xml(text), root(slide)
    is_timing = etree.QName(new).localname == "timing"
    for old in slide_root.findall(f"{{{P}}}timing") if is_timing else transitions(slide_root):
        slide_root.remove(old)
    after_all = [f"{{{P}}}extLst"] + ([] if is_timing else [f"{{{P}}}timing"])
    place = next((index for index, child in enumerate(slide_root) if child.tag in after_all), len(slide_root))
    slide_root.insert(place, new)


def transitions(slide_root: etree._Element) -> list[etree._Element]:
    return [
        child
        for child in slide_root
        if child.tag == f"{{{P}}}transition" or (str(child.tag).endswith("AlternateContent"))
    ]


def move_slide(deck: Presentation, old: int, new: int) -> None:
    """Move a slide to another place; both count from 0."""
    ids: Any = deck.slides._sldIdLst
    item = ids[old]
    ids.remove(item)
    ids.insert(new, item)


def drop_slide(deck: Presentation, index: int) -> None:
    """Delete a slide, as programs that use python-pptx do."""
    ids: Any = deck.slides._sldIdLst
    deck.part.drop_rel(ids[index].rId)
    del ids[index]
