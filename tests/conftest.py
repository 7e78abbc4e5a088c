"""Fixtures of the tests: a real deck and a small evaluation project around it."""

from __future__ import annotations

import pkgutil
import shutil
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agent_project import AgentProject
from agents_here import Bench
from messages_server import KEY, Server
from small_project import Project

import pytest_ppteval

if TYPE_CHECKING:
    from collections.abc import Iterator

# pytester forgets what a run in this process imported, so that the next one would import it anew. That takes longer
# than the run itself: hypothesis, which its plugin imports at each end, some two seconds. libyaml's binding can't be
# imported twice at all. What lives in the sandbox' own processes is never imported in pytest's.
for name in ("anthropic", "hypothesis", "jsonschema", "pptx", "yaml"):
    import_module(name)
for module in pkgutil.walk_packages(pytest_ppteval.__path__, "pytest_ppteval."):
    if ".sandbox.inside" not in module.name:
        import_module(module.name)


@pytest.fixture(scope="session")
def small_deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real deck of two slides."""
    from pptx import Presentation

    deck = Presentation()
    for title in ("Lecture 3", "Thanks"):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
    path = tmp_path_factory.mktemp("deck") / "intro.pptx"
    deck.save(str(path))
    return path


@pytest.fixture
def bench(tmp_path: Path, small_deck: Path) -> Bench:
    """A folder to run agents in, with a deck whose first title is "Lecture 3"."""
    return Bench(tmp_path, Path(shutil.copy(small_deck, tmp_path)))


@pytest.fixture(autouse=True)
def _terminal_as_at_a_desk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a build server pytest doesn't cut its lines; what the tests of pytest runs expect must not depend on that."""
    if "pytester" in request.fixturenames:
        for name in ("CI", "BUILD_NUMBER"):
            monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(pytester: pytest.Pytester, small_deck: Path) -> Project:
    return Project(pytester, small_deck)


@pytest.fixture(scope="session")
def sdk() -> None:
    """The SDK, imported once: pytester would forget it after each test, and it takes seconds.

    A question is asked too, for what is imported only then: imported anew in each test, exceptions would be others.
    """
    import anthropic

    with Server() as server, anthropic.Anthropic(base_url=server.url, api_key=KEY) as client:
        client.messages.create(model="any", max_tokens=1, messages=[{"role": "user", "content": "Are you there?"}])


@pytest.fixture
def no_model(sdk: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment in which no model is set up, whatever the developer's own says."""
    for name in (
        "API_KEY",
        "AUTH_TOKEN",
        "BASE_URL",
        "CUSTOM_HEADERS",
        "PROFILE",
        "FEDERATION_RULE_ID",
        "IDENTITY_TOKEN",
    ):
        monkeypatch.delenv(f"ANTHROPIC_{name}", raising=False)
    for name in ("RUBRIC_DEFAULT_LLM", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "empty-home"  # the SDK looks for profiles below it
    home.mkdir()
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(home))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, no_model: None) -> Iterator[Server]:
    """A server on loopback that speaks the Messages API, to which the SDK's own variables point."""
    with Server() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        yield server


@pytest.fixture
def agents(pytester: pytest.Pytester, small_deck: Path) -> AgentProject:
    """A project with an agent that does what its tasks say."""
    return AgentProject(pytester, small_deck).setup()
