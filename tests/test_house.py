"""The laws of the house, read from the imports of every module (docs/architecture.md draws it).

Imports for the type checker count too: what a module names in its types it knows.
"""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pytest_ppteval"
# Rooms (folders, or lone modules) from the ground up: each may use what stands in the lines before its own.
FLOORS = (
    "choices deck prose trace",
    "files look rubric",
    "case compare vocabulary",
    "leaf model",
    "sandbox",
    "picture",
    "evidence",
    "agent baseline",
    "grade",
    "verify",
    "__init__",  # the public face
    "runs",
    "report",
    "check",
    "session",
    "cli plugin",
)
# The sandbox is a house in the house: our side and theirs (`hosting`, `inside`) don't know each other.
SANDBOX = (
    "channel confine fast job launch patience text",
    "source",
    "hosting inside",
    "host",
    "__init__",
)
# What is imported, by whom alone (rooms or modules), and why.
ALONE = {
    "pytest": {"session", "report", "plugin"},
    "anthropic": {
        "model",
        "agent.builtin.model",  # the agent that comes with the package asks for itself: no judging, no recording
    },
    "subprocess": {
        "agent",  # starts agents
        "sandbox",  # starts what runs a rubric's code
        "picture",  # starts renderers
        "grade.rules.regex",  # a pattern of the user's, matched where it can be stopped
        "grade.rules.parses",  # a script of the agent's, parsed where that can be stopped, and never run
        "runs.facts",  # git, asked for the commit
        "check.office",  # LibreOffice, asked to save an approved output anew
    },
}
# Who runs code that is not its own.
RUNS_CODE = {
    "sandbox",
    "agent.builtin.inside",  # what the agent itself wrote for run_python, in a confined process
}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text("utf-8"))


@cache
def imported(module: str) -> frozenset[str]:
    """All that a module imports, anywhere in it: ours without the package's name before it, others by their first."""
    found: set[str] = set()
    for node in ast.walk(tree(module)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: write imports in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            first, _, rest = name.partition(".")
            if first != PACKAGE.name:
                found.add(first)
                continue
            whole = rest if rest in MODULES else rest.rpartition(".")[0]
            found.add(f"ours:{whole or '__init__'}")
    return frozenset(found)


def ours(module: str) -> set[str]:
    return {name.removeprefix("ours:") for name in imported(module) if name.startswith("ours:")} - {module}


def room(module: str) -> str:
    return module.partition(".")[0]


def belongs(module: str, places: set[str]) -> bool:
    return any(module == place or module.startswith(f"{place}.") for place in places)


def upwards(floors: tuple[str, ...], uses: dict[str, set[str]]) -> list[str]:
    """The imports that don't go down."""
    floor = {name: number for number, names in enumerate(floors) for name in names.split()}
    assert {room(module) for module in uses} == set(floor)
    return [
        f"{module} -> {other}"
        for module, others in uses.items()
        for other in others
        if room(other) != room(module) and floor[room(other)] >= floor[room(module)]
    ]


def test_each_room_uses_only_rooms_below_it() -> None:
    assert upwards(FLOORS, {module: ours(module) for module in MODULES}) == []


def test_each_part_of_the_sandbox_uses_only_those_below_it() -> None:
    def inner(module: str) -> str:
        return module.removeprefix("sandbox").removeprefix(".") or "__init__"

    uses = {
        inner(m): {inner(one) for one in ours(m) if room(one) == "sandbox"} for m in MODULES if room(m) == "sandbox"
    }
    assert upwards(SANDBOX, uses) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    try:
        TopologicalSorter({module: ours(module) for module in MODULES}).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


@pytest.mark.parametrize("library", ALONE)
def test_what_only_some_may_import(library: str) -> None:
    users = {module for module in MODULES if library in imported(module)}
    assert [module for module in sorted(users) if not belongs(module, ALONE[library])] == []
    assert [place for place in ALONE[library] if not any(belongs(module, {place}) for module in users)] == []


def test_only_the_sandbox_runs_a_rubric_s_code() -> None:
    running = {
        module
        for module in MODULES
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("exec", "eval")
    }
    assert [module for module in sorted(running) if not belongs(module, RUNS_CODE)] == []
    assert running, "nobody runs any: this test looks for the wrong thing"
