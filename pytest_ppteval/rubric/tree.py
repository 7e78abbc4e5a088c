"""What a rubric is: a tree of nodes whose leaves are judged.

The shape is PPT-Eval's (microsoft/ppteval, arXiv 2606.31154): a node has children or a scorer, never both. A scorer's
`type` names the module of `grade/` that judges it; the tree itself knows no type.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_ppteval.prose.shown import shown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_LONGEST_ID = 400


@dataclass(frozen=True, slots=True)
class Source:
    """Where something is written. `line` and `column` count from 1; `path` is as the user gave it."""

    path: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Scorer:
    """How a leaf is judged: the `type` and whatever fields that type asks for (`function_code`, `user_prompt`, ...).

    `source` is where the scorer's main text starts: for a function, the value of `function_code`.
    """

    type: str
    args: Mapping[str, Any]
    source: Source


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a rubric: a group (`children`) or a leaf (`scorer`)."""

    name: str
    source: Source
    description: str = ""
    is_critical: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    children: tuple[Node, ...] = ()
    scorer: Scorer | None = None

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents first, in the order of the file. Not recursive: trees may be deep."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf with its address.

    id: unique in its task: the node's name; where two leaves share one, the names of the parents come before it
        ("Title / Font"), and a number after it where that is not enough ("Font #2"), the first one that is free.
        One of more than 400 characters lacks its middle: it stands in lines of reports.
    is_critical: the leaf is critical and so is every group above it (the root aside): falling short fails the task.
    is_gate: the leaf gates the verdict without taking part in the score (budgets).
    """

    id: str
    node: Node
    is_critical: bool
    is_gate: bool = False

    @property
    def scorer(self) -> Scorer:
        """The node's scorer; a leaf always has one."""
        assert self.node.scorer is not None
        return self.node.scorer


@dataclass(frozen=True)
class Rubric:
    """A whole rubric: the scored tree under `root`, and `gates`, leaves that only gate the verdict."""

    root: Node
    source: Source
    metadata: Mapping[str, Any] = field(default_factory=dict)
    gates: tuple[Node, ...] = ()

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """Every leaf, gates last, in the order of the file."""
        found = [*_leaf_paths(self.root), *((gate, (), True) for gate in self.gates)]
        names = Counter(node.name for node, _, _ in found)
        taken: set[str] = set()
        numbers: Counter[str] = Counter()
        leaves = []
        gates = set(map(id, self.gates))
        for node, parents, critical in found:
            name = _short(shown_name(node.name if names[node.name] == 1 else " / ".join((*parents, node.name))))
            unique = name
            numbers[name] += 1
            while unique in taken:  # a leaf may itself be named "Font #2"
                numbers[name] += unique != name
                unique = f"{name} #{max(2, numbers[name])}"
            taken.add(unique)
            leaves.append(Leaf(unique, node, critical, is_gate=id(node) in gates))
        return tuple(leaves)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_ID else f"{name[:300]}…{name[-99:]}"


def _leaf_paths(root: Node) -> Iterator[tuple[Node, tuple[str, ...], bool]]:
    """Each leaf with the names above it (the root's left out) and whether the whole chain is critical."""
    stack: list[tuple[Node, tuple[str, ...], bool]] = [(root, (), True)]
    while stack:
        node, parents, critical = stack.pop()
        if node is not root:
            critical = critical and node.is_critical
        if not node.children:
            yield node, parents, critical if node is not root else node.is_critical
            continue
        below = parents if node is root else (*parents, node.name)
        stack.extend((child, below, critical) for child in reversed(node.children))
