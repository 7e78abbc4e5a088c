"""One rubric, many decks: whether each passes, and by which leaf it falls.

Deck leaves are judged right here, the original being opened once; what runs code goes to the sandbox, and only where
no deck leaf has settled the matter.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.deck.account import Account
from pytest_ppteval.deck.diff import compare_sides
from pytest_ppteval.deck.guard import DeckRejected, check
from pytest_ppteval.deck.opening import open_deck
from pytest_ppteval.deck.side import Side
from pytest_ppteval.look.read import look_at
from pytest_ppteval.rubric.result import LeafResult
from pytest_ppteval.verify import Rules, conclude, resolve
from pytest_ppteval.vocabulary.allow import seen_changes
from pytest_ppteval.vocabulary.finding import LeafError
from pytest_ppteval.vocabulary.judge import judge
from pytest_ppteval.vocabulary.making import make_world

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.look.model import Deck
    from pytest_ppteval.rubric.tree import Leaf
    from pytest_ppteval.sandbox.host import Sandbox
    from pytest_ppteval.vocabulary.world import World

# What deck leaves raise over a rubric that asks for what there is not.
_FAULTS = (LeafError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rubric made of a deck.

    passed: None where leaves that can't be judged here (a model, a picture) leave it open.
    leaf, reason: of the first leaf that fails it, in the order in which they were asked.
    short: every leaf that fell short, where all were asked.
    """

    passed: bool | None
    leaf: str = ""
    reason: str = ""
    short: tuple[str, ...] = ()


class Judge:
    """Judges decks by one case's rubric. Raises DeckRejected where its original can't be opened.

    sandbox: gives the sandbox when code must run.
    """

    def __init__(self, case: Case, original: bytes, sandbox: Callable[[], Sandbox]) -> None:
        # Without budgets: what a run took is nothing that a deck tells.
        self.case = replace(case, rubric=replace(case.rubric, gates=()))
        self._data = original
        self._sandbox = sandbox
        self._old = _opened(original)
        self._before: Deck = look_at(Side(self._old))
        leaves = self.case.rubric.leaves
        # Cheapest first to settle most: what else changed, then places and looks, then guards, then code.
        self._leaves = sorted(leaves, key=_turn)
        self._worst_first = [leaf for leaf in self._leaves if leaf.is_critical]

    def world(self, deck: Any) -> World:
        """The world of the original and a deck: a file's bytes, or open already. Raises DeckRejected."""
        new = _opened(deck)
        sides = Side(self._old), Side(new)
        diff, account = compare_sides(*sides, Account)
        return make_world(sides, (self._old, new), diff, account, before=self._before)

    def outcome(self, deck: Any, *, all_leaves: bool = False) -> Outcome:
        """Judge a deck, as `world` takes it. all_leaves: go on after the first critical leaf that fails it."""
        try:
            world = self.world(deck)
        except DeckRejected as refused:
            return Outcome(False, reason=f"the deck {refused}")
        results: dict[str, LeafResult] = {}
        first: tuple[str, str] | None = None
        for leaf in (*self._worst_first, *(one for one in self._leaves if not one.is_critical)):
            result = self._judged(leaf, deck, world)
            results[leaf.id] = result
            short = result.score is not None and result.score < 1
            if short and first is None:
                first = leaf.id, result.reason
            if short and leaf.is_critical and not all_leaves:
                return Outcome(False, leaf.id, result.reason)
        verdict = conclude(self.case, results, resolve(self.case, Rules())).verdict
        passed = {"passed": True, "failed": False}.get(verdict.outcome)
        if passed is None:
            open_leaf = next((leaf for leaf, one in results.items() if one.score is None), "")
            first = first or (open_leaf, results[open_leaf].reason if open_leaf else "")
        leaf_id, reason = first or ("", "")
        return Outcome(passed, leaf_id, reason, tuple(n for n, one in results.items() if (one.score or 0) < 1))

    def is_allowed(self, deck: Any) -> bool:
        """Whether all that differs from the original is what the rubric's own `changes` leaves let differ."""
        leaves = [leaf for leaf in self._leaves if "changes" in leaf.scorer.args and leaf.scorer.type == "deck"]
        if not leaves:
            return False
        try:
            world = self.world(deck)
        except DeckRejected:
            return False
        return all(self._judged(leaf, deck, world).score == 1 for leaf in leaves)

    def _judged(self, leaf: Leaf, deck: Any, world: World) -> LeafResult:
        if leaf.scorer.type != "deck":
            return self._confined(leaf, deck)
        try:
            reason, score = judge(dict(leaf.scorer.args), world)
        except _FAULTS as error:
            return LeafResult(status="error", reason=f"{type(error).__name__}: {error}")
        return LeafResult(status="scored", score=score, reason=reason)

    def _confined(self, leaf: Leaf, deck: Any) -> LeafResult:
        """A leaf of another type: code, which may ask for pictures or a model, and has none here."""
        from pytest_ppteval.evidence.evidence import Evidence
        from pytest_ppteval.grade import grade
        from pytest_ppteval.grade.means import Means

        with tempfile.TemporaryDirectory(prefix="ppteval-check-") as folder:
            before, after = Path(folder) / "original.pptx", Path(folder) / "output.pptx"
            before.write_bytes(self._data)
            if isinstance(deck, bytes):
                after.write_bytes(deck)
            else:
                deck.save(str(after))
            with Evidence(self._sandbox(), str(before), str(after), case=self.case) as evidence:
                evidence.leaves = [leaf]
                return grade(leaf, evidence, Means())


def differs(before: Any, after: Any) -> bool:
    """Whether anybody could tell one deck from the other, as Judge.world takes them. Raises DeckRejected."""
    old, new = _opened(before), _opened(after)
    sides = Side(old), Side(new)
    diff, account = compare_sides(*sides, Account)
    return next(seen_changes(make_world(sides, (old, new), diff, account)), None) is not None


def _opened(deck: Any) -> Any:
    if not isinstance(deck, bytes):
        return deck
    check(deck)
    return open_deck(deck)


def _turn(leaf: Leaf) -> int:
    if leaf.scorer.type != "deck":
        return 3
    return 0 if "changes" in leaf.scorer.args else 2 if "guard" in leaf.scorer.args else 1
