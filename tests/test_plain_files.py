"""What an agent left is opened in one way: a plain file, no link on the path, never waiting, never without end."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_ppteval.files.plain import NotPlain, apart, is_folder, link_in, open_plain, read_json, read_plain
from pytest_ppteval.files.tree import files, remove, walk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are made as on POSIX")


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """A run's folder with everything in it that is no plain file, and one that is."""
    (tmp_path / "secret").write_text("password")
    run = tmp_path / "run"
    (run / "in").mkdir(parents=True)
    (run / "in" / "good.txt").write_text("good")
    (run / "link").symlink_to("in/good.txt")
    (run / "out").symlink_to(tmp_path / "secret")
    (run / "up").symlink_to("..")
    (run / "gone").symlink_to("nowhere")
    (run / "zero").symlink_to("/dev/zero")
    os.mkfifo(run / "pipe")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(os.path.relpath(run / "socket"))
    return run


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("link", "link is a symbolic link, which is not followed"),
        ("out", "out is a symbolic link, which is not followed"),
        ("gone", "gone is a symbolic link, which is not followed"),
        ("zero", "zero is a symbolic link, which is not followed"),
        ("up/secret", "up is a symbolic link, which is not followed"),
        ("pipe", "pipe is no plain file: it is a pipe"),
        ("socket", "socket is no plain file: it is a socket"),
        ("in", "in is a folder"),
        ("none", "none is not there"),
        ("in/good.txt/x", "in/good.txt is no folder"),
        ("../secret", "../secret is not below "),
        ("in/../../secret", "in/../../secret is not below "),
        ("/etc/hostname", "/etc/hostname is not below "),
        ("a\0b", "a\\0b is not below "),
        ("x" * 300, "x" * 300 + " can't be read: File name too long"),
    ],
)
def test_what_is_no_plain_file(left: Path, name: str, why: str) -> None:
    with pytest.raises(NotPlain) as raised:
        open_plain(left, name)
    assert str(raised.value).startswith(why)


def test_a_plain_file(left: Path) -> None:
    assert read_plain(left, "in/good.txt") == b"good"
    base, start = apart(left)
    assert read_plain(base, f"{start}in/good.txt") == b"good"


def test_links_above_are_the_users(left: Path) -> None:
    """/tmp is a link on macOS, and a home folder may be one."""
    (left.parent / "mine").symlink_to(left)
    assert read_plain(left.parent / "mine", "in/good.txt") == b"good"
    # But where the folder itself is in question, it is no folder.
    base, start = apart(left.parent / "mine")
    with pytest.raises(NotPlain, match=r"^mine is a symbolic link, which is not followed$"):
        open_plain(base, f"{start}in/good.txt")
    assert (is_folder(left), is_folder(left.parent / "mine")) == (True, False)
    assert (link_in(left.parent, "mine/in"), link_in(left.parent, "run/in")) == ("mine", None)


def test_a_limit_is_named(left: Path) -> None:
    with pytest.raises(NotPlain, match=r"^in/good.txt has 4 bytes, more than the 3 that are read$"):
        read_plain(left, "in/good.txt", 3)
    assert read_plain(left, "in/good.txt", 4) == b"good"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[" * 100_000, "is nested too deep to be read as JSON"),
        (b"9" * 5_000, "can't be read as JSON: "),
        (b"{", "can't be read as JSON: "),
        (b"\xff", "can't be read as JSON: "),
        (b"", "can't be read as JSON: "),
    ],
)
def test_hostile_json(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(NotPlain) as raised:
        read_json(tmp_path, "a.json")
    assert raised.value.why.startswith(why)


# ---- folders ---------------------------------------------------------------------------------------------------------


def make_deep(root: Path, depth: int, name: str) -> None:
    """Folders in folders, the deepest of which no path reaches; a file in each hundredth."""
    here = os.open(root, os.O_RDONLY)
    for number in range(depth):
        os.mkdir(name, dir_fd=here)
        if number % 100 == 0:
            os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


@pytest.mark.parametrize(("depth", "name"), [(1_500, "d"), (300, "d" * 200)])
def test_folders_a_thousand_deep(tmp_path: Path, depth: int, name: str) -> None:
    """All is seen and all is removed; only what a path can reach has a name."""
    root = tmp_path / "root"
    root.mkdir()
    make_deep(root, depth, name)
    found = list(walk(root))
    assert len([one for one in found if stat.S_ISDIR(one.facts.st_mode)]) == depth
    assert len([one for one in found if stat.S_ISREG(one.facts.st_mode)]) == depth // 100
    assert sorted(files(root)) == ["file"]
    assert remove(root)
    assert not root.exists()


def test_many_files(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for number in range(3_000):
        (root / str(number)).touch()
    assert len(list(files(root))) == 3_000
    assert remove(root)


def test_what_lies_behind_a_link_stays(left: Path) -> None:
    (left.parent / "tree").symlink_to(left)
    assert list(walk(left.parent / "tree")) == []
    assert remove(left.parent / "tree")
    assert remove(left)
    assert [path.name for path in left.parent.iterdir()] == ["secret"]


def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    root = tmp_path / "root"
    os.makedirs(os.fsencode(root) + b"/\xff/\xfe")
    open(os.fsencode(root) + b"/\xff/\xfe/\xfd", "wb").close()
    assert list(files(root)) == ["\udcff/\udcfe/\udcfd"]
    assert remove(root)


def test_without_the_rights_to_read() -> None:
    """As somebody who is not root: locked folders are read where they may be unlocked, and removed."""
    script = f"""
import os, sys, tempfile
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from pytest_ppteval.files.tree import files, remove
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
root = Path(tempfile.mkdtemp()) / "root"
(root / "a" / "b").mkdir(parents=True)
(root / "a" / "b" / "f").touch()
(root / "a" / "b").chmod(0)
(root / "a").chmod(0o500)
root.chmod(0)
assert list(files(root)) == []
assert list(files(root, unlock=True)) == ["a/b/f"]
(root / "a" / "b").chmod(0); (root / "a").chmod(0o500); root.chmod(0)
assert remove(root.parent)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="only root makes files immutable")
def test_immutable_files(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "in").mkdir(parents=True)
    (root / "in" / "file").touch()
    done = subprocess.run(["chattr", "+i", root / "in" / "file", root / "in"], check=False, capture_output=True)
    if done.returncode != 0:
        pytest.skip("this file system has no such flag")
    assert remove(root)


# ---- what is judged --------------------------------------------------------------------------------------------------

CASE = """\
id: t
prompt: do it
budget: {seconds: 100}
expected_behavior:
  - response_contains: password
  - file_exists: report.md
"""


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        pytest.param("run/response.md -> ../secret", "response.md is a symbolic link", id="response"),
        pytest.param("run/workspace -> ../elsewhere", "workspace is no folder", id="workspace"),
        pytest.param("run/metrics.json -> /dev/zero", "metrics.json is a symbolic link", id="metrics"),
        pytest.param("run/metrics.json fifo", "metrics.json is no plain file: it is a pipe", id="metrics pipe"),
        pytest.param("run/response.md fifo", "response.md is no plain file: it is a pipe", id="response pipe"),
        pytest.param("run/metrics.json huge", "seconds is 1000000", id="a huge number"),
        pytest.param("run/metrics.json deep", "is nested too deep to be read as JSON", id="deep metrics"),
        pytest.param("run -> elsewhere", "is a symbolic link, which is not followed", id="the run's folder"),
    ],
)
def test_a_folder_of_results(pytester: pytest.Pytester, spoil: str, said: str) -> None:
    """Nothing behind a link is shown, nothing waits, nothing is taken for passed."""
    pytester.makefile(".case.yaml", a=CASE)
    results = pytester.mkdir("results")
    (results / "secret").write_text("password")
    for name in ("t", "elsewhere"):
        (results / name / "workspace").mkdir(parents=True)
        (results / name / "response.md").write_text("password")
        (results / name / "metrics.json").write_text('{"seconds": 1}')
        (results / name / "workspace" / "report.md").write_text("x")
    place, _, how = spoil.replace("run", "t", 1).partition(" ")
    target = results / place
    if target.is_dir():
        assert remove(target)
    target.unlink(missing_ok=True)
    match how.split():
        case ["->", to]:
            target.symlink_to(to)
        case ["fifo"]:
            os.mkfifo(target)
        case ["huge"]:
            target.write_text(json.dumps({"seconds": 10**400}))
        case _:
            target.write_text("[" * 100_000)
    begun = time.monotonic()
    done = pytester.runpytest_subprocess("--ppteval-outputs=results", "-rA", timeout=120)
    assert time.monotonic() - begun < 100
    assert done.ret == 1
    text = " ".join(done.stdout.str().split())
    assert said in text
    assert "INTERNALERROR" not in text
