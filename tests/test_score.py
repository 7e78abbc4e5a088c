"""score(): the same verdict without pytest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from small_project import leaf, rubric

from pytest_ppteval import score
from pytest_ppteval.case.model import FormatError


@pytest.fixture
def rubric_file(tmp_path: Path) -> Path:
    asks = "def compute_score():\n    return llm_call(prompt='ok?'), 0.5\n"
    path = tmp_path / "title.json"
    path.write_text(json.dumps(rubric(leaf("A", 1.0, critical=True), leaf("B", asks))), "utf-8")
    return path


def test_score_judges_a_deck_by_a_rubric(rubric_file: Path, small_deck: Path) -> None:
    result = score(rubric_file, original=small_deck, modified=small_deck, llm_call=lambda prompt: prompt, threshold=0.8)
    # By hand: 1 - 0.3 * (1 - 0.5).
    assert result.verdict.outcome == "passed"
    assert result.verdict.score == pytest.approx(0.85, abs=1e-12)
    assert result.results["B"].reason == "ok?"


def test_without_a_model_the_score_is_an_interval(rubric_file: Path, small_deck: Path) -> None:
    result = score(str(rubric_file), modified=str(small_deck))
    assert (result.verdict.outcome, result.verdict.score) == ("undetermined", None)
    assert result.verdict.low == pytest.approx(0.7)
    assert result.verdict.high == 1.0


def test_a_missing_deck_scores_nothing_and_fails(rubric_file: Path, tmp_path: Path) -> None:
    result = score(rubric_file, modified=tmp_path / "none.pptx")
    assert result.verdict.outcome == "failed"
    assert "none.pptx" in result.results["A"].reason


def test_a_malformed_rubric_raises_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text("{\n", "utf-8")
    with pytest.raises(FormatError, match=r"bad\.json:2:1: "):
        score(path, modified=tmp_path / "x.pptx")


def test_score_works_where_pytest_is_not_imported(rubric_file: Path, small_deck: Path) -> None:
    code = (
        "import sys\nfrom pytest_ppteval import score\n"
        "verdict = score(sys.argv[1], modified=sys.argv[2]).verdict\n"
        "print(verdict.outcome, 'pytest' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(rubric_file), str(small_deck)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["undetermined", "False"]


def test_score_draws_the_slides_that_a_leaf_looks_at(tmp_path: Path, small_deck: Path) -> None:
    looks = (
        "def compute_score():\n"
        "    shot = [s for s in modified_ppt_screenshots if s.slide_number == 2][0]\n"
        "    return vlm_call(prompt='Thanks?', images=[shot.image_path]), 1.0\n"
    )
    path = tmp_path / "looks.json"
    path.write_text(json.dumps(rubric(leaf("A", looks))), "utf-8")
    seen: list[bytes] = []

    def vlm_call(prompt: str, images: list[str | bytes]) -> str:
        (image,) = images
        seen.append(Path(image).read_bytes() if isinstance(image, str) else image)
        return "YES"

    pytest.importorskip("pypdfium2", reason="no renderer: pip install 'pytest-ppteval[pictures]'")
    result = score(path, original=small_deck, modified=small_deck, vlm_call=vlm_call)
    assert result.results["A"].reason == "YES"
    assert seen[0].startswith((b"\x89PNG", b"\xff\xd8\xff"))
    unseen = score(path, original=small_deck, modified=small_deck, vlm_call=vlm_call, renderer="none")
    assert unseen.results["A"].status == "unscored"
