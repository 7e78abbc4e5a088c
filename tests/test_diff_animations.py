"""Timing trees in PowerPoint's own form, and the one record for each effect that people see in the animation pane.

What is expected was worked out by hand from the trees, with PowerPoint's names for the presets.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from deck_edits import counts, deck_bytes, diff_after, diff_bytes, drop_slide, edited, move_slide, put, root

from pytest_ppteval.deck.animation import read_animations

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pptx.presentation import Presentation

    from pytest_ppteval.deck.model import AnimationEffect, PowerPointDiff

    Edit = Callable[[Presentation], object]

# ---- writing what PowerPoint writes ---------------------------------------------------------------------------------


def target(shape: int | str, part: str = "") -> str:
    inner = f'<p:spTgt spid="{shape}">{part}</p:spTgt>' if part else f'<p:spTgt spid="{shape}"/>'
    return f"<p:tgtEl>{inner}</p:tgtEl>"


def paragraph(number: int) -> str:
    return f'<p:txEl><p:pRg st="{number}" end="{number}"/></p:txEl>'


def becomes(visible: str, on: str, delay: int = 0) -> str:
    return (
        f'<p:set><p:cBhvr><p:cTn id="@" dur="1" fill="hold"><p:stCondLst><p:cond delay="{delay}"/></p:stCondLst>'
        f"</p:cTn>{on}"
        "<p:attrNameLst><p:attrName>style.visibility</p:attrName></p:attrNameLst></p:cBhvr>"
        f'<p:to><p:strVal val="{visible}"/></p:to></p:set>'
    )


def effect_filter(name: str, on: str, duration: int, way: str = "in") -> str:
    return (
        f'<p:animEffect transition="{way}" filter="{name}"><p:cBhvr><p:cTn id="@" dur="{duration}"/>{on}</p:cBhvr>'
        "</p:animEffect>"
    )


def animate(attribute: str, on: str, duration: int) -> str:
    return (
        f'<p:anim calcmode="lin" valueType="num"><p:cBhvr additive="base"><p:cTn id="@" dur="{duration}" fill="hold"/>'
        f"{on}<p:attrNameLst><p:attrName>{attribute}</p:attrName></p:attrNameLst></p:cBhvr><p:tavLst>"
        f'<p:tav tm="0"><p:val><p:strVal val="0-#ppt_w/2"/></p:val></p:tav>'
        f'<p:tav tm="100000"><p:val><p:strVal val="#{attribute}"/></p:val></p:tav></p:tavLst></p:anim>'
    )


def effect(
    behaviours: str, preset: int, kind: str, subtype: int, node: str = "clickEffect", delay: int = 0, more: str = ""
) -> str:
    return (
        f'<p:par><p:cTn id="@" presetID="{preset}" presetClass="{kind}" presetSubtype="{subtype}" fill="hold" '
        f'grpId="0" nodeType="{node}"><p:stCondLst><p:cond delay="{delay}"/></p:stCondLst>'
        f"<p:childTnLst>{behaviours}</p:childTnLst>{more}</p:cTn></p:par>"
    )


def fade(shape: int, node: str = "clickEffect", delay: int = 0, part: str = "", duration: int = 500) -> str:
    on = target(shape, part)
    return effect(becomes("visible", on) + effect_filter("fade", on, duration), 10, "entr", 0, node, delay)


def fly_in_from_left(shape: int, node: str = "clickEffect") -> str:
    on = target(shape)
    moves = animate("ppt_x", on, 500) + animate("ppt_y", on, 500)
    return effect(becomes("visible", on) + moves, 2, "entr", 8, node)


def wipe_from_left(shape: int, node: str = "clickEffect", part: str = "") -> str:
    on = target(shape, part)
    return effect(becomes("visible", on) + effect_filter("wipe(left)", on, 500), 22, "entr", 8, node)


def spin(shape: int, by: int = 21600000, node: str = "clickEffect") -> str:
    return effect(
        f'<p:animRot by="{by}"><p:cBhvr><p:cTn id="@" dur="2000" fill="hold"/>{target(shape)}'
        "<p:attrNameLst><p:attrName>r</p:attrName></p:attrNameLst></p:cBhvr></p:animRot>",
        8,
        "emph",
        0,
        node,
    )


MAIN = '<p:cTn id="@" dur="indefinite" nodeType="mainSeq">'


def moment(*effects: str) -> str:
    """A click: what starts with it, each after-previous effect in a moment of its own."""
    inner = "".join(
        f'<p:par><p:cTn id="@" fill="hold"><p:stCondLst><p:cond delay="{500 * i}"/></p:stCondLst>'
        f"<p:childTnLst>{one}</p:childTnLst></p:cTn></p:par>"
        for i, one in enumerate(effects)
    )
    return (
        '<p:par><p:cTn id="@" fill="hold"><p:stCondLst><p:cond delay="indefinite"/></p:stCondLst>'
        f"<p:childTnLst>{inner}</p:childTnLst></p:cTn></p:par>"
    )


def sequence(clicks: Sequence[str], head: str = MAIN) -> str:
    return (
        f'<p:seq concurrent="1" nextAc="seek">{head}<p:childTnLst>{"".join(clicks)}</p:childTnLst></p:cTn>'
        '<p:prevCondLst><p:cond evt="onPrev" delay="0"><p:tgtEl><p:sldTgt/></p:tgtEl></p:cond></p:prevCondLst>'
        '<p:nextCondLst><p:cond evt="onNext" delay="0"><p:tgtEl><p:sldTgt/></p:tgtEl></p:cond></p:nextCondLst></p:seq>'
    )


def timing(*clicks: str, others: str = "", builds: str = "") -> str:
    numbers = count(1)
    text = (
        '<p:timing><p:tnLst><p:par><p:cTn id="@" dur="indefinite" restart="never" nodeType="tmRoot"><p:childTnLst>'
        f"{sequence(clicks)}{others}</p:childTnLst></p:cTn></p:par></p:tnLst>{builds}</p:timing>"
    )
    while 'id="@"' in text:
        text = text.replace('id="@"', f'id="{next(numbers)}"', 1)
    return text


def animated(*clicks: str, slide: int = 0, others: str = "") -> Edit:
    return lambda deck: put(deck.slides[slide], timing(*clicks, others=others))


def effects(*clicks: str, others: str = "", name: str = "comments") -> list[AnimationEffect]:
    found: list[AnimationEffect] = []

    def read(deck: Presentation) -> None:
        put(deck.slides[0], timing(*clicks, others=others))
        found.extend(read_animations("256", root(deck.slides[0])))

    edited(deck_bytes(name), read)
    return found


def one(*clicks: str, others: str = "") -> AnimationEffect:
    (found,) = effects(*clicks, others=others)
    return found


# ---- one effect -----------------------------------------------------------------------------------------------------


def test_a_fade_is_one_effect() -> None:
    found = one(moment(fade(2)))
    assert (found.slide_id, found.element_id, found.effect_type) == ("256", "2", "fade")
    assert (found.trigger, found.delay, found.duration, found.order) == ("click", 0.0, 0.5, 0)
    assert (found.element_text, found.element_type) == ("Test Slide With Comments", "shape")
    assert found.effect_class == "entrance"


def test_fly_in_from_left_with_three_behaviours_is_one_effect() -> None:
    found = one(moment(fly_in_from_left(3)))
    assert (found.effect_type, found.duration, found.element_id) == ("fly_in_from_left", 0.5, "3")


def test_appear_is_not_a_fade() -> None:
    found = one(moment(effect(becomes("visible", target(2)), 1, "entr", 0)))
    assert (found.effect_type, found.duration) == ("appear", 0.001)


def test_a_delay_is_the_effects_own() -> None:
    """The moment's delay says when the previous effect ends; what one types in the Delay box is the effect's own."""
    first, second = effects(moment(fade(2), fade(3, "afterEffect", delay=1250, duration=2750)))
    assert (first.trigger, first.delay, first.duration) == ("click", 0.0, 0.5)
    assert (second.trigger, second.delay, second.duration) == ("after_previous", 1.25, 2.75)


def test_with_previous_and_the_order() -> None:
    found = effects(moment(fade(2) + fade(3, "withEffect")), moment(spin(2)))
    assert [(e.order, e.element_id, e.trigger, e.effect_type) for e in found] == [
        (0, "2", "click", "fade"),
        (1, "3", "with_previous", "fade"),
        (2, "2", "click", "spin"),
    ]


def test_by_paragraph_gives_one_effect_for_each_paragraph() -> None:
    """Wipe from the left, "by 1st level paragraphs", on a body of two: the second comes with a click of its own."""

    def fill(deck: Presentation) -> None:
        body: Any = deck.slides[0].shapes[1]
        body.text_frame.text = "First\nSecond point"
        tree = timing(
            moment(wipe_from_left(3, part=paragraph(0))),
            moment(wipe_from_left(3, part=paragraph(1))),
            builds='<p:bldLst><p:bldP spid="3" grpId="0" build="p"/></p:bldLst>',
        )
        put(deck.slides[0], tree)

    diff = diff_after("comments", fill)
    shown = [(e.effect_type, e.element_id, e.element_type, e.element_text, e.order) for e in diff.added_animations]
    assert shown == [
        ("wipe_from_left", "3", "text", "First", 0),
        ("wipe_from_left", "3", "text", "Second point", 1),
    ]
    assert [e.element_part for e in diff.added_animations] == ["paragraph 1", "paragraph 2"]


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("", "First point Second"),
        (paragraph(0), "First point"),
        (paragraph(1), "Second"),
        ('<p:txEl><p:charRg st="6" end="15"/></p:txEl>', "point S"),
    ],
)
def test_text_is_joined_with_nothing_as_rubrics_of_ppteval_know_it(part: str, text: str) -> None:
    """Two runs, a line break and a second paragraph: "First", vertical tab, " point ", then "Second"."""

    def fill(deck: Presentation) -> None:
        body: Any = deck.slides[0].shapes[1]
        body.text_frame.text = "First\v point \nSecond"
        put(deck.slides[0], timing(moment(fade(3, part=part))))

    (found,) = diff_after("comments", fill).added_animations
    assert found.element_text == text


def test_an_exit() -> None:
    on = target(2)
    behaviours = effect_filter("fade", on, 750, "out") + becomes("hidden", on, delay=749)
    found = one(moment(effect(behaviours, 10, "exit", 0)))
    assert (found.effect_type, found.effect_class, found.duration) == ("fade", "exit", 0.75)


def test_an_emphasis() -> None:
    found = one(moment(spin(2)))
    assert (found.effect_type, found.effect_class, found.duration) == ("spin", "emphasis", 2.0)


def test_an_emphasis_that_runs_back_lasts_twice_as_long() -> None:
    """Pulse (flash bulb): a fade of 500 ms, and a growth of 250 ms that runs back."""
    on = target(2)
    grow = (
        f'<p:animScale><p:cBhvr><p:cTn id="@" dur="250" autoRev="1" fill="hold"/>{on}</p:cBhvr>'
        '<p:by x="105000" y="105000"/></p:animScale>'
    )
    found = one(moment(effect(effect_filter("fade", on, 400, "out") + grow, 26, "emph", 0)))
    assert (found.effect_type, found.duration) == ("flash_bulb", 0.5)


def test_behaviours_one_after_another_last_until_the_last_ends() -> None:
    """Teeter: five turns of 200 ms, each 200 ms after the one before."""
    turns = "".join(
        f'<p:animRot by="{by}"><p:cBhvr><p:cTn id="@" dur="200" fill="hold"><p:stCondLst><p:cond delay="{200 * i}"/>'
        f"</p:stCondLst></p:cTn>{target(2)}</p:cBhvr></p:animRot>"
        for i, by in enumerate((120000, -240000, 240000, -240000, 120000))
    )
    found = one(moment(effect(turns, 32, "emph", 0)))
    assert (found.effect_type, found.duration) == ("teeter", 1.0)


def test_a_motion_path_keeps_its_path() -> None:
    motion = (
        '<p:animMotion origin="layout" path="M 0 0 L 0.25 0 E" pathEditMode="relative" ptsTypes="">'
        f'<p:cBhvr><p:cTn id="@" dur="2000" fill="hold"/>{target(3)}<p:attrNameLst><p:attrName>ppt_x</p:attrName>'
        "<p:attrName>ppt_y</p:attrName></p:attrNameLst></p:cBhvr></p:animMotion>"
    )
    found = one(moment(effect(motion, 63, "path", 0)))
    assert (found.effect_type, found.path, found.duration) == ("motion_path", "M 0 0 L 0.25 0 E", 2.0)


def test_a_sound_and_dimming_after_the_effect_are_no_effects() -> None:
    after = (
        '<p:subTnLst><p:set><p:cBhvr override="childStyle"><p:cTn id="@" dur="1" fill="hold" display="0" '
        f'masterRel="nextClick" afterEffect="1"/>{target(3)}'
        "<p:attrNameLst><p:attrName>ppt_c</p:attrName></p:attrNameLst></p:cBhvr></p:set></p:subTnLst>"
    )
    on = target(2)
    found = one(moment(effect(becomes("visible", on) + effect_filter("fade", on, 500), 10, "entr", 0, more=after)))
    assert (found.element_id, found.duration) == ("2", 0.5)


def test_an_interactive_sequence_names_the_shape_to_click() -> None:
    head = (
        '<p:cTn id="@" restart="whenNotActive" fill="hold" evtFilter="cancelBubble" nodeType="interactiveSeq">'
        f'<p:stCondLst><p:cond evt="onClick" delay="0">{target(2)}</p:cond></p:stCondLst>'
    )
    first, second = effects(moment(fade(2)), others=sequence([moment(fade(3))], head))
    assert (first.element_id, first.trigger_element_id) == ("2", None)
    assert (second.element_id, second.trigger, second.trigger_element_id) == ("3", "click", "2")


def test_media_is_played() -> None:
    play = (
        '<p:cmd type="call" cmd="playFrom(0.0)"><p:cBhvr><p:cTn id="@" dur="4745" fill="hold"/>'
        f"{target(2)}</p:cBhvr></p:cmd>"
    )
    found = one(moment(effect(play, 1, "mediacall", 0, "afterEffect")))
    assert (found.effect_type, found.effect_class, found.duration) == ("media_play", "media", 4.745)


def test_a_target_that_is_no_shape() -> None:
    found = one(moment(effect("<p:par><p:cTn/></p:par>", 10, "entr", 0)))
    assert (found.element_id, found.element_text, found.element_type) == ("unknown", None, "shape")


@pytest.mark.parametrize(
    ("preset", "kind", "subtype", "name"),
    [
        (2, "entr", 4, "fly_in_from_bottom"),
        (2, "entr", 9, "fly_in_from_top_left"),
        (16, "entr", 21, "split_vertical_in"),
        (16, "entr", 42, "split_horizontal_out"),
        (3, "entr", 10, "blinds_vertical"),
        (14, "entr", 5, "random_bars_horizontal"),
        (4, "entr", 32, "box_out"),
        (23, "entr", 272, "zoom_in_slightly"),
        (21, "entr", 4, "wheel"),  # four spokes, not "from the bottom"
        (53, "entr", 16, "faded_zoom"),
        (1, "exit", 0, "disappear"),
        (2, "exit", 8, "fly_out_from_left"),
        (7, "exit", 0, "crawl_out"),
        (9, "exit", 0, "dissolve_out"),
        (37, "exit", 0, "sink_down"),
        (47, "exit", 0, "ascend"),
        (42, "exit", 0, "descend"),
        (6, "emph", 0, "grow_shrink"),
        (99, "entr", 0, "entrance_99"),
        (999, "emph", 8, "emphasis_999"),
    ],
)
def test_preset_names(preset: int, kind: str, subtype: int, name: str) -> None:
    assert one(moment(effect(becomes("visible", target(2)), preset, kind, subtype))).effect_type == name


def test_effects_of_a_program_that_writes_no_presets() -> None:
    """Trees written by hand often leave presetID out."""
    bare = fade(2).replace(' presetID="10" presetClass="entr" presetSubtype="0"', "")
    assert one(moment(bare)).effect_type == "fade"
    wipe = wipe_from_left(2).replace(' presetID="22" presetClass="entr" presetSubtype="8"', "")
    assert one(moment(wipe)).effect_type == "wipe_left"


def test_the_trees_that_powerpoint_wrote() -> None:
    """fly_in.pptx: a title, then a body of two paragraphs, the first with the title: three effects."""

    def note(deck: Presentation) -> None:
        found.extend(read_animations("256", root(deck.slides[0])))

    found: list[AnimationEffect] = []
    edited(deck_bytes("fly_in"), note)
    assert [(e.effect_type, e.trigger, e.element_id, e.element_type, e.duration) for e in found] == [
        ("fly_in_from_bottom", "click", "4", "shape", 0.5),
        ("fly_in_from_bottom", "with_previous", "5", "text", 0.5),
        ("fly_in_from_bottom", "click", "5", "text", 0.5),
    ]


# ---- forms for newer and older programs ------------------------------------------------------------------------------


def in_forms(new: str, old: str, requires: str = "p14") -> Edit:
    """A timing tree as PowerPoint writes it where an effect is newer than the format: a form for each program."""
    text = (
        f'<mc:AlternateContent><mc:Choice Requires="{requires}">{new}</mc:Choice>'
        f"<mc:Fallback>{old}</mc:Fallback></mc:AlternateContent>"
    )
    return lambda deck: put(deck.slides[0], text)


FADE, SPIN = timing(moment(fade(2))), timing(moment(spin(2)))
UNWRAPPED = animated(moment(fade(2)))


def nothing(_: Presentation) -> None:
    pass


def test_effects_are_those_of_the_form_that_powerpoint_plays() -> None:
    diff = diff_after("comments", in_forms(timing(moment(fade(2)), moment(spin(3))), FADE))
    assert [effect.effect_type for effect in diff.added_animations] == ["fade", "spin"]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (nothing, in_forms(FADE, FADE), ["animation"]),
        (in_forms(FADE, FADE), nothing, ["animation"]),
        (in_forms(FADE, FADE), in_forms(SPIN, FADE), ["animation"]),
        (in_forms(FADE, FADE), in_forms(FADE, SPIN), ["animation"]),  # older programs play another
        (UNWRAPPED, in_forms(FADE, SPIN), ["animation"]),
        (UNWRAPPED, in_forms(SPIN, FADE), ["animation"]),
        (in_forms(FADE, FADE), in_forms(FADE, FADE, requires="p15"), ["animation"]),  # other programs play it
        (UNWRAPPED, in_forms(FADE, FADE), ["rewritten"]),  # each program plays what it did
        (in_forms(FADE, FADE), UNWRAPPED, ["rewritten"]),
    ],
)
def test_each_form_is_looked_at_and_the_wrapping_is_no_other_change(before: Edit, after: Edit, said: list[str]) -> None:
    assert [change.what for change in change(before, after).account.changes] == said


# ---- what changed ---------------------------------------------------------------------------------------------------


def change(before: Edit, after: Edit) -> PowerPointDiff:
    data = deck_bytes("comments")
    return diff_bytes(edited(data, before), edited(data, after))


THREE = (moment(fade(2)), moment(spin(2)), moment(fade(3)))


def test_an_effect_added_to_a_slide_without_any() -> None:
    diff = diff_after("comments", animated(moment(fade(2))))
    assert counts(diff) == {"added_animations": 1, "modified_slides": 1}
    assert diff.slide_changes == {"256": ["content"]}


def test_an_effect_added_in_the_middle_is_the_only_one_reported() -> None:
    """The ids of all time nodes and the order of the effects after it shift; they are the same effects."""
    diff = change(animated(*THREE), animated(THREE[0], moment(fly_in_from_left(3)), *THREE[1:]))
    assert counts(diff) == {"added_animations": 1, "modified_slides": 1}
    assert (diff.added_animations[0].effect_type, diff.added_animations[0].order) == ("fly_in_from_left", 1)


def test_an_effect_like_the_others_added_in_front() -> None:
    diff = change(animated(moment(fade(2))), animated(moment(spin(3)), moment(fade(2))))
    assert counts(diff) == {"added_animations": 1, "modified_slides": 1}
    assert (diff.added_animations[0].element_id, diff.added_animations[0].order) == ("3", 0)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_an_effect_removed(index: int) -> None:
    rest = [click for place, click in enumerate(THREE) if place != index]
    diff = change(animated(*THREE), animated(*rest))
    assert counts(diff) == {"removed_animations": 1, "modified_slides": 1}
    assert diff.removed_animations[0].order == index


def test_two_effects_on_one_shape_do_not_overwrite_each_other() -> None:
    diff = change(animated(THREE[0], THREE[1]), animated(THREE[0]))
    assert counts(diff) == {"removed_animations": 1, "modified_slides": 1}
    assert diff.removed_animations[0].effect_type == "spin"


@pytest.mark.parametrize(
    ("after", "field"),
    [
        (fade(3, duration=900), "duration"),
        (fade(3, delay=300), "delay"),
        (wipe_from_left(3), "effect_type"),
        (fade(3, "withEffect"), "trigger"),
    ],
)
def test_an_effect_changed_is_one_pair(after: str, field: str) -> None:
    diff = change(animated(moment(fade(2)), moment(fade(3))), animated(moment(fade(2)), moment(after)))
    assert counts(diff) == {"modified_animations": 1, "modified_slides": 1}
    old, new = diff.modified_animations[0]
    assert getattr(old, field) != getattr(new, field)
    assert (old.element_id, old.order) == (new.element_id, new.order) == ("3", 1)


def test_a_change_that_no_named_field_shows_is_a_change_too() -> None:
    diff = change(animated(moment(spin(2))), animated(moment(spin(2, by=10800000))))
    assert counts(diff) == {"modified_animations": 1, "modified_slides": 1}


def test_an_effect_moved_to_the_end_is_one_pair() -> None:
    diff = change(animated(*THREE), animated(THREE[1], THREE[2], THREE[0]))
    assert counts(diff) == {"modified_animations": 1, "modified_slides": 1}
    old, new = diff.modified_animations[0]
    assert (old.effect_type, old.element_id, old.order, new.order) == ("fade", "2", 0, 2)


def test_another_shape_is_another_effect() -> None:
    diff = change(animated(moment(fade(2))), animated(moment(fade(3))))
    assert counts(diff) == {"added_animations": 1, "removed_animations": 1, "modified_slides": 1}


def test_text_of_an_animated_shape_is_no_change_of_its_animation() -> None:
    def edit(deck: Presentation) -> None:
        animated(*THREE)(deck)
        title: Any = deck.slides[0].shapes[0]
        title.text_frame.text = "Another title"

    assert counts(change(animated(*THREE), edit)) == {"modified_slides": 1}


def test_another_slide_added_removed_or_moved_is_no_change_of_animations() -> None:
    """python-pptx numbers the parts of slides anew; what is read by file name then belongs to another slide."""
    data = edited(deck_bytes("comments"), animated(*THREE, slide=2))

    def add(deck: Presentation) -> None:
        deck.slides.add_slide(deck.slide_layouts[0])
        move_slide(deck, 3, 0)

    assert counts(diff_bytes(data, edited(data, lambda deck: drop_slide(deck, 0)))) == {"removed_slides": 1}
    assert counts(diff_bytes(data, edited(data, add))) == {"added_slides": 1}
    assert counts(diff_bytes(data, edited(data, lambda deck: move_slide(deck, 2, 0)))) == {"moved_slides": 1}


def test_animations_of_a_removed_slide_went_with_it() -> None:
    data = edited(deck_bytes("comments"), animated(*THREE, slide=2))
    diff = diff_bytes(data, edited(data, lambda deck: drop_slide(deck, 2)))
    assert counts(diff) == {"removed_slides": 1, "removed_animations": 3}
    assert {e.slide_id for e in diff.removed_animations} == {"258"}
