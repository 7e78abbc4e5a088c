"""Rules about files in the workspace; whatever an agent leaves there, nothing is read from anywhere else."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from agent_run import case_with, judge, judge_run, outcome, trace_of

from pytest_ppteval.evidence.run import Run
from pytest_ppteval.evidence.workspace import Workspace
from pytest_ppteval.files.plain import MAX_TEXT

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "cpu.json": '{"hosts": [{"name": "web-1", "load": 0.93, "ok": true}, {"name": "web-2", "load": 1, "瓶颈": "CPU"}]}',
    "out/report.md": "# Report\nThe test is valid.\n",
    "broken.json": '{"a": 1,\n}',
}


@pytest.mark.parametrize(
    ("rule", "score", "reason"),
    [
        ("file_exists: cpu.json", 1, "there is cpu.json (103 bytes)"),
        ("file_exists: [cpu.json, out/report.md]", 1, "there is cpu.json (103 bytes), out/report.md (28 bytes)"),
        (
            "file_exists: [cpu.json, nic.json]",
            0,
            "there is no nic.json; the workspace holds cpu.json, broken.json, out/report.md",
        ),
        ("file_exists: '*.md'", 1, "there is out/report.md"),
        ("file_exists: '*.csv'", 0, "no file fits *.csv; the workspace holds broken.json, cpu.json, out/report.md"),
        ("file_exists: out", 0, "out is a folder; the workspace holds broken.json, cpu.json, out/report.md"),
        ("not_file_exists: [a.txt, b.txt]", 1, "there is no a.txt; there is no b.txt"),
        ("not_file_exists: [a.txt, cpu.json]", 0, "there is cpu.json (103 bytes)"),
        ("not_file_exists: '*.md'", 0, "there is out/report.md"),
        ("not_file_exists: out", 0, "out is a folder"),
        (
            "file_contains: {file: out/report.md, text: [valid, Report]}",
            1,
            "out/report.md has 'valid', 'Report': \"# Report The test is valid.\"; \"# Report The test is valid.\"",
        ),
        (
            "file_contains: {file: out/report.md, text: Valid}\nignore_case: true",
            1,
            "out/report.md has 'Valid': \"# Report The test is valid.\"",
        ),
        (
            "not_file_contains: {file: out/report.md, text: memory}",
            1,
            "'memory' is not in out/report.md (28 characters)",
        ),
        (
            "not_file_contains: {file: report.md, text: memory}",
            0,
            "there is no report.md; the workspace holds out/report.md, broken.json, cpu.json",
        ),
        (
            "file_matches: {file: out/report.md, pattern: 'is (in)?valid'}",
            1,
            'out/report.md has /is (in)?valid/: "# Report The test is valid."',
        ),
    ],
)
def test_files(tmp_path: Path, rule: str, score: float, reason: str) -> None:
    assert outcome(judge(tmp_path, rule, files=FILES)) == (score, reason)


CPU = "cpu.json: $.hosts"


@pytest.mark.parametrize(
    ("condition", "score", "reason"),
    [
        ("path: '$.hosts[0].name', equals: web-1", 1, f'{CPU}[0].name is "web-1", which is equal to "web-1"'),
        ("path: '$.hosts[0].name', equals: web-2", 0, f'{CPU}[0].name is "web-1", not equal to "web-2"'),
        ("path: '$.hosts[1].load', equals: 1.0", 1, f"{CPU}[1].load is 1, which is equal to 1.0"),
        ("path: '$.hosts[0].ok', equals: 1", 0, f"{CPU}[0].ok is true, not equal to 1"),
        ("path: '$.hosts[-1].瓶颈', equals: CPU", 1, f'{CPU}[-1].瓶颈 is "CPU", which is equal to "CPU"'),
        ("path: '$.hosts[*].name', equals: web-2", 1, f'{CPU}[*].name is "web-2", which is equal to "web-2"'),
        (
            "path: '$.hosts[*].load', min: 0.9, max: 0.95, any: true",
            1,
            f"{CPU}[*].load is 0.93, which is at least 0.9 and at most 0.95",
        ),
        ("path: '$.hosts[*].load', max: 0.5", 0, f"{CPU}[*].load is 0.93, 1, not at most 0.5"),
        ("path: '$.hosts[0].ok', min: 0", 0, f"{CPU}[0].ok is true, not at least 0"),
        (
            "path: '$.hosts[0].name', contains: web",
            1,
            f'{CPU}[0].name is "web-1", which is something that contains "web"',
        ),
        (
            "path: '$.hosts[0][''name'']', matches: '^web-\\d+$'",
            1,
            f'{CPU}[0].name is "web-1", which is a match of /^web-\\d+$/',
        ),
        (
            "path: '$.hosts[0].cpu'",
            0,
            "cpu.json has nothing at $.hosts[0].cpu: $.hosts[0] is an object with 'name', 'load', 'ok'",
        ),
        ("path: '$.hosts[7].name'", 0, "cpu.json has nothing at $.hosts[7].name: $.hosts is a list of 2"),
    ],
)
def test_json_path(tmp_path: Path, condition: str, score: float, reason: str) -> None:
    plain, negated = tmp_path / "plain", tmp_path / "negated"
    for folder, word, expected in ((plain, "", score), (negated, "not_", 1 - score)):
        folder.mkdir()
        found = judge(folder, f"{word}json_path: {{file: cpu.json, {condition}}}", files=FILES)
        assert outcome(found) == (expected, reason)


@pytest.mark.parametrize("word", ["", "not_"])
def test_a_file_that_is_no_json_fails_both_forms(tmp_path: Path, word: str) -> None:
    found = judge(tmp_path, f"{word}json_path: {{file: broken.json, path: $.a}}", files=FILES)
    assert found.score == 0
    assert found.reason.startswith("broken.json is no valid JSON: ")
    assert "line 2 column 1" in found.reason


@pytest.mark.parametrize(
    ("response", "score"),
    [
        ('{"verdict": "valid"}', 1),
        ('Here it is:\n```json\n{"verdict": "valid"}\n```\nAs asked.', 1),
        ('```\n{"verdict": "valid"}\n```\n```\n{"verdict": "invalid"}\n```', 0),
        ("valid", 0),
    ],
)
def test_json_in_the_response(tmp_path: Path, response: str, score: float) -> None:
    rule = "json_path: {path: $.verdict, equals: valid}"
    assert judge(tmp_path, rule, trace_of(response=response)).score == score


@pytest.mark.parametrize("rule", ["file_exists: a", "not_file_exists: a", "not_file_contains: {file: a, text: b}"])
def test_a_workspace_that_was_not_kept_leaves_it_open(tmp_path: Path, rule: str) -> None:
    status, reason = outcome(judge(tmp_path, rule, trace_of()))
    assert status == "unscored"
    assert reason.startswith("the run's files were not kept: no folder workspace in ")


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A workspace with links, a pipe, and a file that is too large."""
    (tmp_path / "secret.txt").write_text("password")
    workspace = tmp_path / "odd" / "workspace"
    (workspace / "sub").mkdir(parents=True)
    (workspace / "real.txt").write_text("inside")
    (workspace / "sub" / "in.txt").symlink_to("../real.txt")
    (workspace / "out.txt").symlink_to("../../secret.txt")
    (workspace / "up").symlink_to("../..")
    (workspace / "circle").symlink_to("circle")
    os.mkfifo(workspace / "pipe")
    with open(workspace / "huge.txt", "wb") as file:
        file.truncate(MAX_TEXT + 1)
    return tmp_path / "odd"


@pytest.mark.parametrize(
    ("rule", "score", "said"),
    [
        ("file_contains: {file: sub/in.txt, text: inside}", 0, "sub/in.txt is a symbolic link, which is not followed"),
        ("file_contains: {file: out.txt, text: password}", 0, "out.txt is a symbolic link, which is not followed"),
        (
            "file_contains: {file: up/secret.txt, text: password}",
            0,
            "up/secret.txt can't be reached: up is a symbolic link, which is not followed",
        ),
        ("not_file_contains: {file: out.txt, text: nothing}", 0, "out.txt is a symbolic link, which is not followed"),
        ("file_exists: out.txt", 0, "out.txt is a symbolic link, which is not followed"),
        ("not_file_exists: out.txt", 0, "out.txt is a symbolic link, which is not followed"),
        ("file_exists: circle", 0, "circle is a symbolic link, which is not followed"),
        ("file_exists: pipe", 0, "pipe is no plain file: it is a pipe"),
        ("file_contains: {file: pipe, text: x}", 0, "pipe is no plain file: it is a pipe"),
        ("file_contains: {file: sub, text: x}", 0, "sub is a folder"),
        ("file_contains: {file: huge.txt, text: x}", 0, "huge.txt has 16,777,217 bytes, more than the 16,777,216"),
        ("not_file_contains: {file: huge.txt, text: x}", 0, "huge.txt has 16,777,217 bytes, more than the 16,777,216"),
        ("file_exists: huge.txt", 1, "there is huge.txt (16,777,217 bytes)"),
    ],
)
def test_odd_files(tmp_path: Path, odd: Path, rule: str, score: float | str, said: str) -> None:
    found, reason = outcome(judge_run(case_with(tmp_path, rule), Run(odd)))
    assert found == score
    assert reason.startswith(said)


def test_wildcards_look_through_all_files_however_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_ppteval.evidence.workspace.MAX_FILES", 3)
    files = {f"a/{number}.txt": "" for number in range(5)} | {"z.csv": "1"}
    assert outcome(judge(tmp_path, "file_exists: ['./*.csv', 'a/4*']", trace_of(), files=files))[0] == 1
    workspace = Workspace(tmp_path / "run" / "workspace")
    assert len(workspace.files) == 3
    assert workspace.matching("*.csv") == ["z.csv"]


def test_wildcards_find_no_links_and_no_pipes(odd: Path) -> None:
    assert Workspace(odd / "workspace").matching("*") == ["huge.txt", "real.txt"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marked_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    result = judge(tmp_path, "file_contains: {file: a.txt, text: 有效}", files={"a.txt": "测试有效".encode(encoding)})
    assert result.score == 1


def test_text_that_is_not_utf8_and_halves_of_characters_do_no_harm(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a.txt": b"caf\xe9 valid", "b.json": '{"a": "\\ud83d"}'}
    assert judge(tmp_path, "file_contains: {file: a.txt, text: valid}", files=files).score == 1
    (tmp_path / "b").mkdir()
    result = judge(tmp_path / "b", "json_path: {file: b.json, path: $.a, equals: x}", files=files)
    result.reason.encode()
    assert result.score == 0


def test_json_nested_without_end(tmp_path: Path) -> None:
    result = judge(tmp_path, "json_path: {file: a.json, path: $.a}", files={"a.json": "[" * 200_000})
    assert result.score == 0
    assert result.reason == "a.json is nested too deep to be read as JSON"


@pytest.mark.parametrize(
    ("note", "score"),
    [
        ("not kept: all files from many/1 on: 2,000 are kept", 0),
        ("982 files and folders lie more than 64 folders deep: the others are neither kept nor told of", 0),
        ("no trace was kept", 1),
    ],
)
def test_what_was_too_much_to_keep_may_hold_the_file(tmp_path: Path, note: str, score: float) -> None:
    """An agent can't hide a file that it must not leave among very many, or very deep."""
    run = tmp_path / "run"
    (run / "workspace").mkdir(parents=True)
    (run / "agent.json").write_text(json.dumps({"notes": [note]}))
    found, reason = outcome(judge_run(case_with(tmp_path, "not_file_exists: secret.txt"), Run(run)))
    assert found == score
    assert (note in reason) == (score == 0)


def test_a_file_hidden_deep_in_folders(tmp_path: Path) -> None:
    deep = tmp_path / "run" / "workspace" / "/".join("d" * 80)
    deep.mkdir(parents=True)
    (deep / "secret.txt").touch()
    found, reason = outcome(judge_run(case_with(tmp_path, "not_file_exists: '*secret.txt'"), Run(tmp_path / "run")))
    assert found == 0
    assert reason.startswith("not all that the agent left can be looked at: files lie more than 64 folders deep")
