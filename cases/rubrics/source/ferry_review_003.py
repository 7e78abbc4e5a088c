"""The pie of reasons becomes sorted horizontal bars."""

from leaf_globals import modified_ppt_path, modified_ppt_screenshots, original_ppt_path
from rubric_kit import group, leaf
from shared import all_shapes, deck, extraneous, slide_after, verdict
from visual import asked

from pytest_ppteval.picture import measures

SLIDE = 8


def bars_for_pie():
    """The slide holds one native chart with horizontal bars, and no pie."""
    charts = charts_on(slide_after(SLIDE))
    if not charts:
        return f"there is no native chart on slide {SLIDE}", 0.0
    if not any(map(is_bars, charts)):
        return f"the chart is {', '.join(kinds_of(charts[0]))}, no horizontal bars", 0.0
    if len(charts) > 1:
        return f"there are bars, but {len(charts) - 1} other chart(s) were left on the slide", 0.5
    return "one chart, with horizontal bars", 1.0


def same_numbers():
    """Each reason has the number of late sailings that it had in the pie."""
    [pie] = charts_on(deck(original_ppt_path).slides[SLIDE - 1])
    wanted = dict(bars_of(pie))
    chart = bar_chart()
    if chart is None:
        return "there is no bar chart", 0.0
    series = len(chart.chart.plots[0].series)
    if series != 1:
        return f"the bar chart has {series} series instead of one", 0.0
    found = bars_of(chart)
    if dict(found) == wanted and len(found) == len(wanted):
        return "all numbers are those of the pie", 1.0
    good = sum(wanted.get(reason) == number for reason, number in found)
    return f"{good} of {len(wanted)} numbers are right; the chart has {found}", min(0.9, good / len(wanted))


def largest_on_top():
    """From top to bottom the bars get smaller, as seen on the slide."""
    chart = bar_chart()
    if chart is None:
        return "there is no bar chart", 0.0
    # Horizontal bars are drawn from the bottom up, unless the category axis runs in reverse order.
    axes = [e for name in ("catAx", "dateAx") for e in chart.chart._chartSpace.iter("{*}" + name)]
    reverse = any(e.get("val") == "maxMin" for axis in axes for e in axis.iter("{*}orientation"))
    seen = bars_of(chart)[:: 1 if reverse else -1]
    numbers = [number or 0 for _, number in seen]
    if len(numbers) > 1 and numbers == sorted(numbers, reverse=True):
        return f"from top to bottom: {seen}", 1.0
    return f"not sorted with the largest on top; from top to bottom the slide shows {seen}", 0.0


def charts_on(slide):
    return [s for s in all_shapes(slide.shapes if slide is not None else ()) if getattr(s, "has_chart", False)]


def kinds_of(shape):
    """The kinds of the chart's plots as in its XML: pieChart, barChart (bar), barChart (col), ..."""
    area = next(shape.chart._chartSpace.iter("{*}plotArea"))
    plots = [e for e in area if isinstance(e.tag, str) and e.tag.endswith("Chart")]
    directions = [[f" ({d.get('val', 'col')})" for d in e.iter("{*}barDir")] for e in plots]
    return [e.tag.split("}")[1] + "".join(d) for e, d in zip(plots, directions, strict=True)]


def is_bars(shape):
    """Horizontal bars only, flat or in 3-D; columns have the direction "col"."""
    kinds = kinds_of(shape)
    return bool(kinds) and set(kinds) <= {"barChart (bar)", "bar3DChart (bar)"}


def bar_chart():
    return next(filter(is_bars, charts_on(slide_after(SLIDE))), None)


def bars_of(shape):
    """(reason, number) of the first series, in the order of the data."""
    plot = shape.chart.plots[0]
    return [(str(c).strip(), v) for c, v in zip(plot.categories, plot.series[0].values, strict=True)]


def in_its_place():
    """The chart lies on the slide, is large enough to be read and off the list beside it."""
    slide = slide_after(SLIDE)
    charts = charts_on(slide)
    if not charts:
        return "there is no chart", 0.0
    size = deck(modified_ppt_path)
    left, top, right, bottom = box(charts[0])
    if min(left, top) < -0.05 or right > size.slide_width / 914400 + 0.05 or bottom > size.slide_height / 914400 + 0.05:
        return "the chart runs off the slide", 0.0
    if right - left < 2.5 or bottom - top < 1.5:
        return f"the chart is only {right - left:.1f} by {bottom - top:.1f} inches", 0.0
    for shape in slide.shapes:
        text = shape.text_frame.text.strip() if shape.has_text_frame else ""
        a, b, c, d = box(shape)
        over = (min(right, c) - max(left, a), min(bottom, d) - max(top, b))
        if text and min(over) > 0.2:
            return f"the chart covers {text[:40]!r} by {over[0]:.1f} by {over[1]:.1f} inches", 0.0
    return "the chart is on the slide and covers no text", 1.0


def box(shape):
    """Left, top, right, bottom in inches."""
    left, top = (shape.left or 0) / 914400, (shape.top or 0) / 914400
    return left, top, left + (shape.width or 0) / 914400, top + (shape.height or 0) / 914400


def names_readable():
    """As drawn, each reason can be read in the chart, large enough and in clear contrast."""
    slide, shot = slide_after(SLIDE), measures.of_slide(modified_ppt_screenshots, SLIDE)
    charts = charts_on(slide)
    if not charts:
        return "there is no chart", 0.0
    lines = measures.drawn_text(shot, inside=measures.shape_box(charts[0]))
    said = " ".join(line.text for line in lines)
    [pie] = charts_on(deck(original_ppt_path).slides[SLIDE - 1])
    wrong = [f"{name!r} is not drawn" for name, _ in bars_of(pie) if any(word not in said for word in name.split())]
    wrong += [f"{line.text!r} is only {line.size:.0f} pt high" for line in lines if line.size < 9]
    for line in lines:
        clear = measures.text_contrast(shot, line)
        wrong += [f"{line.text!r} has a contrast of only {clear:.1f}"] if clear < 3 else []
    wrong += [f"{clash} cover each other" for clash in measures.overlaps(slide, shot)]
    return verdict(wrong, "every reason can be read")


def looks_sorted():
    """A vision model sees horizontal bars that get shorter from top to bottom, each with its reason."""
    pictures = [shot.image_path for shot in modified_ppt_screenshots if shot.slide_number == SLIDE]
    return asked(QUESTION, pictures)


QUESTION = """\
This is a slide of a presentation. Is the chart on it a bar chart with horizontal bars that get shorter from top to
bottom, each with a name that can be read? Start with the word YES or NO, then say in one sentence why."""


def nothing_else():
    """Texts of the slide and all other slides are as they were."""
    return verdict(extraneous({SLIDE: is_chart}), "nothing else has changed")


def is_chart(key):
    return key[0] == "chart"


NAME = "Reasons for delay as sorted bars"
DESCRIPTION = "The pie becomes a horizontal bar chart of the same numbers, the largest on top."
THRESHOLD = 0.7  # what is left where all looks fall short; see "Looks" in cases/README.md
TREE = [
    group(
        "Bar chart",
        "A native bar chart stands for the pie.",
        leaf(bars_for_pie, "Horizontal bars instead of the pie", critical=True),
        leaf(same_numbers, "The same numbers", critical=True),
        leaf(largest_on_top, "Sorted, the largest on top", critical=True),
        critical=True,
    ),
    group(
        "Looks",
        "The chart as people see it.",
        leaf(names_readable, "Reasons can be read"),
        leaf(looks_sorted, "Looks like sorted bars"),
    ),
    group(
        "Rest intact",
        "The slide still works, and nothing else changed.",
        leaf(in_its_place, "In its place", critical=True),
        leaf(nothing_else, "Nothing else changed", critical=True),
        critical=True,
    ),
]
