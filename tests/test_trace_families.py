"""Families of tools: one word for what each agent has a name of its own for."""

from __future__ import annotations

import pytest

from pytest_ppteval.trace import formats
from pytest_ppteval.trace.families import _AGENTS, FAMILIES, family_of
from pytest_ppteval.trace.model import Json


@pytest.mark.parametrize(
    ("format_name", "read", "write", "search", "shell", "skill"),
    [
        ("claude-code", "Read", "Edit", "Grep", "Bash", "Skill"),
        ("claude-session", "NotebookRead", "MultiEdit", "LS", "Bash", "Skill"),
        ("codex-exec", "view_image", "file_change", "list_dir", "command_execution", "skill"),
        ("codex-rollout", "view_image", "apply_patch", "grep_files", "exec_command", "skill"),
        ("copilot", "view", "create", "glob", "powershell", "skill"),
        ("cursor", "read", "delete", "semSearch", "shell", "skill"),
        ("gemini-cli", "read_many_files", "replace", "search_file_content", "run_shell_command", "activate_skill"),
        ("gemini-session", "read_file", "write_file", "glob", "run_shell_command", "activate_skill"),
        ("gemini-telemetry", "read_file", "write_file", "list_directory", "run_shell_command", "activate_skill"),
        ("opencode", "read", "patch", "list", "bash", "skill"),
        ("goose", "read", "write", "tree", "developer__shell", "load_skill"),
        # Anybody's tools, and those of agents whose traces were written down by another program
        ("atif", "Read", "write_file", "Glob", "bash_command", "Skill"),
        ("otel", "read_file", "MultiEdit", "list_files", "terminal", "load_skill"),
    ],
)
def test_each_family_of_each_agent(
    format_name: str, read: str, write: str, search: str, shell: str, skill: str
) -> None:
    assert [family_of(format_name, tool) for tool in (read, write, search, shell, skill)] == list(FAMILIES)


@pytest.mark.parametrize(
    ("format_name", "tool", "args", "family"),
    [
        ("goose", "developer__text_editor", {"command": "view", "path": "a"}, "read"),
        ("goose", "developer__text_editor", {"command": "str_replace", "path": "a"}, "write"),
        ("goose", "text_editor", None, None),  # arguments that are not known
        ("anthropic", "str_replace_based_edit_tool", {"command": "create"}, "write"),
        ("agui", "str_replace_editor", {"command": "view"}, "read"),
        ("inspect", "text_editor", {"command": "insert"}, "write"),
        ("anthropic", "text_editor_code_execution", {"command": "look"}, None),
        ("codex-rollout", "shell", {"command": ["apply_patch", "*** Begin Patch"]}, "write"),
        ("codex-rollout", "shell", {"command": ["cat", "a"]}, "shell"),
    ],
)
def test_tools_that_do_what_they_are_told(format_name: str, tool: str, args: Json, family: str | None) -> None:
    assert family_of(format_name, tool, args) == family


@pytest.mark.parametrize(
    ("format_name", "tool", "family"),
    [
        ("claude-code", "mcp__filesystem__read_text_file", "read"),
        ("cursor", "mcp__my-filesystem__directory_tree", "search"),
        ("claude-code", "mcp__drive__read_file", None),  # not of this machine
        ("claude-code", "WebSearch", None),  # nor is the web
        ("claude-code", "read", None),  # Claude Code has no tool of this name
        ("opencode", "Read", None),
        ("agui", "list_slides", None),
        ("otel", "edit", "write"),
        ("otel", "", None),
    ],
)
def test_names_that_say_it_and_names_that_do_not(format_name: str, tool: str, family: str | None) -> None:
    assert family_of(format_name, tool) == family


def test_every_table_is_of_a_format() -> None:
    assert set(_AGENTS) <= set(formats())
