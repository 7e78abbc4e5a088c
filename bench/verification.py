"""A task's verification, sandboxed, against a straightforward one in the harness's own process.

Ours: guard, parse, diff and every leaf in confined processes, the tree scored by this package. The other: python-pptx
parses the decks anew for each leaf (the leaves do that themselves) and twice for the diff, once for slides and once for
animations and transitions; the tree is scored by ai-rubric (PyPI), with each leaf executed in this very process.
Both judge the approved runs of the shipped suite; leaves that ask for pictures or a model count as 1.0 unseen. The
scores must be equal. Both by the clock and by processor time: ours may run leaves side by side.

    pip install ai-rubric==0.2.5    # heavy: use an environment of its own
    python bench/verification.py [rounds]
"""

from __future__ import annotations

import gc
import os
import resource
import statistics
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

# Keeps one of ai-rubric's dependencies from asking the network for prices.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

from pptx import Presentation
from rubric import RubricNode

from pytest_ppteval.case.registry import load_registry
from pytest_ppteval.deck.animation import read_animations
from pytest_ppteval.deck.model import AnimationEffect, PowerPointDiff, Slide, SlideTransition
from pytest_ppteval.deck.transition import read_transition
from pytest_ppteval.evidence.evidence import Evidence
from pytest_ppteval.grade import grade
from pytest_ppteval.grade.function import expect
from pytest_ppteval.grade.means import Means
from pytest_ppteval.rubric.result import LeafResult
from pytest_ppteval.sandbox.host import Sandbox
from pytest_ppteval.sandbox.source.code import names_used
from pytest_ppteval.session.collect import compile_leaves
from pytest_ppteval.session.process import imports_of_leaves
from pytest_ppteval.verify import Rules, conclude

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.etree import _Element

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.rubric.tree import Leaf, Node

ROOT = Path(__file__).parents[1]
UNSEEN = LeafResult(status="scored", score=1.0, reason="unseen")
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 7
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"


# ---- the straightforward way


def as_dict(element: _Element) -> dict[str, Any]:
    """An element as nested dicts, for comparison."""
    return {
        "tag": element.tag,
        "attributes": dict(element.attrib),
        "text": (element.text or "").strip(),
        "children": [as_dict(child) for child in element],
    }


def slides_of(path: str) -> dict[str, tuple[Slide, dict[str, Any]]]:
    """Each slide of a deck by its id, with its XML as dicts."""
    found = {}
    for number, slide in enumerate(Presentation(path).slides, 1):
        title = slide.shapes.title.text_frame.text if slide.shapes.title is not None else None
        notes = slide.notes_slide.notes_text_frame.text if slide.has_notes_slide else None
        count = sum(1 for _ in slide.element.iter(P + "sp"))
        facts = Slide(str(slide.slide_id), number, title, slide.slide_layout.name, count, notes)
        found[str(slide.slide_id)] = (facts, as_dict(slide.element))
    return found


def effects_of(path: str) -> tuple[dict[tuple[str, str, int], AnimationEffect], dict[str, SlideTransition]]:
    """The animations and transitions of a deck, read from the slides' XML."""
    effects: dict[tuple[str, str, int], AnimationEffect] = {}
    transitions: dict[str, SlideTransition] = {}
    for slide in Presentation(path).slides:
        key = str(slide.slide_id)
        # The names of effects are facts of the format: read as this package does, so that the scores can be equal.
        for effect in read_animations(key, slide.element):
            effects[key, effect.element_id, effect.order] = effect
        transition = read_transition(key, slide.element)
        if transition is not None:
            transitions[key] = transition
    return effects, transitions


def straightforward_diff(before: str, after: str) -> PowerPointDiff:
    """A diff with two parses of each deck."""
    old, new = slides_of(before), slides_of(after)
    diff = PowerPointDiff.empty()
    diff.added_slides.extend([new[key][0] for key in new if key not in old])
    diff.removed_slides.extend([old[key][0] for key in old if key not in new])
    diff.modified_slides.extend([(old[k][0], new[k][0]) for k in new if k in old and old[k][1] != new[k][1]])
    (old_effects, old_transitions), (new_effects, new_transitions) = effects_of(before), effects_of(after)
    diff.added_animations.extend([new_effects[k] for k in new_effects if k not in old_effects])
    diff.removed_animations.extend([old_effects[k] for k in old_effects if k not in new_effects])
    diff.added_transitions.extend([new_transitions[k] for k in new_transitions if k not in old_transitions])
    diff.removed_transitions.extend([old_transitions[k] for k in old_transitions if k not in new_transitions])
    return diff


def reference_tree(node: Node) -> dict[str, Any]:
    """A node in ai-rubric's form, which runs code with separate globals and locals: helpers go into the function."""
    facts: dict[str, Any] = {"name": node.name, "description": node.description, "is_critical": node.is_critical}
    if node.children:
        return {**facts, "children": [reference_tree(child) for child in node.children]}
    assert node.scorer is not None
    code = str(node.scorer.args["function_code"])
    code = textwrap.indent("def compute_score():\n    return 'unseen', 1.0\n" if looks(code) else code, "    ")
    wrapped = f"def compute_score():\n{code}\n    return compute_score()\n"
    return {**facts, "scorer": {"type": "function", "function_code": wrapped}}


def straightforward(case: Case, modified: str) -> float:
    """The score of a task, all in this process."""
    context = {
        "original_ppt_path": str(case.original),
        "modified_ppt_path": modified,
        "original_ppt_screenshots": [],
        "modified_ppt_screenshots": [],
        "ppt_diff": straightforward_diff(str(case.original), modified),
    }
    tree = RubricNode.from_dict(reference_tree(case.rubric.root))
    return tree.compute_score(non_critical_weight=0.3, compute_strategy="default", **context)


# ---- ours


def ours(case: Case, modified: str, sandbox: Sandbox, following: tuple[Case, str] | None) -> float:
    """The score of a task, sandboxed. `following`: the next one, as pytest says which item comes next."""
    with Evidence(sandbox, str(case.original), modified) as evidence:
        results = {leaf.id: UNSEEN for leaf in case.rubric.leaves if not leaf.is_gate}
        evidence.leaves = seen(case)
        evidence.session.ready()
        if following is not None:
            expect(sandbox, following[0].original, Path(following[1]), seen(following[0]))
        for leaf in evidence.leaves:
            results[leaf.id] = grade(leaf, evidence, Means())
    return conclude(case, results, Rules()).tree.low


def seen(case: Case) -> list[Leaf]:
    """The leaves that are run."""
    leaves = [leaf for leaf in case.rubric.leaves if not leaf.is_gate]
    return [leaf for leaf in leaves if not looks(str(leaf.scorer.args["function_code"]))]


def looks(code: str) -> bool:
    """Whether a leaf needs pictures or a model."""
    return bool(names_used(code) & {"vlm_call", "llm_call", "original_ppt_screenshots", "modified_ppt_screenshots"})


class Ours(NamedTuple):
    """What came of one run over all tasks."""

    seconds: float
    scores: dict[str, float]
    level: str


def run_ours(
    pairs: list[tuple[Path, Path]],
    cases: Sequence[Case],
    outputs: dict[str, str],
    wanted: frozenset[str],
    processor: dict[str, float],
) -> Ours:
    """All tasks, in a sandbox of their own, as each run of pytest has."""
    scores = {}
    cpu_started = time.process_time()
    with Sandbox("auto", preload=wanted) as sandbox:
        with sandbox.open(None, None) as nothing:
            nothing.ready()  # the start-up: hidden behind collection in a pytest run
        started = time.perf_counter()
        sandbox.foresee(pairs)
        for case, after in zip(cases, [*cases[1:], None], strict=True):
            scores[case.id] = ours(case, outputs[case.id], sandbox, after and (after, outputs[after.id]))
        seconds = time.perf_counter() - started
    processor["ours"] += time.process_time() - cpu_started
    return Ours(seconds, scores, str(sandbox.level))


def main() -> None:
    """Print each task's medians and ratio, and the ratio of the sums."""
    registry = load_registry(ROOT / "cases" / "tasks.json")
    cases = registry.cases
    outputs = {case.id: str(ROOT / "baselines" / "cases" / case.id / "output.pptx") for case in cases}
    started = time.perf_counter()
    for case in cases:
        compile_leaves(seen(case))  # as pytest does when it collects them
    collecting = time.perf_counter() - started
    slow: dict[str, list[float]] = {case.id: [] for case in cases}
    fast: list[float] = []
    processor = {"ours": 0.0, "straightforward": 0.0}
    pairs = [(case.original, Path(outputs[case.id])) for case in cases]
    gc.freeze()  # what ai-rubric imports is no part of either way's garbage collections
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    wanted = imports_of_leaves(cases)
    with Sandbox("auto", preload=wanted) as sandbox:
        ours(cases[0], outputs[cases[0].id], sandbox, None)  # for this process's own imports
    for _ in range(ROUNDS):
        # The machine's speed changes within seconds: ours is measured on either side of the other.
        before = run_ours(pairs, cases, outputs, wanted, processor)
        scores = {}
        cpu_started = time.process_time()
        for case in cases:
            started = time.perf_counter()
            scores[case.id] = straightforward(case, outputs[case.id])
            slow[case.id].append(time.perf_counter() - started)
        processor["straightforward"] += time.process_time() - cpu_started
        gc.collect()  # the one way's garbage is not the other's to collect
        after = run_ours(pairs, cases, outputs, wanted, processor)
        for run in (before, after):
            for task_id, second in run.scores.items():
                if abs(scores[task_id] - second) > 1e-12:
                    raise SystemExit(f"{task_id}: the two ways disagree: {scores[task_id]} and {second}")
        fast.append((before.seconds + after.seconds) / 2)
    ended_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor["ours"] += ended_children.ru_utime + ended_children.ru_stime - children.ru_utime - children.ru_stime
    processor["ours"] /= 2  # two runs a round
    for task_id, found in slow.items():
        print(f"{task_id:28} straightforward {statistics.median(found) * 1000:7.1f} ms")
    sums = [sum(found[n] for found in slow.values()) for n in range(ROUNDS)]
    totals = [slow_sum / fast_sum for slow_sum, fast_sum in zip(sums, fast, strict=True)]
    print(
        f"{len(cases)} tasks, sandbox {before.level}, {ROUNDS} rounds, by the clock: straightforward "
        f"{statistics.median(sums):.2f} s, ours {statistics.median(fast):.2f} s: {statistics.median(totals):.1f}x "
        f"({min(totals):.1f}..{max(totals):.1f})"
    )
    print(f"beside it, before: the leaves' code is read and compiled when it is collected, once: {collecting:.2f} s")
    seconds = {name: total / ROUNDS for name, total in processor.items()}
    print(
        f"processor time of all tasks: straightforward {seconds['straightforward']:.2f} s, "
        f"ours {seconds['ours']:.2f} s "
        f"(the sandbox's start included): {seconds['straightforward'] / seconds['ours']:.1f}x"
    )


if __name__ == "__main__":
    main()
