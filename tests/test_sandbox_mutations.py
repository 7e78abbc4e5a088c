"""Each rule of the sandbox, taken away by itself, is missed: the escape suite would notice.

Slow, since each is a program of its own, in which the first process of a sandbox starts without the rule.
"""

from __future__ import annotations

import os
import resource

import pytest
from sandbox_attempts import ATTEMPTS
from sandbox_mutations import MUTATIONS
from test_sandbox_escape import got_through, let_loose

from pytest_ppteval.sandbox.confine import linux

pytestmark = [
    pytest.mark.skipif(
        not linux.landlock_abi() or bool(linux.seccomp_missing()), reason="this machine lacks Landlock or seccomp"
    ),
    pytest.mark.slow,  # a program of two seconds for each of some eighty rules
]
BY_NAME = {attempt.name: attempt for attempt in ATTEMPTS}


def works_here(user: str, name: str) -> bool:
    """Whether an attempt works on this machine where nothing is confined; without that nothing can be noticed."""
    return name.startswith("have more than the limit of") or got_through(let_loose(user, "off", f"only={name}")[name])


@pytest.mark.parametrize("rule", MUTATIONS)
def test_without_this_rule_an_attempt_gets_through(rule: str) -> None:
    mutation = MUTATIONS[rule]
    if linux.landlock_abi() < mutation.abi:
        pytest.skip(f"this kernel's Landlock has version {linux.landlock_abi()}, the rule is of {mutation.abi}")
    if mutation.user == "root" and os.geteuid() != 0:
        pytest.skip("it concerns root")
    user = "root" if mutation.user == "root" else "ordinary"
    found = let_loose(user, mutation.level, f"mutation={rule}")
    if not any(got_through(found[name]) for name in mutation.noticed):
        limit = rule.rpartition("the limit of ")[2]
        if hasattr(resource, f"RLIMIT_{limit}") and resource.getrlimit(getattr(resource, f"RLIMIT_{limit}"))[1] == 0:
            pytest.skip(f"this machine itself allows no {limit}")
        if not any(works_here(user, name) for name in mutation.noticed):
            pytest.skip("what would notice it does not work on this machine, confined or not")
        pytest.fail(f"nobody notices that it is gone: {found}")


def test_each_is_noticed_by_an_attempt_that_is_refused_with_the_rule() -> None:
    for rule, mutation in MUTATIONS.items():
        for name in mutation.noticed:
            attempt = BY_NAME[name]
            assert mutation.level not in attempt.works | attempt.skip, f"{rule}: {name}"
