"""Compares what look/ says of a slide with its page as LibreOffice drew it: what agrees and what does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from drawn_by_office import WIDTH, Drawn, Page

from pytest_ppteval.look.model import EMU_PER_POINT, Box, Deck, Run, Shape, Slide, Text
from pytest_ppteval.look.place import seen

SIZE_OFF = 0.03  # of the size: LibreOffice keeps text sizes in tenths of a point, and places in 100ths of a millimetre
COLOUR_OFF = 4  # of 255, each channel
EDGE_OFF = 3  # pixels of 1,600, a 533rd of the slide
PICTURE_OFF = 3.0  # points
_SOLID = 0.9  # share of the points within a shape that must have one colour, for its fill to be told
_CLEAR = 12  # a colour that differs less from the fill's is no edge
_PLAIN = ("rect", "roundRect", "ellipse", "flowChartProcess", "flowChartAlternateProcess", "round2SameRect")


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison. aspect: what was compared; what: a shape's name or a word; told, drawn: the two values;
    shape: its id, of what is no word."""

    aspect: str
    what: str
    agrees: bool
    told: str
    drawn: str
    shape: str = ""


# ---- words -----------------------------------------------------------------------------------------------------------


def words_told(slide: Slide) -> list[tuple[str, Run, Text, Shape]]:
    """The words of a slide's shapes, each that looks the same from end to end, with its look."""
    found: list[tuple[str, Run, Text, Shape]] = []
    for shape in slide.shapes:
        if shape.hidden:
            continue
        for text in shape.texts:
            for paragraph in text.paragraphs:
                chars = [(char, run) for run in paragraph.runs for char in run.text]
                found.extend((word, look, text, shape) for word, look in _words(chars))
    return found


def _words(chars: Sequence[tuple[str, Run]]) -> Iterator[tuple[str, Run]]:
    word: list[tuple[str, Run]] = []
    for char, run in (*chars, (" ", None)):
        if not char.isspace():
            assert run is not None
            word.append((char, run))
            continue
        if word and len({replace(look, text="", spacing=0.0) for _, look in word}) == 1:
            look = word[0][1]
            said = "".join(found for found, _ in word)
            yield said.upper() if look.case == "all" else said, look
        word = []


def compare_words(slide: Slide, page: Page) -> Iterator[Compared]:
    """The words that stand once on the slide and once on the page."""
    told = words_told(slide)
    count = Counter(word for word, *_ in told)
    drawn_count = Counter(drawn.word for drawn in page.words)
    drawn = {found.word: found for found in page.words}
    for word, run, text, shape in told:
        if count[word] != 1 or drawn_count[word] != 1 or len(word) < 2:
            continue
        yield from _compare_word(word, run, text, shape, drawn[word])


def _compare_word(word: str, run: Run, text: Text, shape: Shape, drawn: Drawn) -> Iterator[Compared]:
    # LibreOffice works out anew how far text is shrunk, and draws raised letters and small capitals smaller.
    if text.autofit != "shrink" and not run.baseline and run.case != "small" and text.warp is None:
        agrees = abs(run.size - drawn.size) <= SIZE_OFF * run.size
        yield Compared("size", word, agrees, f"{run.size}", f"{drawn.size}")
    if any(char.isalpha() and char.isascii() for char in word):
        # LibreOffice has copies of PowerPoint's own table styles, without their bold.
        if shape.table is None or not run.bold:
            yield Compared("bold", word, run.bold == drawn.bold, f"{run.bold}", f"{drawn.bold}")
        yield Compared("italic", word, run.italic == drawn.italic, f"{run.italic}", f"{drawn.italic}")
    # It changes the theme's colours twice where the layout's footer says it, and the master's too.
    twice = shape.placeholder in ("ftr", "sldNum", "dt") and run.colour.scheme is not None
    if run.fill == "solid" and run.colour.alpha == 1 and run.outline is None and not twice:
        aspect = "link colour" if run.link else "text colour"
        yield Compared(aspect, word, _near(run.colour.rgb, drawn.rgb), run.colour.rgb, drawn.rgb)


def _near(one: str, other: str) -> bool:
    return all(abs(int(one[i : i + 2], 16) - int(other[i : i + 2], 16)) <= COLOUR_OFF for i in (0, 2, 4))


# ---- shapes ----------------------------------------------------------------------------------------------------------


def compare_shapes(deck: Deck, slide: Slide, page: Page) -> Iterator[Compared]:
    """Fills, edges and pictures of the slide's shapes that nothing covers."""
    scale = WIDTH / deck.width
    for shape in slide.shapes:
        if shape.box is None or shape.hidden or not shape.box.width or not shape.box.height:
            continue
        box = seen(shape.box, shape.rotation)
        above = [other for other in slide.shapes[shape.z + 1 :] if _draws(other)]
        if shape.kind == "picture":
            yield from _compare_picture(shape, box, page)
        colour = shape.fill.colour
        if shape.kind not in ("shape", "text box") or shape.fill.kind != "solid" or colour is None or colour.alpha < 1:
            continue
        covers = [seen(other.box, other.rotation) for other in above if other.box is not None]
        around = any(cover.overlap(box) > 0.3 * box.area for cover in covers)
        if around or not _on(box, deck) or min(box.width, box.height) * scale < 12:
            continue
        edges = shape.geometry in _PLAIN and not shape.effects and not shape.rotation % 90
        yield from _compare_fill(shape, box, covers, page, scale, edges)


def _draws(shape: Shape) -> bool:
    return not shape.hidden and shape.kind != "group"


def _on(box: Box, deck: Deck) -> bool:
    return box.x >= 0 and box.y >= 0 and box.right <= deck.width and box.bottom <= deck.height


def _compare_picture(shape: Shape, box: Box, page: Page) -> Iterator[Compared]:
    if (
        shape.picture is None
        or any(shape.picture.crop)
        or shape.rotation % 90
        or not page.pictures
        or not shape.picture.alpha
    ):
        return
    told = tuple(value / EMU_PER_POINT for value in (box.x, box.y, box.right, box.bottom))
    off, nearest = min((max(abs(a - b) for a, b in zip(told, drawn, strict=True)), drawn) for drawn in page.pictures)
    yield Compared("picture place", shape.name, off <= PICTURE_OFF, _spelt(told), _spelt(nearest), shape.id)


def _spelt(values: Sequence[float]) -> str:
    return " ".join(f"{value:.0f}" for value in values)


def _compare_fill(
    shape: Shape, box: Box, covers: list[Box], page: Page, scale: float, edges: bool
) -> Iterator[Compared]:
    assert shape.fill.colour is not None
    pixels = page.pixels
    wanted = np.array(shape.fill.colour.triple)
    line = shape.line.width * EMU_PER_POINT * scale if shape.line is not None else 0.0
    inset = line / 2 + 4
    left, top, right, bottom = box.x * scale, box.y * scale, box.right * scale, box.bottom * scale
    free = []
    for across in np.linspace(0.16, 0.84, 35):
        for down in np.linspace(0.16, 0.84, 35):
            x, y = left + across * (right - left), top + down * (bottom - top)
            if not any(_within(cover, x / scale, y / scale, 3 / scale) for cover in covers):
                free.append(tuple(pixels[min(int(y), len(pixels) - 1), min(int(x), WIDTH - 1)]))
    if len(free) < 60 or min(right - left, bottom - top) < 2 * inset + 4:
        return
    drawn, count = Counter(free).most_common(1)[0]
    if count < 0.4 * len(free):  # text all over it
        return
    off = int(np.abs(np.array(drawn) - wanted).max())
    yield Compared(
        "fill", shape.name, off <= COLOUR_OFF, shape.fill.colour.rgb, "".join(f"{int(part):02X}" for part in drawn)
    )
    if off > COLOUR_OFF or not edges:
        return
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    for side, x, y, dx, dy in (
        ("left", left, middle_y, -1, 0), ("right", right, middle_y, 1, 0),
        ("top", middle_x, top, 0, -1), ("bottom", middle_x, bottom, 0, 1),
    ):  # fmt: skip
        if any(_within(cover, x / scale, y / scale, 16 / scale) for cover in covers):
            continue
        found = _edge(pixels, np.array(drawn), x, y, dx, dy, line)
        if found is not None:
            yield Compared(
                "edge", f"{shape.name} {side}", abs(found) <= EDGE_OFF + line / 2, "0", f"{found:.0f}", shape.id
            )


def _within(box: Box, x: float, y: float, more: float) -> bool:
    return box.x - more <= x <= box.right + more and box.y - more <= y <= box.bottom + more


def _edge(pixels: np.ndarray, fill: np.ndarray, x: float, y: float, dx: int, dy: int, line: float) -> float | None:
    """How far outside of where it should be a fill ends, in pixels; None where that can't be seen."""
    height, width = pixels.shape[:2]
    reach = int(10 + line)

    def at(step: int) -> np.ndarray | None:
        column, row = int(x + dx * step), int(y + dy * step)
        return pixels[row, column] if 0 <= column < width and 0 <= row < height else None

    outside = at(reach)
    inside = at(-reach)
    if outside is None or inside is None or int(np.abs(outside - fill).max()) < _CLEAR:
        return None
    if int(np.abs(inside - fill).max()) > COLOUR_OFF:
        return None
    for step in range(-reach, reach + 1):
        pixel = at(step)
        if pixel is not None and int(np.abs(pixel - fill).max()) >= _CLEAR:
            return step
    return None


def compare_cells(deck: Deck, slide: Slide, page: Page) -> Iterator[Compared]:
    """The fills of tables' first rows: the others lie lower where text makes a row higher."""
    scale = WIDTH / deck.width
    for shape in slide.shapes:
        if (
            shape.table is None
            or shape.box is None
            or shape.hidden
            or any(_draws(o) for o in slide.shapes[shape.z + 1 :])
        ):
            continue
        if not shape.table.rows or not shape.table.heights:
            continue
        x = shape.box.x
        for cell, width in zip(shape.table.rows[0], shape.table.widths, strict=False):
            place = Box(x, shape.box.y, width, shape.table.heights[0])
            x += width
            colour = cell.fill.colour
            if cell.fill.kind != "solid" or colour is None or colour.alpha < 1 or cell.merged or cell.spans != (1, 1):
                continue
            left, top = int(place.x * scale) + 5, int(place.y * scale) + 5
            area = page.pixels[top : int(place.bottom * scale) - 5, left : int(place.right * scale) - 5]
            drawn = Counter(map(tuple, area.reshape(-1, 3).tolist())).most_common(1)
            if not drawn or drawn[0][1] < 0.4 * area.shape[0] * area.shape[1]:
                continue
            spelt = "".join(f"{part:02X}" for part in drawn[0][0])
            yield Compared(
                "cell fill", f"{shape.name} {cell.text.text[:20]}", _near(colour.rgb, spelt), colour.rgb, spelt
            )


def compare_background(deck: Deck, slide: Slide, page: Page) -> Iterator[Compared]:
    """The background, where it has one colour and most of the page's edge shows it."""
    colour = slide.background.colour
    if slide.background.kind != "solid" or colour is None or colour.alpha < 1:
        return
    if any(shape.box is not None and shape.box.area > 0.6 * deck.width * deck.height for shape in slide.shapes):
        return
    pixels = page.pixels
    edge = np.concatenate([pixels[3], pixels[-4], pixels[:, 3], pixels[:, -4]])
    drawn, count = Counter(map(tuple, edge.tolist())).most_common(1)[0]
    if count > 0.7 * len(edge):
        spelt = "".join(f"{part:02X}" for part in drawn)
        yield Compared("background", "", _near(colour.rgb, spelt), colour.rgb, spelt)


def compare(deck: Deck, slide: Slide, page: Page) -> list[Compared]:
    """All of them."""
    return [
        *compare_words(slide, page),
        *compare_shapes(deck, slide, page),
        *compare_cells(deck, slide, page),
        *compare_background(deck, slide, page),
    ]
