"""`--ppteval-no-skill`: the same cases without the skill under test, to see what it is worth."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

from pytest_ppteval.cli import main
from pytest_ppteval.runs.folder import RunFolder

# Says what its skill has it say, if it has one.
PROGRAM = """
import os
from pathlib import Path
skill = Path("skills/brand/SKILL.md")
Path(os.environ["PPTEVAL_RESPONSE"]).write_text("in teal" if skill.exists() else "in red")
"""
CASE = """
id: colour
prompt: Which colour?
skill: {skill}
expected_behavior: [{{response_contains: teal}}]
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    (pytester.path / "program.py").write_text(PROGRAM, "utf-8")
    command = json.dumps([sys.executable, str(pytester.path / "program.py")])
    (pytester.path / "ppteval.yaml").write_text(
        f"agents:\n  own: {{kind: command, command: {command}, timeout: 20}}\n", "utf-8"
    )
    (pytester.path / "cases" / "brand").mkdir(parents=True)
    (pytester.path / "cases" / "brand" / "SKILL.md").write_text("Say teal.\n", "utf-8")
    (pytester.path / "cases" / "c.case.yaml").write_text(CASE.format(skill="brand"), "utf-8")
    return pytester


def test_what_a_skill_is_worth(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    agent = ("cases", "--ppteval-agent=own", "-p", "no:cacheprovider")
    assert project.inline_run(*agent, "--ppteval-results=with").ret == 0
    assert project.inline_run(*agent, "--ppteval-results=without", "--ppteval-no-skill").ret == 1
    assert RunFolder.open(project.path / "without").facts()["options"]["no_skill"] is True
    capsys.readouterr()
    assert main(["compare", str(project.path / "without"), str(project.path / "with")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "0 of 1 tasks passed before, 1 now: 1 fixed" in said
    assert "without the skill: without. What differs is what the skill is worth." in said


def test_a_session_that_is_gone_on_with_stays_without_it(project: pytest.Pytester) -> None:
    agent = ("cases", "--ppteval-agent=own", "-p", "no:cacheprovider")
    project.inline_run(*agent, "--ppteval-results=without", "--ppteval-no-skill")
    (project.path / "without" / "results.jsonl").unlink()
    shutil.rmtree(project.path / "without" / "artifacts")
    assert project.inline_run(*agent[:1], "--ppteval-resume=without", *agent[2:]).ret == 1, "it still says red"
    project.inline_run(*agent, "--ppteval-results=with")
    result = project.runpytest("cases", "--ppteval-resume=with", "--ppteval-no-skill")
    result.stderr.fnmatch_lines(["*--ppteval-no-skill: *with is of runs with the skill: start a session of its own"])


def test_a_skill_that_is_only_named_can_t_be_left_out(project: pytest.Pytester) -> None:
    """The agent has it from somewhere: its run would be one with the skill, and pass for one without."""
    (project.path / "cases" / "c.case.yaml").write_text(CASE.format(skill="elsewhere"), "utf-8")
    result = project.runpytest("cases", "--ppteval-agent=own", "--ppteval-no-skill")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*skill 'elsewhere' is no folder that is there*"])


def test_without_an_agent_it_is_an_error(project: pytest.Pytester) -> None:
    result = project.runpytest("cases", "--ppteval-no-skill")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--ppteval-no-skill goes with an agent that runs*"])
