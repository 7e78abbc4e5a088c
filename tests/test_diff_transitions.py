"""A slide's transition is one, of the type that PowerPoint plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from deck_edits import counts, deck_bytes, diff_bytes, drop_slide, edited, move_slide, put, root, transitions

from pytest_ppteval.deck.model import SlideTransition

if TYPE_CHECKING:
    from pptx.presentation import Presentation


def with_transition(text: str, slide: int = 0) -> bytes:
    return edited(deck_bytes("comments"), lambda deck: put(deck.slides[slide], text))


def added(text: str) -> SlideTransition:
    """The transition that the diff reports where `text` was put on a slide without one, and nothing else."""
    diff = diff_bytes(deck_bytes("comments"), with_transition(text))
    assert counts(diff) == {"added_transitions": 1, "modified_slides": 1}
    return diff.added_transitions[0]


def choice(inner: str, duration: int, fallback: str = "<p:fade/>", requires: str = "p14") -> str:
    return (
        f'<mc:AlternateContent><mc:Choice Requires="{requires}"><p:transition spd="slow" p14:dur="{duration}">{inner}'
        f'</p:transition></mc:Choice><mc:Fallback><p:transition spd="slow">{fallback}</p:transition></mc:Fallback>'
        "</mc:AlternateContent>"
    )


@pytest.mark.parametrize(
    ("text", "kind", "duration", "direction"),
    [
        ("<p:transition><p:fade/></p:transition>", "fade", 0.5, None),
        ('<p:transition spd="fast"><p:cut/></p:transition>', "cut", 0.5, None),
        ('<p:transition spd="med"><p:push dir="u"/></p:transition>', "push", 0.75, "u"),
        ('<p:transition spd="slow"><p:wipe dir="r"/></p:transition>', "wipe", 1.0, "r"),
        ('<p:transition p14:dur="1234"><p:fade/></p:transition>', "fade", 1.234, None),
        ('<p:transition spd="slow"><p:split orient="vert" dir="in"/></p:transition>', "split", 1.0, "in"),
        ('<p:transition spd="slow"/>', "none", 1.0, None),
        (choice('<p14:vortex dir="r"/>', 4000), "vortex", 4.0, "r"),
        (choice('<p159:morph option="byObject"/>', 2000, requires="p159"), "morph", 2.0, None),
        (choice('<p14:prism isContent="1"/>', 1200), "prism", 1.2, None),
        (choice("<p:fade/>", 700), "fade", 0.7, None),
        (choice('<p15:prstTrans prst="origami"/>', 3250, requires="p15"), "prstTrans", 3.25, None),
    ],
)
def test_type_duration_direction(text: str, kind: str, duration: float, direction: str | None) -> None:
    found = added(text)
    assert (found.slide_id, found.transition_type, found.duration, found.direction) == (
        "256",
        kind,
        duration,
        direction,
    )


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("<p:transition><p:fade/></p:transition>", None),
        ('<p:transition><p:fade thruBlk="1"/></p:transition>', "thruBlk=1"),
        ('<p:transition><p:wheel spokes="8"/></p:transition>', "spokes=8"),
        ('<p:transition><p:split orient="vert" dir="in"/></p:transition>', "orient=vert"),
        (choice('<p15:prstTrans prst="origami" invX="1"/>', 3250, requires="p15"), "invX=1 prst=origami"),
    ],
)
def test_whatever_else_the_type_says_is_its_variant(text: str, variant: str | None) -> None:
    assert added(text).variant == variant


def test_a_sound_is_no_type() -> None:
    sound = '<p:sndAc><p:stSnd><p:snd r:embed="rId99" name="applause.wav"/></p:stSnd></p:sndAc>'
    first = added(f"<p:transition>{sound}</p:transition>")
    assert (first.transition_type, first.sound) == ("none", "applause.wav")
    second = added(f"<p:transition><p:fade/>{sound}</p:transition>")
    assert (second.transition_type, second.sound) == ("fade", "applause.wav")


def test_when_the_show_goes_on() -> None:
    found = added('<p:transition advClick="0" advTm="5000"><p:fade/></p:transition>')
    assert (found.advance_on_click, found.advance_after) == (False, 5.0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<p:transition><p:fade/></p:transition>", "<p:transition><p:cut/></p:transition>"),
        ('<p:transition><p:push dir="u"/></p:transition>', '<p:transition><p:push dir="d"/></p:transition>'),
        (choice('<p14:vortex dir="r"/>', 4000), choice('<p14:vortex dir="r"/>', 2000)),
        (choice('<p14:vortex dir="r"/>', 4000), choice("<p14:flash/>", 4000)),
        ('<p:transition><p:wheel spokes="3"/></p:transition>', '<p:transition><p:wheel spokes="8"/></p:transition>'),
        ("<p:transition><p:fade/></p:transition>", '<p:transition advTm="2000"><p:fade/></p:transition>'),
    ],
)
def test_a_transition_changed_is_one_pair(before: str, after: str) -> None:
    diff = diff_bytes(with_transition(before), with_transition(after))
    assert counts(diff) == {"modified_transitions": 1, "modified_slides": 1}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (choice("<p:fade/>", 700), "<p:transition><p:fade/></p:transition>"),
        ("<p:transition><p:fade/></p:transition>", choice('<p14:vortex dir="r"/>', 4000)),
        (choice("<p14:flash/>", 800), choice("<p14:flash/>", 800, fallback="<p:cut/>")),
        (choice("<p:fade/>", 700), choice("<p:fade/>", 700, requires="p15")),
        ("", choice("<p14:flash/>", 800)),
        (choice("<p14:flash/>", 800), ""),
    ],
)
def test_what_wraps_a_transition_belongs_to_it(before: str, after: str) -> None:
    """One line of the account: the forms for newer and older programs are no other change of the slide."""
    plain = deck_bytes("comments")
    diff = diff_bytes(with_transition(before) if before else plain, with_transition(after) if after else plain)
    assert [(change.what, change.slide_number) for change in diff.account.changes] == [("transition", 1)]


def test_what_else_stands_in_the_wrapping_is_told() -> None:
    with_more = choice("<p:fade/>", 700).replace("</mc:Choice>", "<p:extra/></mc:Choice>")
    diff = diff_bytes(with_transition(choice("<p:fade/>", 700)), with_transition(with_more))
    assert "other" in [change.what for change in diff.account.changes]


def test_a_transition_removed() -> None:
    data = with_transition(choice('<p14:vortex dir="r"/>', 4000), slide=1)

    def remove(deck: Presentation) -> None:
        top = root(deck.slides[1])
        for element in transitions(top):
            top.remove(element)

    diff = diff_bytes(data, edited(data, remove))
    assert counts(diff) == {"removed_transitions": 1, "modified_slides": 1}
    assert (diff.removed_transitions[0].slide_id, diff.removed_transitions[0].transition_type) == ("257", "vortex")


def test_only_the_fallback_differs() -> None:
    """An old program's form of the transition is in the slide's XML, but PowerPoint plays the same as before."""
    diff = diff_bytes(
        with_transition(choice("<p14:flash/>", 800)), with_transition(choice("<p14:flash/>", 800, fallback="<p:cut/>"))
    )
    assert counts(diff) == {"modified_slides": 1}


def test_other_slides_added_removed_or_moved_are_no_change_of_transitions() -> None:
    data = with_transition("<p:transition><p:fade/></p:transition>", slide=2)
    assert counts(diff_bytes(data, edited(data, lambda deck: drop_slide(deck, 0)))) == {"removed_slides": 1}
    assert counts(diff_bytes(data, edited(data, lambda deck: move_slide(deck, 2, 0)))) == {"moved_slides": 1}
    gone = diff_bytes(data, edited(data, lambda deck: drop_slide(deck, 2)))
    assert counts(gone) == {"removed_slides": 1, "removed_transitions": 1}


@pytest.mark.parametrize("old", ["", "<p:transition><p:push/></p:transition>", choice('<p14:vortex dir="r"/>', 4000)])
def test_the_wrapping_of_a_transition_is_no_other_change(old: str) -> None:
    """The account tells of the transition; that it now stands in mc:AlternateContent, or no longer, is part of that."""
    before, after = (with_transition(old) if old else deck_bytes("comments")), with_transition(choice("<p:fade/>", 700))
    assert [change.what for change in diff_bytes(before, after).account.changes] == ["transition"]
    assert [change.what for change in diff_bytes(after, before).account.changes] == ["transition"]
