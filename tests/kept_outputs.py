"""The outputs of suite_outputs/ as files, in data/outputs/: `python tests/kept_outputs.py` writes those that are new.

<good | wrong>/<task id>/<name>.patch.zip holds the parts of an output that differ from the deck that the
task starts from, as they are; the others are the deck's own. Merged with it, it is the output to the byte of each part:
`python tests/kept_outputs.py --decks FOLDER [words]` writes outputs as whole decks, to be looked at; with words only
those whose place holds all of them. index.tsv says which leaf must catch an output, and which parts differ.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suite_outputs import Made

ROOT = Path(__file__).parents[1]
KEPT = Path(__file__).parent / "data" / "outputs"
INDEX = KEPT / "index.tsv"
DECKS = {
    task: ROOT / entry["file_path"] for task, entry in json.loads((ROOT / "cases/tasks.json").read_bytes()).items()
}
# In a patch: the names of parts that are the deck's and not the output's, one a line. No part of a deck is so called.
REMOVED = "removed parts.txt"


def all_outputs() -> dict[str, Made]:
    """Every output of suite_outputs/, by its place: wrong/ferry_review-001/not_renamed_in_notes."""
    modules = sorted(path.stem for path in (Path(__file__).parent / "suite_outputs").glob("[!_]*.py"))
    for name in modules:
        importlib.import_module(f"suite_outputs.{name}")
    from suite_outputs import MADE

    outputs = [(place(made), made) for made in MADE]
    assert len(dict(outputs)) == len(outputs), "two outputs of one name"
    return dict(outputs)


def place(made: Made) -> str:
    return f"{'wrong' if made.caught_by else 'good'}/{made.task}/{made.name}"


def patch_file(where: str) -> Path:
    return KEPT / f"{where}.patch.zip"


def write_kept(where: str, output: Path) -> None:
    """Write the kept output of that place, a whole deck, to `output`."""
    deck = DECKS[where.split("/")[1]]
    output.write_bytes(zipped(merged(read(deck), read(patch_file(where)))))


# ---- parts, by name ------------------------------------------------------------------------------------------------


def read(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """A zip of these parts, the same bytes whenever it is made."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.create_system = 3
            archive.writestr(info, content, zipfile.ZIP_DEFLATED, 9)
    return stream.getvalue()


def patch(deck: Mapping[str, bytes], output: Mapping[str, bytes]) -> dict[str, bytes]:
    """What merged() needs beside `deck` to give `output`."""
    changed = {name: content for name, content in output.items() if deck.get(name) != content}
    removed = "".join(f"{name}\n" for name in deck if name not in output)
    return changed | ({REMOVED: removed.encode()} if removed else {})


def merged(deck: Mapping[str, bytes], patch: Mapping[str, bytes]) -> dict[str, bytes]:
    """The parts of the deck with the patch's in their place, less those that the patch names as removed."""
    removed = patch.get(REMOVED, b"").decode().splitlines()
    return {name: content for name, content in {**deck, **patch}.items() if name not in (REMOVED, *removed)}


# ---- what the functions make, and what is kept ---------------------------------------------------------------------


def made_patch(made: Made, folder: Path) -> dict[str, bytes]:
    """The patch of what the output's function makes now."""
    deck, output = DECKS[made.task], folder / "made.pptx"
    made.make(deck, output)
    return patch(read(deck), read(output))


def as_data(parts: Mapping[str, bytes]) -> dict[str, object]:
    """What parts say; pictures as pixels, workbooks as cells: versions of libraries write those differently."""
    return {name: _data(name, content) for name, content in parts.items()}


def _data(name: str, content: bytes) -> object:
    if name.endswith((".png", ".jpg", ".jpeg")):
        with Image.open(BytesIO(content)) as picture:
            return picture.size, picture.convert("RGBA").tobytes()
    if name.endswith(".xlsx"):
        with zipfile.ZipFile(BytesIO(content)) as book:
            return {n: book.read(n) for n in book.namelist() if n.startswith(("xl/worksheets/", "xl/sharedStrings"))}
    return content


def index(patches: Mapping[str, Mapping[str, bytes]], outputs: Mapping[str, Made]) -> str:
    """The lines of index.tsv: place, the leaves that must catch the output, and the parts that differ from the deck."""
    lines = ["output\tcaught by\tparts that differ"]
    for where in sorted(patches):
        parts = ", ".join(sorted(patches[where]))
        lines.append(f"{where}\t{'; '.join(outputs[where].caught_by)}\t{parts}")
    return "\n".join(lines) + "\n"


def keep(outputs: Mapping[str, Made]) -> list[str]:
    """Write patches that are missing or say something else than their functions, drop others; -> what it did."""
    done, patches = [], {}
    for file in KEPT.rglob("*.patch.zip"):
        if file not in map(patch_file, outputs):
            file.unlink()
            done.append(f"removed {file.relative_to(KEPT)}")
    with tempfile.TemporaryDirectory() as folder:
        for where, made in outputs.items():
            patches[where], file = made_patch(made, Path(folder)), patch_file(where)
            if file.exists() and as_data(read(file)) == as_data(patches[where]):
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(zipped(patches[where]))
            done.append(f"wrote {where}")
    INDEX.write_text(index(patches, outputs), "utf-8")
    return done


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Keep the outputs of suite_outputs/, or write them as whole decks.")
    parser.add_argument("--decks", type=Path, metavar="FOLDER", help="write whole decks below this folder")
    parser.add_argument("words", nargs="*", help="with --decks: only outputs whose place holds all of these")
    wanted = parser.parse_args(arguments)
    outputs = all_outputs()
    if wanted.decks is None:
        print("\n".join(keep(outputs)) or "all outputs are kept as their functions make them")
        return
    for where in (where for where in outputs if all(word in where for word in wanted.words)):
        deck = wanted.decks / f"{where}.pptx"
        deck.parent.mkdir(parents=True, exist_ok=True)
        write_kept(where, deck)
        print(deck)


if __name__ == "__main__":
    main()
