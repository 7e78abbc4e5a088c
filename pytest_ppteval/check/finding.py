"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pytest_ppteval.rubric.tree import Source

# An error makes verdicts wrong, a warning may, a note is for whoever has time.
Severity = Literal["error", "warning", "note"]

# Every rule, and in one line what it means.
RULES: dict[str, tuple[Severity, str]] = {
    "format": ("error", "the file is not as its format asks"),
    "syntax": ("error", "a leaf's code is no Python, or has no compute_score()"),
    "unknown-name": ("error", "code uses a name that is not there when it runs"),
    "import": ("error", "code imports what the sandbox has not"),
    "always": ("error", "a leaf gives the same score whatever the deck is"),
    "unreachable": ("warning", "code that never runs"),
    "swallows": ("warning", "an except turns a fault of the leaf, or a deck of another form, into a score"),
    "no-critical": ("warning", "no leaf is critical: a wrong result is only a little worse"),
    "no-changes": ("warning", "no leaf says what must stay as it was"),
    "powerless": ("warning", "leaves that can't decide anything: threshold and weights let them fail"),
    "asks-a-model": ("note", "a model is asked what the vocabulary can tell"),
    "unclear-question": ("warning", "a question does not say what YES means, or what scale its score has"),
    "wrong-pictures": ("warning", "a question speaks of other slides than those whose pictures it sends"),
    "slide-number": ("warning", "a leaf looks at the slide before or after the one that the goal names"),
    "line-ends": ("warning", "a pattern with ^ or $ on text whose lines may end otherwise"),
    "one-tool": ("warning", "one tool is named where several do the same"),
    "same-name": ("note", "two leaves have one name"),
    "unproven": ("note", "there is no approved output to prove the rubric on"),
    "original-unusable": ("error", "the original deck can't be opened"),
    "refuses-approved": ("error", "the approved output falls short"),
    "refuses-equal": ("error", "the approved output falls short when it is only written otherwise"),
    "accepts-untouched": ("error", "a deck passes on which nothing was done"),
    "accepts-empty": ("error", "a deck without slides passes"),
    "accepts-other": ("error", "another task's output passes"),
    "accepts-counterexample": ("error", "a deck that is known to be wrong passes, or another leaf catches it"),
    "survivor": ("warning", "a mutant passes: the approved output with one fault in it"),
    "stale-acceptance": ("note", "the rubric accepts a finding that there is not"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about a rubric. rule: a key of RULES. task, leaf: of which; "" where none is meant.

    mutant: its name, of a mutant that passes.
    """

    rule: str
    source: Source
    message: str
    task: str = ""
    leaf: str = ""
    mutant: str = ""

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return RULES[self.rule][0]

    def __str__(self) -> str:
        return f"{self.source}: {self.severity}: {self.message} [{self.rule}]"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "file": self.source.path,
            "line": self.source.line,
            "task": self.task,
            "leaf": self.leaf,
            "mutant": self.mutant,
            "message": self.message,
        }
