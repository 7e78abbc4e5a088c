"""A leaf's process: takes a job from its channel, runs the code, says what came of it. Runs confined.

Nothing here is trusted by the host: the code that runs may change every object of this process.
"""

from __future__ import annotations

import binascii
import linecache
import marshal
import os
import random
import signal
import sys
import threading
import traceback
import types
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from pytest_ppteval import leaf as for_leaves
from pytest_ppteval.sandbox.channel import Message, receive, send
from pytest_ppteval.sandbox.inside import shims
from pytest_ppteval.sandbox.source.code import without_fence

if TYPE_CHECKING:
    import socket

    from pytest_ppteval.sandbox.inside.decks import Decks
    from pytest_ppteval.vocabulary.world import World

MODULE = "ppteval_leaf"
_FRAMES = 30
# Characters of what went wrong, and of a function's name.
_WORDS = 4000
_NAME = 200
_JOB_LIMIT = 1 << 30


class _BadReturnError(Exception):
    """compute_score() is missing or returned something else than a reason and a score."""


class _BadCodeError(_BadReturnError):
    """The code does not come to be run."""


def serve(channel: socket.socket, decks: Decks) -> None:
    """Run the job that comes over `channel`, and more if it says that more will come."""
    more = True
    while more:
        job = receive(channel, limit=_JOB_LIMIT)
        run(channel, decks, job)
        more = bool(job["more"])


class Alarm(Protocol):
    """What watches over a leaf's time, where that is done in its own process."""

    def pause(self) -> float:
        """Stop the clock."""

    def go_on(self, since: float) -> None:
        """Let it run again, as if it had not run since then."""


def run(channel: socket.socket, decks: Decks, job: Message, alarm: Alarm | None = None) -> None:
    """Run a job and send its outcome."""
    limit = int(str(job["message_limit"]))
    began, waited = monotonic(), 0.0

    one_at_a_time = threading.Lock()  # leaves may call the model from several threads

    def exchange(message: Message) -> Message:
        nonlocal waited
        with one_at_a_time:
            since = alarm.pause() if alarm else 0.0
            asked = monotonic()
            send(channel, message)
            reply = receive(channel, limit=limit)
            waited += monotonic() - asked
            if alarm:
                alarm.go_on(since)
            return reply

    name, code = str(job["name"]), without_fence(str(job["code"]))
    outcome: Message
    try:
        namespace = _namespace(job, decks, name, exchange)
        for_leaves.find_world = lambda: _world(decks)
    except BaseException as error:  # the code has not run yet: this is the sandbox's own fault
        send(channel, {"t": "refused", "why": f"{type(error).__name__}: {error}"})
        return
    try:
        ready = _ready(code, str(job["compiled"]), name, float(str(job["compile_limit"])))
        outcome = _scored(_execute(ready, namespace), int(str(job["reason_limit"])))
    except MemoryError as error:
        outcome = {"t": "error", "why": "memory", "frames": _frames(error, name)}
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: the code raised them
        outcome = {"t": "error", "why": _describe(error), "frames": _frames(error, name)}
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # the code may have closed or replaced it
            continue
    # Its own time: it may have been over long before anybody listened, or have waited for its turn to ask something.
    send(channel, {**outcome, "seconds": monotonic() - began - waited})


def _world(decks: Decks) -> World:
    from pytest_ppteval.sandbox.inside.deckleaves import world_of  # late: few leaves ask for it

    return world_of(decks)


def _namespace(job: Message, decks: Decks, name: str, exchange: object) -> dict[str, object]:
    """The globals of the code: those of a module, so that dataclasses and pickle find it under its name."""
    module = sys.modules[MODULE] = types.ModuleType(MODULE)
    pictures: dict[str, list[shims.SlideScreenshot]] = {}
    known: set[str] = set()
    for which in ("original", "modified"):
        given = job[f"{which}_pictures"]
        if isinstance(given, list):
            pictures[which] = [
                shims.PendingScreenshot(which, number, path, slide_id)
                if pending
                else shims.SlideScreenshot(number, path, slide_id)
                for number, path, slide_id, pending in given
            ]
            known.update(os.path.normpath(path) for _, path, _, _ in given)
        else:
            pictures[which] = shims.UnavailablePictures(str(job["pictures_reason"]))
    shims.connect(exchange, known, int(str(job["message_limit"])) * 9 // 10, int(str(job["prompt_limit"])))  # type: ignore[arg-type]  # exchange is run's
    diff = decks.diff_from(job["diff"]) if job["diff"] is not None else decks.computed_diff
    decks.serve({which: path for which in ("original", "modified") if isinstance(path := job[f"{which}_path"], str)})
    # The interpreter seeds `random` anew in each forked process.
    random.seed(0)
    if job["numpy"]:
        decks.seed_numpy()
    module.__dict__.update(
        ppt_diff=diff,
        original_ppt_path=job["original_path"],
        modified_ppt_path=job["modified_path"],
        original_ppt_screenshots=pictures["original"],
        modified_ppt_screenshots=pictures["modified"],
        SlideScreenshot=shims.SlideScreenshot,
        vlm_call=shims.vlm_call,
        llm_call=shims.llm_call,
    )
    sys.argv = [name]
    return module.__dict__


def _ready(code: str, compiled: str, name: str, seconds: float) -> types.CodeType:
    """The code, compiled within so much processor time: longer, and a signal ends this process, as nothing else can."""
    linecache.cache.clear()  # of the leaf before, if there was one
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    if compiled:
        ready: types.CodeType = marshal.loads(binascii.a2b_base64(compiled))
        return ready
    if sys.platform == "win32":
        return compile(code, name, "exec", dont_inherit=True)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        return compile(code, name, "exec", dont_inherit=True)
    except MemoryError:
        raise _BadCodeError(
            "its code can't be compiled: it is nested too deeply, or takes more memory than it may use"
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _execute(ready: types.CodeType, namespace: dict[str, object]) -> object:
    exec(ready, namespace)
    compute = namespace.get("compute_score")
    if compute is None:
        raise _BadReturnError("the code defines no function compute_score()")
    if not callable(compute):
        raise _BadReturnError(f"compute_score is no function but {_kind(compute)}")
    result = compute()
    if hasattr(result, "__await__"):
        import asyncio

        async def wait() -> object:
            return await result

        result = asyncio.run(wait())
    return result


def _scored(result: object, longest: int) -> Message:
    """The outcome of a returned value: (reason, score), the reason first. longest: characters of a reason."""
    if not isinstance(result, (tuple, list)):
        raise _BadReturnError(f"returned {_kind(result)}, expected (reason, score)")
    if len(result) != 2:
        raise _BadReturnError(f"returned {len(result)} values, expected (reason, score)")
    reason, score = result
    if not isinstance(reason, str) or not isinstance(score, (int, float)):
        raise _BadReturnError(
            f"returned ({_kind(reason)}, {_kind(score)}), expected (reason, score): text, then a number"
        )
    if not 0 <= score <= 1:
        raise _BadReturnError(f"score {float(score)!r} is outside 0..1")
    # One character more shows that it is cut.
    return {"t": "result", "reason": str(reason)[: longest + 1], "score": float(score)}


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _describe(error: BaseException) -> str:
    if isinstance(error, _BadReturnError):
        return str(error)[:_WORDS]
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except BaseException:  # its __str__ is the code's own
        text = "<no text>"
    name = type(error).__name__
    return (f"{name}: {text}" if text else name)[:_WORDS]


def _frames(error: BaseException, name: str) -> list[list[object]]:
    """Where in the code it happened, outermost first: [line, function]. A syntax error has the line alone."""
    frames: list[list[object]] = [
        [line, frame.f_code.co_name[:_NAME]]
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == name
    ]
    if isinstance(error, SyntaxError) and error.filename == name and error.lineno:
        frames.append([error.lineno, "<module>"])
    return frames[-_FRAMES:]
