"""A slide's animations: one record for each effect of PowerPoint's timing tree.

The tree: p:timing > a root > the main sequence (and one sequence for each shape that triggers others) > a p:par for
each click > a p:par for each moment after it > a p:par for each EFFECT, which alone has a presetID, and in which
p:set, p:anim, p:animEffect ... do the work. Only the effect's own p:par is an effect.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_ppteval.deck.canonical import canonical, digest, no_relations
from pytest_ppteval.deck.forms import forms
from pytest_ppteval.deck.model import AnimationEffect
from pytest_ppteval.deck.presets import CLASSES, effect_name
from pytest_ppteval.deck.text import collapse, paragraphs, runs
from pytest_ppteval.deck.xmlnames import P, attributes, local_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml import etree

_TIME_NODE, _SHAPE_TARGET, _SEQUENCE = P + "cTn", P + "spTgt", P + "seq"
_TRIGGERS = {"clickEffect": "click", "withEffect": "with_previous", "afterEffect": "after_previous"}
_SHAPES = tuple(P + name for name in ("sp", "pic", "graphicFrame", "grpSp", "cxnSp", "contentPart"))
# cTn/@id numbers the whole tree (p:tn points at it) and grpId points into the list of builds: both shift as other
# effects come and go.
_NUMBERING = ("id", "grpId")


def read_animations(
    slide_id: str, slide: etree._Element, relation: Callable[[str], str] = no_relations
) -> list[AnimationEffect]:
    """The effects of the slide whose root element is `slide`, in the order of the animation pane, order from 0.

    relation: what stands for a relationship id in content_hash.
    """
    timing = forms(slide, P + "timing")
    if not timing:
        return []
    shapes = _shapes(slide)
    return [_read(slide_id, order, node, shapes, relation) for order, node in enumerate(_effects(timing[0].element))]


def _effects(timing: etree._Element) -> Iterator[etree._Element]:
    """The time node of each effect, none of those within another."""
    done: set[etree._Element] = set()
    for node in timing.iter(_TIME_NODE):
        if (node.get("presetID") is None and node.get("nodeType") not in _TRIGGERS) or local_name(_up(node)) != "par":
            continue
        if any(above in done for above in node.iterancestors(_TIME_NODE)):
            continue
        done.add(node)
        yield node


def _up(element: etree._Element) -> etree._Element:
    parent = element.getparent()
    return parent if parent is not None else element


def _shapes(slide: etree._Element) -> dict[str, etree._Element]:
    found: dict[str, etree._Element] = {}
    for shape in slide.iter(*_SHAPES):
        properties = shape.find(f"*/{P}cNvPr")
        if properties is not None:
            found.setdefault(properties.get("id", ""), shape)
    return found


def _read(
    slide_id: str, order: int, node: etree._Element, shapes: dict[str, etree._Element], relation: Callable[[str], str]
) -> AnimationEffect:
    target = _target(node)
    element_id = (target.get("spid") if target is not None else None) or "unknown"
    part = next(target.iterchildren("{*}*"), None) if target is not None else None
    is_text = part is not None and part.tag == P + "txEl"
    effect_type, effect_class = _name(node)
    motion = next(_behaviours(node, "animMotion"), None)
    return AnimationEffect(
        slide_id=slide_id,
        element_id=element_id,
        effect_type=effect_type,
        trigger=_TRIGGERS.get(node.get("nodeType", ""), "click"),
        delay=_delay(node),
        duration=max((_end(behaviour) for behaviour in _behaviour_nodes(node)), default=_length(node)),
        order=order,
        element_text=_text(shapes.get(element_id), part),
        element_type="text" if is_text else "shape",
        effect_class=effect_class,
        element_part=_describe_part(part),
        path=motion.get("path") if motion is not None else None,
        trigger_element_id=_trigger_shape(node),
        content_hash=digest(canonical(node, relation, skip=(P + "tn",), skip_attributes=_NUMBERING)),
    )


# ---- what it does ---------------------------------------------------------------------------------------------------


def _name(node: etree._Element) -> tuple[str, str]:
    """effect_type and effect_class."""
    if node.get("presetID") is None:
        return _name_without_preset(node)
    preset_class = node.get("presetClass", "")
    name = effect_name(preset_class, _number(node.get("presetID")), _number(node.get("presetSubtype")))
    return name, CLASSES.get(preset_class, ("custom", {}))[0]


def _name_without_preset(node: etree._Element) -> tuple[str, str]:
    """For a tree that another program wrote: named after what it does."""
    if next(_behaviours(node, "animMotion"), None) is not None:
        return "motion_path", "motion_path"
    effect = next(_behaviours(node, "animEffect"), None)
    if effect is not None and effect.get("filter"):
        name = re.sub(r"\W+", "_", effect.get("filter", "")).strip("_").lower()  # "wipe(up)" -> "wipe_up"
        return name, "exit" if effect.get("transition") == "out" else "entrance"
    inner = [local_name(_up(_up(behaviour))) for behaviour in _behaviour_nodes(node)]
    if inner and set(inner) == {"set"}:
        return "appear", "entrance"
    return "custom", "custom"


def _behaviours(node: etree._Element, name: str) -> Iterator[etree._Element]:
    children = node.find(P + "childTnLst")
    return children.iter(P + name) if children is not None else iter(())


def _behaviour_nodes(node: etree._Element) -> Iterator[etree._Element]:
    """The time nodes of what does the work; not those of p:subTnLst, which come after the effect (dimming, a sound)."""
    for behaviour in _behaviours(node, "cBhvr"):
        time_node = behaviour.find(_TIME_NODE)
        if time_node is not None:
            yield time_node


# ---- when -----------------------------------------------------------------------------------------------------------


def _number(text: str | None) -> int:
    """An integer of the file; 0 where it is none ("indefinite")."""
    return int(text) if text and re.fullmatch(r"[+-]?[0-9]{1,12}", text) else 0


def _delay(node: etree._Element) -> float:
    """Seconds until it starts, counted from its trigger."""
    condition = node.find(f"{P}stCondLst/{P}cond")
    return _number(condition.get("delay")) / 1000 if condition is not None else 0.0


def _length(node: etree._Element) -> float:
    back = 2 if node.get("autoRev") in ("1", "true") else 1
    return back * _number(node.get("dur")) / 1000


def _end(node: etree._Element) -> float:
    return round(_delay(node) + _length(node), 3)  # of milliseconds: no 0.30000000000000004


# ---- what it does it to ---------------------------------------------------------------------------------------------


def _target(node: etree._Element) -> etree._Element | None:
    children = node.find(P + "childTnLst")
    return next(children.iter(_SHAPE_TARGET, P + "inkTgt"), None) if children is not None else None


def _trigger_shape(node: etree._Element) -> str | None:
    """The shape to click on, for an effect of an interactive sequence."""
    for sequence in node.iterancestors(_SEQUENCE):
        own = sequence.find(_TIME_NODE)
        if own is not None and own.get("nodeType") == "interactiveSeq":
            target = own.find(f"{P}stCondLst/{P}cond/{P}tgtEl/{P}spTgt")
            return target.get("spid") if target is not None else None
    return None


def _describe_part(part: etree._Element | None) -> str | None:
    if part is None:
        return None
    inner = next(part.iterchildren("{*}*"), None)
    if inner is None or part.tag not in (P + "txEl", P + "graphicEl"):
        return local_name(part)
    first, last = _number(inner.get("st")), _number(inner.get("end"))
    if inner.tag == P + "pRg":
        return f"paragraph {first + 1}" if first == last else f"paragraphs {first + 1}-{last + 1}"
    if inner.tag == P + "charRg":
        return f"characters {first + 1}-{last}"
    return " ".join([local_name(inner), *(f"{name}={value}" for name, value in attributes(inner))])


def _text(shape: etree._Element | None, part: etree._Element | None) -> str | None:
    """The text that the effect moves, of the whole shape or of the range that `part` names.

    As rubrics of PPT-Eval know it: runs joined with nothing, also over line breaks and paragraphs; of text boxes and
    autoshapes alone, not of groups, tables and the like.
    """
    if shape is None or shape.tag != P + "sp":
        return None
    inner = part.find("*") if part is not None and part.tag == P + "txEl" else None
    if inner is None:
        return collapse("".join(runs(shape)))
    lines = paragraphs(shape)
    first, last = _number(inner.get("st")), _number(inner.get("end"))
    if inner.tag == P + "pRg":
        lines = lines[max(0, first) : last + 1]
    elif inner.tag == P + "charRg":
        lines = ["\n".join(lines)[max(0, first) : last]]  # a break counts as a character
    return collapse("".join(lines).replace("\n", ""))
