"""Gemini CLI's telemetry in a file (telemetry.outfile): log records, spans and metrics, one JSON object after another.

Only the log records gemini_cli.* are read: user_prompt, api_response, tool_call {function_name, function_args,
duration_ms, success, error}. Each session is a run.

Not told: the results of calls (so that `result` is unknown) and their ids; costs; where telemetry.logPrompts is off
also prompts, arguments and answers, and with them how the run ended.
"""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import Record, as_count, as_dict, as_dicts, as_number, as_text, loads, text_of
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain
from pytest_ppteval.trace.source import Source

_PREFIX = "gemini_cli."


def _answer(text: Json) -> tuple[str, bool] | None:
    """The words of a response that is written as JSON text, and whether it asks for calls."""
    try:
        value = loads(text) if isinstance(text, str) else None
    except ValueError:
        return None
    chunks = as_dicts(value) or [as_dict(value)]
    parts = [
        part
        for chunk in chunks
        for candidate in as_dicts(chunk.get("candidates"))
        for part in as_dicts(as_dict(candidate.get("content")).get("parts"))
    ]
    if not parts:
        return None
    words = "".join(text_of(part.get("text")) for part in parts if part.get("thought") is not True)
    return words, any("functionCall" in part for part in parts)


def _event(build: Builder, kind: str, fields: Record, line: int) -> None:
    time = when(fields.get("event.timestamp"))
    build.at(time)
    if kind == "user_prompt":
        build.say("user", text_of(fields.get("prompt")))
        build.status, build.error = "truncated", None
    elif kind == "tool_call":
        milliseconds = as_number(fields.get("duration_ms"))
        started = None if time is None or milliseconds is None else time - milliseconds / 1000
        step = build.call(None, as_text(fields.get("function_name")), fields.get("function_args"), started=started)
        error = as_text(fields.get("error.message")) or as_text(fields.get("error"))
        success = fields.get("success")
        failed = True if error or fields.get("decision") == "reject" else None
        failed = failed if failed or not isinstance(success, bool) else not success
        build.result(step.id, None, failed=failed, error=error, ended=time, line=line)
        build.status = "truncated"
    elif kind == "api_response":
        if fields.get("role") not in (None, "main"):
            return  # another model's: routing, summaries, subagents
        answer = _answer(fields.get("response_text"))
        if answer is not None:
            build.say("assistant", answer[0])
        build.status = "finished" if answer is not None and not answer[1] else "truncated"
    elif kind == "api_error":
        build.status, build.error = "error", as_text(fields.get("error")) or as_text(fields.get("error.message"))
        build.error = build.error or "a request failed"


def _spend(build: Builder, fields: Record) -> None:
    asked, said = as_count(fields.get("input_token_count")), as_count(fields.get("output_token_count"))
    thought = as_count(fields.get("thoughts_token_count"))
    usage = Usage(
        input_total=None if asked is None else asked + (as_count(fields.get("tool_token_count")) or 0),
        cache_read=as_count(fields.get("cached_content_token_count")),
        output=None if said is None else said + (thought or 0),
        reasoning=thought,
    )
    build.spend(as_text(fields.get("model")), usage)


def _read(source: Source) -> list[Trace]:
    runs: dict[str | None, Builder] = {}
    for line, record in source.records():
        fields = as_dict(record.get("attributes"))
        name = as_text(fields.get("event.name")) or ""
        if not name.startswith(_PREFIX):
            continue  # spans and metrics of the same run
        session = as_text(fields.get("session.id"))
        build = runs.setdefault(session, Builder("gemini-telemetry", source.notes, session))
        _event(build, name.removeprefix(_PREFIX), fields, line)
        if name == f"{_PREFIX}api_response":
            _spend(build, fields)
    return [build.trace() for build in runs.values()] or [Builder("gemini-telemetry", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    names = (as_text(as_dict(record.get("attributes")).get("event.name")) or "" for record in head.records)
    found = next((name for name in names if name.startswith(_PREFIX)), None)
    return None if found is None else certain(f"log records named {found}")


READER = Reader(
    name="gemini-telemetry",
    title="Gemini CLI, telemetry file",
    recognise=_recognise,
    read=_read,
    not_calls=frozenset(("attributes",)),
)
