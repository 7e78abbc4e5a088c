"""The system calls that a leaf may make, as a seccomp filter.

An allow-list: whatever is not named fails with EPERM, so that Python raises PermissionError instead of dying. The
profiles: "leaf" for a rubric's code; "keeper" for the process that parses the decks and forks the leaves, which may
also fork, wait, signal and confine its children further; "holder" and "zygote" for those that keepers are forked from,
which may make Landlock's rules, too, and the last give up capabilities; "renderer" for the one that draws slides
(picture/), which may also write files, where Landlock lets it, and has no sockets; and "agent" for the code of the
built-in agent (agent/builtin), which may write files in the same way. Landlock must stand beside these two.

The filter is a binary search over the numbers, not a list: the kernel runs a new filter once for every number to find
those that it always allows, and that would be most of the cost of starting a leaf.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from typing import Literal

assert sys.platform != "win32"  # for mypy: this module is for systems that fork

from pytest_ppteval.sandbox.confine.linux import ARCHITECTURES, PR_SET_SECCOMP, prctl, seccomp_listener  # noqa: E402 - see above

Profile = Literal["leaf", "keeper", "holder", "zygote", "renderer", "agent"]

# name: (x86_64, aarch64), None where the architecture has no such call.
_ALLOWED: dict[str, tuple[int | None, int | None]] = {
    # memory, threads, time
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214), "mremap": (25, 216),
    "msync": (26, 227), "mincore": (27, 232), "madvise": (28, 233), "futex": (202, 98), "futex_waitv": (449, 449),
    "membarrier": (324, 283), "rseq": (334, 293), "set_robust_list": (273, 99), "get_robust_list": (274, 100),
    "set_tid_address": (218, 96), "arch_prctl": (158, None), "restart_syscall": (219, 128), "sched_yield": (24, 124),
    "nanosleep": (35, 101), "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115),
    "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153), "getitimer": (36, 102),
    "setitimer": (38, 103), "alarm": (37, None), "timerfd_create": (283, 85),
    "timerfd_settime": (286, 86), "timerfd_gettime": (287, 87), "pause": (34, None),
    # signals to oneself
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137), "rt_sigsuspend": (130, 133), "sigaltstack": (131, 132),
    # reading files; writing to what is open already
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "stat": (4, None), "fstat": (5, 80), "lstat": (6, None),
    "lseek": (8, 62), "pread64": (17, 67), "pwrite64": (18, 68), "readv": (19, 65), "writev": (20, 66),
    "preadv": (295, 69), "pwritev": (296, 70), "preadv2": (327, 286), "pwritev2": (328, 287), "access": (21, None),
    "faccessat": (269, 48), "faccessat2": (439, 439), "newfstatat": (262, 79), "statx": (332, 291),
    "statfs": (137, 43), "fstatfs": (138, 44), "readlink": (89, None), "readlinkat": (267, 78),
    "getdents": (78, None), "getdents64": (217, 61), "getcwd": (79, 17), "chdir": (80, 49), "fchdir": (81, 50),
    "umask": (95, 166), "fsync": (74, 82), "fdatasync": (75, 83), "ftruncate": (77, 46),
    "fallocate": (285, 47), "readahead": (187, 213), "fadvise64": (221, 223), "sendfile": (40, 71),
    "splice": (275, 76), "copy_file_range": (326, 285), "close_range": (436, 436), "dup": (32, 23),
    "dup2": (33, None), "dup3": (292, 24), "pipe": (22, None), "pipe2": (293, 59),
    # waiting; talking over sockets that are open already (a new one can only be a socketpair)
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72), "epoll_create": (213, None),
    "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_wait": (232, None), "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441), "eventfd": (284, None), "eventfd2": (290, 19), "sendto": (44, 206),
    "recvfrom": (45, 207), "recvmsg": (47, 212), "shutdown": (48, 210),
    "getsockname": (51, 204), "getpeername": (52, 205), "getsockopt": (55, 209),
    # who and what am I
    "getpid": (39, 172), "gettid": (186, 178), "getppid": (110, 173), "getpgrp": (111, None), "getpgid": (121, 155),
    "getsid": (124, 156), "getuid": (102, 174), "getgid": (104, 176), "geteuid": (107, 175), "getegid": (108, 177),
    "getgroups": (115, 158), "getresuid": (118, 148), "getresgid": (120, 150), "uname": (63, 160),
    "sysinfo": (99, 179), "getrusage": (98, 165), "getrlimit": (97, 163), "getpriority": (140, 141),
    "sched_getparam": (143, 121), "sched_getscheduler": (145, 120), "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126), "sched_getaffinity": (204, 123), "getcpu": (309, 168),
    "getrandom": (318, 278),
    "exit": (60, 93), "exit_group": (231, 94),
}  # fmt: skip
# What leaves go without, since it uses up what is counted for the user and not for the process: descriptors on their
# way in a socket, POSIX timers (each holds a queued signal), locks of files.
_SENDMSG: dict[str, tuple[int | None, int | None]] = {"sendmsg": (46, 211)}
_COUNTED_BY_USER: dict[str, tuple[int | None, int | None]] = {
    **_SENDMSG, "timer_create": (222, 107), "timer_settime": (223, 110), "timer_gettime": (224, 108),
    "timer_delete": (226, 111), "flock": (73, 32), "setsockopt": (54, 208),
}  # fmt: skip
_KEEPER_TOO: dict[str, tuple[int | None, int | None]] = {
    **_SENDMSG,
    "clone": (56, 220), "fork": (57, None), "wait4": (61, 260), "waitid": (247, 95), "kill": (62, 129),
    "setsid": (112, 157), "prctl": (157, 167), "seccomp": (317, 277), "landlock_restrict_self": (446, 446),
    "setrlimit": (160, 164), "prlimit64": (302, 261), "tgkill": (234, 131),
}  # fmt: skip
_HOLDER_TOO: dict[str, tuple[int | None, int | None]] = {
    **_KEEPER_TOO, "landlock_create_ruleset": (444, 444), "landlock_add_rule": (445, 445),
}  # fmt: skip
_ZYGOTE_TOO: dict[str, tuple[int | None, int | None]] = {**_HOLDER_TOO, "capset": (126, 91)}
_RENDERER_TOO: dict[str, tuple[int | None, int | None]] = {
    **_COUNTED_BY_USER,
    "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None), "unlink": (87, None), "unlinkat": (263, 35),
    "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276), "truncate": (76, 45), "chmod": (90, None),
    "fchmod": (91, 52), "fchmodat": (268, 53), "utimensat": (280, 88), "open": (2, None), "openat": (257, 56),
    "creat": (85, None), "memfd_create": (319, 279),
}  # fmt: skip
# Memory files count against no limit. Modes and times are what Landlock does not guard, so that they are left as they
# are, everywhere; but the call says that it worked: shutil.copy and the like give up otherwise. For the same reason
# there are no attributes, as on file systems that have none.
_PRETENDED = ("chmod", "fchmod", "fchmodat", "utimensat")
_ATTRIBUTES: dict[str, tuple[int, int]] = {"listxattr": (194, 11), "llistxattr": (195, 12), "flistxattr": (196, 13)}
_AGENT_TOO = {
    name: numbers
    for name, numbers in _RENDERER_TOO.items()
    if name not in ("memfd_create", "truncate", "sendmsg", "timer_create", "setsockopt", *_PRETENDED)
}
# Allowed with some arguments only, see _conditions.
_CONDITIONAL: dict[str, tuple[int | None, int | None]] = {
    "ioctl": (16, 29), "clone": (56, 220), "fcntl": (72, 25), "prctl": (157, 167), "prlimit64": (302, 261),
    "socketpair": (53, 199), "openat": (257, 56), "open": (2, None), "tgkill": (234, 131),
}  # fmt: skip
_CLONE3 = 435
# Flags of clone.
_NEW_NAMESPACES, _THREAD = 0x7E020080, 0x00010000
# Commands of ioctl: TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# Commands of fcntl: F_DUPFD to F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ; F_GETLK to F_SETLKW.
_FCNTL, _LOCKS, _F_SETPIPE_SZ = (0, 1, 2, 3, 4, 1030, 1032), (5, 6, 7), 1031

_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
# What `gate` may give: have another process decide; or say that there is no room for it.
ASK, NO_ROOM = 0x7FC00000, _ERRNO | errno.EAGAIN
# Commands of ioctl by which that process does it: SECCOMP_IOCTL_NOTIF_RECV and SECCOMP_IOCTL_NOTIF_SEND.
RECEIVE, SEND = 0xC0502100, 0xC0182101
_DENY = _ERRNO | errno.EPERM
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_OWN_PID = 0x7A7A7A7A  # stands for the process id until a filter is loaded
_OWN_PID_BYTES = _OWN_PID.to_bytes(4, "little")

_Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant
_WRITES = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC | getattr(os, "O_TMPFILE", 0) & ~getattr(os, "O_DIRECTORY", 0)


def _argument(index: int) -> _Instruction:
    # The low half of a 64-bit argument: the kernel cuts int arguments in the same way.
    return (_LOAD, 0, 0, 16 + 8 * index)


def _returns(action: int) -> _Instruction:
    return (_RETURN, 0, 0, action)


def _one_of(index: int, *values: int) -> list[_Instruction]:
    """Allow where an argument has one of the values."""
    code = [_argument(index)]
    for value in values:
        code += [(_IF_EQUAL, 0, 1, value & 0xFFFFFFFF), _returns(_ALLOW)]
    return [*code, _returns(_DENY)]


def _masked(index: int, mask: int, value: int, then: int, otherwise: int) -> list[_Instruction]:
    return [
        _argument(index),
        (_AND, 0, 0, mask & 0xFFFFFFFF),
        (_IF_EQUAL, 0, 1, value),
        _returns(then),
        _returns(otherwise),
    ]


def _conditions(profile: Profile, landlock: int) -> dict[str, list[_Instruction]]:
    """What stands for the calls in _CONDITIONAL: code that inspects arguments and returns."""

    def opening(flags: int) -> list[_Instruction]:
        if landlock == 0:
            # Nothing else guards files: no file may be opened for writing, whoever it belongs to.
            return _masked(flags, _WRITES, 0, _ALLOW, _DENY)
        if landlock < 3:
            # Before version 3, Landlock lets O_RDONLY | O_TRUNC empty a file that may be read.
            return _masked(flags, os.O_TRUNC, 0, _ALLOW, _DENY)
        return [_returns(_ALLOW)]

    def emptying(flags: int) -> list[_Instruction]:
        if landlock >= 3:
            return [_returns(_ALLOW)]
        # As above, where writing is allowed: what is opened for writing Landlock has looked at.
        code = [_argument(flags), (_AND, 0, 0, os.O_ACCMODE | os.O_TRUNC)]
        for access in (os.O_WRONLY, os.O_RDWR):
            code += [(_IF_EQUAL, 0, 1, access | os.O_TRUNC), _returns(_ALLOW)]
        return [*code, (_AND, 0, 0, os.O_TRUNC), (_IF_EQUAL, 0, 1, 0), _returns(_ALLOW), _returns(_DENY)]

    conditions = {
        "ioctl": _one_of(1, *_IOCTL),
        "clone": _masked(0, _NEW_NAMESPACES | _THREAD, _THREAD, _ALLOW, _DENY),
        # Not F_SETOWN and F_SETSIG (signals to others), F_NOTIFY, seals; nor locks and the size of pipes.
        "fcntl": _one_of(1, *_FCNTL),
        # PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_VMA
        "prctl": _one_of(0, 15, 16, 3, 0x53564D41),
        "prlimit64": _one_of(0, 0),
        # AF_UNIX and SOCK_STREAM: asyncio's own wake-up pair
        "socketpair": [
            _argument(0),
            (_IF_EQUAL, 1, 0, 1),
            _returns(_DENY),
            *_masked(1, 0xF, 1, _ALLOW, _DENY),
        ],
        "openat": opening(2),
        "open": opening(1),
        "tgkill": _one_of(0, _OWN_PID),
    }
    if profile in ("keeper", "holder", "zygote"):
        for name in _KEEPER_TOO:
            conditions.pop(name, None)
        conditions["clone"] = _masked(0, _NEW_NAMESPACES, 0, _ALLOW, _DENY)
        conditions["ioctl"] = _one_of(1, *_IOCTL, RECEIVE, SEND)
    elif profile == "renderer":
        for name in _RENDERER_TOO:
            conditions.pop(name, None)
        conditions["fcntl"] = _one_of(1, *_FCNTL, *_LOCKS, _F_SETPIPE_SZ)
    elif profile == "agent":
        conditions |= {"openat": emptying(2), "open": emptying(1), "fcntl": _one_of(1, *_FCNTL, *_LOCKS)}
    return conditions


def build(profile: Profile, landlock: int) -> bytes:
    """The filter of a profile, to be loaded by `load`. `landlock` is the version that is used beside it, 0 for none."""
    arch, column = ARCHITECTURES[platform.machine()]
    deny, allow = [_returns(_DENY)], [_returns(_ALLOW)]
    by_number: dict[int, list[_Instruction]] = {}
    more = {
        "leaf": {},
        "keeper": _KEEPER_TOO,
        "holder": _HOLDER_TOO,
        "zygote": _ZYGOTE_TOO,
        "renderer": _RENDERER_TOO,
        "agent": _AGENT_TOO,
    }[profile]
    for table in (_ALLOWED, more):
        by_number.update({n[column]: allow for n in table.values() if n[column] is not None})  # type: ignore[misc]  # mypy doesn't narrow a subscript
    if profile == "agent":
        pretend = [_returns(_ERRNO)]
        by_number.update({n: pretend for name in _PRETENDED if (n := _RENDERER_TOO[name][column]) is not None})
        unsupported = [_returns(_ERRNO | errno.ENOTSUP)]
        by_number.update({numbers[column]: unsupported for numbers in _ATTRIBUTES.values()})
    for name, code in _conditions(profile, landlock).items():
        number = _CONDITIONAL[name][column]
        if number is not None:
            by_number[number] = code
    by_number[_CLONE3] = [_returns(_ERRNO | errno.ENOSYS)]  # its flags lie in memory; glibc falls back to clone
    # The numbers of the x32 calls are above all that the search finds.
    head: list[_Instruction] = [(_LOAD, 0, 0, 4), (_IF_EQUAL, 1, 0, arch), _returns(_KILL), (_LOAD, 0, 0, 0)]
    starts: list[int] = []
    bodies: list[list[_Instruction]] = []
    for number in range(max(by_number) + 2):
        body = by_number.get(number, deny)
        if not bodies or body is not bodies[-1]:
            starts.append(number)
            bodies.append(body)
    return _packed([*head, *_search(starts, bodies, 0, len(starts))])


def gate(action: int) -> bytes:
    """A filter that gives `action` for new threads and allows all else, to be loaded before another."""
    number = _CONDITIONAL["clone"][ARCHITECTURES[platform.machine()][1]]
    assert number is not None
    # Under another architecture's numbers this is some other call, which that other filter shuts.
    threads = _masked(0, _THREAD, _THREAD, action, _ALLOW)
    return _packed([(_LOAD, 0, 0, 0), (_IF_EQUAL, 1, 0, number), _returns(_ALLOW), *threads])


def _packed(program: list[_Instruction]) -> bytes:
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def _search(starts: list[int], bodies: list[list[_Instruction]], low: int, high: int) -> list[_Instruction]:
    """Binary search among the regions low..high, each of which begins at its start."""
    if high - low == 1:
        return bodies[low]
    middle = (low + high) // 2
    below, above = _search(starts, bodies, low, middle), _search(starts, bodies, middle, high)
    assert len(below) < 256, "a jump in a filter is one byte"
    return [(_IF_AT_LEAST, len(below), 0, starts[middle]), *below, *above]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


class Filter:
    """A program made ready, so that loading it costs little in each process that is forked from this one."""

    def __init__(self, program: bytes) -> None:
        self._code = ctypes.create_string_buffer(program, len(program))
        places = range(4, len(program), 8)  # of each instruction's operand
        start = ctypes.addressof(self._code)
        self._own = [start + at for at in places if program[at : at + 4] == _OWN_PID_BYTES]
        self._header = _Program(len(program) // 8, ctypes.cast(self._code, ctypes.c_void_p))
        self._address = ctypes.addressof(self._header)

    def load(self) -> None:
        """Put this process under the filter, for good. Needs no_new_privs."""
        pid = os.getpid().to_bytes(4, "little")
        for address in self._own:
            ctypes.memmove(address, pid, 4)
        prctl(PR_SET_SECCOMP, 2, self._address)

    def load_listening(self) -> int:
        """As `load`; gives the descriptor by which the kernel asks what to do. Raises OSError where it can't."""
        return seccomp_listener(self._address)


def load(program: bytes) -> None:
    """Put this process under a filter, for good. Needs no_new_privs."""
    Filter(program).load()


def decide(program: bytes, number: int, arguments: tuple[int, ...] = (), arch: int | None = None) -> int:
    """What a filter returns for a call, by interpreting it: for tests and for looking into it."""
    if arch is None:
        arch = ARCHITECTURES[platform.machine()][0]
    data = struct.pack("iIQ6Q", number, arch, 0, *(*arguments, *(0,) * (6 - len(arguments))))
    accumulator, at = 0, 0
    code = [struct.unpack_from("HBBI", program, i) for i in range(0, len(program), 8)]
    while True:
        kind, true, false, constant = code[at]
        at += 1
        if kind == _RETURN:
            return int(constant)
        if kind == _LOAD:
            (accumulator,) = struct.unpack_from("I", data, constant)
        elif kind == _AND:
            accumulator &= constant
        else:
            holds = accumulator == constant if kind == _IF_EQUAL else accumulator >= constant
            at += true if holds else false
