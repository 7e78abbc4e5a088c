"""YAML text -> data with positions. Only what JSON can say: no tags, no merge keys, no dates, keys are text."""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

from pytest_ppteval.case.marks import MAX_NESTING, Duplicate, Key, Mark, Problem

# libyaml's parser, where PyYAML was built with it, is some 30 times as fast.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Aliases are expanded. An honest file repeats little; a bomb repeats its repetitions.
MAX_REPEATED = 10_000
_CORE = "tag:yaml.org,2002:"
# An anchor may stand before a tag.
_TAG = re.compile(r"(?:&\S+\s+)?(!\S*)")
_SCALARS = yaml.constructor.SafeConstructor()


def parse(text: str) -> tuple[Any, Mark, list[Duplicate]]:
    """The data of `text`, its marks, and the keys that are written twice. Raises Problem for what is refused."""
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.reader.ReaderError as error:
        # libyaml gives the place of a forbidden character, the Python reader too, as an offset.
        shown = f"U+{error.character:04X}" if isinstance(error.character, int) else repr(error.character)
        message = f"not valid YAML: character {shown} is not allowed: write it as an escape in double quotes"
        raise Problem(min(error.position, len(text) - 1), message) from None
    except yaml.MarkedYAMLError as error:
        place = error.problem_mark or error.context_mark
        at = min(place.index, len(text)) if place else 0
        raise Problem(at, _explain(text, error, at)) from None
    except RecursionError:
        raise Problem(0, f"nested more than {MAX_NESTING} levels deep: flatten the tree") from None
    if root is None:
        raise Problem(0, "the file holds no data: write a rubric, tasks or cases into it, or remove it")
    reader = _Reader(text)
    data, mark = reader.read(root, 0)
    return data, mark, reader.duplicates


def _explain(text: str, error: yaml.MarkedYAMLError, at: int) -> str:
    problem = error.problem or str(error)
    if "nesting" in problem:
        return f"nested more than {MAX_NESTING} levels deep: flatten the tree"
    if "undefined alias" in problem:
        return f"not valid YAML: {problem}: define it with & before its use"
    if "expected a single document" in f"{error.context} {problem}":
        return "not valid YAML: a second document starts here: keep one in a file"
    if text[at : at + 1] == "\t":
        return "not valid YAML: a tab: indent with spaces"
    return f"not valid YAML: {problem}: check quotes and indentation here and in the lines above"


class _Reader:
    """Turns composed nodes into data and marks; keeps count of what aliases repeat."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.duplicates: list[Duplicate] = []
        self._seen: set[int] = set()
        self._open: set[int] = set()  # lists and mappings that are being read
        self._repeated = 0

    def read(self, node: yaml.Node, depth: int) -> tuple[Any, Mark]:
        start = self._place(node)
        if id(node) in self._open:
            raise Problem(start, "an alias inside of what it stands for: write the values out")
        if id(node) in self._seen:
            self._repeated += 1
            if self._repeated > MAX_REPEATED:
                raise Problem(start, f"aliases repeat more than {MAX_REPEATED:,} values: write them out")
        self._seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, start), Mark(start, None, None)
        if depth >= MAX_NESTING:
            raise Problem(start, f"nested more than {MAX_NESTING} levels deep: flatten the tree")
        self._open.add(id(node))
        data, mark = self._inside(node, start, depth)
        self._open.remove(id(node))
        return data, mark

    def _inside(self, node: yaml.Node, start: int, depth: int) -> tuple[Any, Mark]:
        below: dict[Key, Mark] = {}
        if isinstance(node, yaml.SequenceNode):
            items = []
            for index, child in enumerate(node.value):
                value, below[index] = self.read(child, depth + 1)
                items.append(value)
            return items, Mark(start, None, below)
        data: dict[str, Any] = {}
        keys: dict[str, int] = {}
        assert isinstance(node, yaml.MappingNode)
        for key_node, child in node.value:
            key = self._key(key_node)
            at = key_node.start_mark.index
            if key in keys:
                self.duplicates.append(Duplicate(at, key, keys[key]))
            keys[key] = at
            data[key], below[key] = self.read(child, depth + 1)
        return data, Mark(start, keys, below)

    def _place(self, node: yaml.Node) -> int:
        """Where the node starts; refuses a tag on it."""
        start = int(node.start_mark.index)
        tag = _TAG.match(self.text, start)
        if tag:
            raise Problem(start, f"YAML tag {tag[1]} is not allowed: write plain text, numbers, lists and mappings")
        return start

    def _key(self, node: yaml.Node) -> str:
        start = self._place(node)
        if not isinstance(node, yaml.ScalarNode):
            raise Problem(start, "a key must be text, not a list or mapping")
        if node.tag == _CORE + "merge":
            raise Problem(start, "merge keys (<<) are not allowed: write the keys out")
        if node.tag == _CORE + "null":
            raise Problem(start, f'key {node.value or "~"} reads as null: quote it as "{node.value}"')
        return str(node.value)  # keys are text: `on:` and `2024:` mean what they say, whatever YAML 1.1 reads there

    def _scalar(self, node: yaml.ScalarNode, start: int) -> str | int | float | bool | None:
        kind = node.tag.removeprefix(_CORE)
        if kind in ("str", "timestamp", "value", "merge"):
            # A date stays the text that it is in JSON; so does a lone "=" or "<<".
            return str(node.value)
        if kind == "null":
            return None
        if kind == "bool":
            return bool(_SCALARS.construct_yaml_bool(node))
        try:
            number: int | float
            number = _SCALARS.construct_yaml_int(node) if kind == "int" else _SCALARS.construct_yaml_float(node)
        except ValueError:
            raise Problem(start, f"number {node.value[:20]} can't be read: quote it if it is text") from None
        if isinstance(number, float) and not math.isfinite(number):
            raise Problem(start, f"{node.value} is no finite number: write one, or quote it if it is text")
        return number
