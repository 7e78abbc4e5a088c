"""A part's XML as it shows: what nobody sees is left out, equal values are spelled alike, and what differs has a path.

The XML as data (canonical.py) says whether anything differs; this says whether anything differs that could be seen, and
where. Used only for elements that differ as data.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_ppteval.deck.canonical import is_computed
from pytest_ppteval.deck.invisible import DEFAULTS, ELEMENTS, EMPTY, IDENTITIES, MARKS
from pytest_ppteval.deck.notation import spelled
from pytest_ppteval.deck.xmlnames import MC, OFFICE_VML, A, C, P, R, attributes, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from lxml import etree

Path = tuple[str, ...]
_HYPERLINKS = ("hlinkClick", "hlinkHover", "hlinkMouseOver")
_BODIES = (P + "txBody", A + "txBody", C + "txPr")
_PARAGRAPH, _RUN, _BREAK, _FIELD = A + "p", A + "r", A + "br", A + "fld"
_PROPERTIES, _END, _TEXT = A + "rPr", A + "endParaRPr", A + "t"


@dataclass(slots=True)
class Node:
    """An element as it shows. tag: with its namespace. attributes: a relationship's id is what it leads to."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Node] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its local name; of a chart's element with "c:"."""
        return _short(self.tag)

    def find(self, tag: str) -> Node | None:
        """The first child with that tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def iter(self, *tags: str) -> Iterator[Node]:
        """Itself and all below it that have one of the tags, in order."""
        if self.tag in tags:
            yield self
        for child in self.children:
            yield from child.iter(*tags)

    def key(self, drop: Collection[str] = ()) -> str:
        """A text for all of it, equal for equal nodes; children with a name in `drop` are left out at every depth."""
        inner = "".join(child.key(drop) for child in self.children if child.name not in drop)
        attributes = "".join(f"\x02{name}={self.attributes[name]}" for name in sorted(self.attributes))
        return f"\x01{self.tag}{attributes}\x04{self.text}{inner}\x03"


def normal(element: etree._Element, relation: Callable[[str], str], skip: Collection[str] = ()) -> Node:
    """The element as it shows. relation: what an id leads to. skip: tags of elements below it to leave out.

    Recursive: the parsers that decks go through refuse XML that is nested deeper than 256.
    """
    tag = str(element.tag)
    short = _short(tag)
    node = Node(tag, _attributes(element, short, relation))
    computed = tag == _FIELD and is_computed(element)
    text = text_of(element)
    for child in element:
        name: object = child.tag  # of a comment it is a function
        if isinstance(name, str) and not (name in skip or _short(name) in ELEMENTS or (computed and name == _TEXT)):
            below = normal(child, relation, skip)
            if not says_nothing(below) or not is_only(child):
                node.children.append(below)
        text += child.tail or ""
    if not (text.isspace() and (node.children or len(element))):
        node.text = text
    if tag == _PARAGRAPH:
        node.children = _runs_joined(node.children)
    return node


@functools.lru_cache(4_096)
def _short(tag: str) -> str:
    name = tag.rpartition("}")[2]
    return f"c:{name}" if tag.startswith(C) else name


def _attributes(element: etree._Element, short: str, relation: Callable[[str], str]) -> dict[str, str]:
    found: dict[str, str] = {}
    kind = "hlink" if short in _HYPERLINKS else short
    for name, value in attributes(element):
        if name.startswith(R) or name == OFFICE_VML + "relid":
            found[f"r:{name.rpartition('}')[2]}"] = relation(value) if value else ""
            continue
        if name.startswith(MC) or name in MARKS or (short, name) in IDENTITIES:
            continue
        if name == "Requires" and element.tag == MC + "Choice":
            found[name] = " ".join(sorted(element.nsmap.get(prefix) or prefix for prefix in value.split()))
            continue
        value = spelled(short, name, value)
        if DEFAULTS.get((kind, name)) != value:
            bare = name.rpartition("}")[2]
            found[name if bare in found else bare] = value
    return found


def says_nothing(node: Node) -> bool:
    """Whether the element may as well be missing."""
    if node.name in EMPTY:
        # The extension of an identity has only the identifier of its kind left.
        return not node.children and not node.text and node.attributes.keys() <= {"uri"}
    if node.tag in _BODIES:
        # python-pptx gives a shape or an axis an empty text body when its text or font is only asked for.
        return (
            all(
                child.name in ("bodyPr", "p") and not child.attributes and not child.children for child in node.children
            )
            and [child.name for child in node.children].count("p") <= 1
        )
    return False


def is_only(element: etree._Element) -> bool:
    """Whether no other text body stands beside this one: of two, programs differ in which they show."""
    if element.tag not in _BODIES:
        return True
    parent = element.getparent()
    return parent is None or len(parent.findall(str(element.tag))) == 1


def _runs_joined(children: list[Node]) -> list[Node]:
    """A paragraph's children: runs that follow each other with equal properties as one, and no run without text.

    The properties of its end count where it ends in an empty line: that line's height is theirs.
    """
    filled = [child for child in children if child.tag != _RUN or _words(child)]
    ends = [child for child in filled if child.name not in ("pPr", "endParaRPr")]
    if not ends:
        return children
    done: list[Node] = []
    for child in filled:
        before = done[-1] if done else None
        if child.tag == _END and ends[-1].tag != _BREAK:
            continue
        if (
            before is not None
            and before.tag == child.tag == _RUN
            and before.find(_PROPERTIES) == child.find(_PROPERTIES)
            and before.attributes == child.attributes
        ):
            done[-1] = _joined(before, child)
        else:
            done.append(child)
    return done


def _joined(one: Node, other: Node) -> Node:
    text = Node(_TEXT, text=_words(one) + _words(other))
    return Node(one.tag, one.attributes, one.text, [*(c for c in one.children if c.tag != _TEXT), text])


def _words(run: Node) -> str:
    return "".join(child.text for child in run.children if child.tag == _TEXT)


# ---- what differs ----------------------------------------------------------------------------------------------------


def differences(old: Node, new: Node, path: Path = ()) -> Iterator[tuple[Path, Node | None]]:
    """Where two nodes differ; nothing if and only if they are equal.

    Each as a path of names below the two, which ends with "@name" for an attribute, "text()", "order()" or "tag()"; or
    with an element that only one of them has, and that element.
    """
    if old == new:
        return
    if old.tag != new.tag:
        yield (*path, "tag()"), None
        return
    for name in sorted(old.attributes.keys() | new.attributes.keys()):
        if old.attributes.get(name) != new.attributes.get(name):
            yield (*path, f"@{name}"), None
    if old.text != new.text:
        yield (*path, "text()"), None
    yield from _in_children(old.children, new.children, path)


def _in_children(old: list[Node], new: list[Node], path: Path) -> Iterator[tuple[Path, Node | None]]:
    found = False
    if [child.tag for child in old] == [child.tag for child in new]:
        pairs = list(zip(old, new, strict=True))
    else:
        pairs = []
        waiting: dict[str, list[Node]] = {}
        for child in new:
            waiting.setdefault(child.tag, []).append(child)
        for child in old:
            if same := waiting.get(child.tag):
                pairs.append((child, same.pop(0)))
            else:
                found = True
                yield (*path, child.name), child
        for rest in waiting.values():
            for child in rest:
                found = True
                yield (*path, child.name), child
        if not found and all(one == other for one, other in pairs):
            yield (*path, "order()"), None
    for one, other in pairs:
        yield from differences(one, other, (*path, one.name))


def inner(path: Path, node: Node) -> Iterator[tuple[Path, Node | None]]:
    """What an element that only one side has holds, each as a difference."""
    for name in sorted(node.attributes):
        if name != "uri" or not node.children:  # the extension's kind: what is in it says it better
            yield (*path, f"@{name}"), None
    if node.text:
        yield (*path, "text()"), None
    for child in node.children:
        yield (*path, child.name), child


def shown(path: Path) -> str:
    """A path for people: "cSld/custDataLst/tags/@r:id"."""
    return "/".join(path)
