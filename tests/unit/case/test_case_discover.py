"""Which files are ours, and the one door to all loaders."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_ppteval.case.discover import Kind, kind_of
from pytest_ppteval.case.load import load

RUBRIC = '{"root": {"name": "L", "scorer": {"type": "function", "function_code": "x"}}}'
REGISTRY = '{"a": {"goal": "g", "file_path": "d.pptx", "rubric_path": "suite/r.json"}}'


@pytest.mark.parametrize(
    ("name", "text", "unnamed", "named"),
    [
        ("a.rubric.json", RUBRIC, "rubric", "rubric"),
        ("a.rubric.json", RUBRIC[:30], "rubric", "rubric"),  # cut off: its loader says so
        ("a.rubric.yaml", "root:\n  name: x\n", "rubric", "rubric"),
        ("a.rubric.yml", "is_critical: true", "rubric", "rubric"),
        # Such names are used by others too.
        ("grading.rubric.json", '{"foo": 1}', None, "rubric"),
        ("grading.rubric.json", '{"text": "the \\"root\\": of it"}', None, "rubric"),
        ("a.rubric.json", "not even JSON", None, "rubric"),
        ("a.rubric.yaml", "", None, "rubric"),
        ("a.case.yaml", "id: a\nexpected_behavior: []\n", "case", "case"),
        ("a.case.json", '{"cases": [{"prompt": "p", "human": []}]}', "case", "case"),
        ("a.case.yml", "- prompt: p\n  rubric: r.json\n", "case", "case"),
        ("login.case.yaml", "name: foo\n", None, "case"),
        ("login.case.yaml", "prompt: Log in\n", None, "case"),
        ("tasks.json", REGISTRY, "registry", "registry"),
        ("tasks.json", '{"version": "2.0.0", "tasks": []}', None, "registry"),  # as editors keep them
        ("other.json", REGISTRY, None, "registry"),
        ("other.yaml", "a:\n  rubric_path: x\n", None, "registry"),
        ("other.json", RUBRIC, None, "rubric"),
        ("other.json", RUBRIC.replace('"x"', '"d = {\\"rubric_path\\": 1}"'), None, "rubric"),
        ("other.yml", "root:\n  name: x\n", None, "rubric"),
        ("package.json", '{"name": "x"}', None, "rubric"),  # whose loader then says what is wrong
        ("broken.json", "{", None, "rubric"),
        ("task.json", '{"task_id": "x"}', None, "task"),  # no rubric beside it
        ("my_task.json", '{"task_id": "x"}', None, "task"),
        ("test_a.py", REGISTRY, None, None),
        ("notes.txt", RUBRIC, None, None),
        ("a.rubric.toml", "", None, None),
    ],
)
def test_kinds(tmp_path: Path, name: str, text: str, unnamed: str | None, named: str | None) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert kind_of(path, named=False) == unnamed
    assert kind_of(path, named=True) == named


@pytest.mark.parametrize("rubric", ["rubric.json", "rubric.yaml", "rubric.yml", "grading_rubric.json"])
def test_a_task_json_is_ours_with_a_rubric_beside_it(tmp_path: Path, rubric: str) -> None:
    (tmp_path / rubric).write_text("")
    (tmp_path / "task.json").write_text('{"foo": 1, "goal": "win"}')
    assert kind_of(tmp_path / "task.json", named=False) is None, "it is another program's"
    (tmp_path / "task.json").write_text('{"goal": "g", "file_path": "d.pptx"}')
    assert kind_of(tmp_path / "task.json", named=False) == "task"
    assert kind_of(tmp_path / rubric, named=False) is None, "it belongs to its task"


def test_it_raises_for_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "tasks.json")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "latin.json").write_bytes(b'{"\xe9": 1}')
    for name in ("tasks.json", "folder.json", "latin.json", "absent.json", "nul\0.json", "x" * 5000 + ".json"):
        kind_of(tmp_path / name, named=False)
        kind_of(tmp_path / name, named=True)


def test_asking_imports_no_parser() -> None:
    code = (
        "import sys; from pathlib import Path; from pytest_ppteval.case.discover import kind_of;"
        "kind_of(Path('tasks.json'), named=True);"
        "print([m for m in ('yaml', 'jsonschema', 'json', 'difflib', 'pptx', 'lxml') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=_root(), check=True)
    assert done.stdout.strip() == "[]"


def _root() -> Path:
    return Path(__file__).parents[3]


def test_load_reads_each_kind(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "tasks.json").write_text(REGISTRY)
    (suite / "r.json").write_text(RUBRIC)
    (suite / "rubric.json").write_text(RUBRIC)
    (suite / "task.json").write_text(json.dumps({"task_id": "t", "goal": "g", "file_path": "d.pptx"}))
    assert [case.id for case in load(suite / "tasks.json", "registry").cases] == ["a"]
    assert [case.id for case in load(suite / "task.json", "task").cases] == ["t"]
    found = load(suite / "r.json", "rubric", original=suite / "d.pptx", base=tmp_path)
    assert [(case.id, case.original, str(case.source)) for case in found.cases] == [
        ("r", suite / "d.pptx", f"suite{os.sep}r.json:1")
    ]


@pytest.mark.parametrize("kind", ["registry", "task", "rubric"])
def test_load_gives_errors_back(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "f.json"
    path.write_text("{")
    found = load(path, kind, base=tmp_path)  # type: ignore[arg-type]  # parametrize has no Literal
    assert found.cases == ()
    assert [str(error) for error in found.errors] == [
        "f.json:1:2: not valid JSON: the text ends too early: close what is open"
    ]


def test_load_raises_for_no_damage_at_all(tmp_path: Path) -> None:
    """Files cut short and spoilt at random: whatever comes of it, it is cases or errors, each one line."""
    rng = random.Random(5)
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "r.json").write_text(RUBRIC)
    yaml = "root:\n  name: &a x\n  children:\n  - {name: *a, scorer: {type: function, function_code: 'x'}}\n"
    yaml += 'metadata: {threshold: 0.5, budget: {seconds: 1}, "k": [yes, ~, 1e3, 2020-01-01]}\n'
    spice = [*'{}[]":,\\\n\t-&*!|>?#%@`~=\0\x85\u2028\ufeff😀é', "\\ud800", "NaN", "1e999", "<<", ""]
    kinds: list[tuple[Kind, str, str]] = [
        ("registry", "tasks.json", REGISTRY),
        ("rubric", "a.json", RUBRIC),
        ("rubric", "a.yaml", yaml),
        ("rubric", "b.yaml", RUBRIC),
        ("task", "task.json", '{"task_id": "t", "goal": "g", "file_path": "d.pptx", "tags": ["a"], "metadata": {}}'),
    ]
    (tmp_path / "suite" / "whole.yaml").write_text(yaml)
    assert load(tmp_path / "suite" / "whole.yaml", "rubric").errors == (), "what is damaged below was right before"
    damaged = 0
    for round_number in range(150):
        for kind, name, text in kinds:
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(text) + 1)
                cut = rng.choice((0, 0, 1, 1, 3, 20))
                text = text[:at] + rng.choice(spice) + text[at + cut :]
            raw = text.encode("utf-8", "surrogatepass")
            if round_number % 20 == 0:
                raw = raw[:5] + bytes([rng.randrange(128, 256)]) + raw[5:]
            path = tmp_path / "suite" / name
            path.write_bytes(raw)
            found = load(path, kind, base=tmp_path)
            assert bool(found.cases) != bool(found.errors), text
            for error in found.errors:
                damaged += 1
                assert re.match(rf"suite/{re.escape(name)}:\d+:\d+: [^\n]+$", str(error)), str(error)
                lines = raw.decode("utf-8", "replace").split("\n")
                assert 1 <= error.source.line <= len(lines)
                assert 1 <= error.source.column <= len(lines[error.source.line - 1]) + 1
    assert damaged > 300


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_registry_in_utf_16_is_known_for_one(tmp_path: Path, encoding: str) -> None:
    """The loader refuses it, with the remedy; passed over, its tasks would vanish."""
    path = tmp_path / "tasks.json"
    path.write_bytes('{"t": {"rubric_path": "x"}}'.encode(encoding))
    assert kind_of(path, named=False) == "registry"
    path.write_bytes('{"tasks": []}'.encode(encoding))
    assert kind_of(path, named=False) is None
