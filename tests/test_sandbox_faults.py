"""When the sandbox's own processes die: a clear word for the leaf at hand, the run goes on, nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sandbox_leaves import *  # noqa: F403
from sandbox_leaves import Runner
from sandbox_processes import descendants, gone

from pytest_ppteval.sandbox.host import Limits, Sandbox, SandboxError, TaskSession
from pytest_ppteval.sandbox.hosting.processes import Zygote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_ppteval.sandbox.confine.policy import Mode

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes by /proc")


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


class Family:
    """The processes of a sandbox: found by their place below this one."""

    def __init__(self, sandbox: Sandbox) -> None:
        zygote = sandbox._processes
        assert isinstance(zygote, Zygote)
        self.zygote = zygote._process.pid

    @property
    def keeper(self) -> int:
        return int(Path(f"/proc/{self.zygote}/task/{self.zygote}/children").read_text().split()[0])

    @property
    def leaves(self) -> list[int]:
        return descendants(self.keeper)


@pytest.fixture(params=["auto", "off"])
def own(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with Sandbox(request.param, limits=Limits(wall=5.0)) as sandbox:
        yield sandbox


def during(action: Callable[[], None], seconds: float = 0.3) -> threading.Timer:
    """Do something a little later."""
    timer = threading.Timer(seconds, action)
    timer.start()
    return timer


LOST = (
    "sandbox failure: the task's process was lost while this leaf ran (killed by SIGKILL); run it again to see whether "
    "the leaf is to blame"
)
SLEEP = "import time; time.sleep(60)\nreturn 'slept', 1"


def test_the_zygote_is_killed_under_a_leaf(own: Sandbox, decks: tuple[Path, Path]) -> None:
    with own.open(*decks) as session:
        session.ready()
        family = Family(own)
        everyone = [family.zygote, *descendants(family.zygote)]
        timer = during(lambda: os.kill(family.zygote, signal.SIGKILL))
        outcome = Runner(session, decks).body(SLEEP)
        timer.join()
        assert (outcome.status, outcome.score) == ("error", None)
        assert outcome.reason.startswith("sandbox failure: the task's process was lost while this leaf ran (")
        assert outcome.seconds < 3
        assert Runner(session, decks).body("return 'again', 1").reason == "again"  # even in this session
        assert gone(everyone[1:])
    with own.open(*decks) as session:
        assert Runner(session, decks).body("return 'next task', 1").reason == "next task"


def test_the_keeper_is_killed_under_a_leaf(own: Sandbox, decks: tuple[Path, Path]) -> None:
    with own.open(*decks) as session:
        session.ready()
        family = Family(own)
        keeper, leaves = family.keeper, family.leaves
        timer = during(lambda: os.kill(keeper, signal.SIGKILL))
        outcome = Runner(session, decks).body(SLEEP)
        timer.join()
        assert (outcome.status, outcome.reason) == ("error", LOST)
        assert gone([keeper, *leaves])
        assert Runner(session, decks).body("return 'again', 1").reason == "again"
        assert session.diff().added_slides


def test_the_keeper_is_killed_between_leaves(own: Sandbox, decks: tuple[Path, Path]) -> None:
    with own.open(*decks) as session:
        assert Runner(session, decks).body("return 'one', 1").status == "scored"
        os.kill(Family(own).keeper, signal.SIGKILL)
        time.sleep(0.2)
        second = Runner(session, decks).body("return 'two', 1")
        assert second.reason in ("two", LOST)
        assert Runner(session, decks).body("return 'three', 1").reason == "three"


def test_a_leaf_is_killed(own: Sandbox, decks: tuple[Path, Path]) -> None:
    with own.open(*decks) as session:
        session.ready()
        family = Family(own)

        def kill() -> None:
            for pid in family.leaves:
                os.kill(pid, signal.SIGKILL)

        timer = during(kill)
        outcome = Runner(session, decks).body(SLEEP)
        timer.join()
        assert (outcome.status, outcome.reason) == ("error", "killed by SIGKILL")
        for number in range(3):  # the process that waited for its turn was killed as well: one leaf may pay for that
            outcome = Runner(session, decks).body(f"return '{number}', 1")
        assert outcome.reason == "2"


def test_the_keeper_is_stopped(decks: tuple[Path, Path]) -> None:
    """A process that hangs instead of dying must not hang the run."""
    with Sandbox(limits=Limits(wall=0.5, parse=1.0)) as sandbox, sandbox.open(*decks) as session:
        session.ready()
        os.kill(Family(sandbox).keeper, signal.SIGSTOP)
        started = time.monotonic()
        with pytest.raises(SandboxError, match="took more than 1 s"):
            session.diff()
        assert time.monotonic() - started < 3
        assert Runner(session, decks).body("return 'again', 1").reason == "again"


def as_an_ordinary_user(program: str) -> str:
    """What a program prints that runs as a user whom RLIMIT_NPROC binds; root has no such limit."""
    import sysconfig

    from ordinary_user import ORDINARY, python_for_others

    python = sys.executable
    identity: dict[str, object] = {}
    if os.geteuid() == 0:
        found = python_for_others()
        if found is None:
            pytest.skip("there is no interpreter here that an ordinary user may run")
        python, identity = found, {"user": ORDINARY, "group": ORDINARY, "extra_groups": []}
    environment = {
        "PYTHONPATH": f"{Path(__file__).parents[1]}:{sysconfig.get_path('purelib')}",
        "PATH": os.environ["PATH"],
    }
    done = subprocess.run(
        [python, "-c", textwrap.dedent(program)], env=environment, capture_output=True, text=True, cwd="/", **identity
    )  # type: ignore[call-overload]  # identity holds what subprocess.run takes
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


# Takes the room for further processes from those of the sandbox, and gives it back.
_ROOM = """
import resource, threading, time
from pathlib import Path
from pytest_ppteval.sandbox import patience
from pytest_ppteval.sandbox.host import Job, Limits, Sandbox, SandboxError

HARD = resource.getrlimit(resource.RLIMIT_NPROC)[1]

def children(pid):
    return [int(text) for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

def room(pid, processes):
    resource.prlimit(pid, resource.RLIMIT_NPROC, (processes, HARD))

def leaf(number):
    return Job(code=f"def compute_score(): return 'leaf {number}', 1")

"""


def test_fork_is_refused() -> None:
    told = as_an_ordinary_user(
        _ROOM
        + """
with Sandbox(limits=Limits(wall=2.0), ahead=0) as sandbox, sandbox.open(None, None) as session:
    print(session.run(leaf(1), str).reason)
    zygote = sandbox._processes._process.pid
    [keeper] = children(zygote)
    room(keeper, 0)
    for number in (2, 3, 4):  # a process for one of them waits already
        try:
            print(session.run(leaf(number), str).reason)
        except SandboxError as error:
            print(error)
    room(keeper, HARD)
    print(session.run(leaf(5), str).reason)
    print(children(zygote) == [keeper])
    room(zygote, 0)
    try:
        with sandbox.open(None, None) as other:
            other.ready()
    except SandboxError as error:
        print(error)
    print(session.run(leaf(6), str).reason)
"""
    )
    first, second, third, fourth, fifth, same, task, last = told.splitlines()
    assert (first, second, fifth, same, last) == ("leaf 1", "leaf 2", "leaf 5", "True", "leaf 6")
    for refused in (third, fourth):
        assert refused.startswith("a leaf's process could not get ready: no process for it: [Errno 11]")
        assert "ulimit -u" in refused
    assert "no process for the task: [Errno 11]" in task
    assert "ulimit -u" in task


def test_a_machine_that_is_busy_for_a_moment_changes_no_verdict() -> None:
    told = as_an_ordinary_user(
        _ROOM
        + """
def busy(pid):
    room(pid, 0)
    threading.Timer(0.7, room, (pid, HARD)).start()

with Sandbox(limits=Limits(wall=20.0), ahead=0) as sandbox, sandbox.open(None, None) as session:
    session.ready()
    zygote = sandbox._processes._process.pid
    [keeper] = children(zygote)
    busy(keeper)
    for number in (1, 2, 3):
        print(session.run(leaf(number), str).reason)
    time.sleep(1)
    busy(zygote)
    with sandbox.open(None, None) as other:
        print(other.run(leaf(4), str).reason)
"""
    )
    assert told.splitlines() == ["leaf 1", "leaf 2", "leaf 3", "leaf 4"]


def test_the_first_process_cannot_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'error while loading shared libraries' >&2\nexit 127\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with (
        Sandbox() as sandbox,
        pytest.raises(SandboxError, match="could not start: error while loading shared libraries"),
    ):
        sandbox.open(None, None)


REFUSED = """
def refuse(*_, **__): raise OSError(1, 'refused')
def once(call):
    done = []
    return lambda *given: refuse() if done else done.append(call(*given))
from pytest_ppteval.sandbox.inside import keeper
from pytest_ppteval.sandbox.confine import linux
from pytest_ppteval.sandbox.confine import seccomp
from pytest_ppteval.sandbox.inside import zygote
"""
SABOTAGE = {
    "privileges, for the first process": "zygote._confine = refuse\n",
    "Landlock, for the first process": "linux.landlock_restrict = refuse\n",
    "the filter, for the first process": "seccomp.load = refuse\n",
    "Landlock, for the keeper": "linux.landlock_restrict = once(linux.landlock_restrict)\n",
    "the filter, for the keeper": "seccomp.load = once(seccomp.load)\n",
    "capabilities": "linux.drop_capabilities = refuse\n",
    "limits": "linux.set_limits = refuse\n",
    "anything, for the leaf": "keeper.Keeper._confine_leaf = refuse\n",
}


@pytest.mark.parametrize("step", SABOTAGE)
def test_where_a_step_of_confinement_fails_nothing_is_run(
    step: str, decks: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_ppteval.sandbox import launch
    from pytest_ppteval.sandbox.hosting import processes

    boot = launch.boot
    monkeypatch.setattr(processes, "boot", lambda call: _with_sabotage(boot(call), SABOTAGE[step]))
    with Sandbox() as sandbox:
        if sandbox.level.name != "full":
            pytest.skip("this machine lacks Landlock or seccomp")
        with pytest.raises(SandboxError, match="refused"), sandbox.open(*decks) as session:
            Runner(session, decks).body("return 'ran', 1")


def _with_sabotage(program: str, sabotage: str) -> str:
    first, rest = program.split("\n", 1)
    return f"{first}\n{REFUSED}{sabotage}{rest}"


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
def test_pytest_dies(how: str, decks: tuple[Path, Path]) -> None:
    program = f"""
        from pathlib import Path
        from pytest_ppteval.sandbox.host import Job, Sandbox
        sandbox = Sandbox()
        session = sandbox.open(Path({str(decks[0])!r}), Path({str(decks[1])!r}))
        session.ready()
        print("ready", flush=True)
        session.run(Job(code="def compute_score():\\n    while True: pass"), str)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        family = descendants(process.pid)
        assert len(family) >= 3  # zygote, keeper, leaf
        process.send_signal(signal.Signals[how])
        process.wait(5)
    assert gone(family)


def test_nothing_is_left_behind(decks: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before_files, before_family = open_files(), descendants(os.getpid())
    modes: tuple[Mode, ...] = ("auto", "off")
    for mode in modes:
        with Sandbox(mode, limits=Limits(wall=0.3)) as sandbox:
            for _ in range(3):
                with sandbox.open(*decks) as session:
                    leaf = Runner(session, decks)
                    for body in ("return '', 1", "while True: pass", "import os; os.abort()", "return 3"):
                        leaf.body(body)
    assert open_files() == before_files
    assert gone([pid for pid in descendants(os.getpid()) if pid not in before_family])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("mode", ["auto", "off"])
def test_children_of_a_leaf_do_not_outlive_it(decks: tuple[Path, Path], mode: Mode) -> None:
    """Where leaves can fork at all: even those that left their session."""
    with Sandbox(mode, limits=Limits(wall=5)) as sandbox, sandbox.open(*decks) as session:
        outcome = Runner(session, decks).body(
            "import os, time\n"
            "try:\n"
            "    for _ in range(3):\n"
            "        if not os.fork():\n"
            "            os.setsid()\n"
            "            os.fork()\n"
            "            time.sleep(600)\n"
            "except PermissionError:\n"
            "    return 'refused', 1\n"
            "time.sleep(0.1)\n"
            "return 'forked', 1"
        )
        assert outcome.reason == ("forked" if mode == "off" else "refused")
        assert outcome.seconds < 3
        Runner(session, decks).body("return '', 1")
        end = time.monotonic() + 3
        while len(Family(sandbox).leaves) > 2 and time.monotonic() < end:
            time.sleep(0.01)
        assert len(Family(sandbox).leaves) <= 2  # the next leaf's process, and perhaps one that is ending


def test_sessions_side_by_side_do_not_disturb_each_other(decks: tuple[Path, Path]) -> None:
    with Sandbox() as sandbox, sandbox.open(*decks) as one, sandbox.open(decks[1], decks[0]) as two:
        assert Runner(one, decks).body("return str(len(ppt_diff.added_slides)), 1").reason == "1"
        assert Runner(two, decks).body("return str(len(ppt_diff.removed_slides)), 1").reason == "1"
        one.close()
        assert Runner(two, decks).body("return 'fine', 1").reason == "fine"
        with pytest.raises(SandboxError, match="closed"):
            Runner(one, decks).body("return 'x', 1")


def test_a_forked_copy_of_pytest_gets_a_sandbox_of_its_own(decks: tuple[Path, Path], session: TaskSession) -> None:
    with Sandbox() as sandbox:
        sandbox.start()
        zygote = Family(sandbox).zygote
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                with sandbox.open(*decks) as inner:
                    good = Runner(inner, decks).body("return 'child', 1").reason == "child"
                status = 0 if good and Family(sandbox).zygote != zygote else 2
                sandbox.close()
            finally:
                os._exit(status)
        assert os.waitpid(pid, 0)[1] == 0
        with sandbox.open(*decks) as outer:
            assert Runner(outer, decks).body("return 'parent', 1").reason == "parent"
        assert Family(sandbox).zygote == zygote
