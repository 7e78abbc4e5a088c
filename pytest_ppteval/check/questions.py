"""What is asked of a model: whether it must be, and whether an answer to it can be believed."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from pytest_ppteval.check.finding import Finding
from pytest_ppteval.sandbox.source.code import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.rubric.tree import Leaf

_CALLS = ("vlm_call", "llm_call")
# What the vocabulary measures, in the words of whoever asks for it.
_MEASURED = re.compile(
    r"\bfont size|\bfont (?:name|family)|\bpoints?\b.*\bsize|\b(?:bold|italic|underlined)\b|\bhow many\b|\bnumber of "
    r"(?:slides|rows|columns|bullets|shapes)|\b(?:left|right|centre|center)[- ]aligned|\bhyperlink"
    r"|\bexact(?:ly)? (?:text|words)"
    r"|字号|字体|加粗|多少[张页个]|超链接|左对齐|右对齐|居中",
    re.IGNORECASE,
)
_SAYS_YES = re.compile(
    r"\byes\b|\bno\b|是|否|score|0\s*(?:to|-|–|and|or)\s*1|json|true|false|分"
    r"|\b(?:answer|reply|respond|say)\b[^.]{0,40}['\"]|回答",
    re.IGNORECASE,
)
_SLIDE = re.compile(r"\bslide\s+(\d{1,3})\b|第\s*(\d{1,3})\s*[页张]", re.IGNORECASE)


def findings(leaf: Leaf, task: str) -> Iterator[Finding]:
    """Everything about the questions of a function leaf or of one of type llm."""
    if leaf.scorer.type == "llm":
        text = " ".join(str(leaf.scorer.args.get(key, "")) for key in ("system_prompt", "user_prompt"))
        yield from _of_text(leaf, task, text, [])
        return
    tree = parse(str(leaf.scorer.args.get("function_code", "")))
    for call in ast.walk(tree) if tree is not None else ():
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _CALLS:
            yield from _of_text(leaf, task, _said(tree, call), _indices(call))


def _of_text(leaf: Leaf, task: str, text: str, sent: list[int]) -> Iterator[Finding]:
    def tell(rule: str, message: str) -> Finding:
        return Finding(rule, leaf.scorer.source, f"{task}: {leaf.id!r}: {message}", task, leaf.id)

    if not text.strip():
        return
    if not _SAYS_YES.search(text):
        yield tell(
            "unclear-question", "the question does not say what to answer: what YES means, or what scale is meant"
        )
    if found := _MEASURED.search(text):
        yield tell(
            "asks-a-model", f"a model is asked about {found[0]!r}, which a deck leaf can tell (docs/vocabulary.md)"
        )
    spoken = {int(one or other) for one, other in _SLIDE.findall(text)}
    pictured = {index + 1 for index in sent}
    if spoken and pictured and not spoken & pictured:
        told, shown = (", ".join(map(str, sorted(numbers))) for numbers in (spoken, pictured))
        yield tell("wrong-pictures", f"the question speaks of slide {told} and sends the picture of slide {shown}")


def _said(tree: ast.AST | None, call: ast.Call) -> str:
    """The text of a question, as far as it stands in the code: of the call itself, and of names that it uses."""
    texts = _texts(call)
    names = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id in names for one in node.targets):
            texts += [
                one.value
                for one in ast.walk(node.value)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
    return " ".join(texts)


def _texts(tree: ast.AST) -> list[str]:
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _indices(call: ast.Call) -> list[int]:
    """The numbers, from 0, of the pictures that a call sends, where they are written out."""
    return [
        node.slice.value
        for node in ast.walk(call)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id.endswith("_screenshots")
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, int)
    ]
