"""What the sandbox is asked and what it answers, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pytest_ppteval.deck.model import PowerPointDiff

Which = Literal["original", "modified"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one leaf may use.

    wall: seconds until an answer is due, without the time that model calls take.
    cpu: seconds of processor time, a second line behind `wall`, for code that uses several threads.
    memory: bytes of address space. file_size: bytes of the file that takes what the leaf prints.
    open_files: descriptors.
    output: bytes of printed text that are kept. message: bytes of one message (a model call with its inline images).
    calls: model calls. images: pictures of one call. None: by the number of slides of the two decks, as most_calls and
        most_images say. prompt: characters of a prompt. reason: characters kept.
    compile: seconds of processor time until the leaf's code is compiled, where that is left to it.
    start: seconds for starting the sandbox. parse: seconds for checking and parsing a task's decks, and for their diff.
    """

    wall: float = 30.0
    cpu: int = 60
    memory: int = 2 << 30
    file_size: int = 32 << 20
    open_files: int = 64
    output: int = 64 << 10
    message: int = 24 << 20
    calls: int | None = None
    prompt: int = 200_000
    images: int | None = None
    reason: int = 20_000
    compile: float = 10.0
    start: float = 60.0
    parse: float = 120.0

    def of_processes(self) -> dict[str, int]:
        """Those that processes apply to themselves."""
        return {
            "cpu": self.cpu, "memory": self.memory, "file_size": self.file_size, "open_files": self.open_files
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Picture:
    """A slide's picture as leaves see it. slide_number counts from 1; image_path is absolute.

    pending: the file will be there once Job.draw was asked for it, which happens when the leaf looks at its path.
    """

    slide_number: int
    image_path: str
    slide_id: str | None = None
    pending: bool = False


def cannot_draw(which: Which, number: int) -> str:  # noqa: ARG001 - Job.draw of a job without pending pictures
    """Why a picture can't be drawn, where nothing draws any."""
    return "nothing draws pictures here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One leaf to run.

    code: its source, with or without a ``` fence. name: its file name in tracebacks ("tasks.json leaf Title").
    original_path, modified_path: what the leaf finds in the globals of those names (with _ppt_ in the middle).
    original_pictures, modified_pictures: the slides' pictures; None where they cannot be had: the leaf is then unscored
        for `pictures_reason` if it looks at them. They, or their folders, must have been named as readable before.
    draw: draw(which, slide number) has a pending picture made; it returns why that can't be done, "" if it was.
        Two jobs that differ in nothing else are the same leaf over the same things.
    diff: what the leaf finds as ppt_diff; None for the sandbox's own diff of the two decks.
    """

    code: str
    name: str = "leaf"
    original_path: str | None = None
    modified_path: str | None = None
    original_pictures: tuple[Picture, ...] | None = ()
    modified_pictures: tuple[Picture, ...] | None = ()
    pictures_reason: str = "no pictures of the slides"
    diff: PowerPointDiff | None = None
    draw: Callable[[Which, int], str] = field(default=cannot_draw, compare=False)


def most_calls(slides: int) -> int:
    """The model calls of a leaf over decks of so many slides: each slide of both may be asked about twice."""
    return 20 + 2 * slides


def most_images(slides: int) -> int:
    """The pictures of one call: each slide of both decks, up to what the Messages API takes (100)."""
    return min(100, 16 + slides)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A model call that a leaf asks for.

    images: in the leaf's order; a str is the path of a picture that the leaf was given, bytes are a PNG, JPEG, GIF or
        WebP picture of the leaf's own making. temperature, max_tokens: None where the leaf did not say.
    """

    kind: Literal["vlm", "llm"]
    prompt: str
    images: tuple[str | bytes, ...] = ()
    temperature: float | None = None
    max_tokens: int | None = None


# Answers a leaf's model call, in the host's process. An exception means that no answer can be had: the leaf is then
# unscored, with the exception's text as the reason.
Answer = Callable[[ModelRequest], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a leaf.

    status: "scored"; "error" where the leaf itself is wrong; "unscored" where its means were missing (a model call
        unanswered, pictures unavailable, the sandbox broken).
    score: 0..1 if and only if scored. reason: the leaf's own if scored, else one line that says what happened.
    traceback: the leaf's own lines, with their source, where it raised or was stopped.
    error_line: the line within the leaf's code, from 1, where that is known.
    output: what it printed, cut to a limit. seconds: how long it took, model calls included.
    violation: it broke the channel's rules or asked for what it may not have.
    """

    status: Literal["scored", "error", "unscored"]
    score: float | None = None
    reason: str = ""
    traceback: str = ""
    error_line: int | None = None
    output: str = ""
    seconds: float = 0.0
    violation: bool = field(default=False)


class SandboxError(RuntimeError):
    """The sandbox itself failed: nobody's code is to blame."""


class DeckUnusable(Exception):  # noqa: N818 - it names what is the matter with the deck
    """A deck that the guard or python-pptx refuses."""

    def __init__(self, which: Which, reason: str) -> None:
        self.which = which
        self.reason = reason
        super().__init__(f"the {which} deck cannot be used: {reason}")
