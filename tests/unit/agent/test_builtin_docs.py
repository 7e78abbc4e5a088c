"""docs/agent-builtin.md tells of every option, tool and limit, as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_ppteval.agent.builtin.confined import Limits
from pytest_ppteval.agent.builtin.ending import FAILED, FINISHED, INFRASTRUCTURE
from pytest_ppteval.agent.builtin.task import OPTIONS, Options, read_task
from pytest_ppteval.agent.builtin.toolbox import TOOLS

DOC = (Path(__file__).parents[3] / "docs" / "agent-builtin.md").read_text("utf-8")


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_has_a_row_with_its_default(option: str) -> None:
    # In the file of agents "timeout" is that of the whole run.
    named = {"timeout": "answer_timeout"}.get(option, option)
    row = re.search(rf"^\| `{named}` \| (.*?) \|", DOC, re.MULTILINE)
    assert row is not None
    default = getattr(Options(), option)
    assert row[1].strip("`") == {"max_cost": "no limit", "prices": "genai-prices"}.get(
        option, f"{default:g}" if isinstance(default, float) else str(default)
    )


@pytest.mark.parametrize("tool", TOOLS, ids=[tool["name"] for tool in TOOLS])
def test_every_tool_has_a_row_with_what_it_takes(tool: dict[str, object]) -> None:
    schema = tool["input_schema"]
    assert isinstance(schema, dict)
    given = ", ".join(schema["properties"])
    assert f"| `{tool['name']}{f'({given})' if given else ''}` |" in DOC


def test_limits_and_exit_codes_are_told() -> None:
    limits = Limits()
    for text in (
        f"{limits.memory >> 30} GiB | `MemoryError`",
        f"{limits.file_size >> 20} MiB | `OSError`",
        f"{limits.disk >> 30} GiB, {limits.files:,} files",
        f"{limits.printed >> 20} MiB | stopped",
        f"| open files | {limits.open_files} |",
        f"cut to\n{limits.shown:,} bytes",
        f"| {FINISHED} | finished",
        f"| {FAILED} | failed",
        f"| {INFRASTRUCTURE} | infrastructure",
    ):
        assert text in DOC


def test_the_example_is_a_task(tmp_path: Path) -> None:
    (example,) = re.findall(r"^\$ echo '(\{.*?\})' \|", DOC, re.DOTALL | re.MULTILINE)
    workspace = tmp_path / "work"
    workspace.mkdir()
    data = json.loads(example.replace("'\"$PWD\"'", str(tmp_path)))
    assert read_task(json.dumps(data)).options.max_turns == 10
