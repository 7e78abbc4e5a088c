"""How a run of the built-in agent ends."""

from __future__ import annotations

from typing import NamedTuple

FINISHED = 0
FAILED = 1
# EX_TEMPFAIL of sysexits.h: nothing can be said about the agent.
INFRASTRUCTURE = 75


class Trouble(Exception):  # noqa: N818 - it names a state
    """Infrastructure trouble: no run that could be judged. Its text is the reason, in one line, without the key."""


class GivenUpError(Exception):
    """The agent can't go on: the conversation has grown too long, ... Its text is the reason."""


class Ending(NamedTuple):
    """code: FINISHED or FAILED. reason: why, in one line; "" where finished."""

    code: int
    reason: str = ""
