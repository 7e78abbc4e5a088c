"""All that is known of one run, each piece computed once, on first use."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.picture.model import MissingScreenshots, SlideScreenshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from pytest_ppteval.deck.model import PowerPointDiff
    from pytest_ppteval.sandbox.host import Sandbox, TaskSession

NOT_ASKED_FOR = MissingScreenshots("no leaf of this task asks for pictures")


class Evidence:
    """The decks of one run and what follows from them. Close it when the task is judged.

    original, modified: the paths as leaves see them; None where there is no such deck.
    missing: why there is nothing to judge, where there is no deck at `modified`; the caller's words, or "no such file".
    metrics: what the run cost, by name; `metrics_problem` says why they could not be read.
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
            self.missing = None
        self.metrics: Mapping[str, float] = metrics or {}
        self.metrics_problem = metrics_problem
        self.original_pictures: Sequence[SlideScreenshot] = NOT_ASKED_FOR
        self.modified_pictures: Sequence[SlideScreenshot] = NOT_ASKED_FOR
        # A diff that replaces the one of the decks: the value of a user's own `ppt_diff` fixture.
        self.diff_override: PowerPointDiff | None = None

    @property
    def session(self) -> TaskSession:
        """The confined process that holds this run's decks.

        Raises DeckUnusable where a deck can't be read, and SandboxError where the process can't be had.
        """
        wanted = tuple(Path(shot.image_path) for shot in self._pictures())
        if self._session is not None and wanted != self._readable:
            # What a process may read is fixed at its start: pictures that turn up later need a new one.
            self._session.close()
            self._session = None
        if self._session is None:
            original = Path(self.original) if self.original else None
            modified = Path(self.modified) if self.modified else None
            self._session = self._sandbox.open(original, modified, wanted)
            self._readable = wanted
        return self._session

    def _pictures(self) -> list[SlideScreenshot]:
        lists = (self.original_pictures, self.modified_pictures)
        return [shot for shots in lists if not isinstance(shots, MissingScreenshots) for shot in shots]

    @cached_property
    def diff(self) -> PowerPointDiff:
        """What differs between the two decks, computed in the confined process."""
        return self.session.diff()

    def close(self) -> None:
        """End the confined process."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def __enter__(self) -> Evidence:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
