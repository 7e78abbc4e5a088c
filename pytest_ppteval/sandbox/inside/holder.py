"""The holder of a deck that several tasks share: opens it once, then forks the keepers of these tasks.

Confined like a keeper before it reads the deck, with one difference: it may read the modified decks of these tasks,
too, since no process can have more rights than the one that it is forked from. Each keeper gives up those of the
others before it opens its own. Neither a modified deck nor a rubric's code is touched here: only in keepers and leaves,
whose domains reach neither each other nor this process.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from pytest_ppteval.sandbox.channel import Message, send
from pytest_ppteval.sandbox.confine import linux, seccomp
from pytest_ppteval.sandbox.inside import keeper, shims
from pytest_ppteval.sandbox.inside.decks import Decks

assert sys.platform != "win32"  # for mypy: this module is for systems that fork

from pytest_ppteval.sandbox.inside.forker import Forker  # noqa: E402 - see above

if TYPE_CHECKING:
    import socket


def main(control: socket.socket, task: Message, confinement: keeper.Confinement, zygote: int) -> None:
    """The life of a holder's process, just forked. Returns when its host has gone.

    task: "original" and "modified" (a list), paths, and "limits".
    """
    os.setsid()
    linux.die_with_parent(zygote)
    shims.install()
    decks = Decks()
    forker = Forker(
        control, {"open": lambda host, its_task, parent: keeper.main(host, its_task, confinement, parent, decks)}
    )
    original = str(task["original"])
    modified = [str(path) for path in task["modified"]]  # type: ignore[attr-defined]  # written by our own host
    _confine(confinement, [original, *modified], keeper.limits_of(task))
    gc.disable()  # parsing makes many objects and no garbage
    decks.hold(original)
    gc.freeze()
    gc.enable()
    send(control, {"t": "ready"})
    forker.serve()


def _confine(confinement: keeper.Confinement, paths: list[str], limits: dict[str, int]) -> None:
    keeper.confine_process(confinement, limits, privileged=True)
    ruleset = keeper.ruleset(confinement, paths, [])
    assert ruleset is not None, "holders are for level full"
    assert confinement.holder_filter is not None
    linux.landlock_restrict(ruleset)
    os.close(ruleset)
    seccomp.load(confinement.holder_filter)
