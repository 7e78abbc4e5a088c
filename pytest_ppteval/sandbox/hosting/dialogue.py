"""The host's side of one leaf: hands over the job, answers model calls, judges every message that comes back.

Whatever arrives may be forged. The rules: a message is of a known shape or a violation; a picture is one that was
handed out, or inline; a call that the host could not answer makes the leaf unscored, and ends it there and then, so
that no try/except of its own can turn a missing answer into a score.
"""

from __future__ import annotations

import base64
import binascii
import math
import os
import re
import selectors
import time
import zipfile
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeGuard

from pytest_ppteval.deck.guard import read_plain_file
from pytest_ppteval.deck.limits import CAPS, DeckRejected
from pytest_ppteval.sandbox.channel import BrokenMessageError, Message, receive, send
from pytest_ppteval.sandbox.job import ModelRequest, SandboxError, most_calls, most_images
from pytest_ppteval.sandbox.source.code import compiled
from pytest_ppteval.sandbox.text import clean, one_line, size

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from pytest_ppteval.sandbox.job import Answer, Job, Limits, Picture

# PNG, JPEG, GIF, WebP.
_PICTURE_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"RIFF")
_MAX_FRAMES = 30
# A deck of more slides than that counts as one of so many.
_MOST_SLIDES = 1_000
_SLIDE_PART = re.compile(r"(?i)(?:^|/)slides/[^/]+\.xml$")
# Each picture is asked for once, or once a thread.
_MOST_LOOKS = 10_000
# More than any model gives; what the numbers are fit for is the model's business.
_MOST_TOKENS = 1 << 31


@dataclass(frozen=True, slots=True)
class Ending:
    """How the dialogue ended. status "timeout" and "gone" are for the caller to look into.

    frames: (line, function) within the leaf's code, outermost first. seconds: what it took by its own account, and
    what answering it took; None where it gave none.
    """

    status: Literal["scored", "error", "unscored", "timeout", "gone"]
    score: float | None = None
    reason: str = ""
    frames: tuple[tuple[int, str], ...] = ()
    violation: bool = False
    seconds: float | None = None


class _SettledError(Exception):
    def __init__(self, ending: Ending) -> None:
        self.ending = ending


def _violation(what: str) -> Ending:
    return Ending("error", reason=f"sandbox violation: {what}", violation=True)


class Dialogue:
    """One leaf's dialogue over `channel`: `begin` has it run, `listen` hears it out.

    wait: called before each of its messages, with the time until which to wait for that (time.monotonic's).
    """

    def __init__(self, channel: socket.socket, job: Job, limits: Limits) -> None:
        self.wait: Callable[[float], None] = _at_once
        self._channel = channel
        self._job = job
        self._answer: Answer = _cannot_answer
        self._limits = limits
        self._calls = 0
        self._slide_count: int | None = None
        self._looks = 0
        self._deadline = time.monotonic() + limits.wall
        self._began = time.monotonic()
        self._answering = 0.0  # seconds that answers to the leaf took
        self._ending: Ending | None = None
        pictures = (*(job.original_pictures or ()), *(job.modified_pictures or ()))
        self._pictures = {os.path.normpath(picture.image_path): picture.image_path for picture in pictures}

    def begin(self, *, uses_numpy: bool, more: bool) -> None:
        """Hand over the job; the leaf runs from now on. `more`: its process takes another."""
        self._began = time.monotonic()
        self._deadline = self._began + self._limits.wall
        try:
            send(self._channel, {**self._offer(uses_numpy), "more": more}, deadline=self._deadline)
        except TimeoutError:
            self._ending = Ending("timeout")
        except ConnectionError:
            self._ending = Ending("gone")

    def waited_for_us(self, *, anew: bool) -> None:
        """Say that the leaf has run while nobody listened. anew: nobody knows since when, so its time starts anew.

        One that has said something may have waited for the answer since: its time starts anew. One that is still
        silent has run all the time.
        """
        if anew or _has_spoken(self._channel):
            self._deadline = time.monotonic() + self._limits.wall

    def listen(self, answer: Answer) -> Ending:
        """Speak with the leaf until it is done, silent, gone or out of bounds."""
        self._answer = answer
        if self._ending is not None:
            return self._ending
        try:
            while True:
                self.wait(self._deadline)
                message = receive(self._channel, limit=self._limits.message, deadline=self._deadline, hostile=True)
                ending = self._hear(message)
                if ending is not None:
                    return replace(ending, seconds=self._seconds(message.get("seconds")))
        except _SettledError as stop:
            return stop.ending
        except BrokenMessageError as error:
            return _violation(str(error))
        except TimeoutError:
            return Ending("timeout")
        except (EOFError, ConnectionError):
            return Ending("gone")

    def _seconds(self, own: object) -> float | None:
        """What the leaf took, by its own account as far as that can be true."""
        if not _is_number(own):
            return None
        return min(max(own, 0.0) + self._answering, time.monotonic() - self._began)

    def _offer(self, uses_numpy: bool) -> Message:
        job = self._job
        return {
            "t": "job",
            "code": job.code,
            "compiled": compiled(job.code, job.name),
            "name": job.name,
            "original_path": job.original_path,
            "modified_path": job.modified_path,
            "original_pictures": _listed(job.original_pictures),
            "modified_pictures": _listed(job.modified_pictures),
            "pictures_reason": job.pictures_reason,
            "diff": None if job.diff is None else job.diff.to_dict(),
            "numpy": uses_numpy,
            "message_limit": self._limits.message,
            "prompt_limit": self._limits.prompt,
            "reason_limit": self._limits.reason,
            "compile_limit": self._limits.compile,
        }

    def _hear(self, message: Message) -> Ending | None:
        kind = message["t"]
        if kind == "call":
            self._call(message)
            return None
        if kind == "picture":
            self._picture(message)
            return None
        if kind == "result":
            return self._result(message)
        if kind == "error":
            why = message.get("why")
            reason = one_line(why, 2000) if isinstance(why, str) else ""
            if why == "memory":
                reason = f"MemoryError: memory limit of {size(self._limits.memory)}"
            return Ending("error", reason=reason or "error without a text", frames=_frames(message.get("frames")))
        if kind == "unscored":
            why = message.get("why")
            return Ending("unscored", reason=_text(why))
        if kind == "refused":
            # Only a process that runs no leaf's code says so truly; a leaf that says so gains nothing but this error.
            raise SandboxError(f"a leaf's process could not get ready: {_text(message.get('why'))}")
        return _violation(f"a message of type {one_line(str(kind), 40)!r}")

    def _result(self, message: Message) -> Ending:
        score, reason = message.get("score"), message.get("reason")
        if not _is_number(score) or not 0 <= score <= 1:
            return _violation(f"score {_shown(score)}")
        if not isinstance(reason, str):
            return _violation("a reason that is no text")
        return Ending("scored", float(score), clean(reason, self._limits.reason))

    def _call(self, message: Message) -> None:
        request = self._request(message)
        asked = time.monotonic()
        try:
            text = self._answer(request)
        except Exception as error:
            # Not the leaf's business: the text may hold an address or a key.
            why = one_line(str(error)) or type(error).__name__
            raise _SettledError(
                Ending("unscored", reason=f"{request.kind}_call could not be answered: {why}")
            ) from error
        self._answered(asked)
        send(self._channel, {"t": "reply", "text": str(text)}, deadline=self._deadline)

    def _answered(self, asked: float) -> None:
        took = time.monotonic() - asked
        self._deadline += took
        self._answering += took

    def _picture(self, message: Message) -> None:
        """Have a picture drawn that the leaf looks at for the first time."""
        which, number = message.get("which"), message.get("number")
        given = {"original": self._job.original_pictures, "modified": self._job.modified_pictures}
        if which != "original" and which != "modified":
            raise _SettledError(_violation("a picture of an unknown deck"))
        if type(number) is not int:
            raise _SettledError(_violation("a picture of no slide"))
        if not any(picture.pending and picture.slide_number == number for picture in given[which] or ()):
            raise _SettledError(_violation("a picture that it was not given"))
        self._looks += 1
        if self._looks > _MOST_LOOKS:
            raise _SettledError(_violation(f"more than {_MOST_LOOKS} requests for a picture"))
        asked = time.monotonic()
        why = self._job.draw(which, number)
        if why:
            raise _SettledError(Ending("unscored", reason=f"no picture of slide {number}: {one_line(why)}"))
        self._answered(asked)
        send(self._channel, {"t": "drawn"}, deadline=self._deadline)

    def _slides(self) -> int:
        """The slides of both decks, counted when a limit first depends on them."""
        if self._slide_count is None:
            self._slide_count = _slides_in(self._job.original_path) + _slides_in(self._job.modified_path)
        return self._slide_count

    def _request(self, message: Message) -> ModelRequest:
        """The request of a message. Stops the dialogue where it is malformed or beyond a limit."""
        limits = self._limits
        kind, prompt, images = message.get("kind"), message.get("prompt"), message.get("images")
        temperature, max_tokens = message.get("temperature"), message.get("max_tokens")
        if kind != "vlm" and kind != "llm":
            raise _SettledError(_violation("a model call of an unknown kind"))
        if not isinstance(prompt, str) or not isinstance(images, list):
            raise _SettledError(_violation("a malformed model call"))
        if not (temperature is None or _is_number(temperature)) or not (
            max_tokens is None or (type(max_tokens) is int and abs(max_tokens) <= _MOST_TOKENS)
        ):
            raise _SettledError(_violation("a model call with malformed parameters"))
        self._calls += 1
        # What is within the limit without any slides needs no counting.
        if self._calls > (limits.calls or most_calls(0)) and self._calls > (
            most := limits.calls or most_calls(self._slides())
        ):
            reason = f"more than {most} model calls in one leaf: --ppteval-leaf-calls sets the limit"
            raise _SettledError(Ending("error", reason=reason))
        if len(prompt) > limits.prompt:
            # The leaf's own process sends no more than shows that it is too long, and how long it was.
            length = message.get("characters")
            length = length if type(length) is int and length > len(prompt) else len(prompt)
            raise _SettledError(
                Ending("error", reason=f"a prompt of {length} characters, the limit is {limits.prompt}")
            )
        if len(images) > (limits.images or most_images(0)) and len(images) > (
            most := limits.images or most_images(self._slides())
        ):
            reason = f"a vlm_call with {len(images)} images, the limit is {most}: --ppteval-leaf-pictures sets it"
            raise _SettledError(Ending("error", reason=reason))
        return ModelRequest(
            kind,
            prompt.encode("utf-8", "replace").decode("utf-8"),  # lone surrogates would break any client
            tuple(self._image(image) for image in images),
            None if temperature is None else float(temperature),
            max_tokens,
        )

    def _image(self, image: object) -> str | bytes:
        if isinstance(image, dict):
            path, text = image.get("path"), image.get("base64")
            if isinstance(path, str):
                # Looked up among the strings that were handed out: no path is opened or resolved for a leaf.
                if path not in self._pictures:
                    shown = one_line(path, 120)
                    raise _SettledError(
                        _violation(f"vlm_call was given {shown!r}, which is none of this task's pictures")
                    )
                return self._pictures[path]
            if isinstance(text, str):
                try:
                    data = base64.b64decode(text, validate=True)
                except (binascii.Error, ValueError):
                    raise _SettledError(_violation("an image that is not base64")) from None
                if data.startswith(_PICTURE_MAGIC):
                    return data
        raise _SettledError(_violation("a malformed image"))


def _has_spoken(channel: socket.socket) -> bool:
    # Not select(2), which can't look at a descriptor above 1023: a long session may have as many files open.
    with selectors.DefaultSelector() as selector:
        selector.register(channel, selectors.EVENT_READ)
        return bool(selector.select(0))


def _at_once(_: float) -> None:
    """For a host that has nothing else to do while a leaf is silent."""


def _cannot_answer(request: ModelRequest) -> str:
    raise SandboxError(f"nobody listens to a {request.kind}_call")


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: object) -> str:
    """A value that was expected to be a number, in a few characters."""
    return one_line(repr(value), 40) if isinstance(value, (int, float)) or value is None else type(value).__name__


def _text(why: object) -> str:
    return (one_line(why) if isinstance(why, str) else "") or "no reason given"


def _slides_in(deck: str | None) -> int:
    """How many slides a deck has, by the names of its parts; 0 where that can't be told. Only limits depend on it."""
    if deck is None:
        return 0
    try:
        with zipfile.ZipFile(BytesIO(read_plain_file(Path(deck), CAPS.file))) as archive:
            names = archive.namelist()
    except (DeckRejected, OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return 0
    return min(_MOST_SLIDES, sum(1 for name in names if _SLIDE_PART.search(name)))


def _listed(pictures: tuple[Picture, ...] | None) -> list[list[object]] | None:
    if pictures is None:
        return None
    return [[picture.slide_number, picture.image_path, picture.slide_id, picture.pending] for picture in pictures]


def _frames(value: object) -> tuple[tuple[int, str], ...]:
    """The frames of an error message, as far as they have the right shape."""
    return tuple(
        (frame[0], one_line(frame[1], 200))
        for frame in (value[:_MAX_FRAMES] if isinstance(value, list) else ())
        if isinstance(frame, list) and len(frame) == 2 and type(frame[0]) is int and isinstance(frame[1], str)
    )
