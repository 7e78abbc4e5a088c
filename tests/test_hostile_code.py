"""Code that brings a compiler down: an error of its leaf in bounded time and memory, and the others go on."""

from __future__ import annotations

import json
import resource
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest
from sandbox_leaves import no_model
from small_project import leaf, rubric

from pytest_ppteval.picture.wanted import slides_wanted
from pytest_ppteval.sandbox.host import Job, Limits, Sandbox
from pytest_ppteval.sandbox.source.bounded import is_bounded
from pytest_ppteval.sandbox.source.code import compiled, imports_of, names_used, without_fence
from pytest_ppteval.sandbox.source.traceless import leaves_no_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from small_project import Project

    from pytest_ppteval.sandbox.confine.policy import Mode

HONEST = "def compute_score():\n    return 'honest', 1.0\n"


def nested(opening: str, closing: str, depth: int, within: str = "a") -> str:
    return opening * depth + within + closing * depth


BOMBS = {
    "a module's name of 200 KB": "import a" + ".a" * 100_000,
    "a package's": "from a" + ".a" * 100_000 + " import b",
    "an f-string of 450 KB": 'f"' + "{a}" * 150_000 + '"',
    "an f-string of long lines": 'f"""' + "{a}\n" * 100_000 + '"""',
    "an f-string within another": nested('f"{', '}"', 90),
    "an f-string whose field goes on": "f'{a" + "[0]" * 30_000 + "}'",
    "50,000 keywords": "f(" + ",".join(f"a{number}=1" for number in range(50_000)) + ")",
    "50,000 parameters": "def f(" + ",".join(f"a{number}=1" for number in range(50_000)) + "): pass",
    "nested lambdas": "lambda:" * 50_000 + "a",
    "nested lambdas, each within brackets": nested("(lambda a:", ")", 90),
    "deep brackets": nested("(", ")", 5_000),
    "deep brackets, as many as may be": nested("(", ")", 199) + " b",
    "deep braces that end wrong": nested("{a:", "}", 90) + " = b c",
    "deep calls": nested("f(a=", ")", 90, "b c"),
    "not a hundred thousand times": "not " * 100_000 + "a",
    "minus a hundred thousand times": "-" * 100_000 + "a",
    "attributes": "a" + ".b" * 100_000,
    "calls": "a" + "()" * 100_000,
    "subscripts": "a" + "[0]" * 100_000,
    "sums": "a" + "+a" * 100_000,
    "powers": "a" + "**a" * 100_000,
    "conditions": "a if b else " * 50_000 + "c",
    "assignments": "a=" * 100_000 + "1",
    "comprehensions": nested("[a for b in ", "]", 60, "c"),
    "a statement over many lines": "(" + "a +\n" * 50_000 + "a)",
    "a statement by backslashes": "a" + " + \\\na" * 50_000,
    "nested finally": "".join(f"{' ' * n}try:\n" for n in range(18)) + " " * 18 + "a\n"
    + "".join(f"{' ' * n}finally:\n{' ' * n} a\n" for n in range(17, -1, -1)),
    "deep blocks": "".join(f"{' ' * n}if a:\n" for n in range(99)) + " " * 99 + "pass",
    "1 MB of small statements": "a\n" * 500_000,
    "a string that hides brackets from a careless eye": "'\\'' + " + nested("(", ")", 150) + " b # '",
    "an unfinished string": "'''" + "(" * 100_000,
    "a fence with blanks": "```" + " " * 450_000 + "x",
}  # fmt: skip
HOST_SIDE: dict[str, Callable[[str], object]] = {
    "names": names_used,
    "imports": imports_of,
    "compiled": partial(compiled, name="leaf"),
    "pictures": slides_wanted,
    "traceless": leaves_no_trace,
    "fence": without_fence,
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_in_pytest_s_process_it_takes_no_time_and_no_memory(bomb: str) -> None:
    code = BOMBS[bomb] + f"\n{HONEST}"
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for what, look in HOST_SIDE.items():
        started = time.process_time()
        look(code)
        assert time.process_time() - started < 1.5, what
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most < 150 << 10  # KiB


@pytest.fixture(scope="module", params=["auto", "off"])
def confined(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    mode: Mode = request.param
    sandbox = Sandbox(mode, limits=Limits(wall=20.0, compile=2.0, memory=1 << 30), ahead=0)
    yield sandbox
    sandbox.close()


@pytest.mark.slow  # each may take the two seconds that it is given
@pytest.mark.parametrize("bomb", BOMBS)
def test_its_leaf_is_an_error_soon_and_the_next_runs(confined: Sandbox, bomb: str) -> None:
    with confined.open(None, None) as session:
        outcome = session.run(Job(code=f"{HONEST}if False:\n    pass\n{BOMBS[bomb]}\n"), no_model)
        assert outcome.seconds < 15
        if outcome.status != "scored":  # what this version of Python compiles in time may well run
            assert outcome.status == "error"
            assert outcome.reason
        assert session.run(Job(code=HONEST), no_model).reason == "honest"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (
            BOMBS["a module's name of 200 KB"],
            "its code can't be compiled: it is nested too deeply, or takes more memory",
        ),
        (BOMBS["50,000 keywords"], "its code takes more than 2 s to compile"),
    ],
)
def test_the_error_says_what_was_the_matter(confined: Sandbox, code: str, reason: str) -> None:
    with confined.open(None, None) as session:
        outcome = session.run(Job(code=f"{HONEST}if a:\n    {code}"), no_model)
        assert (outcome.status, outcome.violation) == ("error", False)
        assert outcome.reason.startswith(reason)


@pytest.mark.slow  # six seconds: each bomb takes its time to be refused
def test_a_run_with_bombs_judges_all_else(project: Project) -> None:
    for number, bomb in enumerate(["an f-string of 450 KB", "nested lambdas", "deep brackets, as many as may be"]):
        project.task(f"bomb-{number}", rubric(leaf("Bomb", f"{HONEST}{BOMBS[bomb]}"), leaf("Honest", HONEST)))
    project.outputs()
    project.run("--ppteval-json=results.json", "--ppteval-leaf-timeout=5")
    tasks = json.loads((project.pytester.path / "results.json").read_text("utf-8"))["tasks"]
    leaves = [child for task in tasks for child in task["scored_rubric"]["root"]["children"]]
    assert [one["score"] for one in leaves if one["name"] == "Honest"] == [1.0, 1.0, 1.0]
    assert [one["score"] for one in leaves if one["name"] == "Bomb"] == [None, None, None]


# What leaves are like: each is compiled ahead, or collecting a suite would lose by it.
ORDINARY = [
    HONEST,
    "def f(a: dict[str, list[tuple[int, str]]]) -> str:\n    return f\"{a['x'][0]:>{10}} {a!r} {{}} {sum(b)}\"",
    "text = '''it's (((((((((((((((((((((( '''  # and it's ((((((\nother = \"\\\"(((((((((((((\"",
    "raw = r'\\d+\\'' + rf'{text}\\d' + b'\\x00' + Rb'['",
    'a = "" + \'\' + f"" + """"quoted" """ + f"""{a}\n{b:{c}}"""',
    "if'a'in b or not\"x\"in c: pass",
    "with open(a) as b, \\\n     open(c) as d:\n    assert b, \\\n        d",
    "prompt = (\n" + "    'a long line of a prompt (with brackets'\n" * 200 + ")",
    "x = {\n" + "".join(f"    'key {n}': [{n}, ({n}, {n})],\n" for n in range(150)) + "}",
]


@pytest.mark.parametrize("code", ORDINARY)
def test_ordinary_code_is_known_to_be_harmless(code: str) -> None:
    compile(code, "code", "exec")
    assert is_bounded(code)


@pytest.mark.parametrize(
    "code",
    [
        *(BOMBS[name] for name in BOMBS if name not in ("a fence with blanks", "nested finally")),
        # Where versions of Python differ on the end of a string, nothing is certain.
        "f'{'a'}' + " + nested("(", ")", 6),
        "f'{a['" + nested("(", ")", 90) + "']}'",
        "f'''{a\n}'''",
        "rf'\\{a}'",
        "f'\\{a}'",
        "t'{' '}'",
        "a \\ b",
        "(]",
        ")(",
        "'''",
        "'a\nb'",
    ],
)  # fmt: skip
def test_what_is_not_certain_is_left_to_the_leaf(code: str) -> None:
    assert not is_bounded(code)


def test_the_code_of_this_package_is_mostly_harmless() -> None:
    """A check that called everything dangerous would pass the tests above."""
    from pathlib import Path

    import pytest_ppteval

    texts = [path.read_text("utf-8") for path in Path(pytest_ppteval.__file__).parent.rglob("*.py")]
    assert sum(map(is_bounded, texts)) > 0.9 * len(texts)
