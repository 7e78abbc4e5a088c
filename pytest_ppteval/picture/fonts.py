"""Which fonts slides are drawn with: the same ones in each run, whatever the user's own font set-up says.

The fonts of Office are not free, so that each is stood for by one of the same widths: Calibri by Carlito, Arial by
Liberation Sans, Cambria by Caladea, Times New Roman by Liberation Serif. A font that nobody has falls back to Carlito:
the usual fallback, DejaVu, is so wide that text would seem to overflow.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from pathlib import Path
from xml.sax.saxutils import escape

# Beside this module: Carlito and Liberation Sans (SIL Open Font License), for machines without them.
BUNDLED = Path(__file__).parent / "fonts_data"
STAND_INS = {
    "Calibri": "Carlito",
    "Calibri Light": "Carlito",
    "Candara": "Carlito",
    "Corbel": "Carlito",
    "Segoe UI": "Carlito",
    "Aptos": "Carlito",
    "Aptos Display": "Carlito",
    "Arial": "Liberation Sans",
    "Helvetica": "Liberation Sans",
    "Cambria": "Caladea",
    "Times New Roman": "Liberation Serif",
    "Courier New": "Liberation Mono",
    "Consolas": "Liberation Mono",
}
_SYMBOLS = ("Wingdings", "Webdings")
_SUFFIXES = frozenset((".ttf", ".otf", ".ttc", ".pfb"))


def folders(program: Path | None = None) -> list[Path]:
    """The folders of fonts that there are here: the system's, the user's, LibreOffice's own, and the bundled ones."""
    places = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts")]
    home = os.environ.get("HOME")
    if home:
        places += [Path(home, ".local/share/fonts"), Path(home, ".fonts")]
    if program is not None:
        places.append(program.parent / "share" / "fonts" / "truetype")
    caladea = importlib.util.find_spec("font_caladea")
    if caladea is not None and caladea.origin is not None:
        places.append(Path(caladea.origin).parent / "files")
    places.append(BUNDLED)
    return [place for place in places if place.is_dir()]


def files(places: list[Path]) -> list[Path]:
    """Every font file in the folders, each font once (by file name), sorted within its folder."""
    found: dict[str, Path] = {}
    for place in places:
        for folder, folders_below, names in os.walk(place):
            folders_below.sort()
            for name in sorted(names):
                if os.path.splitext(name)[1].lower() in _SUFFIXES:
                    found.setdefault(name, Path(folder, name))
    return list(found.values())


def fingerprint(places: list[Path]) -> str:
    """Changes with the set of fonts (names and sizes of files), and with the rules above."""
    result = hashlib.sha256(configuration([], Path()).encode())
    for file in files(places):
        result.update(f"{file.name}\0{file.stat().st_size}\0".encode())
    return result.hexdigest()[:16]


def configuration(places: list[Path], cache: Path) -> str:
    """A file for fontconfig with these folders alone, and the rules above."""
    lines = ['<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">', "<fontconfig>"]
    lines += [f"<dir>{escape(str(place))}</dir>" for place in places]
    lines += ["<cachedir>/var/cache/fontconfig</cachedir>", f"<cachedir>{escape(str(cache))}</cachedir>"]
    for family, stand_in in STAND_INS.items():
        # Strong: fontconfig would take "Calibri Light" for a weight of some other family first.
        lines.append(
            f'<match target="pattern"><test name="family" qual="any"><string>{family}</string></test>'
            f'<edit name="family" mode="append" binding="strong"><string>{stand_in}</string></edit></match>'
        )
    for family in _SYMBOLS:
        lines.append(
            f'<match target="pattern"><test name="family" compare="contains"><string>{family}</string></test>'
            '<edit name="family" mode="assign" binding="strong"><string>OpenSymbol</string></edit></match>'
        )
    lines.append(
        '<match target="pattern"><edit name="family" mode="append_last"><string>Carlito</string></edit></match>'
    )
    for generic, family in (("sans-serif", "Liberation Sans"), ("serif", "Liberation Serif")):
        lines.append(f"<alias><family>{generic}</family><prefer><family>{family}</family></prefer></alias>")
    lines += ["<alias><family>monospace</family><prefer><family>Liberation Mono</family></prefer></alias>"]
    return "\n".join([*lines, "</fontconfig>", ""])
