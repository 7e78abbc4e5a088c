"""What a task's leaves see, as ordinary fixtures: override any of them in a conftest.py, at any scope.

They serve ordinary Python tests too, which name their task by a marker:

    @pytest.mark.ppteval_task("cases/tasks.json", "review-003")
    def test_only_one_slide_changed(ppt_diff):
        assert len(ppt_diff.modified_slides) == 1
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.session.process import judge_of, options_of, sandbox_of, studio_of
from pytest_ppteval.session.stash import OUTPUT, PICTURES, case_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.deck.model import PowerPointDiff
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.evidence.outputs import Output
    from pytest_ppteval.picture.model import SlideScreenshot
    from pytest_ppteval.session.trials import Trial
    from pytest_ppteval.trace.model import Trace

MARKER = "ppteval_task(path, task_id=None): the task that the ppteval fixtures of this test serve"


@pytest.fixture
def ppteval_case(request: pytest.FixtureRequest) -> Case:
    """The task being judged: the item's own, or the one that the test's ppteval_task marker names."""
    judged = case_of(request.node)
    if judged is not None:
        return judged
    marker = request.node.get_closest_marker("ppteval_task")
    if marker is None:
        pytest.fail(
            'this test uses ppteval fixtures: name its task with @pytest.mark.ppteval_task("tasks.json", "task id")',
            pytrace=False,
        )
    return _marked_case(request, *marker.args, **marker.kwargs)


def _marked_case(request: pytest.FixtureRequest, path: str, task_id: str | None = None) -> Case:
    from pytest_ppteval.case.discover import kind_of
    from pytest_ppteval.case.load import load

    candidates = list(dict.fromkeys(base / path for base in (request.path.parent, request.config.rootpath)))
    found = next((candidate for candidate in candidates if candidate.is_file()), None)
    if found is None:
        pytest.fail(f"ppteval_task: no such file: {' or '.join(map(str, candidates))}", pytrace=False)
    kind = kind_of(found, named=True)
    if kind is None:
        pytest.fail(f"ppteval_task: {found} is no registry, task or rubric file (.json, .yaml)", pytrace=False)
    registry = load(found, kind)
    cases = {case.id: case for case in registry.cases}
    if task_id is None and len(cases) == 1:
        return next(iter(cases.values()))
    if task_id not in cases:
        problems = "".join(f"\n{error}" for error in registry.errors)
        wrong = f"no task {task_id!r} in {found}; it" if task_id is not None else f"name one of the tasks: {found}"
        pytest.fail(f"ppteval_task: {wrong} has {', '.join(cases) or 'none'}{problems}", pytrace=False)
    return cases[task_id]


@pytest.fixture
def ppteval_trial(request: pytest.FixtureRequest) -> int:
    """Which trial of its task this test judges, from 1."""
    trial: Trial | None = getattr(request, "param", None)
    return 1 if trial is None else trial.number


@pytest.fixture
def original_ppt_path(request: pytest.FixtureRequest, ppteval_case: Case) -> str:
    """The deck as the agent got it."""
    from pytest_ppteval.case.paths import own_deck

    original = _original(request, ppteval_case)
    return str(own_deck(original)) if original is not None else ""


def _original(request: pytest.FixtureRequest, case: Case) -> Path | None:
    return options_of(request.config).original or case.original


@pytest.fixture
def modified_ppt_path(request: pytest.FixtureRequest, ppteval_case: Case) -> str:
    """The deck to judge: the agent's output, or the approved run's. It may not exist: then the task fails.

    "" for a case that is about an agent's run, not about a deck.
    """
    from pytest_ppteval.session.obtain import find_run

    options = options_of(request.config)
    output = find_run(request, ppteval_case)
    if output.fault == "setup":
        # A rubric that stands alone has no registry that would say where its decks are.
        lone = options.outputs is None and ppteval_case.original is None and ppteval_case.facts is None
        remedy = "; name the deck to judge with --ppteval-modified PPTX" if lone and options.rubrics else ""
        pytest.fail(f"{ppteval_case.source}: {ppteval_case.id}: {output.problem}{remedy}", pytrace=False)
    request.node.stash[OUTPUT] = output
    return _path(output)


def _path(output: Output) -> str:
    return str(output.deck) if output.deck is not None else ""


@pytest.fixture
def ppteval_evidence(
    request: pytest.FixtureRequest, ppteval_case: Case, original_ppt_path: str, modified_ppt_path: str
) -> Iterator[Evidence]:
    """The two decks, the run that made one of them, and all that follows from them, each computed once for the test."""
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.evidence.outputs import Output
    from pytest_ppteval.evidence.run import Run

    output = request.node.stash.get(OUTPUT, Output(None))
    found_by_us = _path(output) == str(modified_ppt_path)
    evidence = Evidence(
        sandbox_of(request.config),
        str(original_ppt_path) or None,
        str(modified_ppt_path) or None,
        missing=output.problem if found_by_us else None,
        metrics=output.metrics,
        metrics_problem=output.metrics_problem,
        run=Run(output.folder, ppteval_case.id),
        case=ppteval_case,
        baselines=options_of(request.config).baselines,
    )
    with evidence:
        yield evidence
    changed = None if case_of(request.node) is not None else evidence.changed()  # a task says so itself
    if changed:
        pytest.fail(changed, pytrace=False)


@pytest.fixture
def ppt_diff(request: pytest.FixtureRequest, ppteval_evidence: Evidence) -> PowerPointDiff:
    """What differs between the two decks (see docs/diff.md)."""
    from pytest_ppteval.deck.model import PowerPointDiff
    from pytest_ppteval.sandbox.host import DeckUnusable, SandboxError
    from pytest_ppteval.session.evidence import take_pictures

    judged = case_of(request.node) is not None
    if not ppteval_evidence.original:
        pytest.fail("there is no original deck to compare with: name it with --ppteval-original PPTX", pytrace=False)
    take_pictures(request, ppteval_evidence)
    try:
        if not (judged and ppteval_evidence.missing):
            return ppteval_evidence.diff
        return PowerPointDiff.empty()
    except DeckUnusable as unusable:
        if judged:
            # Its leaves say so, each for itself: a set-up error here would hide that the agent's deck is to blame.
            return PowerPointDiff.empty()
        from pytest_ppteval.grade.decks import unusable as result_of

        pytest.fail(result_of(ppteval_evidence, unusable).reason, pytrace=False)
    except SandboxError as error:
        pytest.fail(f"sandbox: {error}", pytrace=False)


@pytest.fixture
def trace(request: pytest.FixtureRequest, ppteval_evidence: Evidence) -> Trace | None:
    """What the agent did (docs/cases.md): the run's trace.*, in any format that is known.

    Where there is none that can be read, an ordinary test fails. A task gets None, and its leaves say why.
    """
    from pytest_ppteval.evidence.run import Lacking

    found = ppteval_evidence.run.trace
    if not isinstance(found, Lacking):
        return found
    if case_of(request.node) is not None:
        return None
    pytest.fail(found.reason, pytrace=False)


@pytest.fixture
def original_ppt_screenshots(
    request: pytest.FixtureRequest, ppteval_case: Case, original_ppt_path: str, tmp_path: Path
) -> Sequence[SlideScreenshot]:
    """Pictures of the original deck's slides, from <deck>.zip beside it or drawn when looked at (docs/pictures.md)."""
    from pytest_ppteval.case.paths import own_deck

    named = _original(request, ppteval_case)
    if named is not None and str(own_deck(named)) == original_ppt_path and named.with_suffix(".zip").is_file():
        return _pictures(request, "original", str(named), tmp_path)  # beside the link, if it is one
    return _pictures(request, "original", original_ppt_path, tmp_path)


@pytest.fixture
def modified_ppt_screenshots(
    request: pytest.FixtureRequest, modified_ppt_path: str, tmp_path: Path
) -> Sequence[SlideScreenshot]:
    """Pictures of the slides of the deck to judge, drawn when looked at; from <deck>.zip beside it where that counts
    (--ppteval-output-pictures)."""
    return _pictures(request, "modified", modified_ppt_path, tmp_path)


def _pictures(request: pytest.FixtureRequest, which: str, deck: str, folder: Path) -> Sequence[SlideScreenshot]:
    from pathlib import Path

    from pytest_ppteval.picture.model import MissingScreenshots
    from pytest_ppteval.picture.source import pictures_of, prepare
    from pytest_ppteval.session.selection import codes_of

    if not deck:
        return MissingScreenshots("there is no such deck")
    into, path, studio = folder / f"ppteval-{which}", Path(os.path.abspath(deck)), studio_of(request.config)
    into.mkdir()
    beside = which == "original" or _output_pictures_count(request.config, path)
    pictures = pictures_of(path, into, studio, beside=beside)
    prepare(studio, {f"{which}_ppt_screenshots": path}, codes_of(request.node), beside=beside)
    request.node.stash.setdefault(PICTURES, {})[which] = pictures
    return pictures


def _output_pictures_count(config: pytest.Config, deck: Path) -> bool:
    """Whether pictures beside a deck to judge count: not where the agent that is judged could have put them there."""
    from pathlib import Path

    from pytest_ppteval.runs.reference import harness_made
    from pytest_ppteval.session.run_directory import runs_of

    options, runs = options_of(config), runs_of(config)
    results = options.outputs
    if runs is not None and runs.stored is not None and runs.stored.reference is not None:
        results = runs.stored.path
    elif runs is not None and (runs.agent is not None or runs.stored is not None):
        return False  # a run directory of ours: agents wrote there, and nobody else
    if options.output_pictures != "auto":
        return options.output_pictures == "yes"
    return results is not None and harness_made(Path(os.path.abspath(results)), deck)


@pytest.fixture
def vlm_call(request: pytest.FixtureRequest) -> Callable[..., str]:
    """vlm_call(prompt, images, temperature=, max_tokens=) -> str: asks a vision model (docs/models.md)."""
    from pytest_ppteval.model.call import VlmCall
    from pytest_ppteval.session.evidence import meter_of, place_of

    return VlmCall(judge_of(request.config), place_of(request), meter_of(request))


@pytest.fixture
def llm_call(request: pytest.FixtureRequest) -> Callable[..., str]:
    """llm_call(prompt, temperature=, max_tokens=) -> str: asks a language model (docs/models.md)."""
    from pytest_ppteval.model.call import LlmCall
    from pytest_ppteval.session.evidence import meter_of, place_of

    return LlmCall(judge_of(request.config), place_of(request), meter_of(request))
