"""What an agent finds in its workspace and its environment, and what it does to the files around its output."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agent_run import load_case

from pytest_ppteval.agent import collect
from pytest_ppteval.agent.asked import task_of
from pytest_ppteval.agent.run import run_agent
from pytest_ppteval.agent.spec import AgentTask
from pytest_ppteval.agent.workspace import TASK_FILE, CannotPrepare, prepare, sweep
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.files.locks import take_slot
from pytest_ppteval.files.tree import remove

if TYPE_CHECKING:
    from agents_here import Bench

    from pytest_ppteval.agent.spec import AgentRun

# Prints the names of what is there.
LOOK = "kind: command\ncommand: [find, ., -mindepth, '1', -printf, '%P\\n']\nresponse: stdout\n"


def answer(run: AgentRun) -> list[str]:
    response = Run(run.folder).response
    assert isinstance(response, str), run
    return sorted(response.splitlines())


# ---- what is given ---------------------------------------------------------------------------------------------------


def test_a_task_about_a_deck(bench: Bench) -> None:
    assert answer(run_agent(bench.agent(LOOK), bench.task(), bench.into)) == [
        "TASK.md",
        "intro.pptx",
    ]


def test_the_task_in_words(bench: Bench) -> None:
    spec = bench.agent("kind: command\ncommand: [cat, '{task_file}']\nresponse: stdout")
    run = run_agent(spec, bench.task(), bench.into)
    text = Run(run.folder).response
    assert isinstance(text, str)
    root = text.rsplit(" ", 1)[1].strip().removesuffix("/output.pptx")
    assert text == (
        f"# Task\n\nMake it lecture 4.\n\nThe presentation is {root}/intro.pptx. Leave that file as it is.\n"
        f"Save the result as {root}/output.pptx\n"
    )
    # Outside of the user's files, and gone afterwards.
    assert not Path(root).is_relative_to(bench.folder)
    assert not Path(root).parent.exists()


def test_a_case_about_a_run(bench: Bench) -> None:
    """Its inputs, its skill and the agent's own files. The prompt is the case's own: not a word more."""
    (bench.folder / "inputs").mkdir()
    (bench.folder / "inputs" / "notes.txt").write_text("mine\n")
    (bench.folder / "inputs" / "data").mkdir()
    (bench.folder / "inputs" / "data" / "a.csv").write_text("1\n")
    (bench.folder / "skills" / "brand").mkdir(parents=True)
    (bench.folder / "skills" / "brand" / "SKILL.md").write_text("# Brand\n")
    (bench.folder / "CLAUDE.md").write_text("Be brief.\n")
    case = load_case(
        bench.folder,
        "id: c\nprompt: '-p is no option here'\nskill: skills/brand\ninputs: [inputs/notes.txt, inputs/data]\n"
        "timeout: 7\nexpected_behavior: [{file_exists: x}]",
    )
    task = task_of(case, trial=2)
    assert (task.name, task.trial, task.timeout, task.makes_deck, task.deck) == ("c", 2, 7, False, None)
    more = "files: {CLAUDE.md: CLAUDE.md}\nskills: .claude/skills"
    assert answer(run_agent(bench.agent(LOOK + more), task, bench.into)) == [
        ".claude",
        ".claude/skills",
        ".claude/skills/brand",
        ".claude/skills/brand/SKILL.md",
        "CLAUDE.md",
        "TASK.md",
        "data",
        "data/a.csv",
        "notes.txt",
    ]
    spec = bench.agent("kind: command\ncommand: [cat]\nstdin: '{prompt}{input}{output}'\nresponse: stdout")
    assert answer(run_agent(spec, task, bench.into)) == ["-p is no option here"]


def test_a_skill_that_holds_its_cases_does_not_give_them_away(bench: Bench) -> None:
    skill = bench.folder / "brand"
    for name in ("SKILL.md", "helper.py", "evals/answers.txt", "baselines/evals/c/response.md", "other/x.case.yaml"):
        (skill / name).parent.mkdir(parents=True, exist_ok=True)
        (skill / name).write_text("text\n")
    case = load_case(skill / "evals", "id: c\nprompt: p\nskill: ..\nexpected_behavior: [{skill_used: true}]")
    assert answer(run_agent(bench.agent(LOOK), task_of(case), bench.into)) == [
        "TASK.md",
        "skills",
        "skills/brand",
        "skills/brand/SKILL.md",
        "skills/brand/helper.py",
        "skills/brand/other",
    ]


def test_a_skill_that_is_only_a_name_is_the_agents_own(bench: Bench) -> None:
    case = load_case(bench.folder, "id: c\nprompt: p\nskill: brand\nexpected_behavior: [{skill_used: true}]")
    assert task_of(case).skill is None


def test_a_deck_that_is_called_like_the_output(bench: Bench) -> None:
    deck = Path(shutil.copy(bench.deck, bench.folder / "Output.pptx"))
    spec = bench.agent("kind: command\ncommand: [cp, '{input}', '{output}']")
    run = run_agent(spec, bench.task(deck=deck), bench.into)
    assert (run.status, run.outside, run.changed) == ("finished", (), ())
    assert (bench.into / "output.pptx").read_bytes() == deck.read_bytes()


def test_a_deck_that_nobody_may_write_can_be_edited(bench: Bench) -> None:
    bench.deck.chmod(0o444)
    spec = bench.agent("kind: command\ncommand: [sh, -c, '[ -w intro.pptx ]']")
    assert run_agent(spec, bench.task(), bench.into).exit_code == 0


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"inputs": ("a/x.txt", "b/x.txt")}, "are both x.txt in the workspace: rename one"),
        ({"inputs": ("TASK.md",)}, "a file named TASK.md is given, which is what the task is written to: rename it"),
        ({"inputs": ("gone.txt",)}, "gone.txt can't be read: No such file or directory"),
        ({"inputs": ("pipe",)}, "pipe can't be read: it is no plain file"),
    ],
)
def test_what_cannot_be_given(given: dict[str, tuple[str, ...]], problem: str, bench: Bench) -> None:
    for name in ("a/x.txt", "b/x.txt", "TASK.md"):
        (bench.folder / name).parent.mkdir(exist_ok=True)
        (bench.folder / name).touch()
    os.mkfifo(bench.folder / "pipe")
    task = AgentTask(name="t", goal="g", inputs=tuple(bench.folder / name for name in given["inputs"]))
    before = set(Path(tempfile.gettempdir()).glob("ppteval-agent-*"))
    with pytest.raises(CannotPrepare) as raised:
        prepare(bench.agent(LOOK), task)
    assert problem in str(raised.value)
    assert not {path for path in Path(tempfile.gettempdir()).glob("ppteval-agent-*") if path not in before}


# ---- the environment -------------------------------------------------------------------------------------------------


def test_the_environment_is_a_short_list(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_SECRET_ACCESS_KEY", "ANTHROPIC_API_KEY", "PYTHONPATH", "PYTEST_ADDOPTS", "MY_KEY", "MY_OTHER"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("LC_TIME", "C")
    env = "env: {pass: ['MY_*'], set: {PLACE: '{workspace}', MY_OTHER: 'mine {{}}'}}"
    run = run_agent(bench.agent(f"kind: command\ncommand: [env]\nresponse: stdout\n{env}"), bench.task(), bench.into)
    seen = dict(line.split("=", 1) for line in answer(run))
    root = seen["PWD"]
    assert seen["PLACE"] == root
    assert (seen["MY_KEY"], seen["MY_OTHER"], seen["LC_TIME"]) == ("secret", "mine {}", "C")
    assert (seen["HOME"], seen["PATH"]) == (os.environ["HOME"], os.environ["PATH"])
    assert seen["TMPDIR"] == str(Path(root).parent / "tmp")
    assert not seen.keys() & {"AWS_SECRET_ACCESS_KEY", "ANTHROPIC_API_KEY", "PYTHONPATH", "PYTEST_ADDOPTS"}


@pytest.mark.skipif(sys.platform != "linux", reason="by way of /proc")
def test_the_process_above_it_has_no_keys_either(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    script = "tr '\\\\0' '\\\\n' < /proc/$PPID/environ; echo end"
    spec = bench.agent(f'kind: command\ncommand: [sh, -c, "{script}"]\nresponse: stdout')
    seen = answer(run_agent(spec, bench.task(), bench.into))
    assert "end" in seen
    assert not [line for line in seen if "secret" in line]


@pytest.mark.parametrize(("preset", "names"), [
    ("claude-code", {"ANTHROPIC_API_KEY"}),
    ("codex", {"OPENAI_API_KEY"}),
    ("copilot", {"GH_TOKEN"}),
])  # fmt: skip
def test_a_preset_passes_its_own_login_only(
    preset: str, names: set[str], bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GH_TOKEN"):
        monkeypatch.setenv(name, "secret")
    spec = bench.agent(f"preset: {preset}\ncommand: [env]\nstdin: ''\nresponse: stdout")
    seen = {line.partition("=")[0] for line in answer(run_agent(spec, bench.task(), bench.into))}
    assert seen & {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GH_TOKEN"} == names


# ---- what it leaves --------------------------------------------------------------------------------------------------


def test_what_is_written_beside_the_output_is_reported(bench: Bench) -> None:
    run = bench.run(f"start edit write:a/notes.txt write:intro.pptx delete:{TASK_FILE}")
    assert (run.outside, run.changed, run.deleted) == (("a/notes.txt",), ("intro.pptx",), (TASK_FILE,))
    kept = sorted(path.relative_to(bench.into / "workspace").as_posix() for path in files(bench.into / "workspace"))
    assert kept == ["a/notes.txt", "intro.pptx"]  # the deck only because it is another one now


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if not path.is_dir()]


def test_a_case_keeps_all_files_but_the_agents_own(bench: Bench) -> None:
    """`not_file_exists: "*.md"` must not meet the plugin's own TASK.md; an input is there as it was."""
    notes = bench.folder / "notes.txt"
    notes.write_text("mine\n")
    (bench.folder / "CLAUDE.md").write_text("Be brief.\n")
    run = bench.run(
        "start write:report.html",
        "files: {CLAUDE.md: CLAUDE.md}",
        makes_deck=False,
        deck=None,
        inputs=(notes,),
    )
    assert (run.status, run.outside) == ("finished", ())
    assert sorted(path.name for path in files(bench.into / "workspace")) == ["notes.txt", "report.html"]


def test_a_case_whose_agent_wrote_and_crashed_has_acted(bench: Bench) -> None:
    run = bench.run("write:report.html crash", makes_deck=False, deck=None)
    assert run.status == "failed"


def test_links_and_pipes_are_not_followed(bench: Bench) -> None:
    secret = bench.folder / "secret"
    secret.write_text("mine\n")
    run = bench.run(f"start pipe link:{secret}")
    assert not (bench.into / "output.pptx").exists()
    assert list((bench.into / "workspace").iterdir()) == []
    assert run.notes == (
        "output.pptx was not kept: it is a symbolic link, which is not followed",
        "not kept: pipe is no plain file: it is a pipe",
    )


def test_a_link_to_a_folder_is_a_file_of_its_own(bench: Bench) -> None:
    run = bench.run("start link:/etc", makes_deck=False, deck=None)
    assert run.notes == ("not kept: link is a symbolic link, which is not followed",)


def test_an_output_that_is_a_folder(bench: Bench) -> None:
    spec = bench.agent("kind: command\ncommand: [mkdir, '{output}']")
    run = run_agent(spec, bench.task(), bench.into)
    assert run.notes == ("output.pptx was not kept: it is a folder",)


def test_files_are_kept_up_to_a_number(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "MAX_FILES", 20)  # 2,000 take seconds on a slow disk
    script = "for i in 1 2 3; do touch $i-a $i-b $i-c $i-d $i-e $i-f $i-g; done"
    spec = bench.agent(f"kind: command\ncommand: [sh, -c, '{script}']")
    run = run_agent(spec, bench.task(), bench.into)
    assert len(run.outside) == 21
    assert len(files(bench.into / "workspace")) == 20
    assert run.notes == ("not kept: all files from 3-g on: 20 are kept",)


def test_names_that_are_not_utf_8(bench: Bench) -> None:
    spec = bench.agent('kind: command\ncommand: [sh, -c, \'touch "$(printf "a\\\\377b")"\']')
    run = run_agent(spec, bench.task(), bench.into)
    assert run.outside == ("a\\udcffb",)


def test_names_that_would_steer_a_terminal(bench: Bench) -> None:
    spec = bench.agent('kind: command\ncommand: [sh, -c, \'mkfifo "$(printf "a\\\\033[2Jb")"\']')
    run = run_agent(spec, bench.task(), bench.into)
    assert run.notes == ("not kept: a\\x1b[2Jb is no plain file: it is a pipe",)


def test_folders_that_the_agent_locked_are_removed(tmp_path: Path) -> None:
    base = tmp_path / "base"
    (base / "a" / "b").mkdir(parents=True)
    (base / "a" / "b" / "file").touch()
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o700)
    (outside / "mine").touch()
    (base / "a" / "link").symlink_to(outside)
    (base / "a" / "b").chmod(0)
    (base / "a").chmod(0o500)
    base.chmod(0)
    assert remove(base)
    assert not base.exists()
    assert (outside / "mine").exists()


def test_workspaces_of_killed_processes_are_removed(bench: Bench, tmp_path: Path) -> None:
    """By the next process that makes one; what a living one has locked, or is only just making, stays."""
    names = ("ppteval-agent-left", "ppteval-agent-used", "ppteval-agent-new", "somebody-elses")
    for name in names:
        (tmp_path / name / "workspace").mkdir(parents=True)
    lock = take_slot(tmp_path / "ppteval-agent-used", 1)
    assert lock is not None
    for name in names:
        if name != "ppteval-agent-new":
            os.utime(tmp_path / name, (1, 1))
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name in names) == [
        "ppteval-agent-new",
        "ppteval-agent-used",
        "somebody-elses",
    ]
    lock.close()
    os.utime(tmp_path / "ppteval-agent-used", (1, 1))
    sweep(tmp_path)
    assert not (tmp_path / "ppteval-agent-used").exists()


def test_a_workspace_is_locked_while_it_is_used(bench: Bench) -> None:
    workspace = prepare(bench.agent(LOOK), bench.task())
    assert take_slot(workspace.base, 1) is None
    workspace.remove()
    assert not workspace.base.exists()
