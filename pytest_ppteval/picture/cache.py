"""Pictures that were drawn before, by key, in a folder that the processes of a run share.

A picture is published in whole or not at all: its files are written beside its place and moved there at once. Who draws
a picture holds its lock, so that another process waits for it instead of drawing it too.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.deck.guard import read_plain_file
from pytest_ppteval.deck.limits import DeckRejected
from pytest_ppteval.files.locks import locked
from pytest_ppteval.picture.files import MAX_FACTS, MAX_PICTURE, Facts, file_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Rises when what is in the files changes its form.
VERSION = 1
# When the folder holds more than this, the pictures that were not looked at for longest are dropped.
MOST_BYTES = 2 << 30
_LOCKS = 4096
_SUFFIXES = (".png", ".jpg", ".json")
_MAGIC = {".png": b"\x89PNG\r\n\x1a\n", ".jpg": b"\xff\xd8\xff"}


class BadPictureError(ValueError):
    """What the renderer left is no picture."""


class Cache:
    """The pictures under `root`, which is made when it is needed. Raises OSError where it can't be written."""

    def __init__(self, root: Path) -> None:
        self.root = root / f"pictures-{VERSION}"

    def has(self, key: str) -> bool:
        """Whether there is a picture of this key."""
        return (self._place(key) / "slide.json").is_file()

    def copy(self, key: str, into: Path, number: int) -> bool:
        """Copy a picture's files to `into`, named after the slide. False where there is none (any more)."""
        place = self._place(key)
        copied = False
        # The facts last: who sees them sees a whole picture.
        for suffix in _SUFFIXES:
            target = into / file_name(number, suffix)
            partial = target.with_name(f".{target.name}")
            try:
                shutil.copyfile(place / f"slide{suffix}", partial)
            except FileNotFoundError:
                if suffix != ".jpg":
                    return False
                continue
            partial.replace(target)
            copied = True
        with contextlib.suppress(OSError):
            os.utime(place)
        return copied

    def publish(self, key: str, folder: Path, number: int) -> None:
        """Take over the picture of a slide that a renderer left in `folder`. Raises BadPictureError, OSError."""
        files = {suffix: data for suffix in _SUFFIXES if (data := _read(folder, number, suffix)) is not None}
        place = self._place(key)
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=place.parent, prefix=".new-"))
        try:
            fresh.chmod(0o755)
            for suffix, data in files.items():
                (fresh / f"slide{suffix}").write_bytes(data)
            try:
                fresh.rename(place)
            except OSError:
                if not self.has(key):  # else another process was faster, with the same picture
                    raise
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def plan(self, digest: str) -> list[list[object]] | None:
        """What was kept of a deck's slides, by the deck's own hash."""
        try:
            kept = json.loads((self.root / "decks" / f"{digest}.json").read_bytes())
        except (OSError, ValueError):
            return None
        return kept if isinstance(kept, list) else None

    def keep_plan(self, digest: str, slides: list[list[object]]) -> None:
        """Keep what a deck's slides are."""
        place = self.root / "decks" / f"{digest}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = place.with_name(f".{place.name}.{os.getpid()}")
        fresh.write_text(json.dumps(slides), "utf-8")
        fresh.replace(place)

    @contextlib.contextmanager
    def locked(self, keys: Iterable[str]) -> Iterator[None]:
        """Hold the locks of these keys. In a fixed order, so that two processes never wait for each other."""
        folder = self.root / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as held:
            # A few thousand files, not one for each picture that ever was.
            for number in sorted({int(key[:8], 16) % _LOCKS for key in keys}):
                held.enter_context(locked(folder / f"{number:03x}"))
            yield

    def prune(self, most: int = MOST_BYTES) -> None:
        """Drop the pictures that were not looked at for longest, down to `most` bytes."""
        found = []
        for place in self.root.glob("[0-9a-f][0-9a-f]/[0-9a-f]*"):
            with contextlib.suppress(OSError):
                found.append((place.stat().st_mtime, sum(file.stat().st_size for file in place.iterdir()), place))
        total = sum(size for _, size, _ in found)
        for _, size, place in sorted(found):
            if total <= most:
                return
            shutil.rmtree(place, ignore_errors=True)
            total -= size

    def _place(self, key: str) -> Path:
        return self.root / key[:2] / key


def _read(folder: Path, number: int, suffix: str) -> bytes | None:
    """A file that a renderer left, which is not trusted: a plain file of the right kind, or BadPictureError."""
    name = file_name(number, suffix)
    if suffix == ".jpg" and not (folder / name).is_file():
        return None
    try:
        data = read_plain_file(folder / name, MAX_FACTS if suffix == ".json" else MAX_PICTURE)
        if suffix == ".json":
            Facts.from_json(data)
    except (DeckRejected, ValueError) as error:
        raise BadPictureError(f"{name}: {error}") from None
    if not data.startswith(_MAGIC.get(suffix, b"")):
        raise BadPictureError(f"{name} is no picture")
    return data
