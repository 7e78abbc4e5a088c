"""Pictures for a model: read from whatever a leaf hands over, told by their first bytes, scaled down."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from pytest_ppteval.model.images import MAX_BYTES, BadImageError, fit, media_type, read_image

if TYPE_CHECKING:
    from pathlib import Path


def encoded(size: tuple[int, int], form: str, mode: str = "RGB") -> bytes:
    stream = BytesIO()
    Image.new(mode, size, "red").save(stream, form)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("form", "kind"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("GIF", "image/gif"), ("WEBP", "image/webp")]
)
def test_the_type_is_told_by_the_first_bytes(form: str, kind: str) -> None:
    data = encoded((20, 10), form)
    assert media_type(data) == kind
    assert fit(data) == (data, kind)  # small enough: sent as it is


def test_other_files_are_no_pictures() -> None:
    assert [media_type(data) for data in (b"", b"%PDF-1.7", b"<svg/>", b"RIFF\0\0\0\0WAVE", b"BM")] == [None] * 5


def test_a_picture_is_read_from_path_bytes_and_base64(tmp_path: Path) -> None:
    data = encoded((20, 10), "PNG")
    path = tmp_path / "s.png"
    path.write_bytes(data)
    text = base64.encodebytes(data).decode()  # with line breaks
    for given in (path, str(path), data, bytearray(data), text, f"data:image/png;base64,{text}"):
        assert read_image(given).data == data


@pytest.mark.parametrize("given", ["no/such/file.png", "", "aGVsbG8=", b"hello", 7, None, "a\0b", "x" * 10_000])
def test_anything_else_is_refused(given: object) -> None:
    with pytest.raises(BadImageError):
        read_image(given)


@pytest.mark.parametrize(
    ("form", "size", "expected"),
    [
        ("PNG", (3136, 1764), (1568, 882)),
        ("JPEG", (1000, 3136), (500, 1568)),
        ("WEBP", (2000, 100), (1568, 78)),
        ("GIF", (3136, 3136), (1568, 1568)),
    ],
)
def test_a_large_picture_is_scaled_to_the_long_edge(
    form: str, size: tuple[int, int], expected: tuple[int, int]
) -> None:
    data, kind = fit(encoded(size, form))
    assert kind == ("image/jpeg" if form == "JPEG" else "image/png")
    assert media_type(data) == kind
    assert Image.open(BytesIO(data)).size == expected


def test_transparency_and_palettes_come_through() -> None:
    stream = BytesIO()
    picture = Image.new("RGBA", (2000, 100), (0, 0, 0, 0))
    picture.paste((0, 0, 255, 255), (0, 0, 1000, 100))
    picture.quantize(4).save(stream, "PNG")
    data, _ = fit(stream.getvalue())
    small = Image.open(BytesIO(data)).convert("RGBA")
    assert small.getpixel((100, 30)) == (0, 0, 255, 255)
    pixel = small.getpixel((1400, 30))
    assert isinstance(pixel, tuple)
    assert pixel[3] == 0


def test_a_picture_of_too_many_bytes_becomes_a_jpeg() -> None:
    import random

    noise = random.Random(0).randbytes(1500 * 1500 * 3)
    stream = BytesIO()
    Image.frombytes("RGB", (1500, 1500), noise).save(stream, "PNG", compress_level=1)
    assert len(stream.getvalue()) > MAX_BYTES
    data, kind = fit(stream.getvalue())
    assert kind == "image/jpeg"
    assert len(data) <= MAX_BYTES


def test_damaged_and_huge_pictures_are_refused() -> None:
    with pytest.raises(BadImageError, match="can't be decoded"):
        fit(b"\xff\xd8\xff" + b"nonsense" * 10)
    # A header that claims 100,000 x 100,000 pixels.
    bomb = bytearray(encoded((1, 1), "PNG"))
    bomb[16:24] = (100_000).to_bytes(4, "big") * 2
    with pytest.raises(BadImageError):
        fit(bytes(bomb))
