"""--ppteval-check: an item a task, which passes where nothing is wrong with its rubric."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.session.process import options_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.case.model import Case

COUNTEREXAMPLES = "counterexamples"


class RubricFaultError(Exception):
    """Something is wrong with a rubric: a line for each finding."""


class CheckItem(pytest.Item):
    """A task's rubric, to be tried. cases: of its file, whose outputs it must not let pass."""

    def __init__(self, *, case: Case, cases: Sequence[Case], **more: Any) -> None:
        super().__init__(**more)
        self._case, self._cases = case, cases

    @classmethod
    def of(cls, function: pytest.Function, cases: Sequence[Case]) -> CheckItem:
        """In the place of a task's own item, with its marks."""
        assert function.parent is not None
        name = function.originalname
        item: CheckItem = cls.from_parent(function.parent, name=name, case=function.obj.ppteval_case, cases=cases)
        for mark in function.own_markers:
            if mark.name not in ("usefixtures", "parametrize"):
                item.add_marker(getattr(pytest.mark, mark.name))
        return item

    def runtest(self) -> None:
        """Raises RubricFaultError."""
        from pytest_ppteval.check.suite import Wanted, check_case, fails, lines

        found = check_case(
            self._case,
            self._cases,
            Wanted(
                paths=(),
                baselines=options_of(self.config).baselines,
                counterexamples=self.config.rootpath / COUNTEREXAMPLES,
            ),
        )
        said = "\n".join(lines(found))
        if fails(found):
            raise RubricFaultError(said)
        if said:
            self.add_report_section("call", "findings", said)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The findings alone."""
        return str(excinfo.value) if excinfo.errisinstance(RubricFaultError) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Where the task is written."""
        source = self._case.source
        return Path(self.config.rootpath / source.path), source.line - 1, f"check of {self.name}"
