"""An eval set of Google's Agent Development Kit: conversations with the tools used. Each case is a run."""

from __future__ import annotations

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.jsontext import Record, as_dict, as_dicts, as_text, text_of
from pytest_ppteval.trace.model import Json, Trace
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain
from pytest_ppteval.trace.source import Source


def _words(content: Json) -> str:
    return "".join(text_of(part.get("text")) for part in as_dicts(as_dict(content).get("parts")))


def _case(source: Source, case: Record) -> Trace:
    build = Builder("adk", source.notes, as_text(case.get("eval_id")) or as_text(case.get("name")))
    for turn in build.listed(case, "conversation", must=True):
        build.say("user", _words(turn.get("user_content")))
        between = as_dict(turn.get("intermediate_data"))
        for use in build.listed(between, "tool_uses"):
            build.call(as_text(use.get("id")), as_text(use.get("name")), use.get("args"))
        for response in build.listed(between, "tool_responses"):
            build.result(
                as_text(response.get("id")), text_of(response.get("response")), tool=as_text(response.get("name"))
            )
        answer = _words(turn.get("final_response"))
        build.say("assistant", answer)
        build.status = "finished" if answer else "truncated"
    return build.trace()


def _read(source: Source) -> list[Trace]:
    cases = [case for _, record in source.records() for case in as_dicts(record.get("eval_cases"))]
    if not cases:
        source.notes.add("no_cases", "no case in the eval set")
    return [_case(source, case) for case in cases] or [Builder("adk", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    if any(any("conversation" in case for case in as_dicts(record.get("eval_cases"))) for record in head.records):
        return certain("eval_cases with conversations")
    return None


READER = Reader(name="adk", title="Google ADK, eval set", recognise=_recognise, read=_read)
