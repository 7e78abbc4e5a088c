"""What docs/agents.md shows loads, and it names every key, place, variable and preset there is."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.agent.builtin.task import OPTIONS
from pytest_ppteval.agent.config import load_agents
from pytest_ppteval.agent.environment import ALLOWED
from pytest_ppteval.agent.inpython import Task
from pytest_ppteval.agent.presets import PRESETS
from pytest_ppteval.agent.spec import AgentRun
from pytest_ppteval.agent.template import PLACES

if TYPE_CHECKING:
    from typing import Any

DOC = (Path(__file__).parents[3] / "docs" / "agents.md").read_text(encoding="utf-8")
SCHEMA: dict[str, Any] = json.loads(
    (files("pytest_ppteval.case") / "schema" / "agents.schema.json").read_text(encoding="utf-8")
)


def test_the_example_loads(tmp_path: Path) -> None:
    found = re.search(r'^```yaml title="ppteval.yaml"\n(.*?)^```$', DOC, re.DOTALL | re.MULTILINE)
    assert found
    for name in ("agents", "skills/brand", "runs/last-week"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "agents" / "CLAUDE.md").touch()
    (tmp_path / "ppteval.yaml").write_text(found[1], "utf-8")
    agents = load_agents(tmp_path / "ppteval.yaml")
    assert {agent.kind for agent in agents.values()} == {"command", "python", "claude", "recorded"}
    assert {agent.preset for agent in agents.values()} == {*PRESETS, None}


@pytest.mark.parametrize("kind", ["recorded", "command", "preset", "python", "claude"])
def test_every_key_is_named(kind: str) -> None:
    for key in SCHEMA["$defs"][f"{kind}_agent"]["properties"]:
        assert f"`{key}`" in DOC, key


def test_the_built_in_agents_options_can_be_set() -> None:
    """All but those that the session sets."""
    given = {"answer_timeout" if name == "timeout" else name for name in OPTIONS} - {"renderer", "sandbox", "prices"}
    assert given <= SCHEMA["$defs"]["claude_agent"]["properties"].keys()


def test_the_schema_knows_the_presets() -> None:
    defs = SCHEMA["$defs"]
    assert set(defs["preset_agent"]["properties"]["preset"]["enum"]) == set(PRESETS)
    assert set(defs["agent"]["properties"]["preset"]["enum"]) == set(PRESETS)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_presets_are_as_they_stand_there(preset: str) -> None:
    (row,) = [line for line in DOC.splitlines() if line.startswith(f"| `{preset}` | `")]
    assert f"`{' '.join(PRESETS[preset]['command'])}`" in row
    assert all(f"`{name}`" in row for name in PRESETS[preset]["env"]["pass"])


def test_every_place_variable_and_field_is_named() -> None:
    for place in PLACES:
        assert f"`{{{place}}}`" in DOC
    for name in ALLOWED:
        assert f"`{name.upper()}`" in DOC
    for field in fields(Task):
        assert f"`{field.name}`" in DOC
    for field in fields(AgentRun):
        assert field.name in ("folder", "metrics") or f"`{field.name}`" in DOC, field.name
