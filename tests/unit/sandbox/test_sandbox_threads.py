"""A leaf has threads, but no more than a keeper lets it have; each leaf has its own share."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest
from sandbox_leaves import *  # noqa: F403
from sandbox_leaves import Runner

from pytest_ppteval.sandbox.confine import linux
from pytest_ppteval.sandbox.confine.threads import MOST
from pytest_ppteval.sandbox.host import Job, Sandbox

pytestmark = pytest.mark.skipif(bool(linux.seccomp_missing()), reason="this machine lacks seccomp")

CLONE = 56 if platform.machine() == "x86_64" else 220
HUNGRY = """
import threading
threading.stack_size(65536)
stop, started = threading.Event(), 0
try:
    while started < 1000:
        threading.Thread(target=stop.wait, daemon=True).start()
        started += 1
except RuntimeError as error:
    return f"{started}: {error}", 0.5
return "all", 1
"""


def leaf_of(body: str) -> Job:
    return Job(code="def compute_score():\n" + "".join(f"    {line}\n" for line in body.splitlines()))


def test_a_small_pool_for_each_of_thirty_slides(leaf: Runner) -> None:
    """With the sandbox on and off."""
    outcome = leaf.body(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "found = []\n"
        "for slide in range(30):\n"
        "    with ThreadPoolExecutor(4) as pool:\n"
        "        found += pool.map(lambda shape: slide * 4 + shape, range(4))\n"
        "return str(found == list(range(120))), 1"
    )
    assert (outcome.status, outcome.reason) == ("scored", "True")


def test_threads_of_asyncio(leaf: Runner) -> None:
    outcome = leaf.body(
        "import asyncio\n"
        "async def all_of_them():\n"
        "    return await asyncio.gather(*(asyncio.to_thread(pow, 2, n) for n in range(6)))\n"
        "return str(asyncio.run(all_of_them())), 1"
    )
    assert outcome.reason == "[1, 2, 4, 8, 16, 32]"


@pytest.mark.parametrize("layers", [["landlock", "seccomp"], ["seccomp"]], ids="+".join)
@pytest.mark.parametrize("ahead", [0, 2])
def test_each_leaf_has_its_share_and_no_more(layers: list[str], ahead: int) -> None:
    jobs = [leaf_of(f"{HUNGRY}# {number}") for number in range(3)]
    with Sandbox(layers=layers, ahead=ahead) as sandbox, sandbox.open(None, None) as session:  # type: ignore[arg-type]  # layers by name
        found = [session.run(job, str).reason for job in jobs]
        assert found == [f"{MOST}: can't start new thread"] * 3
        assert session.run(leaf_of("return 'honest', 1"), str).reason == "honest"


def test_by_the_bare_call_too() -> None:
    """Once a leaf had its share, the kernel refuses by itself, and the keeper has time for others."""
    insists = HUNGRY.replace("return f", "import ctypes\n    libc = ctypes.CDLL(None, use_errno=True)\n    return f", 1)
    insists = insists.replace(
        'return f"{started}: {error}", 0.5',
        f"results = {{libc.syscall({CLONE}, 0x10f00, 0, 0, 0, 0) for _ in range(1000)}}\n    return str(results), 0.5",
    )
    with Sandbox(layers=["seccomp"]) as sandbox, sandbox.open(None, None) as session:
        assert session.run(leaf_of(insists), str).reason == "{-1}"
        assert session.run(leaf_of(HUNGRY), str).reason == f"{MOST}: can't start new thread"


# A filter with a descriptor of its own, as some containers have it: the kernel has room for no other. It asks about a
# call that nobody makes.
_LISTENED = """
import ctypes, struct, sys
from pytest_ppteval.sandbox.confine import linux
from pytest_ppteval.sandbox.confine import seccomp
from pytest_ppteval.sandbox.host import Job, Sandbox
linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
asks = 0x20, 0, 0, 0, 0x15, 0, 1, 600, 6, 0, 0, seccomp.ASK, 6, 0, 0, 0x7FFF0000
listener = seccomp.Filter(struct.pack("HBBI" * 4, *asks)).load_listening()
with Sandbox() as sandbox, sandbox.open(None, None) as session:
    print(session.run(Job(code=sys.argv[1]), str).reason)
    print(session.run(Job(code="def compute_score(): return 'honest', 1"), str).reason)
"""


def test_where_the_kernel_cannot_ask_there_are_none() -> None:
    command = [sys.executable, "-c", _LISTENED, leaf_of(HUNGRY).code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["0: can't start new thread", "honest"], done.stderr
