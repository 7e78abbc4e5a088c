"""Review files: what people answered to a case's questions (case/schema/review.schema.json)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.case.document import read_document
from pytest_ppteval.case.model import FormatError
from pytest_ppteval.case.paths import show_path
from pytest_ppteval.case.validate import find_problems, raise_all, suggest
from pytest_ppteval.rubric.scale import as_word, parse_scale
from pytest_ppteval.rubric.tree import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.case.document import Document
    from pytest_ppteval.case.model import Case
    from pytest_ppteval.rubric.scale import Scale

FOLDER = "reviews"
_ENDINGS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Review:
    """One person's answer to one question.

    leaf: the question's leaf by its name. score: as written. fraction: the score as 0..1.
    run: the run that was looked at, "" where the file doesn't say.
    """

    leaf: str
    by: str
    at: datetime.datetime
    score: str
    fraction: float
    note: str = ""
    run: str = ""


def review_file(case: Case) -> Path | None:
    """Where the reviews of a case are; None for one that is not of a case file.

    Raises FormatError where there are several: none of them may be passed over.
    """
    if case.facts is None:
        return None
    folder = case.facts.folder / FOLDER
    paths = [folder / f"{case.id}{ending}" for ending in _ENDINGS]
    there = [path for path in paths if path.exists()]
    if len(there) > 1:
        names = " and ".join(path.name for path in there)
        source = Source(show_path(there[0], Path.cwd()))
        raise FormatError(source, f"the case has several review files, {names}: put all into one")
    return (there or paths)[0]


def load_reviews(path: Path, case: Case, display: str | None = None) -> list[Review]:
    """The reviews in the file at `path`, which are of `case`. Raises FormatError, with every problem in `all`."""
    document = read_document(path, display)
    raise_all(find_problems(document, "review"))
    questions = {leaf.node.name: leaf.scorer.args for leaf in case.rubric.leaves if leaf.scorer.type == "human"}
    errors: list[FormatError] = []
    found: list[Review] = []
    for index, written in enumerate(document.data["reviews"]):
        try:
            found.append(_review(document, index, written, questions))
        except FormatError as error:
            errors.append(error)
    raise_all(errors)
    return found


def _review(
    document: Document, index: int, written: Mapping[str, str], questions: Mapping[str, Mapping[str, object]]
) -> Review:
    asked = written.get("question")
    leaf = next((name for name, args in questions.items() if asked in (name, args["question"])), None)
    if asked is None and len(questions) == 1:
        (leaf,) = questions
    if leaf is None and asked is None:
        raise FormatError(document.source("reviews", index), "the case has several questions: say which in 'question'")
    if leaf is None:
        message = f"the case has no question {asked!r}: {suggest(str(asked), questions)}"
        raise FormatError(document.source("reviews", index, "question"), message)
    scale = scale_of(questions[leaf])
    fraction = scale.fraction(written["score"])
    if fraction is None:
        message = f"score {written['score']!r} is not on the scale {scale}"
        raise FormatError(document.source("reviews", index, "score"), message)
    try:
        at = datetime.datetime.fromisoformat(written["at"])
    except ValueError:
        message = f"{written['at']!r} is no date: write one such as 2026-05-31, or 2026-05-31T14:30"
        raise FormatError(document.source("reviews", index, "at"), message) from None
    at = at if at.tzinfo else at.replace(tzinfo=datetime.UTC)
    run, note = written.get("run", ""), written.get("note", "")
    return Review(leaf, written["by"], at, str(as_word(written["score"])), fraction, note, run)


def scale_of(args: Mapping[str, object]) -> Scale:
    """The scale of a question, which has been checked."""
    written = args["scale"]
    scale = parse_scale(written if isinstance(written, list) else str(written))
    assert scale is not None
    return scale
