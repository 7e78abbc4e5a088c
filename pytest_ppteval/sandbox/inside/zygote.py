"""The zygote: imports what leaves need, once, then forks one keeper a task, and holders (see holder.py).

The host starts it with a clean environment. It neither reads a deck nor runs a rubric's code, and can write nothing,
start no program and connect to nothing itself.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import socket
import sys
import warnings

from pytest_ppteval.sandbox.channel import receive, send
from pytest_ppteval.sandbox.confine import linux, seccomp
from pytest_ppteval.sandbox.confine.policy import Plan
from pytest_ppteval.sandbox.fast import hot_paths
from pytest_ppteval.sandbox.inside import holder, keeper
from pytest_ppteval.sandbox.inside.decks import Decks, tame_pillow
from pytest_ppteval.sandbox.inside.preload import preload, prepare_streams

assert sys.platform != "win32"  # for mypy: this module is for systems that fork

from pytest_ppteval.sandbox.confine.libraries import libraries  # noqa: E402 - see above
from pytest_ppteval.sandbox.inside.forker import Forker  # noqa: E402 - see above

_MESSAGE_LIMIT = 16 << 20


def main(fd: int) -> None:
    """The life of the zygote; `fd` is its control socket."""
    control = socket.socket(fileno=fd)
    os.set_inheritable(fd, False)
    config = receive(control, limit=_MESSAGE_LIMIT)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is pytest's, which closes the socket
    if linux.LINUX:
        linux.prctl(linux.PR_SET_DUMPABLE, 0)  # nobody of the same user may look into this process or its children
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
    warnings.simplefilter("ignore")  # of the leaves' code: they are not about this run
    # Written to descriptor 2, which in a leaf's process is the file for what it prints.
    faulthandler.enable(file=2, all_threads=False)
    faulthandler.register(signal.SIGUSR1, file=2, all_threads=False, chain=False)
    prepare_streams()
    tame_pillow()
    plan = Plan(
        int(str(config["landlock"])), bool(config["seccomp"]), bool(config["seatbelt"]), bool(config["privileges"])
    )
    _confine(plan)
    preload([str(name) for name in config["preload"]])  # type: ignore[attr-defined]  # written by our own host
    hot_paths.install()
    confinement = keeper.Confinement(
        plan,
        libraries() if plan.landlock or plan.seatbelt else {},
        seccomp.build("keeper", plan.landlock) if plan.seccomp else None,
        seccomp.build("leaf", plan.landlock) if plan.seccomp else None,
        seccomp.build("holder", plan.landlock) if plan.seccomp else None,
    )
    gc.collect()
    gc.freeze()
    # A leaf's walk through a deck makes tens of thousands of objects and few cycles; each collection looks at them all.
    gc.set_threshold(50_000)
    send(control, {"t": "ready"})
    Forker(
        control,
        {
            "open": lambda host, task, parent: keeper.main(host, task, confinement, parent, Decks()),
            "hold": lambda host, task, parent: holder.main(host, task, confinement, parent),
        },
    ).serve()


def _confine(plan: Plan) -> None:
    """Take away what no process of the sandbox needs, before the libraries' code runs here. Raises if that fails.

    It may still look at every file, since it grants the keepers theirs.
    """
    if not plan.privileges or not linux.LINUX:
        return
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    if plan.landlock:
        null = {"/dev/null": linux.READ_FILE | linux.WRITE_FILE}
        rules = linux.landlock_ruleset({"/": linux.READ, **null}, plan.landlock)
        linux.landlock_restrict(rules)
        os.close(rules)
    if plan.seccomp:
        seccomp.load(seccomp.build("zygote", plan.landlock))
