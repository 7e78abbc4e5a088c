"""Files become items: a registry, a task or a rubric file is a module, each of its tasks a test function in it."""

from __future__ import annotations

import os
import re
import types
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.session.checking import CheckItem
from pytest_ppteval.session.item import TaskItem
from pytest_ppteval.session.obtain import stored_judgement, trials_of
from pytest_ppteval.session.process import options_of
from pytest_ppteval.session.stash import CASE_PLACES, FIRST_FILES, KNOWN_MARKERS
from pytest_ppteval.session.trials import trial_of
from pytest_ppteval.session.wrong import wrong_nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_ppteval.case.discover import Kind
    from pytest_ppteval.case.model import Case, FormatError, WrongCase
    from pytest_ppteval.rubric.tree import Leaf, Source

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
# Screenshots come before the diff: see gather.take_pictures.
FIXTURES_BY_NAME = (*SCREENSHOTS, "ppt_diff", "vlm_call", "llm_call")
# The scorers that look at what an agent did.
OF_TRACES = frozenset(["check", "judge", "baseline"])
MOST_NAMED = 4


class RubricFile(pytest.Module):
    """A registry, a task or a rubric file; its tasks stand in it as functions do in a module.

    Being a Module, it gets pytest's own machinery for fixtures, parametrization and markers.
    """

    kind: Kind
    _wrong: Sequence[WrongCase] = ()

    def _getobj(self) -> types.ModuleType:
        from pytest_ppteval.case.load import load
        from pytest_ppteval.case.model import Registry, WrongCase
        from pytest_ppteval.sandbox.confine.policy import SandboxUnavailable
        from pytest_ppteval.session.process import start_sandbox

        if self.config.pluginmanager.is_blocked("subtests"):
            raise self.CollectError("pytest-ppteval needs pytest's subtests plugin: take away -p no:subtests")
        registry = load(self.path, self.kind, base=self.config.rootpath)
        if registry.of_file:
            raise self.CollectError("\n".join(map(str, registry.errors)))
        if self.kind == "case":
            for one in registry.wrong:
                if one.id is not None:  # taken all the same
                    self._place(one.id, one.source)
        wrong = list(registry.wrong)
        good = []
        for case in registry.cases:
            errors = self._problems(case)
            if errors:
                wrong.append(WrongCase(case.id, case.source, tuple(errors)))
            else:
                good.append(case)
        # A registry of which nothing can be used is one fault; a case file stands beside others of its suite.
        if not good and self.kind != "case":
            raise self.CollectError("\n".join(map(str, Registry(wrong=tuple(wrong)).errors)))
        try:
            start_sandbox(self.config, good)
        except SandboxUnavailable as error:
            raise self.CollectError(str(error)) from None
        self._wrong = sorted(wrong, key=lambda one: one.source.line)
        module = types.ModuleType(self.path.stem)
        for case in good:
            setattr(module, case.id, make_test(case, self.config))
        return module

    def _problems(self, case: Case) -> list[FormatError]:
        """What is wrong with a case among the others of the session."""
        from pytest_ppteval.case.model import FormatError

        errors = []
        if case.id in RESERVED or case.id.startswith("__"):
            message = f"task id {case.id!r} is a name that pytest keeps for itself: rename the task"
            errors.append(FormatError(case.source, message))
        self.config.stash.setdefault(FIRST_FILES, {}).setdefault((case.suite, case.id), self.nodeid)
        if case.facts is not None:
            first = self._place(case.id, case.source)
            if first.path != case.source.path:
                message = f"case id {case.id!r} is taken in this folder, by {first}: rename one"
                errors.append(FormatError(case.source, message))
        return errors

    def _place(self, case_id: str, source: Source) -> Source:
        """Where the first case of this id is written in the folder: two would share outputs and approved runs."""
        return self.config.stash.setdefault(CASE_PLACES, {}).setdefault((str(self.path.parent), case_id), source)

    def _without_originals(self, functions: Sequence[pytest.Function]) -> str | None:
        """What is told, once, of a registry of several tasks whose decks are all missing; None where one is there.

        Not where a fixture of the user's says where they are.
        """
        cases = {function.obj.ppteval_case.id: function.obj.ppteval_case for function in functions}
        named = [case.original for case in cases.values() if case.original is not None]
        if self.kind != "registry" or self.config.option.collectonly or options_of(self.config).original:
            return None
        if len(named) < max(2, len(cases)) or any(os.path.lexists(deck) for deck in named):
            return None
        if any(not is_ours(function, "original_ppt_path") for function in functions):
            return None
        missing = sorted({str(deck) for deck in named})
        root = self.path.parent.parent
        names = ", ".join(os.path.relpath(deck, root) for deck in missing[:MOST_NAMED])
        more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
        remedy = "put them there"
        if (root / "hydrate_data.py").is_file():  # a checkout of PPT-Eval, whose decks are not in its repository
            remedy = "fetch them with the checkout's own hydrate_data.py"
        decks = "the deck" if len(missing) == 1 else f"the {len(missing)} decks"
        verb = "is" if len(missing) == 1 else "are"
        return f"{decks} that its tasks start from {verb} not there: {names}{more} in {root}: {remedy}"

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
        functions = [function for function in super().collect() if isinstance(function, pytest.Function)]
        yield from wrong_nodes(self, self._wrong, {function.originalname for function in functions})
        if problem := self._without_originals(functions):
            raise self.CollectError(problem)
        if self.config.getoption("ppteval_check"):
            each = {function.originalname: function for function in functions}
            cases = [function.obj.ppteval_case for function in each.values()]
            yield from (CheckItem.of(function, cases) for function in each.values())
            return
        for function in functions:
            case: Case = function.obj.ppteval_case
            stored = stored_judgement(function, case, options_of(self.config).rules(case))
            if stored is not None:
                # Judged in the session that is resumed: it is told again, and nothing is set up for it.
                told = make_told(function.obj)
                yield TaskItem.from_parent(
                    self,
                    name=function.name,
                    callspec=getattr(function, "callspec", None),
                    callobj=told,
                    originalname=function.originalname,
                    trial=trial_of(function),
                    stored=stored,
                )
                continue
            yield TaskItem.from_parent(
                self,
                trial=trial_of(function),
                name=function.name,
                callspec=getattr(function, "callspec", None),
                callobj=function.obj,
                # The one private name in use: pytest has no public way to hand fixtures to a custom item.
                fixtureinfo=function._fixtureinfo,
                originalname=function.originalname,
            )


def is_ours(function: pytest.Function, fixture: str) -> bool:
    """Whether the fixture of that name is the plugin's own, as far as `function` sees."""
    found = function._fixtureinfo.name2fixturedefs.get(fixture)
    return not found or found[-1].func.__module__.startswith("pytest_ppteval.")


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
    compile_leaves(case.rubric.leaves)
    test = pytest.mark.usefixtures("ppteval_trial", *fixtures_of(case), "ppteval_evidence")(test)
    for name in markers_of(case):
        known = config.stash.setdefault(KNOWN_MARKERS, set())
        if name not in known:
            known.add(name)
            config.addinivalue_line("markers", f"{name}: a tag or difficulty of ppteval tasks")
        test = getattr(pytest.mark, name)(test)
    found: Callable[..., None] = test
    return found


def make_told(test: Any) -> Callable[..., None]:
    """The function that stands for a task whose judgement is stored: marked as `test` is, without its fixtures."""

    def task(request: pytest.FixtureRequest) -> None:
        item = request.node
        assert isinstance(item, TaskItem)
        item.judge(request)

    told: Any = task
    told.__name__ = told.__qualname__ = test.__name__
    told.__doc__ = test.__doc__
    told.ppteval_case = test.ppteval_case
    told.pytestmark = [mark for mark in test.pytestmark if mark.name != "usefixtures"]
    found: Callable[..., None] = told
    return found


def add_trials(metafunc: pytest.Metafunc) -> None:
    """A task that is tried several times is an item for each trial."""
    case = getattr(metafunc.function, "ppteval_case", None)
    if case is None:
        return
    trials = trials_of(case, metafunc.config)
    if len(trials) > 1:
        names = [f"trial-{trial.number}" for trial in trials]
        metafunc.parametrize("ppteval_trial", trials, indirect=True, ids=names)


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


def compile_leaves(leaves: Iterable[Leaf]) -> None:
    """Compile the leaves' code, as pytest does with a test module when it collects it."""
    from pytest_ppteval.sandbox.source.code import compiled
    from pytest_ppteval.sandbox.source.needs import file_name

    for leaf in leaves:
        if leaf.scorer.type == "function":
            compiled(str(leaf.scorer.args.get("function_code", "")), file_name(leaf.id))


def fixtures_of(case: Case) -> list[str]:
    """The fixtures that some leaf of the case mentions.

    Declared up front, so that a broken renderer is a set-up error of the task and never a low score.
    """
    from pytest_ppteval.sandbox.source.code import names_used

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
