"""What instrumentations write in place of the GenAI conventions' attributes -> these attributes. No format by itself.

Vercel AI SDK (ai.*), OpenLLMetry (traceloop.*, gen_ai.prompt.0.*), Pydantic AI's first versions.
"""

from __future__ import annotations

import re

from pytest_ppteval.trace.jsontext import Record, as_list, as_text, loads
from pytest_ppteval.trace.model import Json
from pytest_ppteval.trace.signs import call_sign, is_call_word

_AI_SDK = re.compile(r"ai\.(?:generateText|streamText|generateObject|streamObject)(\.do(?:Generate|Stream))?$")
_SAME = {
    "ai.toolCall.name": "gen_ai.tool.name",
    "ai.toolCall.id": "gen_ai.tool.call.id",
    "ai.toolCall.args": "gen_ai.tool.call.arguments",
    "ai.toolCall.result": "gen_ai.tool.call.result",
    "ai.usage.cachedInputTokens": "gen_ai.usage.cache_read.input_tokens",
    "ai.usage.inputTokenDetails.cacheWriteTokens": "gen_ai.usage.cache_creation.input_tokens",
    "ai.usage.reasoningTokens": "gen_ai.usage.reasoning.output_tokens",
    "ai.response.finishReason": "gen_ai.response.finish_reasons",
    "ai.response.text": "final_result",
    "tool_arguments": "gen_ai.tool.call.arguments",
    "tool_response": "gen_ai.tool.call.result",
    "gen_ai.usage.prompt_tokens": "gen_ai.usage.input_tokens",
    "gen_ai.usage.completion_tokens": "gen_ai.usage.output_tokens",
}
_OFFERS = re.compile(r"definition|tools$|tool_?choice|functions\.\d|request\.functions", re.IGNORECASE)
_CALLS = re.compile(r"tool_?calls?(?:$|[._])|function_?call", re.IGNORECASE)


def common(name: str, attributes: Record) -> Record:
    """A span's attributes with those of the conventions added, as far as others say the same."""
    added: Record = {
        ours: attributes[theirs] for theirs, ours in _SAME.items() if theirs in attributes and ours not in attributes
    }
    if "ai.toolCall.result" in attributes and isinstance(text := parsed(attributes["ai.toolCall.result"]), str):
        added["gen_ai.tool.call.result"] = text  # text stands there in quotes, as JSON
    if "gen_ai.operation.name" not in attributes:
        told = as_text(attributes.get("ai.operationId")) or name.split(" ")[0]
        found = _AI_SDK.match(told)
        if found is not None:
            added["gen_ai.operation.name"] = "chat" if found[1] else "invoke_agent"
        elif told == "ai.toolCall" or attributes.get("traceloop.span.kind") == "tool":
            added["gen_ai.operation.name"] = "execute_tool"
        elif "llm.request.type" in attributes:
            added["gen_ai.operation.name"] = "chat"
        elif attributes.get("traceloop.span.kind") in ("workflow", "agent"):
            added["gen_ai.operation.name"] = "invoke_agent"
    if attributes.get("traceloop.span.kind") == "tool":
        added.setdefault("gen_ai.tool.name", attributes.get("traceloop.entity.name"))
        for ours, theirs in (("arguments", "input"), ("result", "output")):
            if f"traceloop.entity.{theirs}" in attributes:
                added.setdefault(f"gen_ai.tool.call.{ours}", attributes[f"traceloop.entity.{theirs}"])
    return {**attributes, **added} if added else attributes


def finish_reasons(attributes: Record) -> list[str]:
    """Why the model stopped, in its own words; empty where that isn't told."""
    said = attributes.get("gen_ai.response.finish_reasons")
    if isinstance(said, str):
        said = parsed(said)
    reasons = [said] if isinstance(said, str) else as_list(said)
    numbered = [value for key, value in attributes.items() if key == "finish_reason" or key.endswith(".finish_reason")]
    return [reason for reason in [*reasons, *numbered] if isinstance(reason, str) and reason]


def asks_for_tools(reasons: list[str]) -> bool:
    """Whether a model stopped for the sake of a call."""
    return any("tool" in reason.lower() or "function" in reason.lower() for reason in reasons)


def sign_of_call(operation: str, attributes: Record) -> str | None:
    """What a span that is read as no call has of one."""
    if is_call_word(operation):
        return f"a span {operation!r}"
    reasons = finish_reasons(attributes)
    if asks_for_tools(reasons):
        return f"finish_reason {reasons[0]!r}"
    for key, value in attributes.items():
        if not value or _OFFERS.search(key):
            continue
        if _CALLS.search(key) and value not in ("[]", "{}", "null"):
            return key
        inner = call_sign(parsed(value)) if isinstance(value, str) and value[:1] in "[{" else call_sign(value)
        if inner is not None:
            return f"{inner} in {key}"
    return None


def parsed(value: Json) -> Json:
    """A value that may be written as JSON text inside of the attribute."""
    if isinstance(value, str):
        try:
            return loads(value)
        except ValueError:
            return value
    return value
