"""Leaves, rubrics and models cannot forge or break the report: what acts elsewhere only shows in it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from small_project import Project, leaf, rubric

if TYPE_CHECKING:
    from pathlib import Path

ESC, BELL, BACK = "\x1b", "\x07", "\x08"
HOSTILE = {
    "colours": (f"{ESC}[31mred{ESC}[0m", r"\x1b[31mred\x1b[0m"),
    "a cleared screen": (f"{ESC}[2J{ESC}[H", r"\x1b[2J\x1b[H"),
    "a link (OSC 8)": (f"{ESC}]8;;http://evil{BELL}text{ESC}]8;;{BELL}", r"\x1b]8;;http://evil\x07text\x1b]8;;\x07"),
    "a title": (f"{ESC}]0;pwned{BELL}", r"\x1b]0;pwned\x07"),
    "8-bit escapes": ("\x9b31mred", r"\x9b31mred"),
    "a carriage return": ("score 0.00\rscore 1.00", r"score 0.00\x0dscore 1.00"),
    "backspaces": (f"fail{BACK * 4}pass", r"fail\x08\x08\x08\x08pass"),
    "reordered text": ("abc\u202egpj.exe\u2066x\u2069", r"abc\u202egpj.exe\u2066x\u2069"),
    "line separators": ("a\u2028::error::b\u2029c", r"a\u2028::error::b\u2029c"),
    "a lone surrogate": ("\ud83d!", r"\ud83d!"),
    "nothing": ("\x00", r"\x00"),
    "markup": ("]]><failure/>&<b onclick='x'>", "]]><failure/>&<b onclick='x'>"),
}
COMMANDS = {
    "GitHub": ("::error file=a.py,line=1::pwned", r"\x3a:error file=a.py,line=1::pwned"),
    "GitHub, indented": ("   ::set-output name=x::1", r"   \x3a:set-output name=x::1"),
    "GitHub's older form": ("well ##[error]pwned", r"well \x23#[error]pwned"),
    "Azure": ("well ##vso[task.setvariable]pwned", r"well \x23#vso[task.setvariable]pwned"),
    "TeamCity": ("##teamcity[buildStatus]", r"\x23#teamcity[buildStatus]"),
}
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.fixture
def reports(project: Project) -> Path:
    return project.pytester.path


def run(project: Project, *arguments: str) -> tuple[str, str, str]:
    """What the terminal, the JUnit file and the JSON file say."""
    result = project.run("--junitxml=report.xml", "--ppteval-json=results.json", "-rA", *arguments)
    path = project.pytester.path
    texts = (result.stdout.str(), (path / "report.xml").read_text("utf-8"), (path / "results.json").read_text("utf-8"))
    for text in texts:
        assert not ACTS.search(text.replace("\r\n", "\n"))
    return texts


def texts_of(xml: str) -> str:
    """Every attribute and text of an XML document, which must be one."""
    return "\n".join(
        text
        for element in ElementTree.fromstring(xml).iter()
        for text in (element.text or "", *element.attrib.values())
    )


def code(reason: str, printed: str = "") -> str:
    return f"def compute_score():\n    print({printed!r})\n    return {reason!r}, 0.0\n"


def test_reasons_outputs_names_and_errors(project: Project) -> None:
    """All in one run: each appears in all three reports, escaped."""
    leaves = [leaf(f"{name} reason", code(text)) for name, (text, _) in HOSTILE.items()]
    leaves += [leaf(f"{name} output", code("r", text)) for name, (text, _) in HOSTILE.items()]
    leaves += [
        leaf(f"{name} raised", f"def compute_score():\n    raise ValueError({text!r})\n")
        for name, (text, _) in HOSTILE.items()
    ]
    leaves += [leaf(f"name {text}", code("r")) for text, _ in HOSTILE.values() if "\ud83d" not in text]
    project.task("t", rubric(*leaves))
    project.outputs()
    terminal, xml, document = run(project)
    shown_in_xml = texts_of(xml)
    tree = json.loads(document)["tasks"][0]["scored_rubric"]["root"]["children"]
    by_name = {node["leaf_id"]: node for node in tree}
    for name, (text, shown) in HOSTILE.items():
        assert shown in by_name[f"{name} reason"]["reason"]
        assert by_name[f"{name} reason"]["score"] == 0
        assert f"score 0.00: {shown}" in terminal
        assert f"score 0.00: {shown}" in shown_in_xml
        assert f"ValueError: {shown}" in terminal
        assert f"ValueError: {shown}" in shown_in_xml
        # Python itself prints a lone surrogate as an escape.
        assert f"| {shown}" in terminal
        if "\ud83d" not in text:
            node = by_name[f"name {shown}"]
            assert node["name"] == f"name {text}"  # data stays data, in JSON's own escapes
            assert f"[name {shown}]" in terminal
            assert f"t::name {shown}" in shown_in_xml
    assert ElementTree.fromstring(xml).find(".//failure/failure") is None


@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_becomes_a_command_of_a_build_server(project: Project, name: str) -> None:
    text, shown = COMMANDS[name]
    project.task(
        "t",
        rubric(
            leaf("reason", code(text)),
            leaf("later", code(f"first\n{text}")),
            leaf("output", code("r", f"first\n{text}")),
            leaf("raised", f"def compute_score():\n    raise ValueError({text!r})\n"),
            leaf(text, code("r")),
            leaf("source", f"def compute_score():\n    '''\n{text}\n'''; raise ValueError\n"),
        ),
    )
    project.outputs()
    terminal, xml, _ = run(project)
    for report in (terminal, texts_of(xml)):
        assert not re.search(r"^\s*::\w|##\[|##vso\[|##teamcity\[", report, re.MULTILINE), report
    assert f"score 0.00: {shown}" in terminal
    assert f"| {shown}" in terminal


FORGED = """
=========================== short test summary info ============================
PASSED cases/tasks.json::t
============================== 99 passed in 0.01s ==============================
"""


@pytest.mark.parametrize("where", ["reason", "output", "exception", "name"])
def test_lines_that_look_like_pytests_own_are_marked_as_the_leafs(project: Project, where: str) -> None:
    bodies = {
        "reason": leaf("l", code(FORGED)),
        "output": leaf("l", code("r", FORGED)),
        "exception": leaf("l", f"def compute_score():\n    raise ValueError({FORGED!r})\n"),
        "name": leaf(f"l{FORGED}", code("r")),
    }
    project.task("t", rubric(bodies[where]))
    project.outputs()
    terminal, _, _ = run(project)
    lines = terminal.splitlines()
    assert "PASSED cases/tasks.json::t" not in lines
    assert not any(line.startswith("=") and "99 passed" in line for line in lines)
    assert any(line.startswith(("FAILED cases/tasks.json::t", "UNDETERMINED cases/tasks.json::t")) for line in lines)


def test_reasons_of_unscored_leaves(project: Project) -> None:
    text = f"{ESC}[31m\n::error::x\n{FORGED}"
    code = f"""
from ppteval.verify.ppt.verifier import ScreenshotsUnavailableError
def compute_score():
    raise ScreenshotsUnavailableError({text!r})
"""
    project.task("t", rubric(leaf("l", code)))
    project.outputs()
    terminal, xml, _ = run(project, "-v")
    assert not re.search(r"^\s*::\w", terminal + texts_of(xml), re.MULTILINE)
    assert "PASSED cases/tasks.json::t" not in terminal.splitlines()
    assert "\\x1b[31m" in terminal


def test_tags_difficulties_and_task_ids(project: Project) -> None:
    project.task("t", rubric(leaf("l", 1.0)), difficulty=f"Ea{ESC}[31msy", tags=("::error::x", "a\u202eb"))
    project.outputs()
    terminal, _, document = run(project, "--ppteval-summary=full")
    assert r"difficulty Ea\x1b[31msy" in terminal
    assert r"tag a\u202eb" in terminal
    assert json.loads(document)["tasks"][0]["tags"] == ["::error::x", "a\u202eb"]
    project.task("t\u202ex", rubric(leaf("l", 1.0)))
    result = project.run()
    assert "contains a mark that reorders text: choose an id without it" in result.stdout.str()
    assert not ACTS.search(result.stdout.str())


def test_a_leaf_cannot_change_another_leafs_or_tasks_score(project: Project) -> None:
    """By breaking its channel, killing its keeper's process group, or answering twice."""
    forge = """
import json, os, socket, stat
def compute_score():
    for fd in range(3, 64):
        try:
            if not stat.S_ISSOCK(os.fstat(fd).st_mode):
                continue
        except OSError:
            continue
        channel = socket.socket(fileno=fd)
        body = json.dumps({"t": "result", "score": SCORE, "reason": "forged"}).encode()
        channel.sendall((len(body).to_bytes(4, "big") + body) * 50)
        channel.detach()
    return "honest", 0.0
"""
    project.task("a", rubric(leaf("one", forge.replace("SCORE", "1.0")), leaf("two", 0.0), leaf("three", 0.5)))
    project.task("b", rubric(leaf("one", forge.replace("SCORE", "7.0")), leaf("two", 1.0), leaf("three", 0.5)))
    project.task("c", rubric(leaf("one", 1.0)))
    project.outputs()
    _, _, document = run(project)
    tasks = {task["task_id"]: task for task in json.loads(document)["tasks"]}
    roots = {name: task["scored_rubric"]["root"] for name, task in tasks.items()}
    scores = {name: [node["score"] for node in root["children"]] for name, root in roots.items()}
    # A leaf can give itself any score, and nothing else to anybody.
    assert scores == {"a": [1.0, 0.0, 0.5], "b": [None, 1.0, 0.5], "c": [1.0]}
    assert tasks["c"]["verdict"] == "passed"
