"""Which word of the account a place in the XML belongs to: the closed table from paths to words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_ppteval.deck.normal import inner, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_ppteval.deck.normal import Node, Path

_LINK = r"hlink(?:Click|Hover|MouseOver)"
_OWN = r"nv\w+Pr/cNvPr"
_MEDIA = r"(?:audioCd|wavAudioFile|audioFile|videoFile|quickTimeFile)"
# Of a shape's element, without its text bodies; the first that fits counts. "" is a mere container: what it holds is
# looked up in its stead.
SHAPE_PATHS = [
    (re.compile(pattern), word)
    for pattern, word in (
        (r"nv\w+Pr(?:/cNvPr|/nvPr|/cNv\w+Pr)?$", ""),
        (rf"{_OWN}/@name$", "renamed"),
        (rf"{_OWN}/@(?:descr|title)$", "alt text"),
        (rf"{_OWN}/extLst/ext/(?:.*)decorative", "alt text"),
        (rf"{_OWN}/@hidden$", "shape hidden"),
        (rf"{_OWN}/{_LINK}/@tooltip$", "tooltip"),
        (rf"{_OWN}/{_LINK}", "link"),
        (r"nv\w+Pr/cNvCxnSpPr/(?:stCxn|endCxn)", "glue"),
        (r"nv\w+Pr/cNv\w+Pr/(?:\w+Locks|@preferRelativeResize)", "locks"),
        (r"nv\w+Pr/cNvSpPr/@txBox$", "role"),
        (r"nv\w+Pr/nvPr/ph", "role"),
        (rf"nv\w+Pr/nvPr/{_MEDIA}", "media"),
        (r"nv\w+Pr/nvPr/extLst/ext/media", "media"),
        (r"nv\w+Pr/nvPr/custDataLst", "tags"),
        (r"nv\w+Pr/.*extLst(?:/ext)?$", ""),
        (r"(?:spPr|grpSpPr)/xfrm/off|xfrm/off", "moved"),
        (r"(?:spPr|grpSpPr)/xfrm/ext|xfrm/ext", "resized"),
        (r"(?:spPr|grpSpPr)/xfrm/(?:chOff|chExt)|xfrm/(?:chOff|chExt)", "rescaled"),
        (r"(?:spPr|grpSpPr)/xfrm/@|xfrm/@", "rotated"),
        (r"(?:spPr/|grpSpPr/)?xfrm$", "moved"),
        (r"graphic(?:/graphicData)?$", ""),
        (r"graphic/graphicData/tbl", "restyled"),
        (r"graphic/", "content"),
        (r"blipFill(?:/blip)?$|(?:.*/)?blip/@r:\w+$|.*/svgBlip/@r:\w+$", "content"),
        (r"blipFill/|spPr|grpSpPr|style", "restyled"),
        (r"extLst(?:/ext)?$", ""),
        (r"@useBgFill$", "restyled"),
        (r"@bwMode$", "restyled"),
        (r"@r:id$", "content"),  # of ink
    )
]
# Of a slide's root element, without its shapes, background, transition and timing.
SLIDE_PATHS = [
    (re.compile(pattern), word)
    for pattern, word in (
        (r"cSld$", ""),
        (r"(?:cSld/)?extLst(?:/ext)?$", ""),
        (r"@showMasterSp$", "master shapes"),
        (r"@showMasterPhAnim$", "animation"),
        (r"clrMapOvr", "colour map"),
        (r"cSld/custDataLst|custDataLst", "tags"),
        (r"cSld/controls", "controls"),
    )
]


def words(found: Iterable[tuple[Path, Node | None]], table: list[tuple[re.Pattern[str], str]]) -> dict[str, str]:
    """The words for differences, each with the path of its first; what is in no line of the table is "other"."""
    said: dict[str, str] = {}
    waiting = list(found)
    for path, node in waiting:
        word = next((word for pattern, word in table if pattern.match(shown(path))), "other")
        if not word and node is not None and (node.children or node.attributes or node.text):
            waiting.extend(inner(path, node))
        elif word:
            said.setdefault(word, shown(path))
        else:
            said.setdefault("other", shown(path))
    return said
