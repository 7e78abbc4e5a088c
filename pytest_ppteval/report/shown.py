"""A leaf as the session remembers it: small, since a run may have tens of thousands, and pytest's reports are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pytest_ppteval.report.judging import properties
from pytest_ppteval.report.leaf import LeafRecord

if TYPE_CHECKING:
    import pytest

_KEYS = tuple(LeafRecord.__annotations__)


class ShownLeaf(NamedTuple):
    """What reports are made of once a leaf has been shown.

    values: of its record, without the keys. outcome: pytest's. text: what is told of one that falls short.
    report: pytest's own, where pytest keeps it too.
    """

    values: tuple[Any, ...]
    outcome: str
    text: str = ""
    report: pytest.TestReport | None = None

    @classmethod
    def of(cls, report: pytest.TestReport, *, kept: bool) -> ShownLeaf:
        """From pytest's report, which pytest keeps or not."""
        record: LeafRecord = report.ppteval_leaf
        values = tuple(record[key] for key in _KEYS)  # type: ignore[literal-required]
        text = "" if report.passed else report.longreprtext
        return cls(values, report.outcome, text, report if kept else None)

    @property
    def record(self) -> LeafRecord:
        """The leaf's record."""
        return cast(LeafRecord, dict(zip(_KEYS, self.values, strict=True)))


def leaf_properties(leaf: LeafRecord) -> list[tuple[str, object]]:
    """A leaf's record as JUnit properties."""
    found: list[tuple[str, object]] = [("ppteval.leaf", leaf["id"])]
    if leaf["score"] is not None:
        found.append(("score", repr(leaf["score"])))
    found += [("is_critical", str(leaf["critical"]).lower()), ("seconds", f"{leaf['seconds']:.3f}")]
    found += [(key, leaf[key]) for key in ("dimension", "priority") if leaf[key] is not None]
    return found + properties(leaf["judging"])
