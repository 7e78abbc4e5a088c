"""Chinese decks: blanks that no reader counts, numbers without blanks around them, numerals, renamed words, layouts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from deck_worlds import judged, world_of
from pptx.dml.color import RGBColor as UntypedColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.util import Pt

from pytest_ppteval.prose.normal import normal
from pytest_ppteval.prose.numbers import figures
from pytest_ppteval.vocabulary.judge import judge

if TYPE_CHECKING:
    from collections.abc import Callable

LIBRARY = (Path(__file__).parents[3] / "cases" / "decks" / "library_report.pptx").read_bytes()
RGBColor: Any = UntypedColor  # python-pptx has no types
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def score(edit: Callable[[Any], object], leaf: dict[str, Any]) -> float:
    return judged(edit, leaf, LIBRARY)[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("合\u3000计", "合计"),
        ("总 计", "总计"),
        ("云溪市图书馆 2025 年度", "云溪市图书馆2025年度"),
        ("（３６，４２５）", "(36,425)"),
        ("“云湖分馆”", "「云湖分馆」"),
    ],
)
def test_blanks_widths_and_quotes_of_chinese_texts(one: str, other: str) -> None:
    assert normal(one) == normal(other)


def test_a_line_end_is_no_idle_blank() -> None:
    assert normal("公园\n分馆") == "公园 分馆"
    assert normal("three points") == "three points"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("到馆238.7万人次", [2_387_000]),
        ("比上年多16.9万，增长7.6%", [169_000, 0.076]),
        ("约12k人", [12_000]),
        ("第3页", [3]),
        ("低于-3℃", [-3]),
        ("2019-2020年", [2019, 2020]),
        ("합계 1,512명", [1512]),
        ("v2.5 A4", []),
    ],
)
def test_numbers_stand_beside_words_without_blanks(text: str, values: list[float]) -> None:
    assert [figure.meant for figure in figures(text)] == pytest.approx(values)


MEASURES = {"slide": 15, "shape": {"placeholder": "body"}, "paragraph": {"level": 0}}
CHINESE = {"deck": {"on": MEASURES, "bullets": {"kind": "number", "scheme": "chinese", "numbers": [1, 2, 3, 4, 5]}}}


def numbered(deck: Any, scheme: str) -> None:
    for paragraph in deck.slides[14].placeholders[1].text_frame.paragraphs:
        if paragraph.level == 0:
            properties = paragraph._p.get_or_add_pPr()
            for old in properties.findall("{*}buNone"):
                properties.remove(old)
            properties.append(parse_xml(f'<a:buAutoNum {A} type="{scheme}"/>'))


@pytest.mark.parametrize(
    ("scheme", "right"),
    [
        ("ea1ChsPeriod", True),
        ("ea1ChsPlain", True),
        ("ea1ChtPeriod", True),
        ("ea1JpnChsDbPeriod", True),
        ("ea1JpnKorPlain", True),
        ("arabicPeriod", False),
        ("arabicDbPeriod", False),  # full-width figures
        ("circleNumDbPlain", False),
        ("alphaLcPeriod", False),
    ],
)
def test_schemes_that_show_chinese_numerals(scheme: str, right: bool) -> None:
    assert (score(lambda deck: numbered(deck, scheme), CHINESE) == 1) == right


RENAMED = {
    "deck": {
        "on": {"slide": "all", "shape": {"was": {"text": {"contains": "东湖公园"}}}, "count": 1},
        "text": {"as_before": {"东湖公园": "云湖公园"}},
    }
}


def replace(deck: Any, old: str, new: str) -> None:
    for text in deck.slides[8]._element.iter("{*}t"):
        text.text = text.text.replace(old, new)


def test_words_replaced_and_all_others_as_before() -> None:
    assert score(lambda deck: replace(deck, "东湖公园", "云湖公园"), RENAMED) == 1
    assert score(lambda deck: replace(deck, "东湖", "云湖"), RENAMED) < 1
    assert score(lambda deck: None, RENAMED) < 1


ONLY_TEXT = {"changes": {"allow": [{"slides": 7, "what": "text"}]}}


def rename_on_7(deck: Any, bold: bool) -> None:
    """The name's first two characters are bold and the last two are not."""
    runs = deck.slides[6].placeholders[2].text_frame.paragraphs[1].runs
    runs[0].text = runs[0].text.replace("东湖", "云湖")
    if bold:
        runs[1].font.bold = True


def test_each_character_of_an_edited_text_looks_as_it_did() -> None:
    assert score(lambda deck: rename_on_7(deck, bold=False), ONLY_TEXT) == 1
    assert score(lambda deck: rename_on_7(deck, bold=True), ONLY_TEXT) == 0


# ---- masters and layouts ---------------------------------------------------------------------------------------------


def layout(deck: Any, name: str) -> Any:
    return next(one for one in deck.slide_layouts if one.name == name)


def prompt(deck: Any) -> None:
    for text in layout(deck, "节标题")._element.iter("{*}t"):
        text.text = "请输入"


def background(deck: Any, name: str = "节标题") -> None:
    layout(deck, name).background.fill.solid()
    layout(deck, name).background.fill.fore_color.rgb = RGBColor(0x1B, 0x43, 0x32)


def drawn(deck: Any) -> None:
    prompt(deck)
    layout(deck, "节标题").shapes[1].left = 0


def allowing(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"changes": {"allow": list(rules)}}


DIVIDERS = {"slides": [4, 8, 12], "what": "background"}


@pytest.mark.parametrize(
    ("edit", "leaf", "right"),
    [
        (prompt, allowing({"what": "design prompt"}), True),
        (prompt, allowing({"what": "layout design"}), True),
        (prompt, allowing({"what": "design background"}), False),
        (drawn, allowing({"what": "design prompt"}), False),
        (background, allowing({"what": "design background"}, DIVIDERS), True),
        (background, allowing({"what": "design background"}), False),
        (lambda deck: background(deck, "两栏内容"), allowing({"what": "design background"}, DIVIDERS), False),
    ],
)
def test_parts_of_a_layout(edit: Callable[[Any], object], leaf: dict[str, Any], right: bool) -> None:
    assert (score(edit, leaf) == 1) == right


def test_slides_with_one_background() -> None:
    same = {"deck": {"on": {"slide": [4, 8, 12]}, "slide": {"same": "background"}}}
    assert score(lambda deck: None, same) == 1

    def one_other(deck: Any) -> None:
        deck.slides[3].background.fill.solid()
        deck.slides[3].background.fill.fore_color.rgb = RGBColor(0x1B, 0x43, 0x32)

    assert score(one_other, same) == 0


# ---- charts ----------------------------------------------------------------------------------------------------------

LABELLED = {"deck": {"on": {"slide": 5, "shape": {"kind": "chart"}}, "chart": {"labels": "value"}}}


def chart(deck: Any) -> Any:
    found = next(shape.chart for shape in deck.slides[4].shapes if getattr(shape, "has_chart", False))
    found.plots[0].has_data_labels = True
    found.plots[0].data_labels.show_value = True
    assert found.chart_type == XL_CHART_TYPE.COLUMN_CLUSTERED
    return found


def one_label_deleted(deck: Any) -> None:
    series = chart(deck).plots[0].series[0]
    series.data_labels.show_value = True
    label = series.points[2].data_label._get_or_add_dLbl()
    label.find("{*}showVal").set("val", "0")


def labels_of_each_point(deck: Any) -> None:
    series = chart(deck).plots[0].series[0]
    for index in range(5):
        series.points[index].data_label._get_or_add_dLbl().find("{*}showVal").set("val", "1")


def tiny(deck: Any) -> None:
    chart(deck).plots[0].data_labels.font.size = Pt(2)


def tiny_title(deck: Any) -> None:
    found = chart(deck)
    found.has_title = True
    found.chart_title.text_frame.text = "到馆人次"
    found.chart_title.text_frame.paragraphs[0].runs[0].font.size = Pt(2)


@pytest.mark.parametrize(
    ("edit", "right"),
    [
        (chart, True),
        (labels_of_each_point, True),
        (one_label_deleted, False),
        (tiny, False),
        (tiny_title, False),
        (lambda deck: None, False),
    ],
)
def test_every_point_has_a_label_that_can_be_read(edit: Callable[[Any], object], right: bool) -> None:
    assert (score(edit, LABELLED) == 1) == right


def test_a_table_made_anew_is_held_against_the_one_that_the_slide_had() -> None:
    keeps = {"deck": {"on": {"slide": 6, "shape": {"kind": "table"}}, "table": {"keeps": "rows"}}}

    def anew(deck: Any, drop: int = 0) -> None:
        slide = deck.slides[5]
        old = next(shape for shape in slide.shapes if getattr(shape, "has_table", False))
        rows = [[cell.text for cell in row.cells] for row in old.table.rows][: 7 - drop]
        new = slide.shapes.add_table(len(rows), 5, old.left, old.top, old.width, old.height).table
        for row, texts in zip(new.rows, rows, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
        old._element.getparent().remove(old._element)

    assert score(anew, keeps) == 1
    assert score(lambda deck: anew(deck, drop=1), keeps) < 1


def test_a_choice_of_looks_one_of_them_another_place_s() -> None:
    cells = {"slide": 6, "shape": {"kind": "table"}, "cell": {"row": 2, "column": 2}}
    world = world_of(LIBRARY, LIBRARY)

    def said(*wishes: object) -> float:
        return judge({"deck": {"on": cells, "format": {"alignment": list(wishes)}}}, world)[1]

    like = {"like": {"slide": 6, "shape": {"kind": "table"}, "row": 3, "column": 2}}
    assert said(like, "left") == 1
    assert said({"like": {"slide": 1, "shape": {"title": True}}}, "centre") == 0
