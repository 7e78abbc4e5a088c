"""Where there is no memory to open a task's decks: one clear line, the run goes on, nothing is left behind."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from sandbox_leaves import (
    Runner,
    decks,  # noqa: F401  (a fixture)
)
from sandbox_processes import descendants, gone

from pytest_ppteval.sandbox.host import DeckUnusable, Limits, Sandbox

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.sandbox.confine.policy import Mode

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory, and /proc")
TOO_LITTLE = 64 << 20  # less than Python with lxml takes


@pytest.mark.parametrize("mode", ["auto", "off"])
def test_decks_that_there_is_no_memory_for(mode: Mode, decks: tuple[Path, Path]) -> None:  # noqa: F811
    files, family = len(os.listdir("/proc/self/fd")), descendants(os.getpid())
    with Sandbox(mode, limits=Limits(memory=TOO_LITTLE)) as sandbox:
        for _ in range(2):  # the second task is told as clearly as the first
            with sandbox.open(*decks) as session:
                with pytest.raises(DeckUnusable) as caught:
                    Runner(session, decks).body("return 'ran', 1")
                assert str(caught.value) == (
                    "the original deck cannot be used: opening it needs more than the memory limit of 64 MiB"
                )
    assert len(os.listdir("/proc/self/fd")) == files
    assert gone([pid for pid in descendants(os.getpid()) if pid not in family])
