"""`chart`: its kind, its numbers, its order, its titles, axes and labels, and whether one can read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.look.colour import contrast, over
from pytest_ppteval.prose.normal import normal
from pytest_ppteval.prose.numbers import close
from pytest_ppteval.vocabulary import texts
from pytest_ppteval.vocabulary.address import spots as spots_of
from pytest_ppteval.vocabulary.checks import unknown_key
from pytest_ppteval.vocabulary.colours import is_colour
from pytest_ppteval.vocabulary.finding import LeafError, Point
from pytest_ppteval.vocabulary.ground import ground_of
from pytest_ppteval.vocabulary.texts import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.look.model import Axis, Chart, Colour, Series
    from pytest_ppteval.vocabulary.spot import Spot
    from pytest_ppteval.vocabulary.world import World

KEYS = (
    "kind", "direction", "grouping", "series", "values", "categories", "sorted", "title", "legend", "labels", "axis",
    "three_d", "colour", "readable", "count", "secondary",
)  # fmt: skip

_LEAST_SIZE, _LEAST_CONTRAST = 8.0, 2.0  # of axes' labels


def check(want: Any, spots: list[Spot], world: World) -> Iterator[Point]:
    """want: a mapping with KEYS; that one can read the chart is checked unless `readable: false`.

    values: "as_before" (of the chart that the slide had), or numbers, or {category: number}. sorted: "descending" means
    from the top of horizontal bars down, or from the left.
    """
    unknown_key("chart", want, KEYS)
    found = [(spot, spot.shape.chart) for spot in spots if spot.shape is not None and spot.shape.chart is not None]
    if "count" in want:
        where = spots[0].where if spots else "the slide"
        yield in_range(len(found), want["count"], f"{where}: charts")
    if not found:
        yield Point(0.0, f"{spots[0].where if spots else 'there'}: no chart that has data of its own")
    for spot, chart in found:
        for key, value in want.items():
            if key not in ("count", "readable"):
                yield from _one(key, value, chart, spot, world)
        if want.get("readable", True):
            yield from unreadable(chart, spot)


def _one(key: str, want: Any, chart: Chart, spot: Spot, world: World) -> Iterator[Point]:
    where = spot.where
    match key:
        case "kind" | "direction" | "grouping":
            found = getattr(chart, key)
            yield Point.of(
                found in (want if isinstance(want, list) else [want]), f"{where}: {key} {found}, wanted {want}"
            )
        case "three_d":
            yield Point.of(chart.three_d == bool(want), f"{where}: {'' if chart.three_d else 'not '}drawn in 3-D")
        case "secondary":
            yield Point.of(any(s.secondary for s in chart.series) == bool(want), f"{where}: secondary axis")
        case "series":
            yield from _series(want, chart, where)
        case "values":
            yield from _values(want, chart, spot, world)
        case "categories":
            wanted = list(_old(spot, world).categories) if want == "as_before" else [str(one) for one in want]
            same = list(map(normal, chart.categories)) == list(map(normal, wanted))
            yield Point.of(same, f"{where}: categories {list(chart.categories)}, wanted {wanted}")
        case "sorted":
            yield _sorted(want, chart, where)
        case "title":
            if want in (None, False, "none"):
                yield Point.of(chart.title is None, f"{where}: has a title {chart.title!r}")
            else:
                yield from texts.points(chart.title or "", want, f"{where}, title")
        case "legend":
            right = (chart.legend is not None) == want if isinstance(want, bool) else chart.legend == want
            yield Point.of(right, f"{where}: legend {chart.legend or 'none'}, wanted {want}")
        case "labels":
            for series in chart.series:
                wanted_labels = [] if want in (None, False, "none") else want if isinstance(want, list) else [want]
                shown = set(series.labels)
                right = set(wanted_labels) <= shown if wanted_labels else not shown
                yield Point.of(
                    right,
                    f"{where}: {series.name!r} labelled with {', '.join(series.labels) or 'nothing'}, wanted {want}",
                )
        case "axis":
            yield from _axes(want, chart, where)
        case _:
            for series in chart.series:
                yield Point.of(
                    is_colour(series.fill.colour, want), f"{where}: colour of {series.name!r}, wanted {want}"
                )


def _series(want: Any, chart: Chart, where: str) -> Iterator[Point]:
    if isinstance(want, (int, dict)):
        yield in_range(len(chart.series), want, f"{where}: series")
        return
    names = [normal(series.name) for series in chart.series]
    yield Point.of(names == [normal(str(one)) for one in want], f"{where}: series {names}, wanted {want}")


def _old(spot: Spot, world: World) -> Chart:
    """The chart that this one stands for: its own former self, or the one that the slide had."""
    was = world.shape_was(spot.slide, spot.shape) if spot.shape is not None else None
    slide = world.was(spot.slide)
    held = [shape.chart for shape in (slide.shapes if slide is not None else ()) if shape.chart is not None]
    if was is not None and was.chart is not None:
        return was.chart
    if not held:
        raise LeafError(f"chart: as_before: slide {spot.slide.number} had no chart in the original")
    return held[0]


def _values(want: Any, chart: Chart, spot: Spot, world: World) -> Iterator[Point]:
    if want == "as_before" or (isinstance(want, dict) and "like" in want):
        old = _old(spot, world) if want == "as_before" else _chart_at(want["like"], world)
        yield Point.of(
            len(chart.series) == len(old.series), f"{spot.where}: {len(chart.series)} series, wanted {len(old.series)}"
        )
        for number, series in enumerate(old.series):
            same = next((s for s in chart.series if normal(s.name) == normal(series.name)), None)
            new = same or (chart.series[number] if number < len(chart.series) else None)
            wanted = dict(zip(map(normal, series.categories), series.values, strict=False))
            yield from _pairs(new, wanted, spot.where)
        return
    first = chart.series[0] if chart.series else None
    if isinstance(want, dict):
        if all(isinstance(value, (list, dict)) for value in want.values()):
            for name, values in want.items():
                named = next((s for s in chart.series if normal(s.name) == normal(str(name))), None)
                yield from _given(named, values, f"{spot.where}, {name}")
            return
        yield from _pairs(first, {normal(str(key)): value for key, value in want.items()}, spot.where)
        return
    yield from _given(first, want, spot.where)


def _given(series: Series | None, want: Any, where: str) -> Iterator[Point]:
    if isinstance(want, dict):
        yield from _pairs(series, {normal(str(key)): value for key, value in want.items()}, where)
        return
    found = list(series.values) if series is not None else []
    right = len(found) == len(want) and all(
        (a is None and b is None) or (a is not None and b is not None and close(a, b))
        for a, b in zip(found, want, strict=True)
    )
    yield Point.of(right, f"{where}: values {found}, wanted {want}")


def _pairs(series: Series | None, wanted: dict[str, float | None], where: str) -> Iterator[Point]:
    found = dict(zip(map(normal, series.categories), series.values, strict=False)) if series is not None else {}
    extra = [name for name in found if name not in wanted]
    for name, value in wanted.items():
        other = found.get(name)
        right = name in found and (
            (value is None and other is None) or (value is not None and other is not None and close(value, other))
        )
        yield Point.of(right, f"{where}: {name} is {other}, wanted {value}")
    yield Point.of(not extra, f"{where}: also has {', '.join(extra)}" if extra else f"{where}: nothing besides")


def _chart_at(address: Any, world: World) -> Chart:
    found = [
        spot.shape.chart for spot in spots_of(address, world) if spot.shape is not None and spot.shape.chart is not None
    ]
    if not found:
        raise LeafError(f"chart: there is no chart at {address}")
    return found[0]


def _sorted(want: Any, chart: Chart, where: str) -> Point:
    order = want if isinstance(want, str) else want.get("order", "descending")
    if order not in ("ascending", "descending"):
        raise LeafError(f"chart: sorted {order!r}: use ascending or descending")
    values = [value for value in chart.series[0].values if value is not None] if chart.series else []
    shown = list(values)
    axis = next((one for one in chart.axes if one.kind in ("category", "date")), None)
    # Horizontal bars are drawn from the bottom up, unless their axis is turned round.
    upside_down = chart.kind == "bar" and chart.direction == "horizontal"
    if upside_down != (axis is not None and axis.reversed):
        shown.reverse()
    right = bool(shown) and shown == sorted(shown, reverse=order == "descending")
    reading = "from the top" if upside_down else "from the left"
    return Point.of(right, f"{where}: {reading} {', '.join(f'{value:g}' for value in shown[:8])}, wanted {order}")


def _axes(want: Any, chart: Chart, where: str) -> Iterator[Point]:
    unknown_key("chart: axis", want, ("category", "value", "date", "series"))
    for kind, options in want.items():
        unknown_key(
            f"chart: axis: {kind}",
            options,
            ("shown", "title", "minimum", "maximum", "gridlines", "from_zero", "labels"),
        )
        axis = next((one for one in chart.axes if one.kind == kind), None)
        if axis is None:
            yield Point(0.0, f"{where}: no {kind} axis")
            continue
        for key, value in options.items():
            yield _axis(key, value, axis, f"{where}, {kind} axis")


def _axis(key: str, want: Any, axis: Axis, where: str) -> Point:
    match key:
        case "title":
            return Point.of(texts.is_match(axis.title or "", want), f"{where}: title {axis.title!r}, wanted {want}")
        case "from_zero":
            return Point.of((axis.minimum in (None, 0.0)) == bool(want), f"{where}: starts at {axis.minimum}")
        case "minimum" | "maximum":
            found = getattr(axis, key)
            right = found is None if want in (None, "automatic") else found is not None and close(found, float(want))
            return Point.of(right, f"{where}: {key} {found}, wanted {want}")
        case _:
            return Point.of(getattr(axis, key) == bool(want), f"{where}: {key} {getattr(axis, key)}, wanted {want}")


def unreadable(chart: Chart, spot: Spot) -> Iterator[Point]:
    """What keeps people from reading a chart; a point for each thing that is wrong, one where nothing is."""
    wrong = [*_hidden_data(chart, spot), *_hidden_axes(chart), *_faint_words(chart, spot)]
    if (
        spot.shape is not None
        and spot.shape.box is not None
        and min(spot.shape.box.width, spot.shape.box.height) < 1_080_000
    ):
        wrong.append("it is smaller than 3 cm")
    yield Point.of(not wrong, f"{spot.where}: {'; '.join(wrong) or 'can be read'}")


def _hidden_data(chart: Chart, spot: Spot) -> Iterator[str]:
    if not chart.series or not any(value is not None for series in chart.series for value in series.values):
        yield "it has no values"
    ground = (chart.plot_fill.colour or (spot.shape.fill.colour if spot.shape is not None else None)) or ground_of(spot)
    for series in chart.series:
        if series.kind in ("line", "scatter", "radar"):
            drawn = series.line.fill.colour if series.line is not None else series.fill.colour
        else:
            outline = series.line.fill.colour if series.line is not None else None
            drawn = series.fill.colour if series.fill.kind != "none" else outline
            if series.fill.kind == "picture":
                continue
        yield from _hidden_points(series, ground)
        if series.points and series.fill.kind == "none":
            continue
        if drawn is None or drawn.alpha < 0.2:
            yield f"{series.name!r} can't be seen"
        elif ground is not None and contrast(over(drawn, ground), ground) < 1.15:
            yield f"{series.name!r} has the background's colour"
    if chart.grouping == "percent" and len(chart.series) == 1:
        yield "stacked to 100 %, its one series is equal everywhere"


def _hidden_points(series: Series, ground: Colour | None) -> Iterator[str]:
    """Points that have a fill of their own which nobody sees, and no outline."""
    if series.line is not None and series.line.shown:
        return
    for place, fill in series.points:
        drawn = fill.colour
        nothing = fill.kind == "none" or (drawn is not None and drawn.alpha < 0.2)
        if nothing or (ground is not None and drawn is not None and contrast(over(drawn, ground), ground) < 1.15):
            yield f"point {place + 1} of {series.name!r} can't be seen"


def _faint_words(chart: Chart, spot: Spot) -> Iterator[str]:
    """Words that are too small, or too much like what lies behind them, to be read: of axes, labels, title, legend."""
    ground = (spot.shape.fill.colour if spot.shape is not None else None) or ground_of(spot)
    words: list[tuple[str, float | None, Colour | None]] = []
    if chart.title:
        words.append(("the title is", chart.title_size, chart.title_colour))
    if chart.legend is not None:
        words.append(("the legend is", chart.legend_size, None))
    for series in chart.series:
        # Labels on bars and slices lie on another colour than the ground.
        colour = series.label_colour if chart.kind in ("line", "scatter", "radar") else None
        if series.labels:
            words.append((f"{series.name!r} is labelled", series.label_size, colour))
    words += [(f"the {a.kind} axis is labelled", a.size, a.colour) for a in chart.axes if a.shown and a.labels]
    for name, size, colour in words:
        if size is not None and size < _LEAST_SIZE:
            yield f"{name} at {size:g} pt"
        if colour is not None and ground is not None:
            ratio = contrast(over(colour, ground), ground)
            if colour.alpha < 0.3 or ratio < _LEAST_CONTRAST:
                yield f"{name} in #{colour.rgb} on #{ground.rgb}, contrast {ratio:.1f}"


def _hidden_axes(chart: Chart) -> Iterator[str]:
    if chart.kind in ("pie", "doughnut", "pie of pie"):
        if chart.legend is None and not any({"category", "series"} & set(series.labels) for series in chart.series):
            yield "neither a legend nor labels say what its parts are"
        return
    for axis in chart.axes:
        named = all({"category"} & set(series.labels) for series in chart.series) and chart.series
        if axis.kind in ("category", "date") and not (axis.shown and axis.labels) and not named:
            yield "its categories aren't named"
        if axis.kind == "value" and chart.series and chart.grouping in (None, "clustered", "standard"):
            values = [v for series in chart.series for v in series.values if v is not None]
            outside = [
                v
                for v in values
                if (axis.maximum is not None and v > axis.maximum) or (axis.minimum is not None and v < axis.minimum)
            ]
            if outside and not any(series.secondary for series in chart.series):
                yield f"its axis leaves out {len(outside)} of {len(values)} values"
            labelled = all("value" in series.labels for series in chart.series)
            if not (axis.shown and axis.labels) and not labelled:
                yield "neither an axis nor labels say its values"
