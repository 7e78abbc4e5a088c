"""LibreOffice, asked to save a deck anew."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

_SECONDS = 120


def program() -> str | None:
    """LibreOffice's program, where it is installed."""
    return shutil.which("soffice") or shutil.which("libreoffice")


def saved_by_office(deck: bytes) -> bytes | None:
    """The deck opened and saved by LibreOffice; None where that is not installed or doesn't manage."""
    found = program()
    if found is None:
        return None
    with tempfile.TemporaryDirectory(prefix="ppteval-check-") as name:
        folder = Path(name)
        (folder / "in").mkdir()
        (folder / "in" / "deck.pptx").write_bytes(deck)
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        command = [found, profile, "--headless", "--convert-to", "pptx", "--outdir", name, str(folder / "in/deck.pptx")]
        try:
            subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
            return (folder / "deck.pptx").read_bytes()
        except (OSError, subprocess.SubprocessError):
            return None
