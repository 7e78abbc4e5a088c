"""What leaves import is made ready ahead for all of them; no leaf's import takes that from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sandbox_leaves import mode, no_model  # noqa: F401 - a fixture
from small_project import leaf, rubric

from pytest_ppteval.sandbox.host import Job, Sandbox

if TYPE_CHECKING:
    from pathlib import Path

    from small_project import Project

    from pytest_ppteval.sandbox.confine.policy import Mode

HONEST = "def compute_score():\n    return 'honest', 1.0\n"


@pytest.mark.parametrize(
    "ends_a_process",
    ["numpy.f2py.__main__", "numpy.testing.print_coercion_tables", "asyncio.__main__", "json.tool", "antigravity"],
)
def test_a_module_that_is_a_program_is_not_imported_ahead(mode: Mode, ends_a_process: str) -> None:  # noqa: F811 - pytest's fixtures
    """Such a module, imported by the process that all others are forked from, would end it."""
    asks = f"if False:\n    import {ends_a_process}\n{HONEST}"
    loaded = f"import sys\ndef compute_score():\n    return str({ends_a_process!r} in sys.modules), 1.0\n"
    with Sandbox(mode, preload=[ends_a_process, "numpy"]) as sandbox, sandbox.open(None, None) as session:
        assert session.run(Job(code=asks), no_model).reason == "honest"
        assert session.run(Job(code=loaded), no_model).reason == "False"


def test_a_library_that_ends_the_process_that_imports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken as an installed one may be: the first process goes on without it."""
    from pytest_ppteval.sandbox import launch
    from pytest_ppteval.sandbox.hosting import processes

    boot = launch.boot
    breaks = (
        "import importlib.machinery\n"
        "run = importlib.machinery.SourceFileLoader.exec_module\n"
        "def exec_module(loader, module):\n"
        "    if module.__name__ == 'numpy': raise SystemExit(3)\n"
        "    run(loader, module)\n"
        "importlib.machinery.SourceFileLoader.exec_module = exec_module\n"
    )

    def broken(call: str) -> str:
        first, rest = boot(call).split("\n", 1)
        return f"{first}\n{breaks}{rest}"

    monkeypatch.setattr(processes, "boot", broken)
    with Sandbox(preload=["numpy"]) as sandbox, sandbox.open(None, None) as session:
        assert session.run(Job(code=HONEST), no_model).score == 1.0


def test_the_first_process_can_write_and_start_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The code of libraries runs there; what it tries is refused before anything is imported."""
    from pytest_ppteval.sandbox import launch
    from pytest_ppteval.sandbox.hosting import processes

    boot = launch.boot
    tries = (
        "from pytest_ppteval.sandbox.inside import zygote\n"
        "import os, socket, subprocess\n"
        "def tried(names):\n"
        "    done = []\n"
        f"    for name, act in dict(writes=lambda: open({str(tmp_path)!r} + '/new', 'w'),"
        "                           starts=lambda: subprocess.run(['/bin/true']),"
        "                           connects=lambda: socket.socket().bind(('127.0.0.1', 0))).items():\n"
        "        try: act(); done.append(name)\n"
        "        except OSError: pass\n"
        "    os.environ['DONE'] = ' '.join(done) or 'nothing'\n"
        "    preload(names)\n"
        "preload, zygote.preload = zygote.preload, tried\n"
    )

    def broken(call: str) -> str:
        first, rest = boot(call).split("\n", 1)
        return f"{first}\n{tries}{rest}"

    monkeypatch.setattr(processes, "boot", broken)
    code = "import os\ndef compute_score():\n    return os.environ['DONE'], 1.0\n"
    with Sandbox() as sandbox:
        if sandbox.level.name != "full":
            pytest.skip("this machine lacks Landlock or seccomp")
        with sandbox.open(None, None) as session:
            assert session.run(Job(code=code), no_model).reason == "nothing"


def test_one_leaf_s_import_leaves_the_other_tasks_their_verdicts(project: Project) -> None:
    project.task("a", rubric(leaf("Ends it", f"if False:\n    import numpy.f2py.__main__\n{HONEST}")))
    project.task("b", rubric(leaf("Honest", HONEST)))
    project.outputs()
    result = project.run()
    result.assert_outcomes(passed=2)
