"""look/ never raises: odd values, missing and misplaced parts, cycles, groups as deep as the parser reads them.

Real decks with their XML changed: each attribute may become any of ODD, elements vanish, double or take another's
place, relations lead elsewhere. What comes out is told as JSON, which has no place for what is no number.
"""

from __future__ import annotations

import json
import random
import re
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from small_looks import deck_of, p, sp

from pytest_ppteval.deck.opening import open_deck
from pytest_ppteval.deck.side import Side
from pytest_ppteval.look.model import as_json
from pytest_ppteval.look.read import look_at

ROOT = Path(__file__).parents[1]
SHARED = ROOT / ".." / "shared" / "data" / "decks"
ODD = (
    "", " ", "0", "-1", "1in", "2.5cm", "50%", "-50%", "NaN", "nan", "inf", "-inf", "1e308", "-1e308", "1e15",
    "99999999999999999999999999", "-99999999999999999999999999", "0x10", "٣", "1,5", "true", "off", "rId1", "rId999",
    "accent7", "phClr", "FFFFFFF", "ZZZZZZ", "+mj-xx", "+", "ppaction://", "\u00a0",
)  # fmt: skip
_ATTRIBUTE = re.compile(rb'(\s[\w:]+=)"([^"]*)"')
_ELEMENT = re.compile(rb"<(\w+:\w+)(?:\s[^<>]*)?/>")
_PARTS = re.compile(r"ppt/.*\.(xml|rels)")


def changed(data: bytes, choice: random.Random, times: int) -> bytes:
    """A deck with that many changes to its XML."""
    with zipfile.ZipFile(BytesIO(data)) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    names = [name for name in parts if _PARTS.fullmatch(name)]
    # Few changes of what leads from part to part: most decks should still open.
    xml = [name for name in names if name.endswith(".xml") and name != "ppt/presentation.xml"]
    for _ in range(times):
        name = choice.choice(xml if choice.random() < 0.995 else names)
        pattern = choice.choice((_ATTRIBUTE, _ATTRIBUTE, _ATTRIBUTE, _ELEMENT))
        found = list(pattern.finditer(parts[name]))
        if not found:
            continue
        here = choice.choice(found)
        if pattern is _ELEMENT:
            with_it = choice.choice((b"", here[0] * 2, choice.choice(found)[0]))
        else:
            if b"xmlns" in here[1] or here[1].strip() in (b"version=", b"encoding=", b"standalone="):
                continue
            with_it = here[1] + b'"' + choice.choice(ODD).encode() + b'"'
        parts[name] = parts[name][: here.start()] + with_it + parts[name][here.end() :]
    if choice.random() < 0.2:
        del parts[choice.choice(names)]
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)
    return made.getvalue()


def looked_at(data: bytes) -> bool:
    """Whether the deck opens at all; it is looked at if so."""
    try:
        side = Side(open_deck(data))
    except Exception:  # what no program opens is told elsewhere
        return False
    json.dumps(as_json(look_at(side)), allow_nan=False)
    return True


def survey(deck: Path, seeds: range, times: int) -> int:
    data = deck.read_bytes()
    opened = 0
    for seed in seeds:
        try:
            opened += looked_at(changed(data, random.Random(seed), times))
        except Exception as error:
            raise AssertionError(f"{deck.name}, seed {seed}: {error!r}") from error
    return opened


@pytest.mark.parametrize("name", ["tides_lecture", "ferry_review"])
def test_changed_xml_of_our_decks(name: str) -> None:
    assert survey(ROOT / "cases" / "decks" / f"{name}.pptx", range(6), 60) > 0


@pytest.mark.slow  # hundreds of decks, each 5 times
@pytest.mark.skipif(not SHARED.exists(), reason="the decks of ../shared/data are not here")
def test_changed_xml_of_real_decks() -> None:
    decks = [deck for deck in sorted(SHARED.rglob("*.pptx")) if deck.stat().st_size < 1_000_000]
    opened = sum(survey(deck, range(5), 80) for deck in decks)
    assert opened > 100


def group(inner: str, own: str, children: str, number: int) -> str:
    """A p:grpSp around what it holds. own, children: "x y cx cy"."""
    x, y, width, height = own.split()
    left, top, wide, high = children.split()
    return (
        f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="{number}" name="G{number}"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>'
        f'<p:grpSpPr><a:xfrm><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/><a:chOff x="{left}" y="{top}"/>'
        f'<a:chExt cx="{wide}" cy="{high}"/></a:xfrm></p:grpSpPr>{inner}</p:grpSp>'
    )


@pytest.mark.parametrize("deep", [200, 240])
def test_groups_as_deep_as_they_can_be(deep: int) -> None:
    inner = sp(p(), place=(100, 200, 300, 400))
    for number in range(deep):
        inner = group(inner, "10 10 1000 1000", "0 0 1000 1000", 1000 + number)
    shapes = deck_of(inner).slides[0].shapes
    assert len(shapes) == deep + 1
    box = shapes[-1].box
    assert box is not None
    assert (box.x, box.y) == (100 + 10 * deep, 200 + 10 * deep)  # each group lies 10 further


def test_groups_that_grow_without_end_have_no_place() -> None:
    inner = sp(p(), place=(100, 200, 300, 400))
    for number in range(60):
        inner = group(inner, "0 0 100000000000000 100000000000000", "0 0 1 1", 1000 + number)
    assert deck_of(inner).slides[0].shapes[-1].box is None


def test_a_layout_that_is_its_own_master() -> None:
    def edit(presentation: Any, slide: Any) -> None:
        for relation in slide.slide_layout.part.rels.values():
            if relation.reltype.endswith("/slideMaster"):
                relation._target = slide.slide_layout.part

    shape = sp(p(), placeholder='<p:ph type="title"/>', place=None)
    assert deck_of(shape, edit=edit).slides[0].shapes[0].box is None


HOLDS = (
    '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/{kind}">{inner}</a:graphicData>'
    "</a:graphic>"
)


@pytest.mark.parametrize(
    "inner",
    [
        HOLDS.format(kind="chart", inner='<c:chart r:id="rId77"/>'),
        HOLDS.format(kind="diagram", inner=""),
        HOLDS.format(kind="table", inner="<a:tbl/>"),
        "<a:graphic/>",
        "",
    ],
)
def test_frames_that_hold_nothing(inner: str) -> None:
    def elsewhere(presentation: Any, slide: Any) -> None:
        kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/chart"
        link = slide.part.relate_to("file:///nowhere.xml", kind, is_external=True)
        for found in slide._element.iter("{*}chart"):
            found.set("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id", link)

    frame = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="F"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm><a:off x="1" y="2"/><a:ext cx="3" cy="4"/></p:xfrm>' + inner + "</p:graphicFrame>"
    )
    for edit in (None, elsewhere):
        shape = deck_of(frame, edit=edit).slides[0].shapes[0]
        assert (shape.chart, shape.diagram, shape.words) == (None, None, "")


def test_a_shape_of_nothing() -> None:
    shape = deck_of("<p:sp/>", "<p:pic/>", "<p:cxnSp/>", "<p:grpSp/>").slides[0].shapes[0]
    assert (shape.id, shape.box, shape.text) == ("", None, None)
