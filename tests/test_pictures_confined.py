"""A deck can't make the renderer fetch addresses or draw other files: it has no sockets and reads nothing else."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pptx import Presentation
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.util import Inches
from renderers_here import RENDERERS, needs

from pytest_ppteval.picture import process
from pytest_ppteval.picture.studio import Studio
from pytest_ppteval.sandbox.confine.policy import Mode, make_plan

MAGENTA = (255, 0, 255)
_EMBED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}link"


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A web server on loopback that serves a picture: its address, and the paths that it was asked for."""
    asked: list[str] = []
    picture = png(MAGENTA)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.send_header("Content-Length", str(len(picture)))
            self.end_headers()
            self.wfile.write(picture)

        do_HEAD = do_OPTIONS = do_PROPFIND = do_GET  # noqa: N815 - http.server's names

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def png(colour: tuple[int, int, int]) -> bytes:
    stream = BytesIO()
    Image.new("RGB", (64, 64), colour).save(stream, "PNG")
    return stream.getvalue()


def deck_with(tmp_path: Path, change: Any) -> Path:
    """A deck of one slide with a white picture on it, changed."""
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    picture = slide.shapes.add_picture(BytesIO(png((255, 255, 255))), Inches(1), Inches(1), Inches(4), Inches(4))
    change(slide, picture._element.find(".//{*}blip"))
    path = tmp_path / "deck.pptx"
    deck.save(str(path))
    return path


def linked(address: str) -> Any:
    def change(slide: Any, blip: Any) -> None:
        del blip.attrib[_EMBED]
        blip.set(_LINK, slide.part.rels.get_or_add_ext_rel(RELATIONSHIP_TYPE.IMAGE, address))

    return change


def svg(address: str) -> Any:
    content = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="64" height="64">'
        f'<rect width="64" height="64" fill="#fff"/><image width="64" height="64" xlink:href="{address}"/></svg>'
    )

    def change(slide: Any, blip: Any) -> None:
        part = Part(PackURI("/ppt/media/drawing1.svg"), "image/svg+xml", slide.part.package, content.encode())
        blip.set(_EMBED, slide.part.relate_to(part, RELATIONSHIP_TYPE.IMAGE))

    return change


def magenta_drawn(renderer: str, deck: Path, mode: Mode, tmp_path: Path) -> bool:
    """Whether the slide's picture shows what the deck must not reach."""
    studio = Studio(needs(renderer), None, make_plan(mode)[0])
    into = tmp_path / f"into-{mode}"
    into.mkdir()
    try:
        failed = studio.draw(studio.open(deck), [1], into)
    finally:
        studio.close()
    assert failed == {}
    picture = Image.open(into / "slide_0001.png").convert("RGB")
    return any(colour == MAGENTA for _, colour in picture.getcolors(1 << 24) or ())


@pytest.fixture
def without_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away LibreOffice's own setting against linked files: confinement alone has to do."""
    monkeypatch.setattr(process, "_PROFILE", process._PROFILE.replace("BlockUntrustedRefererLinks", "Nothing"))


def full_level_or_skip() -> None:
    level = make_plan("auto")[1]
    if level.name != "full":
        pytest.skip(f"the renderer can't be confined here: {level}")


@pytest.mark.slow  # starts LibreOffice twice
@pytest.mark.usefixtures("without_settings")
@pytest.mark.parametrize("way", [linked, svg])
def test_libreoffice_draws_no_other_file(tmp_path: Path, way: Any) -> None:
    full_level_or_skip()
    canary = tmp_path / "secret.png"
    canary.write_bytes(png(MAGENTA))
    deck = deck_with(tmp_path, way(canary.as_uri()))
    # Without confinement it does: else this test would prove nothing.
    assert magenta_drawn("libreoffice", deck, "off", tmp_path)
    assert not magenta_drawn("libreoffice", deck, "auto", tmp_path)


@pytest.mark.slow  # starts LibreOffice twice
@pytest.mark.usefixtures("without_settings")
def test_libreoffice_fetches_no_address(tmp_path: Path, listener: tuple[str, list[str]]) -> None:
    full_level_or_skip()
    address, asked = listener
    deck = deck_with(tmp_path, linked(f"{address}/picture.png"))
    assert not magenta_drawn("libreoffice", deck, "auto", tmp_path)
    assert asked == []
    magenta_drawn("libreoffice", deck, "off", tmp_path)
    assert "/picture.png" in asked


@pytest.mark.parametrize("way", [linked, svg])
def test_betteroffice_neither(tmp_path: Path, way: Any, listener: tuple[str, list[str]]) -> None:
    address, asked = listener
    canary = tmp_path / "secret.png"
    canary.write_bytes(png(MAGENTA))
    for name, target in (("file", canary.as_uri()), ("address", f"{address}/picture.png")):
        (tmp_path / name).mkdir()
        assert not magenta_drawn("betteroffice", deck_with(tmp_path / name, way(target)), "auto", tmp_path / name)
    assert asked == []


@pytest.mark.parametrize("renderer", RENDERERS)
def test_the_renderers_own_folder_is_gone_afterwards(renderer: str, tmp_path: Path) -> None:
    deck = deck_with(tmp_path, lambda slide, blip: None)
    studio = Studio(needs(renderer), tmp_path / "cache", make_plan("auto")[0])
    studio.open(deck)
    process = studio._process_now()
    work, running = process.work, process._running
    assert work.is_dir()
    assert running is not None
    studio.close()
    assert not work.exists()
    assert running.returncode is not None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "deck.pptx"]
