"""What a leaf's code tells of it, without being run."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import itertools
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.case.source import find_code
from pytest_ppteval.check.finding import Finding
from pytest_ppteval.sandbox.launch import PACKAGES
from pytest_ppteval.sandbox.source.code import parse, without_fence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.rubric.tree import Leaf

# What a leaf finds beside Python's own names.
GLOBALS = (
    "ppt_diff",
    "original_ppt_path",
    "modified_ppt_path",
    "original_ppt_screenshots",
    "modified_ppt_screenshots",
    "SlideScreenshot",
    "vlm_call",
    "llm_call",
)
# Packages that the sandbox has stand-ins for, since PPT-Eval's leaves import them.
STAND_INS = ("ppteval", "rubric", "dotenv")
_FUNCTION = "compute_score"
_CATCH_ALL = ("Exception", "BaseException")
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def findings(leaf: Leaf, task: str) -> Iterator[Finding]:
    """Everything about the code of a function leaf."""
    code = str(leaf.scorer.args.get("function_code", ""))
    found = list(_Reader(leaf, task, code).read())
    yield from sorted(found, key=lambda one: one.source.line)


class _Reader:
    def __init__(self, leaf: Leaf, task: str, code: str) -> None:
        self._leaf, self._task, self._code = leaf, task, code

    def read(self) -> Iterator[Finding]:
        tree = parse(self._code)
        if tree is None:
            yield self._tell("syntax", self._syntax_error(), 1)
            return
        functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
        if _FUNCTION not in functions:
            yield self._tell("syntax", f"there is no {_FUNCTION}(): write one that returns (reason, score)", 1)
            return
        yield from self._names(tree)
        yield from self._imports(tree)
        yield from self._constant(functions[_FUNCTION])
        yield from self._unreachable(tree)
        yield from self._swallowed(tree)

    def _tell(self, rule: str, message: str, line: int) -> Finding:
        at = find_code(self._leaf, line, Path.cwd())
        return Finding(rule, at, f"{self._task}: {self._leaf.id!r}: {message}", self._task, self._leaf.id)

    def _syntax_error(self) -> str:
        try:
            ast.parse(without_fence(self._code))
        except SyntaxError as error:
            return f"no Python: {error.msg} in line {error.lineno} of the code"
        except (ValueError, RecursionError, MemoryError) as error:
            return f"no Python: {error}"
        return "so large or so deeply nested that it is not looked at"

    def _names(self, tree: ast.Module) -> Iterator[Finding]:
        from pyflakes.checker import Checker
        from pyflakes.messages import UndefinedLocal, UndefinedName

        checker = Checker(tree, builtins=set(GLOBALS))
        for message in checker.messages:
            if isinstance(message, UndefinedName | UndefinedLocal):
                name = str(message.message_args[0])
                near = get_close_matches(name, [*GLOBALS, *dir(builtins), *_defined(tree)], n=1, cutoff=0.75)
                meant = f": did you mean {near[0]!r}?" if near else ": import or define it"
                yield self._tell("unknown-name", f"{name!r} is not defined when it runs{meant}", message.lineno)

    def _imports(self, tree: ast.Module) -> Iterator[Finding]:
        for node in ast.walk(tree):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                top = name.partition(".")[0]
                if top in sys.stdlib_module_names or top in STAND_INS or (top in PACKAGES and _is_here(top)):
                    continue
                here = "is not installed here" if top in PACKAGES else "is not in the sandbox"
                has = f"it has {', '.join(PACKAGES)} and Python's own"
                yield self._tell("import", f"{top!r} {here}: {has}", getattr(node, "lineno", 1))

    def _constant(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Finding]:
        """Whether all that it returns is one number, or nothing that it returns can be 1."""
        scores: list[float] = []
        for node in _own_nodes(function):
            if isinstance(node, ast.Return):
                value = node.value.elts[-1] if isinstance(node.value, ast.Tuple) and node.value.elts else node.value
                if not isinstance(value, ast.Constant) or not isinstance(value.value, int | float):
                    return  # worked out: anything may come of it
                scores.append(float(value.value))
        if not scores:
            yield self._tell("always", "it returns nothing: return (reason, score)", function.lineno)
        elif len(set(scores)) == 1:
            yield self._tell("always", f"it gives {scores[0]:g} whatever the deck is", function.lineno)
        elif max(scores) < 1:
            yield self._tell("always", f"it never gives 1: its best score is {max(scores):g}", function.lineno)

    def _unreachable(self, tree: ast.Module) -> Iterator[Finding]:
        for node in ast.walk(tree):
            for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
                if not isinstance(body, list):
                    continue
                for one, after in itertools.pairwise(body):
                    if isinstance(one, _ENDS):
                        yield self._tell("unreachable", "this line never runs", after.lineno)
            if isinstance(node, ast.If) and isinstance(node.test, ast.Constant) and not node.test.value:
                yield self._tell("unreachable", "this branch never runs", node.lineno)

    def _swallowed(self, tree: ast.Module) -> Iterator[Finding]:
        for node in (one for one in ast.walk(tree) if isinstance(one, ast.Try)):
            for handler in filter(_catches_all, node.handlers):
                if _has(handler.body, ast.Raise):
                    continue
                if _has(handler.body, ast.Return):
                    why = "a fault of this code, or a deck of another form, would count as one"
                    what = "an except for everything returns a score"
                elif _asks(node.body):
                    why = "a model that could not be asked would count as one that answered"
                    what = "an except for everything goes on after a question"
                else:
                    continue
                yield self._tell("swallows", f"{what}: {why}; let it raise, or catch what you expect", handler.lineno)


def _catches_all(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(one is None or (isinstance(one, ast.Name) and one.id in _CATCH_ALL) for one in caught)


def _has(body: list[ast.stmt], kind: type[ast.AST]) -> bool:
    return any(isinstance(below, kind) for one in body for below in ast.walk(one))


def _asks(body: list[ast.stmt]) -> bool:
    names = {below.id for one in body for below in ast.walk(one) if isinstance(below, ast.Name)}
    return bool(names & {"vlm_call", "llm_call"})


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions in it."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield child
            yield from _own_nodes(child)


def _defined(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _is_here(top: str) -> bool:
    return importlib.util.find_spec(top) is not None
