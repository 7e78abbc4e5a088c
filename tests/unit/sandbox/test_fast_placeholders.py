"""python-pptx's hot paths, replaced: the same answers and errors as its own code, on decks that are changed and odd."""

from __future__ import annotations

import base64
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared" / "data" / "decks"
SHIPPED = sorted((ROOT / "cases" / "decks").glob("*.pptx"))

PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")

# Each deck is asked, changed and asked again, for each of the changes; all of it once with python-pptx's own code and
# once with ours, in one process of its own: the replacement is for a whole process.
PROGRAM = '''
import copy, functools, sys
import pptx, pptx.util, pptx.chart.data
from lxml import etree
from pptx.enum.shapes import PP_PLACEHOLDER as KIND
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls
from pptx.oxml.xmlchemy import BaseOxmlElement
from pptx.shapes.base import BaseShape
from pytest_ppteval.sandbox.fast import hot_paths

NS = {"p": "http://schemas.openxmlformats.org/presentationml/2006/main",
      "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
      "c": "http://schemas.openxmlformats.org/drawingml/2006/chart"}
R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
ALIVE = []  # elements that lxml made without python-pptx's classes: they stay plain for as long as they are held

def attempt(question):
    try:
        return show(question())
    except Exception as error:
        # What it was raised in the course of is shown to users, too.
        return f"{type(error).__name__}: {error} {type(error.__context__).__name__} {type(error.__cause__).__name__}"

def show(value):
    if isinstance(value, etree._Element):
        return type(value).__name__, value.getroottree().getpath(value)
    if isinstance(value, BaseShape):
        return type(value).__name__, show(value._element)
    if isinstance(value, (list, tuple)):
        return [show(item) for item in value]
    plain = isinstance(value, (int, float, str, type(None)))
    return f"{type(value).__name__} {value!r}" if plain else type(value).__name__

SHAPE = "is_placeholder left top width height shape_id name shape_type has_text_frame text _base_placeholder".split()
ELEMENT = "ph has_ph_elm ph_idx ph_type ph_orient ph_sz x y cx cy xfrm rot".split()

def shape_facts(shape):
    yield type(shape).__name__
    for name in SHAPE:
        yield attempt(lambda: getattr(shape, name))
    for name in ELEMENT:
        yield attempt(lambda: getattr(shape._element, name))
    yield attempt(lambda: shape.placeholder_format.idx)
    yield attempt(lambda: shape.placeholder_format.type)
    yield attempt(lambda: shape.text_frame.text)
    paragraphs = []
    yield attempt(lambda: paragraphs.extend(shape.text_frame.paragraphs))
    for paragraph in paragraphs[:2]:
        yield attempt(lambda: paragraph.text)
        yield attempt(lambda: paragraph._p.text)
        yield attempt(lambda: paragraph._p.content_children)
        yield attempt(lambda: [run.text for run in paragraph.runs])
    yield attempt(lambda: [series.values for plot in shape.chart.plots for series in plot.series])
    if hasattr(shape, "shapes"):
        yield from members(shape.shapes)

def members(collection):
    """What can be had of a collection, up to the first error of each way to it."""
    yield attempt(lambda: len(collection))
    yield attempt(lambda: collection[0])
    yield attempt(lambda: collection[1000])
    shapes = []
    yield attempt(lambda: shapes.extend(collection))
    for shape in shapes:
        yield from shape_facts(shape)

def sheets(deck):
    """Each sheet with the part it is in; what cannot be reached is left out."""
    slides = []
    attempt(lambda: slides.extend(deck.slides))
    masters = [*deck.slide_masters]
    notes = [slide.notes_slide for slide in slides if slide.has_notes_slide]
    return [*slides, *masters, *(layout for master in masters for layout in master.slide_layouts), *notes]

def facts(deck, some):
    yield attempt(lambda: [slide.slide_id for slide in deck.slides])
    for sheet in some:
        for name in ("slide_id", "slide_layout", "slide_master"):
            yield attempt(lambda: getattr(sheet, name).name)
            yield attempt(lambda: getattr(sheet.part, name))
        yield from members(sheet.shapes)
        yield attempt(lambda: len(sheet.placeholders))
        yield attempt(lambda: [*sheet.placeholders])
        for key in (0, 1, 10, 77, True, None, KIND.BODY, KIND.TITLE, KIND.PICTURE, KIND.HEADER):
            yield attempt(lambda: sheet.placeholders.get(key))
            yield attempt(lambda: sheet.placeholders[key])

def found(roots, path):
    return [element for root in roots for element in etree._Element.xpath(root, path, namespaces=NS)]

def roots(deck, *kinds):
    """The sheets' elements: of slides, layouts and masters, or of some of them; or the charts'."""
    if kinds == CHARTS:
        return [relation.target_part._element for sheet in sheets(deck) for relation in sheet.part._rels.values()
            if relation._reltype.endswith("/chart")]
    return [sheet._element for sheet in sheets(deck) if not kinds or type(sheet).__name__ in kinds]

def attribute(path, name, value, *kinds):
    """A change: the attribute set, or removed."""
    def change(deck):
        for element in found(roots(deck, *kinds), path):
            if value is None:
                element.attrib.pop(name, None)
            else:
                element.set(name, value)
    return change

def removed(path, *kinds):
    def change(deck):
        for element in found(roots(deck, *kinds), path):
            element.getparent().remove(element)
    return change

def plain(path, *kinds):
    """A change: the elements replaced by ones that are not of python-pptx's classes."""
    def change(deck):
        for element in found(roots(deck, *kinds), path):
            other = etree.fromstring(etree.tostring(element))
            ALIVE.extend(other.iter())
            element.getparent().replace(element, other)
    return change

def before(path, make, *kinds):
    """A change: something put before each of the elements."""
    def change(deck):
        for element in found(roots(deck, *kinds), path):
            element.addprevious(make(element))
    return change

def put(path, xml, *kinds):
    def change(deck):
        for element in found(roots(deck, *kinds), path):
            element.append(parse_xml(xml.replace("/>", f" {nsdecls('p', 'a')}/>", 1) if "<p:pic>" not in xml
                else xml.replace("<p:pic>", f"<p:pic {nsdecls('p', 'a')}>")))
    return change

def remark(element):
    return etree.Comment(" said in passing ")

def grouped(deck):
    for tree in found(roots(deck, "Slide"), "p:cSld/p:spTree"):
        shapes = found([tree], "p:sp|p:pic|p:grpSp|p:graphicFrame|p:cxnSp")
        group = tree.add_grpSp()
        for shape in shapes:
            group.append(shape)

def other_trees(deck):
    for tree in found(roots(deck, "SlideLayout", "SlideMaster"), "p:cSld/p:spTree"):
        new = copy.deepcopy(tree)
        for shape in found([new], "*/p:spPr/a:xfrm/a:off"):
            shape.set("x", "7")
        tree.getparent().replace(tree, new)

def relations(deck):
    return [(sheet.part._rels, [*sheet.part._rels._rels.values()]) for sheet in sheets(deck)]

def unrelated(deck):
    for rels, all_of_them in relations(deck):
        for relation in all_of_them:
            if relation._reltype.endswith(("/slideLayout", "/slideMaster")):
                del rels._rels[relation._rId]

def related_twice(deck):
    for rels, all_of_them in relations(deck):
        for relation in all_of_them:
            rels._rels["again" + relation._rId] = relation

def external(deck):
    for rels, all_of_them in relations(deck):
        for old in all_of_them:
            if old._reltype.endswith(("/slideLayout", "/slideMaster")):
                rels._rels[old._rId] = type(old)("/", old._rId, old._reltype, "External", "http://x")

def turned(fresh):
    def change(deck):
        layouts = [layout.part for master in deck.slide_masters for layout in master.slide_layouts]
        for rels, all_of_them in relations(deck):
            for old in all_of_them:
                if old._reltype.endswith("/slideLayout") and old._target in layouts:
                    other = layouts[layouts.index(old._target) - 1]
                    if fresh:
                        rels._rels[old._rId] = type(old)("/", old._rId, old._reltype, old._target_mode, other)
                    else:
                        old._target = other
    return change

def no_slide(deck):
    deck.slides._sldIdLst[-1].set(R_ID, "rId999")

def no_relation(deck):
    del deck.slides._sldIdLst[0].attrib[R_ID]

def moved(deck):
    ids = deck.slides._sldIdLst
    ids.append(ids[0])
    ids.insert(0, etree.Comment("first"))

def placed(deck):
    for slide in deck.slides:
        for shape in slide.placeholders:
            if shape.placeholder_format.idx % 2:
                shape.left = shape.top = pptx.util.Emu(5)
            else:
                shape.width = 17

CHARTS = ("Chart",)
PH, OFF = "p:cSld/p:spTree/*/*[1]/p:nvPr/p:ph", "p:cSld/p:spTree//a:off"
XFRM, TREE, HERE = ".//p:cSld/p:spTree/p:sp/p:spPr/a:xfrm", "p:cSld/p:spTree", ("SlideLayout", "SlideMaster")
PICTURE = ("<p:pic><p:nvPicPr><p:cNvPr id='99' name='x'/><p:cNvPicPr/><p:nvPr><p:ph type='pic' idx='1'/></p:nvPr>"
    "</p:nvPicPr><p:blipFill/><p:spPr/></p:pic>")

CHANGES = [
    placed, grouped, other_trees, unrelated, related_twice, external, turned(True), turned(False),
    no_slide, no_relation, moved,
    *(attribute(PH, "idx", value, *kinds)
        for value in (None, "77", "abc", " 1", "01", "-1", "1.0") for kinds in (("Slide",), ("SlideLayout",))),
    *(attribute(PH, "type", value, *kinds) for value in (None, "hdr", "nonsense", "body", "title", "pic", "tbl", "obj")
        for kinds in (("Slide",), ("SlideLayout",), ("SlideMaster",))),
    *(removed(path, *kinds) for path in (XFRM, OFF, PH, "p:cSld/p:spTree/p:sp", "p:cSld/p:spTree/p:sp/p:spPr",
        "p:cSld/p:spTree/*/*[1]/p:nvPr", "p:cSld/p:spTree/*/*[1]", ".//a:t", ".//a:r", ".//a:p", ".//p:txBody")
        for kinds in ((), ("Slide",), ("SlideLayout",), ("SlideMaster",), HERE)),
    *(attribute(OFF, "x", value)
        for value in (None, "", "-5", "1in", "abc", "\\u00b2", "\\u0663", "+7", " 8", "9" * 30)),
    *(attribute("p:cSld/p:spTree//a:ext[@cx]", "cx", value) for value in (None, "-5", "1in", "abc", "\\u00b2", "+7")),
    *(before(path, remark) for path in (PH, OFF, XFRM, "p:cSld/p:spTree/*", "p:cSld/p:spTree/*/*[1]",
        "p:cSld/p:spTree/*/*[1]/p:nvPr", ".//a:p", ".//a:r", ".//a:t")),
    *(before(path, copy.deepcopy, *kinds) for path in (PH, XFRM, "p:cSld/p:spTree/*/*[1]/p:nvPr", ".//a:t", ".//a:r")
        for kinds in ((), ("SlideLayout",))),
    *(plain(path, *kinds) for path in (PH, OFF, XFRM, "p:cSld/p:spTree/p:sp/p:spPr", "p:cSld/p:spTree/*/*[1]/p:nvPr",
        "p:cSld/p:spTree/p:sp", ".//a:p", ".//a:r", ".//a:t", ".//a:br", ".//p:txBody") for kinds in ((), HERE)),
    *(attribute(".//c:pt[position() != 2]", "idx", value, *CHARTS) for value in (None, "abc", "01", "1.0", " 1", "1")),
    *(attribute(".//c:ptCount", "val", value, *CHARTS) for value in (None, "abc", "1", "9")),
    *(removed(path, *CHARTS)
        for path in (".//c:pt[2]", ".//c:v", ".//c:val", ".//c:ptCount", ".//c:numRef", ".//c:ser")),
    *(plain(path, *CHARTS) for path in (".//c:pt", ".//c:val", ".//c:v")),
    *(put("p:cSld/p:spTree/p:pic/p:nvPicPr/p:nvPr", xml) for xml in ("<a:videoFile/>", "<p:videoFile/>")),
    *(put(TREE, xml, *kinds) for xml in (PICTURE, "<p:contentPart/>", "<p:sp/>") for kinds in ((), HERE)),
    *(put(path, xml) for path, xml in ((".//a:p", "<a:br/>"), (".//a:p", "<a:fld/>"), (".//a:p", "<a:r/>"))),
]

def gone(deck):
    """A placeholder whose element was taken from it."""
    for slide in deck.slides:
        for shape in slide.placeholders:
            shape._element = None
            for name in SHAPE:
                yield attempt(lambda: getattr(shape, name))

def one_way(path):
    try:
        deck = pptx.Presentation(path)
        assert [slide.slide_layout.slide_master for slide in deck.slides]
    except Exception as error:
        yield [f"not a deck with slides: {error!r}"]
        return
    yield [*facts(deck, sheets(deck))]
    yield [*gone(deck)]
    for change in CHANGES[::int(sys.argv[1])]:
        deck = pptx.Presentation(path)
        known = sheets(deck)
        slides = [known[0], list(deck.slides)[-1]]
        layouts = [slide.slide_layout for slide in slides]
        some = [*slides, *layouts, layouts[0].slide_master, *known[-1:]]
        first = [*facts(deck, some)] if change in (placed, grouped, other_trees, turned(True)) else [
            attempt(lambda: [(shape.left, shape.text_frame.text) for shape in sheet.placeholders]) for sheet in some]
        change(deck)
        yield first + [*facts(deck, some)]

# Compiled once, or python-pptx's way would take a minute; that xpath() itself answers the same is another test's.
of_text = functools.lru_cache(None)(lambda text: etree.XPath(text, namespaces=pptx.oxml.ns._nsmap))
BaseOxmlElement.xpath = slow = lambda self, text: of_text(text)(self)

before_ours = [[*one_way(path)] for path in sys.argv[2:]]
assert hot_paths.install(), pptx.__version__
assert BaseOxmlElement.xpath is not slow
for path, old in zip(sys.argv[2:], before_ours, strict=True):
    for index, (a, b) in enumerate(zip(old, one_way(path), strict=True)):
        different = [pair for pair in zip(a, b, strict=True) if pair[0] != pair[1]]
        assert not different, (path, index - 2, len(different), different[:3])
assert sum(len(answers) for old in before_ours for answers in old) > 10_000
'''


def compare(decks: list[Path], step: int = 1) -> None:
    """With every change, or each `step`th of them."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(step), *map(str, decks)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def small_deck(path: Path) -> Path:
    """A slide of each kind of layout, with what may be on one."""
    deck: Any = Presentation()
    for layout in (deck.slide_layouts[number] for number in (1, 8, 3, 0)):
        slide = deck.slides.add_slide(layout)
        for number, placeholder in enumerate(slide.placeholders):
            placeholder.text = f"{number}: one\ntwo\vthree"
    slide.shapes.add_table(2, 2, 0, 0, 99, 99).table.cell(0, 0).text = "cell"
    slide.shapes.add_group_shape([slide.shapes.add_textbox(1, 2, 3, 4)]).shapes.add_connector(1, 0, 0, 9, 9)
    slide.shapes.add_picture(io.BytesIO(PIXEL), 5, 6)
    chart: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    chart.categories = ["a", "b", "c"]
    for values in ((1, 2.5, 3), (4, None, 6)):
        chart.add_series("s", values)
    slide.shapes.add_chart(XL_CHART_TYPE.LINE, 0, 0, 99, 99, chart)
    slide.notes_slide.notes_text_frame.text = "said"
    deck.save(path)
    return path


def test_equal_on_a_changed_deck(tmp_path: Path) -> None:
    compare([small_deck(tmp_path / "small.pptx")], step=3)


@pytest.mark.slow
def test_equal_on_all_decks_changed(tmp_path: Path) -> None:
    """Slow: every change of every deck, twice."""
    compare([small_deck(tmp_path / "small.pptx"), *SHIPPED])


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared corpus of decks is not here")
def test_equal_on_changed_decks_of_many_programs() -> None:
    """Slow: every change of every deck, twice."""
    small = [path for path in sorted(SHARED.rglob("*.pptx")) if path.stat().st_size < 100_000]
    assert len(small) > 20
    compare(small[::9], step=5)
