"""XML as it shows: the closed list of what is invisible, entry by entry, and what only looks as if it were on it."""

from __future__ import annotations

import pytest
from lxml import etree

from pytest_ppteval.deck.canonical import no_relations
from pytest_ppteval.deck.invisible import DEFAULTS, ELEMENTS, EMPTY, IDENTITIES, MARKS
from pytest_ppteval.deck.normal import Node, differences, normal, shown
from pytest_ppteval.deck.notation import emu, spelled

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
C = "http://schemas.openxmlformats.org/drawingml/2006/chart"


def seen(text: str) -> Node:
    return normal(etree.fromstring(f'<a:x xmlns:a="{A}" xmlns:c="{C}">{text}</a:x>'), no_relations)


def tag(name: str) -> str:
    return name if name.startswith("c:") else f"a:{name}"


@pytest.mark.parametrize("name", MARKS)
def test_marks_are_not_seen(name: str) -> None:
    assert seen(f'<a:rPr sz="1" {name}="1"/>') == seen(f'<a:rPr sz="1" {name}="0"/>') == seen('<a:rPr sz="1"/>')


@pytest.mark.parametrize(("element", "name"), IDENTITIES)
def test_identities_are_not_seen(element: str, name: str) -> None:
    one, other = (seen(f'<a:{element} k="1" {name}="{value}"/>') for value in ("1", "2"))
    assert one == other == seen(f'<a:{element} k="1"/>')
    assert seen(f'<a:other {name}="1"/>') != seen(f'<a:other {name}="2"/>')


@pytest.mark.parametrize("name", ELEMENTS)
def test_elements_without_a_sight(name: str) -> None:
    inside = f'<a:ext uri="x"><{tag(name)} val="1"><a:y/></{tag(name)}></a:ext>'
    assert seen(f"<a:extLst>{inside}</a:extLst><a:k/>") == seen("<a:k/>")
    assert seen(f"<a:extLst>{inside.replace(name, name + 'Other')}</a:extLst><a:k/>") != seen("<a:k/>")


@pytest.mark.parametrize("name", sorted(EMPTY))
def test_elements_that_say_nothing_where_they_are_empty(name: str) -> None:
    assert seen(f"<{tag(name)}/><a:k/>") == seen("<a:k/>")
    assert seen(f"<{tag(name)}><a:k/></{tag(name)}>") != seen("")
    assert seen(f'<{tag(name)} cx="1"/>') != seen("")


@pytest.mark.parametrize(("element", "name"), DEFAULTS)
def test_what_is_left_out_is_what_the_schema_says(element: str, name: str) -> None:
    name_of = {"hlink": "hlinkClick"}.get(element, element)
    left_out = seen(f'<a:{name_of} k="1"/>')
    assert seen(f'<a:{name_of} k="1" {name}="{DEFAULTS[element, name]}"/>') == left_out
    assert seen(f'<a:{name_of} k="1" {name}="7"/>') != left_out


def test_every_entry_has_its_reason() -> None:
    assert all(len(reason) > 10 for table in (MARKS, IDENTITIES, ELEMENTS) for reason in table.values())


RUN = "<a:r><a:rPr {}/><a:t>{}</a:t></a:r>"


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (RUN.format("", "ab"), RUN.format("", "a") + RUN.format('lang="fi"', "b"), True),
        (RUN.format('b="1"', "ab"), RUN.format('b="1"', "a") + RUN.format('b="true"', "b"), True),
        (RUN.format('b="1"', "ab"), RUN.format('b="1"', "a") + RUN.format("", "b"), False),
        (RUN.format("", "ab"), RUN.format("", "a") + "<a:r/>" + RUN.format("", "b"), True),
        (RUN.format("", "a") + '<a:endParaRPr sz="9"/>', RUN.format("", "a"), True),
        (RUN.format("", "a") + '<a:br/><a:endParaRPr sz="9"/>', RUN.format("", "a") + "<a:br/>", False),
        ('<a:endParaRPr sz="9"/>', "", False),
        ('<a:endParaRPr lang="fi"/>', "", True),
        ("<a:pPr/>" + RUN.format("", "a"), RUN.format("", "a"), True),
        ('<a:pPr algn="ctr"/>' + RUN.format("", "a"), RUN.format("", "a"), False),
        ("<a:pPr><a:defRPr/></a:pPr>" + RUN.format("", "a"), RUN.format("", "a"), True),
    ],
)
def test_runs(one: str, other: str, *, equal: bool) -> None:
    assert (seen(f"<a:p>{one}</a:p>") == seen(f"<a:p>{other}</a:p>")) is equal


def test_an_axis_whose_font_was_only_read() -> None:
    read = "<c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr/></a:pPr></a:p></c:txPr>"
    assert seen(read) == seen("")
    assert seen(read.replace("<a:defRPr/>", '<a:defRPr sz="900"/>')) != seen("")
    assert seen(read.replace("<a:bodyPr/>", '<a:bodyPr rot="90"/>')) != seen("")


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        ('<a:b c="1"/>', '<a:b c="2"/>', ["b/@c"]),
        ("<a:b><a:t>x</a:t></a:b>", "<a:b><a:t>y</a:t></a:b>", ["b/t/text()"]),
        ("<a:b/>", "<a:b/><a:d/>", ["d"]),
        ("<a:b/><a:d/>", "<a:d/><a:b/>", ["order()"]),
        ('<a:b c="1"/><a:b c="2"/>', '<a:b c="1"/><a:b c="3"/>', ["b/@c"]),
        ("<a:b/>", "<c:b/>", ["b", "c:b"]),
        ("<a:b/>", "<a:b></a:b>", []),
    ],
)
def test_a_difference_has_a_place(old: str, new: str, paths: list[str]) -> None:
    assert [shown(path) for path, _ in differences(seen(old), seen(new))] == paths


@pytest.mark.parametrize(
    ("element", "name", "one", "other", "equal"),
    [
        ("off", "x", "914400", "1in", True),
        ("off", "x", "+5", "5", True),
        ("off", "x", "1e3", "1000", False),  # no number to the schema
        ("off", "x", ".5in", "457200", True),
        ("off", "x", "1 in", "1in", False),
        ("alpha", "val", "50%", "50000", True),
        ("alpha", "val", "12.5%", "12500", True),
        ("c:gapWidth", "val", "150%", "150", True),
        ("c:gapWidth", "val", "150%", "150000", False),
        ("rPr", "b", "on", "true", True),
        ("cNvPr", "name", "true", "1", False),
        ("cNvPr", "descr", "007", "7", False),
        ("latin", "typeface", "1", "01", False),
        ("srgbClr", "val", "ff0000", "FF0000", True),
        ("srgbClr", "val", "000010", "10", False),
        ("strVal", "val", "1", "true", False),
    ],
)
def test_one_value_one_spelling(element: str, name: str, one: str, other: str, *, equal: bool) -> None:
    assert (spelled(element, name, one) == spelled(element, name, other)) is equal


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1in", 914_400), ("-2.5cm", -900_000), ("12.0", 12), ("0", 0), ("1.5pt", 19_050),
        ("", None), (None, None), ("NaN", None), ("inf", None), ("1e400", None), ("5px", None), ("9" * 400, None),
    ],
)  # fmt: skip
def test_coordinates(text: str | None, expected: int | None) -> None:
    assert emu(text) == expected
