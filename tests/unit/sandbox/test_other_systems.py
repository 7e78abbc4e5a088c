"""macOS' profile and Windows' Job Object: what of them can be looked at on Linux."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.sandbox.confine import macos, policy, windows

if TYPE_CHECKING:
    from pathlib import Path


def test_the_profile_denies_all_but_reading_what_it_names(tmp_path: Path) -> None:
    library, pictures = tmp_path / "lib", tmp_path / "pictures"
    for folder in (library, pictures):
        folder.mkdir()
    deck, link, file = tmp_path / 'a "deck" \\.pptx', tmp_path / "link.pptx", tmp_path / "picture.png"
    deck.write_bytes(b"x")
    file.write_bytes(b"x")
    link.symlink_to(deck)
    lines = macos.profile(
        [str(library)], [str(deck), str(link), str(tmp_path / "missing.pptx")], [str(pictures), str(file)]
    ).splitlines()
    assert lines[:2] == ["(version 1)", "(deny default)"]
    real = tmp_path.resolve()
    assert lines[-4:] == [
        f'(allow file-read* (subpath "{real}/lib"))',
        f'(allow file-read* (literal "{real}/a \\"deck\\" \\\\.pptx"))',
        f'(allow file-read* (subpath "{real}/pictures"))',
        f'(allow file-read* (literal "{real}/picture.png"))',
    ]
    allowed = {line.split()[1].rstrip(")") for line in lines[2:]}
    assert allowed == {"process-fork", "signal", "sysctl-read", "file-read-metadata", "file-read*", "file-write-data"}
    assert [line for line in lines if "file-write" in line] == ['(allow file-write-data (literal "/dev/null"))']


@pytest.mark.skipif(sys.platform == "darwin", reason="has it")
def test_seatbelt_cannot_be_had_elsewhere() -> None:
    assert macos.missing().startswith("sandbox_init cannot be had (")


def test_macos_gets_seatbelt_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(macos, "missing", lambda: "")
    plan, level = policy.make_plan("auto")
    assert (plan.seatbelt, plan.fork, plan.share, plan.landlock, plan.seccomp) == (True, True, False, 0, False)
    assert level == policy.Level("partial", macos.DETAIL)
    with pytest.raises(policy.SandboxUnavailable, match="only partial"):
        policy.make_plan("require")
    assert not policy.make_plan("off")[0].seatbelt
    monkeypatch.setattr(macos, "missing", lambda: "sandbox_init cannot be had (x)")
    plan, level = policy.make_plan("auto")
    assert (plan.seatbelt, level.name) == (False, "weak")
    assert "sandbox_init cannot be had (x)" in level.detail


def test_windows_gets_an_interpreter_a_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    plan, level = policy.make_plan("auto")
    assert (plan.fork, plan.share, level.name) == (False, True, "weak")
    assert level.detail == "a Job Object a leaf: limits, no programs; files and network as yours"
    plan, level = policy.make_plan("off")
    assert (plan.fork, level.name) == (False, "off")


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the sizes are those of 64-bit Windows")
def test_the_job_objects_limits_have_windows_layout() -> None:
    """The sizes and offsets that winnt.h gives on 64-bit Windows."""
    assert ctypes.sizeof(windows.ExtendedLimits) == 144
    basic = windows.limits(60, 2 << 30).basic
    offsets = {name: getattr(type(basic), name).offset for name, *_ in type(basic)._fields_}
    assert (offsets["flags"], offsets["active_processes"], offsets["priority_class"]) == (16, 40, 56)
    assert windows.ExtendedLimits.process_memory.offset == 112


def test_what_the_job_object_limits() -> None:
    limits = windows.limits(60, 2 << 30)
    assert limits.basic.per_process_user_time == 600_000_000  # units of 100 ns
    assert limits.basic.active_processes == 1
    assert limits.process_memory == 2 << 30
    # Time, number and memory of processes; die on an exception; die with the handle.
    assert limits.basic.flags == 0x2 | 0x8 | 0x100 | 0x400 | 0x2000
