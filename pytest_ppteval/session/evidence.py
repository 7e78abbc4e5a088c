"""From a test's fixtures to what its leaves are judged by: the evidence, and the calls of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.grade.means import Means, ModelUnavailableError
from pytest_ppteval.picture.lazy import LazyScreenshots
from pytest_ppteval.picture.model import MissingScreenshots
from pytest_ppteval.session.obtain import must_have_run
from pytest_ppteval.session.stash import METER, PICTURES, case_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_ppteval.deck.model import PowerPointDiff
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.model.judge import Place
    from pytest_ppteval.model.meter import Meter
    from pytest_ppteval.trace.model import Trace


def place_of(request: pytest.FixtureRequest) -> Place:
    """Where the answers to this test's questions are kept: by suite and task, or by the file of an ordinary test."""
    from pytest_ppteval.model.judge import Place

    case = case_of(request.node)
    if case is not None:
        return Place(case.suite, request.node.name)
    return Place(request.path.stem, request.node.name)


def meter_of(request: pytest.FixtureRequest) -> Meter:
    """The test's meter: one for both calls."""
    from pytest_ppteval.model.meter import Meter

    meter: Meter = request.node.stash.setdefault(METER, Meter())
    return meter


def evidence_for(request: pytest.FixtureRequest) -> Evidence:
    """The evidence of a task item, with what its leaves need taken from the fixtures that the item declares."""
    from pytest_ppteval.evidence.run import Run

    evidence: Evidence = request.getfixturevalue("ppteval_evidence")
    must_have_run(request.node)
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


def take_pictures(request: pytest.FixtureRequest, evidence: Evidence) -> None:
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
    meter = meter_of(request)
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
