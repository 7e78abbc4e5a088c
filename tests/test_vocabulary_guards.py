"""Guards: what an edit must not break. Each kind of fault is made on a deck, and named; what is no fault passes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm, Pt

from pytest_ppteval.vocabulary.command.decks import open_world
from pytest_ppteval.vocabulary.judge import judge

DECK = Path(__file__).parents[1] / "cases" / "decks" / "ferry_review.pptx"
SHARED = Path(__file__).parents[1].parent / "shared" / "data" / "decks"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
Rgb: Any = RGBColor
ChartData: Any = CategoryChartData
# python-pptx has no types.
Slides = Any


def title(slides: Slides, number: int = 3) -> Any:
    return slides[number - 1].shapes.title


def named(slides: Slides, number: int, name: str) -> Any:
    return next(shape for shape in slides[number - 1].shapes if shape.name == name)


def run_of(shape: Any) -> Any:
    return shape.text_frame.paragraphs[0].runs[0]


def small(slides: Slides) -> None:
    run_of(title(slides)).font.size = Pt(6)


def half_its_size(slides: Slides) -> None:
    run_of(title(slides)).font.size = Pt(14)


def pale(slides: Slides) -> None:
    run_of(title(slides)).font.color.rgb = Rgb(0xDD, 0xDD, 0xDD)


def see_through(slides: Slides) -> None:
    run_of(title(slides)).font.color.rgb = Rgb(0, 0, 0)
    colour = title(slides)._element.find(f".//{A}r/{A}rPr/{A}solidFill/{A}srgbClr")
    etree.SubElement(colour, A + "alpha").set("val", "10000")


def hidden_slide(slides: Slides) -> None:
    slides[2]._element.set("show", "0")


def off_the_slide(slides: Slides) -> None:
    named(slides, 3, "Summary").left = Cm(33)


def over_another(slides: Slides) -> None:
    box = slides[2].shapes.add_textbox(Cm(1.5), Cm(1.1), Cm(30), Cm(2))
    box.text_frame.text = "The quarter in four figures, again"
    run_of(box).font.size = Pt(30)


def covered(slides: Slides) -> None:
    lid = slides[2].shapes.add_shape(1, Cm(1), Cm(0.5), Cm(32), Cm(3))
    lid.fill.solid()
    lid.fill.fore_color.rgb = Rgb(0x12, 0x35, 0x5B)


def stretched(slides: Slides) -> None:
    picture = named(slides, 9, "Picture of MV Curlew")
    picture.width = int(picture.width * 0.5)


def emptied(slides: Slides) -> None:
    named(slides, 16, "Content Placeholder 2").text_frame.text = ""


def too_narrow(slides: Slides) -> None:
    named(slides, 15, "Risks").table.columns[0].width = Cm(0.4)


def in_symbols(slides: Slides) -> None:
    run_of(title(slides)).font.name = "Wingdings"


def too_much(slides: Slides) -> None:
    callout = named(slides, 7, "Callout")
    run_of(callout).text = "Each point of punctuality is worth a lot of money to everybody. " * 8


def equal_bars(slides: Slides) -> None:
    data = ChartData()
    data.categories = ["a", "b"]
    data.add_series("s", (1, 2))
    slides[2].shapes.add_chart(XL_CHART_TYPE.BAR_STACKED_100, Cm(3), Cm(12), Cm(12), Cm(6), data)


def bars_without_colour(slides: Slides) -> None:
    chart = next(shape.chart for shape in slides[3].shapes if shape.has_chart)
    for series in chart.plots[0].series:
        series.format.fill.background()


def tiny(slides: Slides) -> None:
    box = slides[2].shapes.add_textbox(Cm(3), Cm(11), Cm(0.3), Cm(0.3))
    box.text_frame.text = "x"


LEGIBLE: list[tuple[Any, str]] = [
    (small, "size"), (half_its_size, "size"), (pale, "contrast"), (see_through, "transparent"),
    (hidden_slide, "hidden"),
    (off_the_slide, "off slide"), (over_another, "overlap"), (covered, "covered"), (stretched, "stretched"),
    (emptied, "empty"), (too_narrow, "table"), (in_symbols, "font"), (too_much, "overflow"), (equal_bars, "chart"),
    (bars_without_colour, "chart"), (tiny, "tiny shape"),
]  # fmt: skip


def edited(edit: Any, tmp_path: Path, deck: Path = DECK) -> Path:
    opened = Presentation(str(deck))
    edit(opened.slides)
    opened.save(str(tmp_path / "after.pptx"))
    return tmp_path / "after.pptx"


def faults(guard: Any, after: Path, before: Path = DECK) -> str:
    reason, score = judge({"guard": guard}, open_world(str(before), str(after)))
    return "" if score == 1 else reason


@pytest.mark.parametrize(("edit", "kind"), LEGIBLE, ids=[edit.__name__ for edit, _ in LEGIBLE])
def test_what_can_no_longer_be_read_is_named(edit: Any, kind: str, tmp_path: Path) -> None:
    assert f"{kind}: slide" in faults("legible", edited(edit, tmp_path))


def test_a_kind_that_is_allowed_is_no_fault(tmp_path: Path) -> None:
    assert faults({"legible": {"except": ["hidden"]}}, edited(hidden_slide, tmp_path)) == ""


def renamed(slides: Slides) -> None:
    run_of(title(slides)).text = "The third quarter in four figures"


def a_little_smaller(slides: Slides) -> None:
    run_of(title(slides)).font.size = Pt(24)


def white_on_dark(slides: Slides) -> None:
    box = slides[2].shapes.add_shape(1, Cm(2), Cm(11), Cm(8), Cm(1.2))
    box.fill.solid()
    box.fill.fore_color.rgb = Rgb(0x12, 0x35, 0x5B)
    box.text_frame.text = "White on blue"
    run_of(box).font.color.rgb = Rgb(255, 255, 255)


def picture_scaled(slides: Slides) -> None:
    picture = named(slides, 9, "Picture of MV Curlew")
    picture.width, picture.height = picture.width // 2, picture.height // 2


@pytest.mark.parametrize(
    "edit", [renamed, a_little_smaller, white_on_dark, picture_scaled], ids=lambda edit: edit.__name__
)
def test_a_fair_edit_breaks_nothing(edit: Any, tmp_path: Path) -> None:
    assert faults(["legible", "editable", "opens"], edited(edit, tmp_path)) == ""


def test_old_sins_do_not_count(tmp_path: Path) -> None:
    """A title that was tiny and pale before may stay so."""

    def small_and_pale(slides: Slides) -> None:
        small(slides)
        pale(slides)

    bad = edited(small_and_pale, tmp_path)
    again = tmp_path / "again.pptx"
    opened = Presentation(str(bad))
    renamed(opened.slides)
    opened.save(str(again))
    assert faults("legible", again, before=bad) == ""


def chart_as_picture(slides: Slides) -> None:
    slide = slides[7]
    chart = next(shape for shape in slide.shapes if shape.has_chart)
    image = named(slides, 9, "Picture of MV Curlew").image.blob
    slide.shapes.add_picture(io.BytesIO(image), chart.left, chart.top, chart.width, chart.height)
    chart._element.getparent().remove(chart._element)


def chart_without_data(slides: Slides) -> None:
    chart = next(shape.chart for shape in slides[7].shapes if shape.has_chart)
    external = chart._chartSpace.find("{*}externalData")
    external.getparent().remove(external)


@pytest.mark.parametrize(("edit", "kind"), [(chart_as_picture, "picture"), (chart_without_data, "data")])
def test_what_can_no_longer_be_edited_is_named(edit: Any, kind: str, tmp_path: Path) -> None:
    assert f"{kind}: slide 8" in faults("editable", edited(edit, tmp_path))


def float_coordinate(slides: Slides) -> None:
    named(slides, 3, "Summary")._element.spPr.find(f"{A}xfrm/{A}off").set("x", "548640.5")


def doubled_id(slides: Slides) -> None:
    named(slides, 3, "Summary")._element.find("*/{*}cNvPr").set("id", "2")


def foreign_element(slides: Slides) -> None:
    etree.SubElement(named(slides, 3, "Summary")._element, "{urn:example}note")


def out_of_order(slides: Slides) -> None:
    paragraph = title(slides)._element.find(f".//{A}p")
    paragraph.append(paragraph.makeelement(A + "pPr", {"algn": "l"}))


def dangling(slides: Slides) -> None:
    named(slides, 9, "Picture of MV Curlew")._element.find(f".//{A}blip").set(
        "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed", "rId99"
    )


def low_slide_id(slides: Slides) -> None:
    slides._sldIdLst[0].attrib["id"] = "12"


def short_row(slides: Slides) -> None:
    row = named(slides, 15, "Risks").table._tbl.tr_lst[1]
    row.remove(row.tc_lst[-1])


OPENS: list[tuple[Any, str]] = [
    (float_coordinate, "number"), (doubled_id, "shape id"), (foreign_element, "foreign"), (out_of_order, "order"),
    (dangling, "relation"), (low_slide_id, "slide id"), (short_row, "table"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "kind"), OPENS, ids=[edit.__name__ for edit, _ in OPENS])
def test_what_powerpoint_would_repair_is_named(edit: Any, kind: str, tmp_path: Path) -> None:
    assert f"{kind}: " in faults("opens", edited(edit, tmp_path))


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data/decks")
def test_a_deck_saved_anew_has_no_new_faults(tmp_path: Path) -> None:
    """Decks that many programs wrote, read and saved by python-pptx: nothing changed, so nothing is broken."""
    looked_at = 0
    for path in sorted(SHARED.glob("*/*.pptx"))[::9]:
        try:
            saved = edited(lambda slides: [shape.name for slide in slides for shape in slide.shapes], tmp_path, path)
            found = faults(["legible", "editable", "opens"], saved, before=path)
        except (ValueError, KeyError):
            continue  # refused
        assert found == "", path.name
        looked_at += 1
    assert looked_at >= 12
