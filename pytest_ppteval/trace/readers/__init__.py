"""One module a format. A module here that holds a READER is found by itself: nothing else names it."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from pytest_ppteval.trace.jsontext import Record
from pytest_ppteval.trace.model import Trace
from pytest_ppteval.trace.source import Source


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file: its first objects (a document is one object), and its first bytes."""

    records: list[Record]
    start: bytes
    is_zip: bool


@dataclass(frozen=True, slots=True)
class Sign:
    """What speaks for a format.

    certain: only this format has it. A file that is merely similar gives a sign that is not certain: it is not read,
        and the sign is told to whoever asks why.
    why: what was found, and what is missing where it is not certain, in words that follow "it might be NAME: ".
    """

    certain: bool
    why: str


def certain(why: str) -> Sign:
    """Something that only this format has."""
    return Sign(certain=True, why=why)


def maybe(why: str) -> Sign:
    """Something that this format has, and others may have, too."""
    return Sign(certain=False, why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How one format is recognised and read.

    name: what a user writes after --format.
    title: for people.
    recognise: what speaks for this format, None for nothing. It names what only this format has (a key, a name of an
        event), never what is absent; no two readers may be certain of one file.
    read: the runs in a file that isn't empty. It never raises for what the file holds. What may be a call and can't be
        read as one is told with Builder.hidden (Builder.keep_unknown does so for what speaks of tools).
    not_calls: keys that speak of no calls of this run, but of history or copies, nor does what is below them. A file
        of which no call was read is looked through for signs of some (signs.py), but not there.
    """

    name: str
    title: str
    recognise: Callable[[Head], Sign | None]
    read: Callable[[Source], list[Trace]]
    not_calls: frozenset[str] = frozenset()


@cache
def readers() -> dict[str, Reader]:
    """All readers by name."""
    found: dict[str, Reader] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        reader = getattr(import_module(f"{__name__}.{module.name}"), "READER", None)
        if isinstance(reader, Reader):
            found[reader.name] = reader
    return found
