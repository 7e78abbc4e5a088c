"""Rubric files: what loads, and every kind of mistake with its exact message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.case.document import parse_document
from pytest_ppteval.case.model import FormatError
from pytest_ppteval.case.rubrics import load_rubric, rubric_of
from pytest_ppteval.rubric.tree import Rubric

if TYPE_CHECKING:
    from pathlib import Path

CODE = 'def compute_score():\n    return "found", 1.0\n'
LEAF: dict[str, Any] = {"name": "L", "scorer": {"type": "function", "function_code": CODE}}


def read(text: str, *, yaml: bool = False) -> Rubric:
    return rubric_of(parse_document(text, "r", yaml=yaml))


def messages(text: str, *, yaml: bool = False) -> list[str]:
    with pytest.raises(FormatError) as caught:
        read(text, yaml=yaml)
    return [str(error) for error in caught.value.all]


JSON_RUBRIC = """\
{
  "root": {
    "name": "All",
    "description": "The title is right.",
    "metadata": {"author": "me"},
    "children": [
      {
        "name": "Title",
        "description": "",
        "is_critical": true,
        "children": [
          {
            "name": "Font",
            "is_critical": true,
            "scorer": {"type": "function", "function_code": "def compute_score():\\n    return 'ok', 1\\n"},
            "score": 0.0,
            "reason": "an earlier run's"
          }
        ],
        "score": 1.5,
        "reason": null
      },
      {
        "name": "Tone",
        "scorer": {
          "type": "llm",
          "system_prompt": "You judge.",
          "user_prompt": "Is it kind?"
        }
      }
    ]
  },
  "metadata": {"task": "Make it kind.", "non_critical_weight": 0.3, "critical_node_weight": 0.7, "anything": [1]}
}
"""
YAML_RUBRIC = """\
root:
  name: All
  description: The title is right.
  metadata: {author: me}
  children:
    - name: Title
      description: ""
      is_critical: true
      children:
        - name: Font
          is_critical: yes
          scorer:
            type: function
            function_code: |
              def compute_score():
                  return 'ok', 1
          score: 0.0
    - name: Tone
      scorer: {type: llm, system_prompt: You judge., user_prompt: "Is it kind?"}
metadata:
  task: Make it kind.
  non_critical_weight: 0.3
  critical_node_weight: 0.7
  anything: [1]
"""


def test_a_rubric_in_json() -> None:
    rubric = read(JSON_RUBRIC)
    assert rubric.metadata["task"] == "Make it kind."
    names = [(n.name, n.is_critical, n.description, n.source.line, n.source.column) for n in rubric.root.walk()]
    assert names == [
        ("All", False, "The title is right.", 2, 11),
        ("Title", True, "", 7, 7),
        ("Font", True, "", 12, 11),
        ("Tone", False, "", 23, 7),
    ]
    font, tone = rubric.leaves
    assert font.scorer.type == "function"
    assert font.scorer.args == {"function_code": "def compute_score():\n    return 'ok', 1\n"}
    assert (font.scorer.source.line, font.scorer.source.column) == (15, 61)
    assert tone.scorer.args == {"system_prompt": "You judge.", "user_prompt": "Is it kind?"}
    assert tone.scorer.source.line == 28
    assert rubric.root.metadata == {"author": "me"}
    assert rubric.gates == ()


def test_the_same_rubric_in_yaml() -> None:
    one, other = read(JSON_RUBRIC), read(YAML_RUBRIC, yaml=True)
    assert other.metadata == one.metadata

    def plain(rubric: Rubric) -> list[object]:
        return [
            (n.name, n.description, n.is_critical, n.metadata, n.scorer and (n.scorer.type, n.scorer.args))
            for n in rubric.root.walk()
        ]

    assert plain(other) == plain(one)
    assert other.leaves[0].scorer.source.line == 14


def test_stale_scores_are_nowhere_in_the_tree() -> None:
    assert "earlier" not in repr(read(JSON_RUBRIC))


def test_a_leaf_alone_is_a_rubric() -> None:
    assert [leaf.id for leaf in read(json.dumps({"root": LEAF})).leaves] == ["L"]


def test_code_is_taken_as_it_is() -> None:
    """Fences, syntax errors and missing functions are the leaf's business, when it is judged."""
    for code in ("", "```python\ndef compute_score(): ...\n```", "def (", "x = 1"):
        leaf = {"name": "L", "scorer": {"type": "function", "function_code": code}}
        assert read(json.dumps({"root": leaf})).leaves[0].scorer.args["function_code"] == code


def test_a_rubric_as_deep_as_documents_may_be() -> None:
    node = LEAF
    for level in range(195):
        node = {"name": f"level {level}", "children": [node]}
    assert len(list(read(json.dumps({"root": node})).root.walk())) == 196


def test_load_rubric_names_the_file_as_told(tmp_path: Path) -> None:
    path = tmp_path / "a.rubric.yml"
    path.write_text(YAML_RUBRIC, encoding="utf-8")
    assert load_rubric(path, "rubrics/a").root.source.path == "rubrics/a"
    assert load_rubric(path).root.source.path == str(path)


def node(**fields: object) -> str:
    """A rubric on one line whose root (from column 10) has these fields."""
    return json.dumps({"root": fields})


SCORER = {"type": "function", "function_code": "x"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", ["1:1: the file must be an object, not a list"]),
        ("null", ["1:1: the file must be an object, not null"]),
        ('{"metadata": {}}', ["1:1: 'root' is missing: a rubric needs it"]),
        (
            '{"roots": 1}',
            ["1:1: 'root' is missing: a rubric needs it", "1:2: unknown key 'roots' in a rubric: did you mean 'root'?"],
        ),
        ('{"root": "x"}', ["1:10: 'root' must be an object, not 'x'"]),
        (node(name="A"), ["1:10: node 'A' has neither 'children' nor 'scorer': give it one"]),
        (
            node(name="A", children=[LEAF], scorer=SCORER),
            ["1:10: node 'A' has both 'children' and 'scorer': keep one"],
        ),
        (node(name="A", children=[]), ["1:36: 'children' is empty: give it at least one member"]),
        (node(name="A", children={}), ["1:36: 'children' must be a list, not an object"]),
        (
            node(name="A", children=[LEAF, 5]),
            [f"1:{37 + len(json.dumps(LEAF)) + 2}: member 2 of 'children' must be an object, not 5"],
        ),
        (node(scorer=SCORER), ["1:10: 'name' is missing: a node needs it"]),
        (node(name="", scorer=SCORER), ["1:19: 'name' is empty: write something"]),
        (node(name=7, scorer=SCORER), ["1:19: 'name' must be text, not 7"]),
        (
            node(is_critcal=True, name="A", scorer=SCORER),
            ["1:11: unknown key 'is_critcal' in a node: did you mean 'is_critical'?"],
        ),
        (
            node(zzz=True, name="A", scorer=SCORER),
            [
                (
                    "1:11: unknown key 'zzz' in a node: known are 'name', 'description', 'is_critical', 'metadata', "
                    "'children', 'scorer', 'deck', 'changes', 'guard', 'score' and 'reason'"
                )
            ],
        ),
        (node(is_critical=1, name="A", scorer=SCORER), ["1:26: 'is_critical' must be true or false, not 1"]),
        (node(metadata=[], name="A", scorer=SCORER), ["1:23: 'metadata' must be an object, not a list"]),
        (node(name="A", scorer=None), ["1:34: 'scorer' must be an object, not null"]),
        (node(name="A", scorer={}), ["1:34: 'type' is missing: a scorer needs it"]),
        (
            node(name="A", scorer={"type": "fucntion"}),
            ["1:43: 'type' is 'fucntion': did you mean 'function'? Known are 'function', 'llm' and 'deck'"],
        ),
        (node(name="A", scorer={"type": "xyz"}), ["1:43: 'type' is 'xyz': known are 'function', 'llm' and 'deck'"]),
        (node(name="A", scorer={"type": ["llm"]}), ["1:43: 'type' is a list: known are 'function', 'llm' and 'deck'"]),
        (
            node(name="A", scorer={"type": "function"}),
            ["1:34: 'function_code' is missing: a function scorer needs it"],
        ),
        (
            node(name="A", scorer={"type": "function", "function_code": ["x"]}),
            ["1:72: 'function_code' must be text, not a list"],
        ),
        (
            node(name="A", scorer={"type": "function", "function_code": "x", "functon_code": "y"}),
            ["1:77: unknown key 'functon_code' in a function scorer: did you mean 'function_code'?"],
        ),
        (
            node(name="A", scorer={"type": "llm", "user_prompt": "x"}),
            ["1:34: 'system_prompt' is missing: a model scorer needs it"],
        ),
    ],
)
def test_mistakes_in_nodes(text: str, expected: list[str]) -> None:
    assert messages(text) == [f"r:{one}" for one in expected]


def with_metadata(**metadata: object) -> str:
    """A rubric whose metadata stands on the second line, from column 14."""
    return json.dumps({"root": LEAF})[:-1] + ',\n "metadata": ' + json.dumps(metadata) + "}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (with_metadata(threshold=1.5), ["2:28: 'threshold' is 1.5: it must lie in 0..1"]),
        (with_metadata(threshold=-1), ["2:28: 'threshold' is -1: it must lie in 0..1"]),
        (with_metadata(threshold="1"), ["2:28: 'threshold' must be a number, not '1'"]),
        (with_metadata(threshold=True), ["2:28: 'threshold' must be a number, not true"]),
        (with_metadata(non_critical_weight=2), ["2:38: 'non_critical_weight' is 2: it must lie in 0..1"]),
        (
            with_metadata(compute_strategy="mind2web"),
            [("2:35: 'compute_strategy' is 'mind2web': did you mean 'mind2web2'? Known are 'default' and 'mind2web2'")],
        ),
        (with_metadata(strategy="x"), ["2:27: 'strategy' is 'x': known are 'default' and 'mind2web2'"]),
        (
            with_metadata(compute_strategy="default", strategy="mind2web2"),
            ["2:46: 'strategy' and 'compute_strategy' differ, they mean the same: keep one"],
        ),
        (with_metadata(unscored="ignore"), ["2:27: 'unscored' is 'ignore': known are 'error' and 'allow'"]),
        (
            with_metadata(treshold=1),
            ["2:15: unknown setting 'treshold': did you mean 'threshold'? If not, choose a name less like it"],
        ),
        (
            with_metadata(note=1, **{"Non-Critical-Weight": 1}),
            [
                (
                    "2:26: unknown setting 'Non-Critical-Weight': did you mean 'non_critical_weight'? "
                    "If not, choose a name less like it"
                )
            ],
        ),
        (
            with_metadata(budget={"second": 1}),
            ["2:26: unknown key 'second' in a budget: did you mean 'seconds'?"],
        ),
    ],
)
def test_mistakes_in_settings(text: str, expected: list[str]) -> None:
    assert messages(text) == [f"r:{one}" for one in expected]


def test_every_mistake_of_a_file_is_named_in_its_order() -> None:
    text = """\
{"root": {"name": "A", "children": [
  {"nam": "B", "scorer": {"type": "function", "function_code": 1}},
  {"name": "C", "children": [{"name": "D"}]},
  {"name": "E", "is_critical": "yes", "scorer": {"type": "llm"}}]},
 "metadata": {"unscored": 1}}"""
    assert messages(text) == [
        "r:2:3: 'name' is missing: a node needs it",
        "r:2:4: unknown key 'nam' in a node: did you mean 'name'?",
        "r:2:64: 'function_code' must be text, not 1",
        "r:3:30: node 'D' has neither 'children' nor 'scorer': give it one",
        "r:4:32: 'is_critical' must be true or false, not 'yes'",
        "r:4:49: 'system_prompt' is missing: a model scorer needs it",
        "r:4:49: 'user_prompt' is missing: a model scorer needs it",
        "r:5:27: 'unscored' is 1: known are 'error' and 'allow'",
    ]


def test_words_that_yaml_reads_as_something_else() -> None:
    text = "root:\n  name: No\n  scorer: {type: function, function_code: x}\n"
    assert messages(text, yaml=True) == [
        "r:2:9: 'name' must be text, not false: quote it, YAML reads the bare word as something else"
    ]


def test_free_keys_stay_free() -> None:
    metadata = {"tasks": 1, "subtask": 2, "author": "x", "strategic_notes": "y", "thread": 1, "difficulty": "Hard"}
    assert read(with_metadata(**metadata)).metadata == metadata
