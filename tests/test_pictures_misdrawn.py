"""What betteroffice-pptx draws wrongly is said with the result; letters that stand for symbols are no picture."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.dml import MSO_LINE
from pptx.util import Emu, Pt
from renderers_here import needs
from small_project import leaf, rubric

from pytest_ppteval.deck.xmlnames import A
from pytest_ppteval.picture import fonts, misdrawn
from pytest_ppteval.picture.files import Facts
from pytest_ppteval.picture.studio import Studio
from pytest_ppteval.sandbox.confine.policy import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from small_project import Project

pytest.importorskip("betteroffice_pptx")

BOX = (Emu(900_000), Emu(900_000), Emu(7_000_000), Emu(4_000_000))
LOOKS = "def compute_score():\n    return 'looked at ' + str(len(modified_ppt_screenshots[0].image_path) > 0), 1.0\n"


def link(slide: Any, *, coloured: bool = False) -> None:
    run = slide.shapes.add_textbox(*BOX).text_frame.paragraphs[0].add_run()
    run.text, run.font.size = "A link", Pt(60)
    run.hyperlink.address = "https://example.org"
    if coloured:
        run.font.color.rgb = RGBColor(0, 0, 0)  # type: ignore[no-untyped-call]


def line(slide: Any, dash: str | None) -> None:
    made = slide.shapes.add_connector(1, BOX[0], BOX[1], Emu(8_000_000), BOX[1])
    made.line.width, made.line.color.rgb = Pt(6), RGBColor(0, 0, 0)  # type: ignore[no-untyped-call]
    if dash == "own":
        own = etree.SubElement(made.line._get_or_add_ln(), A + "custDash")
        etree.SubElement(own, A + "ds", d="400000", sp="300000")
    elif dash is not None:
        etree.SubElement(made.line._get_or_add_ln(), A + "prstDash", val=dash)


def chart(slide: Any, *, title: str | None = None, dashed: bool = False) -> None:
    data = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["a", "b"]
    data.add_series("Sales", (1, 2))  # type: ignore[no-untyped-call]
    made = slide.shapes.add_chart(XL_CHART_TYPE.LINE, *BOX, data).chart
    if title is not None:
        made.has_title = True
    if title:
        made.chart_title.text_frame.text = title
    if dashed:
        made.plots[0].series[0].format.line.dash_style = MSO_LINE.DASH


def words(slide: Any, text: str = "Words", *, font: str = "", bullet: tuple[str, str] | None = None) -> None:
    paragraph = slide.shapes.add_textbox(*BOX).text_frame.paragraphs[0]
    run = paragraph.add_run()
    run.text = text
    if font:
        run.font.name = font
    if bullet is not None:
        properties = paragraph._p.get_or_add_pPr()
        etree.SubElement(properties, A + "buFont", typeface=bullet[0])
        etree.SubElement(properties, A + "buChar", char=bullet[1])


def draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *builds: Callable[[Any], None]
) -> tuple[dict[int, str], list[Facts | None], Path]:
    """Slides drawn with this package's fonts alone: reasons of those that can't be, facts, the pictures' folder."""
    monkeypatch.setattr(fonts, "folders", lambda program=None: [fonts.BUNDLED])
    deck = Presentation()
    for build in builds:
        build(deck.slides.add_slide(deck.slide_layouts[6]))
    path, into = tmp_path / "deck.pptx", tmp_path / "into"
    deck.save(str(path))
    into.mkdir()
    studio = Studio(needs("betteroffice"), tmp_path / "cache", make_plan("auto")[0])
    try:
        failed = studio.draw(studio.open(path), range(1, len(builds) + 1), into)
    finally:
        studio.close()
    files = [into / f"slide_{number:04d}.json" for number in range(1, len(builds) + 1)]
    return failed, [Facts.from_json(file.read_bytes()) if file.exists() else None for file in files], into


def test_each_kind_is_noted_where_a_slide_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slides: list[tuple[Callable[[Any], None], list[str]]] = [
        (link, [misdrawn.LINKS]),
        (lambda s: line(s, "sysDot"), [misdrawn.DASHES]),
        (lambda s: line(s, "own"), [misdrawn.DASHES]),
        (lambda s: chart(s, title=""), [misdrawn.CHART_TITLE]),
        (lambda s: chart(s, dashed=True), [misdrawn.CHART_DASHES]),
        # What it draws well enough.
        (lambda s: line(s, "dash"), []),
        (lambda s: line(s, "solid"), []),
        (lambda s: chart(s, title="Sales by year"), []),
        (chart, []),
        (words, []),
    ]
    failed, facts, _ = draw(tmp_path, monkeypatch, *(build for build, _ in slides))
    assert failed == {}
    assert [list(one.notes) if one else None for one in facts] == [notes for _, notes in slides]


def test_it_does_draw_them_wrongly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where this fails a new version may have put something right: then its note can go."""
    builds: list[Callable[[Any], None]] = [
        link,
        lambda s: link(s, coloured=True),  # in black by itself
        lambda s: line(s, "dash"),
        lambda s: line(s, "sysDot"),
        lambda s: line(s, None),
        lambda s: line(s, "own"),
        lambda s: chart(s, title=""),
        lambda s: chart(s, title="Sales"),
        chart,
        lambda s: chart(s, dashed=True),
    ]
    _, facts, into = draw(tmp_path, monkeypatch, *builds)
    pictures = [Image.open(into / f"slide_{number:04d}.png").tobytes() for number in range(1, len(builds) + 1)]
    assert pictures[0] == pictures[1], "a link is drawn as black text"
    assert pictures[2] == pictures[3] != pictures[4], "dots are dashes"
    assert pictures[4] == pictures[5], "an own pattern is solid"
    texts = [[drawn.text for drawn in one.lines] if one else [] for one in facts]
    assert (texts[6].count("Sales"), texts[7].count("Sales")) == (texts[8].count("Sales"), texts[8].count("Sales") + 1)
    assert pictures[8] == pictures[9], "a dashed line in a chart is solid"


@pytest.mark.parametrize(
    ("build", "letters"),
    [
        pytest.param(lambda s: words(s, "\u00fc", font="Wingdings"), "\u00fc", id="a run in Wingdings"),
        pytest.param(lambda s: words(s, "ab", font="Symbol"), "ab", id="a run in Symbol"),
        pytest.param(lambda s: words(s, bullet=("Wingdings", "\u00fc")), "\u00fc", id="a check as bullet"),
        pytest.param(lambda s: words(s, bullet=("Wingdings", "\uf0fc")), "\u00fc", id="in the private area"),
        pytest.param(lambda s: words(s, bullet=("Wingdings 2", "P")), "P", id="Wingdings 2"),
        pytest.param(lambda s: words(s, bullet=("Symbol", "\u00de")), "\u00de", id="an arrow of Symbol"),
        # What it knows, and what is no symbol.
        pytest.param(lambda s: words(s, bullet=("Wingdings", "\u00a7")), "", id="the square bullet"),
        pytest.param(lambda s: words(s, bullet=("Wingdings", "l")), "", id="the round bullet"),
        pytest.param(lambda s: words(s, bullet=("Symbol", "\u00b7")), "", id="the dot of Symbol"),
        pytest.param(lambda s: words(s, bullet=("Arial", "\u2022")), "", id="a dot of a text font"),
        pytest.param(lambda s: words(s, "", bullet=("Wingdings", "\u00fc")), "", id="a bullet without text"),
    ],
)
def test_letters_that_stand_for_symbols_are_no_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, build: Callable[[Any], None], letters: str
) -> None:
    failed, _, _ = draw(tmp_path, monkeypatch, build)
    assert [f"no font here has {letters!r}" in why for why in failed.values()] == [True] * bool(letters)


def test_it_stands_with_the_result_and_once_in_the_summary(project: Project) -> None:
    needs("betteroffice")
    project.task("t", rubric(leaf("Looks", LOOKS), leaf("Looks too", LOOKS), leaf("Does not", 1.0)))
    project.output("t", lambda deck: link(deck.slides[0]))
    result = project.run("--ppteval-renderer=betteroffice", "--ppteval-cache=cache", "--ppteval-json=r.json")
    result.assert_outcomes(passed=1)
    (task,) = json.loads((project.pytester.path / "r.json").read_text("utf-8"))["tasks"]
    reasons = {child["name"]: child["reason"] for child in task["scored_rubric"]["root"]["children"]}
    for name in ("Looks", "Looks too"):
        first, note = reasons[name].splitlines()
        assert first == "looked at True"
        assert note.startswith("DRAWN WRONGLY by betteroffice")
        assert note.endswith(f": {misdrawn.LINKS} (slide 1)")
    assert "DRAWN" not in reasons["Does not"]
    told = [one for one in result.outlines if "draws wrongly" in one]
    assert len(told) == 1
    assert told[0].startswith("2 checks looked at pictures in which betteroffice")
    assert told[0].endswith(f" draws wrongly: {misdrawn.LINKS}; LibreOffice draws them")
