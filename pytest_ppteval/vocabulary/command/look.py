"""`ppteval look DECK`: what a rubric can address and check."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_ppteval.look.model import EMU_PER_CM, as_json
from pytest_ppteval.vocabulary.command.decks import open_look

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Bullet, Deck, Fill, Paragraph, Shape, Slide, Text

_MOST = 72  # characters of a text


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("deck", help="a .pptx file")
    parser.add_argument("--slide", type=int, action="append", metavar="N", help="only this slide; may be given again")
    parser.add_argument("--json", action="store_true", help="everything, as JSON")


def run(options: argparse.Namespace) -> int:
    """Print the deck. Raises ValueError for a deck that can't be opened or a slide that it has not."""
    deck = open_look(options.deck)
    for number in options.slide or ():
        if deck.slide(number) is None:
            raise ValueError(f"{options.deck} has no slide {number}: it has {len(deck.slides)}")
    chosen = [slide for slide in deck.slides if not options.slide or slide.number in options.slide]
    if options.json:
        shown = as_json(deck) | {"slides": [as_json(slide) for slide in chosen]}
        print(json.dumps(shown, indent=2, ensure_ascii=False))
        return 0
    for line in lines(deck, chosen):
        print(line)
    return 0


def lines(deck: Deck, chosen: list[Slide]) -> Iterator[str]:
    """The deck for people."""
    yield f"{len(deck.slides)} slides, {deck.width / EMU_PER_CM:.2f} × {deck.height / EMU_PER_CM:.2f} cm"
    if deck.sections:
        yield "sections: " + ", ".join(f"{name!r} ({len(ids)})" for name, ids in deck.sections)
    for slide in chosen:
        yield ""
        yield from _slide(slide)


def _slide(slide: Slide) -> Iterator[str]:
    facts = [f"id {slide.id}", f"layout {slide.layout!r}" if slide.layout else "", "hidden" if slide.hidden else ""]
    facts.append(f"section {slide.section!r}" if slide.section else "")
    yield f"slide {slide.number}  {slide.title!r}  ({', '.join(fact for fact in facts if fact)})"
    details = [f"background {_fill(slide.background)}"]
    if slide.transition is not None:
        after = f", on after {slide.transition.advance_after:g} s" if slide.transition.advance_after is not None else ""
        details.append(f"transition {slide.transition.kind} {slide.transition.duration:g} s{after}")
    if slide.notes:
        details.append(f"notes {_short(slide.notes)}")
    if slide.comments:
        details.append(f"{len(slide.comments)} comments")
    yield f"  {'; '.join(details)}"
    for effect in slide.effects:
        how = f"{effect.trigger}, {effect.duration:g} s"
        yield f"  animation {effect.order + 1}: {effect.name} on shape {effect.shape}, {how}"
    for shape in slide.shapes:
        yield from _shape(shape)


def _shape(shape: Shape) -> Iterator[str]:
    facts = [shape.kind, f"placeholder {shape.placeholder}" if shape.placeholder else ""]
    if shape.box is not None:
        box = shape.box
        facts.append(f"at {box.x / EMU_PER_CM:.2f}, {box.y / EMU_PER_CM:.2f} cm")
        facts.append(f"{box.width / EMU_PER_CM:.2f} × {box.height / EMU_PER_CM:.2f} cm")
    facts.append(f"turned {shape.rotation:g}°" if shape.rotation else "")
    facts.append(f"fill {_fill(shape.fill)}" if shape.fill.kind != "none" else "")
    facts.append(f"link {shape.link}" if shape.link else "")
    facts.append("hidden" if shape.hidden else "")
    indent = "  " * (1 + len(shape.groups))
    yield f"{indent}#{shape.id} {shape.name!r}: {', '.join(fact for fact in facts if fact)}"
    if shape.alt:
        yield f"{indent}  description {_short(shape.alt)}"
    if shape.text is not None:
        yield from (f"{indent}  {line}" for line in _text(shape.text))
    if shape.picture is not None:
        picture = shape.picture
        off = picture.stretch if picture.stretch is not None and abs(picture.stretch - 1) > 0.01 else None
        stretch = f", {off:.2f} times as wide as it is" if off is not None else ""
        crop = f", cropped {', '.join(f'{part:.0%}' for part in picture.crop)}" if any(picture.crop) else ""
        yield f"{indent}  image {picture.image} ({picture.format}){crop}{stretch}"
    if shape.table is not None:
        for row in shape.table.rows:
            yield f"{indent}  | " + " | ".join(_short(cell.text.text, 24) for cell in row) + " |"
    if shape.chart is not None:
        chart = shape.chart
        way = " ".join(word for word in (chart.direction, chart.grouping, chart.kind) if word)
        yield f"{indent}  {way} chart, title {chart.title!r}, legend {chart.legend or 'none'}"
        for series in chart.series:
            values = ", ".join("-" if value is None else f"{value:g}" for value in series.values[:12])
            yield f"{indent}  series {series.name!r}: {values}  over {', '.join(series.categories[:12])}"
    if shape.diagram is not None:
        yield f"{indent}  {_short(' / '.join(shape.diagram))}"


def _text(text: Text) -> Iterator[str]:
    for paragraph in text.paragraphs:
        if paragraph.text.strip():
            yield f"{'  ' * paragraph.level}{_bullet(paragraph.bullet)}{_short(paragraph.text)}  [{_look(paragraph)}]"


def _bullet(bullet: Bullet) -> str:
    return {"none": "", "number": "1. ", "picture": "▣ "}.get(bullet.kind, f"{bullet.character} ")


def _look(paragraph: Paragraph) -> str:
    looks = []
    for run in paragraph.runs:
        if run.text.strip():
            marks = [word for word in ("bold", "italic", "strike") if getattr(run, word)]
            marks += ["underlined"] if run.underline != "none" else []
            marks += [f"→ {run.link}"] if run.link else []
            looks.append(" ".join([f"{run.size:g} pt", run.font, f"#{run.colour.rgb}", *marks]))
    return "; ".join(dict.fromkeys(looks)) + (f"; {paragraph.alignment}" if paragraph.alignment != "left" else "")


def _fill(fill: Fill) -> str:
    return f"{fill.kind} {' '.join('#' + colour.rgb for colour in fill.colours)}".strip()


def _short(text: str, most: int = _MOST) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= most else text[: most - 1] + "…")
