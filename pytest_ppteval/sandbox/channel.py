"""Messages between the host and the sandbox's processes: four bytes of length, then JSON. Used on both sides.

No pickle: what comes out of the sandbox may be hostile. Whoever receives names a limit and a deadline.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Message = dict[str, object]
_CHUNK = 1 << 20
# Of a message that may be hostile: signs that a value follows, each of which takes time and memory to read; and
# characters of a number. What a leaf's process itself sends is text in a few values: the signs in it count, too.
_MOST_VALUES = 500_000
_LONGEST_NUMBER = 40
_ENCODER = json.JSONEncoder(separators=(",", ":"))


class BrokenMessageError(Exception):
    """What arrived is no message, or too long a one."""


def send(sock: socket.socket, message: Message, fds: Sequence[int] = (), *, deadline: float | None = None) -> None:
    """Send a message, with copies of the descriptors `fds`. `deadline` is on time.monotonic's clock.

    Raises TimeoutError when the other side does not read, ConnectionError when it is gone.
    """
    body = _ENCODER.encode(message).encode("ascii")
    data = len(body).to_bytes(4, "big") + body
    sock.settimeout(None if deadline is None else _left(deadline))
    if fds:
        if sys.platform == "win32":
            raise NotImplementedError
        sent = socket.send_fds(sock, [data], list(fds))
        data = data[sent:]
    if data:
        sock.sendall(data)


def receive(sock: socket.socket, *, limit: int, deadline: float | None = None, hostile: bool = False) -> Message:
    """The next message, of at most `limit` bytes. hostile: written by a leaf, so that it is read within bounds.

    Raises BrokenMessageError, TimeoutError, EOFError when the other side is gone, or another ConnectionError.
    """
    size = int.from_bytes(_exactly(sock, 4, deadline), "big")
    return _decode(sock, size, limit, deadline, hostile=hostile)


def receive_with_fds(sock: socket.socket, *, limit: int, count: int) -> tuple[Message, list[int]]:
    """As `receive`, without a deadline, with the descriptors that came along: exactly `count` or none."""
    if sys.platform == "win32":
        raise NotImplementedError
    head, fds, _, _ = socket.recv_fds(sock, 4, count)
    if not head:
        raise EOFError
    try:
        head += _exactly(sock, 4 - len(head), None)
        message = _decode(sock, int.from_bytes(head, "big"), limit, None)
        if len(fds) not in (0, count):
            raise BrokenMessageError(f"{len(fds)} descriptors")
    except BaseException:
        for fd in fds:
            os.close(fd)
        raise
    return message, list(fds)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _exactly(sock: socket.socket, size: int, deadline: float | None) -> bytearray:
    parts = bytearray()
    while len(parts) < size:
        sock.settimeout(None if deadline is None else _left(deadline))
        chunk = sock.recv(min(size - len(parts), _CHUNK))
        if not chunk:
            raise EOFError
        parts += chunk
    return parts


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _whole(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError("too long a number")
    return int(text)


def _decimal(text: str) -> float:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError("too long a number")
    return float(text)


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
_CAREFUL_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_int=_whole, parse_float=_decimal)


def _decode(sock: socket.socket, size: int, limit: int, deadline: float | None, *, hostile: bool = False) -> Message:
    if size > limit:
        raise BrokenMessageError(f"a message of {size} bytes, the limit is {limit}")
    data = _exactly(sock, size, deadline)
    if hostile and sum(map(data.count, (b"[", b"{", b","))) > _MOST_VALUES:
        raise BrokenMessageError(f"a message of more than {_MOST_VALUES} values")
    try:
        text = data.decode("ascii")  # as `send` writes it
        del data
        message, end = (_CAREFUL_DECODER if hostile else _DECODER).raw_decode(text)
        if end != len(text):
            raise ValueError("more than one value")
    except (ValueError, RecursionError, MemoryError) as error:
        raise BrokenMessageError(f"a message that is not JSON ({type(error).__name__})") from None
    if not isinstance(message, dict) or not isinstance(message.get("t"), str):
        raise BrokenMessageError("a message without a type")
    return message
