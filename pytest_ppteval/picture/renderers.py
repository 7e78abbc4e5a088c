"""Which renderer draws the slides: what the user asked for, and what this machine has. Cheap: starts nothing."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from pathlib import Path
from typing import Literal, NamedTuple

from pytest_ppteval.choices import RendererChoice

EXTRA = "pip install 'pytest-ppteval[pictures]'"
_PROGRAMS = ("/usr/lib/libreoffice/program", "/usr/lib64/libreoffice/program", "/opt/libreoffice/program")
_VERSION = re.compile(rb'ooSetupVersionAboutBox">\s*<value>([\w.]{1,40})</value>')
_BUILD = re.compile(r"^buildid=(\S+)", re.MULTILINE)


class Renderer(NamedTuple):
    """A renderer that is there. program: LibreOffice's folder of libraries.

    build: what else tells two builds of one version apart; part of the cache's keys.
    """

    kind: Literal["libreoffice", "betteroffice"]
    version: str
    program: Path | None = None
    build: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.version}"


class NoRenderer(NamedTuple):
    """There is none; why, and what to do."""

    reason: str

    def __str__(self) -> str:
        return "none"


def choose(choice: RendererChoice) -> Renderer | NoRenderer:
    """The renderer to use: LibreOffice where it is installed, else betteroffice-pptx, unless one is asked for."""
    if choice == "none":
        return NoRenderer("--ppteval-renderer=none")
    office, better = _libreoffice(), _betteroffice()
    if choice == "libreoffice":
        return office
    if choice == "betteroffice":
        return better
    if isinstance(office, NoRenderer) and isinstance(better, NoRenderer):
        return NoRenderer(f"{office.reason}; or, without LibreOffice, {EXTRA}" if EXTRA not in office.reason else EXTRA)
    return better if isinstance(office, NoRenderer) else office


def why_not(choice: RendererChoice) -> str:
    """Why a renderer that was asked for by its name can't be used here: an error of the command; "" for all else."""
    found = choose(choice) if choice in ("libreoffice", "betteroffice") else None
    return found.reason if isinstance(found, NoRenderer) else ""


def _libreoffice() -> Renderer | NoRenderer:
    if sys.platform != "linux":
        return NoRenderer("LibreOffice can be used on Linux only so far")
    program = find_program()
    if program is None:
        return NoRenderer("install LibreOffice (Debian: apt-get install libreoffice-impress-nogui) and " + EXTRA)
    if importlib.util.find_spec("pypdfium2") is None:
        return NoRenderer(f"LibreOffice is here, pypdfium2 isn't: {EXTRA}")
    try:
        build = _BUILD.search((program / "versionrc").read_text("utf-8", "replace"))
    except OSError:
        build = None
    return Renderer("libreoffice", _version(program), program, build[1] if build else "")


def _betteroffice() -> Renderer | NoRenderer:
    if importlib.util.find_spec("betteroffice_pptx") is None:
        return NoRenderer(f"betteroffice-pptx isn't installed: {EXTRA}")
    from importlib.metadata import version  # not free, and most runs do without

    return Renderer("betteroffice", version("betteroffice-pptx"))


def find_program() -> Path | None:
    """LibreOffice's folder of programs and libraries, where it holds the library that is used here."""
    found = shutil.which("soffice") or shutil.which("libreoffice")
    places = [Path(found).resolve().parent] if found else []
    for place in (*places, *map(Path, _PROGRAMS)):
        if (place / "libmergedlo.so").exists() or (place / "libsofficeapp.so").exists():
            return place
    return None


def _version(program: Path) -> str:
    """The version, from LibreOffice's own registry: starting it to ask would take seconds."""
    import mmap

    for name in ("share/registry/main.xcd", "share/.registry/main.xcd"):
        try:
            with (
                (program.parent / name).open("rb") as file,
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
            ):
                found = _VERSION.search(data)
                if found:
                    return found[1].decode("ascii")
        except (OSError, ValueError):
            continue
    return "of unknown version"
