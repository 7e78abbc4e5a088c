"""`ppteval trace FILE`: what people and programs see of a trace."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from pytest_ppteval.cli import COMMANDS, main

TRACES = Path(__file__).parent / "data" / "traces"


def test_a_table_of_the_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(TRACES / "synthetic-events.jsonl")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "copilot | s1 | finished | 2 tool calls | 10215 tokens | cost unknown | 9.5 s",
        "  claude-sonnet-4.6: 10100 in (cache: 8000 read, 600 written), 115 out (reasoning: ?)",
        "",
        "#     tool  arguments              result                s",
        '1  a  bash  {"command": "ls"}      a.txt\\n               0.6',
        '2  a  view  {"path": "README.md"}  FAILED: no such file  0.1',
        "",
        "final response:",
        "  There is one file: a.txt",
    ]


def test_what_the_reader_put_up_with_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(TRACES / "exec-json-phase-unknown.jsonl")]) == 0
    out = capsys.readouterr().out
    assert "noticed:\n  line 7: unknown event future_item: kept, not read" in out
    assert "| 15 tokens | cost unknown | time unknown" in out


def test_json_of_all_runs(capsys: pytest.CaptureFixture[str]) -> None:
    path = TRACES / "stream-json-session.jsonl"
    assert main(["trace", str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["file"] == str(path)
    assert [(run["run"][:4], run["status"], run["cost_usd"]) for run in data["runs"]] == [
        ("aaaa", "finished", 0.012345),
        ("bbbb", "error", 0.001),
    ]
    assert data["runs"][0]["steps"][1] == {
        "id": "toolu_02",
        "tool": "Write",
        "args": {"file_path": "notes.md", "content": "hello"},
        "result": "ok",
        "failed": False,
        "group": "msg_02EXAMPLEASSIST",
    }


def test_one_run_of_several(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(TRACES / "stream-json-session.jsonl")
    assert main(["trace", path]) == 0
    assert capsys.readouterr().out.count("claude-code | ") == 2
    assert main(["trace", path, "--run", "bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb"]) == 0
    assert capsys.readouterr().out.startswith(
        "claude-code | bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb | error | 1 tool call |"
    )
    assert main(["trace", path, "--run", "cc"]) == 2
    assert "no run 'cc' in it; it has aaaaaaaa-" in capsys.readouterr().err


def test_a_named_format(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text('{"type": "CUSTOM", "name": "x", "value": 1}\n')
    assert main(["trace", str(path)]) == 2
    message = capsys.readouterr().err
    assert "run.txt: no trace format recognised; name it if it is one of adk, agui, " in message
    assert main(["trace", str(path), "--format", "agui"]) == 0
    assert capsys.readouterr().out.startswith("agui | truncated | 0 tool calls | tokens unknown")
    assert main(["trace", str(path), "--format", "nonsense"]) == 2
    assert "unknown trace format 'nonsense'" in capsys.readouterr().err


@pytest.mark.parametrize(("content", "problem"), [(b"", "the file is empty"), (None, "No such file")])
def test_files_that_cannot_be_read(
    content: bytes | None, problem: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert main(["trace", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"ppteval trace: {path}: {problem}")
    assert captured.err.count("\n") == 1


def test_a_trace_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    evil = "\x1b[2J\x07\u202e"
    events = [
        {"type": "RUN_STARTED", "threadId": evil, "runId": "r"},
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": evil},
        {"type": "TOOL_CALL_END", "toolCallId": "c"},
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": evil},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": f"one\n{evil}"},
        {"type": evil},
        {"type": "RUN_ERROR", "message": evil},
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    assert main(["trace", str(path)]) == 0
    out = capsys.readouterr().out
    assert all(char.isprintable() or char == "\n" for char in out)
    assert out.count("\\x1b[2J") == 6  # run, error, tool, result, response, unknown event


def test_a_long_response_is_shortened_and_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "x" * 1000}))
    assert main(["trace", str(path)]) == 0
    assert f"  {'x' * 400}\n  ... 600 more characters" in capsys.readouterr().out


def test_the_command_outside_of_tests(tmp_path: Path) -> None:
    """In a terminal that knows ASCII only, and into a pipe that closes early."""
    path = TRACES / "self-pydantic-ai-2.68-agui-1.0.sse"
    command = [sys.executable, "-m", "pytest_ppteval.cli", "trace", str(path)]
    environment = {"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u2705 \\u2013 \\u201cdone\\u201d." in done.stdout
    big = tmp_path / "big.jsonl"
    events = [{"type": "TEXT_MESSAGE_CHUNK", "messageId": f"m{n}", "delta": "x" * 100} for n in range(5000)]
    big.write_text("".join(json.dumps(event) + "\n" for event in events))
    piped = subprocess.Popen([*command[:-1], str(big), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert piped.stdout is not None
    assert piped.stderr is not None
    piped.stdout.read(10)
    piped.stdout.close()
    with piped.stderr:
        assert piped.stderr.read() == b""
    assert piped.wait() == 0


def test_every_command_has_a_module_with_its_two_functions() -> None:
    for module, help_text in COMMANDS.values():
        found = import_module(module)
        assert callable(found.arguments)
        assert callable(found.run)
        assert help_text


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)
    with pytest.raises(SystemExit) as stopped:
        main([])
    assert stopped.value.code == 2


def test_the_command_is_installed_with_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["scripts"]["ppteval"] == "pytest_ppteval.cli:main"
