"""Where the run that an item judges comes from, and where what it came to goes.

A run is the agent's, started here; or one of a session before, resumed or judged again; or one found in a folder.
"""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.evidence.names import named
from pytest_ppteval.evidence.outputs import Output, find_output, output_in
from pytest_ppteval.files.plain import NotPlain, apart, is_folder, open_plain
from pytest_ppteval.files.tree import remove
from pytest_ppteval.files.whole import copy_tree
from pytest_ppteval.runs.journal import append, base_nodeid
from pytest_ppteval.runs.records import hashes_for, journal_record, outdated
from pytest_ppteval.runs.source import Runs
from pytest_ppteval.session.process import options_of
from pytest_ppteval.session.run_directory import earlier_of, folder_of, runs_of, say_whose
from pytest_ppteval.session.stash import AGENT_RUN, KEPT_IN, OUTPUT, UNTOUCHED
from pytest_ppteval.session.trials import Trial, planned, trial_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_ppteval.agent.spec import AgentSpec
    from pytest_ppteval.case.model import Case
    from pytest_ppteval.runs.stored import Stored
    from pytest_ppteval.session.untouched import Untouched
    from pytest_ppteval.verify import Rules


def trials_of(case: Case, config: pytest.Config) -> list[Trial]:
    """The trials of a case in this session. Runs on disk are taken as many as there are, unless --ppteval-trials."""
    options, runs = options_of(config), runs_of(config)
    if runs is not None and runs.agent is not None and runs.agent.kind != "recorded":
        _untouched(config).add(case, runs.agent, options.baselines)
    asked = options.trials or (runs.asked if runs is not None else None)
    first = planned(case, asked)
    count = first.planned
    if asked is None and (runs is None or runs.agent is None or runs.agent.kind == "recorded"):
        if runs is not None and runs.stored is not None and runs.stored.run is not None:
            # The node id is not known yet; the trials of one id in several files are told apart by their records.
            tries = [r["trials"] for r in runs.stored.records.values() if r["task_id"] == case.id]
            count = max(tries, default=1)
        else:
            count = _trials_on_disk(case, outputs_of(config))
        first = planned(case, count)
    return [Trial(number, count, first.require) for number in range(1, count + 1)]


def _trials_on_disk(case: Case, outputs: Path | None) -> int:
    """The highest n of folders <outputs>/<task id>/trial-<n>; 1 where there is none."""
    if outputs is None:
        return 1
    numbers = [name.removeprefix("trial-") for name in _names(named(outputs, case.id))]
    return max((int(number) for number in numbers if number.isdecimal() and int(number) < 1000), default=1)


def _names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir() if entry.name.startswith("trial-")]
    except OSError:
        return []


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
    earlier = earlier_of(runs, item, case)
    if earlier is None or earlier.record is None or not earlier.complete:
        return None
    if earlier.record["verdict"] not in ("passed", "failed"):
        return None  # judged in part, or left open: what was missing then, a model say, may be there now
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
    if runs.agent is not None and runs.agent.kind != "recorded":
        _must_be_as_it_was(item, case, runs, runs.agent)
    into = folder_of(runs, item, case)
    earlier = earlier_of(runs, item, case)
    if earlier is not None and earlier.complete and (runs.again or not _must_run_again(earlier, case)):
        return _earlier_output(item, earlier, case, runs, into)
    if runs.from_before:
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
    if folder is None or not is_folder(folder):
        return Output(None, "what the agent left was not kept", "setup")
    if runs.again and runs.stored is not None and runs.stored.reference is None:
        # The new run directory stands for itself: the old one may be thrown away.
        copy_tree(folder, into, links=False)
        folder = into
    output = output_in(folder, case)
    if output.fault is None and not folder.is_relative_to(runs.folder.path):
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
        names = [path.name for path in found.folder.glob("trace.*")]
        for name in (*names, "response.md", "response.txt", "metrics.json", "agent.json"):
            _copy_file(found.folder / name, into / name)
        if os.path.lexists(found.folder / "workspace"):
            copy_tree(found.folder / "workspace", into / "workspace", links=False)
    if found.deck is not None:
        _copy_file(found.deck, into / "output.pptx")


def _copy_file(source: Path, target: Path) -> None:
    """A plain file; where it is none, what is judged says so by the name that it has there."""
    base, start = apart(source.parent)
    with suppress(NotPlain), open_plain(base, start + source.name) as file, target.open("wb") as copy:
        shutil.copyfileobj(file, copy)


def _run_agent(
    request: pytest.FixtureRequest, case: Case, runs: Runs, agent: AgentSpec, trial: Trial, into: Path
) -> Output:
    from pytest_ppteval.agent.asked import task_of
    from pytest_ppteval.agent.run import run_agent
    from pytest_ppteval.agent.slots import agent_slot
    from pytest_ppteval.runs.running import running

    options = options_of(request.config)
    if agent.kind == "claude":
        # What the session chose holds for the agent that comes with it too, unless its own settings say otherwise.
        chosen: dict[str, Any] = {"renderer": options.renderer, "sandbox": options.sandbox}
        if options.model.prices is not None:
            chosen["prices"] = str(options.model.prices.absolute())
        agent = replace(agent, options={**chosen, **agent.options})
    if runs.without_skill and case.facts is not None and case.facts.skill is not None:
        skill = case.facts.skill_path
        if skill is None or not skill.is_dir():
            pytest.fail(
                f"--ppteval-no-skill: skill {case.facts.skill!r} is no folder that is there: where the agent "
                "has it from is not known, and it can't be left out: name its folder",
                pytrace=False,
            )
    most = options.max_agents
    task = base_nodeid(request.node.nodeid, trial.number, trial.planned)
    full: str | None = None
    with ExitStack() as stack:
        stack.enter_context(_stopped_is_interrupted())
        if most is not None:
            stack.enter_context(agent_slot(runs.folder.path / "running" / "slots", most, runs.stop))
        try:
            stack.enter_context(running(runs.folder.path, task, trial.number, agent.name))
            say_whose(into, request.node, case)
            asked = task_of(case, trial.number, without_skill=runs.without_skill)
            run = run_agent(agent, asked, into, stop=runs.stop)
        except OSError as error:
            full = f"{into}: what agent {agent.name} leaves can't be kept: {error.strerror or error}"
    if full is not None:  # failed here, or the report would begin with the OSError's traceback
        pytest.fail(full, pytrace=False)
    _must_have_kept_off(request.node, runs, f"agent {agent.name}'s run of {task}")
    _must_be_as_it_was(request.node, case, runs, agent)  # an agent that ran beside it may have been at them
    request.node.stash[AGENT_RUN] = run
    request.node.stash[KEPT_IN] = runs.folder.relative(into)
    if run.status == "infrastructure":
        tries = f" ({run.attempts} attempts)" if run.attempts > 1 else ""
        pytest.fail(f"agent {agent.name}: {run.reason}{tries}: no run, so that nothing is scored", pytrace=False)
    return output_in(into, case, "" if run.status == "finished" else f"it ended as {run.status}: {run.reason}")


def _untouched(config: pytest.Config) -> Untouched:
    """What no agent of the session may change, as it was when the session began."""
    from pytest_ppteval.session.untouched import Untouched

    return config.stash.setdefault(UNTOUCHED, Untouched())


def _share(config: pytest.Config, runs: Runs) -> Untouched:
    """As the first process of the session knew it: a worker may have been started late, for one that died."""
    untouched = _untouched(config)
    marks = runs.folder.path / "running"
    marks.mkdir(exist_ok=True)
    session = getattr(config, "workerinput", {}).get("testrunuid") or untouched.name
    untouched.share(marks / f"given-{session}")
    return untouched


def _must_be_as_it_was(item: pytest.Item, case: Case, runs: Runs, agent: AgentSpec) -> None:
    """Fail an item whose deck or inputs were changed since the session began."""
    untouched = _share(item.config, runs)
    untouched.add(case, agent, options_of(item.config).baselines)
    path = untouched.changed_for(case, agent, options_of(item.config).baselines)
    if path is None:
        return
    whose = untouched.changed.get(path, "somebody")
    pytest.fail(
        f"{path} is not as it was when the session began: {whose} changed it, so that nothing holds that is judged "
        f"by it: restore it (git checkout), then go on with --ppteval-resume={runs.folder.path}",
        pytrace=False,
    )


def _must_have_kept_off(item: pytest.Item, runs: Runs, run: str) -> None:
    """Fail an item during whose run a file changed that runs are given or judged by."""
    untouched = _share(item.config, runs)
    path = untouched.first_changed()
    while path is not None and path in untouched.changed:  # another run's work
        known = untouched.changed
        path = untouched.first_changed([one for one in sorted(untouched.digests) if one not in known])
    if path is None:
        return
    untouched.changed[path] = run
    _share(item.config, runs)
    pytest.fail(
        f"{run} changed {path}, which is given to agents or judged by: no verdict on the run, nor on any task of that "
        f"file: restore it (git checkout), then go on with --ppteval-resume={runs.folder.path}",
        pytrace=False,
    )


@contextmanager
def _stopped_is_interrupted() -> Iterator[None]:
    """An agent that was stopped before its end has no run to judge: the session is over."""
    from pytest_ppteval.agent.spec import AgentStopped

    try:
        yield
    except AgentStopped:
        raise KeyboardInterrupt from None


def keep(item: pytest.Item, case: Case, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the controller is told of a judged trial beside its record; on disk first, where the session is kept."""
    runs, trial = runs_of(item.config), trial_of(item)
    earlier = None if runs is None or not runs.again else earlier_of(runs, item, case)
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
    if runs is not None and not runs.apart:
        try:
            append(runs.folder.path, kept)
        except OSError as error:
            # Not raised: this is called where reports are made, and other plugins' hooks are around it.
            item.session.shouldstop = (
                f"{runs.folder.results}: {error.strerror or error}: what {item.nodeid} came to can't be kept: make "
                f"room, then go on with --ppteval-resume={runs.folder.path}"
            )
    return kept


def must_have_run(item: pytest.Item) -> None:
    """Fail an item whose run nobody asked for: a fixture of the user's took its place, where an agent is to run."""
    runs = runs_of(item.config)
    if runs is None or OUTPUT in item.stash or (runs.agent is None and not runs.again):
        return
    what = "a kept run is to be judged again" if runs.agent is None else f"agent {runs.agent.name} is to run"
    pytest.fail(
        f"{what}, but a conftest.py has a modified_ppt_path or ppteval_evidence of its own, which doesn't ask for "
        "the run: let it take the fixture of that name as its argument, or leave the option out",
        pytrace=False,
    )


def parcel_of(item: pytest.Item) -> bytes | None:
    """What a run left, for the machine that keeps the session; None where this is that machine."""
    runs, folder = runs_of(item.config), item.stash.get(KEPT_IN, None)
    if runs is None or not runs.apart:
        return None
    where = runs.folder.locate(folder)
    if where is None or not where.is_dir():
        return b""
    from pytest_ppteval.runs.parcel import pack

    parcel = pack(where)
    remove(where)
    return parcel
