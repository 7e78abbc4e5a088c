"""A leaf's source text, looked at without running it. Pure."""

from __future__ import annotations

import ast
import binascii
import functools
import marshal
import re
import types
import warnings
from typing import TYPE_CHECKING

from pytest_ppteval.sandbox.source.bounded import is_bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"\s*+```[ \t]*+[A-Za-z0-9_+-]*+[ \t]*+\r?\n?\Z")
_WORD = re.compile(r"[^\W\d]\w*")
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w., \t]+))", re.MULTILINE)
# Of bytes of compiled code: some that is short is a megabyte then, and would wait in a channel that is full.
_MOST = 48 * 1024
# Each leaf's code is asked about several times: when it is collected, and when it is judged.
_REMEMBERED = 256


def without_fence(code: str) -> str:
    """The code without a Markdown fence around it (```python or a bare ```).

    The fence's lines become empty ones, so that line numbers stay those of the rubric's text.
    """
    if "```" not in code:
        return code
    lines = code.splitlines(keepends=True)
    filled = [index for index, line in enumerate(lines) if line.strip()]
    if not filled or not _FENCE.match(lines[filled[0]]):
        return code
    lines[filled[0]] = "\n"
    if len(filled) > 1 and lines[filled[-1]].strip() == "```":
        lines[filled[-1]] = "\n"
    return "".join(lines)


@functools.lru_cache(_REMEMBERED)
def names_used(code: str) -> frozenset[str]:
    """Every name the code mentions: variables, attributes, imported names, and text constants that look like a name.

    The last are for globals().get("ppt_diff"). Code that does not parse is searched for words instead, which finds
    more, never less.
    """
    ready = _compiled(code)
    if ready is not None:
        return frozenset(_names_in(ready))
    tree = parse(code)
    if tree is None:
        return frozenset(_WORD.findall(code))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.alias):
            names.update(node.name.split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            names.add(node.value)
    return frozenset(names)


def _names_in(value: object) -> Iterator[str]:
    """Those of a code object, or of a constant."""
    if isinstance(value, types.CodeType):
        for name in value.co_names:
            yield from name.split(".")  # an imported module's has its package's
        yield from value.co_varnames
        yield from value.co_cellvars
        for constant in value.co_consts:
            yield from _names_in(constant)
    elif isinstance(value, str):
        if value.isidentifier():
            yield value
    elif isinstance(value, (tuple, frozenset)):
        for member in value:
            yield from _names_in(member)


@functools.lru_cache(_REMEMBERED)
def imports_of(code: str) -> frozenset[str]:
    """The modules that the code imports, by dotted name; `asyncio` too where it defines a coroutine."""
    tree = parse(code)
    if tree is None:
        found: set[str] = set()
        for module, modules in _IMPORT.findall(code):
            names = [module] if module else [part.split()[0] for part in modules.split(",") if part.split()]
            found.update(name for name in names if name.strip("."))
        return frozenset(found)
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported.add(node.module)
        elif isinstance(node, ast.AsyncFunctionDef):
            imported.add("asyncio")
    return frozenset(imported)


@functools.lru_cache(_REMEMBERED)
def compiled(code: str, name: str) -> str:
    """The code compiled, under a file name, as base64; "" where that is left to the leaf's own process."""
    ready = _compiled(code)
    if ready is None:
        return ""
    try:
        data = marshal.dumps(_renamed(ready, name))
    except (ValueError, RecursionError):  # nested too deeply for it
        return ""
    return binascii.b2a_base64(data).decode("ascii") if len(data) <= _MOST else ""


def _renamed(code: types.CodeType, name: str) -> types.CodeType:
    inner = (_renamed(one, name) if isinstance(one, types.CodeType) else one for one in code.co_consts)
    return code.replace(co_filename=name, co_consts=tuple(inner))


@functools.lru_cache(_REMEMBERED)
def _compiled(code: str) -> types.CodeType | None:
    """The code, compiled; None where that is left to the leaf's own process.

    Here the compiler is warm, and what it makes is asked for the names, too. Left is what does not compile, which the
    leaf tells better, what might take long or much memory to (see bounded.py), and what might grow without measure: a
    `finally` is compiled twice, and so twice each time for one within another.
    """
    text = without_fence(code)
    if "finally" in text or not is_bounded(text):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the code's own questionable escapes are not this run's warnings
        try:
            return compile(text, "", "exec", dont_inherit=True, optimize=0)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def parse(code: str) -> ast.Module | None:
    """The code's syntax tree; None where it does not parse, or might take long to."""
    text = without_fence(code)
    if not is_bounded(text):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
