"""What differs between two shapes' XML beyond what looks (look/) tell: the paths, nothing where looks tell all.

Where looks are equal and this is empty, two shapes differ only in how the same look is written: a colour said by its
value or by the theme's name, a size said or inherited.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_ppteval.deck.normal import differences, inner, shown
from pytest_ppteval.deck.shapes import read_shapes
from pytest_ppteval.deck.xmlnames import A

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.deck.normal import Node, Path
    from pytest_ppteval.deck.shapes import Shape
    from pytest_ppteval.deck.side import Side

# A link is told of by a word of its own, but for its colour (in an extLst), see links.py.
_LINK = r"hlink(?:Click|Hover|MouseOver)(?:/(?:@.*|snd(?:/.*)?))?"
_RUN = (
    r"(?:@(?:sz|b|i|u|strike|cap|baseline|spc)|(?:solidFill|noFill|highlight)(?:/.*)?|(?:latin|ea)(?:/@typeface|/@charset"
    rf"|/@panose|/@pitchFamily)?|{_LINK})"
)
_PARAGRAPH = (
    r"(?:@(?:algn|lvl|marL|indent|rtl)|(?:lnSpc|spcBef|spcAft|buClr|buClrTx|buSzPct|buSzPts|buSzTx|buNone|buFontTx"
    r"|buAutoNum)(?:/.*)?|buChar(?:/@char)?|buFont(?:/@typeface|/@charset|/@panose|/@pitchFamily)?"
    rf"|defRPr(?:/{_RUN})?)"
)
_BODY = r"(?:@(?:anchor|vert|wrap|lIns|tIns|rIns|bIns|numCol|rot)|noAutofit|spAutoFit|normAutofit(?:/.*)?)"
_FILL = r"(?:solidFill|noFill)(?:/.*)?"
_LINE = rf"ln(?:/(?:@w|{_FILL}|prstDash(?:/.*)?|(?:head|tail)End(?:/@type)?))?"
# Paths whose values looks hold, so that equal looks prove that they make no difference.
COVERED = re.compile(
    "(?:"
    + "|".join(
        (
            rf"(?:.*/)?txBody/bodyPr(?:/{_BODY})?",
            rf"(?:.*/)?txBody/lstStyle(?:/lvl\dpPr(?:/{_PARAGRAPH})?)?",
            rf"(?:.*/)?txBody/p/pPr(?:/{_PARAGRAPH})?",
            rf"(?:.*/)?txBody/p/(?:r|br|fld)(?:/rPr(?:/{_RUN})?)?",
            r"(?:.*/)?txBody/p/r/t(?:/text\(\))?",
            rf"(?:.*/)?txBody/p/endParaRPr(?:/{_RUN})?",
            rf"(?:spPr|grpSpPr)/(?:{_FILL}|{_LINE})",
            r"(?:spPr/|grpSpPr/)?xfrm(?:/.*)?",
            r"style(?:/.*)?",
            rf"(?:.*/)?tcPr/(?:{_FILL}|@anchor|@mar[LRTB])",
        )
    )
    + r")$"
)
# Fonts of scripts that a text may not have: those of Arabic, Hebrew, Indic and Thai, and of symbols.
OTHER_FONTS = re.compile(r"/(?:rPr|defRPr|endParaRPr)/(?:cs|sym)(?:/@\w+)?$")
COMPLEX = re.compile("[\u0590-\u0fff\u1780-\u17ff\ufb1d-\ufefc\uf000-\uf0ff]")

# Whole rows and columns of a table: looks hold how many there are.
_LINES = ("graphic/graphicData/tbl/tr", "graphic/graphicData/tbl/tblGrid/gridCol")


class Residues:
    """Residues of shapes of two decks; a slide's shapes are read once."""

    def __init__(self, before: Side, after: Side) -> None:
        self._sides = before, after
        self._shapes: dict[tuple[int, str], dict[str, Shape]] = {}

    def between(self, slide_id: str, old_id: str, new_id: str) -> list[str]:
        """The paths that differ and that looks don't tell, of two shapes on a slide; "?" where one is not found."""
        old, new = self._on(0, slide_id).get(old_id), self._on(1, slide_id).get(new_id)
        return ["?"] if old is None or new is None else list(residue(old, new))

    def _on(self, which: int, slide_id: str) -> dict[str, Shape]:
        key = which, slide_id
        if key not in self._shapes:
            side = self._sides[which]
            slide = side.slides.get((slide_id, 0))
            found = read_shapes(slide, side) if slide is not None else []
            self._shapes[key] = {shape.id: shape for shape in reversed(found)}
        return self._shapes[key]


def residue(old: Shape, new: Shape) -> Iterator[str]:
    """See Residues.between."""
    waiting: list[tuple[Path, Node | None]] = list(differences(old.whole, new.whole))
    simple = not any(COMPLEX.search(text.text) for text in new.whole.iter(A + "t"))
    for path, node in waiting:
        if (node is not None and shown(path) in _LINES) or (simple and OTHER_FONTS.search(shown(path))):
            continue
        if COVERED.match(shown(path)):
            if node is not None:
                waiting.extend(inner(path, node))
        elif node is not None and (node.children or node.attributes or node.text):
            rest = list(inner(path, node))
            if all(COVERED.match(shown(below)) for below, _ in rest):
                waiting.extend(rest)
            else:
                yield shown(path)
        else:
            yield shown(path)
