"""LibreOffice's own conversion of whole decks, with the fonts of our pictures: what these are held against."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from pytest_ppteval.picture import fonts
from pytest_ppteval.picture.renderers import Renderer

_OPTIONS = {
    "ExportHiddenSlides": {"type": "boolean", "value": "true"},
    "ExportNotes": {"type": "boolean", "value": "false"},  # comments, drawn as notes on the page
}


def converted(decks: Iterable[Path], office: Renderer, folder: Path) -> None:
    """Make a PDF of each deck below `folder`, an empty one, by one start of LibreOffice."""
    assert office.program is not None
    (folder / "fontconfig").mkdir()
    places = fonts.folders(office.program)
    (folder / "fonts.conf").write_text(fonts.configuration(places, folder / "fontconfig"), "utf-8")
    subprocess.run(
        [office.program / "soffice", f"-env:UserInstallation=file://{folder / 'profile'}", "--headless",
         "--convert-to", f"pdf:impress_pdf_Export:{json.dumps(_OPTIONS)}", "--outdir", folder, *decks],
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8", "TZ": "UTC",
             "FONTCONFIG_FILE": str(folder / "fonts.conf"), "SAL_USE_VCLPLUGIN": "svp"},
        check=True, capture_output=True, timeout=900,
    )  # fmt: skip
