"""Whatever a leaf's process says, the host's side neither raises nor takes long: it is an outcome of that leaf."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ppteval.prose.shown import clean
from pytest_ppteval.sandbox.hosting.dialogue import Dialogue, Ending
from pytest_ppteval.sandbox.job import Job, Limits, Picture

PICTURES = (Picture(1, "/pictures/1.png"), Picture(2, "/pictures/2.png", pending=True))


def said(*messages: bytes, limits: Limits | None = None) -> Ending:
    """What the host makes of these messages, after which the leaf's process is gone."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        job = Job(code="", original_pictures=PICTURES, draw=lambda which, number: "")
        dialogue = Dialogue(ours, job, limits or Limits(wall=20.0))

        def write() -> None:
            with contextlib.suppress(OSError):  # the host has heard enough
                for message in messages:
                    theirs.sendall(len(message).to_bytes(4, "big") + message)
                theirs.shutdown(socket.SHUT_WR)

        writing = threading.Thread(target=write)
        writing.start()
        ending = dialogue.listen(lambda request: "yes")
        ours.close()
        writing.join()
        return ending


def encoded(message: object) -> bytes:
    return json.dumps(message).encode("ascii")


def result(score: str) -> bytes:
    return b'{"t":"result","reason":"","score":' + score.encode() + b"}"


NOT_JSON = "sandbox violation: a message that is not JSON (ValueError)"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (result("1" + "0" * 400), NOT_JSON),
        (result("1" * 4_000_000), NOT_JSON),
        (result("0." + "3" * 4_000_000), NOT_JSON),
        (result("1e999"), "sandbox violation: score inf"),
        (result("-1"), "sandbox violation: score -1"),
        (result("100000000000000000000"), "sandbox violation: score 100000000000000000000"),
        (result("NaN"), NOT_JSON),
        (result("[" * 900 + "]" * 900), "sandbox violation: score list"),
        (result('{"a":1}'), "sandbox violation: score dict"),
        (b'{"t":"result","reason":"\xc3\xa4","score":1}', NOT_JSON.replace("ValueError", "UnicodeDecodeError")),
        (b"[" + b"[]," * 7_000_000 + b"1]", "sandbox violation: a message of more than 500000 values"),
        (b'{"t":"result","x":{' + b'"a":{},' * 3_000_000, "sandbox violation: a message of more than 500000 values"),
        (encoded({"t": "x" * 20_000_000}), "sandbox violation: a message of type '" + "x" * 40 + "…[cut]'"),
        (encoded({"t": "picture", "which": "original", "number": 2.0}), "sandbox violation: a picture of no slide"),
        (encoded({"t": "picture", "which": "original", "number": True}), "sandbox violation: a picture of no slide"),
        (encoded({"t": "call", "kind": "llm", "prompt": "", "images": [], "max_tokens": 10**19}),
         "sandbox violation: a model call with malformed parameters"),
        (encoded({"t": "call", "kind": "llm", "prompt": "", "images": [], "temperature": 10**19, "max_tokens": 1.5}),
         "sandbox violation: a model call with malformed parameters"),
        (encoded({"t": "error", "why": ["x"], "frames": [[True, "f"], [1e300, "f"], 7]}), "error without a text"),
        (encoded({"t": "unscored", "why": {}}), "no reason given"),
    ],
    ids=lambda value: repr(value[:40]) if isinstance(value, bytes) else "",
)  # fmt: skip
def test_a_message_out_of_bounds(message: bytes, reason: str) -> None:
    started = time.process_time()
    ending = said(message)
    assert (ending.reason, ending.score) == (reason, None)
    assert time.process_time() - started < 3  # of processor time; a message of 24 MB takes a tenth of that


def test_a_picture_asked_for_without_end() -> None:
    ask = encoded({"t": "picture", "which": "original", "number": 2})
    ours, theirs = socket.socketpair()
    with ours, theirs:
        stop = threading.Event()

        def flood() -> None:
            try:
                while not stop.is_set():
                    theirs.sendall(len(ask).to_bytes(4, "big") + ask)
                    theirs.recv(1 << 16)
            except OSError:
                pass

        asking = threading.Thread(target=flood)
        asking.start()
        job = Job(code="", original_pictures=PICTURES, draw=lambda which, number: "")
        ending = Dialogue(ours, job, Limits(wall=60.0)).listen(lambda request: "yes")
        stop.set()
        ours.close()
        asking.join()
    assert ending.reason == "sandbox violation: more than 10000 requests for a picture"


@pytest.mark.parametrize(
    "text", ["\n" * 20_000, " \n" * 10_000, "\t" * 20_000, "#" * 20_000, "::" * 10_000, "\x1b" * 20_000]
)
def test_a_reason_that_is_all_blank_or_all_marks_is_cleaned_at_once(text: str) -> None:
    started = time.process_time()
    assert said(encoded({"t": "result", "reason": text, "score": 1})).reason == clean(text, 20_000)
    assert time.process_time() - started < 2


# Values as a hostile leaf may put them anywhere in a message.
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(10**40), max_value=10**40)
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.sampled_from(["memory", "/pictures/1.png", "original", "vlm", "iVBORw0KGgo="]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = [
    "score", "reason", "why", "frames", "seconds", "kind", "prompt", "images", "temperature", "max_tokens",
    "characters", "which", "number",
]  # fmt: skip
TYPES = ["result", "error", "unscored", "call", "picture", "drawn", "reply", "job", "ready", ""]
MESSAGES = st.builds(
    lambda kind, rest: {**rest, "t": kind}, st.sampled_from(TYPES), st.dictionaries(st.sampled_from(KEYS), VALUES)
)
CALLS = st.fixed_dictionaries(
    {"t": st.just("call"), "kind": st.sampled_from(["vlm", "llm"]), "prompt": st.text(), "images": st.lists(VALUES)},
    optional={"temperature": VALUES, "max_tokens": VALUES},
)


@settings(max_examples=400, deadline=None)
@given(st.lists(MESSAGES | CALLS, min_size=1, max_size=3))
def test_any_message_has_an_ending(messages: list[dict[str, Any]]) -> None:
    ending = said(*map(encoded, messages))
    assert ending.status in ("scored", "error", "unscored", "gone")
    assert (ending.score is None) == (ending.status != "scored")


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_have_an_ending(data: bytes) -> None:
    assert said(data).status in ("error", "gone")


def test_what_an_honest_leaf_may_say_fits() -> None:
    """The longest prompt and reason, all commas and astral characters, are no violation."""
    limits = Limits()
    for prompt in ("," * limits.prompt, "😀" * limits.prompt):
        call = encoded({"t": "call", "kind": "llm", "prompt": prompt, "images": [], "characters": len(prompt)})
        done = encoded({"t": "result", "reason": "[" * (limits.reason + 1), "score": 0.5})
        ending = said(call, done)
        assert (ending.status, ending.score) == ("scored", 0.5)
