"""What GenAI spans tell in events instead of attributes, as the conventions had it until 2025 and Strands still has.

gen_ai.tool.message {content: arguments} and gen_ai.choice {message: result} of a tool's span; gen_ai.system.message,
gen_ai.user.message, gen_ai.assistant.message, gen_ai.tool.message {content} and gen_ai.choice {message} of a request,
in Bedrock's blocks or as text. No format by itself.
"""

from __future__ import annotations

from pytest_ppteval.trace.jsontext import Record, as_dicts, as_text, dumps, loads, text_of
from pytest_ppteval.trace.model import Json

Event = tuple[str, Record]  # its name and its attributes
_PREFIX = "gen_ai."
_ROLES = ("system", "user", "assistant")


def _parsed(value: Json) -> Json:
    try:
        return loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _plain(value: Json) -> str:
    """Blocks of text or JSON, and other data, as text."""
    blocks = as_dicts(_parsed(value))
    if blocks and all({"text", "json"} & set(block) for block in blocks):
        return "\n".join(text_of(b["text"]) if "text" in b else dumps(b.get("json")) for b in blocks)
    return value if isinstance(value, str) else dumps(value)


def arguments_of(events: list[Event]) -> Json:
    """A tool's arguments, as JSON text or as data; None where no event has them."""
    return next((fields.get("content") for name, fields in events if name == "gen_ai.tool.message"), None)


def result_of(events: list[Event]) -> str | None:
    """A tool's result."""
    found = next((fields.get("message") for name, fields in events if name == "gen_ai.choice"), None)
    return None if found is None else _plain(found)


def said_in(events: list[Event]) -> list[tuple[str, str, bool]]:
    """The messages of a request and its answer: role, words, and whether it asks for calls."""
    said: list[tuple[str, str, bool]] = []
    for name, fields in events:
        role = name.removeprefix(_PREFIX).removesuffix(".message")
        if name == "gen_ai.choice":
            role = "assistant"
        if not name.startswith(_PREFIX) or role not in _ROLES:
            continue
        content = fields.get("message", fields.get("content"))
        blocks = as_dicts(_parsed(content))
        words = "".join(text_of(b["text"]) for b in blocks if "text" in b) if blocks else text_of(content)
        reason = as_text(fields.get("finish_reason")) or ""
        said.append((role, words, "tool" in reason or any("toolUse" in block for block in blocks)))
    return said
