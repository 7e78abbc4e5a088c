"""What differs between the text bodies of two shapes, apart from the words themselves."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from pytest_ppteval.deck.normal import Node
from pytest_ppteval.deck.xmlnames import A

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LINKS = ("hlinkClick", "hlinkHover", "hlinkMouseOver")
_RUN, _BREAK, _FIELD, _TEXT = A + "r", A + "br", A + "fld", A + "t"
_FITTED = ("fontScale", "lnSpcReduction")
_MOST_LINES = 2_000  # difflib takes seconds beyond


@dataclass(frozen=True)
class Paragraph:
    """A paragraph: its text (a field that computes itself as its type), and how it looks.

    runs: the looks of its runs with their lengths; neighbours of the same look are one. end: the look of its end where
    that shows. fields: their types. equations: after how many characters they stand, and keys. rest: keys of all else.
    """

    text: str
    look: str
    runs: tuple[tuple[str, int], ...]
    end: str
    fields: tuple[str, ...]
    equations: tuple[tuple[int, str], ...]
    rest: tuple[str, ...]

    @property
    def looks(self) -> tuple[str, ...]:
        """Without lengths: what it keeps while its words change."""
        return (self.look, *(look for look, _ in self.runs), self.end)

    @property
    def run_looks(self) -> set[str]:
        """How words in it look, or would look in an empty one."""
        return {look for look, _ in self.runs} or {"", self.end}


def paragraph(node: Node) -> Paragraph:
    """What a normal a:p shows."""
    text: list[str] = []
    runs: list[tuple[str, int]] = []
    fields: list[str] = []
    equations: list[tuple[int, str]] = []
    rest = _own(node)
    look = end = ""
    for child in node.children:
        if child.name == "pPr" and not look:
            look = child.key()
        elif child.name == "endParaRPr" and not end:
            end = Node(A + "rPr", child.attributes, child.text, child.children).key(LINKS)
        elif child.tag in (_RUN, _BREAK, _FIELD):
            words = _run_text(child)
            text.append(words)
            if child.tag == _FIELD:
                fields.append(child.attributes.get("type", ""))
            run_look = "".join(inner.key(LINKS) for inner in child.children if _is_look(inner))
            length = 1 if child.tag == _FIELD else len(words)
            if runs and runs[-1][0] == run_look:
                runs[-1] = run_look, runs[-1][1] + length
            else:
                runs.append((run_look, length))
            rest.extend(inner.key() for inner in child.children if inner.name not in ("rPr", "pPr", "t"))
            rest.extend(one for one in _own(child) if child.tag != _FIELD or not one.startswith("type="))
        elif any(True for _ in _equations(child)):
            equations.append((len("".join(text)), child.key()))
        else:
            rest.append(child.key())
    return Paragraph("".join(text), look, tuple(runs), end, tuple(fields), tuple(equations), tuple(rest))


def _own(node: Node) -> list[str]:
    """What an element says itself; none of a text's is known to."""
    return [*(f"{name}={value}" for name, value in node.attributes.items()), *((node.text,) if node.text else ())]


def _is_look(node: Node) -> bool:
    """Properties that say more than where a link leads."""
    return node.name == "pPr" or (
        node.name == "rPr" and bool(node.attributes or any(child.name not in LINKS for child in node.children))
    )


def _run_text(run: Node) -> str:
    if run.tag == _BREAK:
        return "\n"
    words = run.find(_TEXT)
    if words is not None:
        return words.text
    return f"‹{run.attributes.get('type', '')}›" if run.tag == _FIELD else ""


def _equations(node: Node) -> Iterator[Node]:
    if node.name in ("oMath", "oMathPara"):
        yield node
    for child in node.children:
        yield from _equations(child)


# ---- two shapes ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Body:
    """A text body: how it is set, how far it was shrunk to fit, its styles by level, its lines, what else is in it.

    Without its links, which are compared by the words that they are on.
    """

    properties: str
    fitted: str
    styles: str
    paragraphs: tuple[Paragraph, ...]
    rest: str

    @property
    def text(self) -> str:
        """Its lines."""
        return "\n".join(line.text for line in self.paragraphs)


def body(node: Node) -> Body:
    """What a normal p:txBody or a:txBody shows."""
    properties = fitted = styles = ""
    rest = []
    for child in node.children:
        if child.name == "bodyPr" and not properties:
            properties, fitted = _body_properties(child)
        elif child.name == "lstStyle" and not styles:
            styles = child.key()
        elif child.name != "p":
            rest.append(child.key())
    lines = tuple(paragraph(child) for child in node.children if child.name == "p")
    return Body(properties, fitted, styles, lines, "".join([*rest, *_own(node)]))


def _body_properties(node: Node) -> tuple[str, str]:
    """Without how far PowerPoint shrank the text so that it fits; and that."""
    fitted = ""
    children = []
    for child in node.children:
        if child.name == "normAutofit":
            fitted = " ".join(f"{name}={child.attributes[name]}" for name in _FITTED if name in child.attributes)
            kept = {name: value for name, value in child.attributes.items() if name not in _FITTED}
            child = Node(child.tag, kept, child.text, child.children)
        children.append(child)
    return Node(node.tag, node.attributes, node.text, children).key(), fitted


def body_words(old: Sequence[Body], new: Sequence[Body]) -> dict[str, str]:
    """Words of the account for what differs between two shapes' bodies besides their words and links, with details."""
    said: dict[str, str] = {}
    for one, other in _paired(old, new):
        if one is None or other is None:
            # Whose words are new or gone is said as text; not how they look, nor a body that has none.
            only = one or other
            looks = {look for line in other.paragraphs for look in line.looks} if other is not None else set()
            if (only is not None and not only.text) or looks - {""}:
                said["restyled"] = ""
        elif one != other:
            said |= {word: detail for word, detail in _of_pair(one, other).items() if word not in said}
    fields = [kind for one in old for kind in _fields(one)]
    now = [kind for one in new for kind in _fields(one)]
    if fields != now:
        said["field"] = f"{', '.join(fields) or 'none'} → {', '.join(now) or 'none'}"
    return said


def _fields(one: Body) -> list[str]:
    return [kind for line in one.paragraphs for kind in line.fields]


def _paired(old: Sequence[Body], new: Sequence[Body]) -> Iterator[tuple[Body | None, Body | None]]:
    """By place; where there are more on one side, by their words first."""
    if len(old) == len(new):
        yield from zip(old, new, strict=True)
        return
    for i, j in _aligned([one.text for one in old], [one.text for one in new]):
        yield (old[i] if i is not None else None), (new[j] if j is not None else None)


def _aligned(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Equal ones, and of what was replaced as many as there are on both sides; the rest alone."""
    if max(len(old), len(new)) > _MOST_LINES:
        steps = [("replace", 0, len(old), 0, len(new))]
    else:
        steps = list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    for _, i, j, k, m in steps:
        both = min(j - i, m - k)
        yield from ((i + n, k + n) for n in range(both))
        yield from ((n, None) for n in range(i + both, j))
        yield from ((None, n) for n in range(k + both, m))


def _of_pair(old: Body, new: Body) -> dict[str, str]:
    said: dict[str, str] = {}
    if old.fitted != new.fitted:
        said["autofit"] = f"{old.fitted or 'not shrunk'} → {new.fitted or 'not shrunk'}"
    restyled = old.properties != new.properties or old.styles != new.styles or old.rest != new.rest
    had = {line.look for line in old.paragraphs} | {look for line in old.paragraphs for look in line.run_looks}
    pairs = list(_aligned([line.text for line in old.paragraphs], [line.text for line in new.paragraphs]))
    for i, j in pairs:
        if i is None and j is not None:
            # One more point in a list is no other look, where others look like it.
            added = new.paragraphs[j]
            styles = {added.look, *added.run_looks}
            restyled = restyled or not had.issuperset(styles if added.runs else styles - {""})
            if added.equations or added.rest:
                said.setdefault("equation" if added.equations else "other", "txBody/p")
        elif i is not None and j is not None:
            one, other = old.paragraphs[i], new.paragraphs[j]
            if one.text == other.text:
                restyled = restyled or (one.look, one.runs, one.end) != (other.look, other.runs, other.end)
            elif one.runs and other.runs:
                restyled = restyled or one.looks != other.looks
            else:  # filled or emptied
                restyled = restyled or one.look != other.look or not one.run_looks.issuperset(other.run_looks - {""})
            moved = one.text == other.text and one.equations != other.equations
            if moved or [key for _, key in one.equations] != [key for _, key in other.equations]:
                said.setdefault("equation", "")
            if one.rest != other.rest:
                said.setdefault("other", "txBody/p")
        elif i is not None and old.paragraphs[i].equations:
            said.setdefault("equation", "")
    if restyled:
        said["restyled"] = ""
    return said
