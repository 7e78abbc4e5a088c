"""The plugin's options, declared once. Imported at every start of pytest, so that it names no other room."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_ppteval.choices import (
    DEFAULT_MODEL,
    LEAF_TIMEOUT,
    MODEL_CONCURRENCY,
    MODEL_TIMEOUT,
    MODEL_VARIABLE,
    NON_CRITICAL_WEIGHT,
    OUTPUT_PICTURES,
    RECORD_MODES,
    RENDERERS,
    SANDBOX_MODES,
    STRATEGIES,
    SUMMARIES,
    THRESHOLD,
    UNSCORED,
)

if TYPE_CHECKING:
    from decimal import Decimal

    import pytest


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


class Option(NamedTuple):
    """--ppteval-<name>; with `ini` also the ini option ppteval_<name>. attributes: as argparse takes them."""

    name: str
    help: str
    ini: bool
    attributes: dict[str, Any]

    @property
    def key(self) -> str:
        """Its name in pytest's configuration."""
        return f"ppteval_{self.name.replace('-', '_')}"


def _option(name: str, help_text: str, *, ini: bool = False, **attributes: Any) -> Option:
    return Option(name, help_text, ini, attributes)


OPTIONS = (
    _option("rubric", "judge by this rubric file; may be given again", action="append", default=[], metavar="PATH"),
    _option("original", "with --ppteval-rubric: the deck as the agent got it", metavar="PPTX"),
    _option("modified", "with --ppteval-rubric: the deck to judge", metavar="PPTX"),
    _option(
        "outputs",
        "folder with the agents' decks: <task id>.pptx, <task id>/*.pptx, or a reference results folder. "
        "Without it the approved runs under baselines/ are judged",
        ini=True,
        metavar="DIR",
    ),
    _option("agent", "run this agent of ppteval.yaml on each task, and judge what it leaves", ini=True, metavar="NAME"),
    _option(
        "max-agents",
        "let no more than this many agents run at once, in all processes together (default: no limit)",
        ini=True,
        type=whole,
        metavar="N",
    ),
    _option(
        "no-skill",
        "run the agent without the skills that cases name, for `ppteval compare` to show what a skill is worth",
        action="store_true",
        default=False,
    ),
    _option("trials", "run each task this often (default: what the task says, else 1)", type=whole, metavar="N"),
    _option(
        "results",
        "keep the session in this new folder: verdicts, scored trees, what agents left "
        "(default: .ppteval/runs/<time> where an agent runs or runs are judged again)",
        metavar="DIR",
    ),
    _option("resume", "go on with the session kept in this folder: run what has no complete record", metavar="DIR"),
    _option(
        "rescore",
        "judge the runs kept in this folder, or in a reference results folder, again, without the agent",
        metavar="DIR",
    ),
    _option("baselines", "folder with the approved runs (default: baselines in the rootdir)", ini=True, metavar="DIR"),
    _option("record-baselines", "keep each run in this folder, for `ppteval approve` to look at", metavar="DIR"),
    _option(
        "check",
        "don't judge: try each task's rubric on decks of which it is known whether they must pass, as `ppteval check`",
        action="store_true",
    ),
    _option(
        "leaf",
        "judge only the leaves whose name matches; may be given again",
        action="append",
        default=[],
        metavar="GLOB",
    ),
    _option(
        "threshold",
        f"score a task needs to pass, 0..1 (default: {THRESHOLD:g}, strict)",
        ini=True,
        type=unit,
        metavar="X",
    ),
    _option("strategy", "how children's scores make their parent's (default: default)", ini=True, choices=STRATEGIES),
    _option(
        "non-critical-weight",
        f"lambda of the default strategy, 0..1 (default: {NON_CRITICAL_WEIGHT:g})",
        ini=True,
        type=unit,
        metavar="X",
    ),
    _option(
        "unscored",
        "a task whose verdict unscored leaves leave open is an error, or with allow a skip (default: error)",
        ini=True,
        choices=UNSCORED,
    ),
    _option(
        "sandbox",
        "confine rubric code as far as this machine can (auto, the default), fail where it can't in full (require), "
        "or don't (off)",
        ini=True,
        choices=SANDBOX_MODES,
    ),
    _option(
        "leaf-timeout",
        f"seconds that one leaf's code may take, model calls aside (default: {LEAF_TIMEOUT:g})",
        ini=True,
        type=positive,
        metavar="SECONDS",
    ),
    _option(
        "output-pictures",
        "whether pictures in a zip beside a deck to judge count: yes, no, or auto (the default): only in PPT-Eval's "
        "results folder. Who may write there could choose what is judged",
        ini=True,
        choices=OUTPUT_PICTURES,
    ),
    _option(
        "leaf-calls",
        "model calls of one check at most (default: 20, and 2 more for each slide of the two decks)",
        ini=True,
        type=whole,
        metavar="N",
    ),
    _option(
        "leaf-pictures",
        "pictures in one model call at most (default: 16, and 1 more for each slide of the two decks, up to 100)",
        ini=True,
        type=whole,
        metavar="N",
    ),
    _option(
        "renderer",
        "what draws the slides that a check looks at: LibreOffice where it is installed, else betteroffice-pptx (auto, "
        "the default), or one of them, or none",
        ini=True,
        choices=RENDERERS,
    ),
    _option(
        "cache",
        "folder of the pictures that were drawn, to be used again (default: in pytest's own cache)",
        ini=True,
        metavar="DIR",
    ),
    _option(
        "model",
        f"the model that vlm_call and llm_call ask (default: ${MODEL_VARIABLE}, else {DEFAULT_MODEL})",
        ini=True,
        metavar="NAME",
    ),
    _option(
        "model-timeout",
        f"seconds for one attempt at a model's answer (default: {MODEL_TIMEOUT:g})",
        ini=True,
        type=positive,
        metavar="SECONDS",
    ),
    _option(
        "model-concurrency",
        f"questions to a model under way at once, in all processes together (default: {MODEL_CONCURRENCY})",
        ini=True,
        type=whole,
        metavar="N",
    ),
    _option(
        "record",
        "models' answers: ask and keep nothing (none, the default); replay a task's recording, or make it where there "
        "is none (once); replay and add what is not there (new); ask and record all anew (all); replay only (replay)",
        ini=True,
        choices=RECORD_MODES,
    ),
    _option("recordings", "folder of the recordings (default: recordings in the rootdir)", ini=True, metavar="DIR"),
    _option(
        "votes",
        "ask a question with a YES or NO answer this often, an odd number, and take the majority (default: 1)",
        ini=True,
        type=odd,
        metavar="N",
    ),
    _option("max-calls", "send no more than this many questions to a model", ini=True, type=whole, metavar="N"),
    _option("max-cost", "send no question once judging has cost this much", ini=True, type=money, metavar="USD"),
    _option("prices", "file with prices of models, in USD for a million tokens", ini=True, metavar="FILE"),
    _option(
        "summary",
        "what the terminal sums up: short (the default), or full, as with -v: by tag too, all that is partial or open, "
        "the slowest checks",
        ini=True,
        choices=SUMMARIES,
    ),
    _option("json", "write every task's verdict and scored tree to this file", metavar="FILE"),
    _option(
        "junit-strict",
        "leave out of --junitxml what the xunit2 schema (junit-10.xsd) doesn't know: file, line, properties",
        ini=True,
        action="store_true",
        default=None,
    ),
)


def add_options(parser: pytest.Parser) -> None:
    """Declare every option; those that make sense for a whole project are ini options too."""
    group = parser.getgroup("ppteval", "rubrics as test cases (pytest-ppteval)")
    for option in OPTIONS:
        group.addoption(f"--ppteval-{option.name}", help=option.help, **option.attributes)
        if option.ini:
            parser.addini(option.key, help=f"{option.help} (--ppteval-{option.name})", default="")


def is_asked(config: pytest.Config) -> bool:
    """Whether any of the options is given, on the command line or in the ini file: the run means us."""
    return any(config.getoption(option.key) for option in OPTIONS) or any(
        config.getini(option.key) for option in OPTIONS if option.ini
    )
