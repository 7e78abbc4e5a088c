"""What comes next: its decks are opened, and its first leaves begin, while the leaves of the task before it run.

Nothing depends on it. A guess that turns out wrong (a fixture of the user's names another deck, say) is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.session.process import options_of, sandbox_of, studio_of
from pytest_ppteval.session.run_directory import runs_of
from pytest_ppteval.session.selection import codes_of, fixtures_of, selected_leaves
from pytest_ppteval.session.stash import DECKS, FOLLOWING, case_of, task_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pytest

    from pytest_ppteval.evidence.evidence import Evidence

# Looking for the outputs of more tasks than these takes longer than it saves.
MOST = 1000
_PICTURES = ("original_ppt_screenshots", "modified_ppt_screenshots")


def start_renderer(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Start the renderer in the background where the first task that looks at pictures will need one.

    Not where agents run first: they take their time, and the renderer's memory.
    """
    from pytest_ppteval.case.paths import own_deck
    from pytest_ppteval.picture.source import prepare

    if config.option.collectonly or config.option.setuponly or config.option.setupplan:
        return
    runs = runs_of(config)
    if runs is not None and runs.agent is not None:
        return
    original = "original_ppt_screenshots"
    for item in items:
        case = case_of(item)
        if case is not None and case.original is not None and original in fixtures_of(item):
            if case.original.is_file():
                prepare(studio_of(config), {original: own_deck(case.original)}, codes_of(item))
            return


def foresee(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Tell the sandbox which decks will be judged: an original that several tasks share is opened once."""
    tasks = [(item, task) for item in items if (task := task_of(item)) is not None and task.stored is None]
    runs = runs_of(config)
    if not tasks or len(tasks) > MOST or runs is not None or config.option.collectonly:
        return  # of a session that is kept the run's folder is known once it is made
    from pytest_ppteval.case.paths import own_deck
    from pytest_ppteval.evidence.outputs import find_output

    options = options_of(config)
    for item, task in tasks:
        named = options.original or task.case.original
        if named is None:
            continue
        original = own_deck(named)
        number = task.trial.number if task.trial.planned > 1 else None
        modified = options.modified or find_output(task.case, options.outputs, options.baselines, number).deck
        if modified is not None and original.is_file() and modified.is_file():
            item.stash[DECKS] = original, modified
    if pairs := [item.stash[DECKS] for item, _ in tasks if DECKS in item.stash]:
        sandbox_of(config).foresee(pairs)


def look_ahead(item: pytest.Item, evidence: Evidence) -> None:
    """Have the sandbox begin with the task after `item`, whose own decks are opened first."""
    following = item.stash.get(FOLLOWING, None)
    if following is None or DECKS not in following.stash or DECKS not in item.stash:
        return
    if any(name in fixtures_of(following) for name in _PICTURES):
        return
    from pytest_ppteval.grade.function import expect
    from pytest_ppteval.sandbox.host import DeckUnusable, SandboxError

    try:
        evidence.session.ready()
        expect(sandbox_of(item.config), *following.stash[DECKS], selected_leaves(following))
    except (DeckUnusable, SandboxError):
        return  # each leaf that needs it says so
