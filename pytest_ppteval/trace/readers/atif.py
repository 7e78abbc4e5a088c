"""ATIF, Harbor's trajectory format: steps of user, system and agent, with calls, observations and metrics."""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, StepDraft, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_number, as_text, text_of
from pytest_ppteval.trace.model import Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain
from pytest_ppteval.trace.source import Source

_ROLES = {"agent": "assistant", "user": "user", "system": "system"}


def _step(build: Builder, record: Record, model: str | None, spent: list[tuple[str | None, Usage]], line: int) -> None:
    time = when(record.get("timestamp"))
    build.at(time)
    source = as_text(record.get("source")) or "unknown"
    build.say("reasoning", text_of(record.get("reasoning_content")))
    build.say(_ROLES.get(source, source), text_of(record.get("message")), message_id=str(record.get("step_id")))
    group = f"step-{record.get('step_id')}"
    calls: list[StepDraft] = []
    for call in build.listed(record, "tool_calls", line):
        name = as_text(call.get("tool_call_id"))
        if name in build.steps:
            build.notes.add("duplicate_id", f"call {name} is there twice: both are kept", line)
            name = None
        tool = as_text(call.get("function_name"))
        calls.append(build.call(name, tool, call.get("arguments"), group=group, started=time))
    for index, result in enumerate(as_dicts(as_dict(record.get("observation")).get("results"))):
        if result.get("subagent_trajectory_ref"):
            build.notes.add("other_files", "subagents' trajectories are in files of their own: not read", line)
        if "content" not in result:
            continue
        name = as_text(result.get("source_call_id"))
        if name is None and calls:  # not said: they come in the order of the calls
            name = calls[min(index, len(calls) - 1)].id
        if name is not None:
            build.result(name, text_of(result.get("content")), line=line)
        else:
            build.say("system", text_of(result.get("content")))
    metrics = as_dict(record.get("metrics"))
    if metrics:
        usage = Usage(
            input_total=as_count(metrics.get("prompt_tokens")),
            cache_read=as_count(metrics.get("cached_tokens")),
            output=as_count(metrics.get("completion_tokens")),
        )
        spent.append((as_text(record.get("model_name")) or model, usage))
        build.cost(as_number(metrics.get("cost_usd")))


def _read(source: Source) -> list[Trace]:
    build = Builder("atif", source.notes)
    for line, record in source.records():
        build.run = as_text(record.get("session_id")) or build.run
        model = as_text(as_dict(record.get("agent")).get("model_name"))
        spent: list[tuple[str | None, Usage]] = []
        for step in build.listed(record, "steps", line, must=True):
            if step.get("is_copied_context") is not True:
                _step(build, step, model, spent, line)
        final = as_dict(record.get("final_metrics"))
        total = Usage(
            input_total=as_count(final.get("total_prompt_tokens")),
            cache_read=as_count(final.get("total_cached_tokens")),
            output=as_count(final.get("total_completion_tokens")),
        )
        # The total also has what subagents and failed requests took; by model only the steps tell.
        if total.tokens is not None and len({name for name, _ in spent}) <= 1:
            spent = [(spent[0][0] if spent else model, total)]
        for name, usage in spent:
            build.spend(name, usage)
        cost = as_number(final.get("total_cost_usd"))
        build.cost_usd = cost if cost is not None else build.cost_usd
        build.status = "finished" if final else "truncated"
    return [build.trace()]


def _recognise(head: Head) -> Sign | None:
    if any(str(record.get("schema_version")).startswith("ATIF") for record in head.records):
        return certain("schema_version ATIF")
    return None


READER = Reader(name="atif", title="ATIF trajectory", recognise=_recognise, read=_read)
