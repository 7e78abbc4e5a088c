"""The renderer's process confines itself, before it sees a deck: it reads libraries and fonts, writes to one folder.

A deck may name pictures by address or by file (file:///etc/passwd in an SVG): LibreOffice would fetch the one and draw
the other. Without sockets and with Landlock neither is possible, and it renders at the same speed.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.sandbox.confine import linux, seccomp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_ppteval.sandbox.confine.policy import Plan

MEMORY = 6 << 30
_FILE_SIZE = 1 << 30
_SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/fonts", "/usr/local/share/fonts",
    "/usr/share/fontconfig", "/usr/share/libreoffice", "/usr/share/zoneinfo", "/usr/share/mime", "/usr/share/icons",
    "/var/cache/fontconfig", "/var/lib/libreoffice", "/var/spool/libreoffice", "/etc/fonts", "/etc/libreoffice",
    "/etc/ld.so.cache", "/etc/localtime",
)  # fmt: skip


def confine(plan: Plan, work: Path, readable: Iterable[Path]) -> None:
    """Confine this process for good: it may write below `work` alone, and read that, `readable` and the system's parts.

    Raises OSError where a step of the plan fails: nothing must be drawn then.
    """
    linux.set_limits(CORE=0, MEMLOCK=0, MSGQUEUE=0, FSIZE=_FILE_SIZE, AS=MEMORY)
    if plan.privileges and linux.LINUX:
        linux.prctl(linux.PR_SET_DUMPABLE, 0)
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        linux.drop_capabilities()
    if plan.landlock:
        ruleset = linux.landlock_ruleset(_rules(work, readable), plan.landlock)
        linux.landlock_restrict(ruleset)
        os.close(ruleset)
    if plan.seccomp:
        seccomp.load(seccomp.build("renderer", plan.landlock))


def _rules(work: Path, readable: Iterable[Path]) -> dict[str, int]:
    places = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    places |= {os.path.join(sys.base_prefix, "lib"), os.path.join(sys.base_prefix, "lib64"), *_SYSTEM}
    places |= {str(path) for path in readable}
    rules = {os.path.realpath(place): linux.READ for place in places if place and os.path.exists(place)}
    rules["/dev/null"] = linux.READ_FILE | linux.WRITE_FILE
    rules["/dev/zero"] = rules["/dev/urandom"] = rules["/dev/random"] = linux.READ_FILE
    rules[os.path.realpath(work)] = linux.OWN
    return rules
