"""A deck with one thing changed somewhere in its XML, again and again: what test_diff_fuzz.py looks at.

A mutation changes, adds or removes one attribute, element, text or relationship of one part. Sites are drawn by what
they are (part, element, attribute), not by how often they occur, so that rare ones are met as often as common ones.
"""

from __future__ import annotations

import copy
import random
import re
import zipfile
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from lxml import etree

from pytest_ppteval.deck.account import INVISIBLE
from pytest_ppteval.deck.diff import compare
from pytest_ppteval.deck.limits import DeckRejected
from pytest_ppteval.deck.opening import open_deck, slide_parts
from pytest_ppteval.deck.parts import has_identity
from pytest_ppteval.deck.xmlnames import attributes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pptx.opc.package import Part
    from pptx.presentation import Presentation

    from pytest_ppteval.deck.account import Change

PARTS = re.compile(
    r"ppt/(slides|slideLayouts|slideMasters|theme|notesSlides|charts|diagrams|drawings|comments|tags|tableStyles"
    r"|commentAuthors)(/_rels)?[^/]*(/[^/]*)?\.(xml|rels)$"
)
RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_KINDS = ("attribute changed", "attribute removed", "attribute added", "element removed", "element added", "text")


@dataclass(frozen=True)
class Mutation:
    """part: its name. site: where in it, for people and for counting. kind: one of the above."""

    part: str
    site: str
    kind: str

    def __str__(self) -> str:
        return f"{self.part}: {self.kind}: {self.site}"


class Subject:
    """A deck that is mutated. Raises DeckRejected where it is refused."""

    def __init__(self, data: bytes) -> None:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            self.blobs = {info.filename: archive.read(info) for info in archive.infolist()}
        self.data = data
        self.deck = open_deck(data)
        self.owners = _owners(self.deck)
        self._trees = {name: etree.fromstring(blob) for name, blob in self.blobs.items() if PARTS.match(name)}
        self._sites: dict[str, list[tuple[str, int, str]]] = {}
        # What elements of a name have elsewhere in the deck: attributes with values, and children.
        self._values: dict[tuple[str, str], list[str]] = {}
        self._children: dict[str, list[etree._Element]] = {}
        for name, tree in self._trees.items():
            self._learn(name, tree)

    def _learn(self, part: str, tree: etree._Element) -> None:
        folder = re.sub(r"\d+", "", part)
        for number, element in enumerate(tree.iter("{*}*")):
            tag = str(element.tag)
            parent = element.getparent()
            up = str(parent.tag) if parent is not None else ""
            if parent is not None:
                self._children.setdefault(up, []).append(element)
                self._site(folder, up, tag, "element removed", part, number)
                self._site(folder, up, tag, "element added", part, number)
            if element.text and element.text.strip():
                self._site(folder, up, tag, "text", part, number)
            for key, value in attributes(element):
                self._values.setdefault((tag, key), []).append(value)
                self._site(folder, up, tag, f"attribute changed {key}", part, number)
                self._site(folder, up, tag, f"attribute removed {key}", part, number)
            self._site(folder, up, tag, "attribute added", part, number)

    def _site(self, folder: str, up: str, tag: str, what: str, part: str, number: int) -> None:
        self._sites.setdefault(f"{folder} {up} {tag} {what}", []).append((part, number, what))

    def mutants(self, seed: str, count: int) -> Iterator[tuple[Mutation, bytes]]:
        """So many decks with one thing changed in each; the same for the same seed."""
        rng = random.Random(seed)
        kinds = sorted(self._sites)
        made = tries = 0
        while made < count and tries < 4 * count:
            tries += 1
            part, number, what = rng.choice(self._sites[rng.choice(kinds)])
            tree = copy.deepcopy(self._trees[part])
            element = next(found for place, found in enumerate(tree.iter("{*}*")) if place == number)
            site = self._mutate(element, what, rng)
            blob = etree.tostring(tree, xml_declaration=True, encoding="UTF-8", standalone=True)
            if site and etree.tostring(tree) != etree.tostring(self._trees[part]):
                made += 1
                kind = next(kind for kind in _KINDS if what.startswith(kind))
                yield Mutation(part, site, kind), stored({**self.blobs, part: blob})

    def _mutate(self, element: etree._Element, what: str, rng: random.Random) -> str:
        """Change the element; where and what was done, "" if nothing could be."""
        path = _path(element)
        tag = str(element.tag)
        parent = element.getparent()
        name = what.rpartition(" ")[2]
        if what.startswith("attribute changed"):
            old = str(element.get(name))
            element.set(name, _other(old, self._values[tag, name], rng))
            return f"{path}/@{_local(name)}: {old} -> {element.get(name)}"
        if what.startswith("attribute removed"):
            del element.attrib[name]
            return f"{path}/@{_local(name)}"
        if what == "attribute added":
            known = sorted(key for (of, key) in self._values if of == tag and key not in element.attrib)
            if not known:
                return ""
            name = rng.choice(known)
            element.set(name, rng.choice(self._values[tag, name]))
            return f"{path}/@{_local(name)}: {element.get(name)}"
        if what == "text":
            element.text = _other(element.text or "", [], rng)
            return f"{path}/text()"
        if parent is None:
            return ""
        if what == "element removed":
            parent.remove(element)
            return path
        new = copy.deepcopy(rng.choice(self._children[str(parent.tag)]))
        parent.insert(parent.index(element) + rng.randrange(2), new)
        return f"{_path(parent)}/{_local(str(new.tag))}"


def stored(parts: Mapping[str, bytes]) -> bytes:
    """A deck that is not packed: packing takes longer than all else."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _path(element: etree._Element) -> str:
    return "/".join(
        [*(_local(str(above.tag)) for above in reversed(list(element.iterancestors()))), _local(str(element.tag))]
    )


def _other(value: str, seen: list[str], rng: random.Random) -> str:
    """Another value of the same sort."""
    others = sorted({other for other in seen if other != value})
    if others and rng.random() < 0.4:
        return rng.choice(others)
    if value in ("0", "1") and rng.random() < 0.7:
        return "1" if value == "0" else "0"
    if re.fullmatch(r"-?\d{1,15}", value):
        number = int(value)
        return str(rng.choice([number + 1, number * 2 + 1, number // 2 - 1, number + 400_000, -number - 1]))
    if re.fullmatch(r"[0-9A-F]{6}", value):
        return "FF0000" if value != "FF0000" else "00FF00"
    if value in ("true", "false"):
        return "true" if value == "false" else "false"
    return rng.choice([value + "x", "x", value[: len(value) // 2]])


def _owners(deck: Presentation) -> dict[str, frozenset[int]]:
    """For each part, the numbers of the slides that show it; none where it is the deck's."""
    found: dict[str, set[int]] = {}
    for slide in slide_parts(deck):
        waiting: list[Part] = [slide.part]
        seen = {id(slide.part)}
        while waiting:
            part = waiting.pop()
            found.setdefault(part.partname.membername, set()).add(slide.number)
            for relation in part.rels.values():
                if relation.is_external or has_identity(relation) or id(relation.target_part) in seen:
                    continue
                seen.add(id(relation.target_part))
                waiting.append(relation.target_part)
    return {name: frozenset(numbers) for name, numbers in found.items()}


def unsaid(subject: Subject, mutation: Mutation, data: bytes) -> list[Change] | None:
    """The account of a mutant, where it does not name the change on the slides where it is; None where it does.

    Raises DeckRejected, or whatever python-pptx raises, for a mutant that does not open.
    """
    return judged(subject, mutation, compare(subject.deck, open_deck(data)).account.changes)


def judged(subject: Subject, mutation: Mutation, changes: list[Change]) -> list[Change] | None:
    """As `unsaid`, of a mutant's account."""
    said = [change for change in changes if change.what not in INVISIBLE]
    part = re.sub(r"_rels/(.*)\.rels$", r"\1", mutation.part)
    owners = subject.owners.get(part)
    if part.startswith(("ppt/comments/", "ppt/notesSlides/")) or not owners:
        return None if said else changes
    return None if owners <= {change.slide_number for change in said} else changes


OPENING_ERRORS = (DeckRejected, KeyError, ValueError, AttributeError, TypeError, AssertionError, etree.XMLSyntaxError)
