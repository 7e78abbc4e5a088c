"""Which effect is which, and the fewest slides that moved."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ppteval.deck.align import Aligned, align_animations, is_changed, moved
from pytest_ppteval.deck.model import AnimationEffect


def effects(text: str) -> list[AnimationEffect]:
    """One effect for each word: the letter is the shape, the rest the kind ("a" fades, "a:spin" spins)."""
    return [
        AnimationEffect("256", word[0], word[2:] or "fade", "click", 0.0, 0.5, order)
        for order, word in enumerate(text.split())
    ]


def shown(aligned: list[Aligned]) -> str:
    """ "=" paired, "~" changed, ">" moved, "-" removed, "+" added, by shape."""
    words = []
    for old, new, has_moved in aligned:
        effect = new or old
        assert effect is not None
        if old is None or new is None:
            mark = "+" if old is None else "-"
        else:
            mark = ">" if has_moved else "~" if is_changed(old, new) else "="
        words.append(mark + effect.element_id)
    return " ".join(words)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "", ""),
        ("a b c", "a b c", "=a =b =c"),
        ("a b c", "a x b c", "=a +x =b =c"),
        ("a b c", "a c", "=a -b =c"),
        ("a b c", "a b:spin c", "=a ~b =c"),
        ("a a a", "a a", "=a =a -a"),
        ("a:spin a:fade", "a:fade", "-a =a"),
        ("a b c", "b c a", ">a =b =c"),
        ("a b", "x y", "-a -b +x +y"),
        ("a b c", "a:spin x c:spin", "~a -b +x ~c"),
        ("a a:spin", "a:wipe a:fade a:spin", "+a =a =a"),
    ],
)
def test_alignment(before: str, after: str, expected: str) -> None:
    assert shown(align_animations(effects(before), effects(after))) == expected


def test_the_text_of_the_shape_and_the_order_are_not_the_effects() -> None:
    effect = effects("a")[0]
    assert not is_changed(effect, replace(effect, order=3, element_text="Other"))
    assert is_changed(effect, replace(effect, delay=1.0))
    assert is_changed(effect, replace(effect, content_hash="0"))


words = st.lists(st.sampled_from(["a", "b", "c", "a:spin", "b:wipe"]), max_size=8).map(" ".join)


@given(words, words)
def test_every_effect_of_both_sides_is_accounted_for_once(before: str, after: str) -> None:
    old, new = effects(before), effects(after)
    aligned = align_animations(old, new)
    assert sorted(a.before.order for a in aligned if a.before) == list(range(len(old)))
    assert sorted(a.after.order for a in aligned if a.after) == list(range(len(new)))
    assert all(a.before.element_id == a.after.element_id for a in aligned if a.before and a.after)


def test_very_many_effects_are_paired_without_the_table() -> None:
    before = effects(" ".join(["a", "b"] * 800))
    after = [replace(effect, duration=2.0) for effect in before]
    assert {(a.before is None, a.after is None) for a in align_animations(before, after)} == {(False, False)}


# ---- slides that moved -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        ("", "", 0),
        ("abcd", "abcd", 0),
        ("abcd", "bcda", 1),
        ("abcd", "dabc", 1),
        ("abcd", "badc", 2),
        ("abcd", "dcba", 3),
        ("abcdef", "adbcef", 1),
    ],
)
def test_fewest_moves(before: str, after: str, count: int) -> None:
    assert len(moved(before, after)) == count


def test_the_one_that_moved_is_named() -> None:
    assert moved("abcdef", "bcdeaf") == ["a"]
    assert moved("abcdef", "aebcdf") == ["e"]


def test_no_shorter_list_exists() -> None:
    """Against every subset: the rest must be in the old order, and no smaller set may do."""
    before = "abcde"
    for after in permutations(before):
        found = moved(before, after)
        rest = [item for item in after if item not in found]
        assert rest == sorted(rest)
        longest = max(
            len(kept)
            for bits in range(32)
            if (kept := [item for i, item in enumerate(after) if bits >> i & 1]) == sorted(kept)
        )
        assert len(found) == 5 - longest
