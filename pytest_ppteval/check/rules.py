"""What a case's rules tell of themselves, without a run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_ppteval.check.finding import Finding
from pytest_ppteval.trace.families import FAMILIES, family_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.rubric.tree import Leaf

_PATTERNS = ("response_matches", "file_matches")
# Formats whose tools have names of their own.
_AGENTS = ("claude-code", "codex-exec", "gemini-cli", "opencode")
_TOOLS = ("tool_call", "tool_order", "only_tools")
# Ends a line, or begins one, and says nothing of a carriage return or a blank before it.
_AT_AN_END = re.compile(r"(?<!\\)\$|(?<![\\\[])\^")
_FORGIVING = re.compile(r"\\s\*\$|\\r\?\$|\\Z|\[[^\]]*\\r[^\]]*\]\*?\$")


def findings(leaf: Leaf, task: str) -> Iterator[Finding]:
    """Everything about one rule."""
    rule = str(leaf.scorer.args.get("rule", ""))
    value = leaf.scorer.args.get("value")
    name = rule.removeprefix("not_")

    def tell(kind: str, message: str) -> Finding:
        return Finding(kind, leaf.scorer.source, f"{task}: {leaf.id!r}: {message}", task, leaf.id)

    if name in _PATTERNS:
        for pattern in _texts(value, ("pattern", "patterns", "all", "any")):
            if "$" in pattern and _AT_AN_END.search(pattern) and not _FORGIVING.search(pattern):
                yield tell(
                    "line-ends",
                    f"{pattern!r} wants a line to end right there: write \\s*$, lines end in blanks or \\r\\n too",
                )
    if name in _TOOLS and rule == name:
        for tool in _texts(value, ("tool", "tools", "all", "any")):
            family = None if tool in FAMILIES or set(tool) & set("*?[") else _family(tool)
            if family is not None:
                yield tell(
                    "one-tool", f"{tool!r} is one of several tools for it: say {family!r}, which means all of them"
                )


def _family(tool: str) -> str | None:
    return family_of("", tool) or next((found for agent in _AGENTS if (found := family_of(agent, tool))), None)


def _texts(value: Any, keys: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, keys)
    elif isinstance(value, dict):
        for key in keys:
            if key in value:
                yield from _texts(value[key], keys)
