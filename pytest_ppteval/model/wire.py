"""What the Messages API says beside an answer: what it took, and how long a server asks to wait."""

from __future__ import annotations

import contextvars
import queue
import threading
from typing import TYPE_CHECKING, Any

from pytest_ppteval.model.question import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# After these, and after 5xx, the SDK waits as a server asks and sends the question again.
_WAITED_AFTER = (408, 409, 429)


def tokens_of(usage: Mapping[str, Any]) -> Tokens | None:
    """The tokens that an answer's `usage` tells; None where it doesn't."""

    def number(name: str) -> int | None:
        value = usage.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

    sent, answered = number("input_tokens"), number("output_tokens")
    if sent is None or answered is None:
        return None
    return Tokens(
        input=sent,
        output=answered,
        cache_read=number("cache_read_input_tokens") or 0,
        cache_write=number("cache_creation_input_tokens") or 0,
    )


def within(seconds: float, late: Callable[[], Exception]) -> Callable[..., Any]:
    """Middleware for the SDK, whose own limit is on each single read: an attempt as a whole may take that long.

    A server that sends a byte now and then would hold a leaf for ever. What it goes on sending is left to a thread that
    ends with its connection, or with the process. late: makes the exception that is raised then.
    """

    def middleware(request: Any, call_next: Callable[[Any], Any]) -> Any:
        answered: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

        def attempt() -> None:
            try:
                answered.put((call_next(request), None))
            except BaseException as error:  # raised again by whoever asked
                answered.put((None, error))

        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(attempt,), daemon=True, name="ppteval-model").start()
        try:
            response, error = answered.get(timeout=seconds)
        except queue.Empty:
            raise late() from None
        if error is not None:
            raise error
        return response

    return middleware


def no_long_waits(longest: float, refuse: Callable[[str], Exception]) -> Callable[..., Any]:
    """Middleware for the SDK, which waits as long as a server asks it to: no run should stand still for hours.

    longest: seconds. refuse: makes the exception that is raised instead of a longer wait, of its reason.
    """

    def middleware(request: Any, call_next: Callable[[Any], Any]) -> Any:
        response = call_next(request)
        if response.status_code in _WAITED_AFTER or response.status_code >= 500:
            try:
                wait = float(response.headers.get("retry-after", 0))
            except ValueError:
                wait = 0
            if wait > longest:
                raise refuse(f"the server asks to wait {wait:g} s ({response.status_code}), longer than {longest:g} s")
        return response

    return middleware
