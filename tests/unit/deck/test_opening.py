"""Decks that pass the guard and still do not open give one line that says why."""

from __future__ import annotations

import random
import re

import pytest
from deck_edits import deck_bytes, rezipped

from pytest_ppteval.deck.guard import DeckRejected, check
from pytest_ppteval.deck.opening import open_deck, slide_parts


def refusal(data: bytes) -> str:
    check(data)
    with pytest.raises(DeckRejected) as caught:
        open_deck(data)
    reason = str(caught.value)
    assert reason.isprintable()
    return reason


def changed(part: str, old: bytes, new: bytes) -> bytes:
    def change(parts: dict[str, bytes]) -> None:
        assert old in parts[part]
        parts[part] = parts[part].replace(old, new, 1)

    return rezipped(deck_bytes("text"), change)


def test_slides_in_order() -> None:
    slides = slide_parts(open_deck(deck_bytes("shapes")))
    assert [(slide.slide_id, slide.number) for slide in slides] == [
        ("256", 1),
        ("258", 2),
        ("257", 3),
        ("259", 4),
        ("260", 5),
        ("261", 6),
    ]


def test_xml_that_is_not_well_formed() -> None:
    assert refusal(changed("ppt/slides/slide1.xml", b"</p:sld>", b"</p:oops>")).startswith(
        "holds XML that is not well-formed: "
    )


def test_xml_too_deep_for_the_parser() -> None:
    deep = changed("ppt/slides/slide1.xml", b"</p:cSld>", b"</p:cSld>" + b"<x>" * 5000 + b"</x>" * 5000)
    assert refusal(deep).startswith("holds XML that is not well-formed: ")


def test_a_slide_that_is_not_there() -> None:
    def drop(parts: dict[str, bytes]) -> None:
        del parts["ppt/slides/slide2.xml"]

    assert "slide 2" in refusal(rezipped(deck_bytes("text"), drop))


def test_a_slide_that_is_no_slide() -> None:
    data = deck_bytes("text")

    def swap(parts: dict[str, bytes]) -> None:
        name = "ppt/_rels/presentation.xml.rels"
        assert b"slides/slide2.xml" in parts[name]
        parts[name] = parts[name].replace(b"slides/slide2.xml", b"slideMasters/slideMaster1.xml")

    assert refusal(rezipped(data, swap)) == "lists a slide 2 whose part is not a slide"


def test_a_chain_of_parts_without_end() -> None:
    relation = (
        '<Relationship Id="rId99" Target="{}" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"/></Relationships>'
    )
    relations = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' + relation

    def chain(parts: dict[str, bytes]) -> None:
        for number in range(2000):
            parts[f"ppt/chain/{number}.bin"] = b"x"
            parts[f"ppt/chain/_rels/{number}.bin.rels"] = relations.format(f"{number + 1}.bin").encode()
        rels = parts["ppt/slides/_rels/slide1.xml.rels"]
        parts["ppt/slides/_rels/slide1.xml.rels"] = rels.replace(
            b"</Relationships>", relation.format("../chain/0.bin").encode()
        )
        types = parts["[Content_Types].xml"]
        parts["[Content_Types].xml"] = types.replace(
            b"</Types>", b'<Default Extension="bin" ContentType="application/octet-stream"/></Types>'
        )

    assert refusal(rezipped(deck_bytes("text"), chain)) == "has parts that point at each other in too long a chain"


@pytest.mark.parametrize("name", ["text", "comments"])
def test_damage_that_passes_the_guard_opens_or_is_refused(name: str) -> None:
    """XML parts damaged before they are zipped, so that no checksum catches it."""
    rng = random.Random(name)

    def damage(parts: dict[str, bytes]) -> None:
        names = [part for part in sorted(parts) if re.search(r"\.(xml|rels)$", part)]
        chosen = rng.choice(names)
        content = bytearray(parts[chosen])
        for _ in range(rng.choice((1, 5))):
            content[rng.randrange(len(content))] = rng.randrange(32, 127)
        parts[chosen] = bytes(content)

    reasons = []
    for _ in range(60):
        try:
            data = rezipped(deck_bytes(name), damage)
            check(data)
            open_deck(data)
        except DeckRejected as reason:
            reasons.append(str(reason))
    assert 0 < len(reasons) < 60
    assert all(reason.isprintable() for reason in reasons)
