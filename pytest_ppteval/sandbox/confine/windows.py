"""Windows: a Job Object around a leaf's process. Untried by this project's own tests, which run on Linux.

It limits; it does not confine: files and the network are as open as they are to the user. So the level is "weak".
"""

from __future__ import annotations

import ctypes
import sys

# JOB_OBJECT_LIMIT_...: PROCESS_TIME, ACTIVE_PROCESS, PROCESS_MEMORY, DIE_ON_UNHANDLED_EXCEPTION, KILL_ON_JOB_CLOSE.
PROCESS_TIME, ACTIVE_PROCESS, PROCESS_MEMORY, DIE_ON_EXCEPTION, KILL_ON_CLOSE = 0x2, 0x8, 0x100, 0x400, 0x2000
# JOB_OBJECT_UILIMIT_...: windows of others, clipboard, system settings, display, desktops, shutting down.
UI_RESTRICTIONS = 0xFF
_BASIC_UI_RESTRICTIONS, _EXTENDED_LIMIT_INFORMATION = 4, 9  # JOBOBJECTINFOCLASS


class _BasicLimits(ctypes.Structure):
    # Widths by number: the names of ctypes.wintypes have others on other systems, where this is tested.
    _fields_ = (
        ("per_process_user_time", ctypes.c_int64),
        ("per_job_user_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("minimum_working_set", ctypes.c_size_t),
        ("maximum_working_set", ctypes.c_size_t),
        ("active_processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority_class", ctypes.c_uint32),
        ("scheduling_class", ctypes.c_uint32),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("basic", _BasicLimits),
        ("io", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


def limits(cpu: int, memory: int) -> ExtendedLimits:
    """One process, which dies with the job's handle, of so many seconds of processor time and bytes of memory."""
    found = ExtendedLimits()
    found.basic.flags = PROCESS_TIME | ACTIVE_PROCESS | PROCESS_MEMORY | DIE_ON_EXCEPTION | KILL_ON_CLOSE
    found.basic.per_process_user_time = cpu * 10_000_000  # in units of 100 ns
    found.basic.active_processes = 1
    found.process_memory = memory
    return found


def level_detail() -> str:
    """What the level rests on, where processes are not forked."""
    if sys.platform == "win32":
        return "a Job Object a leaf: limits, no programs; files and network as yours"
    return "an interpreter a leaf, with limits; files, network and programs as yours"


if sys.platform == "win32":
    from ctypes import wintypes

    class Job:
        """A Job Object. Closing it ends the process within."""

        def __init__(self, process: int, cpu: int, memory: int) -> None:
            """Put the process with this handle into a new job. Raises OSError; the process is then not limited."""
            kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            kernel.CreateJobObjectW.restype = wintypes.HANDLE
            kernel.CreateJobObjectW.argtypes = (wintypes.LPVOID, wintypes.LPCWSTR)
            kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, wintypes.LPVOID, wintypes.DWORD)
            kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
            kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
            self._kernel = kernel
            self._handle = kernel.CreateJobObjectW(None, None)
            if not self._handle:
                raise ctypes.WinError(ctypes.get_last_error())
            try:
                self._set(_EXTENDED_LIMIT_INFORMATION, limits(cpu, memory))
                self._set(_BASIC_UI_RESTRICTIONS, ctypes.c_uint32(UI_RESTRICTIONS))
                if not kernel.AssignProcessToJobObject(self._handle, process):
                    raise ctypes.WinError(ctypes.get_last_error())
            except OSError:
                self.close()
                raise

        def _set(self, kind: int, value: ctypes.Structure | ctypes.c_uint32) -> None:
            if not self._kernel.SetInformationJobObject(self._handle, kind, ctypes.byref(value), ctypes.sizeof(value)):
                raise ctypes.WinError(ctypes.get_last_error())

        def close(self) -> None:
            """Let go of the job, and so end its process."""
            handle, self._handle = self._handle, None
            if handle:
                self._kernel.CloseHandle(handle)
