"""pytest's door: hooks and options, nothing else lives here.

pytest imports this module in every run of its user, rubrics or not: only light modules may be imported at its top, and
a hook does nothing until something of ours has been collected.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.session.declare import add_options, is_asked
from pytest_ppteval.session.process import close, options_of, share_with
from pytest_ppteval.session.reporter import SessionReport
from pytest_ppteval.session.selection import take_leaf_arguments
from pytest_ppteval.session.stash import FOLLOWING, RUNS, TASK, task_of

# The fixtures live in their own module; pytest finds them through this one.
from pytest_ppteval.session.fixtures import (  # isort: skip
    MARKER,
    llm_call as llm_call,
    modified_ppt_path as modified_ppt_path,
    modified_ppt_screenshots as modified_ppt_screenshots,
    original_ppt_path as original_ppt_path,
    original_ppt_screenshots as original_ppt_screenshots,
    ppt_diff as ppt_diff,
    ppteval_case as ppteval_case,
    ppteval_evidence as ppteval_evidence,
    ppteval_trial as ppteval_trial,
    trace as trace,
    vlm_call as vlm_call,
)

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_ENDINGS = (".json", ".yaml", ".yml")
# The module that is imported once a file of ours is collected.
_ITEMS = "pytest_ppteval.session.item"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the --ppteval-... options."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read the options where any is given, so that a wrong one stops the run, and take leaves out of the arguments."""
    config.addinivalue_line("markers", MARKER)
    if is_asked(config):
        options_of(config)
        if not (config.option.help or config.option.version):
            from pytest_ppteval.session.run_directory import runs_of

            runs_of(config)  # trouble with it stops the run early
    take_leaf_arguments(config)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SessionReport(config), "ppteval-report")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say that the session's runs are over, and end the processes that were started for it."""
    if RUNS in config.stash:
        from pytest_ppteval.session.run_directory import close_runs

        close_runs(config)
    close(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let xdist's workers share recordings, limits and accounts."""
    share_with(node)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Task registries, task folders and rubric files."""
    if not file_path.name.endswith(_ENDINGS):
        return None
    from pytest_ppteval.case.discover import kind_of

    kind = kind_of(file_path, named=parent.session.isinitpath(file_path))
    if kind is None:
        return None
    from pytest_ppteval.session.collect import RubricFile

    # pytest calls a file outside the rootdir "": its tasks would be "::name", and those of two such files the same.
    root = parent.config.rootpath
    own: dict[str, Any] = {} if file_path.is_relative_to(root) else {"nodeid": file_path.as_posix()}
    collector = RubricFile.from_parent(parent, path=file_path, **own)
    collector.kind = kind
    return collector


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A task that is tried several times becomes several items."""
    if hasattr(metafunc.function, "ppteval_case"):
        from pytest_ppteval.session.collect import add_trials

        add_trials(metafunc)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, None, None]:
    """Deselect tasks without a wanted leaf, and rubric files that a registry in the same run already judges.

    Cases that did not load stay, whatever else is deselected, and come first.
    """
    if _ITEMS not in sys.modules:
        yield
        return
    from pytest_ppteval.session.selection import deselect
    from pytest_ppteval.session.wrong import set_aside

    wrong = set_aside(items)
    dropped = deselect(config, items)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
    yield
    items[:0] = wrong


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start what the first tasks will need."""
    if _ITEMS in sys.modules:
        from pytest_ppteval.session.lookahead import foresee, start_renderer

        start_renderer(session.config, session.items)
        foresee(session.config, session.items)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Let a task know which one comes next."""
    if TASK in item.stash:
        item.stash[FOLLOWING] = nextitem


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put what a task and its leaves came to on their reports, as builtins that cross from xdist's workers."""
    report = yield
    if (task := task_of(item)) is not None:
        from pytest_ppteval.session.attach import attach

        attach(item, task, report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_report_teststatus(
    report: pytest.CollectReport | pytest.TestReport, config: pytest.Config
) -> Generator[None, Any, Any]:
    """Words and letters for leaves and for tasks that are undetermined."""
    status = yield
    if not any(hasattr(report, f"ppteval_{what}") for what in ("leaf", "task", "trials")):
        return status
    from pytest_ppteval.report.terminal import leaf_status

    return leaf_status(report, config, status)
