"""What comes next: its decks are opened, and its first leaves begin, while the leaves of the task before it run.

Nothing depends on it. A guess that turns out wrong (a fixture of the user's names another deck, say) is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.session.item import TaskItem
from pytest_ppteval.session.process import options_of, sandbox_of
from pytest_ppteval.session.run_directory import runs_of
from pytest_ppteval.session.selection import selected_leaves

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_ppteval.evidence.evidence import Evidence

# The original deck and the one to judge, of an item whose decks are on disk already.
DECKS: pytest.StashKey[tuple[Path, Path]] = pytest.StashKey()
# Looking for the outputs of more tasks than these takes longer than it saves.
MOST = 1000
_PICTURES = ("original_ppt_screenshots", "modified_ppt_screenshots")


def foresee(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Tell the sandbox which decks will be judged: an original that several tasks share is opened once."""
    tasks = [item for item in items if isinstance(item, TaskItem) and item.stored is None]
    runs = runs_of(config)
    if not tasks or len(tasks) > MOST or runs is not None or config.option.collectonly:
        return  # of a session that is kept the run's folder is known once it is made
    from pytest_ppteval.case.paths import own_deck
    from pytest_ppteval.evidence.outputs import find_output

    options = options_of(config)
    for item in tasks:
        named = options.original or item.case.original
        if named is None:
            continue
        original = own_deck(named)
        number = item.trial.number if item.trial.planned > 1 else None
        modified = options.modified or find_output(item.case, options.outputs, options.baselines, number).deck
        if modified is not None and original.is_file() and modified.is_file():
            item.stash[DECKS] = original, modified
    if pairs := [item.stash[DECKS] for item in tasks if DECKS in item.stash]:
        sandbox_of(config).foresee(pairs)


def look_ahead(item: TaskItem, evidence: Evidence) -> None:
    """Have the sandbox begin with the task after `item`, whose own decks are opened first."""
    following = item.following
    if not isinstance(following, TaskItem) or DECKS not in following.stash or DECKS not in item.stash:
        return
    if any(name in following.fixturenames for name in _PICTURES):
        return
    from pytest_ppteval.grade.function import expect
    from pytest_ppteval.sandbox.host import DeckUnusable, SandboxError

    try:
        evidence.session.ready()
        expect(sandbox_of(item.config), *following.stash[DECKS], selected_leaves(following))
    except (DeckUnusable, SandboxError):
        return  # each leaf that needs it says so
