"""Model calls of a leaf, and when a leaf is unscored."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sandbox_leaves import *  # noqa: F403
from sandbox_leaves import Runner

from pytest_ppteval.sandbox.host import Limits, ModelRequest, Picture, Sandbox, TaskSession

if TYPE_CHECKING:
    from pytest_ppteval.sandbox.confine.policy import Mode


class Recorder:
    """An Answer that keeps what it was asked."""

    def __init__(self, reply: str = "yes") -> None:
        self.reply = reply
        self.requests: list[ModelRequest] = []

    def __call__(self, request: ModelRequest) -> str:
        self.requests.append(request)
        return self.reply


def fails(request: ModelRequest) -> str:
    raise RuntimeError("no model configured (key sk-123)")


def test_keywords_and_positions(leaf: Runner) -> None:
    model = Recorder("réponse 😀")
    outcome = leaf.body(
        "a = vlm_call(prompt='p1', images=[], temperature=0.2, max_tokens=50)\n"
        "b = vlm_call('p2', [])\n"
        "c = llm_call('p3', 1)\n"
        "d = llm_call(prompt='p4', max_tokens=9)\n"
        "return a + b + c + d, 1",
        model,
    )
    assert outcome.reason == "réponse 😀" * 4
    assert model.requests == [
        ModelRequest("vlm", "p1", (), 0.2, 50),
        ModelRequest("vlm", "p2", (), None, None),
        ModelRequest("llm", "p3", (), 1.0, None),
        ModelRequest("llm", "p4", (), None, 9),
    ]


def test_images_as_paths_bytes_base64_and_pil(leaf: Runner, picture: Path) -> None:
    model = Recorder()
    outcome = leaf.body(
        "import base64, pathlib\n"
        "from PIL import Image\n"
        "path = modified_ppt_screenshots[0].image_path\n"
        "raw = open(path, 'rb').read()\n"
        "text = base64.b64encode(raw).decode()\n"
        "vlm_call('look', [path, pathlib.Path(path), raw, text, 'data:image/png;base64,' + text, Image.open(path)])\n"
        "return 'ok', 1",
        model,
        modified_pictures=(Picture(1, str(picture)),),
    )
    assert outcome.status == "scored", outcome
    path, path_object, raw, text, url, pil = model.requests[0].images
    assert path == path_object == str(picture)
    assert raw == text == url == picture.read_bytes()
    assert isinstance(pil, bytes)
    assert pil.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("vlm_call('p', 3)", "TypeError: images must be a list, got int"),
        ("vlm_call('p', [3])", "TypeError: an image must be a path, bytes, base64 text or a PIL image, got int"),
        ("vlm_call('p', [b'GARBAGE'])", "ValueError: an image is neither PNG nor JPEG, GIF or WebP"),
        ("vlm_call(['p'], [])", "TypeError: the prompt of vlm_call must be text, got list"),
        ("llm_call('p', temperature='hot')", "TypeError: temperature must be a number, got 'hot'"),
        ("llm_call('p', model='m')", "TypeError: llm_call() got an unexpected keyword argument 'model'"),
    ],
)
def test_malformed_calls_are_the_leafs_own_errors(leaf: Runner, call: str, reason: str) -> None:
    outcome = leaf.body(f"return {call}, 1")
    assert (outcome.status, outcome.reason, outcome.violation) == ("error", reason, False)


@pytest.mark.parametrize("image", ["/etc/passwd", "no such file.png", "../secret.png", ""])
def test_a_picture_that_was_not_handed_out_is_a_violation(leaf: Runner, picture: Path, image: str) -> None:
    outcome = leaf.body(
        f"try:\n    vlm_call('read this', [{image!r}])\nexcept Exception:\n    pass\nreturn 'fine', 1",
        modified_pictures=(Picture(1, str(picture)),),
    )
    assert (outcome.status, outcome.violation) == ("error", True)
    assert outcome.reason == (f"sandbox violation: vlm_call was given {image!r}, which is none of this task's pictures")


def test_calls_from_several_threads(leaf: Runner) -> None:
    model = Recorder()
    outcome = leaf.body(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(4) as pool:\n"
        "    return ''.join(pool.map(llm_call, 'abcdefgh')), 1",
        model,
    )
    assert outcome.reason == "yes" * 8
    assert sorted(request.prompt for request in model.requests) == list("abcdefgh")


def test_the_time_of_a_model_call_is_not_the_leafs(mode: Mode, decks: tuple[Path, Path]) -> None:
    import time

    def slow(request: ModelRequest) -> str:
        time.sleep(0.6)
        return "slow"

    with Sandbox(mode, limits=Limits(wall=0.5)) as sandbox, sandbox.open(None, None) as session:
        outcome = Runner(session, decks).body("return llm_call('p'), 1", slow)
    assert (outcome.status, outcome.reason) == ("scored", "slow")
    assert outcome.seconds >= 0.6


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "for _ in range(10_000): llm_call('p')",
            "more than 30 model calls in one leaf: --ppteval-leaf-calls sets the limit",
        ),
        ("llm_call('p' * 200_001)", "a prompt of 200001 characters, the limit is 200000"),
        (
            "vlm_call('p', [b'\\xff\\xd8\\xff'] * 22)",
            "a vlm_call with 22 images, the limit is 21: --ppteval-leaf-pictures sets it",
        ),
    ],
)
def test_limits_of_calls(leaf: Runner, body: str, reason: str) -> None:
    model = Recorder()
    outcome = leaf.body(f"try:\n    {body}\nexcept Exception:\n    pass\nreturn 'fine', 1", model)
    assert (outcome.status, outcome.reason) == ("error", reason)
    assert len(model.requests) <= 30  # 20, and two more for each of the 5 slides


def test_too_large_an_image_is_told_to_the_leaf(leaf: Runner) -> None:
    outcome = leaf.body("vlm_call('p', [b'\\xff\\xd8\\xff' + bytes(30 << 20)])")
    assert outcome.reason.startswith("ValueError: the images of one vlm_call come to 41943044 bytes as base64")


# ------------------------------------------------------------------------------------------------------------ unscored


@pytest.mark.parametrize("call", ["vlm_call('p', [])", "llm_call('p')"])
@pytest.mark.parametrize("tail", ["", "\nexcept Exception:\n    return 'could not look', 0.0"])
def test_an_unanswered_call_makes_the_leaf_unscored_whatever_it_returns(leaf: Runner, call: str, tail: str) -> None:
    body = f"try:\n    return {call}, 1{tail}" if tail else f"return {call}, 1"
    outcome = leaf.body(body, fails)
    assert (outcome.status, outcome.score) == ("unscored", None)
    assert outcome.reason == f"{call[:3]}_call could not be answered: no model configured (key sk-123)"


def test_the_leaf_is_not_told_why_its_call_failed(leaf: Runner) -> None:
    outcome = leaf.body(
        "try:\n    llm_call('p')\nexcept BaseException as error:\n    print(error)\nreturn '', 1", fails
    )
    assert outcome.status == "unscored"
    assert "sk-123" not in outcome.output


@pytest.mark.parametrize(
    "body",
    [
        "raise ScreenshotsUnavailableError('no picture of slide 3')",
        "try:\n    raise ScreenshotsUnavailableError('no picture of slide 3')\nexcept Exception:\n    return '', 0.0",
        "ScreenshotsUnavailableError('no picture of slide 3')\nreturn 'made, not raised', 1",
        "class Own(ScreenshotsUnavailableError):\n    def __init__(self, x): pass\nraise Own('no picture of slide 3')",
    ],
)
def test_screenshots_unavailable_is_unscored(leaf: Runner, body: str) -> None:
    outcome = leaf.body("from ppteval.verify.ppt.verifier import ScreenshotsUnavailableError\n" + body)
    assert (outcome.status, outcome.reason) == ("unscored", "no picture of slide 3")


LOOKS = [
    "for _ in modified_ppt_screenshots: pass",
    "modified_ppt_screenshots[0]",
    "len(modified_ppt_screenshots)",
    "if not modified_ppt_screenshots: pass",
    "list(modified_ppt_screenshots)",
    "sorted(modified_ppt_screenshots, key=id)",
    "[*modified_ppt_screenshots]",
    "{s.slide_number: s for s in modified_ppt_screenshots}",
    "modified_ppt_screenshots == []",
    "modified_ppt_screenshots + []",
    "next(iter(modified_ppt_screenshots), None)",
    "modified_ppt_screenshots[-1:]",
    "list(zip(modified_ppt_screenshots, [1]))",
    "3 in modified_ppt_screenshots",
    "list(enumerate(modified_ppt_screenshots))",
    "print(modified_ppt_screenshots)",
    "list(reversed(modified_ppt_screenshots))",
    "modified_ppt_screenshots.copy()",
    "[].extend(modified_ppt_screenshots)",
]


@pytest.mark.parametrize("look", LOOKS)
def test_looking_for_pictures_that_cannot_be_had_is_unscored(leaf: Runner, look: str) -> None:
    body = f"try:\n    {look}\nexcept Exception:\n    pass\nreturn 'nothing seen', 0.5"
    outcome = leaf.body(body, modified_pictures=None, pictures_reason="no renderer here")
    assert (outcome.status, outcome.reason) == ("unscored", "no renderer here"), look
    fine = leaf.body(body)
    assert fine.status == "scored"  # where there simply are none


def test_pictures_that_nobody_looks_at_do_not_matter(leaf: Runner) -> None:
    outcome = leaf.body(
        "assert isinstance(modified_ppt_screenshots, list)\nreturn 'fine', 1",
        modified_pictures=None,
        original_pictures=None,
    )
    assert outcome.status == "scored"


# ------------------------------------------------------------------------------------------------------- interruptions


class Interruption(BaseException):
    """Like the exception with which pytest-timeout ends a test, or Ctrl-C."""


def test_an_interruption_while_the_model_answers_leaves_the_session_usable(leaf: Runner, session: TaskSession) -> None:
    def interrupt(request: ModelRequest) -> str:
        raise Interruption

    for _ in range(3):
        with pytest.raises(Interruption):
            leaf.body("return llm_call('p'), 1", interrupt)
        assert leaf.body("return 'still here', 1").reason == "still here"


# The alarm can go off within socket.socketpair(), whose sockets then have no owner yet: the collector closes them.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interruption_at_any_moment_leaves_the_session_usable(leaf: Runner) -> None:
    """An alarm goes off after more and more time, so that it hits each part of a run."""
    import signal

    def interrupt(*_: object) -> None:
        raise Interruption

    before = signal.signal(signal.SIGALRM, interrupt)
    hits = 0
    try:
        for step in range(40):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0001 + step * 0.0002)
                leaf.body("import time; time.sleep(0.004)\nreturn 'ok', 1")
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Interruption:
                hits += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            assert leaf.body("return 'still here', 1").reason == "still here"
    finally:
        signal.signal(signal.SIGALRM, before)
    assert hits > 10


def test_base64_of_a_picture_is_no_path(leaf: Runner, picture: Path) -> None:
    model = Recorder()
    text = base64.b64encode(picture.read_bytes()).decode()
    outcome = leaf.body(f"return vlm_call('p', {text!r}), 1", model)
    assert outcome.status == "scored"
    assert model.requests[0].images == (picture.read_bytes(),)
