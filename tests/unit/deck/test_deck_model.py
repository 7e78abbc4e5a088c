"""The records of a diff: what rubrics may rely on, and the way through JSON and back."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import MISSING, fields
from typing import Any

import pytest
from deck_edits import diff_after, drop_slide, move_slide, put
from pptx.presentation import Presentation

from pytest_ppteval.deck.model import AnimationEffect, PartChange, PowerPointDiff, Slide, SlideTransition


def signature(record: type[Any]) -> list[str]:
    return [item.name if item.default is MISSING else f"{item.name}={item.default}" for item in fields(record)]


def test_fields_order_and_defaults_that_rubrics_rely_on() -> None:
    assert signature(AnimationEffect)[:9] == [
        "slide_id",
        "element_id",
        "effect_type",
        "trigger",
        "delay",
        "duration",
        "order",
        "element_text=None",
        "element_type=None",
    ]
    assert signature(SlideTransition)[:4] == ["slide_id", "transition_type", "duration", "direction=None"]
    assert signature(Slide)[:7] == [
        "slide_id",
        "slide_number",
        "title=None",
        "layout_type=None",
        "element_count=0",
        "notes=None",
        "content_hash=None",
    ]
    assert signature(PowerPointDiff)[:9] == [
        "added_animations",
        "removed_animations",
        "modified_animations",
        "added_transitions",
        "removed_transitions",
        "modified_transitions",
        "added_slides",
        "removed_slides",
        "modified_slides",
    ]


def test_all_fields_beyond_the_contract_have_defaults() -> None:
    AnimationEffect("256", "4", "fade", "click", 0.0, 0.5, 0)
    SlideTransition("256", "fade", 0.5)
    Slide("256", 1)
    assert PowerPointDiff([], [], [], [], [], [], [], [], []) == PowerPointDiff.empty()


def test_lists_can_be_added_sorted_and_compared() -> None:
    diff = PowerPointDiff.empty()
    assert diff.added_slides + diff.removed_slides == []
    assert diff.modified_slides == []


def everything(deck: Presentation) -> None:
    """An edit that fills as many lists of the diff as one edit can."""
    put(deck.slides[0], '<p:transition spd="slow" advTm="1500"><p:push dir="u"/></p:transition>')
    put(
        deck.slides[0],
        '<p:timing><p:tnLst><p:par><p:cTn id="1" nodeType="tmRoot"><p:childTnLst><p:par><p:cTn id="2" presetID="10" '
        'presetClass="entr" nodeType="clickEffect"><p:childTnLst><p:set><p:cBhvr><p:cTn id="3" dur="1"/><p:tgtEl>'
        '<p:spTgt spid="54"/></p:tgtEl></p:cBhvr></p:set></p:childTnLst></p:cTn></p:par></p:childTnLst></p:cTn></p:par>'
        "</p:tnLst></p:timing>",
    )
    deck.slides.add_slide(deck.slide_layouts[0])
    drop_slide(deck, 2)
    move_slide(deck, 3, 0)
    deck.slide_master.shapes[0].name = "Other"


def test_through_json_and_back() -> None:
    diff = diff_after("languages", everything)
    assert all([diff.added_animations, diff.added_transitions, diff.added_slides, diff.removed_slides])
    assert all([diff.modified_slides, diff.moved_slides, diff.changed_parts, diff.slide_changes, diff.account.changes])
    data = json.loads(json.dumps(diff.to_dict(), allow_nan=False))
    assert PowerPointDiff.from_dict(data) == diff
    assert data["added_slides"][0]["content_hash"] == diff.added_slides[0].content_hash
    assert data["modified_slides"][0]["before"]["slide_id"] == diff.modified_slides[0][0].slide_id


@pytest.mark.parametrize("name", [item.name for item in fields(PowerPointDiff) if item.name != "account"])
def test_anything_in_any_list_makes_it_not_empty(name: str) -> None:
    slide = Slide("256", 1)
    values: dict[str, Any] = {
        "slide_changes": {"256": ["notes"]},
        "changed_parts": [PartChange("master", "x", "added")],
    }
    diff = PowerPointDiff.empty()
    assert diff.is_empty
    current = getattr(diff, name)
    if isinstance(current, dict):
        current.update(values[name])
    else:
        current.extend(values.get(name, [slide]))
    assert not diff.is_empty


@pytest.mark.parametrize("module", ["model", "account", "words", "guard"])
def test_importing_it_needs_the_standard_library_only(module: str) -> None:
    """pytest's own process holds diffs and checks decks; neither may cost it lxml and python-pptx."""
    code = (
        f"import sys, pytest_ppteval.deck.{module}\n"
        "heavy = [name for name in ('lxml', 'pptx', 'PIL', 'numpy', 'pytest') if name in sys.modules]\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
