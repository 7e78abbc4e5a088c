"""The files of one slide's picture: slide_0003.png, a .jpg beside it where that is smaller, and a .json of facts.

The facts are what can't be read from pixels: which renderer drew it, the slide's size, and the text it drew with boxes.
Used on all sides: by the renderer's process, by pytest's, and by the measures in a leaf.
"""

from __future__ import annotations

import json
import math
import os
import struct
import zlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

FACTS_VERSION = 1
# Beyond these a file is not read: it is no slide's.
MAX_PICTURE = 32 << 20
MAX_FACTS = 8 << 20


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text as it was drawn.

    left, top, right, bottom: around its ink, in points from the slide's left top corner. size: of the font as drawn,
    in points. colour: "#RRGGBB", or "" where unknown. angle: in degrees, 0 for text that reads from left to right.
    shape: the id of the shape it belongs to, where the renderer tells.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    colour: str = ""
    angle: float = 0.0
    shape: int | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a slide's picture. width, height: of the slide, in points. notes: what is drawn wrongly."""

    renderer: str
    width: float
    height: float
    lines: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> bytes:
        """As the content of the .json file."""
        rows = [
            {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(line).items()}
            for line in self.lines
        ]
        facts = {"version": FACTS_VERSION, "renderer": self.renderer, "width": self.width, "height": self.height}
        return json.dumps({**facts, "lines": rows, "notes": self.notes}, ensure_ascii=False).encode("utf-8", "replace")

    @classmethod
    def from_json(cls, data: bytes) -> Facts:
        """From the content of the .json file. Raises ValueError where it is not of this form."""
        try:
            raw = json.loads(data)
            if raw["version"] != FACTS_VERSION:
                raise ValueError(f"version {raw['version']!r}")
            lines = tuple(Line(**line) for line in raw["lines"])
            numbers = [raw["width"], raw["height"]]
            numbers += [v for line in lines for v in (line.left, line.top, line.right, line.bottom, line.size)]
            if not all(map(math.isfinite, numbers)):
                raise ValueError("a number that is none")
            for line in lines:
                line.text.encode("utf-8")
                line.colour.encode("ascii")
            notes = tuple(str(note) for note in raw.get("notes", ()))
            return cls(str(raw["renderer"]), raw["width"], raw["height"], lines, notes)
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"not the facts of a picture: {type(error).__name__}: {error}") from None


def file_name(number: int, suffix: str = ".png") -> str:
    """What the picture of a slide is called."""
    return f"slide_{number:04d}{suffix}"


def for_model(path: str) -> str:
    """The file to send to a model for the picture at `path`: the JPEG beside it, where that is smaller."""
    jpeg = f"{path[:-4]}.jpg"
    return jpeg if path.endswith(".png") and os.path.isfile(jpeg) else path


def png_bytes(picture: Image.Image) -> bytes:
    """An RGB picture as PNG, made fast.

    Each row is stored as its difference from the one above: on slides that is mostly nothing. Pillow tries five filters
    for each row instead, which takes twice as long.
    """
    from PIL import Image, ImageChops

    rows = ImageChops.subtract_modulo(picture, ImageChops.offset(picture, 0, 1))
    rows.paste(picture.crop((0, 0, picture.width, 1)), (0, 0))
    width, height = picture.width * 3, picture.height
    # Each row begins with the number of its filter, 2: a column more in a picture of single bytes.
    filtered = Image.new("L", (width + 1, height), 2)
    filtered.paste(Image.frombuffer("L", (width, height), rows.tobytes(), "raw", "L", 0, 1), (1, 0))
    header = struct.pack(">IIBBBBB", picture.width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes(), 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part)) for kind, part in parts
    )
