"""From evidence to a verdict: grade the leaves, score the tree, judge. The same with pytest and without."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pytest_ppteval.choices import NON_CRITICAL_WEIGHT, THRESHOLD
from pytest_ppteval.rubric.result import LeafResult
from pytest_ppteval.rubric.score import ScoredNode, score_leaf, score_tree
from pytest_ppteval.rubric.verdict import Verdict, judge

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.choices import RendererChoice, Strategy
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.rubric.tree import Leaf
    from pytest_ppteval.sandbox.host import Sandbox


@dataclass(frozen=True, slots=True)
class Rules:
    """How a task is scored, with every choice made.

    threshold: the score that passes, 0..1. strategy, non_critical_weight: see rubric.aggregate.
    unscored: what becomes of a task whose verdict unscored leaves leave open: "error", or "allow" (a skip).
    """

    threshold: float = THRESHOLD
    strategy: Strategy = "default"
    non_critical_weight: float = NON_CRITICAL_WEIGHT
    unscored: str = "error"


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A judged task.

    tree: the rubric's scored tree. gates: the leaves beside it that only gate the verdict (budgets).
    results: what each judged leaf came to, by leaf id.
    """

    case: Case
    rules: Rules
    verdict: Verdict
    tree: ScoredNode
    gates: tuple[ScoredNode, ...]
    results: Mapping[str, LeafResult]


def conclude(case: Case, results: Mapping[str, LeafResult], rules: Rules, *, complete: bool = True) -> TaskResult:
    """The verdict on `case` from its leaves' results; `complete` is false where only some leaves were asked for."""
    tree = score_tree(case.rubric, results, rules.strategy, rules.non_critical_weight)
    gates = tuple(score_leaf(leaf, results.get(leaf.id)) for leaf in case.rubric.leaves if leaf.is_gate)
    verdict = judge(tree, gates, rules.threshold, complete=complete)
    common = {result.reason for result in results.values() if result.common}
    if len(common) == 1:  # one cause: not told again for each leaf
        verdict = replace(verdict, reasons=tuple(common))
    return TaskResult(case, rules, verdict, tree, gates, results)


def settle(
    leaves: Iterable[Leaf], results: Mapping[str, LeafResult], evidence: Evidence, base: Path
) -> dict[str, LeafResult]:
    """The results once all leaves are judged, with the place in the rubric's file at which a leaf's code failed.

    A verdict is about one version of the decks: where one of them changed meanwhile, no score of a leaf stands.
    base: what the paths of rubric files count from.
    """
    from pytest_ppteval.case.source import find_code

    settled = dict(results)
    changed = evidence.changed()
    for leaf in leaves:
        result = settled[leaf.id]
        if changed and not leaf.is_gate:
            settled[leaf.id] = LeafResult(
                status="error",
                reason=changed,
                seconds=result.seconds,
                output=result.output,
                usage=result.usage,
                common=True,
            )
        elif result.error_line is not None:
            settled[leaf.id] = replace(result, error_at=find_code(leaf, result.error_line, base))
    return settled


def score(
    rubric: str | os.PathLike[str] | Case,
    *,
    original: str | os.PathLike[str] | None = None,
    modified: str | os.PathLike[str] | None = None,
    run: str | os.PathLike[str] | None = None,
    vlm_call: Callable[..., str] | None = None,
    llm_call: Callable[..., str] | None = None,
    metrics: Mapping[str, float] | None = None,
    baselines: str | os.PathLike[str] | None = None,
    threshold: float | None = None,
    strategy: Strategy | None = None,
    non_critical_weight: float | None = None,
    sandbox: Sandbox | None = None,
    renderer: RendererChoice = "auto",
    output_pictures: bool = False,
) -> TaskResult:
    """Judge one deck by one rubric, or one run by one case, without pytest: the verdict that a pytest run would give.

    rubric: a rubric file (JSON or YAML), a case file with one case, or a Case.
    original, modified: the deck before and after the agent's work.
    run: the folder with an agent's trace, response and workspace (docs/cases.md); `modified`, `run` or both are given.
    vlm_call, llm_call: the model calls that leaves may make; without them such leaves stay unscored.
    metrics: what the run cost (seconds, input_tokens, output_tokens, cost_usd, tool_calls), for budgets.
    baselines: the folder of approved runs, for leaves that compare with them.
    threshold, strategy, non_critical_weight: as the options; None takes the rubric's own, else the default.
    sandbox: one to use again over many calls; without it one is started and closed (a fraction of a second).
    renderer: what draws slides for leaves that look at them: "auto", "libreoffice", "betteroffice" or "none"
        (docs/pictures.md); a <deck>.zip of pictures beside the original deck wins.
    output_pictures: whether one beside the deck to judge wins, too. Not for what an agent left: it could have made it.

    Raises FormatError for a file that is no rubric, SandboxUnavailable where `sandbox` can't be had as asked, and
    ValueError where there is nothing to judge or several cases to judge it by, or the renderer is not here.
    """
    from pytest_ppteval.case.model import Case
    from pytest_ppteval.case.paths import own_deck
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.evidence.outputs import read_metrics
    from pytest_ppteval.evidence.run import Run
    from pytest_ppteval.grade import grade
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.picture.renderers import NoRenderer, choose, why_not
    from pytest_ppteval.picture.source import pictures_of
    from pytest_ppteval.picture.studio import Studio
    from pytest_ppteval.sandbox.confine.policy import make_plan
    from pytest_ppteval.sandbox.host import Sandbox

    if why := why_not(renderer):
        raise ValueError(f"renderer={renderer!r}: {why}")
    case = rubric if isinstance(rubric, Case) else _load(Path(rubric))
    if modified is None and run is None:
        raise ValueError("score() judges a deck (modified=...) or a run (run=FOLDER): give one")
    folder_of_run = Run(Path(run) if run is not None else None, case.id)
    missing = f"the agent left nothing in {run}" if run is not None and folder_of_run.is_empty() else None
    problem = None
    if metrics is None and run is not None:
        metrics, problem = read_metrics(Path(run) / "metrics.json")
    start = Path(original) if original is not None else case.original
    means = Means()
    if vlm_call is not None:
        means = replace(means, vlm_call=vlm_call)
    if llm_call is not None:
        means = replace(means, llm_call=llm_call)
    own = sandbox is None
    sandbox = sandbox or Sandbox()
    chosen = choose(renderer)
    studio = chosen if isinstance(chosen, NoRenderer) else Studio(chosen, None, make_plan("auto")[0])
    try:
        with (
            tempfile.TemporaryDirectory(prefix="ppteval-") as folder,
            Evidence(
                sandbox,
                str(own_deck(start)) if start else None,
                str(modified) if modified is not None else None,
                missing=missing if modified is None else None,
                metrics=metrics,
                metrics_problem=problem,
                run=folder_of_run,
                case=case,
                baselines=Path(baselines) if baselines is not None else None,
            ) as evidence,
        ):
            for name, deck in (("original", start), ("modified", Path(modified) if modified is not None else None)):
                if deck is not None:
                    if name == "original" and not deck.with_suffix(".zip").is_file():
                        deck = own_deck(deck)
                    beside = name == "original" or output_pictures
                    into = Path(folder) / name
                    into.mkdir()
                    setattr(evidence, f"{name}_pictures", pictures_of(deck.absolute(), into, studio, beside=beside))
            evidence.leaves = case.rubric.leaves
            results = {leaf.id: grade(leaf, evidence, means) for leaf in case.rubric.leaves}
            results = settle(case.rubric.leaves, results, evidence, Path.cwd())
    finally:
        if isinstance(studio, Studio):
            studio.close()
        if own:
            sandbox.close()
    return conclude(case, results, resolve(case, Rules(), threshold, strategy, non_critical_weight))


def _load(path: Path) -> Case:
    """The one case in a rubric file or a case file."""
    from pytest_ppteval.case.discover import kind_of
    from pytest_ppteval.case.folder import load_rubric_case

    if kind_of(path, named=True) != "case":
        return load_rubric_case(path)
    from pytest_ppteval.case.casefile import load_cases
    from pytest_ppteval.case.validate import raise_all

    registry = load_cases(path)
    raise_all(registry.errors)
    if len(registry.cases) != 1:
        ids = ", ".join(case.id for case in registry.cases)
        raise ValueError(f"{path} holds {len(registry.cases)} cases: give score() one of them, a Case ({ids})")
    return registry.cases[0]


def resolve(
    case: Case,
    defaults: Rules,
    threshold: float | None = None,
    strategy: Strategy | None = None,
    non_critical_weight: float | None = None,
    unscored: str | None = None,
) -> Rules:
    """The rules for one case: what was asked for explicitly, else what the case says, else the defaults."""
    own = case.settings
    return Rules(
        threshold=_first(threshold, own.threshold, defaults.threshold),
        strategy=_first(strategy, own.strategy, defaults.strategy),
        non_critical_weight=_first(non_critical_weight, own.non_critical_weight, defaults.non_critical_weight),
        unscored=_first(unscored, own.unscored, defaults.unscored),
    )


_T = TypeVar("_T")


def _first(asked: _T | None, own: _T | None, default: _T) -> _T:
    return asked if asked is not None else own if own is not None else default
