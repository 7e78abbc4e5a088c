"""Pictures of slides are drawn when a leaf looks at them: by LibreOffice, by betteroffice-pptx, or not at all."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image
from renderers_here import RENDERERS, needs
from small_project import leaf, rubric

if TYPE_CHECKING:
    from pathlib import Path

    from small_project import Project

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


def test_nothing_is_drawn_for_leaves_that_are_not_selected(project: Project) -> None:
    project.task("t", rubric(leaf("Dark", COLOURS.format(number=2)), leaf("Plain", 1.0)))
    project.outputs()
    result = project.run("--ppteval-leaf=Plain", "--ppteval-cache=cache", "--ppteval-json=r.json")
    result.assert_outcomes(passed=1)
    assert not (project.pytester.path / "cache").exists()
    assert results(project)["tasks"][0]["renderer"] is None


@pytest.mark.parametrize("renderer", RENDERERS)
def test_a_second_run_draws_only_what_changed(project: Project, renderer: str) -> None:
    needs(renderer)
    both = (
        "def compute_score():\n"
        "    paths = [s.image_path for s in (*original_ppt_screenshots, *modified_ppt_screenshots)]\n"
        "    from pathlib import Path\n"
        "    sizes = [len(Path(path).read_bytes()) for path in paths]\n"
        "    return str(sizes), float(len(sizes) == 4 and min(sizes) > 1000)\n"
    )
    project.task("t", rubric(leaf("All", both)))
    project.outputs()
    arguments = (f"--ppteval-renderer={renderer}", "--ppteval-cache=cache")
    project.run(*arguments).assert_outcomes(passed=1)
    # The output is the original saved again: its slides look the same, and are drawn once.
    assert pictures_drawn(project) == 2

    def retitle(deck: Any) -> None:
        deck.slides[1].shapes.title.text = "Thank you"

    project.output("t", retitle)
    project.run(*arguments).assert_outcomes(passed=1)
    assert pictures_drawn(project) == 3
    project.run(*arguments).assert_outcomes(passed=1)
    assert pictures_drawn(project) == 3


@pytest.mark.slow  # seven seconds: two renderers are started
def test_xdist_workers_share_the_pictures(project: Project) -> None:
    needs("betteroffice")
    for number in range(4):
        project.task(f"t{number}", rubric(leaf("Dark", COLOURS.format(number=1 + number % 2))))
    project.outputs()
    arguments = ("-n2", "--ppteval-renderer=betteroffice", "--ppteval-cache=cache", "--ppteval-outputs=outputs")
    project.pytester.runpytest_subprocess("cases", *arguments).assert_outcomes(passed=4)
    assert pictures_drawn(project) == 2


def test_pictures_beside_a_deck_win_where_the_user_says_so(project: Project) -> None:
    project.task("t", rubric(leaf("Size", COLOURS.format(number=2))))
    output = project.output("t")
    put_pictures(output)
    result = project.run("-rA", "--ppteval-cache=cache", "--ppteval-json=r.json", "--ppteval-output-pictures=yes")
    result.assert_outcomes(passed=1)
    (task,) = results(project)["tasks"]
    assert task["renderer"] == "zip"
    assert "(40, 30) PNG id 257 dark 1200" in json.dumps(task)
    assert not (project.pytester.path / "cache").exists()


SEES = (
    "def compute_score():\n"
    "    from PIL import Image\n"
    "    with Image.open(modified_ppt_screenshots[0].image_path) as image:\n"
    "        return str(image.size), float(image.size == (40, 30))\n"
)


def reference_results(project: Project, *, without: str = "") -> None:
    """A results folder as PPT-Eval's harness leaves it: two tasks, with pictures beside the decks."""
    for task in ("t", "u"):
        deck = project.output(task)
        deck = deck.rename(deck.with_name(f"{task}_20250101.pptx"))
        put_pictures(deck)
        for name in ("result_evaluate.json", "scored_rubric.json"):
            if f"{task}/{name}" != without:
                (deck.parent / name).write_text("{}", "utf-8")


@pytest.mark.parametrize(
    ("made", "option", "counts"),
    [
        ("plain", "", False),
        ("plain", "auto", False),
        ("plain", "yes", True),
        ("plain", "no", False),
        ("reference", "", True),
        ("reference", "no", False),
        # As an agent could write them: into its own task's folder only.
        ("forged", "", False),
        ("forged", "yes", True),
    ],
)
def test_an_agent_cannot_supply_the_pictures_it_is_judged_by(
    project: Project, made: str, option: str, counts: bool
) -> None:
    for task in ("t", "u"):
        project.task(task, rubric(leaf("Sees the zip's picture", SEES)))
    if made == "plain":
        for task in ("t", "u"):
            put_pictures(project.output(task))
    else:
        reference_results(project, without="" if made == "reference" else "u/scored_rubric.json")
    options = [f"--ppteval-output-pictures={option}"] if option else []
    result = project.run("--ppteval-renderer=none", "-rA", *options)
    if counts:
        result.assert_outcomes(passed=2)
    else:
        result.stdout.fnmatch_lines(["*unscored: no pictures of *zip beside it may be the agent's own work*"])
        assert "passed" not in result.parseoutcomes()


def put_pictures(deck: Path) -> None:
    with zipfile.ZipFile(deck.with_suffix(".zip"), "w") as archive:
        for number in (1, 2):
            stream = BytesIO()
            Image.new("RGB", (40, 30), (0, 0, 60 * number)).save(stream, "PNG")
            archive.writestr(f"Slide{number}.png", stream.getvalue())


def test_a_comparison_never_mixes_two_renderers(project: Project) -> None:
    needs("betteroffice")
    compares = (
        "def compute_score():\n"
        "    first = original_ppt_screenshots[0].image_path\n"
        "    return first, float(first != modified_ppt_screenshots[0].image_path)\n"
    )
    project.task("t", rubric(leaf("Compare", compares), leaf("Only the output", COLOURS.format(number=2))))
    put_pictures(project.output("t"))
    result = project.run("--ppteval-renderer=betteroffice", "--ppteval-cache=cache", "--ppteval-output-pictures=yes")
    result.stdout.fnmatch_lines(
        ["*Compare: unscored: pictures that are not to be compared: the original deck's by betteroffice *by zip;*"]
    )
    assert result.parseoutcomes()["errors"] == 1
    result.stdout.no_fnmatch_line("*Only the output: unscored*")


def test_a_deck_that_cannot_be_read_scores_zero_and_is_not_drawn(project: Project) -> None:
    project.task("t", rubric(leaf("Dark", COLOURS.format(number=2))))
    project.output("t").write_bytes(b"no deck")
    result = project.run("--ppteval-cache=cache", "--ppteval-renderer=betteroffice")
    # Told once, by the task; its leaf is not shown, and nothing was drawn.
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the agent's deck can't be used*"])
    assert pictures_drawn(project) == 0


@pytest.mark.parametrize(
    ("which", "remedies"),
    [
        (
            "original",
            "no pictures of intro.pptx: put one image a slide into intro.zip beside it (slide_1.png, ...), or ",
        ),
        # Beside the agent's deck a zip could be the agent's own work: it is no remedy.
        ("modified", "no pictures of output.pptx: "),
    ],
)
def test_without_a_renderer_the_leaf_is_unscored_with_its_remedies(project: Project, which: str, remedies: str) -> None:
    project.task("t", rubric(leaf("Dark", COLOURS.format(number=2).replace("modified", which))))
    project.outputs()
    result = project.run("--ppteval-renderer=none")
    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "ppteval: renderer none (--ppteval-renderer=none)",
            f"*unscored: {remedies}get a renderer: *",
            "next: pictures wanted by 1 check: install LibreOffice, or pip install *",
        ]
    )


@pytest.mark.parametrize("code", ["len(modified_ppt_screenshots)", "modified_ppt_screenshots[-1].slide_number"])
def test_counting_slides_draws_nothing(project: Project, code: str) -> None:
    needs("betteroffice")
    project.task("t", rubric(leaf("Two", f"def compute_score():\n    return 'n', float({code} == 2)\n")))
    project.outputs()
    project.run("--ppteval-renderer=betteroffice", "--ppteval-cache=cache").assert_outcomes(passed=1)
    assert pictures_drawn(project) == 0


def test_a_model_is_sent_the_jpeg_of_a_large_picture(project: Project) -> None:
    needs("betteroffice")
    asks = (
        "def compute_score():\n"
        "    shot = modified_ppt_screenshots[0]\n"
        "    return vlm_call('Look', [shot.image_path]), 1.0\n"
    )
    project.task("t", rubric(leaf("Ask", asks)))

    def photo(deck: Any) -> None:
        noise = Image.effect_noise((900, 700), 90).convert("RGB")
        stream = BytesIO()
        noise.save(stream, "PNG")
        deck.slides[0].shapes.add_picture(stream, 0, 0, deck.slide_width)

    project.output("t", photo)
    project.pytester.makeconftest(
        """
        from pathlib import Path
        import pytest
        @pytest.fixture
        def vlm_call():
            def ask(prompt, images):
                data = Path(images[0]).read_bytes()
                assert data[:3] == b"\\xff\\xd8\\xff", images
                return f"{len(data)} bytes"
            return ask
        """
    )
    project.run("--ppteval-renderer=betteroffice", "--ppteval-cache=cache").assert_outcomes(passed=1)


def test_an_ordinary_test_draws_what_it_looks_at(project: Project) -> None:
    needs("betteroffice")
    project.task("t", rubric(leaf("A", 1.0)))
    project.outputs()
    project.pytester.makepyfile(
        """
        import pytest
        from pathlib import Path

        @pytest.mark.ppteval_task("cases/tasks.json", "t")
        def test_pictures(modified_ppt_screenshots):
            shots = modified_ppt_screenshots
            assert [shot.slide_number for shot in shots] == [1, 2]
            assert Path(shots[1].image_path).read_bytes()[:4] == b"\\x89PNG"
            assert not Path(shots[1].image_path).with_name("slide_0001.png").exists()
        """
    )
    arguments = ("--ppteval-renderer=betteroffice", "--ppteval-cache=cache")
    project.run("test_an_ordinary_test_draws_what_it_looks_at.py", "cases", *arguments).assert_outcomes(passed=2)


def test_the_renderer_can_be_named_in_the_ini_file(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0)))
    project.outputs()
    project.pytester.makeini("[pytest]\nppteval_renderer = none\nppteval_cache = kept\n")
    result = project.run()
    result.stdout.fnmatch_lines(["ppteval: renderer none (*"])
    project.pytester.makeini("[pytest]\nppteval_renderer = word\n")
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*ppteval_renderer = word: expected one of auto, libreoffice, betteroffice, none*"])
