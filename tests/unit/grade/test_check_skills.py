"""skill_used: by which calls a skill is used, under which names, and what is said of a name that nothing knows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from agent_run import judge, step, trace_of, unrecorded

from pytest_ppteval.trace import read_traces
from pytest_ppteval.trace.show import as_data

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_ppteval.trace.model import Step

FILE = "skills/load-report/SKILL.md"


def shell(command: Any, **more: Any) -> Step:
    return step("Bash", {"command": command, **more})


CALLS = [
    # call, whether it uses the skill (None: the trace doesn't tell)
    (step("Skill", {"skill": "load-report"}), True),
    (step("Skill", {"skill": "other", "args": "load-report"}), False),
    (unrecorded("Skill"), None),
    (unrecorded("Skill", args_raw='{"skill": "load-report", "args": "for'), True),
    (unrecorded("Skill", args_raw='{"ski'), None),
    # Tools for files: read, not listed, looked for, written or named.
    (step("Read", {"file_path": f"/a/{FILE}"}), True),
    (step("read_file", {"path": FILE.replace("/", "\\")}), True),
    (step("mcp__fs__get_file_contents", {"path": FILE}), True),
    (step("str_replace_based_edit_tool", {"command": "view", "path": FILE}), True),
    (step("str_replace_based_edit_tool", {"command": "create", "path": FILE, "file_text": "x"}), False),
    (step("Read", {"file_path": "skills/other/SKILL.md"}), False),
    (step("Read", {"file_path": "SKILL.md"}), None),  # of which skill?
    (unrecorded("Read"), None),
    (unrecorded("Read", args_raw='{"file_path": "/a/skills/load-re'), None),
    (step("Write", {"file_path": FILE, "content": "x"}), False),
    (unrecorded("Write"), False),
    (step("Edit", {"file_path": FILE, "old_string": "a", "new_string": "b"}), False),
    (step("Glob", {"pattern": FILE}), False),
    (step("list_files", {"path": FILE}), False),
    (step("Task", {"prompt": f"use {FILE}"}), False),
    (step("frobnicate", {"path": FILE}), None),  # a tool that may do anything
    (step("", None), None),
    # Shells: what the command does with the file.
    (shell(f"cat {FILE}"), True),
    (shell(["bash", "-lc", f"cat {FILE} | head -50"]), True),
    (shell(f"cd /a && sed -n 1,80p '{FILE}'"), True),
    (shell("cd skills/load-report; cat SKILL.md"), True),
    (shell("cat SKILL.md", workdir="/a/skills/load-report"), True),
    (shell("cat SKILL.md"), None),
    (shell("cat skills/*/SKILL.md"), True),
    (shell('for f in skills/*/SKILL.md; do cat "$f"; done'), True),
    (shell(f"find . -path {FILE} -exec cat {{}} +"), True),
    (shell(f"python3 -c \"print(open('{FILE}').read())\""), True),
    (shell(f"python3 -c \"open('{FILE}', 'w').write('x')\""), False),
    (shell(f"ls -l {FILE}"), False),
    (shell("find . -name SKILL.md"), False),
    (shell(f"test -f {FILE} && echo yes"), False),
    (shell(f"cat > {FILE} <<'EOF'\nname: x\nEOF"), False),
    (shell(f"echo x >> {FILE}"), False),
    (shell(f"cp {FILE} /tmp/"), False),
    (shell(f"sed -i s/a/b/ {FILE}"), False),
    (shell(f"frobnicate {FILE}"), None),
    (shell("cat skills/other/SKILL.md"), False),
    (unrecorded("Bash"), None),
]


@pytest.mark.parametrize(("call", "uses"), CALLS, ids=[str(index) for index in range(len(CALLS))])
@pytest.mark.parametrize("negated", [False, True])
def test_what_uses_a_skill(tmp_path: Path, call: Step, uses: bool | None, negated: bool) -> None:
    result = judge(tmp_path, f"{'not_' if negated else ''}skill_used: load-report", trace_of("ls", call))
    assert result.score == (None if uses is None else uses != negated), result.reason


@pytest.mark.parametrize(
    ("format_name", "call", "uses"),
    [
        # Each agent's own names say what a tool does, whatever words are in them.
        ("goose", step("load_skill", {"name": "load-report"}), True),
        ("goose", step("skills__load_skill", {"name": "load-report"}), True),
        ("gemini-cli", step("activate_skill", {"name": "load-report"}), True),
        ("gemini-cli", step("replace", {"file_path": FILE, "old_string": "a", "new_string": "b"}), False),
        ("gemini-cli", step("run_shell_command", {"command": f"cat {FILE}"}), True),
        ("codex-exec", step("command_execution", {"command": f"cat {FILE}"}), True),
        ("codex-exec", step("exec_command", {"cmd": f"ls {FILE}"}), False),
        ("inspect", step("python", {"code": f"print(open('{FILE}').read())"}), None),
        ("goose", step("developer__text_editor", {"command": "view", "path": FILE}), True),
        ("goose", step("developer__text_editor", {"command": "write", "path": FILE}), False),
        ("goose", unrecorded("developer__text_editor"), None),
        ("cursor", step("delete", {"path": FILE}), False),
        ("mcp user", step("mcp__filesystem__read_text_file", {"path": FILE}), True),
        ("mcp user", step("mcp__filesystem__get_file_info", {"path": FILE}), False),
    ],
)
def test_each_agent_s_own_tools(tmp_path: Path, format_name: str, call: Step, uses: bool | None) -> None:
    result = judge(tmp_path, "skill_used: load-report", replace(trace_of("ls", call), format=format_name))
    assert result.score == uses, result.reason


def skill_folder(folder: Path, name: str, *lines: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text("\n".join(lines), "utf-8")


@pytest.mark.parametrize(
    "call",
    [
        step("Skill", {"skill": "load-report"}),
        step("Read", {"file_path": "/home/a/.claude/skills/load-report/SKILL.md"}),
        step("Read", {"file_path": "/srv/my-clone/SKILL.md"}),
    ],
)
def test_the_skill_of_a_case_goes_by_the_name_in_its_file_and_by_its_folder(tmp_path: Path, call: Step) -> None:
    """A clone may lie in a folder of any name."""
    skill_folder(tmp_path, "my-clone", "---", 'name: "load-report"  # as agents know it', "description: x", "---")
    for number, (word, score) in enumerate([("", 1), ("not_", 0)]):
        folder = tmp_path / "my-clone" / f"cases-{number}"
        folder.mkdir()
        result = judge(folder, f"{word}skill_used: true", trace_of(call), more="skill: ..")
        assert result.score == score
        assert result.reason.startswith("skill load-report: call 1 of 1: ")


@pytest.mark.parametrize("lines", [("# No head", "name: other"), ("---", "description: x", "---", "name: other")])
def test_a_file_that_names_no_skill_leaves_the_name_to_its_folder(tmp_path: Path, lines: tuple[str, ...]) -> None:
    skill_folder(tmp_path, "report", *lines)
    assert (
        judge(tmp_path, "skill_used: true", trace_of(step("Skill", {"skill": "report"})), more="skill: report").score
        == 1
    )


def test_a_name_that_nothing_knows_is_told(tmp_path: Path) -> None:
    """It may be misspelt, and then every negative case would pass."""
    skill_folder(tmp_path, "skills/load-report", "---", "name: load-report", "---")
    notes = []
    for name in ("load-reprot", "load-report"):
        folder = tmp_path / "skills" / name / "cases"
        folder.mkdir(parents=True)
        result = judge(
            folder, f"not_skill_used: {name}", trace_of("ls"), more="skill: ..\n" if name == "load-report" else ""
        )
        assert result.score == 1
        notes.append(result.details)
    assert notes == ["UNKNOWN SKILL load-reprot: no SKILL.md is known for that name", ""]


INIT = {"type": "system", "subtype": "init", "session_id": "s", "tools": ["Skill"], "mcp_servers": []}
LISTING = {
    "type": "skill_listing",
    "content": "- load-report: Reports the load: of each host\n- tools:charts: Draws\n- plain",
}


@pytest.mark.parametrize(
    ("name", "known"),
    [("load-report", True), ("charts", True), ("tools:charts", True), ("plain", True), ("load-reprot", False)],
)
@pytest.mark.parametrize(
    ("first", "format_name"),
    [
        pytest.param({**INIT, "skills": ["load-report", "tools:charts", "plain"]}, "claude-code", id="skills"),
        pytest.param(
            {**INIT, "slash_commands": ["help", "/load-report", "tools:charts", "plain"]}, "claude-code", id="commands"
        ),
        pytest.param(
            {
                "type": "attachment",
                "sessionId": "s",
                "uuid": "u0",
                "attachment": LISTING,
            },
            "claude-session",
            id="a session's listing",
        ),
    ],
)
def test_a_skill_that_the_trace_lists_is_known(
    tmp_path: Path, first: dict[str, Any], format_name: str, name: str, known: bool
) -> None:
    answer = {"id": "m", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Done."}]}
    lines = [
        first,
        {"type": "assistant", "uuid": "u1", "message": answer,
         **({"session_id": "s", "parent_tool_use_id": None} if format_name == "claude-code"
            else {"sessionId": "s", "parentUuid": "u0"})},
        *([{"type": "result", "subtype": "success", "session_id": "s", "result": "Done.", "num_turns": 1}]
          if format_name == "claude-code" else []),
    ]  # fmt: skip
    path = tmp_path / "trace.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    (trace,) = read_traces(path)
    assert trace.format == format_name
    again = tmp_path / "again.json"
    again.write_text(json.dumps(as_data(trace)), "utf-8")
    for number, one in enumerate((trace, *read_traces(again))):
        folder = tmp_path / str(number)
        folder.mkdir()
        result = judge(folder, f"not_skill_used: {name}", one)
        assert result.score == 1
        assert ("UNKNOWN SKILL" not in result.details) is known
        assert known or "the trace lists others: " in result.details
