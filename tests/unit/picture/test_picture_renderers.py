"""Which renderer is chosen."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from pytest_ppteval.picture import renderers
from pytest_ppteval.picture.renderers import NoRenderer, Renderer, choose, why_not


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[set[str], Path]:
    """Python packages that are there, and a folder that stands for LibreOffice's programs (there when it is made)."""
    packages: set[str] = set()
    program = tmp_path / "office" / "program"
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, package=None: (
            (find("json") if name in packages else None)
            if name in ("pypdfium2", "betteroffice_pptx")
            else find(name, package)
        ),
    )
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr(renderers, "_PROGRAMS", (str(program),))
    monkeypatch.setattr("sys.platform", "linux")
    return packages, program


def install(program: Path) -> None:
    program.mkdir(parents=True)
    (program / "libmergedlo.so").touch()
    (program / "versionrc").write_text("[Version]\nbuildid=abc123\n", "utf-8")
    registry = program.parent / "share" / "registry"
    registry.mkdir(parents=True)
    (registry / "main.xcd").write_text(
        '<prop oor:name="ooSetupVersionAboutBox" oor:type="xs:string"><value/></prop>'
        '<prop oor:name="ooSetupVersionAboutBox">\n <value>24.8.4.2</value></prop>',
        "utf-8",
    )


def test_libreoffice_first_with_its_version(machine: tuple[set[str], Path]) -> None:
    packages, program = machine
    packages |= {"pypdfium2", "betteroffice_pptx"}
    install(program)
    assert choose("auto") == Renderer("libreoffice", "24.8.4.2", program, "abc123")
    assert str(choose("auto")) == "libreoffice 24.8.4.2"


def test_betteroffice_where_libreoffice_or_its_pdf_reader_is_missing(
    machine: tuple[set[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    packages, program = machine
    packages |= {"betteroffice_pptx"}
    monkeypatch.setattr("importlib.metadata.version", lambda _: "0.2.1")
    assert choose("auto") == Renderer("betteroffice", "0.2.1")
    install(program)
    assert choose("auto") == Renderer("betteroffice", "0.2.1")
    found = choose("libreoffice")
    assert isinstance(found, NoRenderer)
    assert "pypdfium2 isn't: pip install 'pytest-ppteval[pictures]'" in found.reason


def test_none_with_the_remedy(machine: tuple[set[str], Path]) -> None:
    found = choose("auto")
    assert isinstance(found, NoRenderer)
    assert "pip install 'pytest-ppteval[pictures]'" in found.reason
    assert "\n" not in found.reason
    for choice in ("libreoffice", "betteroffice"):
        assert isinstance(choose(choice), NoRenderer)


def test_none_when_asked_for(machine: tuple[set[str], Path]) -> None:
    packages, program = machine
    packages |= {"pypdfium2", "betteroffice_pptx"}
    install(program)
    assert choose("none") == NoRenderer("--ppteval-renderer=none")


def test_one_that_is_asked_for_by_its_name_must_be_there(machine: tuple[set[str], Path]) -> None:
    packages, program = machine
    assert "apt-get install libreoffice-impress-nogui" in why_not("libreoffice")
    assert "pip install 'pytest-ppteval[pictures]'" in why_not("betteroffice")
    # Whoever asks for none, or leaves the choice to us, has asked for nothing that could be missing.
    assert why_not("auto") == why_not("none") == ""
    packages.add("pypdfium2")
    install(program)
    assert why_not("libreoffice") == ""
