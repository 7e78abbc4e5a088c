"""What the tests of bad input share: what a user is shown, in full and nothing of this package's own code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def assert_shown(result: pytest.RunResult, *lines: str) -> None:
    """Each of `lines` is a line of the output as it stands here, and no Python traceback is shown."""
    for line in lines:
        assert line in result.outlines, line
    for sign in ("Traceback", "pytest_ppteval/", "INTERNALERROR", "Warning"):
        assert not [line for line in result.outlines if sign in line]
