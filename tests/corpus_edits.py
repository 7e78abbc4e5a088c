"""One edit of each kind, which can be made on any deck that has what it needs, with the diff that it must give.

Edits are made in the XML: python-pptx's properties make elements when they are only read, which is an edit too.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from deck_edits import P, counts, drop_slide, move_slide, put, root, transitions, xml
from lxml import etree
from PIL import Image
from pptx.util import Cm, Emu

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pptx.presentation import Presentation

    from pytest_ppteval.deck.model import PowerPointDiff

PPT, A = f"{{{P}}}", "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


class NotHereError(Exception):
    """The deck has nothing that this edit could be made on."""


@dataclass(frozen=True)
class Edit:
    """make: the edit. lists: how many entries which lists of the diff then hold. changed: what is said to have changed
    of the modified slide, if one is. account: the words for people.
    """

    make: Callable[[Presentation], object]
    lists: dict[str, int]
    changed: list[str] | None
    account: list[str]

    def wrong_in(self, diff: PowerPointDiff) -> str:
        """How the diff differs from what it must be; "" if it does not."""
        found = counts(diff), list(diff.slide_changes.values()), [change.what for change in diff.account.changes]
        wanted = self.lists, [self.changed] if self.changed else [], self.account
        return "" if found == wanted else f"{self.make.__name__}: {found}, not {wanted}"


EDITS: list[Edit] = []


def on_a_slide(changed: str, *account: str, **lists: int) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """The edit changes one slide, in that respect; besides `lists`, the diff holds this slide only."""

    def register(make: Callable[..., object]) -> Callable[..., object]:
        EDITS.append(Edit(make, {"modified_slides": 1, **lists}, [changed], list(account)))
        return make

    return register


def of_slides(*account: str, **lists: int) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """The edit changes which slides there are, or their order."""

    def register(make: Callable[..., object]) -> Callable[..., object]:
        EDITS.append(Edit(make, lists, None, list(account)))
        return make

    return register


# ---- places to edit --------------------------------------------------------------------------------------------------


def first(found: Iterator[Any]) -> Any:
    one = next(found, None)
    if one is None:
        raise NotHereError
    return one


def shapes(deck: Presentation, *kinds: str) -> Iterator[Any]:
    """Shapes of these kinds that stand on their slide itself and whose id is theirs alone."""
    for slide in deck.slides:
        tree: Any = slide.shapes._spTree
        ids = [node.get("id") for node in tree.iter(f"{PPT}cNvPr")]
        for element in tree:
            own = element.find(f"*/{PPT}cNvPr")
            if own is not None and ids.count(own.get("id")) == 1 and etree.QName(element).localname in kinds:
                yield element


def a_run(deck: Presentation) -> Any:
    """The first run of at least two letters."""
    runs = (run for shape in shapes(deck, "sp") for run in shape.iter(f"{A}r"))
    return first(run for run in runs if len((run.findtext(f"{A}t") or "").strip()) > 1)


def placed(deck: Presentation, part: str) -> Any:
    """The offset or extent of the first shape that has a place of its own."""
    return first(found for s in shapes(deck, "sp", "pic") for found in s.iterfind(f"{PPT}spPr/{A}xfrm/{A}{part}"))


def slide_of(deck: Presentation, element: Any) -> Any:
    top = element.getroottree().getroot()
    return next(slide for slide in deck.slides if root(slide) is top)


# ---- shapes ----------------------------------------------------------------------------------------------------------


@on_a_slide("content", "text")
def edit_text(deck: Presentation) -> None:
    a_run(deck).find(f"{A}t").text = "Quite other words"


@on_a_slide("content", "rewritten")
def split_run(deck: Presentation) -> None:
    run = a_run(deck)
    rest = copy.deepcopy(run)
    text = run.find(f"{A}t").text
    run.find(f"{A}t").text, rest.find(f"{A}t").text = text[:1], text[1:]
    run.addnext(rest)


@on_a_slide("content", "restyled")
def edit_format(deck: Presentation) -> None:
    a_run(deck).get_or_add_rPr().set("sz", "7700")


@on_a_slide("content", "moved")
def move_shape(deck: Presentation) -> None:
    offset = placed(deck, "off")
    offset.set("x", str(int(offset.get("x")) + Cm(1)))


@on_a_slide("content", "resized")
def resize_shape(deck: Presentation) -> None:
    extent = placed(deck, "ext")
    extent.set("cx", str(int(extent.get("cx")) + Cm(1)))


@on_a_slide("content", "shape added")
def add_shape(deck: Presentation) -> None:
    deck.slides[0].shapes.add_textbox(Emu(0), Emu(0), Cm(1), Cm(1)).text_frame.text = "New text"


@on_a_slide("content", "shape removed")
def remove_shape(deck: Presentation) -> None:
    element = first(shapes(deck, "sp", "pic"))
    element.getparent().remove(element)


@on_a_slide("content", "shape added")
def duplicate_shape(deck: Presentation) -> None:
    element = first(shapes(deck, "sp", "pic"))
    twin = copy.deepcopy(element)
    twin.find(f"*/{PPT}cNvPr").set("id", "77777")
    element.addnext(twin)


@on_a_slide("content", "shape added")
def add_picture(deck: Presentation) -> None:
    deck.slides[0].shapes.add_picture(picture_file("blue"), Emu(0), Emu(0))


@on_a_slide("related", "content")
def replace_picture(deck: Presentation) -> None:
    blips = (blip for shape in shapes(deck, "pic") for blip in shape.iterfind(f"{PPT}blipFill/{A}blip"))
    blip = first(blip for blip in blips if blip.get(f"{R}embed") in slide_of(deck, blip).part.rels)
    _, relation = slide_of(deck, blip).part.get_or_add_image_part(picture_file("green"))
    blip.set(f"{R}embed", relation)


def picture_file(colour: str) -> BytesIO:
    stream = BytesIO()
    Image.new("RGB", (8, 8), colour).save(stream, "PNG")
    stream.seek(0)
    return stream


@on_a_slide("content", "text")
def edit_cell(deck: Presentation) -> None:
    frames = shapes(deck, "graphicFrame")
    text = first(text for frame in frames for text in frame.iterfind(f".//{A}tc/{A}txBody/{A}p/{A}r/{A}t"))
    text.text = "Quite another cell"


@on_a_slide("related", "content")
def edit_chart_value(deck: Presentation) -> None:
    charts = ((slide_of(deck, c).part, c) for frame in shapes(deck, "graphicFrame") for c in frame.iter(f"{C}chart"))
    parts = (part.related_part(chart.get(f"{R}id")) for part, chart in charts)
    value = first(value for part in parts for value in part._element.iterfind(f".//{C}val//{C}pt/{C}v"))
    value.text = "4711.5"


# ---- slides ----------------------------------------------------------------------------------------------------------


@of_slides("slide added", added_slides=1)
def add_slide(deck: Presentation) -> None:
    deck.slides.add_slide(deck.slides[0].slide_layout)
    move_slide(deck, len(deck.slides) - 1, 0)


@of_slides("slide added", added_slides=1)
def duplicate_slide(deck: Presentation) -> None:
    old = deck.slides[0]
    new: Any = deck.slides.add_slide(old.slide_layout)
    tree: Any = new.shapes._spTree
    for element in list(tree)[2:]:
        tree.remove(element)
    for element in list(old.shapes._spTree)[2:]:
        tree.append(copy.deepcopy(element))
    known = {
        old_id: new.part.rels._add_relationship(rel.reltype, rel._target, rel.is_external)
        for old_id, rel in old.part.rels.items()
        if not rel.reltype.endswith(("/notesSlide", "/slideLayout", "/comments"))
    }
    for element in tree.iter("{*}*"):
        for name, value in element.attrib.items():
            if name.startswith(R) and value in known:
                element.set(name, known[value])
    move_slide(deck, len(deck.slides) - 1, 1)


@of_slides("slide moved", moved_slides=1)
def move_first_to_the_end(deck: Presentation) -> None:
    if len(deck.slides) < 2:
        raise NotHereError
    move_slide(deck, 0, len(deck.slides) - 1)


@of_slides("slide removed", removed_slides=1)
def remove_plain_slide(deck: Presentation) -> None:
    """One that has no animation and no transition, which would be told as gone, and to which nothing links."""
    links = {rel.target_part for slide in deck.slides for rel in slide.part.rels.values() if not rel.is_external}
    plain = (n for n, slide in enumerate(deck.slides) if not transitions(root(slide)) and slide.part not in links)
    number = first(n for n in plain if root(deck.slides[n]).find(f"{PPT}timing") is None)
    if len(deck.slides) < 2:
        raise NotHereError
    drop_slide(deck, number)


@on_a_slide("hidden", "hidden")
def hide(deck: Presentation) -> None:
    first(root(slide) for slide in deck.slides if root(slide).get("show") != "0").set("show", "0")


@on_a_slide("notes", "notes")
def write_note(deck: Presentation) -> None:
    page: Any = deck.slides[0].notes_slide
    paragraph = first(page._element.iter(f"{A}p"))
    run = etree.SubElement(paragraph, f"{A}r")
    etree.SubElement(run, f"{A}t").text = "A note nobody wrote before"


@on_a_slide("layout", "layout")
def use_another_layout(deck: Presentation) -> None:
    slide = deck.slides[0]
    layouts = (layout for master in deck.slide_masters for layout in master.slide_layouts)
    other = first(one for one in layouts if one.name != slide.slide_layout.name)
    rels: Any = slide.part.rels
    relation = next(rel for rel in rels.values() if rel.reltype.endswith("/slideLayout"))
    relation._target = other.part


# ---- transitions and animations --------------------------------------------------------------------------------------


@on_a_slide("content", "transition", added_transitions=1)
def add_transition(deck: Presentation) -> None:
    slide = first(slide for slide in deck.slides if not transitions(root(slide)))
    put(slide, '<p:transition spd="slow"><p:pull dir="rd"/></p:transition>')


@on_a_slide("content", "transition", modified_transitions=1)
def change_transition(deck: Presentation) -> None:
    slide = first(slide for slide in deck.slides if transitions(root(slide)))
    put(slide, '<p:transition spd="slow" advTm="12345"><p:pull dir="rd"/></p:transition>')


@on_a_slide("content", "transition", removed_transitions=1)
def remove_transition(deck: Presentation) -> None:
    slide = first(slide for slide in deck.slides if transitions(root(slide)))
    for element in transitions(root(slide)):
        root(slide).remove(element)


def effects(deck: Presentation) -> Iterator[Any]:
    """Effects of main sequences, as their outer p:cTn."""
    for slide in deck.slides:
        for node in root(slide).iter(f"{PPT}cTn"):
            if node.get("presetID") and node.get("nodeType") in ("clickEffect", "withEffect", "afterEffect"):
                yield node


@on_a_slide("content", "animation", added_animations=1)
def add_animation(deck: Presentation) -> None:
    """One more effect, in front of all others, in a sequence of its own making where there is none."""
    slide = root(deck.slides[0])
    effect = (
        '<p:par><p:cTn id="90001" presetID="10" presetClass="entr" presetSubtype="0" nodeType="clickEffect">'
        '<p:childTnLst><p:animEffect transition="in" filter="fade"><p:cBhvr><p:cTn id="90002" dur="777"/>'
        '<p:tgtEl><p:spTgt spid="1"/></p:tgtEl></p:cBhvr></p:animEffect></p:childTnLst></p:cTn></p:par>'
    )
    main = next((node for node in slide.iter(f"{PPT}cTn") if node.get("nodeType") == "mainSeq"), None)
    children = main.find(f"{PPT}childTnLst") if main is not None else None
    if children is None:
        put(
            deck.slides[0],
            '<p:timing><p:tnLst><p:par><p:cTn id="90003" nodeType="tmRoot"><p:childTnLst><p:seq><p:cTn id="90004" '
            f'nodeType="mainSeq"><p:childTnLst>{effect}</p:childTnLst></p:cTn></p:seq></p:childTnLst></p:cTn></p:par>'
            "</p:tnLst></p:timing>",
        )
    else:
        children.insert(0, xml(effect))


@on_a_slide("content", "animation", modified_animations=1)
def change_animation(deck: Presentation) -> None:
    effect = first(effects(deck))
    effect.set("nodeType", "afterEffect" if effect.get("nodeType") != "afterEffect" else "withEffect")


@on_a_slide("content", "animation", removed_animations=1)
def remove_animation(deck: Presentation) -> None:
    """The only one of its outermost p:par, which goes with it."""
    alone = []
    for effect in effects(deck):
        click = effect
        while click is not None and click.getparent().getparent().get("nodeType") != "mainSeq":
            click = click.getparent()
        if click is not None and sum(node.get("presetID") is not None for node in click.iter(f"{PPT}cTn")) == 1:
            alone.append(click)
    click = first(iter(alone))
    click.getparent().remove(click)
