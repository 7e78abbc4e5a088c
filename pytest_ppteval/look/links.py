"""Where links of a sheet lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.xmlnames import R

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml import etree
    from pptx.opc.package import Part

_ACTIONS = "ppaction://"


class Links:
    """slide_id: from a slide's part to its id."""

    def __init__(self, part: Part, slide_id: Callable[[Part], str | None]) -> None:
        self._part, self._slide_id = part, slide_id

    def address(self, link: etree._Element | None) -> str | None:
        """What an a:hlinkClick does: an address, "slide <id>" or an action; None where it does nothing."""
        if link is None:
            return None
        action = link.get("action", "")
        relation = self._part.rels.get(link.get(R + "id", ""))
        if relation is None:
            return action.removeprefix(_ACTIONS) or None
        if relation.is_external:
            target = str(relation.target_ref)
        else:
            known = self._slide_id(relation.target_part)
            target = f"slide {known}" if known is not None else str(relation.target_ref)
        kind = action.removeprefix(_ACTIONS).partition("?")[0]
        return f"{kind} {target}" if kind not in ("", "hlinksldjump") else target
