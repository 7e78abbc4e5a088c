"""A project whose tasks an agent works on: a real program, which does what the goal of each task says."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from small_project import Project, leaf, rubric

from pytest_ppteval.runs.journal import read

if TYPE_CHECKING:
    import pytest

# Does the word in its goal: "good" and "bad" leave the deck with that word as its archive's comment.
# Words may differ by trial: "good bad good".
PROGRAM = """
import os, re, shutil, sys, time, zipfile
from pathlib import Path

given, output, trial, goal = sys.argv[1:]
words = goal.split()
word = words[(int(trial) - 1) % len(words)]
with open(Path(__file__).with_name("started.txt"), "a") as log:
    log.write(f"{os.getpid()} {word} {trial} {time.time()}\\n")
name, _, number = word.partition("=")
if name == "kill":  # pytest's process: the supervisor's parent
    status = Path(f"/proc/{os.getppid()}/stat").read_text()
    os.kill(int(status.rpartition(")")[2].split()[1]), 9)
    time.sleep(30)
if name == "sleep":
    time.sleep(float(number))
if name == "crash":
    sys.exit("the model server is down")
if name == "busy":
    sys.exit(75)
if name == "once":  # trouble at first, then good
    flag = Path(__file__).with_name("tried")
    if not flag.exists():
        flag.touch()
        sys.exit(75)
if name == "spoil":  # a file of the user's own, beside the program
    with open(Path(__file__).with_name("cases") / number, "ab") as file:
        file.write(b"more")
if name == "litter":
    Path("notes.txt").write_text("mine")
if name != "nothing":
    shutil.copy(given, output)
    with zipfile.ZipFile(output, "a") as deck:
        deck.comment = b"bad" if name == "bad" else b"good"
with open(Path(__file__).with_name("ended.txt"), "a") as log:
    log.write(f"{os.getpid()} {word} {trial} {time.time()}\\n")
"""
IS_GOOD = """
def compute_score():
    import zipfile
    comment = zipfile.ZipFile(modified_ppt_path).comment.decode()
    return f"it is {comment}", float(comment == "good")
"""
SETTINGS = """
agents:
  program:
    kind: command
    command: [{python}, {program}, "{{input}}", "{{output}}", "{{trial}}", "{{goal}}"]
    timeout: 20
    retries: {{attempts: 2, delay: 0.05}}
"""


class AgentProject(Project):
    """project/ppteval.yaml with the agent "program", and tasks whose goal is what it does."""

    def setup(self) -> AgentProject:
        """Write the program and its settings."""
        program = self.pytester.path / "program.py"
        program.write_text(PROGRAM, "utf-8")
        text = SETTINGS.format(python=json.dumps(sys.executable), program=json.dumps(str(program)))
        (self.pytester.path / "ppteval.yaml").write_text(text, "utf-8")
        return self

    def does(self, task_id: str, words: str, **misc: Any) -> None:
        """Add a task on which the agent does this, judged by whether the deck is good and by a leaf that always is."""
        self.task(task_id, rubric(leaf("Good", IS_GOOD, critical=True), leaf("Fine", 1.0)), **misc)
        self.tasks[task_id]["goal"] = words
        (self.pytester.path / "cases" / "tasks.json").write_text(json.dumps(self.tasks, indent=1), "utf-8")

    def started(self) -> list[str]:
        """The word of each start of the agent so far."""
        log = self.pytester.path / "started.txt"
        return [line.split()[1] for line in log.read_text("utf-8").splitlines()] if log.exists() else []

    def run_agent(self, *arguments: str) -> pytest.RunResult:
        """pytest on the tasks, with the agent, kept in the folder "run" unless said otherwise."""
        kept = any(argument.startswith(("--ppteval-results", "--ppteval-resume")) for argument in arguments)
        where = () if kept else ("--ppteval-results=run",)
        return self.run("--ppteval-agent=program", *where, *arguments)

    def records(self, folder: str = "run") -> dict[tuple[str, int], dict[str, Any]]:
        """The journal, by task and trial."""
        return {(one["task_id"], one["trial"]): one for one in read(self.pytester.path / folder).records.values()}
