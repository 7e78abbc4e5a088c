"""python-pptx's hot paths, replaced: the same answers as its own code, on real decks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sandbox_leaves import no_model

from pytest_ppteval.sandbox.fast import hot_paths
from pytest_ppteval.sandbox.host import Job, Sandbox

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared" / "data" / "decks"
SHIPPED = sorted((ROOT / "cases" / "decks").glob("*.pptx"))

# Asks everything twice in a process of its own, before and after: the replacement is for a whole process.
PROGRAM = """
import sys
import pptx, pptx.util, pptx.chart.data
from pptx.enum.base import BaseXmlEnum
from pptx.oxml.xmlchemy import BaseOxmlElement
from pytest_ppteval.sandbox.fast import hot_paths

def attempt(question):
    try:
        return show(question())
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def show(value):
    if isinstance(value, BaseOxmlElement):
        return value.getroottree().getpath(value)
    if isinstance(value, list):
        return [show(item) for item in value]
    plain = isinstance(value, (int, float, str, type(None)))
    return f"{type(value).__name__} {value!r}" if plain else type(value).__name__

def shape_facts(shape):
    names = ("shape_id", "name", "is_placeholder", "left", "top", "width", "height", "rotation", "has_text_frame")
    yield type(shape).__name__
    for name in names:
        yield attempt(lambda: getattr(shape, name))
    yield attempt(lambda: shape.text_frame.text)
    yield attempt(lambda: shape.placeholder_format.idx)
    yield attempt(lambda: shape.placeholder_format.type)
    yield attempt(lambda: shape._base_placeholder)
    yield attempt(lambda: [row.cells[0].text for row in shape.table.rows])
    yield attempt(lambda: [str(list(plot.categories)) for plot in shape.chart.plots])
    yield attempt(lambda: [list(series.values) for plot in shape.chart.plots for series in plot.series])
    if hasattr(shape, "shapes"):
        for inner in shape.shapes:
            yield from shape_facts(inner)

def sheets(deck):
    yield from deck.slides
    for slide in deck.slides:
        if slide.has_notes_slide:
            yield slide.notes_slide
    for master in deck.slide_masters:
        yield master
        yield from master.slide_layouts

# The properties that python-pptx makes by its declarations, by class; the replaced ones have the same names.
GENERIC = {}
def generic(kind):
    if kind not in GENERIC:
        GENERIC[kind] = [
            name for base in kind.__mro__ for name, value in vars(base).items()
            if isinstance(value, property) and "_getter.<locals>" in getattr(value.fget, "__qualname__", "")
        ]
    return GENERIC[kind]

def facts(path):
    try:
        deck = pptx.Presentation(path)
    except Exception as error:
        yield f"does not open: {error!r}"
        return
    for sheet in sheets(deck):
        yield attempt(lambda: sheet.slide_id)
        yield attempt(lambda: sheet.slide_layout.name)
        for shape in [*sheet.shapes, *sheet.placeholders]:
            yield from shape_facts(shape)
        for idx in (0, 1, 10, 77):
            yield attempt(lambda: sheet.placeholders.get(idx))
            yield attempt(lambda: sheet.placeholders[idx])
        for kind in pptx.enum.shapes.PP_PLACEHOLDER:
            yield attempt(lambda: sheet.placeholders.get(kind))
        for relation in ("/slideLayout", "/image", "/nothing"):
            prefix = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
            yield attempt(lambda: sheet.part.part_related_by(prefix + relation).partname)
        for element in sheet.element.iter():
            if isinstance(element, BaseOxmlElement):
                yield [attempt(lambda: getattr(element, name)) for name in generic(type(element))]
        for expression in ("./*[1]", "//@id", "count(.//a:p)", "string(.)", "./*[", "x:y", ".//a:r/a:t/text()"):
            yield attempt(lambda: sheet.element.xpath(expression))

def enumerations():
    for kind in BaseXmlEnum.__subclasses__():
        for text in ["", "nothing", *(member.xml_value for member in kind)]:
            yield attempt(lambda: str(kind.from_xml(text)))

before = [[*facts(path)] for path in sys.argv[1:]], [*enumerations()]
slow = BaseOxmlElement.xpath
assert hot_paths.install(), pptx.__version__
assert BaseOxmlElement.xpath is not slow
after = [[*facts(path)] for path in sys.argv[1:]], [*enumerations()]
for path, old, new in zip(sys.argv[1:], before[0], after[0], strict=True):
    assert len(old) > 100 or "does not open" in old[0], path
    different = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert not different, (path, len(different), different[:3])
assert before[1] == after[1]
"""


def compare(decks: list[Path]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, decks)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_equal_on_the_shipped_decks() -> None:
    compare(SHIPPED)


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared corpus of decks is not here")
def test_equal_on_decks_of_many_programs() -> None:
    """Slow: every property of every element, twice."""
    small = [path for path in sorted(SHARED.rglob("*.pptx")) if path.stat().st_size < 150_000]
    assert len(small) > 20
    compare(small[::4])


def test_another_version_keeps_its_own_code() -> None:
    program = (
        "import pptx; pptx.__version__ = '9.9'; from pptx.oxml import ns; slow = ns.qn\n"
        "from pytest_ppteval.sandbox.fast import hot_paths; assert not hot_paths.install(); assert ns.qn is slow"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, cwd=ROOT).returncode == 0


def test_switched_off_python_pptx_keeps_its_own_code_in_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    asks = "from pptx.oxml import ns\ndef compute_score():\n    return type(ns.qn).__name__, 1.0\n"

    def kind() -> str:
        with Sandbox() as sandbox, sandbox.open(None, None) as session:
            return session.run(Job(code=asks), no_model).reason

    assert kind() == "_lru_cache_wrapper"  # a table
    monkeypatch.setenv(hot_paths.SWITCH, "1")
    assert kind() == "function"
