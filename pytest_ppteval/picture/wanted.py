"""Which slides' pictures a leaf's code will look at, as far as its text shows. Pure.

A guess to draw together what will be wanted together: a leaf that looks at another slide after all gets that picture,
too, only later.
"""

from __future__ import annotations

import ast

from pytest_ppteval.sandbox.source.code import parse


def slides_wanted(code: str) -> frozenset[int] | None:
    """The slides whose numbers stand in the code; None where it shows none, or may look at others beside.

    Seen are `slide_number == 3` (or `in (3, 4)`), `of_slide(screenshots, 3)` and `modified_ppt_screenshots[2]`.
    """
    tree = parse(code)
    if tree is None:
        return None
    constants = _constants(tree)
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and _mentions(node, "slide_number"):
            numbers = _numbers(node, constants)
        elif isinstance(node, ast.Call) and _called(node) == "of_slide":
            numbers = _one(node.args[1] if len(node.args) > 1 else _keyword(node, "number"), constants, 0)
        elif isinstance(node, ast.Subscript) and _is_screenshots(node.value):
            numbers = _one(node.slice, constants, 1)
        else:
            continue
        if numbers is None:
            return None
        found |= numbers
    return frozenset(found) or None


def _numbers(compared: ast.Compare, constants: dict[str, int]) -> set[int] | None:
    """N of `slide_number == N`, `N == slide_number` and `slide_number in (N, ...)`; None for any other comparison."""
    if len(compared.ops) != 1:
        return None
    sides = [compared.left, compared.comparators[0]]
    if isinstance(compared.ops[0], ast.Eq):
        others = [side for side in sides if not _mentions(side, "slide_number")]
    elif isinstance(compared.ops[0], ast.In) and isinstance(sides[1], ast.Tuple | ast.List | ast.Set):
        others = list(sides[1].elts)
    else:
        return None
    found = {_value(other, constants) for other in others}
    return {number for number in found if number is not None} if found and None not in found else None


def _one(node: ast.expr | None, constants: dict[str, int], add: int) -> set[int] | None:
    number = None if node is None else _value(node, constants)
    return None if number is None or number < 0 else {number + add}


def _called(call: ast.Call) -> str:
    function = call.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _is_screenshots(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("original_ppt_screenshots", "modified_ppt_screenshots")


def _value(node: ast.expr, constants: dict[str, int]) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return constants.get(node.id) if isinstance(node, ast.Name) else None


def _constants(tree: ast.Module) -> dict[str, int]:
    """Names that are bound once in the whole code, to a whole number."""
    bound: dict[str, list[int | None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            bound.setdefault(node.id, []).append(None)
        elif isinstance(node, ast.arg):
            bound.setdefault(node.arg, []).extend((None, None))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if len(bound.get(name, ())) == 1 and isinstance(node.value, ast.Constant) and type(node.value.value) is int:
                bound[name] = [node.value.value]
    return {name: values[0] for name, values in bound.items() if len(values) == 1 and values[0] is not None}


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == name for part in ast.walk(node))
