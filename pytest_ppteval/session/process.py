"""What one process of a session holds: options, sandbox, renderer, model. Each is made on first use."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import uuid
from typing import TYPE_CHECKING, Any

from pytest_ppteval.session.stash import (
    JUDGE,
    OPTIONS,
    PRELOADED,
    RUN_FOLDER,
    SANDBOX,
    SHARED_FOLDER,
    STUDIO,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.model.judge import Judge
    from pytest_ppteval.picture.renderers import NoRenderer
    from pytest_ppteval.picture.studio import Studio
    from pytest_ppteval.rubric.result import Usage
    from pytest_ppteval.sandbox.host import Sandbox
    from pytest_ppteval.session.options import Options

# What xdist's controller tells its workers: the folder that they share.
SHARED = "ppteval_shared"
# The same of the run directory that this session made or goes on with.
RUN = "ppteval_run"
SLOW_IMPORTS = ("numpy", "asyncio")
# What deck leaves are judged with.
VOCABULARY = "pytest_ppteval.vocabulary.whole"


def options_of(config: pytest.Config) -> Options:
    """The options of this run. Raises pytest.UsageError naming the option that is wrong and what it takes."""
    if OPTIONS not in config.stash:
        from pytest_ppteval.session.options import read_options

        config.stash[OPTIONS] = read_options(config)
    return config.stash[OPTIONS]


def share_with(node: Any) -> None:
    """Tell an xdist worker the folder of recordings, limits and accounts: it is made once something is asked."""
    name = f"ppteval-run-{uuid.uuid4().hex}"
    if RUN_FOLDER in node.config.stash:
        node.workerinput[RUN] = node.config.stash[RUN_FOLDER]
    node.workerinput[SHARED] = node.config.stash.setdefault(SHARED_FOLDER, os.path.join(tempfile.gettempdir(), name))


def hide_from_workers(config: pytest.Config) -> None:
    """Keep this process's environment, which may hold a key, from leaves where Landlock doesn't (Linux).

    A process that runs leaves itself does so when its sandbox starts.
    """
    from pytest_ppteval.sandbox.confine.policy import make_plan

    mode = options_of(config).sandbox
    plan = make_plan("off" if mode == "off" else "auto")[0]
    if sys.platform == "linux" and plan.privileges and not plan.landlock:
        from pytest_ppteval.sandbox.confine import linux

        linux.prctl(linux.PR_SET_DUMPABLE, 0)


def judge_of(config: pytest.Config) -> Judge:
    """This process's built-in model."""
    if JUDGE not in config.stash:
        from pathlib import Path

        from pytest_ppteval.model.judge import Judge

        shared = getattr(config, "workerinput", {}).get(SHARED) or config.stash.get(SHARED_FOLDER, None)
        config.stash[JUDGE] = Judge(options_of(config).model, Path(shared) if shared else None, display=config.rootpath)
    return config.stash[JUDGE]


def judging_of(config: pytest.Config) -> Usage | None:
    """What the session has asked of models, in all of its processes, superseded attempts included; None: nothing."""
    if JUDGE not in config.stash and not os.path.isdir(config.stash.get(SHARED_FOLDER, "")):
        return None
    return judge_of(config).totals()


def sandbox_of(config: pytest.Config) -> Sandbox:
    """This process's sandbox."""
    if SANDBOX not in config.stash:
        start_sandbox(config, ())
    return config.stash[SANDBOX]


def start_sandbox(config: pytest.Config, cases: Iterable[Case]) -> None:
    """Start the sandbox's processes in the background, with what the leaves of `cases` import.

    Called as each file is collected, so that the start hides behind collection. A later file whose leaves import what
    the processes lack has them started anew.
    """
    from pytest_ppteval.sandbox.host import Limits, Sandbox

    wanted = imports_of_leaves(cases)
    running = config.stash.get(SANDBOX, None)
    if running is not None:
        if wanted <= config.stash[PRELOADED]:
            return
        wanted |= config.stash[PRELOADED]
        running.close()
    options = options_of(config)
    limits = Limits(wall=options.leaf_timeout, calls=options.leaf_calls, images=options.leaf_pictures)
    sandbox = Sandbox(options.sandbox, limits=limits, preload=wanted)
    config.stash[SANDBOX], config.stash[PRELOADED] = sandbox, wanted
    if not config.option.collectonly:
        sandbox.start()


def imports_of_leaves(cases: Iterable[Case]) -> frozenset[str]:
    """The slow modules that some leaf imports: worth having in the sandbox before it asks."""
    from pytest_ppteval.sandbox.source.code import imports_of

    found: set[str] = set()
    for case in cases:
        for leaf in case.rubric.leaves:
            if leaf.scorer.type == "deck":
                found.add(VOCABULARY)
            code = leaf.scorer.args.get("function_code")
            # Parsing ten thousand leaves would take longer than it saves; most import nothing slow.
            if isinstance(code, str) and any(name in code for name in SLOW_IMPORTS):
                found |= {name for name in imports_of(code) if name.partition(".")[0] in SLOW_IMPORTS}
    return frozenset(found)


def studio_of(config: pytest.Config) -> Studio | NoRenderer:
    """This process's renderer of slides; nothing is started before a picture is looked at."""
    if STUDIO not in config.stash:
        from pytest_ppteval.picture.renderers import NoRenderer, choose
        from pytest_ppteval.picture.studio import Studio
        from pytest_ppteval.sandbox.confine.policy import make_plan

        options = options_of(config)
        renderer = choose(options.renderer)
        cache = getattr(config, "cache", None)
        folder = options.cache or (cache.mkdir("ppteval") if cache is not None else None)
        config.stash[STUDIO] = (
            renderer
            if isinstance(renderer, NoRenderer)
            else Studio(renderer, folder, make_plan("off" if options.sandbox == "off" else "auto")[0])
        )
    return config.stash[STUDIO]


def close(config: pytest.Config) -> None:
    """End the sandbox's processes, the renderer's, and what the model's calls held open."""
    if (sandbox := config.stash.get(SANDBOX, None)) is not None:
        sandbox.close()
    if (judge := config.stash.get(JUDGE, None)) is not None:
        judge.close()
    if SHARED_FOLDER in config.stash:
        shutil.rmtree(config.stash[SHARED_FOLDER], ignore_errors=True)
    studio = config.stash.get(STUDIO, None)
    if studio is not None and not isinstance(studio, tuple):
        studio.close()
