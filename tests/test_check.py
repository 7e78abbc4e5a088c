"""`ppteval check`: rubrics with known holes, and what it says of each; a rubric without any."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pptx import Presentation
from pptx.util import Pt

from pytest_ppteval.case.load import load
from pytest_ppteval.check.mutants.make import SLIDE_FAULTS, mutants
from pytest_ppteval.check.mutants.slides import DECK_FAULTS
from pytest_ppteval.check.table import END, START
from pytest_ppteval.cli import main
from pytest_ppteval.deck.guard import read_deck
from pytest_ppteval.look.compare import ASPECTS

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
DECK = ROOT / "cases" / "decks" / "ferry_review.pptx"
TITLE = {"on": {"slide": 3, "shape": {"title": True}}, "text": "What we learned"}
REST = {
    "name": "Rest",
    "is_critical": True,
    "changes": {"allow": [{"slides": 3, "shapes": {"title": True}, "what": "text"}]},
}
GOOD: list[dict[str, Any]] = [
    {"name": "Title", "is_critical": True, "deck": TITLE},
    REST,
    {"name": "Sound", "is_critical": True, "guard": ["legible", "editable", "opens"]},
]
# Rubrics with the kinds of holes that rubrics had, and the findings' rules that tell of each.
HOLES: dict[str, tuple[list[dict[str, Any]], set[str]]] = {
    "nothing says what must stay": (GOOD[:1], {"no-changes", "survivor"}),
    "the slide worked on may become anything": (
        [GOOD[0], {"name": "Rest", "is_critical": True, "changes": {"allow": [{"slides": 3, "what": "any"}]}}],
        set(),  # what a rubric allows in so many words is its own affair: it is counted, see below
    ),
    "only another slide is compared": (
        [GOOD[0], {"name": "Rest", "is_critical": True, "deck": {"on": {"slide": 5}, "slide": {"hidden": False}}}],
        {"no-changes", "survivor"},
    ),
    "any title will do": (
        [{"name": "Title", "is_critical": True, "deck": {**TITLE, "text": {"matches": "."}}}, REST],
        {"accepts-untouched", "survivor"},
    ),
    "it is told by its writing": (
        [
            GOOD[0],
            {
                "name": "Rest",
                "is_critical": True,
                "scorer": {
                    "type": "function",
                    "function_code": "import zipfile\n\ndef compute_score():\n"
                    "    one, two = (zipfile.ZipFile(p).read('ppt/slides/slide5.xml') for p in "
                    "(original_ppt_path, modified_ppt_path))\n    # ppt_diff\n    return 'bytes', float(one == two)\n",
                },
            },
        ],
        {"refuses-equal", "survivor"},
    ),
}  # fmt: skip


def first_slides(count: int) -> Any:
    """The beginning of a deck: what is to be found is found in it as well."""
    deck = Presentation(str(DECK))
    for item in list(deck.slides._sldIdLst)[count:]:
        deck.part.drop_rel(item.rId)
        deck.slides._sldIdLst.remove(item)
    no_sections = dict(DECK_FAULTS)["sections"]
    no_sections(deck)
    return deck


def suite(
    folder: Path, leaves: list[dict[str, Any]], edit: Callable[[Any], None] | None = None, **metadata: Any
) -> Path:
    """A registry with one task, its deck, and the approved output."""
    cases = folder / "cases"
    cases.mkdir()
    deck = first_slides(5)
    deck.save(str(cases / "deck.pptx"))
    rubric = {"root": {"name": "Root", "children": leaves}, "metadata": metadata}
    (cases / "rubric.json").write_text(json.dumps(rubric, indent=1), "utf-8")
    task = {
        "goal": "Rename slide 3",
        "file_path": "cases/deck.pptx",
        "rubric_path": "cases/rubric.json",
        "tags": [],
        "misc": {},
    }
    (cases / "tasks.json").write_text(json.dumps({"rename": task}), "utf-8")
    approved = folder / "baselines" / "cases" / "rename"
    approved.mkdir(parents=True)
    deck = Presentation(str(cases / "deck.pptx"))
    deck.slides[2].shapes.title.text_frame.paragraphs[0].runs[0].text = "What we learned"
    if edit is not None:
        edit(deck)
    deck.save(str(approved / "output.pptx"))
    return cases


def checked(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """The command's exit status, and what it says as JSON."""
    status = main(["check", "cases", "--jobs=1", "--format=json", *arguments])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert folder == Path.cwd()
    return status, document


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_rubric_without_holes_is_clean(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite(here, GOOD)
    status, document = checked(here, capsys)
    assert (status, document["findings"]) == (0, [])
    [score] = document["scores"]
    assert score["share"] == 1
    assert score["mutants"] > 60
    assert score["valid"] == score["accepted"] > 8
    assert score["wrong"] == score["caught"] == 2  # untouched, empty


# The others take ten seconds each: a survivor is judged four times over.
QUICK = ("nothing says what must stay", "any title will do")


@pytest.mark.parametrize("hole", [h if h in QUICK else pytest.param(h, marks=pytest.mark.slow) for h in HOLES])
def test_a_hole_is_named(hole: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leaves, rules = HOLES[hole]
    suite(here, leaves)
    status, document = checked(here, capsys)
    assert {one["rule"] for one in document["findings"]} == rules
    assert status == (1 if rules else 0)


def test_what_a_rubric_allows_is_counted_and_no_survivor(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite(here, HOLES["the slide worked on may become anything"][0])
    _, document = checked(here, capsys)
    [score] = document["scores"]
    assert score["allowed"] > 20
    assert score["survivors"] == []


def test_an_approved_output_that_falls_short_is_told_with_its_leaf(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def small(deck: Any) -> None:
        deck.slides[2].shapes.title.text_frame.paragraphs[0].runs[0].font.size = Pt(5)

    suite(here, GOOD, small)
    status, document = checked(here, capsys, "--no-mutants")
    assert status == 1
    found = [one for one in document["findings"] if one["rule"] == "refuses-approved"]
    assert [one["leaf"] for one in found] == ["Rest"]


def test_counterexamples_must_fall_by_their_leaf(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite(here, GOOD)
    folder = here / "counterexamples" / "rename"
    folder.mkdir(parents=True)
    shutil.copy(here / "cases/deck.pptx", folder / "untouched.pptx")
    shutil.copy(here / "baselines/cases/rename/output.pptx", folder / "good.pptx")
    (folder / "caught-by.tsv").write_text("untouched\tRest\ngood\tTitle\n", "utf-8")
    status, document = checked(here, capsys, "--no-mutants")
    assert status == 1
    assert [one["message"] for one in document["findings"]] == [
        "rename: counterexample good passes",
        "rename: counterexample untouched should fall by 'Rest', and falls by Title",
    ]


@pytest.mark.slow  # fifteen seconds: a survivor is judged four times over
def test_survivors_are_kept_to_be_opened_and_can_be_accepted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    accept = [{"mutant": "*", "why": "a title is all that counts"}, {"rule": "no-changes", "why": "so too"}]
    suite(here, GOOD[:1])
    status, document = checked(here, capsys, "--keep=kept")
    survivors = [one for one in document["findings"] if one["rule"] == "survivor"]
    kept = sorted((here / "kept" / "rename").iterdir())
    assert status == 1
    assert len(kept) == len(survivors) > 40
    assert len(Presentation(str(kept[0])).slides) == 5
    shutil.rmtree(here / "cases")
    shutil.rmtree(here / "baselines")
    suite(here, GOOD[:1], check={"accept": accept})
    status, document = checked(here, capsys)
    assert (status, document["findings"]) == (0, [])


@pytest.mark.parametrize("entry", [{"mutant": "*"}, {"rule": "no-such", "why": "x"}, {"why": "x"}])
def test_an_acceptance_needs_a_rule_that_there_is_and_a_reason(
    entry: dict[str, str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite(here, GOOD, check={"accept": [entry]})
    assert main(["check", "cases", "--static"]) == 2
    assert "check: accept:" in capsys.readouterr().err


def test_what_is_accepted_and_not_found_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite(here, GOOD, check={"accept": [{"rule": "powerless", "why": "x"}]})
    status = main(["check", "cases", "--static"])
    assert status == 0
    assert "note: rename: accepts rule 'powerless', which is not found [stale-acceptance]" in capsys.readouterr().out


def test_a_line_a_finding_and_one_for_all(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite(here, GOOD[:1])
    assert main(["check", "cases/tasks.json", "--static"]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("cases/rubric.json:1: warning: rename: no leaf says what must stay as it was")
    assert last == "1 task, 1 findings, something is wrong"


def test_the_table_is_written_between_its_marks(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite(here, GOOD)
    page = here / "suite.md"
    page.write_text(f"# Suite\n\n{START}\nold\n{END}\n\nThe end.\n", "utf-8")
    checked(here, capsys, "--no-mutants", "--table=suite.md")
    text = page.read_text("utf-8")
    assert text.startswith("# Suite\n")
    assert text.endswith("The end.\n")
    assert "old" not in text
    assert "| rename | " in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere is not there"),
        (["cases", "--task=other"], "no task of that id: other"),
        (["cases", "--min-score=7"], "--min-score is a share of 0 to 1"),
        (["cases", "--jobs=0"], "--jobs is at least 1"),
        (["baselines"], "no rubric, registry or case at baselines"),
    ],
)
def test_wrong_use_is_told_in_a_line(
    arguments: list[str], said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite(here, GOOD)
    assert main(["check", "--static", *arguments]) == 2
    assert capsys.readouterr().err == f"ppteval check: {said}\n"


def test_mutants_are_the_same_each_time_and_each_has_a_name_of_its_own() -> None:
    [case] = [one for one in load(ROOT / "cases/tasks.json", "registry").cases if one.id == "ferry_review-004"]
    assert case.original is not None
    decks = read_deck(case.original), read_deck(ROOT / "baselines/cases/ferry_review-004/output.pptx")
    slides = [one.slide_id for one in Presentation(str(case.original)).slides]
    first, again = ([(one.kind, one.name) for one in mutants(*decks, slides[2:3], seed=3)] for _ in range(2))
    assert first == again
    assert len(set(first)) == len(first) > 60


def test_there_is_a_fault_for_each_aspect_of_a_shape() -> None:
    tried = {aspect for aspect, _ in (*SLIDE_FAULTS, *DECK_FAULTS)}
    assert set(ASPECTS) - tried == set()


def test_the_shipped_suite_tells_nothing_wrong_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["check", "cases", "--static"]) == 0


@pytest.mark.slow  # two minutes: some hundred mutants of each task
def test_the_shipped_suite_lets_no_mutant_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["check", "cases/tasks.json", "--format=json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["task"] for one in document["scores"] if one["share"] < 0.95] == []


def test_as_pytest_items(pytester: pytest.Pytester) -> None:
    suite(pytester.path, GOOD)
    pytester.makefile(".ini", pytest="[pytest]\n")
    passed = pytester.runpytest_inprocess("cases", "--ppteval-check", "-p", "no:cacheprovider", "-v")
    passed.assert_outcomes(passed=1)
    passed.stdout.fnmatch_lines(["cases/tasks.json::rename PASSED*"])
    rubric = pytester.path / "cases" / "rubric.json"
    rubric.write_text(json.dumps({"root": {"name": "Root", "children": GOOD[:1]}}), "utf-8")
    failed = pytester.runpytest_inprocess("cases", "--ppteval-check", "-p", "no:cacheprovider")
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(["*warning: rename: no leaf says what must stay as it was*[[]no-changes[]]"])
    chosen = pytester.runpytest_inprocess("cases", "--ppteval-check", "-p", "no:cacheprovider", "-k", "another")
    chosen.assert_outcomes(deselected=1)
