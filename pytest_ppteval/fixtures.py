"""What a task's leaves see, as ordinary fixtures: override any of them in a conftest.py, at any scope.

They serve ordinary Python tests too, which name their task by a marker:

    @pytest.mark.ppteval_task("cases/tasks.json", "review-003")
    def test_only_one_slide_changed(ppt_diff):
        assert len(ppt_diff.modified_slides) == 1
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.evidence.outputs import Output, find_output
from pytest_ppteval.grade.means import Means, ModelUnavailableError
from pytest_ppteval.picture.lazy import LazyScreenshots
from pytest_ppteval.picture.model import MissingScreenshots, SlideScreenshot

if TYPE_CHECKING:
    from pytest_ppteval.case.model import Case
    from pytest_ppteval.deck.model import PowerPointDiff
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.model.judge import Place
    from pytest_ppteval.model.meter import Meter
    from pytest_ppteval.options import Options
    from pytest_ppteval.trace.model import Trace

MARKER = "ppteval_task(path, task_id=None): the task that the ppteval fixtures of this test serve"
OUTPUT = pytest.StashKey[Output]()
METER: pytest.StashKey[Meter] = pytest.StashKey()
PICTURES = pytest.StashKey[dict[str, Sequence[SlideScreenshot]]]()


@pytest.fixture
def ppteval_case(request: pytest.FixtureRequest) -> Case:
    """The task being judged: the item's own, or the one that the test's ppteval_task marker names."""
    from pytest_ppteval.items import TaskItem

    if isinstance(request.node, TaskItem):
        return request.node.case
    marker = request.node.get_closest_marker("ppteval_task")
    if marker is None:
        pytest.fail(
            'this test uses ppteval fixtures: name its task with @pytest.mark.ppteval_task("tasks.json", "task id")',
            pytrace=False,
        )
    return _marked_case(request, *marker.args, **marker.kwargs)


def _marked_case(request: pytest.FixtureRequest, path: str, task_id: str | None = None) -> Case:
    from pytest_ppteval.case.discover import kind_of, load

    candidates = [base / path for base in (request.path.parent, request.config.rootpath)]
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
        pytest.fail(
            f"ppteval_task: no task {task_id!r} in {found}; it has {', '.join(cases) or 'none'}{problems}",
            pytrace=False,
        )
    return cases[task_id]


@pytest.fixture
def original_ppt_path(request: pytest.FixtureRequest, ppteval_case: Case) -> str:
    """The deck as the agent got it."""
    asked = _options(request).original
    original = asked or ppteval_case.original
    return str(original) if original is not None else ""


@pytest.fixture
def modified_ppt_path(request: pytest.FixtureRequest, ppteval_case: Case) -> str:
    """The deck to judge: the agent's output, or the approved run's. It may not exist: then the task fails.

    "" for a case that is about an agent's run, not about a deck.
    """
    options = _options(request)
    output = (
        Output(options.modified)
        if options.modified is not None
        else find_output(ppteval_case, options.outputs, options.baselines)
    )
    if output.fault == "setup":
        pytest.fail(f"{ppteval_case.source}: {ppteval_case.id}: {output.problem}", pytrace=False)
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
    from pytest_ppteval.evidence.run import Run
    from pytest_ppteval.items import TaskItem
    from pytest_ppteval.plugin import sandbox_of

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
        baselines=_options(request).baselines,
    )
    with evidence:
        yield evidence
    changed = None if isinstance(request.node, TaskItem) else evidence.changed()  # a task says so itself
    if changed:
        pytest.fail(changed, pytrace=False)


@pytest.fixture
def ppt_diff(request: pytest.FixtureRequest, ppteval_evidence: Evidence) -> PowerPointDiff:
    """What differs between the two decks (see docs/diff.md)."""
    from pytest_ppteval.deck.model import PowerPointDiff
    from pytest_ppteval.items import TaskItem
    from pytest_ppteval.sandbox.host import DeckUnusable, SandboxError

    judged = isinstance(request.node, TaskItem)
    _take_pictures(request, ppteval_evidence)
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
    from pytest_ppteval.items import TaskItem

    found = ppteval_evidence.run.trace
    if not isinstance(found, Lacking):
        return found
    if isinstance(request.node, TaskItem):
        return None
    pytest.fail(found.reason, pytrace=False)


@pytest.fixture
def original_ppt_screenshots(
    request: pytest.FixtureRequest, original_ppt_path: str, tmp_path: Path
) -> Sequence[SlideScreenshot]:
    """Pictures of the original deck's slides, from <deck>.zip beside it or drawn when looked at (docs/pictures.md)."""
    return _pictures(request, "original", original_ppt_path, tmp_path)


@pytest.fixture
def modified_ppt_screenshots(
    request: pytest.FixtureRequest, modified_ppt_path: str, tmp_path: Path
) -> Sequence[SlideScreenshot]:
    """Pictures of the slides of the deck to judge, from <deck>.zip beside it or drawn when looked at."""
    return _pictures(request, "modified", modified_ppt_path, tmp_path)


def _pictures(request: pytest.FixtureRequest, which: str, deck: str, folder: Path) -> Sequence[SlideScreenshot]:
    from pytest_ppteval.picture.source import pictures_of
    from pytest_ppteval.plugin import studio_of

    if not deck:
        return MissingScreenshots("there is no such deck")
    into = folder / f"ppteval-{which}"
    into.mkdir()
    pictures = pictures_of(Path(os.path.abspath(deck)), into, studio_of(request.config))
    request.node.stash.setdefault(PICTURES, {})[which] = pictures
    return pictures


@pytest.fixture
def vlm_call(request: pytest.FixtureRequest) -> Callable[..., str]:
    """vlm_call(prompt, images, temperature=, max_tokens=) -> str: asks a vision model (docs/models.md)."""
    from pytest_ppteval.model.call import VlmCall
    from pytest_ppteval.plugin import judge_of

    return VlmCall(judge_of(request.config), _place(request), _meter(request))


@pytest.fixture
def llm_call(request: pytest.FixtureRequest) -> Callable[..., str]:
    """llm_call(prompt, temperature=, max_tokens=) -> str: asks a language model (docs/models.md)."""
    from pytest_ppteval.model.call import LlmCall
    from pytest_ppteval.plugin import judge_of

    return LlmCall(judge_of(request.config), _place(request), _meter(request))


def _place(request: pytest.FixtureRequest) -> Place:
    """Where the answers to this test's questions are kept: by suite and task, or by the file of an ordinary test."""
    from pytest_ppteval.items import TaskItem
    from pytest_ppteval.model.judge import Place

    if isinstance(request.node, TaskItem):
        return Place(request.node.case.suite, request.node.name)
    return Place(request.path.stem, request.node.name)


def _meter(request: pytest.FixtureRequest) -> Meter:
    """The test's meter: one for both calls."""
    from pytest_ppteval.model.meter import Meter

    meter: Meter = request.node.stash.setdefault(METER, Meter())
    return meter


def evidence_for(request: pytest.FixtureRequest) -> Evidence:
    """The evidence of a task item, with what its leaves need taken from the fixtures that the item declares."""
    from pytest_ppteval.evidence.run import Run

    evidence: Evidence = request.getfixturevalue("ppteval_evidence")
    if "original_ppt_screenshots" in request.fixturenames:
        evidence.original_pictures = request.getfixturevalue("original_ppt_screenshots")
    if "modified_ppt_screenshots" in request.fixturenames:
        evidence.modified_pictures = request.getfixturevalue("modified_ppt_screenshots")
    if "ppt_diff" in request.fixturenames:
        diff: PowerPointDiff = request.getfixturevalue("ppt_diff")
        computed = evidence.__dict__.get("diff")
        if diff is not computed and not evidence.missing:
            evidence.diff_override = diff
    if "trace" in request.fixturenames:
        given: Trace | None = request.getfixturevalue("trace")
        if given is not None and given is not evidence.run.trace:
            evidence.run = Run(evidence.run.folder, evidence.run.name, given)
    return evidence


def _take_pictures(request: pytest.FixtureRequest, evidence: Evidence) -> None:
    """Hand over the pictures that our own fixtures have made so far, without asking for more.

    A task declares its screenshots before its diff, so that the confined process starts with leave to read them.
    A user's screenshots may come from the diff, and come too late for that: then the process starts anew.
    """
    made = request.node.stash.get(PICTURES, {})
    evidence.original_pictures = made.get("original", evidence.original_pictures)
    evidence.modified_pictures = made.get("modified", evidence.modified_pictures)


def means_for(request: pytest.FixtureRequest) -> Means:
    """The model calls that a task's leaves may make."""
    from pytest_ppteval.model.call import LlmCall

    names = _Names(evidence_for(request))
    calls: dict[str, Callable[..., str]] = {}
    verdict: Callable[..., str] | None = None
    formed: Callable[..., str] | None = None
    for name in ("vlm_call", "llm_call"):
        if name in request.fixturenames:
            call = request.getfixturevalue(name)
            calls[name] = _as_model_call(call)
            if isinstance(call, LlmCall):
                verdict, formed = call.verdict, call.formed
    meter = _meter(request)
    meter.names = names
    return Means(**calls, verdict=verdict, formed=formed, meter=meter)


def _names(evidence: Evidence) -> dict[str, str]:
    """What stands in recordings for the paths of decks and pictures, which are another machine's."""
    names: dict[str, str] = {}
    for which, deck, pictures in (
        ("original", evidence.original, evidence.original_pictures),
        ("modified", evidence.modified, evidence.modified_pictures),
    ):
        if deck:
            names[deck] = f"<{which} deck>"
        if isinstance(pictures, LazyScreenshots):
            names |= {path: f"<{which} slide {number}>" for path, number in pictures.known_paths().items()}
        elif not isinstance(pictures, MissingScreenshots):
            names |= {shot.image_path: f"<{which} slide {shot.slide_number}>" for shot in pictures}
    return names


class _Names(Mapping[str, str]):
    """`_names`, worked out at each use: pictures become known while leaves look at them."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    def __getitem__(self, path: str) -> str:
        return _names(self._evidence)[path]

    def __iter__(self) -> Iterator[str]:
        return iter(_names(self._evidence))

    def __len__(self) -> int:
        return len(_names(self._evidence))


def _as_model_call(call: Callable[..., str]) -> Callable[..., str]:
    """A user's call that skips ("no key here") did not answer: that is one leaf unscored, not the end of its task."""

    def ask(**arguments: object) -> str:
        try:
            return call(**arguments)
        except pytest.skip.Exception as skipped:
            raise ModelUnavailableError(str(skipped)) from None

    return ask


def _options(request: pytest.FixtureRequest) -> Options:
    from pytest_ppteval.items import OPTIONS

    options: Options = request.config.stash[OPTIONS]
    return options
