"""Faults of charts, tables, pictures and media."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

from pytest_ppteval.check.mutants.rgb import of_rgb
from pytest_ppteval.check.mutants.shapes import every
from pytest_ppteval.deck.xmlnames import A, C, P

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_ppteval.check.mutants.shapes import Fault

_XY = (XL_CHART_TYPE.XY_SCATTER, XL_CHART_TYPE.BUBBLE)


def _charts(slide: Any) -> Iterator[Any]:
    return (shape for shape in every(slide.shapes) if getattr(shape, "has_chart", False) and shape.has_chart)


def _tables(slide: Any) -> Iterator[Any]:
    return (shape for shape in every(slide.shapes) if getattr(shape, "has_table", False) and shape.has_table)


def _pictures(slide: Any) -> Iterator[Any]:
    return (shape for shape in every(slide.shapes) if shape._element.tag == P + "pic")


def _in_charts(change: Callable[[Any], bool], says: str) -> Callable[[Any], str | None]:
    """change: of a chart's root element; whether it could."""

    def fault(slide: Any) -> str | None:
        return says if [1 for shape in _charts(slide) if change(shape.chart._chartSpace)] else None

    return fault


def _stamp(slide: Any) -> str | None:
    found = [*_charts(slide), *_tables(slide)]
    for shape in found:
        shape.width = shape.height = Inches(0.6)
    return "a chart or table as small as a stamp" if found else None


def _a_value(root: Any) -> bool:
    """One number of the first series' values, in what is drawn."""
    for value in root.iterfind(f".//{C}ser/{C}val//{C}pt/{C}v"):
        value.text = str(float(value.text or 0) * 3 + 7)
        return True
    return False


def _swapped_series(root: Any) -> bool:
    """The values of two series exchanged."""
    values = root.findall(f".//{C}ser/{C}val")
    if len(values) < 2 or etree.tostring(values[0]) == etree.tostring(values[1]):
        return False
    first, second = values[0], values[1]
    one, two = list(first), list(second)
    for child in one:
        second.append(child)
    for child in two:
        first.append(child)
    return True


def _a_category(root: Any) -> bool:
    for value in root.iterfind(f".//{C}ser/{C}cat//{C}pt/{C}v"):
        value.text = "Elsewhere"
        return True
    return False


def _invisible_series(root: Any) -> bool:
    found = root.findall(f".//{C}ser")
    for series in found:
        for old in series.findall(C + "spPr"):
            series.remove(old)
        made = etree.fromstring(
            f'<c:spPr xmlns:c="{C[1:-1]}" xmlns:a="{A[1:-1]}"><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>'
        )
        before = [c for c in series if etree.QName(c).localname in ("idx", "order", "tx")]
        before[-1].addnext(made)
    return bool(found)


def _cut_axis(root: Any) -> bool:
    for scaling in root.iterfind(f".//{C}valAx/{C}scaling"):
        for name in ("max", "min"):
            for old in scaling.findall(C + name):
                scaling.remove(old)
        at = scaling.find(C + "orientation")
        for name, value in (("min", "0"), ("max", "1")):
            made = etree.Element(C + name, val=value)
            if at is not None and name == "max":
                at.addnext(made)
            else:
                scaling.append(made)
        return True
    return False


def _no_axis(root: Any) -> bool:
    for hidden in root.iterfind(f".//{C}catAx/{C}delete"):
        hidden.set("val", "1" if hidden.get("val") in ("0", "false") else "0")
        return True
    return False


def _other_kind(root: Any) -> bool:
    for direction in root.iterfind(f".//{C}barDir"):
        direction.set("val", "bar" if direction.get("val") == "col" else "col")
        return True
    for grouping in root.iterfind(f".//{C}lineChart/{C}grouping"):
        grouping.set("val", "percentStacked" if grouping.get("val") != "percentStacked" else "standard")
        return True
    for pie in root.iterfind(f".//{C}pieChart"):
        pie.tag = C + "doughnutChart"
        return True
    return False


def _all_equal(root: Any) -> bool:
    for grouping in root.iterfind(f".//{C}barChart/{C}grouping"):
        if grouping.get("val") != "percentStacked":
            grouping.set("val", "percentStacked")
            return True
    return False


def _other_title(root: Any) -> bool:
    for text in root.iterfind(f".//{C}chart/{C}title//{A}t"):
        text.text = "Chart title"
        return True
    return False


def _no_legend(root: Any) -> bool:
    found = root.findall(f".//{C}legend")
    for legend in found:
        legend.getparent().remove(legend)
    return bool(found)


def _thin_column(slide: Any) -> str | None:
    for shape in _tables(slide):
        shape.table.columns[0].width = Inches(0.15)
        return "a column too thin to read"
    return None


def _tall_row(slide: Any) -> str | None:
    for shape in _tables(slide):
        shape.table.rows[0].height = Inches(2)
        return "a row five centimetres high"
    return None


def _black_cells(slide: Any) -> str | None:
    for shape in _tables(slide):
        for cell in shape.table.rows[len(shape.table.rows) - 1].cells:
            cell.fill.solid()
            cell.fill.fore_color.rgb = of_rgb("111111")
        return "a row of a table filled black"
    return None


def _borders(slide: Any) -> str | None:
    for shape in _tables(slide):
        cell = shape.table.cell(0, 0)._tc.get_or_add_tcPr()
        for old in cell.findall(A + "lnL"):
            cell.remove(old)
        line = f'<a:lnL xmlns:a="{A[1:-1]}" w="76200"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:lnL>'
        cell.insert(0, etree.fromstring(line))
        return "a thick red border at a cell"
    return None


def _row_lost(slide: Any) -> str | None:
    for shape in _tables(slide):
        rows = shape.table._tbl.tr_lst
        if len(rows) > 2:
            rows[-1].getparent().remove(rows[-1])
            return "the last row of a table is gone"
    return None


def _cells_swapped(slide: Any) -> str | None:
    for shape in _tables(slide):
        table = shape.table
        last = len(table.rows) - 1
        one, two = table.cell(last, 0), table.cell(last, len(table.columns) - 1)
        if one.text_frame.text != two.text_frame.text:
            first, second = one._tc.txBody, two._tc.txBody
            one._tc.insert(0, second)
            two._tc.insert(0, first)
            return "two cells of a table exchanged"
    return None


def _merged(slide: Any) -> str | None:
    for shape in _tables(slide):
        if len(shape.table.columns) > 1 and not any(
            c.is_merge_origin or c.is_spanned for c in shape.table.iter_cells()
        ):
            shape.table.cell(0, 0).merge(shape.table.cell(0, 1))
            return "two cells of a table merged"
    return None


def _no_header(slide: Any) -> str | None:
    for shape in _tables(slide):
        shape.table.first_row = not shape.table.first_row
        return "a table's header row told otherwise"
    return None


def _cropped(slide: Any) -> str | None:
    found = list(_pictures(slide))
    for picture in found:
        picture.crop_left = 0.35
    return "pictures cropped" if found else None


def _faint(slide: Any) -> str | None:
    found = [blip for shape in _pictures(slide) if (blip := shape._element.find(f".//{A}blip")) is not None]
    for blip in found:
        blip.insert(0, etree.Element(A + "alphaModFix", amt="5000"))
    return "pictures as good as invisible" if found else None


def _grey(slide: Any) -> str | None:
    found = [blip for shape in _pictures(slide) if (blip := shape._element.find(f".//{A}blip")) is not None]
    for blip in found:
        blip.insert(0, etree.Element(A + "grayscl"))
    return "pictures without colour" if found else None


def _mirrored(slide: Any) -> str | None:
    found = [xfrm for shape in _pictures(slide) if (xfrm := shape._element.find(f".//{A}xfrm")) is not None]
    for xfrm in found:
        xfrm.set("flipV", "0" if xfrm.get("flipV") in ("1", "true") else "1")
    return "pictures standing on their heads" if found else None


def _stretched(slide: Any) -> str | None:
    found = list(_pictures(slide))
    for picture in found:
        picture.height = picture.height * 3 // 5
    return "pictures squashed" if found else None


def _other_picture(slide: Any) -> str | None:
    from io import BytesIO

    from PIL import Image

    for picture in _pictures(slide):
        drawn = BytesIO()
        Image.new("RGB", (64, 64), "orange").save(drawn, "PNG")
        drawn.seek(0)
        _, rid = slide.part.get_or_add_image_part(drawn)
        for blip in picture._element.iter(A + "blip"):
            blip.set("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed", rid)
        return "another picture in its place"
    return None


def _chart_words(slide: Any) -> str | None:
    found = list(_charts(slide))
    for shape in found:
        shape.chart.font.size = Pt(3)
    return "a chart's words at 3 pt" if found else None


FAULTS: tuple[Fault, ...] = (
    ("resized", _stamp),
    ("chart data", _in_charts(_a_value, "a value of a chart is another")),
    ("chart data", _in_charts(_swapped_series, "two series of a chart exchanged")),
    ("chart data", _in_charts(_a_category, "a category of a chart has another name")),
    ("chart kind", _in_charts(_other_kind, "another kind of chart")),
    ("chart kind", _in_charts(_all_equal, "bars stacked to 100 %")),
    ("chart title", _in_charts(_other_title, "a chart with another title")),
    ("chart axes", _in_charts(_cut_axis, "an axis that ends at 1")),
    ("chart axes", _in_charts(_no_axis, "a category axis come or gone")),
    ("chart look", _in_charts(_invisible_series, "series that can't be seen")),
    ("chart look", _in_charts(_no_legend, "a legend is gone")),
    ("chart look", _chart_words),
    ("column width", _thin_column),
    ("row height", _tall_row),
    ("cell fill", _black_cells),
    ("cell borders", _borders),
    ("text", _row_lost),
    ("text", _cells_swapped),
    ("text", _merged),
    ("table style", _no_header),
    ("crop", _cropped),
    ("opacity", _faint),
    ("recolour", _grey),
    ("rotated", _mirrored),
    ("resized", _stretched),
    ("picture", _other_picture),
)
