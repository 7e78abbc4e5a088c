"""A slide's transition: one, however many forms of it the file holds for older programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_ppteval.deck.forms import forms
from pytest_ppteval.deck.model import SlideTransition
from pytest_ppteval.deck.xmlnames import MC, P14, P, attributes, local_name

if TYPE_CHECKING:
    from lxml import etree

_TRANSITION = P + "transition"
# What PowerPoint takes the three speeds of 2007 for, in seconds; "fast" is the schema's default.
_SPEEDS = {"slow": 1.0, "med": 0.75, "fast": 0.5}
_NO_TYPE = ("sndAc", "extLst")


def read_transition(slide_id: str, slide: etree._Element) -> SlideTransition | None:
    """The transition of the slide whose root element is `slide`, None where it has none."""
    found = forms(slide, _TRANSITION)
    if not found:
        return None
    element = found[0].element
    kind = _type_element(element)
    direction = variant = None
    if kind is not None:
        direction = kind.get("dir") or kind.get("orient")
        variant = " ".join(_variant(kind, direction)) or None
    return SlideTransition(
        slide_id=slide_id,
        transition_type=local_name(kind) if kind is not None else "none",
        duration=_duration(element),
        direction=direction,
        variant=variant,
        advance_on_click=element.get("advClick") not in ("0", "false"),
        advance_after=_milliseconds(element.get("advTm")),
        sound=_sound(element),
    )


def _type_element(transition: etree._Element) -> etree._Element | None:
    for child in transition.iterchildren("{*}*"):
        if child.tag == MC + "AlternateContent":  # a choice within the transition
            for branch in child.iterchildren(MC + "Choice", MC + "Fallback"):
                found = _type_element(branch)
                if found is not None:
                    return found
        elif local_name(child) not in _NO_TYPE:
            return child
    return None


def _variant(kind: etree._Element, direction: str | None) -> list[str]:
    shown = "dir" if kind.get("dir") else "orient"
    return [
        f"{name.rpartition('}')[2]}={value}"
        for name, value in attributes(kind)
        if not (name == shown and value == direction)
    ]


def _duration(transition: etree._Element) -> float:
    given = _milliseconds(transition.get(P14 + "dur"))
    return given if given is not None else _SPEEDS.get(transition.get("spd", ""), 0.5)


def _milliseconds(text: str | None) -> float | None:
    """A time of the file, in seconds; None where it is no number ("indefinite")."""
    return int(text) / 1000 if text and re.fullmatch(r"[0-9]{1,12}", text) else None


def _sound(transition: etree._Element) -> str | None:
    action = transition.find(P + "sndAc")
    if action is None:
        return None
    sound = action.find(f"{P}stSnd/{P}snd")
    if sound is not None:
        return sound.get("name") or "unnamed"
    return "stop" if action.find(P + "endSnd") is not None else None
