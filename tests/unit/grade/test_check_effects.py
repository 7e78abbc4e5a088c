"""Rules about what a run did: files written, read and kept by whatever means, effects, allowed tools, families."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from agent_run import judge_run, load_case, step, trace_of

from pytest_ppteval.evidence.run import Run

if TYPE_CHECKING:
    from pathlib import Path

NOTES = "Ask Ilse about the seat map.\n"
WRITES = "writes: [write, 'mcp__*start*', 'mcp__*delete*']"


def score(folder: Path, rule: str, calls: list[Any], files: dict[str, str]) -> float | None:
    """Of a run with these calls that leaves these files; notes.txt was given."""
    (folder / "notes.txt").write_text(NOTES)
    written = rule.replace("\n", "\n    ")
    case = load_case(folder, f"id: c\nprompt: p\n{WRITES}\ninputs: [notes.txt]\nexpected_behavior:\n  - {written}\n")
    workspace = folder / "run" / "workspace"
    workspace.mkdir(parents=True)
    for name, text in files.items():
        (workspace / name).write_bytes(text.encode())
    return judge_run(case, Run(folder / "run", "c", trace_of(*calls))).score


def bash(command: str, **more: Any) -> Any:
    return step("Bash", {"command": command}, **more)


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([step("Read", {"file_path": "/srv/space/notes.txt"})], 1),
        ([step("Read", {"path": "./notes.txt"})], 1),
        ([bash("cat notes.txt | head")], 1),
        ([bash("python3 -c 'print(open(\"notes.txt\").read())'")], 1),
        ([bash("awk -F, '{print}' < notes.txt")], 1),
        ([step("exec", {"cmd": ["bash", "-lc", "ls"]}, result=NOTES)], 1),  # by what it answered
        ([step("Read", {"path": "my-notes.txt"})], 0),
        ([step("Read", {"path": "notes.txt"}, failed=True)], 0),
        ([bash("ls notes.txt")], 0),
        ([bash("echo hello > notes.txt")], 0),
        ([bash("rm notes.txt")], 0),
        ([], 0),
    ],
)
def test_file_read(tmp_path: Path, calls: list[Any], expected: float) -> None:
    assert score(tmp_path, "file_read: notes.txt", calls, {}) == expected


@pytest.mark.parametrize(
    ("rule", "calls", "files", "expected"),
    [
        ("file_written: a.md", [], {"a.md": "x"}, 1),
        ("file_written: a.md", [], {"a.md": ""}, 0),
        ("file_written: a.md", [], {"b.md": "x"}, 0),
        ("file_written: notes.txt", [], {"notes.txt": NOTES}, 0),
        ("file_written: notes.txt", [], {"notes.txt": "other"}, 1),
        ("not_file_written: '*'", [], {"notes.txt": NOTES}, 1),
        ("not_file_written: '*'", [], {"notes.txt": NOTES, "a.md": "x"}, 0),
        ("not_file_written: '*'", [step("Write", {"path": "a.md"})], {}, 0),  # and taken away again
        ("not_file_written: a.md", [bash("echo x > a.md; rm a.md")], {}, 0),
        ("file_kept: notes.txt", [], {"notes.txt": NOTES.replace("\n", "\r\n")}, 1),
        ("file_kept: notes.txt", [], {"notes.txt": NOTES + "more"}, 0),
        ("file_kept: notes.txt", [], {}, 0),
        ("file_parses: [a.py, b.json]", [], {"a.py": "for i in range(3):\n    print(i)\n", "b.json": "[1]"}, 1),
        ("file_parses: a.py", [], {"a.py": "for i in range(3)\n    print(i)\n"}, 0),
        ("file_parses: a.py", [], {"a.py": "(" * 5000}, 0),
        ("file_parses: b.json", [], {"b.json": "{'a': 1}"}, 0),
        ("not_file_parses: b.json", [], {"b.json": "{'a': 1}"}, 1),
    ],
)
def test_files_by_the_state_of_the_workspace(
    tmp_path: Path, rule: str, calls: list[Any], files: dict[str, str], expected: float
) -> None:
    assert score(tmp_path, rule, calls, files) == expected


@pytest.mark.parametrize(
    ("rule", "calls", "expected"),
    [
        ("no_effect: true", ["Read", "mcp__loadlab__get_run", bash("cat a | grep 'x > y' 2>/dev/null")], 1),
        ("no_effect: true", ["mcp__loadlab__start_run"], 0),
        ("no_effect: true", [step("mcp__loadlab__delete_run", failed=True)], 0),
        ("no_effect: true", ["Write"], 0),
        ("no_effect: true", [bash("echo x > a")], 0),
        ("no_effect: true", [bash("sed -i s/a/b/ notes.txt")], 0),
        ("no_effect: true", [bash("python -c \"open('a', 'w').write('b')\"")], 0),
        ("only_effects: write", ["Edit", bash("tee a"), "Read"], 1),
        ("only_effects: write", ["Write", "mcp__loadlab__start_run"], 0),
        ("only_tools: [read, skill, 'mcp__*']", ["Read", "Skill", "mcp__loadlab__get_run"], 1),
        ("only_tools: [read, skill]", ["Read", "Bash"], 0),
        ("not_only_tools: read", ["Read", "Bash"], 1),
        # Families wherever a tool's name stands.
        ("tool_call: shell", [bash("ls")], 1),
        ("tool_order: [skill, read, write]", ["Skill", "Read", "Edit"], 1),
        ("not_tool_call: write", ["Read", "mcp__x__y"], 1),
        ("max_tool_calls: 1\ntool: write", ["Write", "Edit"], 0),
        # How a call ended.
        ("tool_call: read\nfailed: false", [step("Read", failed=True), step("Read", failed=False)], 1),
        ("tool_call: read\nfailed: false", [step("Read", failed=True)], 0),
        ("tool_call: read\nfailed: false", ["Read"], None),
    ],
)
def test_what_a_run_did(tmp_path: Path, rule: str, calls: list[Any], expected: float | None) -> None:
    assert score(tmp_path, rule, calls, {}) == expected
