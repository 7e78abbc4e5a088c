"""Leaf ids, criticality, and trees of any depth."""

from __future__ import annotations

import random

from pytest_ppteval.rubric.result import LeafResult
from pytest_ppteval.rubric.score import score_tree
from pytest_ppteval.rubric.tree import Node, Rubric, Scorer, Source

HERE = Source("r.json")


def leaf(name: str, *, critical: bool = False) -> Node:
    return Node(name, HERE, is_critical=critical, scorer=Scorer("function", {}, HERE))


def group(name: str, *children: Node, critical: bool = False) -> Node:
    return Node(name, HERE, is_critical=critical, children=children)


def ids(root: Node, *gates: Node) -> list[str]:
    return [one.id for one in Rubric(root, HERE, gates=gates).leaves]


def test_a_leaf_is_known_by_its_name() -> None:
    assert ids(group("root", leaf("Title"), group("Look", leaf("Font"), leaf("Size")))) == ["Title", "Font", "Size"]


def test_leaves_of_one_name_are_told_apart_by_their_parents() -> None:
    root = group("root", group("Title", leaf("Font")), group("Body", group("List", leaf("Font"))), leaf("Size"))
    assert ids(root) == ["Title / Font", "Body / List / Font", "Size"]


def test_a_number_tells_apart_what_parents_do_not() -> None:
    assert ids(group("root", leaf("A"), leaf("A"), leaf("A"))) == ["A", "A #2", "A #3"]
    root = group("root", group("P", leaf("A"), leaf("A")), group("P", leaf("A")))
    assert ids(root) == ["P / A", "P / A #2", "P / A #3"]


def test_names_that_look_like_made_up_ids_take_no_id_away() -> None:
    assert ids(group("root", leaf("A"), leaf("A #2"), leaf("A"))) == ["A", "A #2", "A #3"]
    assert ids(group("root", leaf("P / A"), group("P", leaf("A")), leaf("A"))) == ["P / A", "P / A #2", "A"]


def test_ids_are_unique_in_random_trees_of_few_names() -> None:
    rng = random.Random(11)
    names = ["A", "A #2", "A #3", "B", "B / A", "B / A #2", "root / A"]

    def grow(depth: int) -> Node:
        if depth == 0 or rng.random() < 0.4:
            return leaf(rng.choice(names))
        return group(rng.choice(names), *(grow(depth - 1) for _ in range(rng.randint(1, 5))))

    for _ in range(300):
        found = ids(group("root", grow(3), grow(3)), leaf("A"), leaf("budget: seconds"))
        assert len(set(found)) == len(found)


def test_a_leaf_is_critical_where_every_group_above_it_is() -> None:
    root = group(
        "root",  # not critical itself: that says nothing of what is below
        leaf("yes", critical=True),
        leaf("no"),
        group("must", leaf("also yes", critical=True), leaf("nor this"), critical=True),
        group("may", leaf("neither", critical=True)),
    )
    critical = {one.id for one in Rubric(root, HERE).leaves if one.is_critical}
    assert critical == {"yes", "also yes"}


def test_a_rubric_of_one_leaf() -> None:
    rubric = Rubric(leaf("all of it", critical=True), HERE)
    assert [(one.id, one.is_critical) for one in rubric.leaves] == [("all of it", True)]
    assert score_tree(rubric, {"all of it": LeafResult(status="scored", score=0.25)}).score == 0.25


def test_gates_come_last_and_are_critical() -> None:
    rubric = Rubric(group("root", leaf("A")), HERE, gates=(leaf("budget: seconds"),))
    assert [(one.id, one.is_critical, one.is_gate) for one in rubric.leaves] == [
        ("A", False, False),
        ("budget: seconds", True, True),
    ]


def test_a_tree_5000_levels_deep_is_walked_named_and_scored() -> None:
    node = leaf("deepest", critical=True)
    for level in range(5000):
        node = group(f"level {level}", leaf(f"side {level}"), node, critical=True)
    rubric = Rubric(node, HERE)
    assert len(list(rubric.root.walk())) == 10_001
    assert len(rubric.leaves) == 5001
    results = {one.id: LeafResult(status="scored", score=1.0) for one in rubric.leaves}
    assert score_tree(rubric, results).score == 1.0
    results["deepest"] = LeafResult(status="error", reason="boom")
    scored = score_tree(rubric, results)
    assert (scored.status, scored.low, scored.high) == ("error", 0.0, 1.0)
