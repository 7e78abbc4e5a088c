"""What kind of tool a call used: read, write, search, shell or skill, by each format's own names.

A rule that says "some tool that writes" holds for every agent then. `write` is whatever changes files, deleting
included; `search` finds or lists files, not the web; `shell` runs what it is given. A tool that isn't in a table has no
family: what it does isn't known from its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from pytest_ppteval.trace.jsontext import as_dict, as_list, as_text
from pytest_ppteval.trace.model import Json

Family = Literal["read", "write", "search", "shell", "skill"]
FAMILIES: tuple[Family, ...] = get_args(Family)

_Table = Mapping[str, Family]


def _table(**names: str) -> _Table:
    """read="a b" -> {"a": "read", "b": "read"}."""
    return {name: family for family in FAMILIES for name in names.get(family, "").split()}


_CLAUDE = _table(
    read="Read NotebookRead",
    write="Write Edit MultiEdit NotebookEdit",
    search="Grep Glob LS",
    shell="Bash PowerShell",
    skill="Skill",
)
_CODEX = _table(
    read="view_image read_file",
    write="file_change apply_patch",
    search="grep_files list_dir",
    shell="command_execution shell shell_command local_shell local_shell_call exec_command write_stdin unified_exec",
    skill="skill",
)
_GEMINI = _table(
    read="read_file read_many_files",
    write="write_file replace edit",
    search="list_directory glob search_file_content grep_search ls",
    shell="run_shell_command",
    skill="activate_skill",
)
_OPEN_CODE = _table(
    read="read",
    write="write edit multiedit patch apply_patch",
    search="list glob grep codesearch",
    shell="bash",
    skill="skill",
)

# By the name of the reader.
_AGENTS: Mapping[str, _Table] = {
    "claude-code": _CLAUDE,
    "claude-session": _CLAUDE,
    "codex-exec": _CODEX,
    "codex-rollout": _CODEX,
    "copilot": _table(
        read="view read_bash show_file",
        write="create edit apply_patch",
        search="grep glob rg",
        shell="bash powershell",
        skill="skill",
    ),
    "cursor": _table(
        read="read",
        write="write edit delete editNotebook applyPatch",
        search="ls glob grep semSearch codebaseSearch fileSearch",
        shell="shell",
        skill="skill",
    ),
    "gemini-cli": _GEMINI,
    "gemini-session": _GEMINI,
    "gemini-telemetry": _GEMINI,
    "opencode": _OPEN_CODE,
    "goose": _table(
        read="read developer__read developer__read_image",
        write="write edit developer__write developer__edit",
        search="tree glob developer__tree developer__glob",
        shell="shell developer__shell",
        skill="load_skill loadSkill skills__loadSkill skills__load_skill",
    ),
    "pi": _table(read="read", write="write edit", search="grep find ls", shell="bash"),
    "inspect": _table(read="read_file", search="list_files grep", shell="bash python bash_session", skill="skill"),
    "anthropic": _table(
        read="list_slides read_slide see_slide",  # of the agent that comes with the plugin, as run_python
        shell="bash bash_code_execution code_execution run_python",
        skill="Skill",
    ),
}

# Tools whose argument `command` says what they do. The same in every format.
_EDITORS = frozenset(
    (
        *("text_editor", "developer__text_editor", "str_replace_editor", "str_replace_based_edit_tool"),
        *("text_editor_code_execution",),
    )
)
_EDITS = frozenset(
    ("create", "write", "str_replace", "insert", "edit_file", "undo_edit", "delete", "rename", "diff", "patch")
)

# The files server of the Model Context Protocol, whatever agent uses it.
_FILES = _table(
    read="read_file read_text_file read_media_file read_multiple_files",
    write="write_file edit_file create_directory move_file",
    search="list_directory list_directory_with_sizes directory_tree search_files get_file_info",
)

# Formats that carry anybody's tools (AG-UI, OpenTelemetry, ATIF, ...): the names above that mean one thing wherever
# they stand, and those that people give their own tools for it.
_OWN = _table(
    read="read_file open_file view_file cat_file",
    write="write_file edit_file create_file append_file delete_file replace_in_file",
    search="list_files list_directory list_dir search_files find_files grep glob",
    shell="bash shell terminal execute_command run_command bash_command run_terminal_cmd run_shell_command",
    skill="skill skills load_skill use_skill activate_skill read_skill invoke_skill",
)


def _general() -> _Table:
    found: dict[str, set[Family]] = {}
    for table in (*(table for name, table in _AGENTS.items() if name != "anthropic"), _OWN):
        for name, family in table.items():
            found.setdefault(name.lower(), set()).add(family)
    return {name: next(iter(families)) for name, families in found.items() if len(families) == 1}


_ANY = _general()


def family_of(format: str, tool: str, args: Json = None) -> Family | None:
    """The family of a tool in a trace of the format (the name of its reader); None where that isn't known.

    args: the call's arguments, None where they are unknown; some tools read or write by what they are told.
    """
    if tool in _EDITORS:
        command = as_text(as_dict(args).get("command"))
        return "read" if command == "view" else "write" if command in _EDITS else None
    parts = tool.split("__")
    if parts[0] == "mcp" and len(parts) > 2:
        return _FILES.get(parts[-1]) if "filesystem" in parts[1].lower() else None
    own = _AGENTS.get(format)
    if own is None:
        return _ANY.get(tool.lower())
    family = own.get(tool)
    if family == "shell" and own is _CODEX:
        # Codex's way of editing before it had a tool for it: a program that isn't one.
        words = as_list(as_dict(args).get("command"))
        if words and words[0] == "apply_patch":
            return "write"
    return family
