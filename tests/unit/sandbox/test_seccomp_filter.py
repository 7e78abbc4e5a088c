"""The filter's decisions, by interpreting its program: no process is confined here."""

from __future__ import annotations

import errno
import platform
from typing import get_args

import pytest

from pytest_ppteval.sandbox.confine import seccomp

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86_64")

ALLOW = 0x7FFF0000
DENY = 0x00050000 | errno.EPERM
READ, OPENAT, CLONE, FORK, EXECVE, KILL, CLONE3, SOCKET = 0, 257, 56, 57, 59, 62, 435, 41
CLONE_THREAD, CLONE_NEWUSER, SIGCHLD = 0x10000, 0x10000000, 17
O_WRONLY, O_CREAT, O_TRUNC = 0o1, 0o100, 0o1000


def test_a_leaf_may_read_but_not_start_processes() -> None:
    leaf = seccomp.build("leaf", 7)
    assert seccomp.decide(leaf, READ) == ALLOW
    for number in (FORK, EXECVE, KILL, SOCKET):
        assert seccomp.decide(leaf, number) == DENY
    assert seccomp.decide(leaf, CLONE, (CLONE_THREAD,)) == ALLOW
    assert seccomp.decide(leaf, CLONE, (SIGCHLD,)) == DENY
    assert seccomp.decide(leaf, CLONE, (CLONE_THREAD | CLONE_NEWUSER,)) == DENY
    assert seccomp.decide(leaf, CLONE3) == 0x00050000 | errno.ENOSYS  # so that glibc falls back to clone


def test_the_keeper_may_fork_but_not_make_namespaces_or_start_programs() -> None:
    keeper = seccomp.build("keeper", 7)
    assert seccomp.decide(keeper, CLONE, (SIGCHLD,)) == ALLOW
    assert seccomp.decide(keeper, CLONE, (SIGCHLD | CLONE_NEWUSER,)) == DENY
    assert seccomp.decide(keeper, KILL) == ALLOW
    assert seccomp.decide(keeper, EXECVE) == DENY
    assert seccomp.decide(keeper, SOCKET) == DENY


def test_new_threads_stand_before_a_gate() -> None:
    gate = seccomp.gate(seccomp.ASK)
    for flags in (CLONE_THREAD, CLONE_THREAD | CLONE_NEWUSER):
        assert seccomp.decide(gate, CLONE, (flags,)) == 0x7FC00000  # asks the keeper
    assert seccomp.decide(gate, CLONE, (SIGCHLD,)) == ALLOW  # left to the leaf's filter
    assert seccomp.decide(gate, READ) == ALLOW


def test_only_the_processes_above_a_leaf_may_answer_for_it() -> None:
    ioctl = 16
    above = ("keeper", "holder", "zygote")
    for profile in get_args(seccomp.Profile):
        for command in (seccomp.RECEIVE, seccomp.SEND):
            decision = seccomp.decide(seccomp.build(profile, 7), ioctl, (3, command))
            assert decision == (ALLOW if profile in above else DENY), profile


@pytest.mark.parametrize("number", [READ, FORK, EXECVE, 39])
def test_other_calling_conventions_are_shut(number: int) -> None:
    leaf = seccomp.build("leaf", 7)
    assert seccomp.decide(leaf, number, arch=0x40000003) == 0x80000000  # 32-bit calls: the process is killed
    assert seccomp.decide(leaf, number | 0x40000000) == DENY  # x32


@pytest.mark.parametrize("profile", ["leaf", "keeper"])
def test_every_number_of_the_tables_is_decided_as_the_tables_say(profile: seccomp.Profile) -> None:
    program = seccomp.build(profile, 7)
    tables = [seccomp._ALLOWED] if profile == "leaf" else [seccomp._ALLOWED, seccomp._KEEPER_TOO]
    plain = {numbers[0] for table in tables for numbers in table.values()}
    conditional = {numbers[0] for numbers in seccomp._CONDITIONAL.values()}
    for number in range(600):
        if number in conditional or number == CLONE3:
            continue
        assert seccomp.decide(program, number) == (ALLOW if number in plain else DENY), number


def test_opening_files_depends_on_what_else_guards_them() -> None:
    for landlock, writing, truncating in ((7, ALLOW, ALLOW), (2, ALLOW, DENY), (0, DENY, DENY)):
        leaf = seccomp.build("leaf", landlock)
        assert seccomp.decide(leaf, OPENAT, (0, 0, 0)) == ALLOW
        assert seccomp.decide(leaf, OPENAT, (0, 0, O_WRONLY)) == writing
        assert seccomp.decide(leaf, OPENAT, (0, 0, O_TRUNC)) == truncating
        assert seccomp.decide(leaf, OPENAT, (0, 0, O_CREAT | O_WRONLY)) == writing


CHMOD, UTIMENSAT, TRUNCATE, RENAME, MEMFD_CREATE, FTRUNCATE = 90, 280, 76, 82, 319, 77
O_RDWR = 0o2


def test_the_agents_code_may_write_and_its_changes_of_modes_and_times_change_nothing() -> None:
    agent = seccomp.build("agent", 7)
    for number in (RENAME, FTRUNCATE):
        assert seccomp.decide(agent, number) == ALLOW
    for number in (CHMOD, UTIMENSAT):
        assert seccomp.decide(agent, number) == 0x00050000  # not carried out, and no error: errno 0
    for number in (TRUNCATE, MEMFD_CREATE, FORK, EXECVE, KILL, SOCKET):
        assert seccomp.decide(agent, number) == DENY


def test_an_old_landlock_does_not_let_the_agents_code_empty_what_it_may_only_read() -> None:
    for landlock, sly in ((7, ALLOW), (3, ALLOW), (2, DENY), (1, DENY)):
        agent = seccomp.build("agent", landlock)
        for flags in (0, O_WRONLY, O_RDWR, O_WRONLY | O_TRUNC, O_RDWR | O_TRUNC, O_CREAT | O_WRONLY | O_TRUNC):
            assert seccomp.decide(agent, OPENAT, (0, 0, flags)) == ALLOW
        for flags in (O_TRUNC, O_TRUNC | O_WRONLY | O_RDWR):  # for reading; for neither: no right is asked for
            assert seccomp.decide(agent, OPENAT, (0, 0, flags)) == sly


SENDMSG, TIMER_CREATE, FLOCK, SETSOCKOPT, FCNTL = 46, 222, 73, 54, 72
F_SETLK, F_SETPIPE_SZ, F_SETOWN = 6, 1031, 8


def test_what_is_counted_for_the_user_is_not_for_leaves_to_use_up() -> None:
    """Descriptors on their way, timers, locks, the memory of pipes: limits of the user's, shared with all else."""
    leaf, agent, keeper, renderer = (seccomp.build(p, 7) for p in ("leaf", "agent", "keeper", "renderer"))
    for number in (SENDMSG, TIMER_CREATE, FLOCK, SETSOCKOPT):
        assert seccomp.decide(leaf, number) == DENY
    for number in (SENDMSG, TIMER_CREATE, SETSOCKOPT):
        assert seccomp.decide(agent, number) == DENY
    for command in (F_SETLK, F_SETPIPE_SZ, F_SETOWN):
        assert seccomp.decide(leaf, FCNTL, (0, command)) == DENY
    assert seccomp.decide(agent, FCNTL, (0, F_SETLK)) == ALLOW  # of its own files; SQLite does
    assert seccomp.decide(keeper, SENDMSG) == ALLOW  # hands leaves their channel
    assert seccomp.decide(renderer, FCNTL, (0, F_SETLK)) == ALLOW
    for program in (leaf, agent, renderer):
        assert seccomp.decide(program, FCNTL, (0, F_SETOWN)) == DENY
