"""Runs of agents, made by hand, and one rule judged on one of them."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from pytest_ppteval.case.casefile import load_cases
from pytest_ppteval.evidence.evidence import Evidence
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.grade import grade
from pytest_ppteval.grade.means import Means
from pytest_ppteval.sandbox.host import Sandbox
from pytest_ppteval.trace.model import Step, Trace, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.rubric.result import LeafResult

_numbers = count(1)


def step(tool: str, args: Any = None, **more: Any) -> Step:
    """A tool call; more: failed, group, result, args_raw, ..."""
    return Step(
        id=f"call-{next(_numbers)}", tool=tool, args={} if args is None and "args_raw" not in more else args, **more
    )


def unrecorded(tool: str, **more: Any) -> Step:
    """A call whose arguments the trace doesn't have."""
    return Step(id=f"call-{next(_numbers)}", tool=tool, **more)


def trace_of(*steps: Step | str, response: str | None = "Done.", status: Any = "finished", **more: Any) -> Trace:
    """A run of these calls; a name alone is a call without arguments."""
    calls = tuple(one if isinstance(one, Step) else step(one) for one in steps)
    return Trace(format="by hand", steps=calls, final_response=response, status=status, **more)


def tokens(given: int | None, made: int | None) -> dict[str, Usage]:
    """Usage of one model: tokens in and out."""
    return {"model": Usage(input_total=given, output=made)}


def load_case(folder: Path, text: str, name: str = "case.case.yaml") -> Case:
    """The one case of this text, which is right."""
    path = folder / name
    path.write_text(text, "utf-8")
    registry = load_cases(path)
    assert registry.errors == ()
    (case,) = registry.cases
    return case


def case_with(folder: Path, rule: str, more: str = "") -> Case:
    """A case of one rule, written as in a case file."""
    indented = "\n    ".join(rule.strip().splitlines())
    return load_case(folder, f"id: a case\nprompt: do it\n{more}\nexpected_behavior:\n  - {indented}\n")


def judge(
    folder: Path,
    rule: str,
    trace: Trace | None = None,
    *,
    files: Mapping[str, str | bytes] | None = None,
    metrics: Mapping[str, float] | None = None,
    more: str = "",
) -> LeafResult:
    """The result of one rule on a run with this trace and these files in its workspace.

    files: by name; response.md lies beside the workspace. None: no workspace was kept.
    """
    case = case_with(folder, rule, more)
    run = folder / "run"
    run.mkdir()
    for name, content in (files or {}).items():
        path = run / name if name == "response.md" else run / "workspace" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if files is not None:
        (run / "workspace").mkdir(exist_ok=True)
    return judge_run(case, Run(run, case.id, trace), metrics)


def judge_run(case: Case, run: Run, metrics: Mapping[str, float] | None = None) -> LeafResult:
    """The result of a case's only leaf."""
    (leaf,) = case.rubric.leaves
    with Evidence(Sandbox(), None, None, metrics=metrics, run=run, case=case) as evidence:
        return grade(leaf, evidence, Means())


def outcome(result: LeafResult) -> tuple[float | str, str]:
    """The score, or the status where there is none, and the reason."""
    return (result.score if result.score is not None else result.status), result.reason
