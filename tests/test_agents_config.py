"""ppteval.yaml: what agents are, and what a user is told of a file that is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.agent.config import choose_agent, find_config, load_agents
from pytest_ppteval.agent.presets import PRESETS
from pytest_ppteval.case.model import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, text: str, name: str = "ppteval.yaml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_every_kind(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "CLAUDE.md").write_text("Be brief.\n")
    (tmp_path / "skills" / "brand").mkdir(parents=True)
    path = write(
        tmp_path,
        """\
agents:
  stored: {kind: recorded, outputs: runs}
  mine:
    kind: command
    command: [my-agent, --task, "{goal}", '--json={{"out": "{output}"}}']
    stdin: "{prompt}"
    trace: logs/*.jsonl
    trace_format: agui
    response: answer.md
    env:
      pass: [MY_KEY, "MY_*"]
      set: {MY_HOME: "{workspace}/.my"}
    timeout: 90
    retries: {attempts: 4, delay: 0.5}
    files: {CLAUDE.md: CLAUDE.md, .claude/skills/brand: skills/brand}
    output_limit: 2
    disk_limit: 50
  function: {kind: python, function: "my_agent:run", options: {depth: 3}}
  built-in: {kind: claude, model: claude-opus-5-5, max_turns: 12, max_cost: 0.5, answer_timeout: 90}
""",
    )
    agents = load_agents(path)
    assert list(agents) == ["stored", "mine", "function", "built-in"]
    assert agents["stored"].outputs == tmp_path / "runs"
    mine = agents["mine"]
    assert mine.command[3] == '--json={{"out": "{output}"}}'
    assert (mine.trace, mine.trace_format, mine.response) == ("logs/*.jsonl", "agui", "answer.md")
    assert (mine.env_pass, mine.env_set) == (("MY_KEY", "MY_*"), {"MY_HOME": "{workspace}/.my"})
    assert (mine.timeout, mine.retries.attempts, mine.retries.delay) == (90, 4, 0.5)
    assert (mine.output_limit, mine.disk_limit) == (2_000_000, 50_000_000)
    assert mine.files == {
        "CLAUDE.md": tmp_path / "CLAUDE.md",
        ".claude/skills/brand": tmp_path / "skills" / "brand",
    }
    assert (agents["function"].function, agents["function"].options) == ("my_agent:run", {"depth": 3})
    # "timeout" is that of the run; the built-in agent's own option of that name is for one answer.
    assert agents["built-in"].options == {
        "model": "claude-opus-5-5",
        "max_turns": 12,
        "max_cost": 0.5,
        "timeout": 90,
    }
    assert (agents["built-in"].timeout, agents["built-in"].retries.attempts) == (600, 2)
    assert (mine.source.line, agents["built-in"].source.line) == (3, 19)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_preset_and_what_replaces_it(preset: str, tmp_path: Path) -> None:
    path = write(
        tmp_path,
        f"agents:\n  as-is: {{preset: {preset}}}\n"
        f"  other: {{preset: {preset}, command: [/opt/it, '{{prompt}}'], env: {{pass: [MORE]}}, timeout: 5}}\n",
    )
    agents = load_agents(path)
    assert agents["as-is"].kind == agents["other"].kind == "command"
    assert agents["as-is"].command == tuple(PRESETS[preset]["command"])
    other = agents["other"]
    assert (other.preset, other.command, other.timeout) == (preset, ("/opt/it", "{prompt}"), 5)
    # A login that a preset needs is passed on, whatever else is.
    assert other.env_pass == (*agents["as-is"].env_pass, "MORE")


def test_json_is_read_too(tmp_path: Path) -> None:
    agent = {"kind": "command", "command": ["x"]}
    path = write(tmp_path, json.dumps({"agents": {"a": agent}}), "ppteval.json")
    assert load_agents(path)["a"].command == ("x",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("agent: {}", "1:1: unknown key 'agent' in a settings file: did you mean 'agents'?"),
        ("agents: [a]", "1:9: 'agents' must be an object, not a list"),
        ("agents:\n  a: {}", "2:6: this agent has neither 'kind' nor 'preset': give it one"),
        ("agents:\n  a: {kind: python, preset: codex}", "this agent has both 'kind' and 'preset': keep one"),
        ("agents:\n  a: {kind: comand}", "2:13: 'kind' is 'comand': did you mean 'command'?"),
        ("agents:\n  a: {preset: claude}", "2:15: 'preset' is 'claude': did you mean 'claude-code'?"),
        ("agents:\n  a: {kind: command}", "2:6: 'command' is missing: a command agent needs it"),
        (
            "agents:\n  a:\n    kind: command\n    command: [x]\n    time_out: 5",
            "5:5: unknown key 'time_out' in a command agent: did you mean 'timeout'?",
        ),
        ("agents:\n  a: {kind: recorded, outputs: x, env: {}}", "2:35: unknown key 'env' in a recorded agent"),
        ("agents:\n  a: {kind: recorded, outputs: nil}", "2:32: there is no folder 'nil': paths count from "),
        ("agents:\n  a: {kind: command, command: claude -p}", "2:31: 'command' must be a list, not 'claude -p'"),
        ("agents:\n  a: {kind: command, command: []}", "2:31: 'command' is empty: give it at least one member"),
        ("agents:\n  a: {kind: command, command: ['']}", "2:32: the first member names the program: write it"),
        ("agents:\n  a: {kind: command, command: [x, '{gaol}']}", "2:35: unknown place {gaol}: did you mean 'goal'?"),
        ("agents:\n  a: {kind: command, command: [x, '{']}", "2:35: a lone '{': write '{{' for a literal brace"),
        ("agents:\n  a: {preset: codex, stdin: 'a}'}", "2:29: a lone '}': write '}}' for a literal brace"),
        ('agents:\n  a: {preset: codex, stdin: "a\\0"}', "2:29: a NUL character: no program takes one"),
        ("agents:\n  a: {preset: codex, timeout: 0}", "2:31: 'timeout' is 0: it must be 0.1 or more"),
        ("agents:\n  a: {preset: codex, timeout: soon}", "2:31: 'timeout' must be a number, not 'soon'"),
        ("agents:\n  a: {preset: codex, retries: {attempts: 0}}", "2:42: 'attempts' is 0: it must lie in 1..100"),
        ("agents:\n  a: {preset: codex, env: {PATH: x}}", "2:28: unknown key 'PATH' in a block of variables"),
        (
            "agents:\n  a: {preset: codex, env: {set: {N: 1}}}",
            "2:37: 'N' must be text, not 1: quote it, YAML reads the bare word as something else",
        ),
        ("agents:\n  a: {preset: codex, env: {pass: [A=b]}}", "2:35: 'A=b' names no variable: values go below 'set'"),
        ("agents:\n  a: {preset: codex, env: {set: {A: '{b}'}}}", "2:37: unknown place {b}: "),
        ("agents:\n  a: {preset: codex, trace: ../x}", "2:29: '../x' is not below the workspace"),
        ("agents:\n  a: {preset: codex, response: /x}", "2:32: '/x' is not below the workspace"),
        ("agents:\n  a: {preset: codex, trace_format: agu}", "2:36: unknown trace format 'agu': did you mean 'agui'?"),
        ("agents:\n  a: {preset: codex, files: {../x: a}}", "2:30: '../x' is no place in the workspace"),
        ("agents:\n  a: {preset: codex, files: {~/x: a}}", "2:30: '~/x' is no place in the workspace"),
        ("agents:\n  a: {preset: codex, files: {TASK.md: a}}", "2:30: TASK.md is what the task is written to"),
        ("agents:\n  a: {preset: codex, files: {x: nil}}", "2:33: there is no 'nil': paths count from "),
        ("agents:\n  a: {preset: codex, files: {x: ../y}}", "2:33: path '../y' climbs out of "),
        ("agents:\n  a: {preset: codex, files: {x: /etc/hosts}}", "2:33: path '/etc/hosts' is absolute"),
        ("agents:\n  a: {preset: codex, skills: ..}", "2:30: '..' is no place in the workspace"),
        ("agents:\n  a: {kind: python, function: run}", "2:31: 'run' names no function: write 'module:function'"),
        ("agents:\n  a: {kind: claude, max_turn: 3}", "unknown key 'max_turn' in a claude agent: did you mean"),
        ("agents:\n  a/b: {preset: codex}", "2:3: 'a/b' can't name an agent"),
        ("agents:\n  a: {preset: codex}\n  a: {preset: codex}", "3:3: key 'a' is written twice, first in line 2"),
    ],
)
def test_a_wrong_file(text: str, problem: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with pytest.raises(FormatError) as raised:
        load_agents(path, "ppteval.yaml")
    assert str(raised.value).startswith("ppteval.yaml:")
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ('"timeout": 1e999', "1:49: 'timeout' is no finite number: write a limit"),
        ('"retries": {"delay": 1e999}', "1:59: 'delay' is no finite number: write seconds"),
    ],
)
def test_json_has_numbers_beyond_all_limits(keys: str, problem: str, tmp_path: Path) -> None:
    path = write(tmp_path, f'{{"agents": {{"a": {{"preset": "codex", {keys}}}}}}}', "ppteval.json")
    with pytest.raises(FormatError) as raised:
        load_agents(path, "ppteval.json")
    assert str(raised.value).endswith(problem)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path, "agents:\n  a: {preset: codex, stdin: '{'}\n  b: {preset: codex, trace: /../x, skills: ..}\n"
    )
    with pytest.raises(FormatError) as raised:
        load_agents(path)
    assert [error.source.line for error in raised.value.all] == [2, 3]


def test_the_file_is_found_and_an_agent_chosen(tmp_path: Path) -> None:
    cases = tmp_path / "cases"
    cases.mkdir()
    assert find_config(cases, tmp_path) is None
    path = write(tmp_path, "agents:\n  mine: {preset: codex}\n", "ppteval.yml")
    assert find_config(cases, tmp_path) == path
    agents = load_agents(path)
    assert choose_agent(agents, "mine", path).name == "mine"
    with pytest.raises(ValueError, match=r"no agent 'mime' in .*ppteval\.yml: did you mean 'mine'\?"):
        choose_agent(agents, "mime", path)
    write(tmp_path, "{}", "ppteval.json")
    with pytest.raises(FormatError, match=r"ppteval\.json:1:1: ppteval\.yml is beside it, and both name agents"):
        find_config(cases, tmp_path)
