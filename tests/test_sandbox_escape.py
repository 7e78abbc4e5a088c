"""Hostile leaves: what they try is refused at each level as far as that level promises, and the run goes on.

The attempts are in sandbox_attempts.py. Each is tried at level "off" too, where it has to work: otherwise its refusal
elsewhere would prove nothing.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import pytest
from ordinary_user import run_as
from sandbox_attempts import ABUSES, ATTEMPTS, LEVELS, SHARING, Abuse, Attempt, Level

from pytest_ppteval.sandbox.confine import linux

HERE = Path(__file__).parent

pytestmark = [
    pytest.mark.skipif(
        not linux.landlock_abi() or bool(linux.seccomp_missing()), reason="this machine lacks Landlock or seccomp"
    ),
    pytest.mark.slow,  # up to ten programs of some seconds each: leaves that hang are waited for
]
# What comes of these does not depend on confinement, so that two levels will do.
ABUSE_LEVELS: list[Level] = ["full", "off"]
PLACES = [*((level, False) for level in LEVELS), *((level, True) for level in SHARING)]
USERS = ["root", "ordinary"] if os.geteuid() == 0 else ["ordinary"]


@cache
def results(user: str, level: Level, shared: bool = False) -> dict[str, dict[str, object]]:
    """What came of all attempts of this user at this level. shared: in a task that shares its original with another."""
    abuses = ["abuses"] if user == USERS[0] and level in ABUSE_LEVELS else []
    return let_loose(user, level, *abuses, *(["shared"] if shared else []))


def let_loose(user: str, level: Level, *words: str) -> dict[str, dict[str, object]]:
    """What sandbox_range.py tells, run by this user."""
    done = run_as(user, str(HERE / "sandbox_range.py"), level, *words)
    found: dict[str, dict[str, object]] = json.loads(done.stdout)
    return found


def got_through(result: dict[str, object]) -> bool:
    """Whether an attempt has got what it wanted."""
    return result["score"] == 1.0 or bool(result["harm"]) or str(result["reason"]).startswith("exit code 77")


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=[attempt.name for attempt in ATTEMPTS])
@pytest.mark.parametrize(
    ("level", "shared"), [*((level, False) for level in LEVELS), *((level, True) for level in SHARING)]
)
@pytest.mark.parametrize("user", USERS)
def test_attempt(user: str, level: Level, shared: bool, attempt: Attempt) -> None:
    if level in attempt.skip:
        pytest.skip("not tried at this level")
    result = results(user, level, shared)[attempt.name]
    harm = result["harm"]
    worked = got_through(result)
    expected = level in attempt.works and not (attempt.needs_root and user != "root")
    if level in attempt.open:
        return
    if expected:
        assert worked, result
    else:
        assert not worked, result
        assert harm == []


@pytest.mark.parametrize("abuse", ABUSES, ids=[abuse.name for abuse in ABUSES])
@pytest.mark.parametrize("level", ABUSE_LEVELS)
def test_abuse(level: Level, abuse: Abuse) -> None:
    result = results(USERS[0], level)[abuse.name]
    assert (result["status"], result["violation"]) == (abuse.status, abuse.violation), result
    assert str(result["reason"]).startswith(abuse.reason), result
    assert result["score"] in (None, 0.0)
    assert float(str(result["seconds"])) < 5


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("user", USERS)
def test_after_all_that_an_honest_leaf_still_runs(user: str, level: Level) -> None:
    assert results(user, level)["afterwards"]["reason"] == "worked"
    assert results(user, level)["level"]["reason"] == {"old": "full", "landlock": "partial", "seccomp": "partial"}.get(
        level, level
    )


def test_the_table_is_what_it_claims_to_be() -> None:
    names = [attempt.name for attempt in ATTEMPTS] + [abuse.name for abuse in ABUSES]
    assert len(names) == len(set(names))
    proven = [attempt for attempt in ATTEMPTS if "off" in attempt.works - attempt.open]
    assert len(proven) >= 60  # attempts with a canary
    assert [attempt.name for attempt in ATTEMPTS if "full" in attempt.works] == [
        "see what a link points to",
        "see that a file exists",
    ]
    assert not any(level in attempt.open for attempt in ATTEMPTS for level in ("full", "old"))
