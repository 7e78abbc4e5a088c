"""How far rubric code was confined is told in every run, quiet ones too, with what it could read where it was not."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from ordinary_user import ORDINARY, run_as
from small_project import leaf, rubric

from pytest_ppteval.rubric.tree import Node, Rubric, Scorer, Source
from pytest_ppteval.sandbox.confine.policy import LAYERS_VARIABLE, probe

if TYPE_CHECKING:
    from small_project import Project


@pytest.fixture
def small(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    project.task("a", rubric(leaf("One", 1.0)))
    project.outputs()
    for name in ("OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GITHUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-of-mine")
    return project


WARNING = "ppteval: rubric code can read *ANTHROPIC_API_KEY* here, in the environment of *"


@pytest.mark.parametrize("arguments", [(), ("-q",), ("-qq",), ("--no-header",), ("-v",)], ids=" ".join)
@pytest.mark.parametrize("layers", ["", "seccomp"])
def test_the_level_is_told_once(
    small: Project, arguments: tuple[str, ...], layers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LAYERS_VARIABLE, layers)
    output = small.run(*arguments).stdout
    assert output.str().count(f"ppteval: sandbox {probe('auto')}") == 1
    assert "sk-secret-of-mine" not in output.str()


@pytest.mark.parametrize("arguments", [(), ("-q",)], ids=" ".join)
@pytest.mark.parametrize("how", ["seccomp", "none", "off"])
def test_a_key_that_rubric_code_can_read_is_told_at_the_start(
    small: Project, arguments: tuple[str, ...], how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "off":
        arguments = (*arguments, "--ppteval-sandbox=off")
    else:
        monkeypatch.setenv(LAYERS_VARIABLE, how)
    small.run(*arguments).stdout.fnmatch_lines([WARNING, "*1 passed*"])


def test_no_key_and_no_warning(small: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    if probe("auto").name == "full":
        small.run().stdout.no_fnmatch_line(WARNING)
    monkeypatch.setenv(LAYERS_VARIABLE, "none")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    small.run().stdout.no_fnmatch_line(WARNING)


# Each process of the run says which it is and what its number is.
_PROCESSES = """
import os
from pathlib import Path
def pytest_configure(config):
    who = "worker" if hasattr(config, "workerinput") else "controller"
    Path("{folder}", who).write_text(str(os.getpid()))
"""
_LOOKS = """
def compute_score():
    found = []
    for who in ("controller", "worker"):
        number = open(f"{folder}/{{who}}").read()
        try:
            environment = open(f"/proc/{{number}}/environ", "rb").read()
            found.append(f"{{who}} tells" if b"sk-secret" in environment else f"{{who}} has none")
        except PermissionError:
            found.append(f"{{who}} is shut")
    return ", ".join(found), 1
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux'")
@pytest.mark.parametrize(
    ("how", "found"),
    [
        ("seccomp", "controller is shut, worker is shut"),
        ("none", "controller is shut, worker is shut"),
        ("off", "controller tells, worker tells"),  # so that the others prove something
    ],
)
def test_the_environment_of_the_runs_own_processes_is_shut(
    small: Project, how: str, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The controller of xdist has the key, too, and runs no leaf: it shuts itself.

    By an ordinary user: root's processes are shut to those that gave up its capabilities in any case.
    """
    with tempfile.TemporaryDirectory() as made:  # pytest's own are for this user only
        folder = Path(made, "project")
        small.task("b", rubric(leaf("Looks", _LOOKS.format(folder=folder))))
        small.output("b")
        shutil.copytree(small.pytester.path, folder)
        (folder / "conftest.py").write_text(_PROCESSES.format(folder=folder))
        if os.geteuid() == 0:
            for place in (Path(made), folder, *folder.rglob("*")):
                os.chown(place, ORDINARY, ORDINARY)
        monkeypatch.setenv(LAYERS_VARIABLE, "" if how == "off" else how)
        fixed = ("-p", "no:cacheprovider", "-n1", "--ppteval-outputs=outputs", "--ppteval-json=results.json", "cases")
        mode = ("--ppteval-sandbox=off",) if how == "off" else ()
        run_as("ordinary", "-m", "pytest", *fixed, *mode, cwd=folder)
        tasks = {task["task_id"]: task for task in json.loads((folder / "results.json").read_text())["tasks"]}
    assert tasks["b"]["scored_rubric"]["root"]["children"][0]["reason"] == found


def test_the_level_is_a_property_in_junit(small: Project) -> None:
    small.run("--junitxml=junit.xml")
    properties = ET.parse(small.pytester.path / "junit.xml").iterfind(".//property[@name='ppteval.sandbox']")
    assert [one.get("value") for one in properties] == [str(probe("auto"))]


def test_a_name_of_a_hundred_thousand_characters_fills_no_terminal(small: Project) -> None:
    small.task("b", rubric(leaf("x" * 100_000, 0.0), leaf("x" * 100_000 + "y", 0.5)))
    small.output("b")
    result = small.run("-v", "--ppteval-json=results.json", "--junitxml=junit.xml")
    assert max(map(len, result.outlines)) < 2_000
    assert all(
        len(case.get("name", "")) < 1_000 for case in ET.parse(small.pytester.path / "junit.xml").iter("testcase")
    )


def test_long_names_stay_unique() -> None:
    source = Source("rubric.json")
    scorer = Scorer("function", {}, source)
    names = ["a" * 400, "a" * 401, "a" * 5_000, "a" * 300 + "b" + "a" * 5_000]
    tree = Node("task", source, children=tuple(Node(name, source, scorer=scorer) for name in names))
    ids = [leaf.id for leaf in Rubric(tree, source).leaves]
    cut = "a" * 300 + "…" + "a" * 99
    assert ids == ["a" * 400, cut, f"{cut} #2", f"{cut} #3"]
