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
# What a leaf may have the zygote import for it: the zygote is not confined, and importing runs a module's code.
_MAY_PRELOAD = frozenset({"pptx", "lxml", "PIL", "numpy", *_ALWAYS}) | frozenset(
    ("asyncio", "colorsys", "copy", "csv", "datetime", "decimal", "enum", "fractions", "heapq", "html", "operator",
     "statistics", "struct", "textwrap", "time", "urllib.parse", "xml.dom.minidom", "zlib", *_MEANT.values())
)  # fmt: skip
# Imported by others for what leaves hardly ever do: all that they bring along, each leaf's process would have to map.
_LATER = ("urllib.request", "ipaddress", "PIL.ImageFont")
_REFUSED = frozenset({"PIL.EpsImagePlugin", "PIL.ImageGrab", "PIL.ImageShow", "PIL.ImageTk", "PIL.ImageQt"})


def _may_preload(name: str) -> bool:
    top = name.partition(".")[0]
    return name not in _REFUSED and (name in _MAY_PRELOAD or top in {"pptx", "lxml", "PIL", "numpy"})


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
    for name in (*_ALWAYS, *(_MEANT.get(name, name) for name in names)):
        if _may_preload(name):
            # A module that is missing or broken is the leaf's to find out, when it imports it itself.
            with contextlib.suppress(Exception):
                importlib.import_module(name)
