"""JUnit XML, itemised: pytest writes one test case a task, this splits out one a leaf and counts anew.

pytest folds a test's failed and skipped subtests into its one test case, drops those that pass, and counts what it
does not write. What is done here follows what popular readers of such files do: one flat suite, the task in each leaf's
name, file and line on every case, and a line of the form "at folder(file:line)" that one of them turns
into an annotation.
"""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.files.whole import writing
from pytest_ppteval.report.leaf import headline, place_of
from pytest_ppteval.report.shown import leaf_properties
from pytest_ppteval.runs.journal import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_ppteval.report.shown import ShownLeaf

TASK_PROPERTY = "ppteval.task"
TRIALS_PROPERTY = "ppteval.trials_of"


def rewrite(
    xml_path: str,
    leaves: Mapping[str, Sequence[ShownLeaf]],
    tasks: Mapping[str, Mapping[str, Any]],
    *,
    strict: bool,
    each: bool = False,
) -> None:
    """Rewrite pytest's file in place. `leaves` and `tasks` are by node id.

    strict: leave out what the schema junit-10.xsd doesn't know: file, line, and properties of a test case.
    each: xdist ran each test in each of its workers: it counts once.
    """
    path = Path(os.path.expanduser(os.path.expandvars(xml_path))).absolute()
    tree = ET.parse(path)
    suite = tree.getroot().find("testsuite")
    if suite is None:
        return
    cases = suite.findall("testcase")
    last = _last_of_each(cases)
    superseded: dict[str, list[ET.Element]] = {}
    written: list[ET.Element] = []
    for case in cases:
        suite.remove(case)
        nodeid = _property(case, TASK_PROPERTY)
        if case.get("name") is None:
            continue  # pytest's, of a test whose worker died and which was run again: nothing stands in it
        if nodeid is None:
            if (base := _property(case, TRIALS_PROPERTY)) is not None:
                _finish_trials(case, base, tasks.values(), strict)
            written.append(case)
        elif case is not last[nodeid]:
            if not each:
                superseded.setdefault(nodeid, []).append(case)  # an attempt that pytest-rerunfailures ran again
        else:
            written += _split(
                case, nodeid, leaves.get(nodeid, ()), tasks.get(nodeid), superseded.get(nodeid, ()), strict
            )
    for case in written if strict else ():
        for properties in case.findall("properties"):
            case.remove(properties)
        for attribute in ("file", "line"):
            case.attrib.pop(attribute, None)
    suite.extend(written)
    suite.set("tests", str(len(written)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.find(tag) is not None for case in written)))
    ET.indent(tree)
    with writing(path) as file:
        tree.write(file, encoding="utf-8", xml_declaration=True)


def _finish_trials(case: ET.Element, base: str, tasks: Iterable[Mapping[str, Any]], strict: bool) -> None:
    """The case of a task that was tried several times: where it is written, and whether its trials settle it."""
    own = next((task for task in tasks if task.get("trials", 1) > 1 and key_of(task)[0] == base), None)
    if own is None:
        return
    _name_in_full(case, base)
    if not strict:
        case.set("file", own["file"])
        case.set("line", str(own.get("line", 1)))
    for element in case.findall("failure"):
        if (element.text or "").startswith("undetermined"):
            element.tag = "error"
        element.set("type", "ppteval.trials")
        _add_frame(element, own["file"], own.get("line", 1), strict)


def _name_in_full(case: ET.Element, nodeid: str) -> str:
    """The case's name as it is: since 9.2 pytest reads parameters into "a [b] c", and writes "a [b] c]"."""
    name = _clean(nodeid.partition("::")[2])
    case.set("name", name)
    return name


def _last_of_each(cases: Sequence[ET.Element]) -> dict[str, ET.Element]:
    return {nodeid: case for case in cases if (nodeid := _property(case, TASK_PROPERTY)) is not None}


def _property(case: ET.Element, name: str) -> str | None:
    return next((p.get("value") for p in case.iterfind("properties/property") if p.get("name") == name), None)


def _split(
    case: ET.Element,
    nodeid: str,
    reports: Sequence[ShownLeaf],
    task: Mapping[str, Any] | None,
    superseded: Sequence[ET.Element],
    strict: bool,
) -> list[ET.Element]:
    """The task's own case without its leaves' outcomes, then a case for each leaf."""
    _take_out_leaves(case, reports)
    spent = sum(report.record["seconds"] for report in reports)
    case.set("time", f"{max(0.0, float(case.get('time', 0)) - spent):.3f}")
    if task is not None:
        if not strict and task.get("sandbox"):
            properties = case.find("properties")
            properties = ET.SubElement(case, "properties") if properties is None else properties
            ET.SubElement(properties, "property", name="ppteval.sandbox", value=_clean(task["sandbox"]))
        if task["verdict"] in ("undetermined", "error", "passed"):
            _retag(case, "failure", "error")  # could not be judged: no finding about the agent
        if not strict:
            case.set("file", task["file"])
            case.set("line", str(task["line"]) if "line" in task else "1")
        for element in (*case.findall("failure"), *case.findall("error")):
            element.set("type", f"ppteval.{task['verdict']}")
            _add_frame(element, task["file"], task.get("line", 1), strict)
    for attempt in superseded:
        flaky = ET.SubElement(case, "flakyFailure", message="superseded by a rerun", type="ppteval.rerun")
        flaky.text = "\n".join(failure.get("message", "") for failure in attempt.findall("failure"))
    classname, name = case.get("classname", "").lstrip("."), _name_in_full(case, nodeid)
    case.set("classname", classname)  # the address of a file outside the rootdir begins with "/"
    return [case, *(_leaf_case(report, classname, name, strict) for report in reports)]


def _take_out_leaves(case: ET.Element, reports: Sequence[ShownLeaf]) -> None:
    """Remove what core added for subtests: they are reported before their task, so that theirs come first."""
    for tag, count in (
        ("failure", sum(report.outcome == "failed" for report in reports)),
        ("skipped", sum(report.outcome == "skipped" for report in reports)),
    ):
        for element in case.findall(tag)[:count]:
            case.remove(element)


def _retag(case: ET.Element, old: str, new: str) -> None:
    for element in case.findall(old):
        element.tag = new


def _leaf_case(report: ShownLeaf, classname: str, task: str, strict: bool) -> ET.Element:
    leaf = report.record
    file, line = place_of(leaf)
    case = ET.Element(
        "testcase", classname=classname, name=_clean(f"{task}::{leaf['id']}"), time=f"{leaf['seconds']:.3f}"
    )
    if not strict:
        case.set("file", file)
        case.set("line", str(line))
    properties = ET.SubElement(case, "properties")
    for name, value in leaf_properties(leaf):
        ET.SubElement(properties, "property", name=name, value=_clean(str(value)))
    message = _clean(headline(leaf))
    if leaf["common"] and leaf["shown"] in ("failed", "error"):
        ET.SubElement(case, "skipped", type="ppteval.task", message=f"{message} (told once, by its task)")
    elif leaf["shown"] == "failed" and report.outcome == "passed":
        ET.SubElement(case, "system-out").text = f"short: {message} (in a trial that may fail)"
    elif leaf["shown"] in ("failed", "error"):
        tag = "error" if leaf["shown"] == "error" else "failure"
        kind = "critical" if leaf["critical"] else "budget" if leaf["budget"] else "leaf"
        outcome = ET.SubElement(case, tag, message=message, type=f"ppteval.{'error' if tag == 'error' else kind}")
        outcome.text = _clean(report.text)
        _add_frame(outcome, file, line, strict)
    elif leaf["shown"] in ("unscored", "not applicable"):
        ET.SubElement(case, "skipped", type=f"ppteval.{leaf['shown'].replace(' ', '_')}", message=message)
    elif leaf["shown"] == "partial":
        ET.SubElement(case, "system-out").text = f"partial: {message} (the task reaches its threshold all the same)"
    return case


def _add_frame(element: ET.Element, file: str, line: int, strict: bool) -> None:
    """A last line in the form of a Java stack frame: the only form in which one popular reader finds a file."""
    folder, _, name = file.replace("\\", "/").rpartition("/")
    if not strict and f"({name}:{line})" not in (element.text or ""):
        element.text = f"{element.text or ''}\n  at {folder.replace('/', '.')}({name}:{line})"


def _clean(text: str) -> str:
    """`text` without the characters that XML 1.0 can't hold; they show as #xNN, as in pytest's own file."""
    return re.sub(
        "[^\t\n\r\x20-\x7e\x80-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", lambda m: f"#x{ord(m[0]):02X}", text
    )
