"""Charts as drawn: plots, series with values and colours, axes, titles; in both of PowerPoint's formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.canonical import canonical, digest
from pytest_ppteval.deck.text import paragraph_text
from pytest_ppteval.deck.xmlnames import A, C, R, local_name, text_of
from pytest_ppteval.look.model import NO_FILL, Axis, Chart, Colour, Fill, Series
from pytest_ppteval.look.values import flag, number, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from pytest_ppteval.look.colour import Palette
    from pytest_ppteval.look.model import Line
    from pytest_ppteval.look.paint import Paint

CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
_KINDS = {
    "barChart": "bar", "bar3DChart": "bar", "lineChart": "line", "line3DChart": "line", "pieChart": "pie",
    "pie3DChart": "pie", "ofPieChart": "pie of pie", "doughnutChart": "doughnut", "areaChart": "area",
    "area3DChart": "area", "scatterChart": "scatter", "bubbleChart": "bubble", "radarChart": "radar",
    "surfaceChart": "surface", "surface3DChart": "surface", "stockChart": "stock",
}  # fmt: skip
_AXES = {"catAx": "category", "valAx": "value", "dateAx": "date", "serAx": "series"}
_GROUPINGS = {"percentStacked": "percent"}
_POSITIONS = {"l": "left", "r": "right", "t": "top", "b": "bottom", "tr": "top right"}
_SHOWN = {
    "showVal": "value", "showCatName": "category", "showSerName": "series", "showPercent": "percent",
    "showBubbleSize": "size", "showLegendKey": "key",
}  # fmt: skip
_LINE_KINDS = ("line", "scatter", "radar", "stock")
_MOST_POINTS = 20_000  # of a series: ptCount is a claim of the file's


def read_chart(space: etree._Element, paint: Paint) -> Chart:
    """The chart of a c:chartSpace or cx:chartSpace."""
    if space.tag.startswith(CX):
        return _read_extended(space, paint)
    chart = space.find(C + "chart")
    area = chart.find(C + "plotArea") if chart is not None else None
    plots = [plot for plot in area.iterchildren("{*}*") if local_name(plot) in _KINDS] if area is not None else []
    kinds = list(dict.fromkeys(_KINDS[local_name(plot)] for plot in plots))
    axes = [axis for axis in area.iterchildren("{*}*") if local_name(axis) in _AXES] if area is not None else []
    first = plots[0] if plots else None
    series = tuple(s for plot in plots for s in _series(plot, paint, first, len(plots)))
    legend = chart.find(C + "legend") if chart is not None else None
    bars = next((plot for plot in plots if _KINDS[local_name(plot)] == "bar"), None)
    title = chart.find(C + "title") if chart is not None else None
    text_size = _text_size(space)
    return Chart(
        kind="combined" if len(kinds) > 1 else kinds[0] if kinds else "empty",
        direction=("horizontal" if _value(bars, "barDir") == "bar" else "vertical") if bars is not None else None,
        grouping=_grouping(first),
        series=series,
        axes=tuple(_axis(axis, space, paint.palette, text_size) for axis in axes),
        title=_title(chart, series),
        legend=_POSITIONS.get(_value(legend, "legendPos") or "r", "right") if legend is not None else None,
        three_d=any("3D" in local_name(plot) for plot in plots),
        data_table=area is not None and area.find(C + "dTable") is not None,
        title_size=(_text_size(title) or (text_size or 10.0) * 1.2) if title is not None else None,
        title_colour=_text_colour(title, paint.palette),
        legend_size=(_text_size(legend) or text_size or 10.0) if legend is not None else None,
        gap=_number(bars, "gapWidth"),
        overlap=_number(bars, "overlap"),
        embedded=space.find(C + "externalData") is not None,
        plot_fill=paint.own_fill(area.find(C + "spPr") if area is not None else None) or NO_FILL,
        details=_rest(space),
    )


def _value(parent: etree._Element | None, name: str) -> str | None:
    found = parent.find(C + name) if parent is not None else None
    return found.get("val") if found is not None else None


def _is_on(parent: etree._Element | None, name: str, default: bool = False) -> bool:
    """A CT_Boolean: an element without val says true."""
    found = parent.find(C + name) if parent is not None else None
    return flag(found.get("val"), default=True) if found is not None else default


def _number(parent: etree._Element | None, name: str) -> int | None:
    value = _value(parent, name)
    return whole(value.rstrip("%"), 0) if value is not None else None


def _grouping(plot: etree._Element | None) -> str | None:
    value = _value(plot, "grouping")
    if value is None and plot is not None and local_name(plot) in ("barChart", "bar3DChart"):
        value = "clustered"
    return _GROUPINGS.get(value, value) if value is not None else None


def _title(chart: etree._Element | None, series: tuple[Series, ...]) -> str | None:
    """The title that is drawn: of a chart with one series its name, where the file asks for a title without words."""
    title = chart.find(C + "title") if chart is not None else None
    if title is None:
        # A chart of one series is given its name for a title, unless that was taken away.
        kept = chart is not None and not _is_on(chart, "autoTitleDeleted", default=True)
        return series[0].name or None if kept and len(series) == 1 else None
    words = _rich(title)
    if words is None:
        return series[0].name if len(series) == 1 else "Chart Title"
    return words


def _rich(title: etree._Element) -> str | None:
    rich = title.find(f"{C}tx/{C}rich")
    if rich is not None:
        return "\n".join(paragraph_text(p) for p in rich.iterchildren(A + "p"))
    cached = title.find(f"{C}tx/{C}strRef/{C}strCache")
    return "".join(_points(cached)) if cached is not None else None


def _text_size(holder: etree._Element | None) -> float | None:
    for body in holder.iterchildren(C + "txPr", C + "tx") if holder is not None else ():
        for style in body.iter(A + "rPr", A + "defRPr"):
            size = number(style.get("sz"))
            if size is not None:
                return size / 100
    return None


def _series(plot: etree._Element, paint: Paint, first: etree._Element | None, plots: int) -> Iterator[Series]:
    kind = _KINDS[local_name(plot)]
    own = [axis.get("val") for axis in plot.iterchildren(C + "axId")]
    main = [axis.get("val") for axis in first.iterchildren(C + "axId")] if first is not None else []
    everything = plot.findall(C + "ser")
    varied = _is_on(plot, "varyColors") and len(everything) == 1
    for place, element in enumerate(everything):
        index = _number(element, "idx")
        properties = element.find(C + "spPr")
        automatic = Fill("solid", (accent(paint.palette, index if index is not None else place),))
        filled = paint.own_fill(properties)
        line = _line(properties, paint)
        if filled is None:
            filled = automatic if kind not in _LINE_KINDS else (line.fill if line is not None else automatic)
            if kind == "line" and properties is not None and properties.find(f"{A}ln/{A}noFill") is not None:
                filled = NO_FILL  # markers alone are no line
        values = _numbers(element.find(C + "yVal") if kind in ("scatter", "bubble") else element.find(C + "val"))
        points = dict(_coloured(element, paint))
        if (varied or kind in ("pie", "doughnut", "pie of pie")) and paint.own_fill(properties) is None:
            points = {i: Fill("solid", (accent(paint.palette, i),)) for i in range(len(values))} | points
        yield Series(
            name=_name(element),
            categories=tuple(_texts(element.find(C + "cat"))),
            values=values,
            kind=kind,
            fill=filled,
            line=line,
            labels=_labels(element, plot, len(values)),
            label_size=_label_size(element, plot),
            label_colour=_text_colour(_dlbls(element, plot), paint.palette),
            points=tuple(points.items()),
            secondary=bool(own and main and own != main and plots > 1),
            x_values=_numbers(element.find(C + "xVal")),
            sizes=_numbers(element.find(C + "bubbleSize")),
            outer=_outer(element.find(C + "cat")),
            number_format=_format(element.find(C + "val")),
            details=_series_details(element),
        )


def accent(palette: Palette, index: int) -> Colour:
    """The colour that PowerPoint gives the series or point of that index by itself."""
    name = f"accent{index % 6 + 1}"
    return Colour(palette.named(name) or "4472C4", 1.0, name)


def _line(properties: etree._Element | None, paint: Paint) -> Line | None:
    line = properties.find(A + "ln") if properties is not None else None
    return paint.drawn_line([line]) if line is not None else None


def _coloured(series: etree._Element, paint: Paint) -> Iterator[tuple[int, Fill]]:
    for point in series.iterchildren(C + "dPt"):
        fill = paint.own_fill(point.find(C + "spPr"))
        if fill is not None:
            yield _number(point, "idx") or 0, fill


def _name(series: etree._Element) -> str:
    text = series.find(C + "tx")
    if text is None:
        return ""
    cached = text.find(f"{C}strRef/{C}strCache")
    if cached is not None:
        return "".join(_points(cached))
    value = text.find(C + "v")
    return text_of(value) if value is not None else ""


def _points(cache: etree._Element) -> list[str]:
    """The points of a cache in the order of their index, "" for each that is missing."""
    found: dict[int, str] = {}
    for point in cache.iterchildren(C + "pt"):
        value = point.find(C + "v")
        found[whole(point.get("idx"), len(found))] = text_of(value) if value is not None else ""
    claimed = whole(_value(cache, "ptCount"), 0)
    count = min(_MOST_POINTS, max(claimed, *(place + 1 for place in found), 0) if found else claimed)
    return [found.get(place, "") for place in range(count)]


def _cache(holder: etree._Element | None) -> etree._Element | None:
    if holder is None:
        return None
    for path in ("strRef/strCache", "numRef/numCache", "strLit", "numLit"):
        found = holder.find("/".join(C + name for name in path.split("/")))
        if found is not None:
            return found
    return None


def _texts(holder: etree._Element | None) -> list[str]:
    levels = holder.find(f"{C}multiLvlStrRef/{C}multiLvlStrCache") if holder is not None else None
    if levels is not None:
        first = levels.find(C + "lvl")
        return _points(first) if first is not None else []
    cache = _cache(holder)
    return _points(cache) if cache is not None else []


def _outer(holder: etree._Element | None) -> tuple[tuple[str, ...], ...]:
    """Of categories in several levels all but the innermost, from the inside out; "" where one goes on."""
    path = f"{C}multiLvlStrRef/{C}multiLvlStrCache/{C}lvl"
    return tuple(tuple(_points(level)) for level in holder.findall(path)[1:]) if holder is not None else ()


def _numbers(holder: etree._Element | None) -> tuple[float | None, ...]:
    cache = _cache(holder)
    return tuple(number(text) for text in _points(cache)) if cache is not None else ()


def _format(holder: etree._Element | None) -> str:
    cache = _cache(holder)
    found = cache.find(C + "formatCode") if cache is not None else None
    return text_of(found) if found is not None else ""


def _labels(series: etree._Element, plot: etree._Element, count: int) -> tuple[str, ...]:
    """What every point is labelled with: by the series' or else the plot's labels, or by one of its own."""
    labels = _dlbls(series, plot)
    if labels is None:
        return ()
    everywhere = _shown(labels, set())
    own = {_number(point, "idx") or 0: _shown(point, everywhere) for point in labels.iterchildren(C + "dLbl")}
    if len(own) < count:
        own[-1] = everywhere
    return tuple(word for word in _SHOWN.values() if all(word in shown for shown in own.values()))


def _dlbls(series: etree._Element, plot: etree._Element) -> etree._Element | None:
    """The series' own labels, or those of the plot."""
    own = series.find(C + "dLbls")
    return own if own is not None else plot.find(C + "dLbls")


def _shown(labels: etree._Element, default: set[str]) -> set[str]:
    if _is_on(labels, "delete"):
        return set()
    return {word for name, word in _SHOWN.items() if _is_on(labels, name, default=word in default)}


def _label_size(series: etree._Element, plot: etree._Element) -> float | None:
    """The size of the smallest label that is given one, points."""
    labels = _dlbls(series, plot)
    if labels is None:
        return None
    sizes = [_text_size(one) for one in (labels, *labels.iterchildren(C + "dLbl"))]
    return min((size for size in sizes if size is not None), default=None)


def _text_colour(holder: etree._Element | None, palette: Palette) -> Colour | None:
    """The first colour that texts are given; None where they have the program's own."""
    for body in holder.iterchildren(C + "txPr", C + "tx") if holder is not None else ():
        for style in body.iter(A + "rPr", A + "defRPr"):
            colour = palette.colour_in(style.find(A + "solidFill"))
            if colour is not None:
                return colour
    return None


def _series_details(series: etree._Element) -> str:
    """Digest of what of the series shows and is in no other field: markers, trend lines, error bars, label looks."""
    known = ("idx", "order", "tx", "cat", "val", "xVal", "yVal", "bubbleSize", "spPr", "extLst")
    left_out = [C + name for name in known]
    return digest(canonical(series, lambda _: "", skip=left_out))[:8]


def _axis(axis: etree._Element, space: etree._Element, palette: Palette, text_size: float | None) -> Axis:
    scaling = axis.find(C + "scaling")
    title = axis.find(C + "title")
    words = _rich(title) if title is not None else None
    number_format = axis.find(C + "numFmt")
    linked = number_format is not None and flag(number_format.get("sourceLinked"))
    line = axis.find(f"{C}spPr/{A}ln")
    inks = (one.find(f"{C}txPr/{A}p/{A}pPr/{A}defRPr/{A}solidFill") for one in (axis, space))
    fill = next((ink for ink in inks if ink is not None), None)
    return Axis(
        kind=_AXES[local_name(axis)],
        shown=not _is_on(axis, "delete"),
        position=_POSITIONS.get(_value(axis, "axPos") or "", ""),
        minimum=number(_value(scaling, "min")),
        maximum=number(_value(scaling, "max")),
        logarithmic=_value(scaling, "logBase") is not None,
        reversed=_value(scaling, "orientation") == "maxMin",
        title="Axis Title" if title is not None and words is None else words,
        labels=_value(axis, "tickLblPos") != "none",
        gridlines=axis.find(C + "majorGridlines") is not None,
        number_format="" if number_format is None or linked else number_format.get("formatCode", ""),
        size=_text_size(axis) or text_size or 10.0,
        colour=palette.colour_in(fill),
        line=line is None or line.find(A + "noFill") is None,
    )


def _rest(space: etree._Element) -> str:
    """Digest of what shows of the chart besides: sizes of its parts, gaps' treatment, text looks, fills."""
    skip = [C + "ser", C + "externalData", C + "extLst", *(C + name for name in _AXES), C + "title"]
    return digest(canonical(space, lambda _: "", skip=skip))[:8]


# ---- chartEx: waterfall, treemap, sunburst, histogram, box plot, funnel, map ----------------------------------------


def _read_extended(space: etree._Element, paint: Paint) -> Chart:
    chart = space.find(CX + "chart")
    region = chart.find(f"{CX}plotArea/{CX}plotAreaRegion") if chart is not None else None
    held = {data.get("id", ""): data for data in space.iterfind(f"{CX}chartData/{CX}data")}
    made = []
    for place, element in enumerate(region.iterchildren(CX + "series") if region is not None else ()):
        reference = element.find(CX + "dataId")
        data = held.get(reference.get("val", "") if reference is not None else "")
        fill = paint.own_fill(element.find(CX + "spPr")) or Fill("solid", (accent(paint.palette, place),))
        name = element.find(f"{CX}tx/{CX}txData/{CX}v")
        made.append(
            Series(
                name=text_of(name) if name is not None else "",
                categories=tuple(_levels(data, "strDim")),
                values=tuple(number(text) for text in _levels(data, "numDim")),
                kind=element.get("layoutId", "unknown"),
                fill=fill,
                line=None,
                labels=("value",) if element.find(CX + "dataLabels") is not None else (),
                details=digest(canonical(element, lambda _: ""))[:8],
            )
        )
    kinds = list(dict.fromkeys(series.kind for series in made))
    title = chart.find(CX + "title") if chart is not None else None
    words = "\n".join(paragraph_text(p) for p in title.iter(A + "p")) if title is not None else None
    legend = chart.find(CX + "legend") if chart is not None else None
    return Chart(
        kind="combined" if len(kinds) > 1 else kinds[0] if kinds else "empty",
        direction=None,
        grouping=None,
        series=tuple(made),
        axes=(),
        title=words,
        legend=_POSITIONS.get(legend.get("pos", "r"), "right") if legend is not None else None,
        embedded=space.find(f"{CX}chartData/{CX}externalData") is not None,
        details=digest(canonical(space, lambda _: "", skip=[CX + "series"]))[:8],
    )


def _levels(data: etree._Element | None, name: str) -> list[str]:
    dimension = data.find(CX + name) if data is not None else None
    level = dimension.find(CX + "lvl") if dimension is not None else None
    if level is None:
        return []
    points = {whole(p.get("idx"), i): text_of(p) for i, p in enumerate(level.iterchildren(CX + "pt"))}
    return [points.get(place, "") for place in range(min(_MOST_POINTS, max(points, default=-1) + 1))]


def relation_id(data: etree._Element) -> str:
    """The id of the relation to the chart's part, of an a:graphicData."""
    for child in data.iterchildren("{*}*"):
        found = child.get(R + "id")
        if found:
            return found
    return ""
