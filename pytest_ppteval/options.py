"""The plugin's options: declared once, read from the command line, the ini file and the case, in that order."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from pytest_ppteval.model.settings import (
    CONCURRENCY,
    DEFAULT_MODEL,
    MODEL_VARIABLE,
    RECORD_MODES,
    TIMEOUT,
    ModelSettings,
    RecordMode,
    plain_name,
)
from pytest_ppteval.picture.renderers import CHOICES as RENDERERS
from pytest_ppteval.picture.renderers import RendererChoice
from pytest_ppteval.rubric.aggregate import NON_CRITICAL_WEIGHT, STRATEGIES, Strategy
from pytest_ppteval.verify import THRESHOLD, Rules, resolve

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    import pytest

    from pytest_ppteval.case.model import Case

SandboxMode = Literal["auto", "require", "off"]
LEAF_TIMEOUT = 30.0
_INI_PATHS = ("outputs", "cache", "baselines", "recordings", "prices")


class BadValueError(argparse.ArgumentTypeError, ValueError):
    """An option's value that can't be used; argparse shows the text of this kind as it is."""


def unit(text: str) -> float:
    """A number from 0 to 1."""
    value = _number(text)
    if not 0 <= value <= 1:
        raise BadValueError(f"{text!r} is not a number from 0 to 1")
    return value


def positive(text: str) -> float:
    """A number of seconds above 0."""
    value = _number(text)
    if not 0 < value < float("inf"):
        raise BadValueError(f"{text!r} is not a number above 0")
    return value


def whole(text: str) -> int:
    """A whole number, 1 or more."""
    if not text.strip().isdecimal() or int(text) < 1:
        raise BadValueError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def odd(text: str) -> int:
    """An odd number of votes."""
    if whole(text) % 2 == 0:
        raise BadValueError(f"{text!r} is even: an odd number of votes can't tie")
    return int(text)


def money(text: str) -> Decimal:
    """An amount in USD above 0."""
    from decimal import Decimal

    positive(text)
    return Decimal(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadValueError(f"{text!r} is not a number") from None


def add_options(parser: pytest.Parser) -> None:
    """Declare every option; those that make sense for a whole project are ini options too."""
    group = parser.getgroup("ppteval", "rubrics as test cases (pytest-ppteval)")

    def option(name: str, help_text: str, *, ini: bool = False, **attributes: object) -> None:
        group.addoption(f"--ppteval-{name}", help=help_text, **attributes)
        if ini:
            parser.addini(f"ppteval_{name.replace('-', '_')}", help=f"{help_text} (--ppteval-{name})", default="")

    option("rubric", "judge by this rubric file; may be given again", action="append", default=[], metavar="PATH")
    option("original", "with --ppteval-rubric: the deck as the agent got it", metavar="PPTX")
    option("modified", "with --ppteval-rubric: the deck to judge", metavar="PPTX")
    option(
        "outputs",
        "folder with the agents' decks: <task id>.pptx, <task id>/*.pptx, or a reference results folder. "
        "Without it the approved runs under baselines/ are judged",
        ini=True,
        metavar="DIR",
    )
    option("baselines", "folder with the approved runs (default: baselines in the rootdir)", ini=True, metavar="DIR")
    option("record-baselines", "keep each run in this folder, for `ppteval approve` to look at", metavar="DIR")
    option(
        "leaf",
        "judge only the leaves whose name matches; may be given again",
        action="append",
        default=[],
        metavar="GLOB",
    )
    option(
        "threshold",
        f"score a task needs to pass, 0..1 (default: {THRESHOLD:g}, strict)",
        ini=True,
        type=unit,
        metavar="X",
    )
    option("strategy", "how children's scores make their parent's (default: default)", ini=True, choices=STRATEGIES)
    option(
        "non-critical-weight",
        f"lambda of the default strategy, 0..1 (default: {NON_CRITICAL_WEIGHT:g})",
        ini=True,
        type=unit,
        metavar="X",
    )
    option(
        "unscored",
        "a task whose verdict unscored leaves leave open is an error, or with allow a skip (default: error)",
        ini=True,
        choices=("error", "allow"),
    )
    option(
        "sandbox",
        "confine rubric code as far as this machine can (auto, the default), fail where it can't in full (require), "
        "or don't (off)",
        ini=True,
        choices=("auto", "require", "off"),
    )
    option(
        "leaf-timeout",
        f"seconds that one leaf's code may take, model calls aside (default: {LEAF_TIMEOUT:g})",
        ini=True,
        type=positive,
        metavar="SECONDS",
    )
    option(
        "renderer",
        "what draws the slides that a check looks at: LibreOffice where it is installed, else betteroffice-pptx (auto, "
        "the default), or one of them, or none",
        ini=True,
        choices=RENDERERS,
    )
    option(
        "cache",
        "folder of the pictures that were drawn, to be used again (default: in pytest's own cache)",
        ini=True,
        metavar="DIR",
    )
    _add_model_options(option)
    option("json", "write every task's verdict and scored tree to this file", metavar="FILE")
    option(
        "junit-strict",
        "leave file and line out of --junitxml, as the strict xunit2 schema asks",
        ini=True,
        action="store_true",
        default=None,
    )


def _add_model_options(option: Callable[..., None]) -> None:
    """The options of the built-in vlm_call and llm_call."""
    option(
        "model",
        f"the model that vlm_call and llm_call ask (default: ${MODEL_VARIABLE}, else {DEFAULT_MODEL})",
        ini=True,
        metavar="NAME",
    )
    option(
        "model-timeout",
        f"seconds for one attempt at a model's answer (default: {TIMEOUT:g})",
        ini=True,
        type=positive,
        metavar="SECONDS",
    )
    option(
        "model-concurrency",
        f"questions to a model under way at once, in all processes together (default: {CONCURRENCY})",
        ini=True,
        type=whole,
        metavar="N",
    )
    option(
        "record",
        "models' answers: ask and keep nothing (none, the default); replay a task's recording, or make it where there "
        "is none (once); replay and add what is not there (new); ask and record all anew (all); replay only (replay)",
        ini=True,
        choices=RECORD_MODES,
    )
    option("recordings", "folder of the recordings (default: recordings in the rootdir)", ini=True, metavar="DIR")
    option(
        "votes",
        "ask a question with a YES or NO answer this often, an odd number, and take the majority (default: 1)",
        ini=True,
        type=odd,
        metavar="N",
    )
    option("max-calls", "send no more than this many questions to a model", ini=True, type=whole, metavar="N")
    option("max-cost", "send no question once judging has cost this much", ini=True, type=money, metavar="USD")
    option("prices", "file with prices of models, in USD for a million tokens", ini=True, metavar="FILE")


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for. Rules given on the command line win over a case's own; the ini file's do not."""

    rubrics: tuple[str, ...]
    renderer: RendererChoice
    cache: Path | None
    original: Path | None
    modified: Path | None
    outputs: Path | None
    baselines: Path
    record_baselines: Path | None
    leaves: tuple[str, ...]
    sandbox: SandboxMode
    leaf_timeout: float
    model: ModelSettings
    json: Path | None
    junit_strict: bool
    defaults: Rules
    threshold: float | None
    strategy: Strategy | None
    non_critical_weight: float | None
    unscored: str | None

    def rules(self, case: Case) -> Rules:
        """How `case` is scored: the command line, else the case itself, else the ini file, else the defaults."""
        return resolve(case, self.defaults, self.threshold, self.strategy, self.non_critical_weight, self.unscored)


def read_options(config: pytest.Config) -> Options:
    """The options of this run. Raises pytest.UsageError naming the option and what it takes."""
    import pytest

    def given(name: str) -> object:
        return config.getoption(f"ppteval_{name}")

    def ini(name: str) -> str:
        return str(config.getini(f"ppteval_{name}")).strip()

    def ini_value(name: str, convert: type | object, default: object) -> object:
        text = ini(name)
        if not text:
            return default
        try:
            return convert(text)  # type: ignore[operator]  # a converter such as unit()
        except ValueError as error:
            raise pytest.UsageError(f"ini option ppteval_{name} = {text}: {error}") from None

    def choice(*choices: str) -> object:
        def convert(text: str) -> str:
            if text not in choices:
                raise ValueError(f"expected one of {', '.join(choices)}")
            return text

        return convert

    def path(name: str, *, exists: str | None = None) -> Path | None:
        asked = given(name)
        # A path on the command line is relative to where the command was given, one in the ini file to that file.
        base = config.invocation_params.dir if asked else (config.inipath or config.rootpath / "x").parent
        text = str(asked) if asked else ini(name) if name in _INI_PATHS else ""
        if not text:
            return None
        found = base / Path(text).expanduser()
        if exists == "dir" and not found.is_dir():
            raise pytest.UsageError(f"--ppteval-{name}: no such folder: {found}")
        return found

    defaults = Rules(
        threshold=cast(float, ini_value("threshold", unit, THRESHOLD)),
        strategy=cast(Strategy, ini_value("strategy", choice(*STRATEGIES), "default")),
        non_critical_weight=cast(float, ini_value("non_critical_weight", unit, NON_CRITICAL_WEIGHT)),
        unscored=cast(str, ini_value("unscored", choice("error", "allow"), "error")),
    )
    sandbox = given("sandbox") or ini_value("sandbox", choice("auto", "require", "off"), "auto")
    timeout = given("leaf_timeout") or ini_value("leaf_timeout", positive, LEAF_TIMEOUT)
    strict = given("junit_strict")
    if strict is None:
        strict = ini("junit_strict").lower() in ("1", "true", "yes", "on")
    rubrics = tuple(cast("list[str]", given("rubric")))
    for name in ("original", "modified"):
        if given(name) and not rubrics:
            raise pytest.UsageError(f"--ppteval-{name} goes with --ppteval-rubric PATH")
        if given(name) and len(rubrics) > 1:
            raise pytest.UsageError(f"--ppteval-{name} goes with one --ppteval-rubric, and {len(rubrics)} are given")
    model = ModelSettings(
        model=plain_name(str(given("model") or ini("model") or os.environ.get(MODEL_VARIABLE, "")) or DEFAULT_MODEL),
        timeout=cast(float, given("model_timeout") or ini_value("model_timeout", positive, TIMEOUT)),
        concurrency=cast(int, given("model_concurrency") or ini_value("model_concurrency", whole, CONCURRENCY)),
        record=cast(RecordMode, given("record") or ini_value("record", choice(*RECORD_MODES), "none")),
        recordings=path("recordings") or config.rootpath / "recordings",
        votes=cast(int, given("votes") or ini_value("votes", odd, 1)),
        max_calls=cast("int | None", given("max_calls") or ini_value("max_calls", whole, None)),
        max_cost=cast("Decimal | None", given("max_cost") or ini_value("max_cost", money, None)),
        prices=path("prices"),
    )
    if model.prices is not None:
        _check_prices(model.prices)
    baselines = path("baselines") or config.rootpath / "baselines"
    candidates = path("record_baselines")
    if candidates is not None and candidates.resolve().is_relative_to(baselines.resolve()):
        raise pytest.UsageError(
            f"--ppteval-record-baselines: {candidates} is among the approved runs, which no test run may change: "
            "name another folder"
        )
    return Options(
        rubrics=rubrics,
        renderer=cast(RendererChoice, given("renderer") or ini_value("renderer", choice(*RENDERERS), "auto")),
        cache=path("cache"),
        original=path("original"),
        modified=path("modified"),
        outputs=path("outputs", exists="dir"),
        baselines=baselines,
        record_baselines=candidates,
        leaves=tuple(cast("list[str]", given("leaf"))),
        sandbox=cast(SandboxMode, sandbox),
        leaf_timeout=cast(float, timeout),
        model=model,
        json=path("json"),
        junit_strict=bool(strict),
        defaults=defaults,
        threshold=cast("float | None", given("threshold")),
        strategy=cast("Strategy | None", given("strategy")),
        non_critical_weight=cast("float | None", given("non_critical_weight")),
        unscored=cast("str | None", given("unscored")),
    )


def _check_prices(path: Path) -> None:
    """A file of prices that is wrong is told before anything is asked of a model."""
    import pytest

    from pytest_ppteval.case.model import FormatError
    from pytest_ppteval.model.price import read_prices

    try:
        read_prices(path)
    except FormatError as error:
        raise pytest.UsageError(f"--ppteval-prices: {error}") from None
