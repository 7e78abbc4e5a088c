"""The session's run directory: made, gone on with, or joined by a worker; and the sessions before that it takes up.

With xdist each worker records its own items, in the folder that the controller tells it. A worker on another machine,
which has no such folder, sends what came of each item.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ppteval.choices import DEFAULT_MODEL
from pytest_ppteval.files.plain import NotPlain, apart, read_json
from pytest_ppteval.files.tree import remove
from pytest_ppteval.files.whole import write_json
from pytest_ppteval.runs.facts import utc_now
from pytest_ppteval.runs.folder import RunFolder, RunFolderError
from pytest_ppteval.runs.holder import hold
from pytest_ppteval.runs.journal import append, base_nodeid
from pytest_ppteval.runs.records import hashes_for
from pytest_ppteval.runs.source import Runs
from pytest_ppteval.session.process import RUN, options_of
from pytest_ppteval.session.stash import AGENT_RUN, FIRST_FILES, RUN_FOLDER, RUNS
from pytest_ppteval.session.trials import trial_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.agent.spec import AgentSpec
    from pytest_ppteval.case.model import Case
    from pytest_ppteval.runs.stored import Stored, StoredRuns
    from pytest_ppteval.session.options import Options


# In a run's folder, from before the agent starts.
OWNER = "of.json"
_NO_AGENT = "--ppteval-no-skill goes with an agent that runs: name one with --ppteval-agent"


def folder_of(runs: Runs, item: pytest.Item, case: Case) -> Path:
    """Where an item's run is kept; a session that is resumed keeps it where it was."""
    trial = trial_of(item)
    base = base_nodeid(item.nodeid, trial.number, trial.planned)
    records = runs.stored.records if runs.stored is not None and not runs.again else {}
    own = records.get((base, trial.number))
    if own is not None and (where := runs.folder.locate(own["folder"])) is not None:
        return where
    name = base_nodeid(item.name, trial.number, trial.planned)
    # The values of fixtures that a user parametrised; of an ordinary test, its name.
    variant = name.removeprefix(case.id)[1:-1] if hasattr(item, "trial") else name
    folder = runs.folder.artifacts(case.suite, case.id, trial.number, variant)
    file = item.nodeid.partition("::")[0]
    first = item.config.stash.get(FIRST_FILES, {}).get((case.suite, case.id), file)
    if first != file or any(one["folder"] == runs.folder.relative(folder) for one in records.values()):
        # Another file has a task of this suite and id.
        digits = hashlib.sha256(file.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        variant = f"{variant}-{digits}" if variant else digits
        folder = runs.folder.artifacts(case.suite, case.id, trial.number, variant)
    return folder


def say_whose(folder: Path, item: pytest.Item, case: Case) -> None:
    """Before the agent starts: whose run the folder will hold, so that no other task takes it for its own."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / OWNER, _owner(item, case))


def earlier_of(runs: Runs, item: pytest.Item, case: Case) -> Stored | None:
    """What is kept of this trial from the session that is resumed or judged again."""
    if runs.stored is None:
        return None
    trial = trial_of(item)
    base = base_nodeid(item.nodeid, trial.number, trial.planned)
    found = runs.stored.find(base, case.id, trial.number)
    if found is None and runs.stored.run is not None and not runs.again and AGENT_RUN not in item.stash:
        # Killed between the agent's end and the verdict: the run is there, its judgement is not.
        from pytest_ppteval.agent.run import read_agent_run
        from pytest_ppteval.runs.stored import Stored

        folder = folder_of(runs, item, case)
        run = read_agent_run(folder)
        if run is not None and _read_owner(folder) == _owner(item, case):
            return Stored(folder, run.status != "infrastructure", None)
    return found


def _owner(item: pytest.Item, case: Case) -> dict[str, Any]:
    trial = trial_of(item)
    base = base_nodeid(item.nodeid, trial.number, trial.planned)
    return {"task": base, "trial": trial.number, "task_hash": hashes_for(case)["task_hash"]}


def _read_owner(folder: Path) -> object:
    try:
        base, start = apart(folder)
        return read_json(base, start + OWNER)
    except NotPlain:
        return None


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
        if options.no_skill:
            raise pytest.UsageError(_NO_AGENT)
        return None
    try:
        stored = _stored(options)
        name = options.agent
        # PPT-Eval's results folder is read, and added to by nobody: what is resumed from it gets a folder of its own.
        own = stored.run if options.resume is not None and stored is not None else None
        if own is not None:
            before = own.facts().get("agent")
            typed = config.getoption("ppteval_agent")  # what the ini file says is for new sessions
            if typed and typed != before:
                raise pytest.UsageError(
                    f"--ppteval-resume: {options.resume} is of agent {before}, not {typed}: start a session of its own"
                )
            name = before
        agent = None if name is None else _agent(config, name)
        if own is not None:
            told = own.facts().get("options", {})
            without = bool(told.get("no_skill"))
            if options.no_skill and not without:
                raise pytest.UsageError(
                    f"--ppteval-no-skill: {options.resume} is of runs with the skill: start a session of its own"
                )
            asked = options.trials or told.get("trials")
            held = None
            if not hasattr(config, "workerinput") and not config.option.collectonly:
                held = hold(own.path)
                own.note_resumed(utc_now())
                if asked != told.get("trials"):
                    own.update(options={**told, "trials": asked})
            return Runs(own, agent, stored, without_skill=without, asked=asked, held=held)
        if options.no_skill and (agent is None or agent.kind == "recorded"):
            raise pytest.UsageError(_NO_AGENT)
        shared = getattr(config, "workerinput", {}).get(RUN)
        if shared is not None:
            own_part = Runs(RunFolder(Path(shared)), agent, stored, options.rescore is not None, options.no_skill)
            return _join(Path(shared), own_part)
        if config.option.collectonly:
            return Runs(RunFolder(options.results or config.rootpath), agent, stored, again=options.rescore is not None)
        folder = _create(config, options, agent)
        config.stash[RUN_FOLDER] = str(folder.path)
        again, held = options.rescore is not None, hold(folder.path)
        return Runs(folder, agent, stored, again, options.no_skill, made=True, held=held)
    except RunFolderError as error:
        raise pytest.UsageError(str(error)) from None
    except OSError as error:
        asked_for = options.resume or options.results or config.rootpath
        raise pytest.UsageError(f"{asked_for} can't be written: {error.strerror or error}") from None


def _join(shared: Path, runs: Runs) -> Runs:
    """The runs of one of xdist's workers. On another machine the session's folder is not there: it gets its own."""
    if (shared / "run.json").is_file():
        return runs
    return replace(runs, folder=RunFolder(Path(tempfile.mkdtemp(prefix="ppteval-run-"))), apart=True)


def _stored(options: Options) -> StoredRuns | None:
    """The runs of before. Raises RunFolderError."""
    path = options.resume or options.rescore
    if path is None:
        return None
    from pytest_ppteval.runs.stored import open_stored

    return open_stored(path)


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
    from pytest_ppteval.runs.usage import asked_record
    from pytest_ppteval.sandbox.confine.policy import probe

    facts = session_facts(
        config.rootpath,
        sandbox=str(probe("off" if options.sandbox == "off" else "auto")),
        renderer=str(choose(options.renderer)),
        models={"judge": options.model.model, **_models_of(agent)},
        agent=None if agent is None else agent.name,
        options={
            **options.as_data(),
            "trials": options.trials,
            "no_skill": options.no_skill,
            "judging": asked_record(options.model),
        },
    )
    if options.results is not None:
        return RunFolder.create(options.results, facts)
    return RunFolder.create_default(config.rootpath, facts)


def _models_of(agent: AgentSpec | None) -> dict[str, str | None]:
    """The agent's model, where it is known: that of the built-in one."""
    if agent is None or agent.kind != "claude":
        return {}
    return {"agent": str(agent.options.get("model", DEFAULT_MODEL))}


def receive(runs: Runs, record: Mapping[str, Any], parcel: bytes) -> None:
    """Keep a record and a run that a worker on another machine sent."""
    if parcel:
        from pytest_ppteval.runs.parcel import unpack

        where = runs.folder.locate(record["folder"])
        assert where is not None
        unpack(parcel, where)
    append(runs.folder.path, record)


def close_runs(config: pytest.Config) -> None:
    """Say in the run directory that the session is over; one that nothing came of is taken away again."""
    runs = config.stash.get(RUNS, None)
    if runs is not None and runs.apart:
        remove(runs.folder.path)
    if runs is None or config.option.collectonly or hasattr(config, "workerinput"):
        return
    folder = runs.folder
    if runs.held is not None:
        runs.held.close()
    if runs.made and not folder.results.exists() and not (folder.path / "artifacts").exists():
        shutil.rmtree(folder.path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):  # a full disk: the session counts as one that was killed
            folder.update(ended=utc_now())
