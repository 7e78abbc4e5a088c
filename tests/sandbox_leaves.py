"""Fixtures for tests that run code in the sandbox: `from sandbox_leaves import *`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.sandbox.host import Job, Limits, ModelRequest, Outcome, Sandbox, TaskSession

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.sandbox.confine.policy import Mode

__all__ = ["Runner", "decks", "leaf", "make_deck", "mode", "no_model", "picture", "sandbox", "session"]


def make_deck(path: Path, *titles: str) -> Path:
    """A deck with one slide a title."""
    import pptx

    deck = pptx.Presentation()
    for title in titles:
        deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = title
    deck.save(str(path))
    return path


@pytest.fixture(scope="session")
def decks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An original of two slides, and a modified one whose second title was changed and that has a third slide."""
    import pptx

    folder = tmp_path_factory.mktemp("decks")
    original = make_deck(folder / "original.pptx", "One", "Two")
    deck = pptx.Presentation(str(original))
    deck.slides[1].shapes.title.text = "Zwei"
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Three"
    modified = folder / "modified deck.pptx"
    deck.save(str(modified))
    return original, modified


@pytest.fixture(scope="session")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from PIL import Image

    path = tmp_path_factory.mktemp("pictures") / "slide 1.png"
    Image.new("RGB", (4, 3), "red").save(path)
    return path


@pytest.fixture(scope="module", params=["auto", "off"])
def mode(request: pytest.FixtureRequest) -> Mode:
    """Each test of a leaf's behaviour runs with the sandbox on and off: confinement is all that may differ."""
    found: Mode = request.param
    return found


@pytest.fixture(scope="module")
def sandbox(mode: Mode) -> Iterator[Sandbox]:
    """A sandbox with a short time limit, shared: leaves cannot disturb each other, which is its point."""
    with Sandbox(mode, limits=Limits(wall=3.0), preload=["numpy"]) as sandbox:
        yield sandbox


@pytest.fixture
def session(sandbox: Sandbox, decks: tuple[Path, Path], picture: Path) -> Iterator[TaskSession]:
    with sandbox.open(*decks, readable=[picture]) as session:
        yield session


def no_model(request: ModelRequest) -> str:
    """An Answer for leaves that must not call a model."""
    raise AssertionError(f"unexpected {request}")


class Runner:
    """Runs code as a leaf of a session."""

    def __init__(self, session: TaskSession, decks: tuple[Path, Path]) -> None:
        self.session = session
        self.paths = (str(decks[0]), str(decks[1]))

    def __call__(self, code: str, answer: object = no_model, **fields: object) -> Outcome:
        job = Job(code=code, original_path=self.paths[0], modified_path=self.paths[1], **fields)  # type: ignore[arg-type]  # fields of Job by name
        return self.session.run(job, answer)  # type: ignore[arg-type]  # an Answer

    def body(self, body: str, answer: object = no_model, **fields: object) -> Outcome:
        """Run a compute_score() with this body."""
        lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
        return self("def compute_score():\n" + lines + "\n", answer, **fields)


@pytest.fixture
def leaf(session: TaskSession, decks: tuple[Path, Path]) -> Runner:
    return Runner(session, decks)
