"""The account for people: shape by shape what an edit did, in one line each; and the rule "only this was changed"."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

import pytest
import test_diff_slides as edits
from deck_edits import P, deck_bytes, diff_after, diff_bytes, drop_slide, edited, move_slide, put, root
from lxml import etree
from pptx.util import Cm, Emu

from pytest_ppteval.deck.account import WHATS, Account, Change, only_changed
from pytest_ppteval.deck.words import word_diff

if TYPE_CHECKING:
    from collections.abc import Callable

    from pptx.presentation import Presentation

    Edit = Callable[[Presentation], object]

shape = edits.shape


def said(name: str, edit: Edit) -> list[str]:
    """The lines of the account."""
    account = diff_after(name, edit).account
    assert str(account).splitlines() == list(map(str, account.changes)) or not account.changes
    return list(map(str, account.changes))


# ---- one edit, one line ----------------------------------------------------------------------------------------------


def rotate(deck: Presentation) -> None:
    shape(deck, 0, "Picture 1").rotation = 30


def move_left_and_down(deck: Presentation) -> None:
    picture = shape(deck, 0, "Picture 1")
    picture.left -= Cm(1)
    picture.top += Cm(2.5)


def rename(deck: Presentation) -> None:
    shape(deck, 0, "Picture 1").name = "Logo"


def describe(deck: Presentation) -> None:
    shape(deck, 0, "Picture 1")._element.nvPicPr.cNvPr.set("descr", "A red square")


def crop(deck: Presentation) -> None:
    shape(deck, 0, "Picture 1").crop_left = 0.25


def link(deck: Presentation) -> None:
    shape(deck, 0, "TextBox 1").text_frame.paragraphs[0].runs[0].hyperlink.address = "https://example.org/"


def make_anew(deck: Presentation) -> None:
    """Removed and made again, the same but for its id: nothing that anybody sees."""
    element = shape(deck, 0, "Picture 1")._element
    element.nvPicPr.cNvPr.set("id", "77")


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        (edits.split_run, ["slide 1, TextBox 1 (placeholder): rewritten: the same text and look in other XML"]),
        (edits.make_bold, ["slide 1, TextBox 1 (placeholder): restyled"]),
        (edits.move_shape, ["slide 1, Picture 1 (picture): moved: 2.54 cm right"]),
        (move_left_and_down, ["slide 1, Picture 1 (picture): moved: 1.00 cm left, 2.50 cm down"]),
        (edits.remove_shape, ["slide 1, Picture 1 (picture): shape removed"]),
        (edits.add_textbox, ["slide 1, TextBox 7 (text box): shape added: New"]),
        (edits.add_picture, ["slide 1, Picture 7 (picture): shape added"]),
        (edits.replace_picture, ["slide 1, Picture 1 (picture): content"]),
        (edits.set_background, ["slide 1: background: set"]),
        (rotate, ["slide 1, Picture 1 (picture): rotated: to 30°"]),
        (rename, ["slide 1, Logo (picture): renamed: Picture 1 → Logo"]),
        (describe, ["slide 1, Picture 1 (picture): alt text: [-OfficeIMO visual gate logo-]{+A red square+}"]),
        (crop, ["slide 1, Picture 1 (picture): restyled"]),
        (link, ["slide 1, TextBox 1 (placeholder): link: none → https://example.org/"]),
        (make_anew, ["slide 1, Picture 1 (picture): rewritten: the same text and look in other XML"]),
    ],
)
def test_an_edit_is_one_line(edit: Edit, lines: list[str]) -> None:
    assert said("dense", edit) == lines


@pytest.mark.parametrize(
    ("edit", "pattern"),
    [
        (edits.resize_shape, r"slide 1, Picture 1 \(picture\): resized: [\d.]+ cm × [\d.]+ cm → [\d.]+ cm × [\d.]+ cm"),
        (edits.edit_cell, r"slide 1, Table 1 \(table\): text: 1 cell: \[-.+-\]\{\+4711\+\}"),
        (edits.change_one_cached_value, r"slide 1, Chart 1 \(chart\): content: 1 of \d+ values of the chart"),
        (edits.restack, r"slide 1, (Picture 1 \(picture\)): restacked"),
        (edits.duplicate_shape, r"slide 1, TextBox 2 \(placeholder\): shape added: .+"),
        (edits.fill_red, r"slide 1, TextBox 2 \(placeholder\): restyled"),
    ],
)
def test_an_edit_is_one_line_like(edit: Edit, pattern: str) -> None:
    (line,) = said("dense", edit)
    assert re.fullmatch(pattern, line), line


def test_text_edited_is_shown_word_by_word() -> None:
    def edit(deck: Presentation) -> None:
        shape(deck, 0, "Title 1").text_frame.text = "Test Deck With Many Comments"

    assert said("comments", edit) == [
        "slide 1, Title 1 (placeholder): text: Test [-Slide-]{+Deck+} With {+Many +}Comments"
    ]


def test_text_and_look_and_place_of_one_shape_are_three_lines() -> None:
    def edit(deck: Presentation) -> None:
        box = shape(deck, 0, "TextBox 1")
        run = box.text_frame.paragraphs[0].runs[0]
        run.text, run.font.italic = "Other", True
        box.left += Cm(1)

    found = diff_after("dense", edit).account.changes
    assert [(change.what, change.shape_id) for change in found] == [
        ("moved", "2"),
        ("text", "2"),
        ("restyled", "2"),
    ] or [(change.what, change.shape_id) for change in found] == [("moved", "3"), ("text", "3"), ("restyled", "3")]


def test_one_more_point_in_a_list_is_text_and_not_another_look() -> None:
    def edit(deck: Presentation) -> None:
        body: Any = shape(deck, 2, "Content Placeholder 2").text_frame
        last = body.paragraphs[-1]._p
        last.addnext(copy.deepcopy(last))

    found = diff_after("comments", edit).account.changes
    assert [(change.what, change.slide_number) for change in found] == [("text", 3)]


def paragraphs_of(deck: Presentation, *paragraphs: list[tuple[str, bool]], levels: str = "") -> None:
    """The title's paragraphs in these runs, each bold or not; and the level of each paragraph."""
    frame: Any = shape(deck, 0, "Title 1").text_frame
    frame.clear()
    for number, runs in enumerate(paragraphs):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.level = int(levels[number]) if levels else 0
        for text, bold in runs:
            run = paragraph.add_run()
            run.text = text
            run.font.bold = bold or None


def test_the_same_looks_on_other_words_are_another_look() -> None:
    def whats(before: Edit, after: Edit) -> list[str]:
        data = edited(deck_bytes("comments"), before)
        return [change.what for change in diff_bytes(data, edited(data, after)).account.changes]

    def runs(*pieces: tuple[str, bool]) -> Edit:
        return lambda deck: paragraphs_of(deck, list(pieces))

    def levels(numbers: str) -> Edit:
        return lambda deck: paragraphs_of(deck, [("a", False)], [("b", False)], [("c", False)], levels=numbers)

    bold_word = runs(("Revenue", True), (" is up", False))
    assert whats(bold_word, runs(("Revenue is", True), (" up", False))) == ["restyled"]
    assert whats(bold_word, runs(("Reve", True), ("nue", True), (" is", False), (" up", False))) == ["rewritten"]
    assert whats(bold_word, runs(("Revenues", True), (" are up", False))) == ["text"]
    assert whats(levels("001"), levels("011")) == ["restyled"]


def test_a_program_that_numbers_and_names_shapes_anew() -> None:
    """As LibreOffice does: a shape is known by its words, not by an id that was another shape's."""

    def exchange(deck: Presentation) -> None:
        one, other = shape(deck, 0, "TextBox 1"), shape(deck, 0, "TextBox 2")
        one_id, other_id = one.shape_id, other.shape_id
        for element, new_id, name in (
            (one._element, other_id, "PlaceHolder 1"),
            (other._element, one_id, "PlaceHolder 2"),
        ):
            element.nvSpPr.cNvPr.set("id", str(new_id))
            element.nvSpPr.cNvPr.set("name", name)

    found = diff_after("dense", exchange).account.changes
    assert [change.what for change in found] == ["renamed", "renamed"]


def test_a_text_that_was_only_asked_for_is_no_change_that_anybody_sees() -> None:
    """python-pptx gives a shape an empty text body as soon as its text is read."""

    def without_text(deck: Presentation) -> None:
        element = shape(deck, 0, "Oval 7")._element
        element.remove(element.txBody)

    def look(deck: Presentation) -> None:
        assert shape(deck, 0, "Oval 7").text_frame.text == ""

    data = edited(edited(deck_bytes("dense"), edits.add_shape), without_text)
    diff = diff_bytes(data, edited(data, look))
    assert [change.what for change in diff.account.changes] == ["rewritten"]
    assert diff.account.only_changed(what=[])[1] == 1.0


def link_words(deck: Presentation, *pieces: tuple[str, bool]) -> None:
    """The title in these pieces, each a run, linked or not."""
    paragraph: Any = shape(deck, 0, "Title 1").text_frame.paragraphs[0]
    for run in paragraph.runs[1:]:
        run._r.getparent().remove(run._r)
    paragraph.runs[0].text = ""
    for text, linked in pieces:
        run = paragraph.add_run()
        run.text = text
        run.hyperlink.address = "https://example.org/" if linked else None


def test_a_link_is_what_it_leads_to_and_the_words_it_is_on() -> None:
    def account(before: list[tuple[str, bool]], after: list[tuple[str, bool]]) -> list[str]:
        data = edited(deck_bytes("comments"), lambda deck: link_words(deck, *before))
        changes = diff_bytes(data, edited(data, lambda deck: link_words(deck, *after))).account.changes
        return [f"{change.what}: {change.detail}" for change in changes]

    one = [("See the ", False), ("live board", True), (" today", False)]
    cut = [("See the ", False), ("live", True), (" board", True), (" today", False)]
    assert account(one, cut) == ["rewritten: the same text and look in other XML"]
    assert account(one, [("See ", False), ("the live board", True), (" today", False)]) == [
        'link: on "live board" → on "the live board"'
    ]
    assert account(one, [("See the live board today", False)]) == ["link: https://example.org/ → none"]
    assert account(one, [("See the ", False), ("board", True), (" today", False)]) == [
        "text: See the [-live -]board today"
    ]


def test_a_link_that_led_nowhere_is_none_to_the_picture_that_got_its_number() -> None:
    def dangle(deck: Presentation) -> None:
        link_words(deck, ("Here", True))
        slide: Any = deck.slides[0]
        link: Any = next(root(slide).iter("{*}hlinkClick"))
        relation = link.get("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id")
        slide.part.rels.pop(relation)
        link.attrib["{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"] = free(slide)

    def free(slide: Any) -> str:
        """The number that python-pptx gives to the next relation."""
        return str(slide.part.rels._next_rId)

    data = edited(deck_bytes("comments"), dangle)
    found = diff_bytes(data, edited(data, edits.add_picture)).account.changes
    assert [change.what for change in found] == ["shape added"]


def test_shapes_in_groups() -> None:
    def move_member(deck: Presentation) -> None:
        group: Any = shape(deck, 1, "Group 18")
        next(found for found in group.shapes if found.name == "TextBox 8").left += Cm(1)

    def out_of_group(deck: Presentation) -> None:
        group: Any = shape(deck, 1, "Group 18")
        element = next(found for found in group.shapes if found.name == "TextBox 8")._element
        deck.slides[1].shapes._spTree.append(element)

    assert said("groups", move_member) == ["slide 2, TextBox 8 (text box): moved: 1.00 cm right"]
    assert said("groups", out_of_group) == ["slide 2, TextBox 8 (text box): regrouped: out of its group"]


def test_slides() -> None:
    def several(deck: Presentation) -> None:
        drop_slide(deck, 1)
        move_slide(deck, 1, 0)
        root(deck.slides[1]).set("show", "0")

    assert said("comments", several) == [
        "slide 1: slide moved: from 3 to 1",
        "slide 2: slide removed: Start",
        "slide 2: hidden",
    ]


def test_notes_layout_transition_animation() -> None:
    def edit(deck: Presentation) -> None:
        put(deck.slides[1], '<p:transition spd="slow"><p:push dir="u"/></p:transition>')
        frame = deck.slides[1].notes_slide.notes_text_frame
        assert frame is not None
        frame.text = "Speak up"

    data = edited(deck_bytes("comments"), edit)
    assert str(diff_bytes(deck_bytes("comments"), data).account) == (
        "slide 2: transition: push added\nslide 2: notes: {+Speak up+}"
    )
    other = edited(
        data, lambda deck: put(deck.slides[1], '<p:transition spd="slow" advTm="2000"><p:push dir="d"/></p:transition>')
    )
    assert str(diff_bytes(data, other).account) == "slide 2: transition: push u 1 s → push d 1 s, after 2 s"


def test_the_deck() -> None:
    def edit(deck: Presentation) -> None:
        deck.slide_master.shapes[0].left = Emu(0)
        deck.slide_layouts[5].shapes[0].left = Emu(0)
        deck.slide_width = Emu(1_000_000)

    assert said("comments", edit) == [
        "deck: master: Office Theme modified",
        "deck: layout design: Title Only modified",
        "deck: slide size: modified",
    ]


def test_nothing() -> None:
    diff = diff_after("comments", lambda deck: None)
    assert str(diff.account) == "nothing differs"


def test_whatever_the_diff_holds_the_account_tells() -> None:
    """What no word is for is told by its place in the XML, beside whatever else was changed."""

    def edit(deck: Presentation) -> None:
        put_child(root(deck.slides[0]), "extLst/ext", "x:unheard", "http://example.org/x")
        shape(deck, 0, "Title 1").text_frame.text = "Test Slide"

    assert said("comments", edit) == [
        "slide 1, Title 1 (placeholder): text: Test Slide[- With Comments-]",
        "slide 1: other: extLst/ext/unheard",
    ]


def put_child(parent: Any, path: str, name: str, uri: str) -> None:
    """An element of a namespace of its own, in elements of PowerPoint's that are made where they are missing."""
    for step in path.split("/"):
        found = parent.find(f"{{{P}}}{step}")
        parent = etree.SubElement(parent, f"{{{P}}}{step}") if found is None else found
    etree.SubElement(parent, f"{{{uri}}}{name.rpartition(':')[2]}")


# ---- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("", "New", "{+New+}"),
        ("Test a short one", "Test some other words", "Test [-a short one-]{+some other words+}"),
        ("Old", "", "[-Old-]"),
        ("Revenue 2023", "Revenue 2024", "Revenue [-2023-]{+2024+}"),
        ("季度报告", "年度报告", "[-季-]{+年+}度报告"),
        ("one\ntwo", "one\ntwo\nthree", "one ⏎ two{+ ⏎ three+}"),
        (
            "a b c d e f g h i j k l m n o p old q r s t u v w x y z",
            "a b c d e f g h i j k l m n o p new q r s t u v w x y z",
            "…m n o p [-old-]{+new+} q r s t…",
        ),
    ],
)
def test_word_diff(before: str, after: str, shown: str) -> None:
    assert word_diff(before, after) == shown


def test_very_long_texts_are_counted() -> None:
    assert word_diff("a " * 2000, "b " * 3000) == "[-4,000 characters-] {+6,000 characters+}"


# ---- only_changed ----------------------------------------------------------------------------------------------------

ACCOUNT = Account(
    [
        Change("text", "257", 2, "4", "Title 1", "placeholder", "[-a-]{+b+}"),
        Change("moved", "257", 2, "5", "Picture 2", "picture", "1.00 cm right"),
        Change("rewritten", "258", 3, "5", "Picture 2", "picture"),
        Change("slide added", "260", 4),
        Change("master", detail="Office Theme modified"),
    ]
)


def test_all_changes_allowed() -> None:
    reason, score = only_changed(ACCOUNT, what=["text", "moved", "slide added", "master"])
    assert (reason, score) == ("nothing else was changed (4 allowed changes)", 1.0)


def test_what_was_changed_besides_is_named() -> None:
    reason, score = only_changed(ACCOUNT, {"slides": [2]}, {"what": ["slide added"]})
    assert (reason, score) == ("changed besides what was asked: deck: master: Office Theme modified", 0.0)


@pytest.mark.parametrize(
    ("rule", "extra"),
    [
        ({"slides": [2]}, ["slide added", "master"]),
        ({"slides": ["257"]}, ["slide added", "master"]),
        ({"slides": [257]}, ["text", "moved", "slide added", "master"]),  # a number is a place, not an id
        ({"slides": [2], "shapes": ["Title 1"]}, ["moved", "slide added", "master"]),
        ({"shapes": [5]}, ["text", "slide added", "master"]),
        ({"slides": [2], "shapes": ["Title 1"], "what": ["moved"]}, ["text", "moved", "slide added", "master"]),
        ({}, []),
    ],
)
def test_rules(rule: dict[str, list[Any]], extra: list[str]) -> None:
    reason, score = only_changed(ACCOUNT, rule)
    assert score == (0.0 if extra else 1.0)
    assert [word for word in ("text", "moved", "slide added", "master") if f": {word}" in reason] == extra


def test_without_a_rule_nothing_may_change_but_the_invisible() -> None:
    assert only_changed(Account())[1] == 1.0
    assert only_changed(Account([ACCOUNT.changes[2]]))[1] == 1.0
    assert only_changed(ACCOUNT)[1] == 0.0


def test_a_rule_with_a_typing_error_is_an_error() -> None:
    with pytest.raises(ValueError, match="did you mean 'restyled'"):
        only_changed(ACCOUNT, what=["restyle"])
    with pytest.raises(ValueError, match="unknown key 'slide'"):
        only_changed(ACCOUNT, {"slide": [2]})


def test_a_leaf_can_ask_the_diff_itself() -> None:
    diff = diff_after("dense", edits.move_shape)
    assert diff.account.only_changed(slides=[1], what=["moved"])[1] == 1.0
    assert only_changed(diff, slides=[1], what=["text"]) == (
        "changed besides what was asked: slide 1, Picture 1 (picture): moved: 2.54 cm right",
        0.0,
    )


def test_every_word_of_an_account_is_one_that_rules_know() -> None:
    every = [getattr(edits, name) for name in dir(edits) if name in EDITS]
    assert len(every) == len(EDITS)
    for edit in every:
        assert {change.what for change in diff_after("dense", edit).account.changes} <= set(WHATS)


EDITS = {"set_text", "fill_red", "move_shape", "resize_shape", "add_shape", "restack", "set_background", "add_chart"}
