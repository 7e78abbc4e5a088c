"""What a process prints: its beginning and its end are kept, the rest is counted."""

from __future__ import annotations


class Printed:
    """Keeps `shown` bytes: the first two thirds of them, and the last third."""

    def __init__(self, shown: int) -> None:
        self._most_head = shown * 2 // 3
        self._most_tail = shown - self._most_head
        self._head = bytearray()
        self._tail = bytearray()
        self._count = 0

    def add(self, data: bytes) -> None:
        """More of it."""
        self._count += len(data)
        room = self._most_head - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._most_tail + (1 << 16):
            del self._tail[: -self._most_tail]

    def over(self, most: int) -> bool:
        """Whether it was more than `most` bytes."""
        return self._count > most

    def text(self) -> str:
        """As text; where something was left out, a line says how much."""
        end = bytes(self._tail[-self._most_tail :]) if self._tail else b""
        cut = self._count - len(self._head) - len(end)
        if not cut:
            return (self._head + end).decode("utf-8", "replace")
        head, tail = self._head.decode("utf-8", "replace"), end.decode("utf-8", "replace")
        return f"{head}\n[... {cut:,} bytes are left out here ...]\n{tail}"
