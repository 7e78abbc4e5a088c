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
    trace as trace,
    vlm_call as vlm_call,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.model.judge import Judge
    from pytest_ppteval.picture.renderers import NoRenderer
    from pytest_ppteval.picture.studio import Studio
    from pytest_ppteval.rubric.result import Usage
    from pytest_ppteval.sandbox.host import Sandbox

# The modules among those that leaves import which the sandbox's processes hold ready.
PRELOADED: pytest.StashKey[AbstractSet[str]] = pytest.StashKey()
SANDBOX: pytest.StashKey[Sandbox] = pytest.StashKey()
JUDGE: pytest.StashKey[Judge] = pytest.StashKey()
STUDIO: pytest.StashKey[Studio | NoRenderer] = pytest.StashKey()
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
    """End the sandbox's processes, the renderer's, and what the model's calls held open."""
    sandbox = config.stash.get(SANDBOX, None)
    if sandbox is not None:
        sandbox.close()
    judge = config.stash.get(JUDGE, None)
    if judge is not None:
        judge.close()
    if SHARED_FOLDER in config.stash:
        shutil.rmtree(config.stash[SHARED_FOLDER], ignore_errors=True)
    studio = config.stash.get(STUDIO, None)
    if studio is not None and not isinstance(studio, tuple):
        studio.close()


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
    """This process's sandbox, made on first use."""
    if SANDBOX not in config.stash:
        start_sandbox(config, ())
    return config.stash[SANDBOX]


def start_sandbox(config: pytest.Config, cases: Iterable[Case]) -> None:
    """Start the sandbox's processes in the background, with what the leaves of `cases` import.

    Called as each file is collected, so that the start hides behind collection. A later file whose leaves import what
    the processes lack has them started anew.
    """
    from pytest_ppteval.items import OPTIONS, imports_of_leaves
    from pytest_ppteval.sandbox.host import Limits, Sandbox

    wanted = imports_of_leaves(cases)
    running = config.stash.get(SANDBOX, None)
    if running is not None:
        if wanted <= config.stash[PRELOADED]:
            return
        wanted |= config.stash[PRELOADED]
        running.close()
    options = config.stash[OPTIONS]
    sandbox = Sandbox(options.sandbox, limits=Limits(wall=options.leaf_timeout), preload=wanted)
    config.stash[SANDBOX], config.stash[PRELOADED] = sandbox, wanted
    if not config.option.collectonly:
        sandbox.start()


def studio_of(config: pytest.Config) -> Studio | NoRenderer:
    """This process's renderer of slides, made on first use; nothing is started before a picture is looked at."""
    if STUDIO not in config.stash:
        from pytest_ppteval.items import OPTIONS
        from pytest_ppteval.picture.renderers import NoRenderer, choose
        from pytest_ppteval.picture.studio import Studio
        from pytest_ppteval.sandbox.policy import make_plan

        options = config.stash[OPTIONS]
        renderer = choose(options.renderer)
        cache = getattr(config, "cache", None)
        folder = options.cache or (cache.mkdir("ppteval") if cache is not None else None)
        config.stash[STUDIO] = (
            renderer
            if isinstance(renderer, NoRenderer)
            else Studio(renderer, folder, make_plan("off" if options.sandbox == "off" else "auto")[0])
        )
    return config.stash[STUDIO]


def pytest_report_header(config: pytest.Config) -> list[str]:
    """How far rubric code is confined on this machine, what draws slides, and which model is asked."""
    from pytest_ppteval.items import OPTIONS
    from pytest_ppteval.picture.renderers import NoRenderer, choose
    from pytest_ppteval.report.judging import header
    from pytest_ppteval.sandbox.policy import probe

    options = config.stash[OPTIONS]
    # A level that is required and not to be had stops the run once there is a task, not here: there may be none.
    level = probe("off" if options.sandbox == "off" else "auto")
    renderer = choose(options.renderer)
    why = f" ({renderer.reason})" if isinstance(renderer, NoRenderer) else ""
    return [
        f"ppteval: sandbox {level}",
        f"ppteval: renderer {renderer}{why}",
        f"ppteval: {header(options.model, config.rootpath)}",
    ]


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
