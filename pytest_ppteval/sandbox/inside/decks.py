"""A task's two decks, parsed once and held for its leaves. Runs in the sandbox only."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_ppteval.deck.account import Account
    from pytest_ppteval.deck.known import KnownDeck
    from pytest_ppteval.deck.model import PowerPointDiff
    from pytest_ppteval.deck.side import Side
    from pytest_ppteval.sandbox.channel import Message


class Decks:
    """The parsed decks. Made in the keeper; each leaf works on the copy that its own process is."""

    def __init__(self) -> None:
        self._paths: dict[str, str] = {}
        self._parsed: dict[str, Any] = {}  # presentations of python-pptx, which has no types
        self._data: dict[str, bytes] = {}
        self._sides: dict[str, Side] = {}
        self._alive: list[object] = []
        # An original that several tasks share, and its path.
        self._held: tuple[str, KnownDeck] | None = None
        self.holds = False  # whether this process was forked from one that was to open it
        self.computed_diff: PowerPointDiff | None = None
        self._has_account = False
        self._account: Callable[[], Account] | None = None
        self._is_leaf = False
        self._served: Mapping[str, str] = {}
        self._really_open: Any = None

    def hold(self, path: str) -> None:
        """Open the original that several tasks share. One that is refused is none: each task finds out for itself."""
        from pytest_ppteval.deck.guard import CAPS, read_plain_file
        from pytest_ppteval.deck.known import KnownDeck

        self.holds = True
        try:
            data = read_plain_file(path, CAPS.file)
            held = KnownDeck(data)
            held.settle()
        except Exception:  # whatever it is, the keeper that opens it will say so
            return
        self._held = path, held
        self._data["original"] = data

    def parse(self, which: str, path: str) -> None:
        """Check the deck and open it with python-pptx. Raises whatever either of them raises."""
        from pytest_ppteval.deck.guard import CAPS, check, read_plain_file
        from pytest_ppteval.deck.known import all_elements
        from pytest_ppteval.deck.opening import open_deck
        from pytest_ppteval.deck.side import Side

        held = self._held[1] if self._held and self._held[0] == (self._paths.get("original") or path) else None
        if which == "original" and held is not None:
            self._parsed[which], self._sides[which] = held.presentation, held.side
        else:
            data = self._data[which] = read_plain_file(path, CAPS.file)
            if held is not None:
                self._parsed[which], self._sides[which] = held.open(data)
            else:
                check(data)
                self._parsed[which] = open_deck(data)
                self._sides[which] = Side(self._parsed[which])
                self._alive += all_elements(self._parsed[which])
        self._paths[which] = path

    def parse_all(self, paths: Mapping[str, str], tell: Callable[[Message], None]) -> bool:
        """Parse the decks, telling the host about it: "parsing" for each, "unusable" (False) for one that is."""
        for which, path in paths.items():
            tell({"t": "parsing", "which": which})
            try:
                self.parse(which, path)
            except BaseException as error:
                tell({"t": "unusable", "which": which, "why": _why(error)})
                return False
        return True

    def diff_message(self, *, wanted: bool = False, account: bool = False) -> Message:
        """Compute the diff; for the host, with the diff as data if it wants that, or why there is none.

        account: whether to make its account as well, which is otherwise made by whoever looks at it.
        """
        try:
            diff = self.diff()
            if account or wanted:
                _ = diff.account.changes
                self._has_account = True
            return {"t": "diff", **({"data": diff.to_dict()} if wanted else {})}
        except BaseException as error:
            return {"t": "diff", "why": _why(error)}

    @property
    def known_of_diff(self) -> tuple[bool, bool]:
        """Whether there is a diff, and its account."""
        return self.computed_diff is not None, self._has_account

    def diff(self) -> PowerPointDiff:
        """The diff of the two, computed once. Raises LookupError where there are not two."""
        if self.computed_diff is None:
            from pytest_ppteval.deck.diff import compare_sides

            if len(self._parsed) < 2:
                raise LookupError("a diff needs both an original and a modified deck")
            self.computed_diff, self._account = compare_sides(
                self._sides["original"], self._sides["modified"], self._make_account
            )
        return self.computed_diff

    def sides(self) -> tuple[Side, Side]:
        """Original and modified deck. Raises LookupError where there are not two."""
        if len(self._parsed) < 2:
            raise LookupError("a deck leaf needs both an original and a modified deck")
        return self._sides["original"], self._sides["modified"]

    def presentations(self) -> tuple[Any, Any]:
        """The two as python-pptx has them."""
        return self._parsed["original"], self._parsed["modified"]

    def _make_account(self) -> Account:
        if not self._is_leaf and self._account is not None:
            return self._account()
        # The leaf may have changed its decks by now.
        from pytest_ppteval.deck.diff import compare
        from pytest_ppteval.deck.opening import open_deck

        return compare(open_deck(self._data["original"]), open_deck(self._data["modified"])).account

    @staticmethod
    def diff_from(data: object) -> PowerPointDiff:
        """A diff that came as data."""
        from pytest_ppteval.deck.model import PowerPointDiff

        assert isinstance(data, dict)
        return PowerPointDiff.from_dict(data)

    def serve(self, names: Mapping[str, str]) -> None:
        """Let Presentation(path) return the parsed deck, in a leaf's process, under `names` as well as its own path.

        Only the first call for a path: later ones parse again, so that two objects of a leaf don't share their state.
        """
        self._is_leaf = True
        if names != self._served:
            self._serve(names)

    def serve_ahead(self) -> None:
        """Do what `serve` does for the decks' own paths, so that processes forked from this one have it."""
        self._serve(self._paths)
        self._served = dict(self._paths)

    def _serve(self, names: Mapping[str, str]) -> None:
        import pptx
        import pptx.api

        waiting: dict[str, list[Any]] = {}
        for which, deck in self._parsed.items():
            for path in {self._paths[which], os.path.normpath(names.get(which, self._paths[which]))}:
                waiting.setdefault(path, []).append(deck)
        opened: set[int] = set()
        really_open = self._really_open = self._really_open or pptx.api.Presentation

        def presentation(pptx: Any = None) -> Any:
            """As pptx.Presentation; a graded deck comes parsed already."""
            if isinstance(pptx, (str, os.PathLike)):
                for deck in waiting.get(os.path.abspath(os.fspath(pptx)), ()):
                    if id(deck) not in opened:
                        opened.add(id(deck))
                        return deck
            return really_open(pptx)

        presentation.__name__ = presentation.__qualname__ = "Presentation"
        pptx.api.Presentation = pptx.Presentation = presentation

    @staticmethod
    def seed_numpy() -> None:
        """Fix numpy's random numbers, where numpy is there."""
        try:
            import numpy
        except ImportError:
            return
        numpy.random.seed(0)


def _why(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "memory"
    from pytest_ppteval.deck.guard import DeckRejected

    if isinstance(error, (DeckRejected, LookupError)) and str(error):
        return str(error)[:2000]
    return f"{type(error).__name__}: {error}"[:2000]


def tame_pillow() -> None:
    """Lower the picture size that Pillow opens, and take away EPS, for which it starts Ghostscript."""
    sys.modules["PIL.EpsImagePlugin"] = None  # type: ignore[assignment]  # how import is told "there is none"
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = 40_000_000
    Image.preinit()
