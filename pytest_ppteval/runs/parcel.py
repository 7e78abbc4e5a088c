"""A run's folder as bytes: what a worker on another machine sends to the one that keeps the session."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import tarfile
from typing import TYPE_CHECKING

from pytest_ppteval.files.plain import NotPlain, open_plain
from pytest_ppteval.files.tree import Found, walk

if TYPE_CHECKING:
    from pathlib import Path

# Bytes of files in one parcel: it crosses in one message, and is held in memory on both sides.
LIMIT = 256_000_000


class ParcelError(ValueError):
    """A folder that can't be sent, or bytes that are no parcel; one line says why."""


def pack(folder: Path) -> bytes:
    """The files below `folder`, links as links. Raises ParcelError for one that is too large, OSError."""
    found = [one for one in walk(folder) if one.name is not None]
    size = sum(one.facts.st_size for one in found if stat.S_ISREG(one.facts.st_mode))
    if size > LIMIT:
        raise ParcelError(f"{size:,} bytes were left, {LIMIT:,} at most are sent from another machine")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for one in found:
            _add(archive, folder, one)
    return buffer.getvalue()


def _add(archive: tarfile.TarFile, folder: Path, found: Found) -> None:
    """Without owners, which mean nothing elsewhere, and without devices and pipes."""
    assert found.name is not None
    member = tarfile.TarInfo(found.name)
    member.mode, member.mtime = stat.S_IMODE(found.facts.st_mode), int(found.facts.st_mtime)
    if stat.S_ISDIR(found.facts.st_mode):
        member.type = tarfile.DIRTYPE
        archive.addfile(member)
    elif stat.S_ISLNK(found.facts.st_mode):
        member.type, member.linkname = tarfile.SYMTYPE, os.readlink(folder / found.name)
        archive.addfile(member)
    elif stat.S_ISREG(found.facts.st_mode):
        with contextlib.suppress(NotPlain), open_plain(folder, found.name, LIMIT) as file:
            member.size = os.fstat(file.fileno()).st_size
            archive.addfile(member, file)


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
