"""Which leaves a run asks for, by node id or by pattern, and which items that leaves."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.session.process import options_of
from pytest_ppteval.session.stash import LEAVES_BY_NODE_ID, case_of, task_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_ppteval.rubric.tree import Leaf


def take_leaf_arguments(config: pytest.Config) -> None:
    """Take leaves out of the session's arguments, which pytest would look for as files and functions."""
    # xdist hands its workers the arguments as they were typed, so that this runs alike in each process.
    arguments = list(config.args)
    if rubrics := config.getoption("ppteval_rubric"):
        typed = config.args_source is pytest.Config.ArgsSource.ARGS
        arguments = [*(arguments if typed else []), *rubrics]
    elif not any(argument.count("::") > 1 for argument in arguments):
        return
    from pytest_ppteval.case.discover import kind_of

    kept, named = split_leaf_arguments(
        arguments, config.invocation_params.dir, lambda path: kind_of(path, named=True) is not None
    )
    config.args[:] = kept
    config.stash[LEAVES_BY_NODE_ID] = named


def selected_leaves(item: pytest.Item) -> list[Leaf]:
    """The leaves that this run asks for of a task: all, unless node ids or --ppteval-leaf name some."""
    case = case_of(item)
    if case is None:
        return []
    by_id = item.config.stash.get(LEAVES_BY_NODE_ID, {})
    named = {leaf for name in names_of(item) for leaf in by_id.get((str(item.path), name), ())}
    patterns = options_of(item.config).leaves
    return [
        leaf
        for leaf in case.rubric.leaves
        if (not named or leaf.id in named)
        and (not patterns or any(leaf.id == pattern or fnmatchcase(leaf.id, pattern) for pattern in patterns))
    ]


def names_of(item: pytest.Item) -> tuple[str, ...]:
    """What an item is called: with its parameters, and without."""
    return (item.name, getattr(item, "originalname", item.name))


def fixtures_of(item: pytest.Item) -> Sequence[str]:
    """The names of the fixtures that an item is set up with."""
    return item.fixturenames if isinstance(item, pytest.Function) else ()


def codes_of(item: pytest.Item) -> list[str]:
    """The code of the leaves that an item judges; none where it is no task, or its judgement is stored."""
    task = task_of(item)
    if task is None or task.stored is not None:
        return []
    return [str(leaf.scorer.args.get("function_code", "")) for leaf in selected_leaves(item)]


def split_leaf_arguments(
    arguments: Iterable[str], base: Path, is_ours: Callable[[Path], bool]
) -> tuple[list[str], dict[tuple[str, str], set[str]]]:
    """Arguments with the leaf taken off (tasks.json::task::leaf), and the leaves that were named, by (path, task)."""
    kept: dict[str, None] = {}
    named: dict[tuple[str, str], set[str]] = {}
    for argument in arguments:
        path, _, rest = str(argument).partition("::")
        task, separator, leaf = rest.partition("::")
        full = Path(os.path.abspath(base / path))
        if separator and is_ours(full):
            named.setdefault((str(full), task), set()).add(leaf)
            argument = f"{path}::{task}"
        kept.setdefault(str(argument))
    return list(kept), named


def deselect(config: pytest.Config, items: list[pytest.Item]) -> list[pytest.Item]:
    """Take out of `items`, and return, tasks without a wanted leaf and rubrics that a registry's task judges anyway.

    Raises pytest.UsageError where a leaf is named that no collected task has.
    """
    named = config.stash.get(LEAVES_BY_NODE_ID, {})
    for (path, task), leaves in named.items():
        for item in items:
            case = case_of(item)
            if case is not None and str(item.path) == path and task in names_of(item):
                known = {leaf.id for leaf in case.rubric.leaves}
                if unknown := sorted(leaves - known):
                    raise pytest.UsageError(f"not found: leaf {unknown[0]!r} of {item.nodeid}; it has {sorted(known)}")
    # A rubric that stands in its own file may be named by a registry too: it is one task, judged once, with its deck.
    cases = [(item, case) for item in items if (case := case_of(item)) is not None]
    by_registry = {case.rubric.source.path for item, case in cases if not is_lone_rubric(item)}
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        case = case_of(item)
        if case is not None and (
            not selected_leaves(item) or (is_lone_rubric(item) and case.rubric.source.path in by_registry)
        ):
            dropped.append(item)
        else:
            kept.append(item)
    items[:] = kept
    return dropped


def is_lone_rubric(item: pytest.Item) -> bool:
    """Whether the item's file is a rubric itself, not a registry that names one."""
    return getattr(item.parent, "kind", None) == "rubric"
