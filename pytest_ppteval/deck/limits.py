"""How large a deck may be, what a refused one raises, and how text from a deck is made safe to print."""

from __future__ import annotations

from dataclasses import dataclass

MiB = 1 << 20


@dataclass(frozen=True, slots=True)
class Caps:
    """How large a deck may be. Bytes, unless said otherwise.

    file: the file itself. entries: number of parts in the zip. total, part: unpacked, all parts and any one part.
    xml, xml_total: unpacked, one XML part and all of them. tags: number of "<" in all XML parts together.
    ratio: unpacked to packed size, asked of XML parts above `ratio_from`. squeezed: unpacked, all other parts together
        that are packed tighter than that: a picture of one colour is, uncompressed as a BMP or a TIFF.
    """

    file: int = 256 * MiB
    entries: int = 5_000
    total: int = 1024 * MiB
    part: int = 256 * MiB
    xml: int = 16 * MiB
    xml_total: int = 128 * MiB
    tags: int = 1_500_000
    ratio: int = 250
    ratio_from: int = MiB
    squeezed: int = 128 * MiB


CAPS = Caps()


class DeckRejected(ValueError):  # noqa: N818 - it names what happened to the deck; other rooms rely on it
    """A deck that is not opened. Its text is one line: the reason, and what to do where that is known.

    The text is a predicate ("is empty (0 bytes)"): whoever shows it puts the deck's path or role before it.
    """


def plain(text: str, limit: int = 200) -> str:
    """Text from the deck that is safe to print: one line, no control characters, not long."""
    shown = "".join(c if c.isprintable() else "�" for c in text[: limit + 1])
    return shown if len(shown) <= limit else shown[:limit] + "..."


def quote(text: str) -> str:
    """A name from the deck in quotes, safe to print."""
    return f"'{plain(text, 80)}'"


def one_line(error: BaseException) -> str:
    """What an exception says, on one line; its type's name where it says nothing."""
    return plain(" ".join(str(error).split())) or type(error).__name__
