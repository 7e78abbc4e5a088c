"""What a leaf needs of the sandbox's processes, told from its code. Pure."""

from __future__ import annotations

import enum
import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_ppteval.sandbox.source.code import imports_of
from pytest_ppteval.sandbox.text import one_line

if TYPE_CHECKING:
    from pytest_ppteval.sandbox.job import Job

# A leaf is asked about when it is foreseen, when it begins and when it is heard.
_REMEMBERED = 256


class Diff(enum.IntEnum):
    """How much of the diff a task's process has ready for the leaves that it forks."""

    NONE = 0
    PLAIN = 1
    WITH_ACCOUNT = 2


def named(job: Job) -> Job:
    """The job under a name that is fit to be shown."""
    name = file_name(job.name)
    return job if name == job.name else replace(job, name=name)


@functools.lru_cache(_REMEMBERED)
def file_name(name: str) -> str:
    """The name that a leaf's code has in tracebacks."""
    return one_line(name, 200)


@functools.lru_cache(_REMEMBERED)
def may_use_diff(code: str) -> Diff:
    """What a leaf may look at: rather too much than too little."""
    if "account" in code or "only_changed" in code:
        return Diff.WITH_ACCOUNT
    # By name, or by a name made up at run time. An account that is asked for in other ways is made when it is.
    found = "diff" in code or any(word in code for word in ("globals", "vars(", "eval", "exec", "locals"))
    return Diff.PLAIN if found else Diff.NONE


def uses_numpy(code: str) -> bool:
    """Whether it imports numpy, whose random numbers are then fixed."""
    return "numpy" in code and any(name.partition(".")[0] == "numpy" for name in imports_of(code))
