"""The cache of pictures: whole pictures only, one at work at a time, old ones dropped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from pytest_ppteval.picture.cache import BadPictureError, Cache
from pytest_ppteval.picture.files import Facts, Line, file_name, for_model, png_bytes

KEY, OTHER = "ab" * 32, "cd" * 32


def png(colour: str = "red") -> bytes:
    stream = BytesIO()
    Image.new("RGB", (4, 3), colour).save(stream, "PNG")
    return stream.getvalue()


def drawn(folder: Path, number: int = 1, *, jpeg: bool = False) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / file_name(number)).write_bytes(png())
    (folder / file_name(number, ".json")).write_bytes(Facts("test 1", 960.0, 720.0).to_json())
    if jpeg:
        Image.new("RGB", (4, 3)).save(folder / file_name(number, ".jpg"))
    return folder


def test_a_picture_comes_back_as_it_was_published(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    into = tmp_path / "into"
    into.mkdir()
    assert not cache.has(KEY)
    assert not cache.copy(KEY, into, 3)
    assert list(into.iterdir()) == []
    cache.publish(KEY, drawn(tmp_path / "out", 1, jpeg=True), 1)
    assert cache.has(KEY)
    assert cache.copy(KEY, into, 3)
    assert sorted(file.name for file in into.iterdir()) == ["slide_0003.jpg", "slide_0003.json", "slide_0003.png"]
    assert (into / "slide_0003.png").read_bytes() == png()
    assert for_model(str(into / "slide_0003.png")).endswith("slide_0003.jpg")


def test_what_two_processes_publish_under_one_key_stays_whole(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    cache.publish(KEY, drawn(tmp_path / "out"), 1)
    cache.publish(KEY, drawn(tmp_path / "out"), 1)
    assert len(list(cache.root.rglob("slide.png"))) == 1
    assert list(cache.root.rglob(".new-*")) == []


def test_what_a_renderer_leaves_is_not_trusted(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    out = drawn(tmp_path / "out")
    (out / "slide_0001.png").write_bytes(b"MZ no picture")
    with pytest.raises(BadPictureError, match="no picture"):
        cache.publish(KEY, out, 1)
    (out / "slide_0001.png").unlink()
    (out / "slide_0001.png").symlink_to(__file__)
    with pytest.raises(BadPictureError, match="symbolic link"):
        cache.publish(KEY, out, 1)
    drawn(tmp_path / "out2")
    (tmp_path / "out2" / "slide_0001.json").write_text('{"version": 1, "renderer": "x", "width": 1e999}', "utf-8")
    with pytest.raises(BadPictureError):
        cache.publish(KEY, tmp_path / "out2", 1)
    assert not cache.has(KEY)


def test_facts_survive_the_way_through_json() -> None:
    facts = Facts("libreoffice 1", 960.0, 540.0, (Line("年报 & \ud800 co", 1.5, 2.25, 30.0, 40.0, 18.0, "#12AB34"),))
    again = Facts.from_json(facts.to_json())
    assert again.lines[0].text == "年报 & ? co"
    assert (again.renderer, again.width, again.lines[0].bottom) == ("libreoffice 1", 960.0, 40.0)
    for wrong in (
        "[]",
        "{}",
        '{"version": 2}',
        '{"version": 1, "renderer": "", "width": 1, "height": NaN, "lines": []}',
    ):
        with pytest.raises(ValueError):
            Facts.from_json(wrong.encode())
    row = {"text": 3, "left": 0, "top": 0, "right": 0, "bottom": 0, "size": 1}
    with pytest.raises(ValueError):
        Facts.from_json(json.dumps({"version": 1, "renderer": "", "width": 1, "height": 1, "lines": [row]}).encode())


def test_another_process_waits_for_who_draws_the_same_picture(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    code = (
        "import sys, time; from pathlib import Path; from pytest_ppteval.picture.cache import Cache\n"
        f"with Cache(Path(sys.argv[1])).locked(['{OTHER}', '{KEY}']): print('mine', flush=True)"
    )
    with cache.locked([KEY]):
        other = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(1.0)
    assert other.communicate(timeout=30)[0] == "mine\n"


def test_a_process_that_dies_frees_its_locks(tmp_path: Path) -> None:
    code = (
        "import sys, os; from pathlib import Path; from pytest_ppteval.picture.cache import Cache\n"
        f"with Cache(Path(sys.argv[1])).locked(['{KEY}']): os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == 9
    with Cache(tmp_path).locked([KEY]):
        pass


def test_the_pictures_that_were_not_looked_at_for_longest_go_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    for key in (KEY, OTHER):
        cache.publish(key, drawn(tmp_path / "out"), 1)
    old = time.time() - 3600
    for key in (KEY, OTHER):
        os.utime(cache.root / key[:2] / key, (old, old))
    (tmp_path / "into").mkdir()
    cache.copy(KEY, tmp_path / "into", 1)
    size = sum(file.stat().st_size for file in (cache.root / KEY[:2] / KEY).iterdir())
    cache.prune(most=size)
    assert cache.has(KEY)
    assert not cache.has(OTHER)


@pytest.mark.parametrize("size", [(1, 1), (7, 1), (1, 5), (64, 33)])
def test_our_png_holds_every_pixel(size: tuple[int, int]) -> None:
    picture = Image.frombytes("RGB", size, os.urandom(size[0] * size[1] * 3))
    again = Image.open(BytesIO(png_bytes(picture)))
    assert (again.format, again.mode, again.size) == ("PNG", "RGB", size)
    assert again.tobytes() == picture.tobytes()
