"""The kernel's side of confinement, by ctypes: Landlock, capabilities, prctl and limits. No policy is decided here.

Everything a process does to itself with these functions is irreversible for it and for its children.
Importable everywhere; the calls work on Linux only, apart from `set_limits`.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import stat
import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

assert sys.platform != "win32"  # for mypy: this module is for systems that fork

LINUX = sys.platform == "linux"
_O_PATH: int = getattr(os, "O_PATH", 0)  # Linux only
_libc = ctypes.CDLL(None, use_errno=True) if LINUX else None
if _libc is not None:
    # What each leaf's process calls is declared once: each page of memory that a call touches, the process copies.
    _prctl, _restrict = _libc["prctl"], _libc["syscall"]
    _prctl.argtypes = (ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong)
    _restrict.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_uint)
    _restrict.restype = ctypes.c_long
# By PyDLL, since the interpreter's lock must be held meanwhile.
_fork = ctypes.PyDLL(None, use_errno=True).fork if LINUX and sys.implementation.name == "cpython" else None

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_GET_DUMPABLE = 3
PR_GET_SECCOMP = 21
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

# Where there is a seccomp filter (seccomp.py): the kernel's number of the architecture, and its column in the tables.
ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

# Landlock's system calls have the same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULESET_VERSION = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_ALL_OF_ABI_1 = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FOR_FILES = EXECUTE | WRITE_FILE | READ_FILE | _TRUNCATE | _IOCTL_DEV
READ = READ_FILE | READ_DIR
# Everything in a folder that is one's own, apart from running programs, devices, sockets, pipes and symbolic links.
OWN = READ | WRITE_FILE | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | _REFER | _TRUNCATE
# The newest Landlock version whose rights this module knows; a newer kernel is used as if it were this one.
NEWEST_ABI = 7


def _call(number: int, *arguments: object) -> int:
    assert _libc is not None
    _libc.syscall.restype = ctypes.c_long
    return _checked(_libc.syscall(ctypes.c_long(number), *arguments), f"system call {number}")


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), what)
    return result


def prctl(option: int, argument: int = 0, pointer: object = None) -> int:
    """prctl(2); raises OSError."""
    return _checked(_prctl(option, argument, pointer, 0, 0), f"prctl {option}")


def seccomp_listener(program: int) -> int:
    """Put this process under a filter, at an address; gives the descriptor by which the kernel asks, see seccomp.ASK.

    Raises OSError: before Linux 5.0, or where a filter of this process has a descriptor already.
    """
    set_mode_filter, new_listener = 1, 8
    number = (317, 277)[ARCHITECTURES[platform.machine()][1]]
    return _call(number, ctypes.c_ulong(set_mode_filter), ctypes.c_ulong(new_listener), ctypes.c_void_p(program))


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent, `parent`, dies; exits at once where it died already."""
    if LINUX:
        prctl(PR_SET_PDEATHSIG, 9)
    if os.getppid() != parent:
        os._exit(71)


# ---------------------------------------------------------------------------------------------------------- Landlock


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"  # Python 3.14 asks for it beside _pack_; earlier versions ignore it
    _fields_ = (("allowed", ctypes.c_uint64), ("fd", ctypes.c_int32))


def _handled(abi: int) -> tuple[int, int, int]:
    """What a ruleset of this version forbids by default: file access, network access, scopes."""
    files = _ALL_OF_ABI_1
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV)):
        if abi >= since:
            files |= right
    network = 0b11 if abi >= 4 else 0  # bind and connect TCP
    scopes = 0b11 if abi >= 6 else 0  # abstract Unix sockets, signals
    return files, network, scopes


def landlock_ruleset(rules: Mapping[str, int], abi: int) -> int:
    """A descriptor of a ruleset that forbids everything `abi` knows, apart from `rules`: path -> rights.

    Paths that don't exist are left out. Rights that only make sense on directories are dropped for files.
    """
    files, network, scopes = _handled(abi)
    attributes = struct.pack("QQQ", files, network, scopes)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = _call(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint(0))
    try:
        for path, rights in rules.items():
            try:
                fd = os.open(path, _O_PATH | os.O_CLOEXEC)
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                continue
            try:
                grant(ruleset, fd, rights & files)
            finally:
                os.close(fd)
    except BaseException:
        os.close(ruleset)
        raise
    return ruleset


def grant(ruleset: int, fd: int, rights: int) -> None:
    """Add `rights` on what the descriptor `fd` stands for to a ruleset."""
    if not stat.S_ISDIR(os.fstat(fd).st_mode):
        rights &= _FOR_FILES
    rule = _PathBeneath(rights, fd)
    _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(1), ctypes.byref(rule), ctypes.c_uint(0))


def grant_file(ruleset: int, path: str) -> None:
    """Allow reading the regular file at `path`, and nothing else: a symbolic link would grant what it points to."""
    fd = os.open(path, _O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        if stat.S_ISREG(os.fstat(fd).st_mode):
            grant(ruleset, fd, READ_FILE)
    finally:
        os.close(fd)


def grant_readable(ruleset: int, path: str) -> None:
    """Allow reading the regular file at `path`, or the files of the folder there, without listing it. No links."""
    fd = os.open(path, _O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        if stat.S_ISREG(os.fstat(fd).st_mode) or stat.S_ISDIR(os.fstat(fd).st_mode):
            grant(ruleset, fd, READ_FILE)
    finally:
        os.close(fd)


def landlock_restrict(ruleset: int) -> None:
    """Put this process under a ruleset. Its children inherit it, and no process may leave it."""
    _checked(_restrict(_RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")


def landlock_abi() -> int:
    """The newest Landlock version that the kernel accepts and this module knows; 0 for none.

    The number that the kernel names is only where the search starts: some backports promise more than they have.
    """
    if not LINUX or sys.maxsize < 2**32:
        return 0
    try:
        named = _call(_CREATE_RULESET, ctypes.c_void_p(0), ctypes.c_size_t(0), ctypes.c_uint(_RULESET_VERSION))
    except OSError:
        return 0
    for abi in range(min(named, NEWEST_ABI), 0, -1):
        try:
            os.close(landlock_ruleset({}, abi))
        except OSError as error:
            if error.errno != errno.EINVAL:
                return 0
        else:
            return abi
    return 0


def seccomp_missing() -> str:
    """Why there can be no filter here, or "" if there can."""
    if not LINUX:
        return f"{platform.system() or sys.platform} has no seccomp"
    if platform.machine() not in ARCHITECTURES or sys.byteorder != "little" or sys.maxsize < 2**32:
        return f"no seccomp filter for {platform.machine()}"
    try:
        prctl(PR_GET_SECCOMP)  # EINVAL where the kernel was built without
    except OSError:
        return "the kernel has no seccomp"
    return ""


# ------------------------------------------------------------------------------------------- capabilities and limits


def drop_capabilities() -> None:
    """Give up every capability: root's uid alone opens no door that its files' modes don't."""
    header = struct.pack("Ii", 0x20080522, 0)
    number = 126 if platform.machine() == "x86_64" else 91
    _call(number, header, struct.pack("6I", 0, 0, 0, 0, 0, 0))


def set_limits(**limits: int | tuple[int, int]) -> None:
    """setrlimit by name: `AS=2 << 30`, or `CPU=(soft, hard)`. Never raises a limit."""
    apply_limits(allowed_limits(**limits))


def apply_limits(limits: list[tuple[int, tuple[int, int]]]) -> None:
    """Set what `allowed_limits` gave, perhaps to a process that this one was forked from."""
    import resource

    for number, pair in limits:
        if LINUX:
            resource.setrlimit(number, pair)
        else:
            # macOS refuses some of them (AS); docs/sandbox.md says so.
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(number, pair)


def allowed_limits(**limits: int | tuple[int, int]) -> list[tuple[int, tuple[int, int]]]:
    """The limits by number, none above what this process may have; unknown names are left out."""
    import resource

    found = []
    for name, value in limits.items():
        number = getattr(resource, f"RLIMIT_{name}", None)
        if number is None:
            continue
        soft, hard = value if isinstance(value, tuple) else (value, value)
        _, present = resource.getrlimit(number)
        if present != resource.RLIM_INFINITY:
            soft, hard = min(soft, present), min(hard, present)
        found.append((number, (soft, hard)))
    return found


# --------------------------------------------------------------------------------------------------------- processes


def fork() -> int:
    """os.fork() for a process of a single thread, which needs nothing of what Python does around it.

    That is to make locks anew that other threads might hold, and to seed `random`, which each leaf does itself. It
    would have every child copy 200 pages, which takes longer than the fork. Raises OSError.
    """
    return os.fork() if _fork is None else _checked(_fork(), "fork")


def open_children() -> int | None:
    """A descriptor that lists the children of this (single-threaded) process, even when /proc is out of reach."""
    if not LINUX:
        return None
    try:
        return os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def children(fd: int | None) -> frozenset[int]:
    """The process ids that `open_children`'s descriptor lists; empty where there is none."""
    if fd is None:
        return frozenset()
    try:
        return frozenset(map(int, os.pread(fd, 1 << 20, 0).split()))
    except (OSError, ValueError):
        return frozenset()
