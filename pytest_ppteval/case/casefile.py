"""Case files (*.case.yaml, *.case.json): what an agent is asked, compiled into the same tree as a rubric.

Root -> a group for each dimension that has leaves -> leaves. Each leaf's metadata is
{"dimension", "priority"}. Scorers:

    check     {"rule", "value", "options"}: see case.rules
    human     {"question", "scale": "1-5" or words, "name": text or None, "only": whether it is the case's one question}
    budget    as for decks; these are gates
    judge     {"part": "process" or "result", "low": 0, "high": 100, "observation_points": [...], "task": the prompt,
              "expected": text or None, "skill": name or None, "votes": int or None}. Both leaves of a case have the
              same args but for part, low and high: one question to the model answers both.
    baseline  {"aspect": "process", "efficiency", "regression", "report" or "artifacts",
              "named": whether the case asks for this aspect; else it is one of those that `baseline: true` means,
              "case": id, "suite": name,               approved runs: baselines/<suite>/<case id>/
              "seconds": the time base (300 unless said),
              "min_process": 0..100 or None, "min_match": 0..1 or None,
              "key_verdicts": [{"name", "pattern"?, "file"?, "path"?}], "report": {"differs"?, "missing"?, "added"?},
              "artifacts": [globs] or None}            each aspect's leaf has all of them

The suite of a case is the name of the folder that holds its file, so that files may divide a suite as they like:
cases/agent/trigger.case.yaml and cases/agent/core.case.yaml are one suite, "agent".
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.case.document import read_document
from pytest_ppteval.case.judged import baseline_nodes, human_nodes, judge_nodes, part_problems
from pytest_ppteval.case.model import Case, Facts, FormatError, Registry, WrongCase
from pytest_ppteval.case.paths import id_problem, join_path, path_problem, show_path
from pytest_ppteval.case.rules import rule_node, rule_problems
from pytest_ppteval.case.settings import budget_gates, budget_of, read_settings, setting_problems
from pytest_ppteval.case.validate import find_problems
from pytest_ppteval.case.variables import expand, has_variables
from pytest_ppteval.rubric.dimension import DIMENSIONS, MEANINGS, PRIORITIES
from pytest_ppteval.rubric.tree import Node, Rubric

if TYPE_CHECKING:
    from pytest_ppteval.case.document import Document
    from pytest_ppteval.case.marks import Key

ENDINGS = (".case.yaml", ".case.yml", ".case.json")
_SCORED = ("expected_behavior", "rubric", "baseline", "human")


def load_cases(path: Path, base: Path | None = None) -> Registry:
    """The cases of the file at `path`, and every problem in it. A case with a problem is left out; the others load.

    base: files are shown relative to it; unless given, as `path` itself is written.
    """
    absolute = path.absolute()
    shown = show_path(absolute, base or (None if path.is_absolute() else Path.cwd()))
    try:
        document = read_document(path, shown)
    except FormatError as error:
        return Registry(of_file=error.all)
    reader = _Reader(document, absolute)
    read = [case for path in reader.paths() for case in reader.read(path)]
    cases = tuple(case for case in read if isinstance(case, Case))
    return Registry(cases, tuple(reader.errors), tuple(case for case in read if isinstance(case, WrongCase)))


class _Reader:
    def __init__(self, document: Document, path: Path) -> None:
        self.errors: list[FormatError] = []  # of the file as a whole
        self._document = document
        self._folder = path.parent
        self._stem = next((path.name.removesuffix(end) for end in ENDINGS if path.name.endswith(end)), path.stem)
        self._defaults: dict[str, Any] = {}
        self._first: dict[str, int] = {}  # case id -> line of the first case that has it

    def paths(self) -> list[tuple[Key, ...]]:
        """Where the file's cases are. A file that is none of the three forms has none, and an error."""
        document, data = self._document, self._document.data
        if isinstance(data, list):
            if not data:
                self.errors.append(FormatError(document.source(), "no cases in this file: add one"))
            return [(index,) for index in range(len(data))]
        if not isinstance(data, dict):
            message = "a case file must be a case, a list of cases, or an object with 'cases'"
            self.errors.append(FormatError(document.source(), message))
            return []
        if "cases" not in data and "defaults" not in data:
            return [()]
        # Each case is checked on its own, for the others to load.
        listed = data.get("cases")
        cases = listed if isinstance(listed, list) else []
        self.errors += find_problems(document, "suite")
        if "defaults" in data:
            problems = find_problems(document, "defaults", ("defaults",))
            self.errors += problems
            if problems:
                return []  # what the cases lack for it would only hide the reason
            self._defaults = data["defaults"]
        return [("cases", index) for index in range(len(cases))]

    def read(self, path: tuple[Key, ...]) -> list[Case | WrongCase]:
        """The cases at `path`: one, or one for each of its sets of variables."""
        written, defaults = self._document, self._defaults
        own: Any = written.data
        for key in path:
            own = own[key]
        if not has_variables(own):
            return [self._read(path)]
        found: list[Case | WrongCase] = []
        try:
            for document in expand(written, path, self._stem):
                self._document = document
                self._defaults = document.data["defaults"] if defaults else defaults
                found.append(self._read(path))
        except FormatError as error:
            found.append(WrongCase(own.get("id") if isinstance(own.get("id"), str) else None, error.source, (error,)))
        finally:
            self._document, self._defaults = written, defaults
        return found

    def _read(self, path: tuple[Key, ...]) -> Case | WrongCase:
        document = self._document
        own: Any = document.data
        for key in path:
            own = own[key]
        written = own.get("id", self._stem if path == () else None) if isinstance(own, dict) else None
        case_id = written if isinstance(written, str) else None
        # An id is taken by a case with other faults, too.
        errors = find_problems(document, "case", path)
        well_formed = not errors
        if case_id is not None:
            errors += self._id_problems(path, case_id, written="id" in own)
        if well_formed:
            fields = {**self._defaults, **own}
            place = {key: (*path, key) if key in own else ("defaults", key) for key in fields}
            errors += [*self._identity(path, case_id, fields, place), *self._problems(fields, place)]
        if errors or case_id is None:
            in_order = sorted(errors, key=lambda error: (error.source.line, error.source.column))
            return WrongCase(case_id, document.source(*path), tuple(in_order))
        return self._case(path, case_id, fields, place)

    def _id_problems(self, path: tuple[Key, ...], case_id: str, *, written: bool) -> list[FormatError]:
        """Why a case can't have this id. written: in the case, not by the file's name."""
        source = self._document.source(*path, "id") if written else self._document.source(*path)
        problem = id_problem(case_id)
        errors = [FormatError(source, problem.replace("task", "case"))] if problem else []
        if case_id in self._first:
            first = self._first[case_id]
            message = f"case id {case_id!r} is taken, first in line {first}: ids name outputs and approved runs"
            errors.append(FormatError(source, message))
        self._first.setdefault(case_id, source.line)
        return errors

    def _identity(
        self, path: tuple[Key, ...], case_id: str | None, fields: dict[str, Any], place: dict[str, tuple[Key, ...]]
    ) -> list[FormatError]:
        """Whether the case has an id, and whether it asks and checks anything."""
        document, here = self._document, self._document.source(*path)
        errors = []
        if case_id is None:
            errors.append(FormatError(here, "'id' is missing: a case in a list needs it"))
        asked = [key for key in ("prompt", "goal") if key in fields]
        if not asked:
            errors.append(FormatError(here, "this case has neither 'prompt' nor 'goal': give it one"))
        elif len(asked) == 2:
            errors.append(
                FormatError(document.key_source(*place["goal"]), "this case has both 'prompt' and 'goal': keep one")
            )
        if not any(fields.get(key) not in (None, False, {}) for key in _SCORED):
            message = "this case checks nothing: give it 'expected_behavior', 'rubric', 'baseline' or 'human'"
            errors.append(FormatError(here, message))
        return errors

    def _problems(self, fields: dict[str, Any], place: dict[str, tuple[Key, ...]]) -> list[FormatError]:
        """What a schema can't say of the fields."""
        document, skill = self._document, fields.get("skill")
        errors: list[FormatError] = []
        for index in range(len(fields.get("expected_behavior", ()))):
            errors += rule_problems(document, (*place["expected_behavior"], index), fields)
        errors += part_problems(document, fields, place)
        problem = self._skill_problem(skill) if skill is not None else None
        if problem:
            errors.append(FormatError(document.source(*place["skill"]), problem))
        trials, require = fields.get("trials", 1), fields.get("require", 1)
        if require > trials:
            message = f"require is {require}, of {trials} {'trial' if trials == 1 else 'trials'}: it can't be more"
            errors.append(FormatError(document.source(*place["require"]), message))
        for index, name in enumerate(fields.get("inputs", ())):
            problem = path_problem(name, self._folder)
            if problem is None and not join_path(self._folder, name).exists():
                problem = f"input {name!r} is not there: paths count from {self._folder}"
            if problem:
                errors.append(FormatError(document.source(*place["inputs"], index), problem))
        if "budget" in fields:
            errors += setting_problems(document, place["budget"][:-1], tuple(fields))
        both = [fields[key] for key in ("strategy", "compute_strategy") if key in fields]
        if len(set(both)) == 2:
            message = "'strategy' and 'compute_strategy' differ, they mean the same: keep one"
            errors.append(FormatError(document.key_source(*place["strategy"]), message))
        return list(dict.fromkeys(errors))

    def _skill_problem(self, skill: str) -> str | None:
        """Why `skill` can't be a skill's name or folder; None if it can.

        Cases may lie below the skill that they try, or far from it: "..", "../../skills/report". Such a folder is read
        and copied as a whole, and so it has to be a skill's.
        """
        plain = path_problem(skill.replace("../", "").removesuffix(".."), self._folder)
        outside = path_problem(skill, self._folder) or not os.path.normpath(skill).strip(".")
        if plain or not outside or (self._folder / skill / "SKILL.md").is_file():
            return plain
        return f"skill {skill!r} is neither a name nor the folder of a skill: there is no SKILL.md in it"

    def _case(
        self, path: tuple[Key, ...], case_id: str, fields: dict[str, Any], place: dict[str, tuple[Key, ...]]
    ) -> Case:
        document = self._document
        goal = str(fields.get("prompt", fields.get("goal")))
        facts = Facts(
            folder=self._folder,
            scenario=fields.get("scenario"),
            polarity=fields.get("polarity", "positive"),
            dimension=fields.get("dimension"),
            agent=fields.get("agent"),
            skill=fields.get("skill"),
            inputs=tuple(join_path(self._folder, name) for name in fields.get("inputs", ())),
            timeout=fields.get("timeout"),
            trials=int(fields.get("trials", 1)),
            require=int(fields.get("require", fields.get("trials", 1))),
            expected=fields.get("expected"),
        )
        rules = [
            rule_node(document, (*place["expected_behavior"], index), facts.skill_name, facts.dimension)
            for index in range(len(fields.get("expected_behavior", ())))
        ]
        suite = self._folder.name
        leaves = [
            *rules,
            *judge_nodes(document, fields, place, facts, goal),
            *baseline_nodes(document, fields, place, case_id, suite),
            *human_nodes(document, fields, place, facts),
        ]
        gates = _gates(document, place["budget"][:-1]) if "budget" in fields else ()
        source = document.key_source(*path, "id") if "id" in fields else document.source(*path)
        return Case(
            id=case_id,
            rubric=Rubric(tree(case_id, leaves, goal, document, path), document.source(*path), {}, gates),
            source=source,
            suite=suite,
            goal=goal,
            tags=tuple(fields.get("tags", ())),
            difficulty=fields.get("difficulty"),
            misc=fields,
            settings=read_settings(fields, {}),
            budget=budget_of(gates),
            facts=facts,
        )


def _gates(document: Document, path: tuple[Key, ...]) -> tuple[Node, ...]:
    metadata = {"dimension": "efficiency", "priority": PRIORITIES["efficiency"]}
    return tuple(dataclasses.replace(gate, metadata=metadata) for gate in budget_gates(document, path))


def tree(name: str, leaves: list[Node], goal: str, document: Document, path: tuple[Key, ...]) -> Node:
    """The root with a group for each dimension that has leaves, in the dimensions' own order.

    A group is critical where its priority is P0, and where it holds a critical leaf: else that leaf could not fail
    the case.
    """
    groups = []
    for dimension in DIMENSIONS:
        below = tuple(leaf for leaf in leaves if leaf.metadata["dimension"] == dimension)
        if below:
            priority = PRIORITIES[dimension]
            critical = priority == "P0" or any(leaf.is_critical for leaf in below)
            metadata = {"dimension": dimension, "priority": priority}
            groups.append(Node(dimension, below[0].source, MEANINGS[dimension], critical, metadata, below))
    return Node(name, document.source(*path), goal, children=tuple(groups))
