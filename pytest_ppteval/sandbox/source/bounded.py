"""Whether code compiles in little time and memory, told from its text at a fraction of that cost. Pure.

The compiler has no limits of its own: some texts of 100 KB take minutes, others gigabytes, and nothing can stop it.
What makes it slow is long or deeply nested statements, so this looks for those: it strikes out comments and strings,
then counts. It errs on one side only: what it can't read for certain counts as unbounded, and costs its leaf no more
than that its code is compiled in the leaf's own process, within the leaf's limits.
"""

from __future__ import annotations

import functools
import re

# Characters of the text, strings and comments included; of code, without them; of one statement, which may span lines.
_TEXT = 512 * 1024
_CODE = 64 * 1024
_STATEMENT = 6000
# Brackets within brackets, columns of indentation, lambdas in a statement, fields of f-strings in all.
_DEPTH = 12
_INDENT = 60
_LAMBDAS = 10
_FIELDS = 1000
_FIELD = 400

_FORMATS = "[fFtT]"  # what makes a string an f-string or a template, beside an r


def _literal(quote: str, other: str) -> str:
    """Strings in these quotes, as a pattern that begins with one, which makes the search fast.

    Of f-strings and templates only what ends at the same place in every version of Python: text, escapes, doubled
    braces, and fields without the string's own quotes, comments and backslashes, in whose format there may be fields.
    """
    inner = rf"{other}[^'\"\\{{}}\#\n]*+{other}"
    plain = r"[^'\"\\{}\#\n]"
    field = rf"\{{(?:{plain}|{inner}|\{{(?:{plain}|{inner})*+\}})*+\}}"
    text = rf"\{{\{{|\}}\}}|\\[^{{}}]|{field}"
    prefixed = rf"(?:(?<={_FORMATS}{quote})|(?<={_FORMATS}[rR]{quote}))"
    formatted = (
        rf"(?P<formatted{ord(quote)}>{quote * 2}(?:[^{quote}\\{{}}]|{text}|{quote}(?!{quote * 2}))*+{quote * 3}"
        rf"|(?!{quote * 2})(?:[^{quote}\\{{}}\n]|{text})*+{quote})"
    )
    ordinary = (
        rf"{quote * 2}(?:[^{quote}\\]|\\.|{quote}(?!{quote * 2}))*+{quote * 3}"
        rf"|(?!{quote * 2})(?:[^{quote}\\\n]|\\.)*+{quote}"
    )
    return rf"{quote}(?:{prefixed}{formatted}|(?<!{_FORMATS}{quote})(?<!{_FORMATS}[rR]{quote})(?:{ordinary}))"


_LITERAL = re.compile(rf"\#[^\n]*+|{_literal(chr(39), chr(34))}|{_literal(chr(34), chr(39))}", re.DOTALL)
_STRUCTURE = re.compile(r"[()\[\]{}\n;]")
_OTHER = re.compile(r"[^()\[\]{}]+")
_DEEP = re.compile(rf"^[ \t\f]{{{_INDENT + 1}}}", re.MULTILINE)


@functools.lru_cache(256)
def is_bounded(text: str) -> bool:
    """Whether compiling the text surely takes little."""
    if len(text) > _TEXT:
        return False
    fields: list[str] = []

    def struck(match: re.Match[str]) -> str:
        found = match[0]
        if found[0] == "#":
            return ""
        if match.lastgroup and "{" in found:
            fields.append(found)
        return "0"

    code = _LITERAL.sub(struck, text)
    if len(code) > _CODE or "'" in code or '"' in code or _DEEP.search(code) or not _few_fields(fields):
        return False
    code = code.replace("\\\r\n", " ").replace("\\\n", " ")
    return "\\" not in code and _short_and_flat(code)


def _few_fields(strings: list[str]) -> bool:
    """Whether the fields of these f-strings are few, short and hardly nested."""
    count = 0
    for string in strings:
        pieces = string.split("{")
        count += len(pieces) - 1
        if "lambda" in string or any(len(piece.partition("}")[0]) > _FIELD for piece in pieces[1:]):
            return False
        if any(piece.count("(") + piece.count("[") > _DEPTH for piece in pieces[1:]):
            return False
    return count <= _FIELDS


def _short_and_flat(code: str) -> bool:
    """Whether no statement is long, and none deeply nested. The code is without strings, comments and continuations."""
    brackets = _OTHER.sub("", code)
    for _ in range(_DEPTH):
        brackets = brackets.replace("()", "").replace("[]", "").replace("{}", "")
    if brackets:
        return False
    if len(code) <= _STATEMENT:
        return code.count("lambda") <= _LAMBDAS
    depth = start = 0
    for match in _STRUCTURE.finditer(code):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        elif not depth:
            if not _short(code, start, match.start()):
                return False
            start = match.end()
    return _short(code, start, len(code))


def _short(code: str, start: int, end: int) -> bool:
    return end - start <= _STATEMENT and code.count("lambda", start, end) <= _LAMBDAS
