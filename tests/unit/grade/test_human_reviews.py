"""Questions to people: unscored until a review file answers them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agent_run import judge_run, load_case, outcome

from pytest_ppteval.evidence.run import Run

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.rubric.result import LeafResult

CASE = "id: tone\nprompt: p\nhuman:\n  - question: Is the tone right?\n"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "response.md").write_text("Dear customer")
    return Run(folder, "tone")


def reviewed(folder: Path, run: Run, reviews: str, case: str = CASE) -> LeafResult:
    """The result with these reviews beside the case."""
    (folder / "reviews").mkdir(exist_ok=True)
    (folder / "reviews" / "tone.yaml").write_text(f"reviews:\n{reviews}", "utf-8")
    return judge_run(load_case(folder, case), run)


def test_without_a_review_the_leaf_is_unscored_and_says_where_to_write_one(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = judge_run(load_case(tmp_path, CASE), run)
    assert outcome(result) == (
        "unscored",
        f"needs review: answer in reviews/tone.yaml on the scale 1-5, for run {run.fingerprint}",
    )


def test_a_review_scores_the_leaf(tmp_path: Path, run: Run) -> None:
    one = f"- {{by: Ann, at: 2026-05-31, score: 4, note: a bit stiff, run: {run.fingerprint}}}\n"
    assert outcome(reviewed(tmp_path, run, one)) == (0.75, "Ann: 4 (a bit stiff)")


def test_a_review_of_no_particular_run_says_so(tmp_path: Path, run: Run) -> None:
    assert outcome(reviewed(tmp_path, run, "- {by: Ann, at: 2026-05-31, score: 5}\n")) == (
        1,
        "Ann: 5 [Ann: for whatever run, none is named]",
    )


def test_reviews_that_differ_are_shown_and_the_median_counts(tmp_path: Path, run: Run) -> None:
    scores = {"Ann": 5, "Bob": 1, "Cem": 4}
    lines = [f"- {{by: {who}, at: 2026-05-31, score: {n}, run: {run.fingerprint}}}\n" for who, n in scores.items()]
    assert outcome(reviewed(tmp_path, run, "".join(lines))) == (
        0.75,
        "reviews differ, the median counts (0.75): Ann: 5; Bob: 1; Cem: 4",
    )


def test_the_latest_word_of_each_person_counts(tmp_path: Path, run: Run) -> None:
    lines = f"- {{by: Ann, at: 2026-05-31T12:00, score: 3, run: {run.fingerprint}}}\n"
    lines += f"- {{by: Ann, at: 2026-05-30, score: 1, run: {run.fingerprint}}}\n"
    assert outcome(reviewed(tmp_path, run, lines)) == (0.5, "Ann: 3")


def test_a_review_of_another_run_does_not_count(tmp_path: Path, run: Run) -> None:
    result = reviewed(tmp_path, run, "- {by: Ann, at: 2026-05-31, score: 5, run: 0123456789ab}\n")
    assert result.status == "unscored"
    assert result.reason.endswith(f"for run {run.fingerprint} (there is one of another run: 0123456789ab)")


def test_the_run_is_the_same_in_another_folder_and_another_when_a_file_changes(tmp_path: Path, run: Run) -> None:
    assert run.folder is not None
    copy = tmp_path / "copy"
    (copy / "workspace").mkdir(parents=True)
    (copy / "response.md").write_text("Dear customer")
    (copy / "metrics.json").write_text("{}")
    assert Run(copy).fingerprint == run.fingerprint
    (copy / "workspace" / "new.txt").write_text("")
    assert Run(copy).fingerprint != run.fingerprint


def test_words_as_a_scale(tmp_path: Path, run: Run) -> None:
    case = CASE + "    scale: [poor, fair, good]\n"
    assert reviewed(tmp_path, run, "- {by: Ann, at: 2026-05-31, score: fair}\n", case).score == 0.5


@pytest.mark.parametrize(("answer", "score"), [("yes", 1), ('"no"', 0)])
def test_yes_and_no_need_no_quotes(tmp_path: Path, run: Run, answer: str, score: float) -> None:
    case = CASE + "    scale: [no, yes]\n"
    result = reviewed(tmp_path, run, f"- {{by: Ann, at: 2026-05-31, score: {answer}}}\n", case)
    assert result.score == score
    assert result.reason.startswith("Ann: " + answer.strip('"'))


def test_several_questions_are_told_apart(tmp_path: Path, run: Run) -> None:
    case = CASE + "    name: tone\n  - question: Is it clear?\n    name: clarity\n"
    (tmp_path / "reviews").mkdir()
    (tmp_path / "reviews" / "tone.yaml").write_text(
        "reviews:\n- {by: Ann, at: 2026-05-31, score: 5, question: Is it clear?}\n"
        "- {by: Ann, at: 2026-05-31, score: 1, question: tone}\n"
    )
    loaded = load_case(tmp_path, case)
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade import grade
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.sandbox.host import Sandbox

    with Evidence(Sandbox(), None, None, run=run, case=loaded) as evidence:
        assert [grade(leaf, evidence, Means()).score for leaf in loaded.rubric.leaves] == [0, 1]


@pytest.mark.parametrize(
    ("review", "said"),
    [
        ("- {by: Ann, at: 2026-05-31, score: 6}", "tone.yaml:2:36: score 6 is not on the scale 1-5"),
        (
            "- {by: Ann, at: yesterday, score: 5}",
            "tone.yaml:2:17: 'yesterday' is no date: write one such as 2026-05-31",
        ),
        ("- {at: 2026-05-31, score: 5}", "tone.yaml:2:3: 'by' is missing: a review needs it"),
        ("- {by: Ann, at: 2026-05-31, scroe: 5}", "unknown key 'scroe' in a review: did you mean 'score'?"),
        (
            "- {by: Ann, at: 2026-05-31, score: 5, question: Is the tone rihgt?}",
            "the case has no question 'Is the tone rihgt?': did you mean 'Is the tone right?'?",
        ),
    ],
)
def test_a_review_file_that_is_wrong_is_an_error_of_the_leaf(tmp_path: Path, run: Run, review: str, said: str) -> None:
    result = reviewed(tmp_path, run, review + "\n")
    assert result.status == "error"
    assert said in result.reason


def test_two_review_files_are_an_error_so_that_none_is_passed_over(tmp_path: Path, run: Run) -> None:
    (tmp_path / "reviews").mkdir()
    (tmp_path / "reviews" / "tone.json").write_text('{"reviews": []}', "utf-8")
    result = reviewed(tmp_path, run, "- {by: Ann, at: 2026-05-31, score: 5}\n")
    assert result.status == "error"
    assert (
        "tone.yaml:1:1: the case has several review files, tone.yaml and tone.json: put all into one" in result.reason
    )
