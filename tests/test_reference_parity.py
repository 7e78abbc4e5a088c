"""Scores equal the reference's: 30 of the benchmark's rubrics, unchanged, on 90 pairs of decks.

../shared/reference has what the reference itself gives (its README says how), where every answer of a model is YES.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval import score
from pytest_ppteval.rubric.score import ScoredNode
from pytest_ppteval.sandbox.host import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "reference"
PAIRS: list[dict[str, Any]] = (
    json.loads((REFERENCE / "pairs.json").read_text("utf-8")) if (REFERENCE / "pairs.json").is_file() else []
)
# (task, variant) -> leaf -> (our score, why it is another than the reference's). None: an error or unscored.
DIFFERENT: dict[tuple[str, str], dict[str, tuple[float | None, str]]] = {}

pytestmark = pytest.mark.skipif(
    not PAIRS, reason="the reference's rubrics and results, ../shared/reference, are not here"
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


def with_pictures(deck: Path, into: Path) -> Path:
    """A copy of the deck, with a picture of each slide beside it."""
    from PIL import Image
    from pptx import Presentation

    copy = Path(shutil.copy(deck, into / deck.name))
    picture = BytesIO()
    Image.new("RGB", (160, 90), "white").save(picture, "PNG")
    with zipfile.ZipFile(copy.with_suffix(".zip"), "w") as archive:
        for number in range(1, len(Presentation(str(copy)).slides) + 1):
            archive.writestr(f"Slide{number}.png", picture.getvalue())
    return copy


def leaves(node: ScoredNode, path: str = "0") -> Iterator[tuple[str, ScoredNode]]:
    """Each leaf with its path, as pairs.json has it: "0.2.1"."""
    if not node.children:
        yield path, node
    for number, child in enumerate(node.children):
        yield from leaves(child, f"{path}.{number}")


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['task']}-{pair['variant']}")
def test_scores_equal_the_references(pair: dict[str, Any], sandbox: Sandbox, tmp_path: Path) -> None:
    original, modified = REFERENCE / pair["original"], REFERENCE / pair["modified"]
    if pair["asks_a_model"]:
        original, modified = with_pictures(original, tmp_path), with_pictures(modified, tmp_path)
    result = score(
        REFERENCE / pair["rubric"],
        original=original,
        modified=modified,
        vlm_call=lambda **_: "YES",
        llm_call=lambda **_: "YES",
        sandbox=sandbox,
        renderer="none",
        output_pictures=True,
    )
    known = DIFFERENT.get((pair["task"], pair["variant"]), {})
    ours = {path: node.score for path, node in leaves(result.tree)}
    theirs = {leaf["path"]: leaf["score"] for leaf in pair["expected"]["leaves"]}
    names = {leaf["path"]: leaf["name"] for leaf in pair["expected"]["leaves"]}
    different = {names[path]: ours[path] for path in theirs if ours[path] != pytest.approx(theirs[path], abs=1e-12)}
    assert different == {name: score for name, (score, _) in known.items()}
    if not known:
        assert result.verdict.score == pytest.approx(pair["expected"]["total"], abs=1e-12)
