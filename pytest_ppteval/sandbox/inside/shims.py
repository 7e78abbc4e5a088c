"""What a leaf finds in its globals and imports. Runs in the sandbox only.

The stand-ins are installed once, before the leaves' processes are forked off; `connect` then ties them to one leaf's
channel. What a leaf does to them here stays in its own process: whatever matters is recorded by the host as soon as
it is told.
"""

from __future__ import annotations

import base64
import binascii
import math
import os
import sys
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_ppteval.sandbox.channel import Message

PICTURE_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"RIFF")


class ScreenshotsUnavailableError(Exception):
    """Raised by a leaf to say that a picture it needs is missing: nobody's fault, judge it again.

    Making one is enough, even if the leaf catches it itself.
    """

    def __new__(cls, *args: object, **kwargs: object) -> ScreenshotsUnavailableError:
        """Tell the host at once; what the leaf does with the exception does not matter any more."""
        _link.give_up(" ".join(map(str, args)) or "a picture that the leaf needs is missing")
        return super().__new__(cls, *args, **kwargs)


@dataclass
class SlideScreenshot:
    """A slide's picture: the slide's number from 1, the file, the slide's id."""

    slide_number: int
    image_path: str
    slide_id: str | None = None


class PendingScreenshot(SlideScreenshot):
    """A picture that is drawn when its path is first looked at. Where it can't be drawn, the leaf is unscored."""

    def __init__(self, which: str, slide_number: int, path: str, slide_id: str | None) -> None:
        self.slide_number = slide_number
        self.slide_id = slide_id
        self._which = which
        self._path = path
        self._drawn = False

    @property
    def image_path(self) -> str:  # type: ignore[override]  # read-only here
        """The picture's file, which is there from now on."""
        if not self._drawn:
            _link.ask({"t": "picture", "which": self._which, "number": self.slide_number})
            self._drawn = True
        return self._path

    __hash__ = None  # type: ignore[assignment]  # as of the class above


class _Link:
    """This leaf's way to the host."""

    def __init__(self) -> None:
        self.exchange: Callable[[Message], Message] | None = None
        self.pictures: frozenset[str] = frozenset()
        self.limit = 0
        self.longest = 0

    def ask(self, message: Message) -> Message:
        if self.exchange is None:
            raise RuntimeError("no leaf is running")
        return self.exchange(message)

    def give_up(self, why: str) -> None:
        """Tell the host that this leaf cannot be scored. The host ends the process, so this does not return."""
        if self.exchange is not None:
            self.exchange({"t": "unscored", "why": why[:2000]})


_link = _Link()


class UnavailablePictures(list[SlideScreenshot]):
    """The empty list that stands for pictures that cannot be had: looking into it makes the leaf unscored."""

    def __init__(self, why: str) -> None:
        super().__init__()
        self._why = why

    def _looked(self) -> None:
        _link.give_up(self._why)

    def __iter__(self) -> Iterator[SlideScreenshot]:
        self._looked()
        return super().__iter__()

    def __reversed__(self) -> Iterator[SlideScreenshot]:
        self._looked()
        return super().__reversed__()

    def __len__(self) -> int:
        self._looked()
        return 0

    def __bool__(self) -> bool:
        self._looked()
        return False

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        self._looked()
        return super().__getitem__(index)

    def __contains__(self, item: object) -> bool:
        self._looked()
        return False

    def __eq__(self, other: object) -> bool:
        self._looked()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        self._looked()
        return super().__ne__(other)

    def __add__(self, other: Any) -> Any:
        self._looked()
        return super().__add__(other)

    def __repr__(self) -> str:
        self._looked()
        return "[]"

    def copy(self) -> list[SlideScreenshot]:
        """As list.copy."""
        self._looked()
        return []

    def index(self, *args: Any) -> int:
        """As list.index."""
        self._looked()
        return super().index(*args)

    def count(self, value: SlideScreenshot) -> int:  # noqa: ARG002 - as list.count
        """As list.count."""
        self._looked()
        return 0


_T = TypeVar("_T")


def _number(name: str, value: object, kind: type[_T]) -> _T | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError(f"{name} must be a number, got {value!r:.80}")
    return kind(value)  # type: ignore[call-arg]  # int and float both take a number


def vlm_call(prompt: str, images: object = None, temperature: object = None, max_tokens: object = None) -> str:
    """Ask a vision model. images: a list of paths of the leaf's pictures, raw bytes, base64 text or PIL images."""
    if images is None:
        images = []
    elif isinstance(images, (str, bytes, bytearray, os.PathLike)) or hasattr(images, "save"):
        images = [images]
    encoded = [_encode(image) for image in _listed(images)]
    size = sum(len(next(iter(image.values()))) for image in encoded)
    if size > _link.limit:
        raise ValueError(f"the images of one vlm_call come to {size} bytes as base64, the limit is {_link.limit}")
    return _model_call("vlm", prompt, encoded, temperature, max_tokens)


def llm_call(prompt: str, temperature: object = None, max_tokens: object = None) -> str:
    """Ask a language model."""
    return _model_call("llm", prompt, [], temperature, max_tokens)


def _listed(images: object) -> Iterable[object]:
    if not hasattr(images, "__iter__"):
        raise TypeError(f"images must be a list, got {type(images).__name__}")
    return list(images)


def _model_call(
    kind: str, prompt: object, images: list[dict[str, str]], temperature: object, max_tokens: object
) -> str:
    if not isinstance(prompt, str):
        raise TypeError(f"the prompt of {kind}_call must be text, got {type(prompt).__name__}")
    reply = _link.ask(
        {
            "t": "call",
            "kind": kind,
            # One character more shows that it is too long.
            "prompt": prompt[: _link.longest + 1],
            "characters": len(prompt),
            "images": images,
            "temperature": _number("temperature", temperature, float),
            "max_tokens": _number("max_tokens", max_tokens, int),
        }
    )
    if "text" not in reply:
        raise RuntimeError(str(reply.get("error", "model call failed")))
    return str(reply["text"])


def _encode(image: object) -> dict[str, str]:
    """An image for the host: by reference where it is one of the leaf's own pictures, else inline."""
    if isinstance(image, os.PathLike):
        image = os.fspath(image)
    if isinstance(image, str):
        if image in _link.pictures or os.path.normpath(image) in _link.pictures:
            return {"path": os.path.normpath(image)}
        decoded = _from_base64(image)
        if decoded is None:
            return {"path": image}  # refused by the host, which says so
        image = decoded
    elif hasattr(image, "save"):
        import io

        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        image = buffer.getvalue()
    if not isinstance(image, (bytes, bytearray)):
        raise TypeError(f"an image must be a path, bytes, base64 text or a PIL image, got {type(image).__name__}")
    if not bytes(image).startswith(PICTURE_MAGIC):
        raise ValueError("an image is neither PNG nor JPEG, GIF or WebP")
    return {"base64": base64.b64encode(image).decode("ascii")}


def _from_base64(text: str) -> bytes | None:
    if text.startswith("data:"):
        _, _, text = text.partition(",")
    try:
        decoded = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    return decoded if decoded.startswith(PICTURE_MAGIC) else None


class PowerPointDiffEvaluator:
    """Stands in for the class of this name in PPT-Eval."""

    def __init__(self, *_: object, **__: object) -> None: ...

    def compare_files(self, before: str, after: str) -> object:
        """The diff of two decks."""
        from pytest_ppteval.deck.diff import compare_files

        return compare_files(before, after)


class PPTVerifier:
    """Stands in for the class of this name in PPT-Eval; leaves only import it for its model calls."""

    vlm_call = staticmethod(vlm_call)
    llm_call = staticmethod(llm_call)

    def __init__(self, *_: object, **__: object) -> None: ...


def _no_dotenv(*_: object, **__: object) -> bool:
    return False


def install() -> None:
    """Put the stand-ins where leaves import them from. They hide real packages of those names."""
    calls: dict[str, object] = {"vlm_call": vlm_call, "llm_call": llm_call}
    contents: dict[str, dict[str, object]] = {
        "ppteval": {},
        "ppteval.verify": {},
        "ppteval.verify.ppt": {},
        "ppteval.verify.ppt.verifier": {
            **calls,
            "PPTVerifier": PPTVerifier,
            "ScreenshotsUnavailableError": ScreenshotsUnavailableError,
            "SlideScreenshot": SlideScreenshot,
        },
        "ppteval.verify.ppt.diff": {"PowerPointDiffEvaluator": PowerPointDiffEvaluator},
        "rubric": {},
        "rubric.utils": {},
        "rubric.utils.llm_tools": calls,
        "dotenv": {"load_dotenv": _no_dotenv, "find_dotenv": lambda *_, **__: "", "dotenv_values": lambda *_, **__: {}},
    }
    for name, names in contents.items():
        module = types.ModuleType(name, "A stand-in of pytest-ppteval's.")
        module.__dict__.update(names)
        if any(other.startswith(name + ".") for other in contents):
            module.__path__ = []
        sys.modules[name] = module
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, module)


def connect(exchange: Callable[[Message], Message], pictures: Iterable[str], limit: int, longest: int) -> None:
    """Tie the stand-ins to this leaf's channel.

    pictures: the paths it was given. limit: a message's bytes. longest: a prompt's characters.
    """
    _link.exchange = exchange
    _link.pictures = frozenset(pictures)
    _link.limit = limit
    _link.longest = longest
