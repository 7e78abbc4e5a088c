"""Text as drawn: each property from the run, the paragraph, the shape's list style, and what the shape follows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_ppteval.deck.canonical import canonical, digest
from pytest_ppteval.deck.xmlnames import MC, A, R, attributes, local_name, text_of
from pytest_ppteval.look.model import NO_BULLET, Bullet, Colour, Fill, Paragraph, Run, Text
from pytest_ppteval.look.paint import FILLS, says_something
from pytest_ppteval.look.values import degrees, emu, flag, number, share, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from pytest_ppteval.look.links import Links
    from pytest_ppteval.look.paint import Paint
    from pytest_ppteval.look.theme import Theme

_SMALLEST, _LARGEST = 1.0, 4000.0  # points: the standard's bounds
_BLACK = Colour("000000")
_ALIGNMENTS = {
    "l": "left", "ctr": "centre", "r": "right", "just": "justified", "justLow": "justified", "dist": "distributed",
    "thaiDist": "distributed",
}  # fmt: skip
_ANCHORS = {"t": "top", "ctr": "middle", "b": "bottom", "just": "top", "dist": "top"}
_BULLETS = tuple(A + name for name in ("buNone", "buChar", "buAutoNum", "buBlip"))
_HYPERLINK_COLOUR = "{A12FA001-AC4F-418D-AE19-62706E023703}"
_RUNS = (A + "r", A + "br", A + "fld")
_MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_A14_MATHS = "{http://schemas.microsoft.com/office/drawing/2010/main}m"
_INSETS = (("lIns", 91_440), ("tIns", 45_720), ("rIns", 91_440), ("bIns", 45_720))


@dataclass(frozen=True, slots=True)
class Around:
    """What text is read with. paint, theme, links: of its sheet. number: of its slide, for fields; None on a layout."""

    paint: Paint
    theme: Theme
    links: Links
    number: int | None


@dataclass(frozen=True, slots=True)
class Styles:
    """What a text body follows, nearest first.

    bodies: a:bodyPr elements. own: elements with a:lvl1pPr and so on, of the shape and of the placeholders that it
    follows. runs: a:rPr-like elements that come next (a style's font reference, a table style's text). lists: the
    master's text style and the presentation's, elements like `own`.
    """

    bodies: tuple[etree._Element, ...]
    own: tuple[etree._Element, ...]
    lists: tuple[etree._Element, ...]
    runs: tuple[etree._Element, ...] = ()


class TextReader:
    """Reads the text bodies of one sheet."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._levels: dict[tuple[int, ...], tuple[list[etree._Element], list[etree._Element]]] = {}
        self._plain: dict[tuple[int, tuple[int, ...]], Run] = {}

    def body(self, element: etree._Element, styles: Styles) -> Text:
        """The text of a p:txBody or a:txBody."""
        own = element.find(A + "bodyPr")
        own_list = element.find(A + "lstStyle")
        bodies = [body for body in (own, *styles.bodies) if body is not None]
        if own_list is not None:
            styles = replace(styles, own=(own_list, *styles.own))
        autofit, scale, cut = _autofit(bodies)
        paragraphs = tuple(self._paragraph(p, styles, scale, cut) for p in element.iterchildren(A + "p"))
        warp = own.find(A + "prstTxWarp") if own is not None else None
        return Text(
            paragraphs=paragraphs,
            autofit=autofit,
            scale=scale,
            spacing_cut=cut,
            anchor=_ANCHORS.get(_first(bodies, "anchor") or "t", "top"),
            vertical=_first(bodies, "vert") or "horz",
            wrap=_first(bodies, "wrap") != "none",
            insets=tuple(_inset(bodies, name, default) for name, default in _INSETS),  # type: ignore[arg-type]  # four
            columns=max(1, whole(_first(bodies, "numCol"), 1)),
            rotation=degrees(_first(bodies, "rot")),
            warp=None if warp is None or warp.get("prst") == "textNoShape" else warp.get("prst"),
        )

    def _paragraph(self, element: etree._Element, styles: Styles, scale: float, cut: float) -> Paragraph:
        own = element.find(A + "pPr")
        level = min(8, max(0, whole(own.get("lvl") if own is not None else None, 0)))
        inherited, defaults = self._at(level, styles)
        paragraphs = [own, *inherited] if own is not None else inherited
        # What python-pptx's paragraph.font writes, and Keynote.
        of_paragraph = own.find(A + "defRPr") if own is not None else None
        if of_paragraph is not None and (of_paragraph.attrib or len(of_paragraph)):
            defaults = [of_paragraph, *defaults]
        runs = tuple(self._runs(element, defaults, scale))
        end = element.find(A + "endParaRPr")
        if runs:
            size = runs[0].size
        else:
            given = [end, *defaults] if end is not None else defaults
            size = _size(given) * scale
        spacing, points = _spacing(_child(paragraphs, "lnSpc"), 1.0)
        return Paragraph(
            runs=runs,
            level=level,
            bullet=self._bullet(paragraphs, size) if runs else NO_BULLET,
            alignment=_ALIGNMENTS.get(_first(paragraphs, "algn") or "l", "left"),
            line_spacing=round(max(0.0, spacing - cut), 4),
            line_points=points,
            space_before=_points(_child(paragraphs, "spcBef"), size),
            space_after=_points(_child(paragraphs, "spcAft"), size),
            margin=emu(_first(paragraphs, "marL")) or 0,
            indent=emu(_first(paragraphs, "indent")) or 0,
            size=size,
            right_to_left=flag(_first(paragraphs, "rtl")),
        )

    def _at(self, level: int, styles: Styles) -> tuple[list[etree._Element], list[etree._Element]]:
        """What a paragraph of that level follows: its a:lvlNpPr elements, and the a:defRPr-like ones of its runs."""
        key = (level, *(id(e) for group in (styles.own, styles.runs, styles.lists) for e in group))
        if key not in self._levels:
            name = f"{A}lvl{level + 1}pPr"
            own = [found for style in styles.own if (found := style.find(name)) is not None]
            below = [found for style in styles.lists if (found := style.find(name)) is not None]
            runs = [
                *(run for found in own if (run := found.find(A + "defRPr")) is not None),
                *styles.runs,
                *(run for found in below if (run := found.find(A + "defRPr")) is not None),
            ]
            self._levels[key] = [*own, *below], runs
        return self._levels[key]

    def _runs(self, paragraph: etree._Element, defaults: list[etree._Element], scale: float) -> Iterator[Run]:
        for child in paragraph.iterchildren("{*}*"):
            if child.tag in _RUNS:
                yield self._run(child, defaults, scale)
            elif child.tag == _A14_MATHS:
                yield self._equation(child, defaults, scale)
            elif child.tag == MC + "AlternateContent":
                chosen = next(child.iterchildren(MC + "Choice", MC + "Fallback"), None)
                for inner in chosen.iterchildren("{*}*") if chosen is not None else ():
                    if inner.tag == _A14_MATHS:
                        yield self._equation(inner, defaults, scale)
                    elif inner.tag in _RUNS:
                        yield self._run(inner, defaults, scale)

    def _equation(self, element: etree._Element, defaults: list[etree._Element], scale: float) -> Run:
        words = "".join(text_of(found) for found in element.iter(_MATHS))
        return replace(self._looks(None, defaults, scale), text=words, kind="equation")

    def _run(self, element: etree._Element, defaults: list[etree._Element], scale: float) -> Run:
        style = element.find(A + "rPr")
        look = self._looks(style, defaults, scale)
        if element.tag == A + "br":
            return replace(look, text="\n", kind="break")
        shown = element.find(A + "t")
        words = text_of(shown) if shown is not None else ""
        if element.tag == A + "r":
            return replace(look, text=words)
        kind = element.get("type", "")
        if kind.lower() == "slidenum" and self._around.number is not None:
            words = str(self._around.number)
        return replace(look, text=words, kind="field", field=kind)

    def _looks(self, style: etree._Element | None, defaults: list[etree._Element], scale: float) -> Run:
        """A run without text. Most runs say nothing of their own: what they follow is worked out once."""
        plain = style is None or not (len(style) or any(name not in ("lang", "dirty", "err") for name in style.attrib))
        if not plain:
            return self._worked_out(style, defaults, scale)
        language = style.get("lang") if style is not None else None
        key = (hash((scale, language)), tuple(map(id, defaults)))
        if key not in self._plain:
            self._plain[key] = self._worked_out(style, defaults, scale)
        return self._plain[key]

    def _worked_out(self, style: etree._Element | None, defaults: list[etree._Element], scale: float) -> Run:
        chain = [style, *defaults] if style is not None else defaults
        theme, paint = self._around.theme, self._around.paint
        language = _first(chain, "lang")
        link = style.find(A + "hlinkClick") if style is not None else None
        address = self._around.links.address(link) if link is not None else None
        fill = next((found for part in chain for found in part.iterchildren(*FILLS)), None)
        drawn = paint.drawn(fill) if fill is not None else None
        if fill is not None and not says_something(fill):
            drawn = Fill("solid", (_BLACK,))  # what PowerPoint makes of a fill without a colour
        colour = (drawn.colour if drawn is not None else None) or _BLACK
        if drawn is not None and drawn.kind == "none":
            colour = Colour(colour.rgb, 0.0)
        underline = _first(chain, "u") or "none"
        if link is not None and address is not None:
            underline = "sng" if underline == "none" else underline
            if not _keeps_colour(link):
                colour = _named(paint, "hlink") or colour
        outline = next((found for part in chain if (found := part.find(A + "ln")) is not None), None)
        line = paint.drawn_line([outline]) if outline is not None else None
        return Run(
            text="",
            size=round(_size(chain) * scale, 2),
            font=theme.font(_font(chain, "latin") or "+mn-lt"),
            east_asian_font=theme.font(_font(chain, "ea") or "+mn-ea", language),
            bold=flag(_first(chain, "b")),
            italic=flag(_first(chain, "i")),
            underline=underline,
            strike=(_first(chain, "strike") or "noStrike") != "noStrike",
            colour=colour,
            highlight=paint.palette.colour_in(_child(chain, "highlight")),
            link=address,
            tooltip=link.get("tooltip") if link is not None else None,
            case=_first(chain, "cap") or "none",
            baseline=round(share(_first(chain, "baseline"), 0.0), 3),
            spacing=(number(_first(chain, "spc")) or 0.0) / 100,
            fill=drawn.kind if drawn is not None else "solid",
            outline=line.fill.colour if line is not None else None,
            effects=_effects(chain),
            language=language,
        )

    def _bullet(self, paragraphs: list[etree._Element], size: float) -> Bullet:
        mark = next((found for part in paragraphs for found in part.iterchildren(*_BULLETS)), None)
        if mark is None or mark.tag == A + "buNone":
            return NO_BULLET
        colour = _one_of(paragraphs, "buClr", "buClrTx")
        sized = _one_of(paragraphs, "buSzPct", "buSzPts", "buSzTx")
        font = _one_of(paragraphs, "buFont", "buFontTx")
        share_of_text = 1.0
        if sized is not None and local_name(sized) == "buSzPct":
            share_of_text = share(sized.get("val"), 1.0)
        elif sized is not None and local_name(sized) == "buSzPts" and size:
            share_of_text = (number(sized.get("val")) or 100 * size) / 100 / size
        blip = mark.find(A + "blip") if mark.tag == A + "buBlip" else None
        return Bullet(
            kind={"buChar": "character", "buAutoNum": "number"}.get(local_name(mark), "picture"),
            character=mark.get("char", ""),
            scheme=mark.get("type", "") if mark.tag == A + "buAutoNum" else "",
            start=whole(mark.get("startAt"), 1),
            font=self._around.theme.font(font.get("typeface", "")) if font is not None else "",
            colour=self._around.paint.palette.colour_in(colour),
            size=round(share_of_text, 3),
            picture=self._around.paint.image(blip.get(R + "embed", "")) if blip is not None else None,
        )


def _first(chain: Sequence[etree._Element], name: str) -> str | None:
    for element in chain:
        value = element.get(name)
        if value is not None:
            return value
    return None


def _child(chain: Sequence[etree._Element], name: str) -> etree._Element | None:
    return next((found for element in chain if (found := element.find(A + name)) is not None), None)


def _one_of(chain: Sequence[etree._Element], *names: str) -> etree._Element | None:
    tags = tuple(A + name for name in names)
    return next((found for element in chain for found in element.iterchildren(*tags)), None)


def _size(chain: Sequence[etree._Element]) -> float:
    return min(_LARGEST, max(_SMALLEST, (number(_first(chain, "sz")) or 1800.0) / 100))


def _font(chain: Sequence[etree._Element], name: str) -> str:
    found = _child(chain, name)
    return found.get("typeface", "") if found is not None else ""


def _effects(chain: Sequence[etree._Element]) -> tuple[str, ...]:
    listed = next((found for part in chain if (found := part.find(A + "effectLst")) is not None), None)
    if listed is None:
        return ()
    return tuple(f"{local_name(effect)} {digest(canonical(effect))[:8]}" for effect in listed.iterchildren("{*}*"))


def _named(paint: Paint, name: str) -> Colour | None:
    rgb = paint.palette.named(name)
    return Colour(rgb, 1.0, name) if rgb else None


def _keeps_colour(link: etree._Element) -> bool:
    """Whether PowerPoint was told to draw the link in the text's own colour."""
    for extension in link.iterfind(f"{A}extLst/{A}ext"):
        if extension.get("uri") == _HYPERLINK_COLOUR:
            return any(child.get("val") == "tx" for child in extension.iterchildren("{*}*"))
    return False


def _spacing(element: etree._Element | None, default: float) -> tuple[float, float | None]:
    """A share of the line's height, and points where those are given."""
    for child in element.iterchildren("{*}*") if element is not None else ():
        if child.tag == A + "spcPts":
            return default, (number(child.get("val")) or 0.0) / 100
        return share(child.get("val"), default), None
    return default, None


def _points(element: etree._Element | None, size: float) -> float:
    """The room before or after a paragraph, in points."""
    part, points = _spacing(element, 0.0)
    return round(points if points is not None else part * size * 1.2, 2)


def _autofit(bodies: Sequence[etree._Element]) -> tuple[str, float, float]:
    for body in bodies:
        for child in body.iterchildren(A + "normAutofit", A + "spAutoFit", A + "noAutofit"):
            if child.tag == A + "spAutoFit":
                return "grow", 1.0, 0.0
            if child.tag == A + "noAutofit":
                return "none", 1.0, 0.0
            own = body is bodies[0]  # how far a layout shrinks its prompt says nothing of this text
            scale, cut = (
                (_within(child.get("fontScale"), 1.0), _within(child.get("lnSpcReduction"), 0.0)) if own else (1.0, 0.0)
            )
            return "shrink", scale, cut
    return "none", 1.0, 0.0


def _within(text: str | None, default: float) -> float:
    value = share(text, default)
    return value if 0 < value <= 1 else default


def _inset(bodies: Sequence[etree._Element], name: str, default: int) -> int:
    value = emu(_first(bodies, name))
    return default if value is None else value


def run_properties(
    source: etree._Element, theme_font: str | None, extra: Sequence[tuple[str, str]] = ()
) -> etree._Element:
    """An a:defRPr of a style's reference: `source` holds the colour, theme_font is "major", "minor" or None."""
    made = source.makeelement(A + "defRPr", dict(extra))
    colour = next((child for child in source.iterchildren("{*}*") if local_name(child).endswith("Clr")), None)
    if colour is not None:
        fill = made.makeelement(A + "solidFill", {})
        copied = fill.makeelement(colour.tag, {str(k): str(v) for k, v in attributes(colour)})
        for change in colour:
            inner = copied.makeelement(change.tag, {str(k): str(v) for k, v in attributes(change)})
            copied.append(inner)
        fill.append(copied)
        made.append(fill)
    if theme_font in ("major", "minor"):
        short = "mj" if theme_font == "major" else "mn"
        for tag, script in (("latin", "lt"), ("ea", "ea")):
            made.append(made.makeelement(A + tag, {"typeface": f"+{short}-{script}"}))
    return made
