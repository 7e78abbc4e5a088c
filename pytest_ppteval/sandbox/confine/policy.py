"""How far this machine can confine a rubric's code, and what the user asked for. Cheap: starts no process.

Named tuples instead of dataclasses, which take a millisecond each to define, in every run of pytest.
"""

from __future__ import annotations

import os
import platform
import sys
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

Mode = Literal["auto", "require", "off"]
Layer = Literal["landlock", "seccomp"]
LAYERS: tuple[Layer, ...] = get_args(Layer)

# For tests of the weaker levels: a comma-separated subset of LAYERS ("none" for the empty one), and a Landlock version
# to step down to. They can only take layers away, and the level tells.
LAYERS_VARIABLE = "PPTEVAL_SANDBOX_LAYERS"
ABI_VARIABLE = "PPTEVAL_SANDBOX_LANDLOCK_ABI"
# "plain" for processes without fork, as on Windows.
PROCESSES_VARIABLE = "PPTEVAL_SANDBOX_PROCESSES"


class SandboxUnavailable(RuntimeError):  # noqa: N818 - it names a state of the machine
    """Full confinement was required, and this machine doesn't have it."""


class Level(NamedTuple):
    """How far a leaf is confined.

    name: "full" = Landlock and seccomp; "partial" = one of them, or macOS' Seatbelt; "weak" = neither, only separate
        processes with limits and a clean environment; "off" = as weak, and by the user's own wish.
    detail: what it rests on, or what is missing and why.
    """

    name: Literal["full", "partial", "weak", "off"]
    detail: str

    def __str__(self) -> str:
        return f"{self.name} ({self.detail})"


class Plan(NamedTuple):
    """What the sandbox's processes apply to themselves.

    landlock: the Landlock version to use, 0 for none. seccomp: whether to load a filter. seatbelt: macOS' own profile.
    privileges: whether to give up privileges (no_new_privs, capabilities); not in mode "off".
    fork: whether a task's processes are forked; else each leaf gets an interpreter that is started for it.
    share: whether leaves that provably leave no trace may have a process in common.
    """

    landlock: int = 0
    seccomp: bool = False
    seatbelt: bool = False
    privileges: bool = True
    fork: bool = True
    share: bool = False


def probe(mode: Mode, *, layers: Iterable[Layer] | None = None, max_landlock_abi: int | None = None) -> Level:
    """The level that this machine reaches.

    Raises SandboxUnavailable for mode "require" where that is not "full".
    """
    return make_plan(mode, layers=layers, max_landlock_abi=max_landlock_abi)[1]


def make_plan(
    mode: Mode, *, layers: Iterable[Layer] | None = None, max_landlock_abi: int | None = None
) -> tuple[Plan, Level]:
    """What to apply, and what that amounts to. Raises SandboxUnavailable, see `probe`."""
    if mode not in get_args(Mode):
        raise ValueError(f"sandbox mode {mode!r}: use one of {', '.join(get_args(Mode))}")
    plan, level = _plan_off() if mode == "off" else _plan(layers, max_landlock_abi)
    if mode == "require" and level.name != "full":
        raise SandboxUnavailable(
            f"sandbox required, but only {level} here: run on Linux 5.13 or later (x86_64 or aarch64) with Landlock "
            "enabled (CONFIG_SECURITY_LANDLOCK, and landlock in the lsm= boot list), or accept this level with "
            "--ppteval-sandbox=auto"
        )
    return plan, level


def _plan_off() -> tuple[Plan, Level]:
    return (
        Plan(privileges=False, fork=_can_fork(), share=True),
        Level("off", "rubric code can read, write and connect as you can"),
    )


def _can_fork() -> bool:
    chosen = os.environ.get(PROCESSES_VARIABLE)
    if chosen not in (None, "", "plain"):
        raise ValueError(f"{PROCESSES_VARIABLE}={chosen}: use plain, or leave it out")
    return sys.platform != "win32" and not chosen


def _plan(layers: Iterable[Layer] | None, max_landlock_abi: int | None) -> tuple[Plan, Level]:
    """What this machine has."""
    if sys.platform == "win32" or not _can_fork():
        from pytest_ppteval.sandbox.confine.windows import level_detail

        return Plan(fork=False, share=True), Level("weak", level_detail())
    if sys.platform == "darwin":
        from pytest_ppteval.sandbox.confine import macos

        wanted = _layers_wanted() if layers is None else tuple(layers)
        missing = macos.missing() if wanted else "switched off"
        if missing:
            return Plan(), Level("weak", f"no Seatbelt: {missing}: separate processes only")
        return Plan(seatbelt=True), Level("partial", macos.DETAIL)
    # ctypes is not free, and a run with mode "off" does without.
    from pytest_ppteval.sandbox.confine import linux

    kinds = frozenset(_layers_wanted() if layers is None else layers)
    if max_landlock_abi is None:
        max_landlock_abi = int(os.environ.get(ABI_VARIABLE) or linux.NEWEST_ABI)
    abi = min(linux.landlock_abi(), max_landlock_abi) if "landlock" in kinds else 0
    without = linux.seccomp_missing() if "seccomp" in kinds else "switched off"
    plan = Plan(abi, not without)
    landlock_text = f"Landlock ABI {abi}" if abi else f"no Landlock: {_why_no_landlock(kinds)}"
    seccomp_text = "seccomp" if not without else f"no seccomp: {without}"
    if abi and not without:
        return plan, Level("full", f"{landlock_text}, {seccomp_text}")
    if abi or not without:
        return plan, Level("partial", f"{landlock_text}, {seccomp_text}")
    return plan, Level("weak", f"{landlock_text}, {seccomp_text}: separate processes only")


def _layers_wanted() -> tuple[Layer, ...]:
    text = os.environ.get(LAYERS_VARIABLE)
    if not text:
        return LAYERS
    names = {name.strip() for name in text.split(",")}
    unknown = names - {*LAYERS, "none"}
    if unknown:
        raise ValueError(f"{LAYERS_VARIABLE}={text}: {sorted(unknown)[0]!r} is none of {', '.join(LAYERS)}, none")
    return tuple(layer for layer in LAYERS if layer in names)


def _why_no_landlock(wanted: frozenset[Layer]) -> str:
    if "landlock" not in wanted:
        return "switched off"
    return f"the kernel ({platform.release()}) has none enabled"
