"""What the user asked for: read from the command line, the ini file and the case, in that order."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pytest_ppteval.choices import (
    DEFAULT_MODEL,
    LEAF_TIMEOUT,
    MODEL_CONCURRENCY,
    MODEL_TIMEOUT,
    MODEL_VARIABLE,
    NON_CRITICAL_WEIGHT,
    THRESHOLD,
    OutputPictures,
    RecordMode,
    RendererChoice,
    SandboxMode,
    Strategy,
    Summary,
)
from pytest_ppteval.model.settings import ModelSettings, plain_name
from pytest_ppteval.session.declare import OPTIONS, Option
from pytest_ppteval.verify import Rules, resolve

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    import pytest

    from pytest_ppteval.case.model import Case

# Why an option stands alone.
_APART = {
    "resume": "the session goes on in its own folder",
    "rescore": "it judges the runs in its folder, without an agent",
    "no-skill": "what is kept, or approved, is of runs with the skill",
    "agent": "the agent makes the decks to judge",
}
# On the command line they say what is judged, whatever agent the ini file names.
_RUNS = ("outputs", "modified", "rescore")
_INI_PATHS = ("outputs", "cache", "baselines", "recordings", "prices")


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for. Rules given on the command line win over a case's own; the ini file's do not."""

    rubrics: tuple[str, ...]
    renderer: RendererChoice
    cache: Path | None
    original: Path | None
    modified: Path | None
    outputs: Path | None
    agent: str | None
    max_agents: int | None
    trials: int | None
    no_skill: bool
    results: Path | None
    resume: Path | None
    rescore: Path | None
    baselines: Path
    record_baselines: Path | None
    leaves: tuple[str, ...]
    sandbox: SandboxMode
    leaf_timeout: float
    leaf_calls: int | None
    leaf_pictures: int | None
    output_pictures: OutputPictures
    model: ModelSettings
    json: Path | None
    junit_strict: bool
    summary: Summary
    defaults: Rules
    threshold: float | None
    strategy: Strategy | None
    non_critical_weight: float | None
    unscored: str | None

    def as_data(self) -> dict[str, Any]:
        """What results tell of them, as JSON; null where a task's own choice or the default holds."""
        return {
            "sandbox": self.sandbox,
            "renderer": self.renderer,
            "leaf_timeout": self.leaf_timeout,
            "outputs": str(self.outputs) if self.outputs else None,
            "leaves": list(self.leaves),
            "threshold": self.threshold,
            "strategy": self.strategy,
            "non_critical_weight": self.non_critical_weight,
            "unscored": self.unscored,
        }

    def rules(self, case: Case) -> Rules:
        """How `case` is scored: the command line, else the case itself, else the ini file, else the defaults."""
        return resolve(case, self.defaults, self.threshold, self.strategy, self.non_critical_weight, self.unscored)


def read_options(config: pytest.Config) -> Options:
    """The options of this run. Raises pytest.UsageError naming the option and what it takes."""
    import pytest

    known = {option.key: option for option in OPTIONS}

    def given(name: str) -> object:
        return config.getoption(f"ppteval_{name}")

    def ini(name: str) -> str:
        return str(config.getini(f"ppteval_{name}")).strip()

    def ini_value(name: str, default: object) -> object:
        text = ini(name)
        if not text:
            return default
        try:
            return _converted(text, known[f"ppteval_{name}"])
        except ValueError as error:
            raise pytest.UsageError(f"ini option ppteval_{name} = {text}: {error}") from None

    def asked(name: str, default: object = None) -> object:
        return given(name) or ini_value(name, default)

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
        if exists == "dir":
            try:
                os.listdir(found)
            except OSError as error:  # else each task's deck would count as missing, and as the agent's fault
                raise pytest.UsageError(f"--ppteval-{name}: {found}: {error.strerror or error}") from None
        return found

    defaults = Rules(
        threshold=cast(float, ini_value("threshold", THRESHOLD)),
        strategy=cast(Strategy, ini_value("strategy", "default")),
        non_critical_weight=cast(float, ini_value("non_critical_weight", NON_CRITICAL_WEIGHT)),
        unscored=cast(str, ini_value("unscored", "error")),
    )
    sandbox = asked("sandbox", "auto")
    timeout = asked("leaf_timeout", LEAF_TIMEOUT)
    strict = given("junit_strict")
    if strict is None:
        strict = ini("junit_strict").lower() in ("1", "true", "yes", "on")
    rubrics = tuple(cast("list[str]", given("rubric")))
    for name in ("original", "modified"):
        if given(name) and not rubrics:
            raise pytest.UsageError(f"--ppteval-{name} goes with --ppteval-rubric PATH")
        if given(name) and len(rubrics) > 1:
            raise pytest.UsageError(f"--ppteval-{name} goes with one --ppteval-rubric, and {len(rubrics)} are given")
    for one, other in (
        ("resume", "rescore"),
        ("resume", "results"),
        ("rescore", "agent"),
        ("rescore", "outputs"),
        ("agent", "modified"),
        ("agent", "outputs"),
        ("no-skill", "rescore"),
        ("no-skill", "record-baselines"),
    ):
        if given(one.replace("-", "_")) and given(other.replace("-", "_")):
            raise pytest.UsageError(f"--ppteval-{one} and --ppteval-{other} don't go together: {_APART[one]}")
    model = ModelSettings(
        model=plain_name(str(given("model") or ini("model") or os.environ.get(MODEL_VARIABLE, "")) or DEFAULT_MODEL),
        timeout=cast(float, asked("model_timeout", MODEL_TIMEOUT)),
        concurrency=cast(int, asked("model_concurrency", MODEL_CONCURRENCY)),
        record=cast(RecordMode, asked("record", "none")),
        recordings=path("recordings") or config.rootpath / "recordings",
        votes=cast(int, asked("votes", 1)),
        max_calls=cast("int | None", asked("max_calls")),
        max_cost=cast("Decimal | None", asked("max_cost")),
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
    renderer = cast(RendererChoice, asked("renderer", "auto"))
    if renderer in ("libreoffice", "betteroffice") and (why := _why_not(renderer)):
        raise pytest.UsageError(f"--ppteval-renderer={renderer}: {why}")
    return Options(
        rubrics=rubrics,
        renderer=renderer,
        cache=path("cache"),
        original=path("original"),
        modified=path("modified"),
        outputs=path("outputs", exists="dir"),
        agent=cast("str | None", given("agent") or (None if any(map(given, _RUNS)) else ini("agent")) or None),
        max_agents=cast("int | None", asked("max_agents")),
        trials=cast("int | None", given("trials")),
        no_skill=bool(given("no_skill")),
        results=path("results"),
        resume=path("resume", exists="dir"),
        rescore=path("rescore", exists="dir"),
        baselines=baselines,
        record_baselines=candidates,
        leaves=tuple(cast("list[str]", given("leaf"))),
        sandbox=cast(SandboxMode, sandbox),
        leaf_timeout=cast(float, timeout),
        leaf_calls=cast("int | None", asked("leaf_calls")),
        leaf_pictures=cast("int | None", asked("leaf_pictures")),
        output_pictures=cast(OutputPictures, asked("output_pictures", "auto")),
        model=model,
        json=path("json"),
        junit_strict=bool(strict),
        summary=cast(Summary, asked("summary", "short")),
        defaults=defaults,
        threshold=cast("float | None", given("threshold")),
        strategy=cast("Strategy | None", given("strategy")),
        non_critical_weight=cast("float | None", given("non_critical_weight")),
        unscored=cast("str | None", given("unscored")),
    )


def _converted(text: str, option: Option) -> object:
    """A text of the ini file, as argparse would have it on the command line. Raises ValueError."""
    choices = option.attributes.get("choices")
    if choices is not None and text not in choices:
        raise ValueError(f"expected one of {', '.join(choices)}")
    convert: Callable[[str], object] = option.attributes.get("type", str)
    return convert(text)


def _why_not(renderer: RendererChoice) -> str:
    from pytest_ppteval.picture.renderers import why_not

    return why_not(renderer)


def _check_prices(path: Path) -> None:
    """A file of prices that is wrong is told before anything is asked of a model."""
    import pytest

    from pytest_ppteval.case.model import FormatError
    from pytest_ppteval.model.price import read_prices

    try:
        read_prices(path)
    except FormatError as error:
        raise pytest.UsageError(f"--ppteval-prices: {error}") from None
