"""Defaults for agents that many people have. Each key stands until the user's own replaces it.

From the tools' public documentation; docs/agents.md says what was tried.
"""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "claude-code": {
        "command": [
            "claude",
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--permission-mode",
            "acceptEdits",
            "--allowedTools",
            "Bash,Edit,Glob,Grep,NotebookEdit,Read,Skill,Task,TodoWrite,Write",
        ],
        # By stdin: one argument takes 128 kB at most, and a goal that begins with "-" would be an option.
        "stdin": "{prompt}",
        "trace": "stdout",
        "skills": ".claude/skills",
        "env": {"pass": ["ANTHROPIC_*", "CLAUDE_CODE_*", "CLAUDE_CONFIG_DIR"]},
    },
    "codex": {
        "command": ["codex", "exec", "--json", "--skip-git-repo-check", "--sandbox", "workspace-write", "-"],
        "stdin": "{prompt}",
        "trace": "stdout",
        "skills": ".agents/skills",
        "env": {"pass": ["OPENAI_*", "CODEX_*"]},
    },
    "copilot": {
        "command": [
            "copilot",
            "--prompt={prompt}",
            "--output-format=json",
            "--allow-all-tools",
            "--no-ask-user",
            "--no-color",
        ],
        "trace": "stdout",
        "skills": ".github/skills",
        "env": {"pass": ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"]},
    },
}
