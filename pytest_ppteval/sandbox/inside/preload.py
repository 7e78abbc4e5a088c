"""What the sandbox imports before any leaf runs, so that leaves need not. Runs in the sandbox only."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
import types
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALWAYS = (
    "pptx", "pptx.util", "pptx.dml.color", "pptx.enum.text", "pptx.enum.shapes", "pptx.enum.dml", "pptx.enum.chart",
    "lxml.etree", "pytest_ppteval.deck.guard", "pytest_ppteval.deck.diff", "pytest_ppteval.deck.model",
    "re", "os.path", "math", "random", "difflib", "collections", "itertools", "functools", "hashlib", "pathlib",
    "zipfile", "json", "base64", "io", "string", "typing", "dataclasses", "unicodedata", "xml.etree.ElementTree",
    "encodings.idna",
)  # fmt: skip
# `from pytest_ppteval.picture import measures` names the package alone.
_MEANT = {"pytest_ppteval.picture": "pytest_ppteval.picture.measures"}
# What a leaf may have imported for it ahead, by its full name: importing runs a module's code, and some of a library's
# own modules are programs, which end the process that imports them.
_MAY_PRELOAD = frozenset(
    ("PIL.Image", "PIL.ImageChops", "PIL.ImageDraw", "PIL.ImageFilter", "PIL.ImageStat", "numpy", "numpy.linalg",
     "numpy.random", "asyncio", "colorsys", "copy", "csv", "datetime", "decimal", "enum", "fractions", "heapq", "html",
     "operator", "statistics", "struct", "textwrap", "time", "urllib.parse", "xml.dom.minidom", "zlib",
     "pytest_ppteval.vocabulary.whole", *_MEANT.values(), *_ALWAYS)
)  # fmt: skip
# Imported by others for what leaves hardly ever do: all that they bring along, each leaf's process would have to map.
_LATER = ("urllib.request", "ipaddress", "PIL.ImageFont")
# A module within one of these stands for the whole: of `import numpy.fft`, numpy takes the time.
_WHOLE = frozenset({"numpy", "asyncio"})


def _ahead(name: str) -> str | None:
    """What to import ahead of a leaf that imports `name`; None for nothing."""
    top = name.partition(".")[0]
    name = _MEANT.get(name, name)
    return name if name in _MAY_PRELOAD else top if top in _WHOLE else None


def prepare_streams() -> None:
    """Have each line that a leaf prints written at once: what it printed before it hung or crashed says most."""
    for stream in (sys.stdout, sys.stderr):
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(line_buffering=True)


def _import_when_used(full: str) -> None:
    """Put a module in place whose code runs once something of it is used."""
    package, _, name = full.rpartition(".")
    if full in sys.modules:
        return
    stand_in = types.ModuleType(full)

    def used(attribute: str) -> object:
        if attribute.startswith("__"):  # import itself looks for some
            raise AttributeError(attribute)
        if sys.modules.get(full) is stand_in:
            del sys.modules[full]
        return getattr(importlib.import_module(full), attribute)

    stand_in.__getattr__ = used  # type: ignore[method-assign]  # a module's own, see PEP 562
    sys.modules[full] = stand_in
    if package:
        setattr(importlib.import_module(package), name, stand_in)


def preload(names: Iterable[str]) -> None:
    """Import what most leaves need, and of `names` what is known to do no harm."""
    for name in _LATER:
        _import_when_used(name)
    for wanted in dict.fromkeys((*_ALWAYS, *map(_ahead, names))):
        if wanted is not None:
            # A module that is missing or broken, or that ends the process, is the leaf's to find out, when it imports
            # it itself: no one leaf's import may take this process from all others.
            with contextlib.suppress(BaseException):
                importlib.import_module(wanted)
