"""Writes the suite's rubrics from their sources: `python cases/make_rubrics.py [folder]`.

A rubric's leaf is Python inside a string of a YAML or JSON file, on its own: no leaf sees another's helpers. Written
by hand, such code can be neither read nor linted, and helpers are copied from leaf to leaf until they differ. So
here each leaf is a function of an ordinary module in rubrics/source/, and this script puts it into the file together
with those helpers, constants and imports that it needs, and no others.
"""

from __future__ import annotations

import ast
import importlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from types import ModuleType

HERE = Path(__file__).parent
SOURCES = HERE / "rubrics" / "source"
# Names that the engine gives to a leaf; sources import them from here for the linter's sake.
GIVEN = "leaf_globals"
KIT = "rubric_kit"  # leaf() and group(), which only say what the tree is


@dataclass(frozen=True)
class Definition:
    """Something at the top of a source module: its text, and the names that the text uses."""

    text: str
    uses: frozenset[str]
    is_import: bool = False


def definitions(name: str) -> dict[str, Definition]:
    """Everything that module `name` of rubrics/source defines or imports, in order, by name."""
    text = (SOURCES / f"{name}.py").read_text(encoding="utf-8")
    found: dict[str, Definition] = {}
    for node in ast.parse(text).body:
        segment = ast.get_source_segment(text, node) or ""
        if isinstance(node, ast.ImportFrom) and node.module in (GIVEN, KIT, "__future__"):
            continue
        if isinstance(node, ast.ImportFrom) and (SOURCES / f"{node.module}.py").exists():
            helpers = definitions(str(node.module))
            found = helpers | found
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                start = f"from {node.module} import" if isinstance(node, ast.ImportFrom) else "import"
                found[alias.asname or alias.name] = Definition(f"{start} {alias.name}", frozenset(), is_import=True)
        elif isinstance(node, ast.FunctionDef):
            lines = text.splitlines(keepends=True)
            # The segment of a function leaves its decorators out.
            above = "".join(lines[one.lineno - 1] for one in node.decorator_list)
            _refuse_twice(name, node.name, found)
            found[node.name] = Definition(above + segment, _names(node))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for one in ast.walk(target):
                    if isinstance(one, ast.Name):
                        _refuse_twice(name, one.id, found)
                        found[one.id] = Definition(segment, _names(node.value))
    return found


def _refuse_twice(module: str, name: str, found: dict[str, Definition]) -> None:
    # In a leaf's code there is one namespace: a module's own name would replace that of a helper in the helper too.
    if name in found:
        raise SystemExit(f"rubrics/source/{module}.py: {name} is also a name of one of its helpers; rename one of them")


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name))


def leaf_code(function: str, known: dict[str, Definition]) -> str:
    """The whole code of a leaf: the function as compute_score, and what it needs."""
    needed, todo = set(), [function]
    while todo:
        name = todo.pop()
        if name in known and name not in needed:
            needed.add(name)
            todo.extend(known[name].uses)
    imports = sorted({known[name].text for name in needed if known[name].is_import})
    own = known[function].text.replace(f"def {function}(", "def compute_score(", 1)
    # By text: one statement may define several names.
    helpers = dict.fromkeys(
        one.text for name, one in known.items() if name in needed and name != function and not one.is_import
    )
    blocks = ["\n".join(imports)] if imports else []
    return "\n\n\n".join([*blocks, own, *helpers]) + "\n"


def rubric(module: ModuleType, goal: str) -> dict[str, object]:
    """A source module as a rubric."""
    name = module.__name__
    known = definitions(name)
    groups = []
    for group_name, description, critical, leaves in module.TREE:
        children = []
        for function, leaf_name, leaf_critical in leaves:
            children.append(
                {
                    "name": leaf_name,
                    "description": " ".join((function.__doc__ or "").split()),
                    "is_critical": leaf_critical,
                    "scorer": {"type": "function", "function_code": leaf_code(function.__name__, known)},
                }
            )
        groups.append({"name": group_name, "description": description, "is_critical": critical, "children": children})
    # Only tasks with looks have one: all else must score 1.
    threshold = {"threshold": module.THRESHOLD} if hasattr(module, "THRESHOLD") else {}
    return {
        "root": {"name": module.NAME, "description": module.DESCRIPTION, "is_critical": True, "children": groups},
        "metadata": {
            "task": goal,
            "compute_strategy": "default",
            "non_critical_weight": 0.3,
            **threshold,
            "written_from": f"cases/rubrics/source/{name}.py",
        },
    }


class _Dumper(yaml.SafeDumper):
    """Code as block scalars, so that it reads as code."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def write(folder: Path) -> list[Path]:
    """Write every rubric of tasks.json into `folder`, in the form that its rubric_path names."""
    sys.path.insert(0, str(SOURCES))
    tasks = json.loads((HERE / "tasks.json").read_text(encoding="utf-8"))
    written = []
    for task_id, task in tasks.items():
        path = folder / Path(task["rubric_path"]).name
        # Named by the deck: ids may be in any script, module names had better not.
        source = f"{Path(task['file_path']).stem}_{task_id.rpartition('-')[2]}"
        data = rubric(importlib.import_module(source), task["goal"])
        if path.suffix == ".json":
            text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        else:
            head = f"# Written by cases/make_rubrics.py from cases/rubrics/source/{source}.py: edit that file.\n"
            text = head + yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=118)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "rubrics")
