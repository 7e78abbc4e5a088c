"""Where the runs that a session judges come from, and where what they came to goes.

A run is the agent's, started here; or one of a session before, resumed or judged again; or one found in a folder. With
xdist each worker runs and records its own items, and the controller tells it the run directory.
"""

from __future__ import annotations

import shutil
import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.evidence.outputs import Output, find_output, output_in
from pytest_ppteval.resources import RUN, RUN_FOLDER, options_of
from pytest_ppteval.runs.facts import utc_now
from pytest_ppteval.runs.folder import RunFolder, RunFolderError
from pytest_ppteval.runs.journal import append, base_nodeid
from pytest_ppteval.runs.records import hashes_for, journal_record, outdated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.agent.spec import AgentRun, AgentSpec
    from pytest_ppteval.case.model import Case
    from pytest_ppteval.runs.stored import Stored, StoredRuns
    from pytest_ppteval.settings import Options
    from pytest_ppteval.verify import Rules


@dataclass(frozen=True, slots=True)
class Trial:
    """Which try at a task an item is: number 1..planned, `require` of which must pass."""

    number: int = 1
    planned: int = 1
    require: int = 1

    @property
    def tolerated(self) -> bool:
        """Whether this trial may fail without failing the task by itself."""
        return self.require < self.planned


@dataclass(slots=True)
class Runs:
    """The session's run directory, and what its runs come from.

    folder: where records go. agent: None where runs come from disk. stored: runs of before, to resume or judge again.
    again: whether they are judged again. made: whether this session made the folder. asked: the number of trials that
    the resumed session was asked for. stop: set to end the agents.
    """

    folder: RunFolder
    agent: AgentSpec | None = None
    stored: StoredRuns | None = None
    again: bool = False
    made: bool = False
    asked: int | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    def folder_of(self, item: pytest.Item, case: Case) -> Path:
        """Where an item's run is kept."""
        trial = trial_of(item)
        name = base_nodeid(item.name, trial.number, trial.planned)
        variant = name.removeprefix(case.id)[1:-1]  # the values of fixtures that a user parametrised
        return self.folder.artifacts(case.suite, case.id, trial.number, variant)

    def earlier(self, item: pytest.Item, case: Case) -> Stored | None:
        """What is kept of this trial from the session that is resumed or judged again."""
        if self.stored is None:
            return None
        trial = trial_of(item)
        base = base_nodeid(item.nodeid, trial.number, trial.planned)
        found = self.stored.find(base, case.id, trial.number)
        if found is None and self.stored.run is not None and not self.again:
            # Killed between the agent's end and the verdict: the run is there, its judgement is not.
            from pytest_ppteval.agent.run import read_agent_run
            from pytest_ppteval.runs.stored import Stored

            folder = self.folder_of(item, case)
            run = read_agent_run(folder)
            if run is not None:
                return Stored(folder, run.status != "infrastructure", None)
        return found


RUNS: pytest.StashKey[Runs | None] = pytest.StashKey()
# On an item: the agent's run, and the run's folder relative to the run directory.
AGENT_RUN: pytest.StashKey[AgentRun] = pytest.StashKey()
KEPT_IN = pytest.StashKey[str]()


def trial_of(item: pytest.Item) -> Trial:
    """Which trial an item is."""
    own = getattr(item, "trial", None)
    if isinstance(own, Trial):
        return own
    callspec = getattr(item, "callspec", None)
    found = callspec.params.get("ppteval_trial") if callspec is not None else None
    return found if isinstance(found, Trial) else Trial()


def planned(case: Case, asked: int | None) -> Trial:
    """The first of a case's trials: as many as `asked`, else as the case says. A case that wants all of its own passed
    wants all of those, and one that wants some wants no more than there are."""
    if case.facts is not None:
        own, needed = case.facts.trials, case.facts.require
    else:
        own = case.settings.trials or 1
        needed = case.settings.require or own
    count = asked or own
    return Trial(1, count, min(needed, count) if needed < own else count)


def trials_of(case: Case, config: pytest.Config) -> list[Trial]:
    """The trials of a case in this session. Runs on disk are taken as many as there are, unless --ppteval-trials."""
    options, runs = options_of(config), runs_of(config)
    asked = options.trials or (runs.asked if runs is not None else None)
    first = planned(case, asked)
    count = first.planned
    if asked is None and (runs is None or runs.agent is None):
        if runs is not None and runs.stored is not None and runs.stored.run is not None:
            # The node id is not known yet; the trials of one id in several files are told apart by their records.
            tries = [r["trials"] for r in runs.stored.records.values() if r["task_id"] == case.id]
            count = max(tries, default=1)
        else:
            count = _trials_on_disk(case, options)
        first = planned(case, count)
    return [Trial(number, count, first.require) for number in range(1, count + 1)]


def _trials_on_disk(case: Case, options: Options) -> int:
    """The highest n of folders <outputs>/<task id>/trial-<n>; 1 where there is none."""
    if options.outputs is None:
        return 1
    numbers = [name.removeprefix("trial-") for name in _names(options.outputs / case.id)]
    return max((int(number) for number in numbers if number.isdecimal() and int(number) < 1000), default=1)


def _names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir() if entry.name.startswith("trial-")]
    except OSError:
        return []


def runs_of(config: pytest.Config) -> Runs | None:
    """The session's run directory with what goes with it; None where nothing is kept."""
    if RUNS not in config.stash:
        config.stash[RUNS] = _open(config)
    return config.stash[RUNS]


def is_kept(options: Options) -> bool:
    """Whether a session with these options has a run directory."""
    return any(one is not None for one in (options.agent, options.results, options.resume, options.rescore))


def _open(config: pytest.Config) -> Runs | None:
    options = options_of(config)
    if not is_kept(options):
        return None
    try:
        stored = _stored(options)
        name = options.agent
        if options.resume is not None:
            assert stored is not None
            assert stored.run is not None
            before = stored.run.facts().get("agent")
            if name is not None and name != before:
                raise pytest.UsageError(
                    f"--ppteval-resume: {options.resume} is of agent {before}, not {name}: start a session of its own"
                )
            name = before
        agent = None if name is None else _agent(config, name)
        if options.resume is not None and stored is not None and stored.run is not None:
            if not hasattr(config, "workerinput") and not config.option.collectonly:
                stored.run.note_resumed(utc_now())
            asked = stored.run.facts().get("options", {}).get("trials")
            return Runs(stored.run, agent, stored, asked=asked)
        shared = getattr(config, "workerinput", {}).get(RUN)
        if shared is not None:
            return Runs(RunFolder(Path(shared)), agent, stored, again=options.rescore is not None)
        if config.option.collectonly:
            return Runs(RunFolder(options.results or config.rootpath), agent, stored, again=options.rescore is not None)
        folder = _create(config, options, agent)
        config.stash[RUN_FOLDER] = str(folder.path)
        return Runs(folder, agent, stored, again=options.rescore is not None, made=True)
    except RunFolderError as error:
        raise pytest.UsageError(str(error)) from None


def _stored(options: Options) -> StoredRuns | None:
    """The runs of before. Raises RunFolderError."""
    path = options.resume or options.rescore
    if path is None:
        return None
    from pytest_ppteval.runs.stored import open_stored

    stored = open_stored(path)
    if options.resume is not None and stored.run is None:
        raise RunFolderError(
            f"--ppteval-resume: {path} is a results folder of PPT-Eval, which this package doesn't add to: judge its "
            "runs with --ppteval-rescore"
        )
    return stored


def _agent(config: pytest.Config, name: str) -> AgentSpec:
    from pytest_ppteval.agent.config import NAMES, choose_agent, find_config, load_agents
    from pytest_ppteval.case.model import FormatError

    try:
        path = find_config(config.rootpath, config.invocation_params.dir)
        if path is None:
            raise pytest.UsageError(
                f"--ppteval-agent {name}: there is no {NAMES[0]} in {config.rootpath}: write one (docs/agents.md)"
            )
        return choose_agent(load_agents(path), name, path)
    except (FormatError, ValueError) as error:
        raise pytest.UsageError("\n".join(map(str, getattr(error, "all", (error,))))) from None


def _create(config: pytest.Config, options: Options, agent: AgentSpec | None) -> RunFolder:
    from pytest_ppteval.picture.renderers import choose
    from pytest_ppteval.runs.facts import session_facts
    from pytest_ppteval.sandbox.policy import probe

    facts = session_facts(
        config.rootpath,
        sandbox=str(probe("off" if options.sandbox == "off" else "auto")),
        renderer=str(choose(options.renderer)),
        models={"judge": options.model.model},
        agent=None if agent is None else agent.name,
        options={
            **options.as_data(),
            "trials": options.trials,
            "judging": {
                "model": options.model.model,
                "record": options.model.record,
                "votes": options.model.votes,
                "max_calls": options.model.max_calls,
                "max_cost_usd": None if options.model.max_cost is None else float(options.model.max_cost),
            },
        },
    )
    if options.results is not None:
        return RunFolder.create(options.results, facts)
    return RunFolder.create_default(config.rootpath, facts)


def outputs_of(config: pytest.Config) -> Path | None:
    """The folder of outputs: the one asked for, or that of an agent whose runs are recorded."""
    options = options_of(config)
    runs = runs_of(config)
    if options.outputs is None and runs is not None and runs.agent is not None:
        return runs.agent.outputs
    return options.outputs


def stored_judgement(item: pytest.Item, case: Case, rules: Rules) -> Mapping[str, Any] | None:
    """The record of a resumed session that still says what judging this item would: it is not run again."""
    runs = runs_of(item.config)
    if runs is None or runs.again:
        return None
    earlier = runs.earlier(item, case)
    if earlier is None or earlier.record is None or not earlier.complete:
        return None
    if earlier.record["verdict"] not in ("passed", "failed", "undetermined"):
        return None  # judged in part, or not to an end
    return None if outdated(earlier.record, case, rules) else earlier.record


def find_run(request: pytest.FixtureRequest, case: Case) -> Output:
    """The run that the test judges; an agent is started here if that is asked for.

    Fails the test, as its set-up, where there is nothing to judge for a reason that is not the agent's.
    """
    config, item = request.config, request.node
    options, runs, trial = options_of(config), runs_of(config), trial_of(item)
    if options.modified is not None:
        return Output(options.modified)
    if runs is None:
        return find_output(case, options.outputs, options.baselines, trial.number if trial.planned > 1 else None)
    into = runs.folder_of(item, case)
    earlier = runs.earlier(item, case)
    if earlier is not None and earlier.complete and (runs.again or not _must_run_again(earlier, case)):
        return _earlier_output(item, earlier, case, runs, into)
    if runs.again:
        assert runs.stored is not None
        known = "" if earlier is None else "complete "
        return Output(None, f"no {known}run of this task is kept in {runs.stored.path}", "setup")
    if runs.agent is not None and runs.agent.kind != "recorded":
        return _run_agent(request, case, runs, runs.agent, trial, into)
    found = find_output(case, outputs_of(config), options.baselines, trial.number if trial.planned > 1 else None)
    if found.fault is None:
        _copy_run(found, into)
        item.stash[KEPT_IN] = runs.folder.relative(into)
    return found


def _must_run_again(earlier: Stored, case: Case) -> bool:
    """Whether the task was another when the agent ran; a changed rubric alone needs no run."""
    return earlier.record is not None and earlier.record.get("task_hash") != hashes_for(case)["task_hash"]


def _earlier_output(item: pytest.Item, earlier: Stored, case: Case, runs: Runs, into: Path) -> Output:
    from pytest_ppteval.agent.run import read_agent_run

    folder = earlier.folder
    if folder is None or not folder.is_dir():
        return Output(None, "what the agent left was not kept", "setup")
    if runs.again and runs.stored is not None and runs.stored.reference is None:
        # The new run directory stands for itself: the old one may be thrown away.
        shutil.copytree(folder, into, symlinks=True, dirs_exist_ok=True)
        folder = into
    output = output_in(folder, case)
    if runs.again and folder != into and output.fault is None:
        _copy_run(output, into)
    run = read_agent_run(folder)
    if run is not None:
        item.stash[AGENT_RUN] = run
    item.stash[KEPT_IN] = runs.folder.relative(into)
    return output


def _copy_run(found: Output, into: Path) -> None:
    """A run found on disk, copied to where the session keeps it."""
    into.mkdir(parents=True, exist_ok=True)
    if found.folder is not None:
        names = ("response.md", "response.txt", "metrics.json", "agent.json")
        for path in [*found.folder.glob("trace.*"), *(found.folder / name for name in names)]:
            if path.is_file():
                shutil.copy(path, into)
        if (found.folder / "workspace").is_dir():
            shutil.copytree(found.folder / "workspace", into / "workspace", symlinks=True, dirs_exist_ok=True)
    if found.deck is not None and found.deck.is_file():
        shutil.copy(found.deck, into / "output.pptx")


def _run_agent(
    request: pytest.FixtureRequest, case: Case, runs: Runs, agent: AgentSpec, trial: Trial, into: Path
) -> Output:
    from pytest_ppteval.agent.asked import task_of
    from pytest_ppteval.agent.run import run_agent
    from pytest_ppteval.agent.slots import agent_slot
    from pytest_ppteval.runs.running import running

    most = options_of(request.config).max_agents
    task = base_nodeid(request.node.nodeid, trial.number, trial.planned)
    with ExitStack() as stack:
        if most is not None:
            stack.enter_context(agent_slot(runs.folder.path / "running" / "slots", most, runs.stop))
        stack.enter_context(running(runs.folder.path, task, trial.number, agent.name))
        run = run_agent(agent, task_of(case, trial.number), into, stop=runs.stop)
    request.node.stash[AGENT_RUN] = run
    request.node.stash[KEPT_IN] = runs.folder.relative(into)
    if run.status == "infrastructure":
        tries = f" ({run.attempts} attempts)" if run.attempts > 1 else ""
        pytest.fail(f"agent {agent.name}: {run.reason}{tries}: no run, so that nothing is scored", pytrace=False)
    return output_in(into, case, "" if run.status == "finished" else f"it ended as {run.status}: {run.reason}")


def keep(item: pytest.Item, case: Case, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the controller is told of a judged trial beside its record; on disk first, where the session is kept."""
    runs, trial = runs_of(item.config), trial_of(item)
    earlier = None if runs is None or not runs.again else runs.earlier(item, case)
    run = item.stash.get(AGENT_RUN, None)
    kept = journal_record(
        record,
        trial=trial.number,
        trials=trial.planned,
        require=trial.require,
        agent=None if runs is None or runs.agent is None else runs.agent.name,
        folder=item.stash.get(KEPT_IN, None),
        run=None if run is None else run.as_data(),
        hashes=hashes_for(case) if runs is not None else None,
        previous=earlier.before if earlier is not None else None,
    )
    if runs is not None:
        append(runs.folder.path, kept)
    return kept


def close_runs(config: pytest.Config) -> None:
    """Say in the run directory that the session is over; one that nothing came of is taken away again."""
    runs = config.stash.get(RUNS, None)
    if runs is None or config.option.collectonly or hasattr(config, "workerinput"):
        return
    folder = runs.folder
    if runs.made and not folder.results.exists() and not (folder.path / "artifacts").exists():
        shutil.rmtree(folder.path, ignore_errors=True)
    else:
        folder.update(ended=utc_now())
