"""Leaves that run before it is their turn to be heard: which there are, and which of them still work."""

from __future__ import annotations

import select
import sys
import time
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable

    from pytest_ppteval.sandbox.hosting.dialogue import Dialogue
    from pytest_ppteval.sandbox.hosting.seam import Place
    from pytest_ppteval.sandbox.job import Job


class Begun(NamedTuple):
    """A leaf that runs: its job, process and dialogue, and whether its process takes another leaf after it.

    blindly: before it was known that the decks can be opened.
    """

    job: Job
    place: Place
    dialogue: Dialogue
    shares: bool
    blindly: bool


class Beside(Protocol):
    """What may run beside the leaves of the task that is judged: those of the next one."""

    def working(self) -> list[socket.socket]:
        """The channels of those that still work."""

    def begin(self, places: int) -> None:
        """Have so many more of them begin."""


class Early:
    """The leaves of a task that run ahead, in the order in which they began."""

    def __init__(self) -> None:
        self._begun: list[Begun] = []

    def __len__(self) -> int:
        return len(self._begun)

    def has(self, job: Job) -> bool:
        """Whether this leaf is one of them."""
        return any(begun.job == job for begun in self._begun)

    def add(self, begun: Begun) -> None:
        """One more has begun."""
        self._begun.append(begun)

    def take(self, job: Job) -> tuple[Begun | None, list[Begun]]:
        """This leaf, if it is one of them, with those begun before it: they were not asked for after all."""
        for place, begun in enumerate(self._begun):
            if begun.job == job:
                passed, self._begun = self._begun[:place], self._begun[place + 1 :]
                return begun, passed
        return None, []

    def working(self) -> list[socket.socket]:
        """The channels of those that have not said anything yet. One that asks for something waits for its turn."""
        return silent([begun.place.channel for begun in self._begun])

    def forget(self) -> None:
        """Let go of all of them."""
        begun, self._begun = self._begun, []
        for one in begun:
            one.place.close()


def silent(channels: list[socket.socket]) -> list[socket.socket]:
    """Those of the channels over which nothing has come, and which are open still."""
    said = _ready(channels, 0) if channels else set()
    return [channel for channel in channels if channel.fileno() not in said]


def heard(channel: socket.socket, others: Iterable[socket.socket], deadline: float) -> bool:
    """Wait until something has come over a channel, or the others. Whether it was that one, or time is up.

    deadline: on time.monotonic's clock.
    """
    said = _ready([channel, *others], max(0.0, deadline - time.monotonic()))
    return not said or channel.fileno() in said


def _ready(channels: Iterable[socket.socket], seconds: float) -> set[int]:
    if sys.platform == "win32":  # where no leaf runs ahead
        raise NotImplementedError
    poll = select.poll()
    for channel in channels:
        poll.register(channel, select.POLLIN)
    return {fd for fd, _ in poll.poll(seconds * 1000)}
