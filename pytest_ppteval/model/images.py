"""Pictures for a model: read from a path, bytes or base64 text, and made as small as it needs."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import struct
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

# A longer edge is scaled down by the model's own side anyway; sending it costs time and tokens.
# https://platform.claude.com/docs/en/build-with-claude/vision
LONG_EDGE = 1568
# The API takes 5 MB of base64 a picture.
MAX_BYTES = 3_700_000
# Beyond it a picture is a trap or a mistake, not a slide.
MAX_PIXELS = 64_000_000
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")


class BadImageError(ValueError):
    """What was handed over is no picture that a model can see."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture as it was handed out. name: what it is called in recordings and errors."""

    data: bytes
    name: str = ""

    @property
    def sha256(self) -> str:
        """The hash of its bytes."""
        return hashlib.sha256(self.data).hexdigest()


def media_type(data: bytes) -> str | None:
    """The type that the first bytes tell: PNG, JPEG, GIF or WebP; None for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)


def read_image(image: object, name: str = "") -> Image:
    """The picture that a caller of vlm_call means: a path, the bytes of a file, or their base64 text (a data: URL too).

    Raises BadImageError for anything else.
    """
    if isinstance(image, bytes | bytearray | memoryview):
        data = bytes(image)
    elif isinstance(image, str | os.PathLike):
        data = _from_text(os.fspath(image))
    else:
        raise BadImageError(f"an image of type {type(image).__name__}: give a path, bytes or base64 text")
    if media_type(data) is None:
        raise BadImageError(f"{name or 'an image'} is no PNG, JPEG, GIF or WebP picture")
    return Image(data, name)


def _from_text(text: str) -> bytes:
    if len(text) < 4096 and "\0" not in text:
        path = Path(text)
        try:
            if path.is_file():
                return path.read_bytes()
        except OSError as error:
            raise BadImageError(f"{text[:200]}: can't be read: {error.strerror or error}") from None
    encoded = text.partition(",")[2] if text.startswith("data:") else text
    try:
        data = base64.b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError):
        raise BadImageError(f"{text[:200]!r} is neither a picture's path nor base64 text") from None
    if media_type(data) is None:
        raise BadImageError(f"{text[:200]!r} is neither a picture's path nor base64 text of one")
    return data


def fit(data: bytes) -> tuple[bytes, str]:
    """The picture as it is sent, and its media type: scaled down to LONG_EDGE, and under MAX_BYTES.

    Raises BadImageError for a picture that can't be decoded.
    """
    kind = media_type(data)
    size = _size(data)
    if kind is not None and size is not None and max(size) <= LONG_EDGE and len(data) <= MAX_BYTES:
        return data, kind
    return _shrink(data)


def _size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels where the header says so in a fixed place (PNG, GIF)."""
    if data.startswith(b"\x89PNG") and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data.startswith(b"GIF8") and len(data) >= 10:
        width, height = struct.unpack("<HH", data[6:10])
        return width, height
    return None


def _shrink(data: bytes) -> tuple[bytes, str]:
    from PIL import Image as Pillow

    try:
        # Only the formats that are wanted: Pillow's rarer decoders are not for files of unknown make.
        picture = Pillow.open(BytesIO(data), formats=_FORMATS)
        if picture.width * picture.height > MAX_PIXELS:
            raise BadImageError(f"a picture of {picture.width} x {picture.height} pixels is too large")
        if max(picture.size) <= LONG_EDGE and len(data) <= MAX_BYTES:
            return data, media_type(data) or "image/png"
        see_through = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
        small = picture.convert("RGBA" if see_through else "RGB")
        if max(small.size) > LONG_EDGE:
            small.thumbnail((LONG_EDGE, LONG_EDGE), Pillow.Resampling.LANCZOS)
        if picture.format != "JPEG":
            sent = BytesIO()
            small.save(sent, "PNG")
            if sent.tell() <= MAX_BYTES:
                return sent.getvalue(), "image/png"
        flat = Pillow.new("RGB", small.size, (255, 255, 255))
        flat.paste(small, mask=small.getchannel("A") if see_through else None)
        sent = BytesIO()
        flat.save(sent, "JPEG", quality=90)
        return sent.getvalue(), "image/jpeg"
    except BadImageError:
        raise
    except Exception as error:  # Pillow's plugins raise what they like on damaged files
        raise BadImageError(f"a picture can't be decoded: {type(error).__name__}") from None
