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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How one format is recognised and read.

    name: what a user writes after --format.
    title: for people.
    recognise: whether a file is of this format. Formats don't overlap: no two readers may recognise one file.
    read: the runs in a file that isn't empty. It never raises for what the file holds.
    """

    name: str
    title: str
    recognise: Callable[[Head], bool]
    read: Callable[[Source], list[Trace]]


@cache
def readers() -> dict[str, Reader]:
    """All readers by name."""
    found: dict[str, Reader] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        reader = getattr(import_module(f"{__name__}.{module.name}"), "READER", None)
        if isinstance(reader, Reader):
            found[reader.name] = reader
    return found
