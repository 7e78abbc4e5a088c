"""What the options let a user choose from, and what holds where nothing is chosen.

Apart, since pytest asks for it at every start, rubrics or not: constants only.
"""

from __future__ import annotations

from typing import Literal

Strategy = Literal["default", "mind2web2"]
STRATEGIES: tuple[Strategy, ...] = ("default", "mind2web2")
NON_CRITICAL_WEIGHT = 0.3
# Strict, as PPT-Eval counts success.
THRESHOLD = 1.0
Unscored = Literal["error", "allow"]
UNSCORED: tuple[Unscored, ...] = ("error", "allow")

Summary = Literal["short", "full"]
SUMMARIES: tuple[Summary, ...] = ("short", "full")

SandboxMode = Literal["auto", "require", "off"]
SANDBOX_MODES: tuple[SandboxMode, ...] = ("auto", "require", "off")
LEAF_TIMEOUT = 30.0

RendererChoice = Literal["auto", "libreoffice", "betteroffice", "none"]
OutputPictures = Literal["auto", "yes", "no"]
OUTPUT_PICTURES: tuple[OutputPictures, ...] = ("auto", "yes", "no")
RENDERERS: tuple[RendererChoice, ...] = ("auto", "libreoffice", "betteroffice", "none")

RecordMode = Literal["none", "once", "new", "all", "replay"]
RECORD_MODES: tuple[RecordMode, ...] = ("none", "once", "new", "all", "replay")
# The current Sonnet of the SDK's own list (anthropic.types.Model).
DEFAULT_MODEL = "claude-sonnet-5-5"
MODEL_VARIABLE = "RUBRIC_DEFAULT_LLM"
MODEL_TIMEOUT = 120.0
MODEL_CONCURRENCY = 8
