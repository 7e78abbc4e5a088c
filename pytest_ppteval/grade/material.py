"""What a judging model is shown of a run, and what is left out for its length: by fixed rules, and said.

- A step is one line: its number, tool, arguments (400 characters), what came of it (600).
- Steps, 40,000 characters; what the agent said, 12,000; the final response, 16,000: where there is more, the first and
  the last of it, half each, and a line that says what is left out between.
- Files: the names of the first 200; of text files 4,000 characters each, 24,000 in all, in the order of their names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.evidence.workspace import Workspace
from pytest_ppteval.trace.jsontext import dumps, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.evidence.run import Run
    from pytest_ppteval.trace.model import Step, Trace

ARGUMENTS, RESULT = 400, 600
STEPS, SAID, RESPONSE = 40_000, 12_000, 16_000
FILES, FILE, FILE_TEXTS = 200, 4_000, 24_000
_SPOKEN = ("assistant", "reasoning")


@dataclass(frozen=True, slots=True)
class Material:
    """sections: (title, text). cuts: what is left out, one line each; none where all is shown."""

    sections: tuple[tuple[str, str], ...]
    cuts: tuple[str, ...]


def material_of(run: Run) -> Material:
    """The run for a judge. Nothing but the texts of sections holds words of the agent's, names of files included."""
    sections: list[tuple[str, str]] = []
    cuts: list[str] = []
    trace = run.trace
    if isinstance(trace, Lacking):
        sections.append(("the agent's steps", _lacking(trace)))
    else:
        sections.append(("the agent's steps", _steps(trace, cuts)))
        said = [f"[{one.role}] {one.text}" for one in trace.messages if one.role in _SPOKEN and one.parent is None]
        if said:
            sections.append(("what the agent said on the way", ends(said, SAID, "messages", cuts)))
    response = run.response
    told = _lacking(response) if isinstance(response, Lacking) else shortened(response, RESPONSE, cuts)
    sections.append(("the agent's final response", told))
    workspace = run.workspace
    if isinstance(workspace, Workspace):
        sections += _files(workspace, cuts)
    else:
        sections.append(("the agent's files", _lacking(workspace)))
    return Material(tuple(sections), tuple(cuts))


def _lacking(piece: Lacking) -> str:
    """That a piece is not there, without the paths of this machine: the question must be the same on another."""
    return "(the agent left none)" if piece.fault == "agent" else "(not kept, so that nothing is known of it)"


def _steps(trace: Trace, cuts: list[str]) -> str:
    lines = [_line(number, step) for number, step in enumerate(trace.steps, 1)]
    cut_steps = sum(cut for _, cut in lines)
    if cut_steps:
        cuts.append(f"{cut_steps} of {len(lines)} steps have their arguments or results shortened")
    ended = {
        "truncated": "the trace records no end of the run",
        "error": f"the run failed: {one_line(trace.error or '', RESULT)}",
        "cancelled": "the run was stopped",
        "finished": "the run finished",
    }[trace.status]
    shown = ends([line for line, _ in lines], STEPS, "steps", cuts) if lines else "no tool calls"
    return f"{shown}\n({ended})"


def _line(number: int, step: Step) -> tuple[str, bool]:
    arguments = dumps(step.args) if step.args is not None else step.args_raw or "(arguments unknown)"
    came = f"FAILED: {step.error or step.result or ''}" if step.failed else step.result
    came = "(no result recorded)" if came is None else came
    under = " (by a subagent)" if step.parent else ""
    text = f"{number}. {one_line(step.tool or '(unknown tool)', 100)}{under} {one_line(arguments, ARGUMENTS)}"
    return f"{text} -> {one_line(came, RESULT)}", len(arguments) > ARGUMENTS or len(came) > RESULT


def ends(lines: Sequence[str], limit: int, what: str, cuts: list[str]) -> str:
    """The lines, or the first and the last of them where they have more than `limit` characters."""
    if sum(len(line) + 1 for line in lines) <= limit:
        return "\n".join(lines)
    first, last = _fill(lines, limit // 2), _fill(lines[::-1], limit // 2)
    left = len(lines) - first - last
    if left <= 0 or first == 0:  # a line of its own is too long
        return shortened("\n".join(lines), limit, cuts)
    cuts.append(f"{what} {first + 1} to {first + left} of {len(lines)} are left out")
    gap = f"[... {what} {first + 1} to {first + left} of {len(lines)} left out ...]"
    return "\n".join([*lines[:first], gap, *lines[len(lines) - last :]])


def _fill(lines: Sequence[str], room: int) -> int:
    """How many of the lines fit."""
    count = 0
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        count += 1
    return count


def shortened(text: str, limit: int, cuts: list[str], what: str = "the text") -> str:
    """The text, or the first and the last of it where it has more than `limit` characters."""
    if len(text) <= limit:
        return text
    left = len(text) - limit
    cuts.append(f"{left:,} of {len(text):,} characters of {what} are left out")
    half = limit // 2
    return f"{text[:half]}\n[... {left:,} characters left out ...]\n{text[-half:]}"


def _files(workspace: Workspace, cuts: list[str]) -> list[tuple[str, str]]:
    names = workspace.files
    listed = [f"{one_line(name)} ({workspace.size(name):,} bytes)" for name in names[:FILES]]
    if len(names) > FILES:
        cuts.append(f"the names of {len(names) - FILES} of {len(names)} files are left out")
        listed.append(f"[... {len(names) - FILES} more files ...]")
    sections = [("the names of the files that the agent left", "\n".join(listed) or "none")]
    room, unseen = FILE_TEXTS, 0
    for number, name in enumerate(names, 1):
        text = workspace.text(name)
        if not isinstance(text, str) or "\0" in text or "\ufffd" in text:
            continue  # pictures, decks: their names say that they are there
        if room <= 0:
            unseen += 1
            continue
        shown = shortened(text, min(FILE, room), cuts, f"file {number}")
        room -= len(text)
        sections.append((f"file {number} of that list", shown))
    if unseen:
        cuts.append(f"the texts of {unseen} files are left out")
    return sections
