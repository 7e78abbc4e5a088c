"""Pictures of slides are drawn when a leaf looks at them: by LibreOffice, by betteroffice-pptx, or not at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from renderers_here import RENDERERS, needs
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

# The title of the slide reads differently; so its picture has dark pixels where there were none, or the reverse.
COLOURS = (
    "from PIL import Image\n"
    "def compute_score():\n"
    "    shot = [s for s in modified_ppt_screenshots if s.slide_number == {number}][0]\n"
    "    picture = Image.open(shot.image_path)\n"
    "    dark = sum(picture.convert('L').histogram()[:128])\n"
    "    return f'{{picture.size}} {{picture.format}} id {{shot.slide_id}} dark {{dark}}', float(dark > 500)\n"
)


def pictures_drawn(project: Project) -> int:
    return len(list((project.pytester.path / "cache").rglob("slide.png")))


def results(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project.pytester.path / "r.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize("renderer", RENDERERS)
def test_a_leaf_gets_the_picture_that_it_looks_at_and_no_other_is_drawn(project: Project, renderer: str) -> None:
    needs(renderer)
    project.task("t", rubric(leaf("Dark", COLOURS.format(number=2))))
    project.outputs()
    result = project.run("-rA", f"--ppteval-renderer={renderer}", "--ppteval-cache=cache", "--ppteval-json=r.json")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"ppteval: renderer {renderer} *"])
    (task,) = results(project)["tasks"]
    assert task["renderer"].startswith(f"{renderer} ")
    assert "(1568, 1176) PNG id 257 dark" in json.dumps(task)
    assert pictures_drawn(project) == 1
