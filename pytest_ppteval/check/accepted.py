"""Findings that a rubric's author has looked at and accepts, each with a reason.

In the rubric's metadata (or a task's):

    check:
      accept:
        - {rule: no-critical, why: every leaf counts alike}
        - {rule: asks-a-model, leaf: Reads well, why: that is the question}
        - {mutant: "slide 18: hidden*", why: hiding it is the task}
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from pytest_ppteval.check.finding import RULES, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_ppteval.case.model import Case


def listed(case: Case) -> list[Mapping[str, Any]]:
    """What a case's rubric accepts. Raises ValueError for an entry without a reason, or with another rule."""
    found: list[Mapping[str, Any]] = []
    for where in (case.rubric.metadata, case.misc):
        wanted = where.get("check") if isinstance(where.get("check"), dict) else {}
        for entry in (wanted or {}).get("accept", []):
            if not isinstance(entry, dict) or not entry.get("why") or not {"rule", "mutant"} & entry.keys():
                raise ValueError(
                    f"{case.rubric.source.path}: check: accept: each entry has a rule or a mutant, and a why: {entry!r}"
                )
            if "rule" in entry and entry["rule"] not in RULES:
                raise ValueError(f"{case.rubric.source.path}: check: accept: there is no rule {entry['rule']!r}")
            found.append(entry)
    return found


class Acceptances:
    """Those of all cases."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._of = {case.id: (case, listed(case)) for case in cases}

    def without(self, findings: Iterable[Finding], *, dynamic: bool) -> list[Finding]:
        """The findings that nobody accepts; and what is accepted though there is no such finding.

        dynamic: whether decks were tried: without, nothing is known of mutants.
        """
        used: set[int] = set()
        kept = []
        for finding in findings:
            _, entries = self._of.get(finding.task, (None, []))
            hits = [entry for entry in entries if _fits(entry, finding)]
            used.update(map(id, hits))
            if not hits:
                kept.append(finding)
        for case, entries in self._of.values():
            for entry in entries:
                if id(entry) not in used and "rule" in entry and (dynamic or "mutant" not in entry):
                    what = ", ".join(f"{key} {entry[key]!r}" for key in ("rule", "leaf") if key in entry)
                    kept.append(
                        Finding(
                            "stale-acceptance",
                            case.rubric.source,
                            f"{case.id}: accepts {what}, which is not found",
                            case.id,
                        )
                    )
        return kept


def _fits(entry: Mapping[str, Any], finding: Finding) -> bool:
    if "mutant" in entry:
        return finding.rule == "survivor" and fnmatchcase(finding.mutant, str(entry["mutant"]))
    return entry["rule"] == finding.rule and ("leaf" not in entry or fnmatchcase(finding.leaf, str(entry["leaf"])))
