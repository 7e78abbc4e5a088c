"""A deck that opens can be compared, however odd its XML is; and a hostile part costs no more than a real one."""

from __future__ import annotations

import json
import random
import time
import zipfile
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from deck_edits import OPENABLE, deck_bytes

from pytest_ppteval.deck.diff import compare
from pytest_ppteval.deck.model import PowerPointDiff
from pytest_ppteval.deck.opening import open_deck, slide_parts
from pytest_ppteval.deck.parts import element_of, zip_as_data

if TYPE_CHECKING:
    from pptx.presentation import Presentation

ODD = ("", "-1", "x", "99999999999999999999", "²", "1e9", "indefinite", "\N{ARABIC-INDIC DIGIT FIVE}", "rId1", "../..")


def damage(deck: Presentation, rng: random.Random) -> None:
    """Drop elements and attributes, give attributes odd values, move elements elsewhere: XML that still parses."""
    roots = [slide.element for slide in slide_parts(deck)]
    top = element_of(deck.part)
    if top is not None and rng.random() < 0.3:
        roots.append(top)
    for _ in range(rng.randrange(1, 6)):
        elements = list(rng.choice(roots).iter("{*}*"))
        element = rng.choice(elements)
        parent = element.getparent()
        protected = element.tag.endswith(("}sldId", "}sldIdLst"))  # the list of slides itself must lead to slides
        what = rng.randrange(4)
        if what == 0 and parent is not None and not protected:
            parent.remove(element)
        elif what == 1 and element.attrib and not protected:
            element.set(rng.choice([str(name) for name in element.attrib]), rng.choice(ODD))
        elif what == 2 and element.attrib and not protected:
            del element.attrib[rng.choice([str(name) for name in element.attrib])]
        elif what == 3 and parent is not None and not protected:
            target = rng.choice(elements)
            if not any(above is element for above in (target, *target.iterancestors())) and target.tag != parent.tag:
                target.append(element)


@pytest.mark.parametrize("name", OPENABLE)
def test_odd_xml_can_be_compared(name: str) -> None:
    rng = random.Random(name)
    differed = 0
    for _ in range(12):
        before, after = open_deck(deck_bytes(name)), open_deck(deck_bytes(name))
        damage(after, rng)
        for one, other in ((before, after), (after, before), (after, after)):
            diff = compare(one, other)
            str(diff.account)
            assert PowerPointDiff.from_dict(json.loads(json.dumps(diff.to_dict()))) == diff
            if one is other:
                assert diff.is_empty
        differed += not compare(before, after).is_empty
    assert differed > 4


def test_a_part_that_points_at_itself() -> None:
    deck, other = open_deck(deck_bytes("dense")), open_deck(deck_bytes("dense"))
    chart = next(rel.target_part for rel in slide_parts(deck)[0].part.rels.values() if rel.reltype.endswith("/chart"))
    chart.relate_to(chart, "http://schemas.microsoft.com/office/2011/relationships/chartStyle")
    assert compare(deck, deck).is_empty
    assert compare(deck, other).slide_changes == {"256": ["related"]}


def zipped(members: dict[str, bytes]) -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize(
    "blob",
    [
        zipped({"xl/a.xml": b"<a>" + b" " * (80 << 20) + b"</a>"}),
        zipped({f"{number}": b"" for number in range(4000)}),
        zipped({"xl/a.xml": b"<a/>"})[:-30],
        b"PK\x03\x04" + b"x" * 100,
    ],
    ids=["bomb", "many", "cut", "noise"],
)
def test_an_embedded_package_that_is_no_good_stands_for_itself(blob: bytes) -> None:
    started = time.perf_counter()
    assert zip_as_data(blob) == blob
    assert time.perf_counter() - started < 0.2


def test_an_embedded_package_is_its_members_as_data() -> None:
    one = zipped({"xl/a.xml": b'<a x="1" y="2"/>', "docProps/core.xml": b"<saved>monday</saved>", "b.bin": b"1"})
    two = zipped({"b.bin": b"1", "docProps/core.xml": b"<saved>tuesday</saved>", "xl/a.xml": b'<a y="2" x="1"></a>'})
    assert one != two
    assert zip_as_data(one) == zip_as_data(two)
    assert zip_as_data(zipped({"xl/a.xml": b'<a x="1" y="2"/>', "b.bin": b"2"})) != zip_as_data(one)


def test_a_part_with_a_document_type_is_compared_byte_by_byte() -> None:
    """It is not parsed, so that no entity is ever expanded."""
    bomb = b'<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;">]><a x="1">&c;</a>'
    one, other = zipped({"a.xml": bomb}), zipped({"a.xml": bomb.replace(b'"1">', b'"1" >')})
    assert zip_as_data(one) != zip_as_data(other)
    plain = zipped({"a.xml": b'<a x="1">c</a>'}), zipped({"a.xml": b'<a x="1" >c</a>'})
    assert zip_as_data(plain[0]) == zip_as_data(plain[1])
