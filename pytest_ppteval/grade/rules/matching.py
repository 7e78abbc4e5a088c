"""Which names of a list stand for which calls, each call for one name: as many names as possible (Kuhn's algorithm)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Matching:
    """Grows name by name; wildcards may let a name stand for several calls, and earlier names move over if need be."""

    def __init__(self, fits: Sequence[Sequence[bool]]) -> None:
        """fits: by name, then by call."""
        self._fits = fits
        self.taken: dict[int, int] = {}  # call -> name

    def add(self, name: int, among: Sequence[int] | None = None) -> bool:
        """Find a call for one more name, among some of the calls or all. Not recursive: there may be many."""
        # Breadth first; `came` remembers by which name a call was reached, to move names over along the way back.
        came: dict[int, int] = {}
        queue = [name]
        for one in queue:
            fits = self._fits[one]
            for call in range(len(fits)) if among is None else among:
                if not fits[call] or call in came:
                    continue
                came[call] = one
                if call in self.taken:
                    queue.append(self.taken[call])
                    continue
                self._move(call, came)
                return True
        return False

    def _move(self, call: int, came: dict[int, int]) -> None:
        held = {name: at for at, name in self.taken.items()}
        while True:
            name = came[call]
            before = held.get(name)
            self.taken[call] = name
            if before is None:
                return
            call = before
