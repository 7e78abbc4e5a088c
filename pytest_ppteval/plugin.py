"""pytest's door: hooks and options, nothing else lives here.

pytest imports this module in every run of its user, rubrics or not: only light modules may be imported at its top.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.options import add_options, read_options

# The fixtures live in their own module; pytest finds them through this one.
from pytest_ppteval.fixtures import (  # isort: skip
    MARKER,
    llm_call as llm_call,
    modified_ppt_path as modified_ppt_path,
    modified_ppt_screenshots as modified_ppt_screenshots,
    original_ppt_path as original_ppt_path,
    original_ppt_screenshots as original_ppt_screenshots,
    ppt_diff as ppt_diff,
    ppteval_case as ppteval_case,
    ppteval_evidence as ppteval_evidence,
    vlm_call as vlm_call,
)

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from pytest_ppteval.model.judge import Judge
    from pytest_ppteval.rubric.result import Usage
    from pytest_ppteval.sandbox.host import Sandbox

SANDBOX: pytest.StashKey[Sandbox] = pytest.StashKey()
JUDGE: pytest.StashKey[Judge] = pytest.StashKey()
# What xdist's controller tells its workers: the folder that they share.
SHARED = "ppteval_shared"
SHARED_FOLDER = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the --ppteval-... options."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read the options, once, and take leaves out of the arguments."""
    from pytest_ppteval.case.discover import kind_of
    from pytest_ppteval.items import KNOWN_MARKERS, LEAVES_BY_NODE_ID, OPTIONS, split_leaf_arguments

    config.addinivalue_line("markers", MARKER)
    options = config.stash[OPTIONS] = read_options(config)
    config.stash[KNOWN_MARKERS] = set()
    # xdist hands its workers the arguments as they were typed, so that this runs alike in each process.
    arguments = list(config.args)
    if options.rubrics:
        typed = config.args_source is pytest.Config.ArgsSource.ARGS
        arguments = [*(arguments if typed else []), *options.rubrics]
    kept, named = split_leaf_arguments(
        arguments, config.invocation_params.dir, lambda path: kind_of(path, named=True) is not None
    )
    config.args[:] = kept
    config.stash[LEAVES_BY_NODE_ID] = named
    if not hasattr(config, "workerinput"):
        from pytest_ppteval.report.session import SessionReport

        config.pluginmanager.register(SessionReport(config, options), "ppteval-report")


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the sandbox's processes, and what the model's calls held open."""
    sandbox = config.stash.get(SANDBOX, None)
    if sandbox is not None:
        sandbox.close()
    judge = config.stash.get(JUDGE, None)
    if judge is not None:
        judge.close()
    if SHARED_FOLDER in config.stash:
        shutil.rmtree(config.stash[SHARED_FOLDER], ignore_errors=True)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let xdist's workers share recordings, limits and accounts: in a folder that is made once something is asked."""
    name = f"ppteval-run-{uuid.uuid4().hex}"
    node.workerinput[SHARED] = node.config.stash.setdefault(SHARED_FOLDER, os.path.join(tempfile.gettempdir(), name))


def judge_of(config: pytest.Config) -> Judge:
    """This process's built-in model, made on first use."""
    if JUDGE not in config.stash:
        from pathlib import Path

        from pytest_ppteval.items import OPTIONS
        from pytest_ppteval.model.judge import Judge

        shared = getattr(config, "workerinput", {}).get(SHARED) or config.stash.get(SHARED_FOLDER, None)
        config.stash[JUDGE] = Judge(
            config.stash[OPTIONS].model, Path(shared) if shared else None, display=config.rootpath
        )
    return config.stash[JUDGE]


def judging_of(config: pytest.Config) -> Usage:
    """What the session has asked of models, in all of its processes, superseded attempts included."""
    from pytest_ppteval.rubric.result import Usage

    if JUDGE not in config.stash and not os.path.isdir(config.stash.get(SHARED_FOLDER, "")):
        return Usage()  # nothing was asked
    return judge_of(config).totals()


def sandbox_of(config: pytest.Config) -> Sandbox:
    """This process's sandbox, made on first use. Its processes start in the background."""
    if SANDBOX not in config.stash:
        from pytest_ppteval.items import OPTIONS
        from pytest_ppteval.sandbox.host import Limits, Sandbox

        options = config.stash[OPTIONS]
        config.stash[SANDBOX] = Sandbox(options.sandbox, limits=Limits(wall=options.leaf_timeout))
    return config.stash[SANDBOX]


def pytest_report_header(config: pytest.Config) -> list[str]:
    """How far rubric code is confined on this machine, and which model is asked."""
    from pytest_ppteval.items import OPTIONS
    from pytest_ppteval.report.judging import header
    from pytest_ppteval.sandbox.policy import probe

    options = config.stash[OPTIONS]
    return [f"ppteval: sandbox {probe(options.sandbox)}", f"ppteval: {header(options.model, config.rootpath)}"]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Task registries, task folders and rubric files."""
    from pytest_ppteval.case.discover import kind_of

    kind = kind_of(file_path, named=parent.session.isinitpath(file_path))
    if kind is None:
        return None
    from pytest_ppteval.items import RubricFile

    collector = RubricFile.from_parent(parent, path=file_path)
    collector.kind = kind
    return collector


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tasks without a wanted leaf, and rubric files that a registry in the same run already judges."""
    from pytest_ppteval.items import deselect

    dropped = deselect(config, items)
    if dropped:
        config.hook.pytest_deselected(items=dropped)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start the sandbox as soon as it is known that there is something to judge."""
    from pytest_ppteval.items import TaskItem

    if not session.config.option.collectonly and any(isinstance(item, TaskItem) for item in session.items):
        sandbox_of(session.config).start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put what a task and its leaves came to on their reports, as builtins that cross from xdist's workers."""
    report = yield
    from pytest_ppteval.items import TaskItem
    from pytest_ppteval.report.attach import attach

    if isinstance(item, TaskItem):
        attach(item, report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_report_teststatus(
    report: pytest.CollectReport | pytest.TestReport, config: pytest.Config
) -> Generator[None, Any, Any]:
    """Words and letters for leaves and for tasks that are undetermined."""
    status = yield
    if not hasattr(report, "ppteval_leaf") and not hasattr(report, "ppteval_task"):
        return status
    from pytest_ppteval.report.terminal import leaf_status

    return leaf_status(report, config, status)
