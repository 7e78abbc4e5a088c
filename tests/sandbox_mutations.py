"""Rules of the sandbox, each taken away by itself: a table for test_sandbox_mutations.py.

A mutation is code that the sandbox's first process runs before anything else, in a program of the tests' own: the
product has no switch for it. It is tried at a level at which no other layer makes up for the rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sandbox_attempts import Level

_PRELUDE = """
from pytest_ppteval.sandbox.confine import threads
from pytest_ppteval.sandbox.inside import keeper
from pytest_ppteval.sandbox.inside import leaf
from pytest_ppteval.sandbox.confine import linux
from pytest_ppteval.sandbox.confine import seccomp
from pytest_ppteval.sandbox.inside import zygote
import os

def allow(**calls):
    seccomp._ALLOWED.update(calls)

def whatever_arguments(name):
    real = seccomp._conditions
    seccomp._conditions = lambda *given: {**real(*given), name: [seccomp._returns(seccomp._ALLOW)]}

def unhandled(files=0, network=0, scopes=0):
    real = linux._handled
    linux._handled = lambda abi: tuple(has & ~less for has, less in zip(real(abi), (files, network, scopes)))
    grant = linux.grant
    linux.grant = lambda rules, fd, rights: grant(rules, fd, rights & ~files) if rights & ~files else None

def unlimited(name):
    real = linux.allowed_limits
    linux.allowed_limits = lambda **limits: real(**{which: limits[which] for which in limits if which != name})

def nothing(*_, **__):
    pass
"""


@dataclass(frozen=True)
class Mutation:
    """code: takes the rule away. noticed: the attempts of which one at least has to work, or do harm, without it.

    user: whom it concerns; "either" is tried as an ordinary one. abi: the version of Landlock that the rule is from.
    """

    level: Level
    code: str
    noticed: tuple[str, ...]
    user: Literal["root", "either"] = "either"
    abi: int = 1


MUTATIONS: dict[str, Mutation] = {}

# ------------------------------------------------------------------------------------------ calls that are not allowed
for _names, _noticed in {
    "execve=(59, 221)": "become a program",
    "execveat=(322, 281)": "become a program by execveat",
    "fork=(57, None)": "fork by the bare call",
    "kill=(62, 129)": "kill a process",
    "tkill=(200, 130)": "signal by tkill",
    "rt_sigqueueinfo=(129, 138)": "signal with a value",
    "ptrace=(101, 117)": "trace a process",
    "process_vm_readv=(310, 270)": "read a process's memory",
    "pidfd_open=(434, 434)": "open a process by pidfd",
    "setpriority=(141, 140)": "renice a process",
    "sched_setaffinity=(203, 122)": "bind a process to a processor",
    "socket=(41, 198)": "open a netlink socket",
    "socket=(41, 198), connect=(42, 203)": "connect by TCP",
    "socket=(41, 198), sendto=(44, 206)": "send by UDP",
    "unlink=(87, None), unlinkat=(263, 35)": "delete the graded deck",
    "rename=(82, None), renameat=(264, 38), renameat2=(316, 276)": "rename the graded deck",
    "link=(86, None), linkat=(265, 37)": "link to the graded deck",
    "symlink=(88, None), symlinkat=(266, 36)": "make a symbolic link",
    "mkdir=(83, None), mkdirat=(258, 34)": "make a folder",
    "rmdir=(84, None), unlinkat=(263, 35)": "remove a folder",
    "mknod=(133, None), mknodat=(259, 33)": "make a fifo",
    "truncate=(76, 45)": "empty it by truncate",
    "creat=(85, None)": "empty it by creat",
    "chmod=(90, None), fchmodat=(268, 53)": "chmod the graded deck",
    "fchmod=(91, 52)": "fchmod the graded deck",
    "chown=(92, None), fchownat=(260, 54)": "chown it",
    "utimensat=(280, 88)": "change its times",
    "setxattr=(188, 5)": "give it an attribute",
    "add_key=(248, 217)": "the key ring",
    "memfd_create=(319, 279)": "memory as a file",
    "inotify_init1=(294, 26)": "watch files",
    "name_to_handle_at=(303, 264)": "open by handle",
    "sendmsg=(46, 211)": "put descriptors on their way",
    "timer_create=(222, 107)": "make a timer",
    "flock=(73, 32)": "lock the deck",
    "setsockopt=(54, 208)": "set a socket's option",
    "shmget=(29, 194), shmctl=(31, 195)": "make shared memory",
}.items():
    MUTATIONS[f"allow {_names}"] = Mutation("seccomp", f"allow({_names})", (_noticed,))

# -------------------------------------------------------------------------- calls that are allowed with some arguments
for _name, _noticed in {
    "openat": "append to the graded deck",
    "open": "append by the old call",
    "clone": "fork",
    "fcntl": "own another's signals",
    "ioctl": "type into a terminal",
    "prctl": "be dumpable again",
    "prlimit64": "limit a process",
    "socketpair": "make a datagram pair",
    "tgkill": "signal by tgkill",
}.items():
    MUTATIONS[f"{_name} with any arguments"] = Mutation("seccomp", f"whatever_arguments({_name!r})", (_noticed,))
for _command, _noticed in {8: "own another's signals", 6: "lock a part of it", 1031: "size a pipe"}.items():
    MUTATIONS[f"fcntl with command {_command}"] = Mutation(
        "seccomp", f"seccomp._FCNTL = (*seccomp._FCNTL, {_command})", (_noticed,)
    )
MUTATIONS |= {
    "clone3": Mutation("seccomp", "seccomp._CLONE3 = 600; allow(clone3=(435, 435))", ("fork by clone3",)),
    "x32 calls": Mutation(
        "seccomp",
        "build = seccomp.build\n"
        "def with_x32(*given):\n"
        "    program = build(*given)  # of instructions of eight bytes; four come before the search\n"
        "    allowed = bytes([0x35, 0, 0, 1]) + (0x40000000).to_bytes(4, 'little')\n"
        "    allowed += bytes([0x06, 0, 0, 0]) + seccomp._ALLOW.to_bytes(4, 'little')\n"
        "    return program[:32] + allowed + program[32:]\n"
        "seccomp.build = with_x32",
        ("x32 system calls",),
    ),
    "calls of another architecture": Mutation(
        "seccomp",
        "build = seccomp.build\n"
        "def any_architecture(*given):\n"
        "    program = bytearray(build(*given))\n"
        "    program[8:16] = bytes([0x35, 0, 1, 1]) + bytes(4)\n"
        "    return bytes(program)\n"
        "seccomp.build = any_architecture",
        ("32-bit system calls",),
    ),
    "emptying by opening, with an old Landlock": Mutation(
        "old", "whatever_arguments('openat')", ("empty it by opening",)
    ),
    "the gate before threads": Mutation("seccomp", "threads.Gate.shut = nothing", ("start hundreds of threads",)),
    "a number of threads": Mutation("seccomp", "threads.MOST = 1000", ("start hundreds of threads",)),
    "the leaf's filter": Mutation("seccomp", "seccomp.Filter.load = nothing", ("fork", "own another's signals")),
}

# ---------------------------------------------------------------------------------------------------- Landlock's rights
for _bit, _since, _noticed in (
    (0, 1, "start a program that it may read"),
    (1, 1, "append to the graded deck"),
    (3, 1, "list the home folder"),
    (4, 1, "remove a folder"),
    (5, 1, "delete the graded deck"),
    (7, 1, "make a folder"),
    (8, 1, "write into the home folder"),
    (9, 1, "make a Unix socket"),
    (10, 1, "make a fifo"),
    (12, 1, "make a symbolic link"),
    # Without bit 2, reading, a rule that grants no more would be empty: see "files are granted by name". Bits 6 and
    # 11 are for devices, which take a capability that is gone. Without bit 13, "refer", no file goes to another folder
    # in any case: it only ever grants.
    (14, 3, "empty it by truncate"),
    (15, 5, "command a device"),
):
    MUTATIONS[f"Landlock's right {_bit}"] = Mutation(
        "landlock", f"unhandled(files=1 << {_bit})", (_noticed,), abi=_since
    )
MUTATIONS |= {
    "files are granted by name": Mutation(
        "landlock",
        "libraries = zygote.libraries\nzygote.libraries = lambda: {**libraries(), '/': linux.READ_FILE}",
        ("read a private key", "read another task's deck"),
    ),
    "Landlock's bind": Mutation("landlock", "unhandled(network=1)", ("listen on TCP",), abi=4),
    "Landlock's connect": Mutation("landlock", "unhandled(network=2)", ("connect by TCP",), abi=4),
    "Landlock's abstract sockets": Mutation(
        "landlock", "unhandled(scopes=1)", ("connect to an abstract socket",), abi=6
    ),
    "Landlock's signals": Mutation("landlock", "unhandled(scopes=2)", ("kill a process",), abi=6),
    "a domain for each leaf": Mutation(
        "landlock",
        "real = linux.landlock_restrict\n"
        "linux.landlock_restrict = lambda rules: None if os.getppid() == keepers[-1] else real(rules)\n"
        "keepers = [0]\n"
        "main = keeper.main\n"
        "def noted(*given):\n"
        "    keepers.append(os.getpid())\n"
        "    main(*given)\n"
        "keeper.main = noted",
        ("signal the keeper",),
        abi=6,
    ),
    "links are not followed": Mutation("landlock", "os.O_NOFOLLOW = 0", ("read a private key", "read it by os.open")),
}

# ------------------------------------------------------------------------------------------------ limits and privileges
for _limit in ("AS", "CORE", "CPU", "FSIZE", "MEMLOCK", "MSGQUEUE", "NOFILE", "SIGPENDING"):
    MUTATIONS[f"the limit of {_limit}"] = Mutation(
        "weak", f"unlimited({_limit!r})", (f"have more than the limit of {_limit}",)
    )
MUTATIONS |= {
    "capabilities": Mutation(
        "weak", "linux.drop_capabilities = nothing", ("become another user", "change the root"), "root"
    ),
    "memory that others can't look into": Mutation(
        "weak",
        "real = linux.prctl\n"
        "linux.prctl = lambda option, *given: 0 if option == linux.PR_SET_DUMPABLE else real(option, *given)",
        ("read the keeper's memory",),
    ),
    "descriptors are closed": Mutation("weak", "os.closerange = nothing", ("find a descriptor that was left open",)),
}


def mutated(program: str, code: str) -> str:
    """A program of the sandbox's with code before it."""
    first, rest = program.split("\n", 1)
    path, _, call = rest.partition("\n")
    return f"{first}\n{path}\n{_PRELUDE}\n{code}\n{call}"


def mutate(mutation: Mutation) -> None:
    """Have this process's sandboxes lack a rule from now on."""
    from pytest_ppteval.sandbox import launch
    from pytest_ppteval.sandbox.hosting import processes

    vars(processes)["boot"] = lambda call: mutated(launch.boot(call), mutation.code)
