"""Good outputs for tasks on the tides lecture, as other programs write: each is the approved one, said otherwise.

PowerPoint's marks, runs cut in two, looks said at each run that were inherited, colours by value, parts of other names.
"""

from __future__ import annotations

import re
import zipfile
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pptx.enum.text import PP_ALIGN
from pptx.oxml import parse_xml
from pptx.util import Emu, Inches

from pytest_ppteval.deck.guard import read_deck
from pytest_ppteval.deck.opening import open_deck
from pytest_ppteval.deck.side import Side
from pytest_ppteval.look.read import look_at
from suite_outputs import MADE, A, Deck, Made, _write, named, table_of
from suite_outputs.tides_spoilt import SLIDES, keep, low, questions, sections, transitions

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
THEME = {
    "bg1": "FFFFFF", "tx1": "22223B", "bg2": "F6F1E7", "tx2": "2E2A4F", "accent1": "574B90", "accent2": "E0A030",
    "lt1": "FFFFFF", "dk1": "22223B", "accent3": "2A8C82", "accent4": "C8553D", "accent5": "8A86A0",
    "accent6": "A9CBDD",
}  # fmt: skip


def approved(task: int) -> Path:
    return ROOT / "baselines" / "cases" / f"tides_lecture-00{task}" / "output.pptx"


def also(task: int) -> Callable[[Callable[[Deck], None]], Callable[[Deck], None]]:
    """The function makes the approved output of the task into another good one."""

    def register(edit: Callable[[Deck], None]) -> Callable[[Deck], None]:
        keep(f"tides_lecture-00{task}", edit.__name__, edit)
        return edit

    return register


# --- on every task ---------------------------------------------------------------------------------------------------


def by_parts(task: int, edit: Callable[[dict[str, str], str], None]) -> None:
    """edit: changes the texts of all parts, given the name of the part of the slide that the task is about."""

    def make(_: Path, output: Path) -> None:
        with zipfile.ZipFile(approved(task)) as old:
            blobs = {name: old.read(name) for name in old.namelist()}
        parts = {name: blob.decode() for name, blob in blobs.items() if name.endswith((".xml", ".rels"))}
        removed = set(parts)
        edit(parts, f"ppt/slides/slide{SLIDES[task]}.xml")
        rest = {name: blob for name, blob in blobs.items() if name not in removed}
        _write(output, {name: text.encode() for name, text in parts.items()} | rest)

    MADE.append(Made(f"tides_lecture-00{task}", edit.__name__, make))


def marks_of_powerpoint(parts: dict[str, str], name: str) -> None:
    text = parts[name].replace("<a:rPr ", '<a:rPr dirty="0" err="1" ').replace("<a:rPr/>", '<a:rPr dirty="0"/>')
    text = text.replace("<a:r><a:t>", '<a:r><a:rPr lang="en-GB" dirty="0" smtClean="0"/><a:t>')
    text = re.sub(r"(</a:r>)(</a:p>)", r'\1<a:endParaRPr lang="en-GB" dirty="0"/>\2', text)
    identity = (
        '<a:extLst><a:ext uri="{FF2B5EF4-FFF2-40B4-BE49-F238E27FC236}"><a16:creationId '
        'xmlns:a16="http://schemas.microsoft.com/office/drawing/2014/main" '
        'id="{0B1C2D3E-0000-4000-8000-00000000%04d}"/>'
        "</a:ext></a:extLst>"
    )
    places = iter(range(1, 1000))
    text = re.sub(r"<p:cNvPr ([^>]*)/>", lambda m: f"<p:cNvPr {m[1]}>{identity % next(places)}</p:cNvPr>", text)
    parts[name] = text
    app = parts["docProps/app.xml"]
    parts["docProps/app.xml"] = re.sub(r"<TotalTime>\d+</TotalTime>", "<TotalTime>7</TotalTime>", app)


def parts_renamed(parts: dict[str, str], name: str) -> None:
    """As programs do that number slides by themselves."""
    number = re.findall(r"\d+", name)[-1]
    old, new = f"slides/slide{number}.xml", f"slides/slide{number}07.xml"
    for part in list(parts):
        text = parts.pop(part).replace(f'{old}"', f'{new}"')
        parts[part.replace(f"slide{number}.xml", f"slide{number}07.xml") if "slides/" in part else part] = text


def colours_by_value(parts: dict[str, str], name: str) -> None:
    parts[name] = re.sub(r'<a:schemeClr val="(\w+)"/>', lambda m: f'<a:srgbClr val="{THEME[m[1]]}"/>', parts[name])


def runs_cut_in_two(deck: Deck, number: int) -> None:
    for run in deck.slides[number - 1]._element.xpath(".//a:r[string-length(a:t) > 5]"):
        more = deepcopy(run)
        [text], [rest] = run.iter("{*}t"), more.iter("{*}t")
        text.text, rest.text = text.text[:4], text.text[4:]
        run.addnext(more)


def looks_said_at_each_run(deck: Deck, number: int, source: Path) -> None:
    """As Google Slides writes: size, font, weight, colour and alignment that were inherited are said."""
    seen = look_at(Side(open_deck(read_deck(str(source))))).slides[number - 1]
    for element in deck.slides[number - 1]._element.xpath(".//p:sp[p:txBody]"):
        shape: Any = seen.shape(element.xpath("./p:nvSpPr/p:cNvPr/@id")[0])
        for paragraph, look in zip(element.txBody.p_lst, shape.text.paragraphs, strict=True):
            properties = paragraph.get_or_add_pPr()
            properties.set("algn", {"left": "l", "centre": "ctr", "right": "r"}[look.alignment])
            properties.set("marL", str(look.margin))
            properties.set("indent", str(look.indent))
            for run, shown in zip(paragraph.xpath("./a:r"), (r for r in look.runs if r.kind == "text"), strict=True):
                old = run.find("{*}rPr")
                if old is not None:
                    run.remove(old)
                run.insert(0, parse_xml(
                    f'<a:rPr {A} lang="en" sz="{shown.size * 100:.0f}" b="{int(shown.bold)}" i="{int(shown.italic)}">'
                    f'<a:solidFill><a:srgbClr val="{shown.colour.rgb}"/></a:solidFill>'
                    f'<a:latin typeface="{shown.font}"/>'
                    f'<a:ea typeface="{shown.font}"/><a:cs typeface="{shown.font}"/><a:sym typeface="{shown.font}"/>'
                    f"</a:rPr>"
                ))  # fmt: skip


def on(task: int, edit: Callable[..., None], *more: Any) -> Callable[[Deck], None]:
    return lambda deck: edit(deck, SLIDES[task], *more)


for each in SLIDES:
    for write in (marks_of_powerpoint, parts_renamed, colours_by_value):
        by_parts(each, write)
    keep(f"tides_lecture-00{each}", "runs_cut_in_two", on(each, runs_cut_in_two))
    if each != 6:  # on its slide an animation holds a paragraph
        said = on(each, looks_said_at_each_run, approved(each))
        keep(f"tides_lecture-00{each}", "looks_said_at_each_run", said)

# --- one by one ------------------------------------------------------------------------------------------------------


@also(1)
def bullets_of_symbol_at_full_size(deck: Deck) -> None:
    for properties in questions(deck):
        for child in ("buSzPct val='100000'", "buFont typeface='Symbol' charset='2'", "buChar char='\uf0b7'"):
            properties.append(parse_xml(f"<a:{child} {A}/>"))
        properties.set("marL", "342900")
        properties.set("indent", "-342900")


@also(2)
def with_a_full_stop(deck: Deck) -> None:
    [text] = [s for s in named(deck.slides[11], "Milestone 2022").shapes if s.name == "Words"]
    text.text_frame.paragraphs[0].runs[0].text += "."


@also(2)
def out_of_its_group(deck: Deck) -> None:
    group = named(deck.slides[11], "Milestone 2022")
    for member in list(group.shapes):
        group._element.addprevious(member._element)
    group._element.getparent().remove(group._element)


@also(3)
def cropped_a_little_more(deck: Deck) -> None:
    """The strip and a hair's breadth, the frame as much lower, about the old middle."""
    picture = low(deck)
    picture.crop_bottom = 0.14
    picture.height = Emu(round(Inches(3.95) * 0.8 * 0.86))
    picture.top = Emu(picture.top + Inches(0.2))


def say_changes(deck: Deck, *texts: str) -> None:
    for row, text in zip(list(table_of(deck.slides[12]).rows)[1:], texts, strict=True):
        row.cells[3].text_frame.paragraphs[0].runs[0].text = text


@also(4)
def with_two_decimals_and_units(deck: Deck) -> None:
    say_changes(deck, "n.a.", "+5.20 m", "\u22125.40 m", "+5.70\u00a0m")


@also(4)
def hyphens_that_do_not_break_and_centred(deck: Deck) -> None:
    say_changes(deck, "--", "+5.2", "\u20115.4", "+5.7")
    for row in table_of(deck.slides[12]).rows:
        row.cells[3].text_frame.paragraphs[0].alignment = PP_ALIGN.CENTER


@also(5)
def spaces_that_do_not_break(deck: Deck) -> None:
    for slide in deck.slides:
        for text in slide._element.xpath('.//p:sp[p:nvSpPr/p:nvPr/p:ph/@type="dt"]//a:t'):
            text.text = "10\u00a0November\u00a02026"


@also(5)
def numbers_not_yet_drawn_anew(deck: Deck) -> None:
    """What the fields hold is what the copied one held; every program shows the slide's own number."""
    for slide in (deck.slides[7], deck.slides[10]):
        for text in slide._element.xpath('.//a:fld[@type="slidenum"]/a:t'):
            text.text = "7"


@also(6)
def said_that_clicks_lead_on(deck: Deck) -> None:
    for transition in transitions(deck):
        transition.set("advClick", "1")
        transition.set("spd", "slow")


@also(7)
def white_of_the_system(deck: Deck) -> None:
    for slide in sections(deck):
        for colour in slide._element.xpath("./p:cSld/p:spTree//a:solidFill/*"):
            new = parse_xml(f'<a:sysClr {A} val="window" lastClr="FFFFFF"/>')
            colour.getparent().replace(colour, new)


@also(8)
def shapes_named_anew(deck: Deck) -> None:
    for number, shape in enumerate(deck.slides[13].shapes, 60):
        shape._element.xpath(".//p:cNvPr")[0].set("id", str(number))
        shape.name = f"Google Shape;{number};p14"
