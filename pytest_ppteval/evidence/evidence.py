"""All that is known of one run, each piece computed once, on first use."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.changes import difference, signature
from pytest_ppteval.evidence.measure import measure
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.picture.lazy import LazyScreenshots
from pytest_ppteval.picture.model import MissingScreenshots, SlideScreenshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.deck.model import PowerPointDiff
    from pytest_ppteval.evidence.measure import Measure
    from pytest_ppteval.evidence.run import Lacking
    from pytest_ppteval.rubric.tree import Leaf
    from pytest_ppteval.sandbox.host import Sandbox, TaskSession

_NAMES = {"original": "the original deck", "modified": "the agent's deck"}
NOT_ASKED_FOR = MissingScreenshots("no leaf of this task asks for pictures")


class Evidence:
    """The decks of one run and what follows from them; its trace, response and workspace. Close it when it is judged.

    original, modified: the paths as leaves see them; None where there is no such deck.
    missing: why there is nothing to judge, where there is no deck at `modified`; the caller's words, or "no such file".
    metrics: what the run cost, by name; `metrics_problem` says why they could not be read.
    run: its folder's other content (trace, response, workspace). case: what is judged, where that is known.
    baselines: the folder of the approved runs that this one may be compared with.
    shared: what graders have worked out and several leaves need, by a key of the grader's.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        original: str | None,
        modified: str | None,
        *,
        missing: str | None = None,
        metrics: Mapping[str, float] | None = None,
        metrics_problem: str | None = None,
        run: Run | None = None,
        case: Case | None = None,
        baselines: Path | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._session: TaskSession | None = None
        self._readable: tuple[Path, ...] = ()
        self.missing: str | None
        # Leaves run in a folder of their own: what they are given must not depend on ours.
        self.original = os.path.abspath(original) if original else None
        self.modified = os.path.abspath(modified) if modified else None
        if modified is not None and not os.path.lexists(modified):
            self.missing = missing or f"no deck to judge: no such file: {modified}"
        else:
            self.missing = missing if modified is None else None
        # Taken before anything reads them.
        self._decks = {"original": self.original, "modified": self.modified}
        self._signatures = {which: signature(path) for which, path in self._decks.items()}
        self.metrics: Mapping[str, float] = metrics or {}
        self.metrics_problem = metrics_problem
        self.run = run or Run(None)
        self._files = self.run.signatures()
        self.case = case
        self.baselines = baselines
        self.shared: dict[object, object] = {}
        self.original_pictures: Sequence[SlideScreenshot] = NOT_ASKED_FOR
        self.modified_pictures: Sequence[SlideScreenshot] = NOT_ASKED_FOR
        # What will be judged, in this order, where that is known: leaves may run ahead of their turn.
        self.leaves: Sequence[Leaf] = ()
        # A diff that replaces the one of the decks: the value of a user's own `ppt_diff` fixture.
        self.diff_override: PowerPointDiff | None = None

    @property
    def session(self) -> TaskSession:
        """The confined process that holds this run's decks.

        Raises DeckUnusable where a deck can't be read, and SandboxError where the process can't be had.
        """
        wanted = tuple(self._readable_pictures())
        if self._session is not None and wanted != self._readable:
            # What a process may read is fixed at its start: pictures that turn up later need a new one.
            self._session.close()
            self._session = None
        if self._session is None:
            original = Path(self.original) if self.original else None
            modified = Path(self.modified) if self.modified else None
            self._session = self._sandbox.open(original, modified, wanted, codes_of(self.leaves))
            self._readable = wanted
        return self._session

    def leaves_after(self, leaf: Leaf) -> Sequence[Leaf]:
        """The leaves that will be judged after this one."""
        for place, other in enumerate(self.leaves):
            if other is leaf:
                return self.leaves[place + 1 :]
        return ()

    def _readable_pictures(self) -> Iterator[Path]:
        """What leaves may read for pictures: files, or the folder of those that are drawn when they are looked at."""
        for shots in (self.original_pictures, self.modified_pictures):
            if isinstance(shots, LazyScreenshots):
                shots.folder.mkdir(parents=True, exist_ok=True)
                yield shots.folder
            elif not isinstance(shots, MissingScreenshots):
                yield from (Path(shot.image_path) for shot in shots)

    def measure(self, key: str) -> Measure | Lacking:
        """What the run took: seconds, input_tokens, output_tokens, tokens, cost_usd or tool_calls."""
        return measure(key, self.metrics, self.metrics_problem, self.run)

    def changed(self) -> str | None:
        """Which deck or file of the run is another than when this was made, in one line for people; None if none is."""
        for which, path in self._decks.items():
            before, now = self._signatures[which], signature(path)
            if now != before and path is not None:
                what = "was removed" if now is None else "appeared" if before is None else "changed"
                return (
                    f"{_NAMES[which]} {what} while the task was judged, so that no verdict on it holds: "
                    f"run the task again once nothing writes to {shown(path)}"
                )
        file = difference(self._files, self.run.signatures())
        if file is None:
            return None
        return (
            f"the run's {file} while the task was judged, so that no verdict on it holds: "
            f"judge it again once nothing writes to {shown(str(self.run.folder))}"
        )

    @cached_property
    def diff(self) -> PowerPointDiff:
        """What differs between the two decks, computed in the confined process."""
        return self.session.diff()

    def close(self) -> None:
        """End the confined process, and forget what was worked out."""
        self.shared.clear()
        if self._session is not None:
            self._session.close()
            self._session = None

    def __enter__(self) -> Evidence:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def codes_of(leaves: Sequence[Leaf]) -> list[str]:
    """The code of those leaves that have some."""
    return [str(leaf.scorer.args["function_code"]) for leaf in leaves if leaf.scorer.type == "function"]


def shown(path: str) -> str:
    """The absolute `path` for people: from the current folder where it is below it."""
    here = os.getcwd() + os.sep
    return path.removeprefix(here)
