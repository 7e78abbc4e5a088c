"""What the README shows, run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from small_project import Project

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def block(language: str, containing: str) -> str:
    """The README's code block of that language that holds the text."""
    blocks: list[str] = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    (found,) = [text for text in blocks if containing in text]
    return found


def rename(deck: Any) -> None:
    deck.slides[0].shapes.title.text = "Lecture 1"


@pytest.fixture
def desk(project: Project) -> Project:
    """A folder with the README's rubric and decks before and after."""
    folder = project.pytester.path
    (folder / "title.rubric.yaml").write_text(block("yaml", "Title says Lecture 1"), "utf-8")
    shutil.copy(project.deck, folder / "before.pptx")
    shutil.copy(project.output("x", rename), folder / "after.pptx")
    shutil.rmtree(folder / "outputs")
    return project


def test_the_example_rubric_passes_a_good_deck_and_fails_the_untouched_one(desk: Project) -> None:
    arguments = ("--ppteval-rubric=title.rubric.yaml", "--ppteval-original=before.pptx")
    desk.run(*arguments, "--ppteval-modified=after.pptx").assert_outcomes(passed=1)
    result = desk.run(*arguments, "--ppteval-modified=before.pptx")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["critical, score 0.00: slide 1, 'Title 1': 'Lecture 3', wanted 'Lecture 1'"])


def test_the_example_of_score_prints_what_it_says(
    desk: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(desk.pytester.path)
    code = block("python", "from pytest_ppteval import score")
    exec(compile(code, "README.md", "exec"), {})
    said = re.search(r"print\(result\.verdict\)\s+# (.*)", code)
    assert said is not None
    assert capsys.readouterr().out.strip() == said[1]


def test_the_options_table_is_the_help(pytester: pytest.Pytester) -> None:
    shown = set(re.findall(r"`(--ppteval-[a-z-]+)", README))
    offered = set(
        re.findall(r"^  (--ppteval-[a-z-]+)", pytester.runpytest_inprocess("--help").stdout.str(), re.MULTILINE)
    )
    assert shown == offered


def test_the_files_that_the_readme_links_to_are_there() -> None:
    links = [target for target in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in target]
    assert links
    assert [target for target in links if not (ROOT / target).is_file()] == []


def test_the_failure_that_the_readme_shows_is_what_pytest_prints(tmp_path: Path, pytester: pytest.Pytester) -> None:
    """An agent that moved the slide and forgot to hide the other."""
    from pptx import Presentation

    shutil.copytree(ROOT / "cases", pytester.path / "cases", ignore=shutil.ignore_patterns("conftest.py"))
    deck = Presentation(str(ROOT / "baselines" / "cases" / "ferry_review-007" / "output.pptx"))
    for slide in deck.slides:
        slide.element.attrib.pop("show", None)
    (pytester.path / "my-agents-decks").mkdir()
    deck.save(str(pytester.path / "my-agents-decks" / "ferry_review-007.pptx"))
    shown = block("text", "-k ferry_review-007").splitlines()
    assert shown[0].startswith("$ pytest ")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", *shown[0].removeprefix("$ pytest ").split())
    printed = result.outlines
    start = next(i for i, line in enumerate(printed) if line.startswith("cases/tasks.json"))
    assert printed[start : start + len(shown) - 1] == shown[1:]


def test_the_example_case_judges_a_run(project: Project) -> None:
    folder = project.pytester.path
    (folder / "load.case.yaml").write_text(block("yaml", "max_tool_calls"), "utf-8")
    workspace = folder / "runs" / "cpu-bound" / "workspace"
    workspace.mkdir(parents=True)
    (workspace.parent / "response.md").write_text("The bottleneck is the CPU.")
    (workspace / "cpu.json").write_text("{}")
    command = block("console", "load.case.yaml").split("#")[0].split()
    result = project.pytester.runpytest_inprocess("-p", "no:cacheprovider", *command[2:])
    assert result.ret == 1
    result.stdout.fnmatch_lines(["critical, score 0.00: there is no nic.json; the workspace holds cpu.json"])
