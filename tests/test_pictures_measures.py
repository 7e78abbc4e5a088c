"""Visual checks without a model, on real decks in English and Chinese, drawn by each renderer."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Emu, Pt
from renderers_here import RENDERERS, needs, needs_chinese
from small_project import Project, leaf, rubric

from pytest_ppteval.picture import measures
from pytest_ppteval.picture.lazy import LazyScreenshots
from pytest_ppteval.picture.measures import Box
from pytest_ppteval.picture.model import ScreenshotsUnavailableError, SlideScreenshot
from pytest_ppteval.picture.studio import Studio
from pytest_ppteval.sandbox.confine.policy import make_plan

DECKS = Path(__file__).parents[1] / "cases" / "decks"
FERRY, LIBRARY = DECKS / "ferry_review.pptx", DECKS / "library_report.pptx"
Draw = Callable[..., tuple[Any, Any]]


@pytest.fixture(scope="module", params=RENDERERS)
def studio(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    made = Studio(needs(request.param), tmp_path_factory.mktemp("cache"), make_plan("auto")[0])
    yield made
    made.close()


@pytest.fixture
def draw(studio: Studio, tmp_path: Path) -> Draw:
    """Draws one slide of a deck after an edit: the slide, and its picture."""
    count = 0

    def drawn(deck: Path, number: int, edit: Callable[[Any], None] | None = None) -> tuple[Any, Any]:
        nonlocal count
        if deck == LIBRARY:
            needs_chinese()
        count += 1
        presentation = Presentation(str(deck))
        slide = presentation.slides[number - 1]
        if edit is not None:
            edit(slide)
        path = tmp_path / f"deck{count}.pptx"
        presentation.save(str(path))
        shots = LazyScreenshots(studio, path, tmp_path / f"pictures{count}")
        return slide, measures.of_slide(shots, number)

    return drawn


def named(slide: Any, name: str) -> Any:
    return next(shape for shape in measures.every_shape(slide.shapes) if shape.name == name)


def rgb(text: str) -> Any:
    colour: Any = RGBColor  # python-pptx has no types
    return colour.from_string(text)


def titles(slide: Any) -> Any:
    return slide.shapes.title


# ---- text


@pytest.mark.parametrize(("deck", "number"), [(FERRY, 3), (LIBRARY, 3)])
def test_every_text_of_a_slide_is_drawn_inside_its_shape(draw: Draw, deck: Path, number: int) -> None:
    slide, shot = draw(deck, number)
    for shape in measures.every_shape(slide.shapes):
        if not shape.has_text_frame or not shape.text_frame.text.strip():
            continue
        lines = measures.text_of_shape(slide, shot, shape)
        said = "".join("".join(line.text.split()) for line in lines)
        assert said == "".join(shape.text_frame.text.split())
        box = measures.shape_box(shape)
        assert box is not None
        assert Box.around([line.box for line in lines]).beyond(box.grown(2)) == {}
    assert measures.text_overflows(slide, shot) == []
    assert measures.off_slide(slide, shot) == []
    assert measures.overlaps(slide, shot) == []


def test_size_and_colour_of_drawn_text_are_the_files(draw: Draw) -> None:
    def edit(slide: Any) -> None:
        run = titles(slide).text_frame.paragraphs[0].runs[0]
        run.font.size, run.font.color.rgb = Pt(28), rgb("12AB34")

    slide, shot = draw(LIBRARY, 3, edit)
    (line,) = measures.text_of_shape(slide, shot, titles(slide))
    assert line.text == titles(slide).text_frame.text
    assert line.size == pytest.approx(28, abs=0.1)
    assert line.colour == "#12AB34"
    assert line.angle == 0
    assert line in measures.drawn_text(shot, inside=measures.shape_box(titles(slide)))
    assert line not in measures.drawn_text(shot, inside=Box(0, 300, 960, 540))


@pytest.mark.parametrize("deck", [FERRY, LIBRARY])
def test_text_that_spills_out_of_its_shape_is_found(draw: Draw, deck: Path) -> None:
    def edit(slide: Any) -> None:
        box = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Pt(100), Pt(150), Pt(120), Pt(40))
        box.name = "Small"
        box.text_frame.text = "\n".join(["云溪市图书馆" if deck == LIBRARY else "Kestrel ferries"] * 6)

    slide, shot = draw(deck, 3, edit)
    (found,) = [overflow for overflow in measures.text_overflows(slide, shot) if overflow.name == "Small"]
    assert found.shape == Box(100, 150, 220, 190)
    # Six lines of 18 pt in a box of 40 pt: they need at least 6 x 18 pt, so that 60 pt or more are beyond it in all.
    assert sum(found.by.values()) > 60
    assert set(found.by) <= {"top", "bottom"}
    assert "Small" in repr(found)


def test_a_shape_that_grows_with_its_text_does_not_overflow(draw: Draw) -> None:
    from pptx.enum.text import MSO_AUTO_SIZE

    def edit(slide: Any) -> None:
        box = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Pt(100), Pt(150), Pt(120), Pt(40))
        box.name = "Grows"
        box.text_frame.text = "\n".join(["Kestrel"] * 6)
        box.text_frame.auto_size = MSO_AUTO_SIZE.SHAPE_TO_FIT_TEXT

    slide, shot = draw(FERRY, 3, edit)
    assert measures.text_overflows(slide, shot) == []


def test_what_leaves_the_slide_is_found(draw: Draw) -> None:
    def edit(slide: Any) -> None:
        slide.shapes.add_shape(MSO_SHAPE.OVAL, Pt(900), Pt(100), Pt(100), Pt(50)).name = "Half out"
        title = titles(slide)
        # A placeholder that gets a place of its own needs all of it.
        title.left, title.top, title.width, title.height = Pt(-200), title.top, title.width, title.height

    slide, shot = draw(FERRY, 3, edit)
    found = measures.off_slide(slide, shot)
    by_name = {entry.name: entry.by for entry in found if entry.what == "shape"}
    assert by_name["Half out"] == {"right": pytest.approx(1000 - 959.976, abs=0.1)}
    assert "left" in by_name[titles(slide).name]
    assert [entry.name for entry in found if entry.what == "text"] == [titles(slide).text_frame.text]


def test_contents_that_cover_each_other_are_found(draw: Draw) -> None:
    def edit(slide: Any) -> None:
        title = measures.shape_box(titles(slide))
        assert title is not None
        stream = BytesIO()
        Image.new("RGB", (40, 40), (200, 30, 30)).save(stream, "PNG")
        # Over the beginning of the title's text, not over all of it.
        left = Emu(titles(slide).left)
        slide.shapes.add_picture(stream, left, Pt(title.bottom - 45), Pt(60), Pt(60)).name = "Stamp"

    slide, shot = draw(LIBRARY, 3, edit)
    (found,) = measures.overlaps(slide, shot)
    assert {found.first, found.second} == {titles(slide).name, "Stamp"}
    assert 0.02 < found.share < 0.98


# ---- colours


def test_the_colour_of_a_place_and_what_kind_it_is(draw: Draw) -> None:
    def edit(slide: Any) -> None:
        shape = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Pt(400), Pt(300), Pt(200), Pt(100))
        shape.fill.solid()
        shape.fill.fore_color.rgb = rgb("0070C0")
        shape.line.fill.background()
        shape.name = "Blue panel"

    slide, shot = draw(FERRY, 3, edit)
    panel = measures.shape_box(named(slide, "Blue panel"))
    assert panel is not None
    colour = measures.dominant_colour(shot, panel.grown(-2))
    assert colour.hex == "#0070C0"
    assert colour.share > 0.99
    assert colour.is_a("blue")
    assert not colour.is_a("green")
    whole = measures.dominant_colour(shot)
    assert whole.hex == "#FFFFFF"
    half = measures.colours(shot, Box(300, 300, 500, 400), most=2)
    assert {c.hex for c in half} >= {"#0070C0"}
    assert half[0].share == pytest.approx(0.5, abs=0.1)
    with pytest.raises(ValueError, match="not on the slide"):
        measures.dominant_colour(shot, Box(2000, 0, 2100, 50))


def test_contrast_of_text_with_what_it_stands_on(draw: Draw) -> None:
    def edit(slide: Any) -> None:
        titles(slide).text_frame.paragraphs[0].runs[0].font.color.rgb = rgb("CCCCCC")

    slide, shot = draw(FERRY, 3, edit)
    (line,) = measures.text_of_shape(slide, shot, titles(slide))
    # #CCCCCC on white is 1.61 by WCAG's formula.
    assert measures.text_contrast(shot, line) == pytest.approx(1.61, abs=0.02)
    slide, shot = draw(FERRY, 1)
    (line,) = measures.text_of_shape(slide, shot, titles(slide))
    assert measures.text_contrast(shot, line) > 7


# ---- before and after


def test_only_the_place_that_was_edited_changed(draw: Draw) -> None:
    _, before = draw(LIBRARY, 3)

    def retitle(slide: Any) -> None:
        titles(slide).text_frame.paragraphs[0].runs[0].text = "年度概览"

    slide, after = draw(LIBRARY, 3, retitle)
    place = measures.shape_box(titles(slide))
    assert place is not None
    changed = measures.changed_region(before, after)
    assert changed is not None
    assert changed.beyond(place.grown(2)) == {}
    assert 0 < measures.changed_share(before, after) < 0.05
    assert measures.same_except(before, after, place.grown(2))
    assert not measures.same_except(before, after, Box(0, 300, 960, 540))
    assert measures.same_except(before, after, [Box(0, 300, 960, 540), place.grown(2)])


def test_the_same_slide_looks_the_same(draw: Draw) -> None:
    _, one = draw(FERRY, 5)
    _, other = draw(FERRY, 5)
    assert measures.changed_region(one, other) is None
    assert measures.changed_share(one, other) == 0
    assert measures.same_except(one, other, [])


def test_a_picture_that_was_not_drawn_here_has_no_text_and_is_not_compared(draw: Draw, tmp_path: Path) -> None:
    slide, shot = draw(FERRY, 3)
    kept = tmp_path / "kept.png"
    shutil.copy(shot.image_path, kept)
    other = SlideScreenshot(3, str(kept))
    assert measures.dominant_colour(other).hex == "#FFFFFF"
    with pytest.raises(ScreenshotsUnavailableError, match="the text drawn on slide 3 is not known"):
        measures.text_overflows(slide, other)
    with pytest.raises(ScreenshotsUnavailableError, match=r"made by .* and a zip are not to be compared"):
        measures.changed_region(shot, other)
    with pytest.raises(ScreenshotsUnavailableError, match="no picture of slide 9"):
        measures.of_slide([other], 9)


# ---- in a leaf


IN_A_LEAF = """
from pptx import Presentation
from pytest_ppteval.picture import measures

def compute_score():
    slide = Presentation(modified_ppt_path).slides[2]
    before = measures.of_slide(original_ppt_screenshots, 3)
    after = measures.of_slide(modified_ppt_screenshots, 3)
    title = measures.shape_box(slide.shapes.title)
    facts = [
        not measures.text_overflows(slide, after),
        measures.same_except(before, after, title.grown(3)),
        measures.changed_region(before, after) is not None,
        measures.dominant_colour(after).name == "white",
        any("新标题" in line.text for line in measures.drawn_text(after)),
    ]
    return str(facts), float(all(facts))
"""


@pytest.mark.parametrize("renderer", RENDERERS)
def test_measures_work_inside_the_sandbox(project: Project, renderer: str) -> None:
    needs(renderer)
    needs_chinese()
    project.deck = LIBRARY
    project.task("t", rubric(leaf("Looks right", IN_A_LEAF)))

    def retitle(deck: Any) -> None:
        deck.slides[2].shapes.title.text_frame.paragraphs[0].runs[0].text = "新标题"

    project.output("t", retitle)
    arguments = (f"--ppteval-renderer={renderer}", "--ppteval-cache=cache", "--ppteval-sandbox=auto")
    result = project.run("-rA", "--ppteval-json=r.json", *arguments)
    result.assert_outcomes(passed=1)
    # Slide 3 of each deck, and nothing else, was drawn.
    assert len(list((project.pytester.path / "cache").rglob("slide.png"))) == 2
    record = json.loads((project.pytester.path / "r.json").read_text("utf-8"))
    assert record["tasks"][0]["renderer"].startswith(renderer)


def test_a_measure_that_needs_drawn_text_leaves_a_kept_picture_unscored(project: Project) -> None:
    import zipfile

    code = (
        "from pytest_ppteval.picture import measures\n"
        "def compute_score():\n"
        "    try:\n"
        "        return str(measures.drawn_text(modified_ppt_screenshots[0])), 1.0\n"
        "    except Exception:\n"
        "        return 'swallowed', 0.0\n"
    )
    project.task("t", rubric(leaf("Text", code)))
    output = project.output("t")
    stream = BytesIO()
    Image.new("RGB", (40, 30)).save(stream, "PNG")
    with zipfile.ZipFile(output.with_suffix(".zip"), "w") as archive:
        archive.writestr("slide_1.png", stream.getvalue())
    result = project.run("--ppteval-output-pictures=yes")
    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines(["*Text: unscored: the text drawn on slide 1 is not known*"])
