"""JUnit XML of a merged run: a test case for each task, its trials taken together.

The leaves are in the files that the shards' own sessions wrote. What none of those has is the verdict on a task whose
trials were spread over several of them.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from pytest_ppteval.files.whole import writing
from pytest_ppteval.prose.shown import shown
from pytest_ppteval.runs.journal import key_of
from pytest_ppteval.runs.judged import trials_by_task
from pytest_ppteval.runs.verdicts import describe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_ppteval.rubric.trials import Trials
    from pytest_ppteval.runs.journal import Record


def write_junit(path: Path, records: Sequence[Record]) -> None:
    """Write the task verdicts of a run to `path`, in whole or not at all."""
    tasks = trials_by_task(records)
    by_task: dict[str, list[Record]] = {}
    for record in records:
        by_task.setdefault(key_of(record)[0], []).append(record)
    suite = ET.Element("testsuite", name="ppteval", tests=str(len(tasks)))
    for task, trials in tasks.items():
        suite.append(_case(task, trials, by_task[task]))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", str(len(suite.findall("testcase/error"))))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path) as file:
        ET.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)


def _case(task: str, trials: Trials, records: Sequence[Record]) -> ET.Element:
    file, _, name = task.partition("::")
    seconds = sum(record.get("seconds", 0.0) for record in records)
    # Named as pytest names it.
    classname = file.removesuffix(".py").replace("/", ".")
    case = ET.Element("testcase", classname=shown(classname), name=shown(name), time=f"{seconds:.3f}")
    properties = ET.SubElement(case, "properties")
    for key, value in trial_properties(trials):
        ET.SubElement(properties, "property", name=key, value=shown(str(value)))
    if trials.verdict != "passed":
        # What is undetermined is no finding about the agent.
        tag = "failure" if trials.verdict == "failed" else "error"
        outcome = ET.SubElement(case, tag, type=f"ppteval.{trials.verdict}", message=shown(describe(trials)))
        outcome.text = shown("\n".join(_reasons(records)))
    return case


def _reasons(records: Sequence[Record]) -> Iterator[str]:
    for record in sorted(records, key=lambda record: record["trial"]):
        yield f"trial {record['trial']}: {record['verdict']}"
        yield from (f"  {reason}" for reason in record["reasons"])


def trial_properties(trials: Trials) -> Iterator[tuple[str, object]]:
    """The figures of a task's trials as names and values; what there is no figure for is left out."""
    yield "ppteval.verdict", trials.verdict
    yield "ppteval.trials", trials.planned
    yield "ppteval.require", trials.require
    yield "ppteval.passes", trials.passes
    yield "ppteval.open", trials.open
    k = min(trials.require, len(trials.trials))
    ranges = {
        f"pass_at_{k}": trials.pass_at(k),
        f"pass_hat_{k}": trials.pass_all(k),
        "score": trials.mean,
        "success_rate_95": trials.interval,
    }
    for name, bounds in ranges.items():
        if bounds is not None:
            yield f"ppteval.{name}_low", bounds[0]
            yield f"ppteval.{name}_high", bounds[1]
    if trials.consistency is not None:
        yield "ppteval.consistency", trials.consistency
    if trials.flaky:
        yield "ppteval.flaky", ", ".join(trials.flaky)
