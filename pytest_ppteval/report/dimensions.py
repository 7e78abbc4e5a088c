"""Cases of agents and skills, summed up: results by dimension, what a suite leaves untried, reviews that are wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_ppteval.rubric.dimension import DIMENSIONS, PRIORITIES, Tried, gaps
from pytest_ppteval.rubric.score import show_score

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_ppteval.case.model import Case


def by_dimension(leaves: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each dimension that has leaves: bounds on their mean score, how many are full, what is open."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for leaf in leaves:
        if leaf["applies"]:
            found.setdefault(leaf["dimension"], []).append(leaf)
    names = {dimension: f"dimension {dimension} ({PRIORITIES[dimension]})" for dimension in DIMENSIONS}
    width = max((len(names[one]) for one in DIMENSIONS if one in found), default=0)
    for dimension in DIMENSIONS:
        own = found.get(dimension, [])
        if not own:
            continue
        known = sum(leaf["score"] for leaf in own if leaf["score"] is not None)
        still = sum(leaf["score"] is None for leaf in own)
        mean = show_score(known / len(own), (known + still) / len(own))
        full = sum(leaf["score"] == 1 for leaf in own)
        more = f", {still} unscored" if still else ""
        yield f"  {names[dimension]:{width}}  mean {mean:>10}  full {full}/{len(own)}{more}"


def reviews_wanted(leaves: Iterable[Mapping[str, Any]]) -> str | None:
    """How many reviews by people are wanted, in one line; None where none is."""
    wanted = [leaf for leaf in leaves if leaf["kind"] == "human" and leaf["shown"] == "unscored"]
    if not wanted:
        return None
    cases = len({leaf["nodeid"] for leaf in wanted})
    what = f"{len(wanted)} {'review' if len(wanted) == 1 else 'reviews'}"
    return f"ppteval: {what} by people wanted, of {cases} {'case' if cases == 1 else 'cases'}"


def untried(cases: Sequence[tuple[Path, Tried]]) -> Iterator[str]:
    """A line for each suite that has no case for some scenario or dimension.

    cases: with the files that they are written in. A suite of which this run leaves out a file is passed over: what it
    lacks may be there.
    """
    folders: dict[Path, list[Tried]] = {}
    for path, case in cases:
        folders.setdefault(path.parent, []).append(case)
    files = {path for path, _ in cases}
    for folder, tried in folders.items():
        if any(path not in files for path in folder.glob("*.case.*") if path.suffix in (".yaml", ".yml", ".json")):
            continue
        missing = gaps(tried)
        if missing:
            suite = f"suite {tried[0].suite}: " if len(folders) > 1 else ""
            yield f"ppteval: {suite}no case for: {', '.join(missing)}"


def tried_by(case: Case, root: Path) -> tuple[Path, Tried] | None:
    """What a collected case is about, with its file; None for a task about a deck."""
    if case.facts is None:
        return None
    dimensions = frozenset(str(leaf.node.metadata["dimension"]) for leaf in case.rubric.leaves)
    return root / case.source.path, Tried(case.suite, case.facts.scenario, case.facts.polarity, dimensions)


def tried_in(record: Mapping[str, Any], root: Path) -> tuple[Path, Tried] | None:
    """The same from a judged task's record."""
    if "suite" not in record:
        return None
    nodes = [*record["scored_rubric"]["root"]["children"], *record["budget"]]
    dimensions = frozenset(str(node["metadata"]["dimension"]) for node in nodes)
    return root / record["file"], Tried(record["suite"], record["scenario"], record["polarity"], dimensions)
