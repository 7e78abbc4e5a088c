"""The processes above a leaf's, which parse decks and fork: confined themselves, each layer by itself.

The code of libraries meets an agent's deck there. What follows is tried by such a process in place of its work, at
levels that have one layer only, so that no other makes up for a rule that is gone.
"""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest
from sandbox_leaves import decks  # noqa: F401 - a fixture
from sandbox_mutations import mutated

from pytest_ppteval.sandbox import launch
from pytest_ppteval.sandbox.confine import linux
from pytest_ppteval.sandbox.host import Job, Sandbox, SandboxError
from pytest_ppteval.sandbox.hosting import processes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_ppteval.sandbox.confine.policy import Layer

pytestmark = pytest.mark.skipif(
    not linux.landlock_abi() or bool(linux.seccomp_missing()), reason="this machine lacks Landlock or seccomp"
)

_TRIES = """
def tried():
    import errno, os, socket, struct, subprocess
    def looked(path): open(path, 'rb').read()
    def wrote(path): os.close(os.open(path, os.O_WRONLY | os.O_APPEND))
    acts = dict(
        reads=lambda: looked(SECRET), writes=lambda: wrote(SECRET), lists=lambda: os.listdir(FOLDER),
        runs=lambda: subprocess.run(['/bin/true']), connects=lambda: socket.create_connection(('127.0.0.1', PORT), 1),
        sends=lambda: socket.socket(type=socket.SOCK_DGRAM), renames=lambda: os.rename(SECRET, SECRET),
        signals=lambda: os.kill(HOST, 0), makes_rules=lambda: os.close(linux.landlock_ruleset({}, 1)),
        opens_a_process=lambda: os.pidfd_open(HOST),
    )
    done = []
    for name, act in acts.items():
        try:
            act()
        except OSError:
            continue
        done.append(name)
    return ' '.join(done) or 'nothing'

def keeper_tries(self):
    keeper.send(self._host, {"t": "unusable", "which": "modified", "why": tried()})

def zygote_tries(names):
    os.environ['DONE'] = tried()
    preload(names)

preload = zygote.preload
"""
KEEPER = "keeper.Keeper.parse = keeper_tries\n"
ZYGOTE = "zygote.preload = zygote_tries\n"
# Without the one above it, whose rules a process inherits, to see its own.
ALONE = "zygote._confine = nothing\nreal = linux.prctl\nreal(linux.PR_SET_NO_NEW_PRIVS, 1)\n"


class Place:
    """Something to reach, and a way to have a process of the sandbox try it."""

    def __init__(self, folder: Path, decks: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
        self.decks = decks
        self.monkeypatch = monkeypatch
        self.listener = socket.create_server(("127.0.0.1", 0))
        secret = folder / "secret"
        secret.write_text("secret")
        names = {"SECRET": str(secret), "FOLDER": str(folder), "HOST": os.getpid()}
        names["PORT"] = self.listener.getsockname()[1]
        self.code = "".join(f"{name} = {value!r}\n" for name, value in names.items()) + _TRIES

    def gets(self, who: str, layer: Layer, without: str = "") -> set[str]:
        """What a process gets at a level that has one layer only, `without` a rule."""
        code = self.code + without + who
        self.monkeypatch.setattr(processes, "boot", lambda call: mutated(launch.boot(call), code))
        with Sandbox(layers=[layer]) as sandbox:
            if who == ZYGOTE:
                job = Job(code="import os\ndef compute_score():\n    return os.environ['DONE'], 1\n")
                with sandbox.open(None, None) as session:
                    return set(session.run(job, str).reason.split())
            with pytest.raises(SandboxError, match="does not answer") as caught, sandbox.open(*self.decks) as session:
                session.ready()
        return set(str(caught.value).rpartition(": ")[2].split())


@pytest.fixture
def place(tmp_path: Path, decks: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:  # noqa: F811
    place = Place(tmp_path, decks, monkeypatch)
    yield place
    place.listener.close()


def since(abi: int, *names: str) -> set[str]:
    """What is open before this version of Landlock."""
    return set() if linux.landlock_abi() >= abi else set(names)


FILTERED = {"reads", "lists", "signals"}  # what a filter doesn't keep a keeper from


def test_the_keeper_by_landlock(place: Place) -> None:
    own = {"sends", "makes_rules", "opens_a_process"} | since(4, "connects") | since(6, "signals")
    assert place.gets(KEEPER, "landlock", ALONE) == own
    without = "linux.landlock_restrict = nothing\n"
    assert {"reads", "writes", "lists", "runs", "renames"} <= place.gets(KEEPER, "landlock", ALONE + without)


def test_the_keeper_by_its_filter(place: Place) -> None:
    assert place.gets(KEEPER, "seccomp", ALONE) == FILTERED
    without = "seccomp.load = nothing\n"
    assert {"writes", "runs", "connects", "sends", "makes_rules"} <= place.gets(KEEPER, "seccomp", ALONE + without)


def test_the_first_process_by_landlock(place: Place) -> None:
    own = {"reads", "lists", "sends", "makes_rules", "opens_a_process"}
    assert place.gets(ZYGOTE, "landlock") == own | since(4, "connects") | since(6, "signals")
    without = "zygote._confine = lambda plan: linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)\n"
    assert {"writes", "runs", "renames"} <= place.gets(ZYGOTE, "landlock", without)


def test_the_first_process_by_its_filter(place: Place) -> None:
    assert place.gets(ZYGOTE, "seccomp") == FILTERED | {"makes_rules"}
    without = "zygote._confine = lambda plan: linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)\n"
    assert {"writes", "runs", "connects", "sends"} <= place.gets(ZYGOTE, "seccomp", without)
