"""Pictures kept beside a deck: <deck>.zip, one image a slide, the slide's number in the image's name."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING

from pytest_ppteval.picture.model import ArchivedScreenshots, MissingScreenshots, SlideScreenshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MAX_PICTURES = 2_000
MAX_PICTURE_BYTES = 32 << 20
MAX_TOTAL_BYTES = 512 << 20

_MAGIC = {b"\x89PNG\r\n\x1a\n": ".png", b"\xff\xd8\xff": ".jpg"}


def pictures_beside(deck: Path, into: Path) -> Sequence[SlideScreenshot]:
    """The pictures of `deck` from the zip of its name, unpacked under `into` (an empty folder of the caller's).

    Where there is no such zip, or it can't be trusted or read, the sequence returned says so when it is looked into.
    """
    archive = deck.with_suffix(".zip")
    if not archive.is_file():
        return MissingScreenshots(
            f"no pictures of {deck.name}: put one image a slide into {archive.name} beside it (slide_1.png, ...)"
        )
    try:
        with zipfile.ZipFile(archive) as opened:
            return _unpack(opened, archive, into, _slide_ids(deck))
    except (OSError, zipfile.BadZipFile, ValueError, EOFError, RuntimeError, NotImplementedError) as error:
        return MissingScreenshots(f"{archive}: not a usable zip of pictures: {error}")


def _slide_ids(deck: Path) -> list[str]:
    """The ids of a deck's slides, in their order; none of a deck that can't be read."""
    from pytest_ppteval.deck.guard import read_plain_file
    from pytest_ppteval.deck.limits import CAPS, DeckRejected
    from pytest_ppteval.picture.package import Package

    try:
        return [slide.slide_id for slide in Package(read_plain_file(deck, CAPS.file)).slides]
    except (DeckRejected, OSError):
        return []


def _unpack(opened: zipfile.ZipFile, archive: Path, into: Path, slide_ids: Sequence[str]) -> Sequence[SlideScreenshot]:
    numbered: dict[int, zipfile.ZipInfo] = {}
    total = 0
    for entry in opened.infolist():
        name = entry.filename.rsplit("/", 1)[-1]
        if entry.is_dir() or entry.filename.startswith("__MACOSX/") or name.startswith("."):
            continue
        numbers = re.findall(r"\d+", name.rsplit(".", 1)[0])
        if not numbers:
            continue
        total += entry.file_size
        if len(numbered) >= MAX_PICTURES or entry.file_size > MAX_PICTURE_BYTES or total > MAX_TOTAL_BYTES:
            return MissingScreenshots(f"{archive}: too many or too large pictures ({entry.filename})")
        number = int(numbers[-1])
        if number in numbered:
            return MissingScreenshots(
                f"{archive}: two pictures for slide {number} ({numbered[number].filename}, {entry.filename})"
            )
        numbered[number] = entry
    if not numbered:
        return MissingScreenshots(f"{archive}: holds no picture with a slide's number in its name")
    shots = ArchivedScreenshots()
    for number, entry in sorted(numbered.items()):
        with opened.open(entry) as stream:
            data = stream.read(MAX_PICTURE_BYTES + 1)
        suffix = next((suffix for magic, suffix in _MAGIC.items() if data.startswith(magic)), None)
        if suffix is None or len(data) > MAX_PICTURE_BYTES:
            return MissingScreenshots(f"{archive}: {entry.filename} is neither PNG nor JPEG")
        # Our own name, never the archive's: what a zip says of paths is not to be followed.
        target = into / f"slide_{number:04d}{suffix}"
        target.write_bytes(data)
        known = 0 < number <= len(slide_ids)
        shots.append(SlideScreenshot(number, str(target), slide_ids[number - 1] if known else None))
    return shots
