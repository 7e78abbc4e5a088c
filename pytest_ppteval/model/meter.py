"""What the leaf in hand has asked so far: for its result, and to tell its questions apart."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_ppteval.rubric.result import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.model.question import Asked


class Meter:
    """One task's meter; leaves are judged one after the other."""

    def __init__(self) -> None:
        self.leaf = ""
        self.miss = ""
        # The model that gave the latest answer, as its server or its recording names it.
        self.answered_by = ""
        # Paths that may stand in prompts -> what stands for them in recordings, which must not hold a machine's paths.
        self.names: Mapping[str, str] = {}
        self._usage = Usage()
        self._questions = 0
        self._repeats: Counter[str] = Counter()

    def begin(self, leaf: str) -> None:
        """Start anew, for a leaf."""
        self.leaf = leaf
        self.miss = ""
        self._usage = Usage()
        self._questions = 0
        self._repeats.clear()

    def end(self) -> tuple[Usage, str]:
        """What the leaf has asked, and why a recording had no answer for it, in one or more lines ("" if it had)."""
        return self._usage, self.miss

    def next_question(self, asked: Asked) -> tuple[int, int]:
        """Which question of the leaf's this is, from 1, and how often it asked the very same before."""
        self._questions += 1
        repeat = self._repeats[asked.key]
        self._repeats[asked.key] += 1
        return self._questions, repeat

    def named(self, text: str) -> str:
        """`text` with the paths in it replaced by names."""
        for path in sorted(self.names, key=len, reverse=True):
            text = text.replace(path, self.names[path])
        return text

    def add(self, usage: Usage) -> None:
        """Count what a question came to."""
        self._usage += usage
