"""One of an agent's streams, read to its end so that the agent never waits for it, and kept up to a limit.

It runs in the process that watches the agent.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import IO

from pytest_ppteval.agent.final import MAX_LINE, is_final

_PIECE = 1 << 16
# Kept of the end of an output that is cut: the result of a trace is there.
_TAIL = 1 << 20
# Bytes of the limit for each line: what is made of shorter ones all through would take minutes to read as a trace.
_SHORTEST = 64
_FEW_LINES = 20_000


class Output(threading.Thread):
    """Keeps the beginning and the end of a stream, in bytes and in lines, and sees a final event at its end."""

    def __init__(self, path: str, limit: int) -> None:
        super().__init__(daemon=True)
        self.stream: IO[bytes] | None = None
        # When the final event came, if nothing came after it.
        self.final: float | None = None
        self._tail = b""
        self._room = min(_TAIL, limit // 4)
        self._head = limit - self._room
        self._lines = max(_FEW_LINES, limit // _SHORTEST)
        self._kept = self._seen = self._kept_lines = 0
        self._lock = threading.Lock()
        self._file: IO[bytes] | None = open(path, "wb", buffering=0)  # noqa: SIM115 - closed by finish
        self._last = b""
        self._line: list[bytes] = []
        self._length = 0

    def run(self) -> None:
        """Read until all who could write are gone."""
        assert self.stream is not None
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(self.stream.fileno(), _PIECE):
                self._look(piece)
                with self._lock:
                    if self._file is None:
                        return
                    self._take(piece)

    def _look(self, piece: bytes) -> None:
        """Only the last line of all counts: what goes on after a final event has not ended."""
        if not piece.strip():
            ends = self._length > 0 and b"\n" in piece
        else:
            self.final = None
            before, newline, rest = piece.rpartition(b"\n")
            if newline and not rest:
                # The last whole line: from the line break before it, or from what came before this piece.
                *_, own = before.rpartition(b"\n")
                self._line = [own] if b"\n" in before else [*self._line, before]
            else:
                self._line = [rest] if newline else [*self._line, rest]
            self._length = sum(map(len, self._line))
            ends = bool(newline) and not rest
            if self._length > MAX_LINE:
                self._line, ends = [], False
        if ends:
            if self._line and is_final(b"".join(self._line)):
                self.final = time.monotonic()
            self._line, self._length = [], 0

    def _take(self, piece: bytes) -> None:
        assert self._file is not None
        self._seen += len(piece)
        head = piece[: max(0, self._head - self._kept)]
        if head and not self._tail:
            lines = head.count(b"\n")
            if self._kept_lines + lines > self._lines:
                # What goes beyond is tail from here on.
                keep = b"\n".join(head.split(b"\n", self._lines - self._kept_lines)[:-1])
                head = keep + b"\n" if keep else b""
                self._head = self._kept + len(head)
                lines = head.count(b"\n")
            with contextlib.suppress(OSError):  # a full disk costs output, not the run
                self._file.write(head)
            self._kept += len(head)
            self._kept_lines += lines
            self._last = head[-1:] or self._last
        else:
            head = b""
        self._tail += piece[len(head) :]
        if len(self._tail) > 2 * self._room + _PIECE:
            self._tail = self._tail[len(self._tail) - self._room :]

    def finish(self, seconds: float) -> None:
        """Write what is left; a line says how much is missing."""
        self.join(seconds)
        with self._lock:
            assert self._file is not None
            tail = self._tail[len(self._tail) - self._room :] if len(self._tail) > self._room else self._tail
            if tail.count(b"\n") > _FEW_LINES:
                tail = b"\n".join(tail.rsplit(b"\n", _FEW_LINES)[1:])
            cut = self._seen - self._kept - len(tail)
            with self._file as file, contextlib.suppress(OSError):
                if cut > 0:
                    line = f"[ppteval: {cut:,} bytes cut here]\n".encode()
                    file.write((b"" if self._last in (b"", b"\n") else b"\n") + line)
                file.write(tail)
            self._file = None
