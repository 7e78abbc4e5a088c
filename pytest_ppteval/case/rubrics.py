"""Rubric files: a document in PPT-Eval's form becomes a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.case.document import read_document
from pytest_ppteval.case.model import FormatError
from pytest_ppteval.case.settings import METADATA_KEYS, budget_gates, setting_problems
from pytest_ppteval.case.validate import find_problems, raise_all
from pytest_ppteval.rubric.tree import Node, Rubric, Scorer

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.case.document import Document
    from pytest_ppteval.case.marks import Key, Mark
    from pytest_ppteval.rubric.tree import Source

# The field of a scorer whose text its errors point into.
_MAIN_FIELD = {"function": "function_code", "llm": "user_prompt", "deck": "deck"}
# Keys of a node that stand for a scorer of type "deck" with that field.
SHORT_FORMS = ("deck", "changes", "guard")


def load_rubric(path: Path, display: str | None = None) -> Rubric:
    """The rubric in the JSON or YAML file at `path`, shown as `display` in errors and positions.

    Scores and reasons that an earlier run left in the file are passed over. The code of leaves is neither run nor
    parsed: what is wrong with it is that leaf's error when it is judged.
    Raises FormatError, with every problem of the file in `all`.
    """
    return rubric_of(read_document(path, display))


def rubric_of(document: Document) -> Rubric:
    """The rubric that `document` holds; see load_rubric."""
    raise_all(_problems(document))
    return Rubric(
        _node(document, document.data["root"], document.find(("root",)), document.data.get("helpers", "")),
        document.source(),
        document.data.get("metadata", {}),
        budget_gates(document, ("metadata",)),
    )


def _problems(document: Document) -> list[FormatError]:
    errors = find_problems(document, "rubric")
    if not errors:
        errors += setting_problems(document, ("metadata",), METADATA_KEYS)
    if isinstance(document.data, dict) and "root" in document.data:
        stack: list[tuple[tuple[Key, ...], Any]] = [(("root",), document.data["root"])]
        while stack:
            path, node = stack.pop()
            errors += find_problems(document, "node", path)
            children = node.get("children") if isinstance(node, dict) else None
            if isinstance(children, list):
                stack += [((*path, "children", index), child) for index, child in enumerate(children)]
    return sorted(errors, key=lambda error: (error.source.line, error.source.column))


def _node(document: Document, data: dict[str, Any], mark: Mark, helpers: str) -> Node:
    """A node with all below it. helpers: code for all function leaves.

    Recursive: documents are nested MAX_NESTING levels at most, two to a node.
    """
    below = mark.below or {}
    children: tuple[Node, ...] = ()
    scorer = None
    if "children" in data:
        marks = below["children"].below or {}
        children = tuple(_node(document, child, marks[index], helpers) for index, child in enumerate(data["children"]))
    elif short := next((key for key in SHORT_FORMS if key in data), None):
        scorer = Scorer("deck", {short: data[short]}, document.at(below[short].start))
    else:
        fields = data["scorer"]
        place = below["scorer"]
        main = (place.below or {}).get(_MAIN_FIELD[fields["type"]], place)
        args = {key: value for key, value in fields.items() if key != "type"}
        if helpers and fields["type"] == "function":
            source = document.at(main.start)
            args["function_code"] = _with_helpers(source, args["function_code"], helpers)
        scorer = Scorer(fields["type"], args, document.at(main.start))
    return Node(
        data["name"],
        document.at(mark.start),
        data.get("description", ""),
        data.get("is_critical", False),
        data.get("metadata", {}),
        children,
        scorer,
    )


def _with_helpers(source: Source, code: str, helpers: str) -> str:
    """A leaf's code with the rubric's helpers below it, so that its own lines keep their numbers."""
    if code.lstrip().startswith("```"):
        raise FormatError(source, "code in a ``` fence can't use the rubric's helpers: take the fence off")
    return f"{code.rstrip()}\n\n\n{helpers.strip()}\n"
