"""A run's folder as bytes: what a worker on another machine sends to the one that keeps the session."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Bytes of files in one parcel: it crosses in one message, and is held in memory on both sides.
LIMIT = 256_000_000


class ParcelError(ValueError):
    """A folder that can't be sent, or bytes that are no parcel; one line says why."""


def pack(folder: Path) -> bytes:
    """The files below `folder`, links as links. Raises ParcelError for one that is too large, OSError."""
    size = sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    if size > LIMIT:
        raise ParcelError(f"{size:,} bytes were left, {LIMIT:,} at most are sent from another machine")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        archive.add(folder, arcname=".", filter=_plain)
    return buffer.getvalue()


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Without owners, which mean nothing elsewhere, and without devices and pipes."""
    if not (member.isreg() or member.isdir() or member.issym()):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def unpack(parcel: bytes, folder: Path) -> None:
    """Put the files of a parcel below `folder`, and nowhere else. Raises ParcelError, OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(parcel), mode="r:gz") as archive:
            for member in archive:
                try:
                    archive.extract(member, folder, filter="data")
                except tarfile.LinkOutsideDestinationError:
                    continue  # an agent's link to somewhere on its own machine says nothing here
                except tarfile.AbsoluteLinkError:
                    continue
    except (tarfile.TarError, EOFError) as error:
        raise ParcelError(f"what another machine sent can't be read: {error}") from None
