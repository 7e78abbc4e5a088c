"""`opens`: PowerPoint would open the file without repairing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.rewritten import is_rewritten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.vocabulary.world import World


def guard(options: dict[str, Any], world: World) -> Iterator[tuple[str, str]]:
    """Faults of the file that the original has not: (kind, words). options: except: kinds that are allowed."""
    unknown_key("opens", options, ("except",))
    allowed = set(options.get("except", ()))
    rewritten = is_rewritten(world)
    for kind, said in world.new_faults:
        # LibreOffice writes masters with a number twice, which PowerPoint opens all the same.
        if kind not in allowed and not (rewritten and said.startswith(("slideMaster", "slideLayout", "notes"))):
            yield kind, said
