"""`bullets`: the marks of paragraphs: none, a character, an automatic number, a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.colour import contrast
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.colours import is_colour
from pytest_ppteval.vocabulary.finding import Point
from pytest_ppteval.vocabulary.ground import ground_of
from pytest_ppteval.vocabulary.texts import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_ppteval.look.model import Paragraph
    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

KEYS = ("kind", "character", "scheme", "numbers", "colour", "size", "font", "visible", "as_before")
# Bullet characters that look alike, whatever font they are written in.
_ROUND = frozenset("\u2022\u25cf\u00b7\uf0b7\u2219\u26ab\uf06c\u25e6l")
# Schemes of automatic numbers by the numerals that they show, at least up to ten.
_SCHEMES = {
    "chinese": (
        "ea1ChsPlain", "ea1ChsPeriod", "ea1ChtPlain", "ea1ChtPeriod", "ea1JpnChsDbPeriod", "ea1JpnKorPlain",
        "ea1JpnKorPeriod",
    ),
    "arabic": (
        "arabicPlain", "arabicPeriod", "arabicParenR", "arabicParenBoth", "arabicDbPlain", "arabicDbPeriod",
    ),
    "circled": ("circleNumDbPlain", "circleNumWdBlackPlain", "circleNumWdWhitePlain"),
    "letters": tuple(f"alpha{case}{end}" for case in ("Lc", "Uc") for end in ("Period", "ParenR", "ParenBoth")),
    "roman": tuple(f"roman{case}{end}" for case in ("Lc", "Uc") for end in ("Period", "ParenR", "ParenBoth")),
}  # fmt: skip
_SHAPES = {"round": _ROUND, "dash": frozenset("-\u2013\u2014\u2212"), "square": frozenset("\u25aa\u25a0\uf0a7\u00a7n")}


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: a kind ("none", "character", "number", "picture"), or a mapping with KEYS.

    scheme: a file's word ("arabicPeriod"), or all that show these numerals: chinese, arabic, circled, letters, roman.
    numbers: what the numbered paragraphs show, in order. visible: a mark in the ground's own colour, or tiny, is none;
    true unless said.
    """
    if isinstance(want, str):
        want = {"kind": want}
    unknown_key("bullets", want, KEYS)
    for spot in spots:
        paragraphs = [p for p in spot.paragraphs if p.text.strip()]
        if not paragraphs:
            yield Point(0.0, f"{spot.where}: no text to look at")
        for paragraph in paragraphs:
            yield from _one(paragraph, want, spot)
        if "numbers" in want:
            everything = spot.shape.text.paragraphs if spot.shape is not None and spot.shape.text is not None else ()
            shown = [n for n, p in numbered(everything or paragraphs) if any(p is mine for mine in paragraphs)]
            yield Point.of(shown == list(want["numbers"]), f"{spot.where}: numbered {shown}, wanted {want['numbers']}")
        if want.get("as_before"):
            yield _as_before(spot, world)


def _one(paragraph: Paragraph, want: dict[str, Any], spot: Spot) -> Iterator[Point]:
    bullet = paragraph.bullet
    where = f"{spot.where}, {paragraph.text.strip()[:30]!r}"
    if "kind" in want:
        kinds = want["kind"] if isinstance(want["kind"], list) else [want["kind"]]
        yield Point.of(bullet.kind in kinds, f"{where}: bullet {bullet.kind}, wanted {want['kind']}")
    if "character" in want:
        wanted = _SHAPES.get(str(want["character"]), frozenset(str(want["character"])))
        right = bullet.kind == "character" and bullet.character in wanted
        # A letter is a bullet only in a font of symbols.
        if right and bullet.character.isascii() and bullet.character.isalpha():
            right = bullet.font.lower().startswith(("wingdings", "symbol", "webdings"))
        yield Point.of(right, f"{where}: bullet {bullet.character!r}, wanted {want['character']}")
    if "scheme" in want:
        given = want["scheme"] if isinstance(want["scheme"], list) else [want["scheme"]]
        schemes = [scheme for one in given for scheme in _SCHEMES.get(str(one), (one,))]
        yield Point.of(
            bullet.scheme in schemes, f"{where}: numbered as {bullet.scheme or 'nothing'}, wanted {want['scheme']}"
        )
    if "size" in want:
        yield in_range(bullet.size, want["size"], f"{where}: bullet's size")
    if "font" in want:
        yield Point.of(
            bullet.font == want["font"], f"{where}: bullet in {bullet.font or 'its text font'}, wanted {want['font']}"
        )
    colour = bullet.colour or next((run.colour for run in paragraph.runs if run.text.strip()), None)
    if "colour" in want:
        yield Point.of(is_colour(colour, want["colour"]), f"{where}: bullet's colour, wanted {want['colour']}")
    if bullet.kind != "none" and want.get("visible", True):
        ground = ground_of(spot)
        faint = colour is not None and ground is not None and (colour.alpha < 0.3 or contrast(colour, ground) < 1.5)
        yield Point.of(not faint and bullet.size >= 0.3, f"{where}: its bullet can't be seen")


def numbered(paragraphs: Sequence[Paragraph]) -> Iterator[tuple[int, Paragraph]]:
    """The number that each automatically numbered paragraph shows: a list goes on below deeper levels."""
    counts: dict[int, tuple[tuple[str, int], int]] = {}
    for paragraph in paragraphs:
        if not paragraph.text.strip():
            continue
        level, bullet = paragraph.level, paragraph.bullet
        for deeper in [key for key in counts if key > level]:
            del counts[deeper]
        if bullet.kind != "number":
            counts.pop(level, None)
            continue
        key = (bullet.scheme, bullet.start)
        last = counts.get(level)
        number = last[1] + 1 if last is not None and last[0] == key else bullet.start
        counts[level] = key, number
        yield number, paragraph


def _as_before(spot: Spot, world: World) -> Point:
    was = world.shape_was(spot.slide, spot.shape) if spot.shape is not None else None
    old = {p.text.strip(): p.bullet for text in (was.texts if was is not None else ()) for p in text.paragraphs}
    wrong = [p.text.strip() for p in spot.paragraphs if p.text.strip() in old and old[p.text.strip()] != p.bullet]
    return Point.of(
        was is not None and not wrong, f"{spot.where}: bullets changed: {', '.join(wrong)[:100] or 'it is new'}"
    )
