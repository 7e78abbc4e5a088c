"""Files that are what their names say: a script that compiles, JSON that can be read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.evidence.workspace import Unreadable
from pytest_ppteval.grade.rules.files import NotJson, holds, load_json
from pytest_ppteval.grade.rules.finding import Finding

if TYPE_CHECKING:
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.rules.finding import Rule

KNOWN = (".py", ".json")
TIME_LIMIT = 10.0

# Compiled, never run; in a process of its own, since a text nested deep enough ends Python.
_PROGRAM = """\
import ast, sys
try:
    ast.parse(sys.stdin.buffer.read())
except SyntaxError as error:
    print(f"line {error.lineno}: {error.msg}")
except (ValueError, RecursionError, MemoryError) as error:
    print(type(error).__name__)
"""


def file_parses(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether all of the files are right Python or JSON, by their endings. A file that isn't there fails both forms."""
    workspace = evidence.run.workspace
    if isinstance(workspace, Lacking):
        return workspace
    right: list[str] = []
    wrong: list[str] = []
    for name in rule.value:
        problem = workspace.look(name)
        if problem is not None:
            return Finding(False, f"{problem.reason}; {holds(workspace, [name])}")
        text = workspace.text(name)
        if isinstance(text, Unreadable):
            return Finding(False, text.reason) if text.fault == "agent" else Lacking(text.reason)
        why = _fault(name, text)
        (wrong if why else right).append(f"{name}: {why}" if why else name)
    if rule.negated:
        return Finding(not right, f"{', '.join(right)} can be read" if right else "; ".join(wrong))
    return Finding(not wrong, "; ".join(wrong) if wrong else f"{', '.join(right)} can be read")


def _fault(name: str, text: str) -> str:
    """Why a text is not what its name says, "" where it is."""
    if PurePosixPath(name).suffix.lower() == ".json":
        data = load_json(text, fenced=False)
        return data.reason if isinstance(data, NotJson) else ""
    if not text.strip():
        return "is empty"
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-W", "ignore", "-c", _PROGRAM],
            input=text.encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"takes more than {TIME_LIMIT:g} s to read"
    return done.stdout.decode("utf-8", "replace").strip() or ("can't be read" if done.returncode else "")
