"""Deck leaves against Python leaves: the same tasks judged by both, sandboxed, side by side.

First the suite's tasks, by today's rubrics and by those in Python that they took the place of
(tests/data/old_suite). Then decks that PowerPoint wrote (a folder with decks, ../shared/data/decks unless another is
named), edited and saved by python-pptx, so that hardly a part is the same bytes: title, notes, number of slides and
"nothing else changed", in words and in Python. Opening the decks and their diff are in both; the sandbox is running.
Leaves that ask a model are left out.

    python bench/deck_leaves.py [rounds] [folder]
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pptx import Presentation

from pytest_ppteval.case.rubrics import load_rubric
from pytest_ppteval.evidence.evidence import Evidence
from pytest_ppteval.grade import grade
from pytest_ppteval.grade.means import Means
from pytest_ppteval.sandbox.host import Sandbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.rubric.tree import Leaf

ROOT = Path(__file__).parents[1]
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
FOLDER = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT.parent / "shared" / "data" / "decks"
PYTHON = """
root:
  name: Python
  children:
    - {name: Title, is_critical: true, scorer: {type: function, function_code: "CODE_TITLE"}}
    - {name: Notes, is_critical: true, scorer: {type: function, function_code: "CODE_NOTES"}}
    - {name: Count, is_critical: true, scorer: {type: function, function_code: "CODE_COUNT"}}
    - {name: Rest, is_critical: true, scorer: {type: function, function_code: "CODE_REST"}}
"""
CODES = {
    "CODE_TITLE": """
from pptx import Presentation

def compute_score():
    slide = Presentation(modified_ppt_path).slides[0]
    texts = [s.text_frame.text for s in slide.shapes if s.has_text_frame]
    return str(texts), 1.0 if any(text.startswith("Edited") for text in texts) else 0.0
""",
    "CODE_NOTES": """
from pptx import Presentation

def notes(path):
    return [s.notes_slide.notes_text_frame.text if s.has_notes_slide else "" for s in Presentation(path).slides]

def compute_score():
    same = notes(original_ppt_path) == notes(modified_ppt_path)
    return "notes", 1.0 if same else 0.0
""",
    "CODE_COUNT": """
from pptx import Presentation

def compute_score():
    a, b = (len(Presentation(path).slides) for path in (original_ppt_path, modified_ppt_path))
    return f"{a} {b}", 1.0 if a == b else 0.0
""",
    "CODE_REST": """
from pptx import Presentation

def content(slide):
    for shape in slide.shapes:
        text = shape.text_frame.text if shape.has_text_frame else ""
        yield shape.shape_id, shape.name, shape.left, shape.top, shape.width, shape.height, text

def compute_score():
    before, after = (list(Presentation(path).slides) for path in (original_ppt_path, modified_ppt_path))
    wrong = [n for n, (a, b) in enumerate(zip(before, after), 1) if n > 1 and list(content(a)) != list(content(b))]
    wrong += [new.slide_number for _, new in ppt_diff.modified_slides if new.slide_number != 1]
    return str(wrong), 0.0 if wrong else 1.0
""",
}
WORDS = """
root:
  name: Words
  children:
    - {name: Title, is_critical: true, deck: {on: {slide: 1, shape: {kind: text}, any: true}, text: {starts: Edited}}}
    - {name: Notes, is_critical: true, deck: {on: {slide: 1}, notes: {as_before: true}}}
    - {name: Count, is_critical: true, deck: {document: {slides: as_before}}}
    - {name: Rest, is_critical: true, changes: {allow: [{slides: 1, what: any}]}}
"""


def judged(
    leaves: Sequence[Leaf], original: Path, modified: Path, sandbox: Sandbox
) -> tuple[float, list[float | None]]:
    """Seconds, and the scores."""
    started = time.perf_counter()
    with Evidence(sandbox, str(original), str(modified)) as evidence:
        evidence.leaves = leaves
        scores = [grade(leaf, evidence, Means()).score for leaf in leaves]
    return time.perf_counter() - started, scores


def leaves_of(path: Path) -> list[Leaf]:
    """Those that need no model and no picture."""
    asking = ("vlm_call", "llm_call", "screenshots")
    return [leaf for leaf in load_rubric(path).leaves if not any(word in str(leaf.scorer.args) for word in asking)]


def in_python(folder: Path) -> Path:
    """The rubric in Python as a file."""
    text = PYTHON
    for name, code in CODES.items():
        text = text.replace(f'"{name}"', json.dumps(code))
    path = folder / "python.rubric.yaml"
    path.write_text(text, "utf-8")
    return path


def edited(folder: Path) -> list[tuple[Path, Path]]:
    """Decks of at least three slides, and each with its first text edited, saved by python-pptx."""
    found = []
    for path in sorted(FOLDER.glob("*/*.pptx")):
        try:
            deck = Presentation(str(path))
            shape = next(s for s in deck.slides[0].shapes if s.has_text_frame and s.text_frame.text.strip())
        except (KeyError, ValueError, StopIteration, IndexError, AttributeError):
            continue
        except Exception as error:  # python-pptx raises what its innards happen to raise
            print(f"passed over {path.name}: {type(error).__name__}")
            continue
        if len(deck.slides) < 3:
            continue
        shape.text_frame.paragraphs[0].text = "Edited"
        target = folder / f"{len(found)}.pptx"
        deck.save(str(target))
        found.append((path, target))
    return found


def compare(name: str, pairs: Sequence[tuple[Sequence[Leaf], Sequence[Leaf], Path, Path]], sandbox: Sandbox) -> None:
    """Print medians and the ratio, round by round."""
    ratios, ours, theirs = [], [], []
    for number in range(ROUNDS + 1):
        python = sum(judged(old, original, modified, sandbox)[0] for old, _, original, modified in pairs)
        words = sum(judged(new, original, modified, sandbox)[0] for _, new, original, modified in pairs)
        if number:  # the first one warms up
            ratios.append(python / words)
            ours.append(words)
            theirs.append(python)
    print(
        f"{name}: {len(pairs)} tasks, Python {statistics.median(theirs):.2f} s, words {statistics.median(ours):.2f} s, "
        f"{statistics.median(ratios):.1f} times as fast ({min(ratios):.1f}..{max(ratios):.1f}, {ROUNDS} rounds)"
    )


def main() -> None:
    """Both comparisons."""
    tasks = json.loads((ROOT / "cases" / "tasks.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as name, Sandbox(preload=["pytest_ppteval.vocabulary.whole"]) as sandbox:
        folder = Path(name)
        print(f"sandbox {sandbox.level}")
        suite = []
        for task, entry in tasks.items():
            old = next((ROOT / "tests" / "data" / "old_suite").glob(f"{task}.*"))
            new = leaves_of(ROOT / entry["rubric_path"])
            words = [leaf for leaf in new if leaf.scorer.type == "deck"]
            if len(words) == len(new):
                output = ROOT / "baselines" / "cases" / task / "output.pptx"
                suite.append((leaves_of(old), words, ROOT / entry["file_path"], output))
        compare("suite", suite, sandbox)
        (folder / "words.rubric.yaml").write_text(WORDS, "utf-8")
        python, words = leaves_of(in_python(folder)), leaves_of(folder / "words.rubric.yaml")
        decks = [(python, words, original, target) for original, target in edited(folder)]
        for old, new, original, target in decks[:]:
            scores = judged(old, original, target, sandbox)[1], judged(new, original, target, sandbox)[1]
            if None in scores[0] + scores[1]:
                decks.remove((old, new, original, target))
        compare("decks saved anew", decks, sandbox)


if __name__ == "__main__":
    main()
