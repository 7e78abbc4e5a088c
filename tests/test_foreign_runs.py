"""What the plugin costs and changes where there is nothing for it to do: next to nothing, and nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

HEAVY = ("pptx", "lxml", "PIL", "anthropic", "numpy", "yaml", "jsonschema", "jinja2", "xml.etree")


def test_nothing_heavy_is_imported_by_a_run_without_rubrics(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import sys
        def test_light():
            loaded = [name for name in {HEAVY!r} if name in sys.modules]
            assert loaded == []
        """
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:anyio", "-p", "no:hypothesispytest"]
    env_plugins = subprocess.run([*command, "-p", "no:junitxml"], capture_output=True, text=True, cwd=pytester.path)
    assert env_plugins.returncode == 0, env_plugins.stdout


def test_a_foreign_run_has_the_same_results_with_and_without(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        def test_pass(): pass
        def test_fail(): assert 0
        @pytest.mark.parametrize("x", [1, 2])
        def test_param(x): assert x == 1
        def test_sub(subtests):
            for i in range(3):
                with subtests.test(i=i):
                    assert i != 1
        @pytest.mark.xfail
        def test_xfail(): assert 0
        def test_skip(): pytest.skip("why")
        """
    )
    pytester.makefile(".json", tasks='{"version": 1}', data="[1, 2", rubric="{}")
    pytester.makefile(".yaml", ci="on: push")

    def outcomes(*arguments: str) -> list[str]:
        result = pytester.runpytest_subprocess(
            "-rA", "-W", "error", "--strict-markers", "-p", "no:randomly", *arguments
        )
        return [
            re.sub(r"0x[0-9a-f]+", "0x", line)
            for line in result.outlines
            if " in " not in line and not line.startswith("plugins:")
        ]

    assert outcomes() == outcomes("-p", "no:ppteval")


def test_a_foreign_run_loads_no_more_than_the_plugin_s_door(pytester: pytest.Pytester) -> None:
    """Each further module costs every user of pytest about a millisecond a run."""
    pytester.makepyfile(
        """
        import sys
        def test_loaded():
            ours = {name for name in sys.modules if name.startswith("pytest_ppteval.")}
            door = "case case.discover choices plugin session"
            of_session = "declare fixtures process reporter selection stash"
            names = [*door.split(), *(f"session.{name}" for name in of_session.split())]
            assert ours <= {f"pytest_ppteval.{name}" for name in names}
        """
    )
    pytester.makefile(".json", package="{}")
    result = pytester.runpytest_subprocess("-v")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("ppteval:*")


def test_the_plugin_works_without_xdist_and_cacheprovider(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_ok(): pass")
    result = pytester.runpytest_subprocess("-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:terminal")
    assert result.ret == 0


def test_import_time_is_spent_on_light_modules_only(pytester: pytest.Pytester) -> None:
    """The budget is 30 ms; bench/ measures it. Here: no module that is known to take long."""
    code = (
        "import pytest, sys, json; before = set(sys.modules); import pytest_ppteval.plugin; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout)
    assert not [name for name in loaded if name.split(".")[0] in HEAVY]
    assert [name for name in loaded if name.startswith("pytest_ppteval")]
