"""Files become items, leaves become subtests."""

from __future__ import annotations

import os
import re
import sys
import types
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.report.leaf import LeafRecord, headline, judged_leaves, leaf_record
from pytest_ppteval.rubric.result import LeafResult
from pytest_ppteval.rubric.text import hanging, quoted
from pytest_ppteval.verify import TaskResult, conclude, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_ppteval.case.discover import Kind
    from pytest_ppteval.case.model import Case
    from pytest_ppteval.options import Options
    from pytest_ppteval.rubric.tree import Leaf, Source

OPTIONS: pytest.StashKey[Options] = pytest.StashKey()
# (path, task) -> the leaves named in node ids such as tasks.json::task::leaf.
LEAVES_BY_NODE_ID = pytest.StashKey[dict[tuple[str, str], set[str]]]()
# On an item: the leaf whose subtest report is being made, and the task's outcome once there is one.
CURRENT_LEAF = pytest.StashKey[LeafRecord | None]()
TASK_RESULT = pytest.StashKey[TaskResult]()

FAILED_SUBTESTS: pytest.StashKey[Any] = getattr(
    sys.modules.get("_pytest.subtests"), "failed_subtests_key", pytest.StashKey()
)

# Names that pytest looks up in a module: a task of that name would be run as something else.
RESERVED = frozenset(
    [
        "setup_module",
        "setUpModule",
        "teardown_module",
        "tearDownModule",
        "setup_function",
        "teardown_function",
        "pytestmark",
        "pytest_plugins",
        "pytest_generate_tests",
    ]
)
SCREENSHOTS = ("original_ppt_screenshots", "modified_ppt_screenshots")
SLOW_IMPORTS = ("numpy", "asyncio")
# Screenshots come before the diff: see fixtures._take_pictures.
FIXTURES_BY_NAME = (*SCREENSHOTS, "ppt_diff", "vlm_call", "llm_call")
# The scorers that look at what an agent did.
OF_TRACES = frozenset(["check", "judge", "baseline"])


class LeafShort(AssertionError):  # noqa: N818 - shown to people as a kind of assertion
    """A leaf that falls short or could not be judged; its text says it all, without a traceback of ours."""


class TaskFailed(AssertionError):  # noqa: N818
    """A task that fails."""


class TaskUndetermined(AssertionError):  # noqa: N818
    """A task on which nothing can be said: leaves are unscored or in error."""


class RubricFile(pytest.Module):
    """A registry, a task or a rubric file; its tasks stand in it as functions do in a module.

    Being a Module, it gets pytest's own machinery for fixtures, parametrization and markers.
    """

    kind: Kind

    def _getobj(self) -> types.ModuleType:
        from pytest_ppteval.case.discover import load
        from pytest_ppteval.plugin import start_sandbox
        from pytest_ppteval.sandbox.policy import SandboxUnavailable

        if self.config.pluginmanager.is_blocked("subtests"):
            raise self.CollectError("pytest-ppteval needs pytest's subtests plugin: take away -p no:subtests")
        registry = load(self.path, self.kind, base=self.config.rootpath)
        problems = [str(error) for error in registry.errors]
        problems += [
            f"{case.source}: task id {case.id!r} is a name that pytest keeps for itself: rename the task"
            for case in registry.cases
            if case.id in RESERVED or case.id.startswith("__")
        ]
        problems += self._taken(registry.cases)
        if problems:
            raise self.CollectError("\n".join(problems))
        try:
            start_sandbox(self.config, registry.cases)
        except SandboxUnavailable as error:
            raise self.CollectError(str(error)) from None
        module = types.ModuleType(self.path.stem)
        for case in registry.cases:
            setattr(module, case.id, make_test(case, self.config))
        return module

    def _taken(self, cases: Iterable[Case]) -> list[str]:
        """Cases whose id another file of the same suite has: they would share outputs and approved runs."""
        first = self.config.stash.setdefault(CASE_PLACES, {})
        found = []
        for case in cases:
            if case.facts is not None:
                source = first.setdefault((str(case.facts.folder), case.id), case.source)
                if source.path != case.source.path:
                    found.append(f"{case.source}: case id {case.id!r} is taken in this folder, by {source}: rename one")
        return found

    def istestfunction(self, obj: object, name: str) -> bool:  # noqa: ARG002 - pytest's signature
        """Our generated functions are the tests, whatever they are called."""
        return hasattr(obj, "ppteval_case")

    def istestclass(self, obj: object, name: str) -> bool:  # noqa: ARG002 - pytest's signature
        """There are no classes here."""
        return False

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """An item for each task (and for each of its parameters, where a fixture is parametrized)."""
        from pytest_ppteval.case.model import FormatError

        try:
            self.obj  # noqa: B018 - loads the file
        except FormatError as error:
            raise self.CollectError(str(error)) from None
        for function in super().collect():
            assert isinstance(function, pytest.Function)
            yield TaskItem.from_parent(
                self,
                name=function.name,
                callspec=getattr(function, "callspec", None),
                callobj=function.obj,
                # The one private name in use: pytest has no public way to hand fixtures to a custom item.
                fixtureinfo=function._fixtureinfo,
                originalname=function.originalname,
            )


def make_test(case: Case, config: pytest.Config) -> Callable[..., None]:
    """The function that stands for `case` in its module: marked by its tags, with the fixtures that its leaves need."""

    def task(request: pytest.FixtureRequest) -> None:
        item = request.node
        assert isinstance(item, TaskItem)
        item.judge(request)

    task.__name__ = task.__qualname__ = case.id
    task.__doc__ = "\n".join(f"- {describe(leaf)}" for leaf in case.rubric.leaves)
    test: Any = task
    test.ppteval_case = case
    test = pytest.mark.usefixtures(*fixtures_of(case), "ppteval_evidence")(test)
    for name in markers_of(case):
        if name not in config.stash[KNOWN_MARKERS]:
            config.stash[KNOWN_MARKERS].add(name)
            config.addinivalue_line("markers", f"{name}: a tag or difficulty of ppteval tasks")
        test = getattr(pytest.mark, name)(test)
    found: Callable[..., None] = test
    return found


KNOWN_MARKERS = pytest.StashKey[set[str]]()
# (folder, case id) -> where that case is written.
CASE_PLACES: pytest.StashKey[dict[tuple[str, str], Source]] = pytest.StashKey()


def describe(leaf: Leaf) -> str:
    """A leaf in one line, for --collect-only."""
    return f"{leaf.id} (budget)" if leaf.is_gate else f"{leaf.id} (critical)" if leaf.is_critical else leaf.id


def markers_of(case: Case) -> list[str]:
    """Marker names from difficulty and tags ("Text edit" becomes text_edit); of a case from a case file also its
    scenario, its polarity, and the dimensions and priorities of its leaves."""
    words = [*([case.difficulty] if case.difficulty else []), *case.tags]
    if case.facts is not None:
        words += [*([case.facts.scenario] if case.facts.scenario else []), case.facts.polarity]
        for key in ("dimension", "priority"):
            words += dict.fromkeys(str(leaf.node.metadata[key]) for leaf in case.rubric.leaves)
    names = (re.sub(r"\W+", "_", word.strip().lower()).strip("_") for word in words)
    return list(dict.fromkeys(name for name in names if name and not name.startswith("_")))


def imports_of_leaves(cases: Iterable[Case]) -> frozenset[str]:
    """The slow modules that some leaf imports: worth having in the sandbox before it asks."""
    from pytest_ppteval.sandbox.code import imports_of

    found: set[str] = set()
    for case in cases:
        for leaf in case.rubric.leaves:
            code = leaf.scorer.args.get("function_code")
            # Parsing ten thousand leaves would take longer than it saves; most import nothing slow.
            if isinstance(code, str) and any(name in code for name in SLOW_IMPORTS):
                found |= {name for name in imports_of(code) if name.partition(".")[0] in SLOW_IMPORTS}
    return frozenset(found)


def fixtures_of(case: Case) -> list[str]:
    """The fixtures that some leaf of the case mentions.

    Declared up front, so that a broken renderer is a set-up error of the task and never a low score.
    """
    from pytest_ppteval.sandbox.code import names_used

    used: set[str] = set()
    for leaf in case.rubric.leaves:
        if leaf.scorer.type == "function":
            used |= names_used(str(leaf.scorer.args.get("function_code", "")))
        elif leaf.scorer.type == "llm":
            used |= {"llm_call", *(name for name in FIXTURES_BY_NAME if f"{{{name}}}" in str(leaf.scorer.args))}
        elif leaf.scorer.type == "judge" or leaf.scorer.args.get("aspect") == "report":
            used.add("llm_call")
    traced = any(leaf.scorer.type in OF_TRACES for leaf in case.rubric.leaves)
    return [*(name for name in FIXTURES_BY_NAME if name in used), *(["trace"] if traced else [])]


class TaskItem(pytest.Function):
    """One task. Its leaves are judged first, all of them, and reported as subtests after."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # Since 9.2 ids are structured, and one that is parsed back from text (in reports, in the cache) takes a "[" in
        # a name for parameters. The item's own must equal it, or --lf and the progress count know the task twice.
        parse = getattr(type(getattr(self, "_id", None)), "parse", None)
        if parse is not None:
            self._id = parse(self.nodeid)
        self.case: Case = self.function.ppteval_case
        # The JUnit rewrite finds our test cases by this property; it is there even when a task is aborted.
        self.user_properties.append(("ppteval.task", self.nodeid))
        self.extra_keyword_matches.update(leaf.id for leaf in self.case.rubric.leaves)

    def selected(self) -> list[Leaf]:
        """The leaves that this run asks for: all, unless node ids or --ppteval-leaf name some."""
        by_id = self.config.stash[LEAVES_BY_NODE_ID]
        named = by_id.get((str(self.path), self.name), set()) | by_id.get((str(self.path), self.originalname), set())
        patterns = self.config.stash[OPTIONS].leaves
        return [
            leaf
            for leaf in self.case.rubric.leaves
            if (not named or leaf.id in named)
            and (not patterns or any(leaf.id == pattern or fnmatchcase(leaf.id, pattern) for pattern in patterns))
        ]

    def judge(self, request: pytest.FixtureRequest) -> None:
        """Judge the selected leaves, report each as a subtest, and raise what the verdict asks for."""
        del self.user_properties[1:]  # a rerun must not add to the numbers of the attempt before it
        leaves = self.selected()
        results, aborted = self._grade(request, leaves)
        rules = self.config.stash[OPTIONS].rules(self.case)
        result = conclude(self.case, results, rules, complete=len(leaves) == len(self.case.rubric.leaves))
        self.stash[TASK_RESULT] = result
        records = [leaf_record(node, result) for node in judged_leaves(result)]
        self._report(request, records)
        self.user_properties += [
            ("ppteval.verdict", result.verdict.outcome),
            ("ppteval.score_low", result.verdict.low),
            ("ppteval.score_high", result.verdict.high),
            ("ppteval.threshold", rules.threshold),
        ]
        if aborted is not None:
            raise TaskUndetermined(f"judging was cut short: {aborted}\n{result.verdict}") from None
        self._keep(request, result, records)
        raise_verdict(result, records)

    def _grade(
        self, request: pytest.FixtureRequest, leaves: Sequence[Leaf]
    ) -> tuple[dict[str, LeafResult], BaseException | None]:
        """Each leaf's result, and the exception that cut judging short, if one did (pytest-timeout's, say)."""
        from pytest_ppteval.fixtures import evidence_for, means_for
        from pytest_ppteval.grade import grade

        results: dict[str, LeafResult] = {}
        evidence, means = evidence_for(request), means_for(request)
        evidence.leaves = leaves
        for leaf in leaves:
            try:
                results[leaf.id] = grade(leaf, evidence, means)
            except (KeyboardInterrupt, pytest.exit.Exception):
                raise
            except BaseException as error:
                results[leaf.id] = LeafResult(status="error", reason=f"judging was cut short: {error}")
                for rest in leaves[len(results) :]:
                    results[rest.id] = LeafResult(status="unscored", reason="not judged: the task was cut short")
                return results, error
        return settle(leaves, results, evidence, self.config.rootpath), None

    def _keep(self, request: pytest.FixtureRequest, result: TaskResult, records: Sequence[LeafRecord]) -> None:
        """Record the run as a candidate for approval, if this session does that."""
        options = self.config.stash[OPTIONS]
        if options.record_baselines is None:
            return
        from pytest_ppteval.baseline.approve import record_candidate
        from pytest_ppteval.fixtures import evidence_for

        judged = {
            "verdict": result.verdict.outcome,
            "low": result.verdict.low,
            "high": result.verdict.high,
            "short": [record["id"] for record in records if record["shown"] in ("failed", "error", "unscored")],
        }
        record_candidate(options.record_baselines, options.baselines, evidence_for(request), judged)

    def _report(self, request: pytest.FixtureRequest, records: Sequence[LeafRecord]) -> None:
        subtests: pytest.Subtests = request.getfixturevalue("subtests")
        # What fails comes first: some readers keep only the first report of a test.
        for record in sorted(records, key=lambda r: r["shown"] not in ("failed", "error")):
            self.stash[CURRENT_LEAF] = record
            try:
                with subtests.test(record["id"]):
                    if record["shown"] == "unscored":
                        pytest.skip(hanging(record["reason"]))
                    if record["shown"] in ("failed", "error"):
                        raise LeafShort(headline(record))
            except (KeyboardInterrupt, pytest.exit.Exception):
                raise
            except BaseException:
                pass
            finally:
                self.stash[CURRENT_LEAF] = None
        # The task fails by its own verdict. Core would fail it for leaves of an attempt that was run again, too.
        failed_subtests: dict[Any, int] = self.config.stash.get(FAILED_SUBTESTS, {})
        failed_subtests.pop(getattr(self, "id", self.nodeid), None)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Where the task is written, and how failures are headed.

        Not by the bare name: the terminal takes dots in it for a class and its methods (v1.2 would show as v1::2).
        """
        return self.path, self.case.source.line - 1, f"task {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]  # str or a repr of core's
        """Our own outcomes in words, without a Python traceback."""
        if isinstance(excinfo.value, LeafShort):
            record = self.stash.get(CURRENT_LEAF, None)
            if record is not None:
                return leaf_text(record)
        if isinstance(excinfo.value, LeafShort | TaskFailed | TaskUndetermined):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


def raise_verdict(result: TaskResult, records: Sequence[LeafRecord]) -> None:
    """Fail, skip or pass the task's own test as its verdict says."""
    verdict = result.verdict
    lines = [str(verdict), *(f"  {hanging(reason)}" for reason in verdict.reasons)]
    text = "\n".join(lines)
    errors = [record for record in records if record["shown"] == "error"]
    if verdict.outcome == "failed":
        raise TaskFailed(text)
    if verdict.outcome == "none":
        short = [record for record in records if record["shown"] in ("failed", "error")]
        if short:
            raise TaskFailed(f"{len(short)} of the {len(records)} selected leaves fall short (no verdict on the task)")
        if records and all(record["shown"] == "unscored" for record in records):
            pytest.skip("no selected leaf could be scored")
        return
    if errors:
        raise TaskUndetermined(f"{text}\n  in error: {', '.join(r['id'] for r in errors)}")
    if verdict.outcome == "undetermined":
        if result.rules.unscored == "allow":
            pytest.skip(text)
        raise TaskUndetermined(text)


def leaf_text(record: LeafRecord) -> str:
    """A leaf that falls short, for people: where it stands, what it is, its score and reason, what its code said."""
    at = record["error_at"]
    place = f"{at['file']}:{at['line']}:{at['column']}" if at else f"{record['file']}:{record['line']}"
    lines = [headline(record), f"{place}: {record['id']}"]
    if record["traceback"]:
        lines += ["", record["traceback"].rstrip()]
    if record["details"]:
        heading = "what changed in the deck:" if record["kind"] == "function" else "details:"
        lines += ["", heading, *(f"  {line}" for line in record["details"].splitlines())]
    if record["output"]:
        lines += ["", "printed by the leaf:", quoted(record["output"])]
    return "\n".join(lines)


def split_leaf_arguments(
    arguments: Iterable[str], base: Path, is_ours: Callable[[Path], bool]
) -> tuple[list[str], dict[tuple[str, str], set[str]]]:
    """Arguments with the leaf taken off (tasks.json::task::leaf), and the leaves that were named, by (path, task)."""
    kept: dict[str, None] = {}
    named: dict[tuple[str, str], set[str]] = {}
    for argument in arguments:
        path, _, rest = str(argument).partition("::")
        task, separator, leaf = rest.partition("::")
        full = Path(os.path.abspath(base / path))
        if separator and is_ours(full):
            named.setdefault((str(full), task), set()).add(leaf)
            argument = f"{path}::{task}"
        kept.setdefault(str(argument))
    return list(kept), named


def deselect(config: pytest.Config, items: list[pytest.Item]) -> list[pytest.Item]:
    """Take out of `items`, and return, tasks without a wanted leaf and rubrics that a registry's task judges anyway.

    Raises pytest.UsageError where a leaf is named that no collected task has.
    """
    named = config.stash[LEAVES_BY_NODE_ID]
    for (path, task), leaves in named.items():
        for item in items:
            if isinstance(item, TaskItem) and str(item.path) == path and task in (item.name, item.originalname):
                known = {leaf.id for leaf in item.case.rubric.leaves}
                if unknown := sorted(leaves - known):
                    raise pytest.UsageError(f"not found: leaf {unknown[0]!r} of {item.nodeid}; it has {sorted(known)}")
    # A rubric that stands in its own file may be named by a registry too: it is one task, judged once, with its deck.
    tasks = [item for item in items if isinstance(item, TaskItem)]
    by_registry = {item.case.rubric.source.path for item in tasks if not is_lone_rubric(item)}
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        if isinstance(item, TaskItem) and (
            not item.selected() or (is_lone_rubric(item) and item.case.rubric.source.path in by_registry)
        ):
            dropped.append(item)
        else:
            kept.append(item)
    items[:] = kept
    return dropped


def is_lone_rubric(item: TaskItem) -> bool:
    """Whether the item's file is a rubric itself, not a registry that names one."""
    return isinstance(item.parent, RubricFile) and item.parent.kind == "rubric"
