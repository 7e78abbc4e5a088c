"""What a mutant is."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import Any, Literal

# undone: what the agent did, taken back; spoilt: done wrongly; misplaced: done elsewhere, twice or half; here: a fault
# on a slide that was worked on; elsewhere: on another one, or in the whole deck; equal: nothing that anybody sees.
Kind = Literal["undone", "spoilt", "misplaced", "here", "elsewhere", "equal"]
# What a rubric's `changes` may allow: the slide was worked on, or the deck as a whole.
ALLOWABLE: tuple[Kind, ...] = ("here", "elsewhere")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A deck that is the approved one but for one thing.

    name: of the fault, "slide 8: size: all text at 4 pt"; the same each time, so that a rubric can accept it by name.
    aspect: the word of the vocabulary that it is a fault of. deck: python-pptx' presentation, which has no types.
    """

    name: str
    kind: Kind
    aspect: str
    deck: Any

    def data(self) -> bytes:
        """The deck as a whole file."""
        out = BytesIO()
        self.deck.save(out)
        return out.getvalue()
