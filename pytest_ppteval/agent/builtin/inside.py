"""The confined process, from within: it confines itself, then runs the agent's code or reads the deck.

It has the workspace to write to, and a folder for temporary files that is thrown away with it; no network, no other
programs, no view of other processes, and nothing of the agent's environment.
"""

from __future__ import annotations

import contextlib
import json
import linecache
import os
import sys
import threading
import traceback
from typing import Any

assert sys.platform != "win32"  # for mypy: this module is for systems that fork

from pytest_ppteval.sandbox.confine import linux, seccomp  # noqa: E402 - see above
from pytest_ppteval.sandbox.confine.libraries import libraries  # noqa: E402
from pytest_ppteval.sandbox.confine.policy import Plan  # noqa: E402
from pytest_ppteval.sandbox.inside.preload import prepare_streams  # noqa: E402

CODE_NAME = "<run_python>"


def main(status: int) -> None:
    """The life of the process. Its job is on standard input; `status` takes "ready", or why it is not confined."""
    job = json.loads(sys.stdin.buffer.read())
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    linux.die_with_parent(job["parent"])
    prepare_streams()
    _import_ahead()
    try:
        _confine(job)
    except BaseException as error:
        # Fail closed: nothing is run, and no deck opened, by a process that is not confined.
        os.write(status, f"{type(error).__name__}: {error}".encode()[:1000])
        os._exit(70)
    os.write(status, b"ready")
    os.close(status)
    code = _run(job) if job["do"] == "code" else _read(job)
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(code)


def _import_ahead() -> None:
    """What most code imports: outside its limits, and before any of it could be tampered with."""
    import pptx
    import pptx.chart.data
    import pptx.util  # noqa: F401

    from pytest_ppteval.agent.builtin import reading  # noqa: F401


def _confine(job: dict[str, Any]) -> None:
    plan = Plan(**job["plan"])
    limits = job["limits"]
    linux.set_limits(
        AS=limits["memory"],
        CORE=0,
        MEMLOCK=0,
        SIGPENDING=64,
        MSGQUEUE=0,
        FSIZE=limits["file_size"],
        NOFILE=limits["open_files"],
        CPU=(limits["cpu"], limits["cpu"] + 1),
    )
    if linux.LINUX and plan.privileges:
        linux.prctl(linux.PR_SET_DUMPABLE, 0)
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        linux.drop_capabilities()
    if plan.landlock:
        reads = job["do"] != "code"
        writable = [] if reads else [job["workspace"], job["scratch"]]
        rules = libraries() | {os.path.realpath(place): linux.OWN for place in writable}
        ruleset = linux.landlock_ruleset(rules, plan.landlock)
        if reads:
            with contextlib.suppress(OSError):  # a missing file is told of by whoever opens it
                linux.grant_file(ruleset, job["deck"])
        linux.landlock_restrict(ruleset)
        os.close(ruleset)
    if plan.seccomp:
        seccomp.load(seccomp.build("agent" if job["do"] == "code" else "leaf", plan.landlock))


def _read(job: dict[str, Any]) -> int:
    from pytest_ppteval.agent.builtin import reading
    from pytest_ppteval.deck.limits import DeckRejected

    try:
        deck = job["deck"]
        print(reading.list_slides(deck) if job["do"] == "list" else reading.read_slide(deck, job["number"]))
    except DeckRejected as rejected:
        print(f"The deck can't be read: {os.path.basename(job['deck'])} {rejected}")
        return 1
    except LookupError as error:
        print(error)
        return 1
    return 0


def _run(job: dict[str, Any]) -> int:
    source: str = job["code"]
    linecache.cache[CODE_NAME] = (len(source), None, f"{source}\n".splitlines(keepends=True), CODE_NAME)
    sys.path.append(job["workspace"])  # modules that earlier code wrote
    sys.argv = [CODE_NAME]
    scope = {"__name__": "__main__", "OUTPUT": job["output"], "WORKSPACE": job["workspace"]}
    try:
        exec(compile(source, CODE_NAME, "exec"), scope)
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return (ended.code or 0) & 0xFF
        print(ended.code, file=sys.stderr)
        return 1
    except BaseException as error:
        at = error.__traceback__
        while at is not None and at.tb_frame.f_code.co_filename != CODE_NAME:
            at = at.tb_next
        traceback.print_exception(type(error), error, at)
        return 1
    return 0
