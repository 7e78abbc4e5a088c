"""What judging asked of models and cost, as records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_ppteval.model.settings import ModelSettings
    from pytest_ppteval.rubric.result import Usage

_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def usage_record(usage: Usage) -> dict[str, Any] | None:
    """A leaf's or a task's usage as JSON; None where nothing was asked. cost_usd is null where a price is unknown."""
    if not usage.asked and not usage.votes:
        return None
    record: dict[str, Any] = usage_numbers(usage)
    record["votes"] = [{"yes": votes.yes, "no": votes.no, "neither": votes.neither} for votes in usage.votes]
    record["borderline"] = usage.borderline
    return record


def session_record(usage: Usage, settings: ModelSettings) -> dict[str, Any]:
    """A session's usage as JSON, with what was asked how."""
    return {**asked_record(settings), **usage_numbers(usage)}


def asked_record(settings: ModelSettings) -> dict[str, Any]:
    """Which model is asked and how, as JSON."""
    return {
        "model": settings.model,
        "record": settings.record,
        "votes": settings.votes,
        "max_calls": settings.max_calls,
        "max_cost_usd": None if settings.max_cost is None else float(settings.max_cost),
    }


def usage_numbers(usage: Usage) -> dict[str, Any]:
    """Counts, tokens and cost."""
    return {
        "live": usage.live,
        "failed": usage.failed,
        "replayed": usage.replayed,
        "missing": usage.missing,
        **{name: getattr(usage, name) for name in _TOKENS},
        "cost_usd": None if usage.cost is None else float(usage.cost),
        "unpriced": usage.unpriced,
    }
