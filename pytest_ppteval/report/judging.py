"""What judging asked of models and cost, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.model.settings import ModelSettings
    from pytest_ppteval.rubric.result import Usage


def header(settings: ModelSettings, rootpath: Path) -> str:
    """Which model is asked and how, in one line."""
    parts = [f"model {settings.model}"]
    if settings.votes > 1:
        parts.append(f"{settings.votes} votes")
    if settings.record != "none":
        folder = settings.recordings
        shown = folder.relative_to(rootpath).as_posix() if folder.is_relative_to(rootpath) else str(folder)
        count = sum(1 for _ in folder.rglob("*.yaml")) if folder.is_dir() else 0
        parts.append(f"record {settings.record} in {shown} (of {count} {'task' if count == 1 else 'tasks'})")
    if settings.max_calls is not None:
        parts.append(f"at most {settings.max_calls} calls")
    if settings.max_cost is not None:
        parts.append(f"at most ${settings.max_cost}")
    return ", ".join(parts)


def summary(usage: Usage, settings: ModelSettings) -> str:
    """What a session's judging came to, in one line."""
    answers = f"{usage.live} live"
    if usage.failed:
        answers += f" ({usage.failed} failed)"
    answers += f", {usage.replayed} replayed, {usage.missing} missing"
    if not usage.live:
        return f"judging by {settings.model}: {answers}"
    cached = f" (and {usage.cache_read_tokens:,} from cache)" if usage.cache_read_tokens else ""
    tokens = f"{usage.input_tokens + usage.cache_write_tokens:,} tokens in{cached}, {usage.output_tokens:,} out"
    return f"judging by {settings.model}: {answers}; {tokens}; {cost_text(usage)}"


def cost_text(usage: Usage) -> str:
    """The cost for people: "$0.0123", "unpriced", or "$0.0123 and 2 answers unpriced"."""
    known = f"${usage.known_cost:.4f}"
    if not usage.unpriced:
        return known
    if not usage.known_cost:
        return "unpriced"
    return f"{known} and {usage.unpriced} {'answer' if usage.unpriced == 1 else 'answers'} unpriced"


def properties(judging: dict[str, Any] | None) -> list[tuple[str, object]]:
    """A leaf's usage as JUnit properties; none where it asked nothing."""
    if judging is None:
        return []
    cost = "unpriced" if judging["cost_usd"] is None else f"{judging['cost_usd']:.6f}"
    counts = ("live", "replayed", "missing", "input_tokens", "output_tokens")
    found: list[tuple[str, object]] = [(f"judge_{name}", str(judging[name])) for name in counts]
    found.append(("judge_cost_usd", cost))
    if judging["votes"]:
        found.append(("borderline", str(judging["borderline"]).lower()))
    return found
