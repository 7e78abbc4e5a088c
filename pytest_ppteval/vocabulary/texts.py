"""How a text is held against what was wanted: equals, contains, matches, says, and their opposites."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pytest_ppteval.prose.normal import normal
from pytest_ppteval.prose.numbers import close, figures
from pytest_ppteval.vocabulary.finding import LeafError, Point

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEYS = (
    "equals", "one_of", "contains", "any_of", "lacks", "matches", "lacks_match", "starts", "ends", "says", "empty",
    "case",
    "exact", "times", "words", "as_before",
)  # fmt: skip


def is_match(text: str, want: Any) -> bool:
    """Whether a text is as wanted; see `points`."""
    return all(point.score == 1 for point in points(text, want, ""))


def points(text: str, want: Any, where: str, before: str | None = None) -> Iterator[Point]:
    """What is right and wrong of a text.

    want: a text, which must be all of it, or a mapping with KEYS. before: the same text in the original, for as_before.
    Kinds of space, dash and quote, widths and line breaks make no difference unless `exact`; case does unless `case` is
    False. Raises LeafError.
    """
    if isinstance(want, (str, int, float)):
        want = {"equals": str(want)}
    if not isinstance(want, dict):
        raise LeafError(f"a text is wanted as text or as a mapping, not as {type(want).__name__}")
    for key in want:
        if key not in KEYS:
            near = get_close_matches(str(key), KEYS, 1)
            raise LeafError(
                f"text: unknown key {key!r}: " + (f"did you mean {near[0]!r}?" if near else f"use {', '.join(KEYS)}")
            )
    shape: Callable[[str], str] = (
        str if want.get("exact") else lambda value: normal(value, case=bool(want.get("case", True)))
    )
    given = shape(text)
    short = f"{where + ': ' if where else ''}{_short(text)}"
    for key, value in want.items():
        match key:
            case "equals":
                yield Point.of(given == shape(str(value)), f"{short}, wanted {_short(str(value))}")
            case "one_of":
                yield Point.of(
                    given in [shape(str(one)) for one in _list(value)], f"{short}, wanted one of {_shown(value)}"
                )
            case "contains":
                for one in _list(value):
                    yield Point.of(shape(str(one)) in given, f"{short}, wanted {_short(str(one))} in it")
            case "any_of":
                found = any(shape(str(one)) in given for one in _list(value))
                yield Point.of(found, f"{short}, wanted one of {_shown(value)} in it")
            case "lacks":
                for one in _list(value):
                    yield Point.of(shape(str(one)) not in given, f"{short}, must not have {_short(str(one))}")
            case "matches" | "lacks_match":
                pattern = _pattern(str(value), bool(want.get("case", True)))
                hit = pattern.search(text if want.get("exact") else given) is not None
                wish = "matching" if key == "matches" else "nothing that matches"
                yield Point.of(hit == (key == "matches"), f"{short}, wanted {wish} {value!r}")
            case "starts":
                yield Point.of(
                    given.startswith(shape(str(value))), f"{short}, wanted to start with {_short(str(value))}"
                )
            case "ends":
                yield Point.of(given.endswith(shape(str(value))), f"{short}, wanted to end with {_short(str(value))}")
            case "says":
                for one in _list(value):
                    yield _says(text, one, short)
            case "empty":
                yield Point.of((given == "") == bool(value), f"{short}, wanted {'no' if value else 'some'} text")
            case "times":
                for part, count in dict(value).items():
                    found_times = given.count(shape(str(part)))
                    yield Point.of(
                        found_times == count, f"{short}: {_short(str(part))} {found_times} times, wanted {count}"
                    )
            case "words":
                yield in_range(len(given.split()), value, f"{short}: words")
            case "as_before":
                if value:
                    wanted = _replaced(before or "", value if isinstance(value, dict) else {})
                    yield Point.of(
                        before is not None and given == shape(wanted),
                        f"{short}, {'wanted ' + _short(wanted) if wanted != before else 'was ' + _short(wanted)}",
                    )


def _replaced(text: str, replacements: dict[str, Any]) -> str:
    for old, new in replacements.items():
        text = text.replace(str(old), str(new))
    return text


def in_range(found: float, want: Any, name: str) -> Point:
    """A number against a number, or {min, max, tolerance}."""
    if isinstance(want, bool) or not isinstance(want, (int, float, dict)):
        raise LeafError(f"{name}: a number or {{min, max}} is wanted, not {want!r}")
    if isinstance(want, dict):
        unknown = set(want) - {"min", "max", "value", "tolerance"}
        if unknown:
            raise LeafError(f"{name}: unknown key {sorted(unknown)[0]!r}: use min, max, value, tolerance")
        least, most = want.get("min", float("-inf")), want.get("max", float("inf"))
        if "value" in want:
            slack = want.get("tolerance", 0)
            least, most = want["value"] - slack, want["value"] + slack
        right = least - 1e-9 <= found <= most + 1e-9
        wish = "to ".join(f"{end:g} " for end in (least, most) if abs(end) != float("inf"))
        return Point.of(right, f"{name} {found:g}, wanted {wish.strip()}")
    return Point.of(close(found, want), f"{name} {found:g}, wanted {want:g}")


def _says(text: str, want: Any, short: str) -> Point:
    """Whether a text says a number, in any notation; `about`: words that must stand in the same text."""
    if not isinstance(want, dict):
        want = {"value": want}
    value, unit = want.get("value"), str(want.get("unit", ""))
    if not isinstance(value, (int, float)):
        return Point.of(
            normal(str(value), case=False) in normal(text, case=False), f"{short}, wanted {_short(str(value))}"
        )
    tolerance = float(want.get("tolerance", 0))
    wanted = [(float(value), 1.0)]
    if unit in ("%", "\uff05"):
        wanted = [(float(value), 0.01), (value / 100, 1.0)]
    given = normal(text)
    words = [normal(str(word), case=False) for word in _list(want.get("about", []))]
    right = any(
        close(figure.value, target, tolerance * (1.0 if scale == 0.01 or unit not in ("%", "\uff05") else 0.01))
        and (figure.scale == scale or (scale == 1.0 and close(figure.meant, target, tolerance)))
        for figure in figures(given)
        for target, scale in wanted
    )
    missing = [word for word in words if word not in normal(text, case=False)]
    wish = f"{value:g}{' ' + unit if unit else ''}"
    return Point.of(
        right and not missing, f"{short}, wanted it to say {wish}" + (f" about {missing}" if missing else "")
    )


def _pattern(text: str, case: bool) -> re.Pattern[str]:
    try:
        return re.compile(text, 0 if case else re.IGNORECASE)
    except re.error as error:
        raise LeafError(f"the pattern {text!r} can't be read: {error}") from None


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _shown(value: Any) -> str:
    return ", ".join(_short(str(one)) for one in _list(value))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 80 else text[:77] + "...")
