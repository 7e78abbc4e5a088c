"""XML as data: what makes a difference and what does not."""

from __future__ import annotations

import sys

import pytest
from lxml import etree

from pytest_ppteval.deck.canonical import canonical

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def data(text: str) -> bytes:
    return canonical(etree.fromstring(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('<a x="1" y="2"/>', '<a y="2" x="1"/>'),
        ("<a><b/><c/></a>", "<a>\n  <b/>\n  <c></c>\n</a>"),
        ('<p:a xmlns:p="u"><p:b/></p:a>', '<a xmlns="u"><b/></a>'),
        ('<a xmlns:p="u"><p:b p:c="1"/></a>', '<a><q:b xmlns:q="u" q:c="1"/></a>'),
        ("<a><b>x</b></a>", "<a><!-- note --><b>x</b><?pi?></a>"),
        ("<a>xy</a>", "<a>x<!-- note -->y</a>"),
        ("<a>&lt;&#65;</a>", "<a><![CDATA[<A]]></a>"),
        (
            f'<a xmlns:mc="{MC}" xmlns:p="u" mc:Ignorable="p"><mc:Choice Requires="p"/></a>',
            f'<a xmlns:mc="{MC}" xmlns:q="u"><mc:Choice Requires="q"/></a>',
        ),
        (
            f'<a xmlns:d="{A}"><d:fld type="slidenum"><d:t>3</d:t></d:fld></a>',
            f'<a xmlns:d="{A}"><d:fld type="slidenum"><d:t>4</d:t></d:fld></a>',
        ),
    ],
)
def test_no_difference(one: str, other: str) -> None:
    assert data(one) == data(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<a><b/><c/></a>", "<a><c/><b/></a>"),
        ("<a><b/></a>", "<a/>"),
        ('<a x="1"/>', '<a x="2"/>'),
        ('<a x="1"/>', '<a y="1"/>'),
        ("<a>x</a>", "<a>x </a>"),
        ("<a> </a>", "<a/>"),  # a space is all the text of this run
        ("<a><b/>x</a>", "<a><b>x</b></a>"),
        ("<a><b><c/></b></a>", "<a><b/><c/></a>"),
        ('<a xmlns="u"/>', '<a xmlns="v"/>'),
        ('<a b="c=d"/>', '<a b="c" d=""/>'),
        (
            f'<a xmlns:d="{A}"><d:fld type="x"><d:t>3</d:t></d:fld></a>',
            f'<a xmlns:d="{A}"><d:fld type="x"><d:t>4</d:t></d:fld></a>',
        ),
    ],
)
def test_a_difference(one: str, other: str) -> None:
    assert data(one) != data(other)


def test_relationship_ids_are_what_they_lead_to() -> None:
    element = etree.fromstring(f'<a xmlns:r="{R}" r:embed="rId3" id="rId3"/>')
    assert b"embed=the picture" in canonical(element, {"rId3": "the picture"}.__getitem__)
    assert b"id=rId3" in canonical(element, {"rId3": "the picture"}.__getitem__)


def test_what_is_skipped_leaves_nothing_behind() -> None:
    assert canonical(etree.fromstring("<a><b>x<c/></b><d/></a>"), skip=("b",)) == data("<a><d/></a>")
    assert canonical(etree.fromstring("<a><b/><b/></a>"), skip=("b",)) == data("<a/>")
    assert canonical(etree.fromstring('<a x="1" y="2"/>'), skip_attributes=("x",)) == data('<a y="2"/>')
    assert canonical(etree.fromstring("<b><b/>x</b>"), skip=("b",)) == data("<b>x</b>")  # not the root itself


def test_deep_trees_do_not_exhaust_the_stack() -> None:
    top = etree.fromstring("<a>" * 2000 + "</a>" * 2000, etree.XMLParser(huge_tree=True))
    assert canonical(top).count(b"\x03") == 2000 > sys.getrecursionlimit()
