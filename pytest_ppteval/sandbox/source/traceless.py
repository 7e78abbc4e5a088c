"""Code that provably leaves no trace in its process, so that another leaf may run there after it. Pure.

A whitelist over the syntax tree: what is not known to be without effect counts as having one. It is about isolation,
not about confinement: code that passes can still be slow or hungry, and is stopped then, with its process.

What may be reached from such code is its own values, plain builtins, the diff of the decks and a few functions of `re`
and `math`. It may change a container only through a name that is bound to nothing but containers of its own making.
"""

from __future__ import annotations

import ast
import builtins

from pytest_ppteval.sandbox.source.code import parse

_NODES = (
    ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Lambda, ast.Return, ast.Expr, ast.Pass, ast.Break,
    ast.Continue, ast.If, ast.For, ast.While, ast.Try, ast.ExceptHandler, ast.Raise, ast.Assert, ast.Assign,
    ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.Import, ast.ImportFrom, ast.alias, ast.BoolOp, ast.BinOp,
    ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call, ast.keyword, ast.Starred, ast.JoinedStr, ast.FormattedValue,
    ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Name, ast.List, ast.Tuple, ast.Set, ast.Dict,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.expr_context, ast.boolop,
    ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip
# What a leaf finds in its globals, apart from classes. Its pictures' list, where they are missing, ends the leaf.
_GIVEN = frozenset(
    ("ppt_diff", "original_ppt_path", "modified_ppt_path", "original_ppt_screenshots", "modified_ppt_screenshots",
     "vlm_call", "llm_call")
)  # fmt: skip
_BUILTINS = frozenset(
    ("abs", "all", "any", "ascii", "bin", "bool", "bytes", "callable", "chr", "dict", "divmod", "enumerate", "filter",
     "float", "format", "frozenset", "hash", "hex", "int", "isinstance", "iter", "len", "list", "map", "max", "min",
     "next", "oct", "ord", "pow", "print", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum",
     "tuple", "zip", "ArithmeticError", "AssertionError", "AttributeError", "Exception", "IndexError", "KeyError",
     "LookupError", "NotImplementedError", "OverflowError", "RuntimeError", "StopIteration", "TypeError", "ValueError",
     "ZeroDivisionError")
)  # fmt: skip
_MODULES = {
    "re": frozenset(
        ("compile", "escape", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn", "A",
         "ASCII", "DOTALL", "I", "IGNORECASE", "M", "MULTILINE", "S", "U", "UNICODE", "VERBOSE", "X")
    ),
    "math": frozenset(
        ("ceil", "copysign", "dist", "exp", "fabs", "floor", "fsum", "gcd", "hypot", "inf", "isclose", "isfinite",
         "isinf", "isnan", "log", "log10", "log2", "pi", "prod", "sqrt", "trunc")
    ),
    "typing": frozenset(("Any", "Dict", "Iterable", "List", "Optional", "Sequence", "Set", "Tuple", "Union")),
    "__future__": frozenset(("annotations",)),
}  # fmt: skip
# Attributes that lead to data, and methods that only read: of text, of containers, of matches, of the diff's records.
# None of them is the name of a module within re or math.
_ATTRIBUTES = _MODULES["re"] | _MODULES["math"] | frozenset(
    ("capitalize", "casefold", "center", "count", "decode", "encode", "endswith", "expandtabs", "find", "format",
     "index", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric",
     "isprintable", "isspace", "istitle", "isupper", "join", "ljust", "lower", "lstrip", "partition", "removeprefix",
     "removesuffix", "replace", "rfind", "rindex", "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines",
     "startswith", "strip", "swapcase", "title", "upper", "zfill",
     "copy", "difference", "get", "intersection", "is_integer", "isdisjoint", "issubset", "issuperset", "items", "keys",
     "symmetric_difference", "union", "values",
     "end", "group", "groupdict", "groups", "lastindex", "pattern", "span", "start",
     "added_animations", "removed_animations", "modified_animations", "added_transitions", "removed_transitions",
     "modified_transitions", "added_slides", "removed_slides", "modified_slides", "moved_slides", "slide_changes",
     "changed_parts", "is_empty", "to_dict", "slide_id", "slide_number", "layout_type", "element_count", "notes",
     "content_hash", "hidden", "element_id", "effect_type", "trigger", "delay", "duration", "order", "element_text",
     "element_type", "effect_class", "element_part", "trigger_element_id", "transition_type", "direction", "variant",
     "advance_on_click", "advance_after", "sound", "kind", "name", "change", "image_path")
)  # fmt: skip
_CHANGES = frozenset(
    (
        "add",
        "append",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "remove",
        "reverse",
        "setdefault",
        "sort",
        "update",
    )
)
_MAKERS = frozenset(("dict", "list", "set"))
_TAKEN = _GIVEN | _MAKERS | (frozenset(vars(builtins)) - _BUILTINS) | {"SlideScreenshot"}


def leaves_no_trace(code: str) -> bool:
    """Whether the code can change nothing that outlives its own globals. Never true for code that could."""
    tree = parse(code)
    if tree is None:
        return False
    nodes = list(ast.walk(tree))
    if not all(isinstance(node, _NODES) for node in nodes):
        return False
    bound, foreign = _bindings(nodes)
    # Bound in one function, free in another: there it is the builtin, or what the leaf was given.
    if any(name in _TAKEN or name.startswith("__") for name in bound):
        return False
    own = bound - foreign
    return all(_harmless(node, bound, own) for node in nodes)


def _bindings(nodes: list[ast.AST]) -> tuple[set[str], set[str]]:
    """Every name that is bound somewhere, and those of them that may stand for something not made here.

    Scopes don't matter: a name is as good as its worst binding anywhere.
    """
    bound: set[str] = set()
    safe: set[int] = set()
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if _made_here(node.value):
                safe.update(id(target) for target in targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AugAssign):
            safe.add(id(node.target))  # it changes the same container, or makes another number or text
    foreign: set[str] = set()
    for node in nodes:
        found: list[str] = []
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
            if id(node) not in safe:
                foreign.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            found = [node.name]
        elif isinstance(node, ast.arg):
            found = [node.arg]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found = [node.name]
        elif isinstance(node, ast.alias):
            found = [node.asname or node.name]
        bound.update(found)
        foreign.update(found)
    return bound, foreign


def _made_here(value: ast.expr | None) -> bool:
    """Whether the expression always gives a new container, a number or text."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in _MAKERS
    return value is None or isinstance(
        value,
        (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.Constant, ast.JoinedStr),
    )


def _harmless(node: ast.AST, bound: set[str], own: set[str]) -> bool:
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load):
            return node.id in bound or node.id in _GIVEN or node.id in _BUILTINS
        return isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.Attribute):
        if not isinstance(node.ctx, ast.Load):
            return False
        changes = node.attr in _CHANGES and isinstance(node.value, ast.Name) and node.value.id in own
        return changes or node.attr in _ATTRIBUTES
    if isinstance(node, ast.Subscript):
        if isinstance(node.ctx, ast.Load):
            return True
        return isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id in own
    if isinstance(node, ast.AugAssign):
        # x[0] += ... may change in place what x[0] is, which x may share.
        return isinstance(node.target, ast.Name) and node.target.id in own
    if isinstance(node, ast.FunctionDef):
        return not node.decorator_list
    if isinstance(node, ast.Import):
        return all(alias.name in ("re", "math") for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        names = _MODULES.get(node.module or "", frozenset())
        return not node.level and all(alias.name in names for alias in node.names)
    return True
