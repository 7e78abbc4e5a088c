"""Writes the suite's made-up trials: `python cases/agent/make_trials.py good|other|bad|approved FOLDER [agui|claude]`.

good: a run for each case, <folder>/<case id>/ with trace.jsonl and workspace/, as --ppteval-outputs takes it.
other: <folder>/<way>/<case id>/, as right as the good ones, in other words, by other tools, in another order.
bad: <folder>/<name of the fault>/<case id>/ likewise; what must catch each is in tests/test_agent_suite.py.
approved: the good ones as baselines/agent keeps them, for the cases, inputs and skill as they are now. To be run with
the folder baselines/agent after each change to one of them; look at the difference before you commit it.

No agent ran and no model was asked: sessions, tools, numbers and tokens are made up in trials/, the same on each run.
Unless a form is named, cases take turns with AG-UI and Claude Code's stream-json.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).parent
APPROVED_AT = "2026-11-30"
sys.path.insert(0, str(HERE))

import trials.bad_any  # noqa: E402  (importing registers the trials)
import trials.bad_core  # noqa: E402
import trials.bad_rest  # noqa: E402, F401
from trials.faults import FAULTS  # noqa: E402
from trials.forms import FORMS  # noqa: E402
from trials.good import MAKERS  # noqa: E402
from trials.other import OTHERS  # noqa: E402
from trials.session import Agent, Trial  # noqa: E402

if TYPE_CHECKING:
    from pytest_ppteval.case.model import Case


def cases() -> dict[str, Case]:
    from pytest_ppteval.case.casefile import load_cases
    from pytest_ppteval.case.validate import raise_all

    found: dict[str, Case] = {}
    for path in sorted(HERE.glob("*.case.yaml")):
        registry = load_cases(path)
        raise_all(registry.errors)
        found |= {case.id: case for case in registry.cases}
    return found


def begin(case: Case) -> Agent:
    """An agent that is told the case's prompt, with its inputs at hand."""
    assert case.facts is not None
    return Agent(case.id, case.goal, {path.name: path.read_text("utf-8") for path in case.facts.inputs})


def write(trial: Trial, folder: Path, form: str) -> None:
    """The run's folder: its trace, and its workspace where that holds anything or was meant to."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True, exist_ok=True)
    (folder / "trace.jsonl").write_text(FORMS[form](trial), "utf-8")
    for name, text in trial.files.items():
        (workspace / name).write_text(text, "utf-8")


def usual_form(case_id: str) -> str:
    return ("agui", "claude")[list(MAKERS).index(case_id) % 2]


def approve(case: Case, run: Path, folder: Path) -> None:
    """Keep a trial as the approved run of its case, and say what it is."""
    from pytest_ppteval.baseline import candidate
    from pytest_ppteval.baseline.digests import DIGEST, digest_of
    from pytest_ppteval.evidence.run import Run

    made = candidate.make_candidate(case, Run(run, case.id))
    record = {
        "approved_by": "the pytest-ppteval authors",
        "approved_at": APPROVED_AT,
        "why": "made-up, synthetic trial, not an agent's run: it does what loadtest-report/SKILL.md says",
        **made.record,
        "agent": "none: written by cases/agent/make_trials.py",
        "recorded_at": APPROVED_AT,
    }
    record[DIGEST] = digest_of(record)
    candidate.write(replace(made, record=record), folder)
    workspace = folder / "workspace"
    if not any(workspace.iterdir()):
        workspace.rmdir()  # git wouldn't keep it: what is here must be what a clone has


def main(kind: str, folder: Path, form: str | None = None) -> None:
    for case in cases().values():
        if kind == "good":
            write(MAKERS[case.id](begin(case)), folder / case.id, form or usual_form(case.id))
            continue
        if kind == "other":
            for name, other in OTHERS.items():
                trial = other(MAKERS[case.id](begin(case)))
                write(trial, folder / name / case.id, form or usual_form(case.id))
            continue
        if kind == "approved":
            with tempfile.TemporaryDirectory() as run:
                write(MAKERS[case.id](begin(case)), Path(run), form or usual_form(case.id))
                approve(case, Path(run), folder / case.id)
            continue
        # And one that does nothing, for every case: a case that it passes checks nothing.
        write(begin(case).say("Done."), folder / "says_done" / case.id, form or usual_form(case.id))
        for fault in FAULTS:
            if fault.case == case.id:
                write(fault.make(begin(case)), folder / fault.name / case.id, form or usual_form(case.id))


if __name__ == "__main__":
    if (
        len(sys.argv) not in (3, 4)
        or sys.argv[1] not in ("good", "other", "bad", "approved")
        or sys.argv[3:] not in ([], *([f] for f in FORMS))
    ):
        sys.exit(f"usage: python {sys.argv[0]} good|other|bad|approved FOLDER [{'|'.join(FORMS)}]")
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
