"""The levels of confinement."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from pytest_ppteval.sandbox.confine import linux
from pytest_ppteval.sandbox.confine.policy import ABI_VARIABLE, LAYERS_VARIABLE, SandboxUnavailable, probe

needs_both = pytest.mark.skipif(
    not linux.landlock_abi() or bool(linux.seccomp_missing()), reason="this machine lacks Landlock or seccomp"
)


@needs_both
def test_each_level_names_what_it_rests_on() -> None:
    full = probe("auto")
    assert (full.name, str(full)) == ("full", f"full (Landlock ABI {linux.landlock_abi()}, seccomp)")
    assert str(probe("auto", max_landlock_abi=1)) == "full (Landlock ABI 1, seccomp)"
    assert str(probe("auto", layers=["landlock"])).startswith("partial (Landlock ABI ")
    assert str(probe("auto", layers=["seccomp"])) == "partial (no Landlock: switched off, seccomp)"
    assert probe("auto", layers=[]).name == "weak"
    assert probe("off").name == "off"


@needs_both
@pytest.mark.parametrize("layers", [["landlock"], ["seccomp"], []])
def test_require_insists_on_both_and_says_what_to_do(layers: list[str]) -> None:
    assert probe("require").name == "full"
    with pytest.raises(SandboxUnavailable, match=r"only (partial|weak) .*Linux 5\.13.*--ppteval-sandbox=auto"):
        probe("require", layers=layers)  # type: ignore[arg-type]  # the names of layers


@needs_both
def test_the_environment_can_take_layers_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LAYERS_VARIABLE, "seccomp")
    assert probe("auto").name == "partial"
    monkeypatch.setenv(LAYERS_VARIABLE, "none")
    assert probe("auto").name == "weak"
    monkeypatch.setenv(LAYERS_VARIABLE, "")
    monkeypatch.setenv(ABI_VARIABLE, "2")
    assert probe("auto").detail.startswith("Landlock ABI 2,")
    monkeypatch.setenv(LAYERS_VARIABLE, "landlok")
    with pytest.raises(ValueError, match="'landlok' is none of landlock, seccomp, none"):
        probe("auto")


def test_probing_is_quick() -> None:
    probe("auto")
    started = time.perf_counter()
    for _ in range(10):
        probe("auto")
    assert (time.perf_counter() - started) / 10 < 0.005


def test_the_hosts_side_imports_nothing_heavy() -> None:
    code = (
        "import sys; import pytest_ppteval.sandbox.host, pytest_ppteval.sandbox.confine.policy as p; p.probe('auto');"
        "print([m for m in ('pptx', 'lxml', 'PIL', 'numpy', 'asyncio', 'xml.etree') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
