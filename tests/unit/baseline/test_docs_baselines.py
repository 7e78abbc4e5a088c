"""What docs/baselines.md says of limits, states and aspects is so."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_run import load_case

from pytest_ppteval.baseline import candidate
from pytest_ppteval.baseline.command.baselines import STATES
from pytest_ppteval.case.judged import _ASPECTS
from pytest_ppteval.grade import material

DOC = (Path(__file__).parents[3] / "docs" / "baselines.md").read_text("utf-8")
WORDS = " ".join(DOC.split())


@pytest.mark.parametrize(
    "said",
    [
        f"cut after {candidate.KEEP_RESULT:,} characters",
        f"up to {candidate.KEEP_BYTES // 1024} KiB each",
        f"arguments ({material.ARGUMENTS} characters), result ({material.RESULT}); {material.STEPS:,} characters",
        f"on the way, {material.SAID:,} characters; the final response, {material.RESPONSE:,}",
        f"first {material.FILES} files; of text files {material.FILE:,} characters each, {material.FILE_TEXTS:,} in",
    ],
)
def test_limits(said: str) -> None:
    assert said in WORDS


def test_every_state_and_aspect_is_told() -> None:
    for word in [*STATES, *_ASPECTS]:
        assert f"`{word}`" in DOC


def test_the_rubric_loads(tmp_path: Path) -> None:
    (_, _, rest) = DOC.partition("```yaml\n")
    example, _, _ = rest.partition("```")
    case = load_case(tmp_path, f"id: a\nprompt: p\n{example}")
    assert [leaf.scorer.args["votes"] for leaf in case.rubric.leaves] == [3, 3]
