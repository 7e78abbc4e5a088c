"""XML in UTF-16, which OPC allows beside UTF-8: told by its byte order mark, before any parser sees it."""

from __future__ import annotations

UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def utf_16_text(content: bytes) -> str | None:
    """The text of UTF-16 that begins with its mark; None where it has none or is damaged."""
    encoding = UTF_16.get(content[:2])
    try:
        return content[2:].decode(encoding) if encoding is not None else None
    except UnicodeDecodeError:
        return None
