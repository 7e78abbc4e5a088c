"""The scores of a suite's tasks, as a table in a Markdown file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_ppteval.check.dynamic import Score

START, END = "<!-- ppteval check: written by the command -->", "<!-- end -->"


def write(path: Path, scores: Sequence[Score]) -> None:
    """Write the table in place of the one between START and END; at the file's end where there is none yet.

    Raises OSError.
    """
    text = path.read_text("utf-8") if path.exists() else ""
    made = "\n".join([START, "", *lines(scores), "", END])
    if START in text and END in text.partition(START)[2]:
        before, _, rest = text.partition(START)
        text = before + made + rest.partition(END)[2]
    else:
        text = f"{text.rstrip()}\n\n{made}\n".lstrip()
    path.write_text(text, "utf-8", newline="\n")


def lines(scores: Sequence[Score]) -> Iterator[str]:
    """The table, and below it the mutants that pass."""
    yield "| task | valid decks accepted | wrong decks caught | mutants caught | allowed | survivors |"
    yield "|---|--:|--:|--:|--:|--:|"
    for score in scores:
        passing = len(score.survivors) + len(score.excused)
        share = f"{score.killed} of {score.mutants}" + (f" ({score.share:.0%})" if score.share is not None else "")
        yield (
            f"| {score.task} | {score.accepted} of {score.valid} | {score.caught} of {score.wrong} | {share} "
            f"| {score.allowed} | {passing} |"
        )
    told = [(score.task, name, "") for score in scores for name in score.survivors]
    told += [(score.task, name, " (accepted by the rubric)") for score in scores for name in score.excused]
    if told:
        yield ""
        yield "What passes, of the mutants:"
        yield ""
        for task, name, how in sorted(told):
            yield f"- {task}: {_plain(name)}{how}"


def _plain(text: str) -> str:
    """Names of shapes are whatever a deck says: nothing of them is Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|" else c for c in " ".join(text.split()))
