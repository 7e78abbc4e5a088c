"""What the built-in agent's code may not do, tried: each attempt is refused, or stopped, and the next code runs.

Each attempt says `got` if it got what it wanted. At sandbox "off" it has to: else its refusal would prove nothing.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from messages_server import KEY
from sandbox_processes import gone

from pytest_ppteval.agent.builtin import confined
from pytest_ppteval.agent.builtin.confined import Confined, Done, Limits
from pytest_ppteval.agent.builtin.ending import Trouble
from pytest_ppteval.sandbox import launch
from pytest_ppteval.sandbox.confine.policy import make_plan, probe

pytestmark = pytest.mark.skipif(probe("auto").name != "full", reason="the agent's code can't be confined here")


@dataclass(frozen=True)
class Attempt:
    """name: what it tries. code: see above. canary: whether it is known to work where nothing is confined."""

    name: str
    code: str
    canary: bool = True


ATTEMPTS = [
    Attempt("read a private key", "got(open(SECRET).read() == 'key')"),
    Attempt("read it by a way around", "got(open(WORKSPACE + '/../home/key').read())"),
    Attempt("list the home folder", "got(os.listdir(HOME))"),
    Attempt("list the folder above the workspace", "got(os.listdir('..'))"),
    Attempt("read /etc/passwd", "got(open('/etc/passwd').read())"),
    Attempt("write into the home folder", "open(HOME + '/new', 'w').write('x'); got()"),
    Attempt("write over the private key", "open(SECRET, 'w').write('x'); got()"),
    Attempt("append to it", "open(SECRET, 'a').write('x'); got()"),
    Attempt("empty it", "os.truncate(SECRET, 0); got()"),
    Attempt("empty it by opening", "os.open(SECRET, os.O_RDONLY | os.O_TRUNC); got(os.stat(SECRET).st_size == 0)"),
    Attempt("delete it", "os.unlink(SECRET); got()"),
    Attempt("move it into the workspace", "os.rename(SECRET, 'mine'); got(open('mine').read())"),
    Attempt("move a file of the workspace out", "open('x', 'w'); os.rename('x', HOME + '/x'); got()"),
    Attempt("link to it", "os.symlink(SECRET, 'link'); got(open('link').read())"),
    Attempt("link to it hard", "os.link(SECRET, 'hard'); got(open('hard').read())"),
    Attempt("change its mode", "os.chmod(SECRET, 0o640); got(os.stat(SECRET).st_mode & 0o777 == 0o640)"),
    Attempt("change its times", "os.utime(SECRET, (1, 1)); got(os.stat(SECRET).st_mtime == 1)"),
    Attempt("write into /dev/shm", "path = f'/dev/shm/ppteval-{os.getpid()}'; open(path, 'w'); os.unlink(path); got()"),
    Attempt("connect by TCP", "socket.create_connection(('127.0.0.1', PORT), 1); got()"),
    Attempt("send by UDP", "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT)); got()"),
    Attempt("listen", "socket.create_server(('127.0.0.1', 0)); got()"),
    Attempt("read the key from its environment", "got(KEY in str(os.environ))", canary=False),
    Attempt("read the agent's environment", "got(b'PATH=' in open(f'/proc/{os.getppid()}/environ', 'rb').read())"),
    Attempt("read the agent's memory map", "got(open(f'/proc/{os.getppid()}/maps').read())"),
    Attempt("signal the agent", "os.kill(os.getppid(), 0); got()"),
    Attempt("signal its group", "os.killpg(os.getpgid(os.getppid()), 0); got()"),
    Attempt("kill another process", "os.kill(VICTIM, 9); got()"),
    Attempt("fork", "pid = os.fork()\nif not pid: os._exit(0)\nos.waitpid(pid, 0); got()"),
    Attempt("start a program", "import subprocess; subprocess.run(['/bin/echo', GOT], check=True)"),
    Attempt("become a program", "os.execv('/bin/echo', ['echo', GOT])"),
    Attempt("take memory that no limit counts", "os.write(os.memfd_create('x'), b'x'); got()"),
    Attempt("raise its limits", "resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)); got()", canary=False),
]
# These fail without an error: shutil.copy and the like would give up otherwise.
SILENT = ("change its mode", "change its times", "read the key from its environment")
START = """\
import os, resource, socket
GOT = " ".join(["GOT", "IT"])  # not as it would stand in a traceback
def got(it=True):
    if it:
        print(GOT)
"""


@dataclass
class Range:
    """A home with a secret, beside a workspace."""

    root: Path
    port: int
    victim: int
    limits: Limits

    def run(self, code: str, mode: str = "auto") -> Done:
        names = {
            "SECRET": str(self.secret),
            "HOME": str(self.secret.parent),
            "PORT": self.port,
            "VICTIM": self.victim,
            "KEY": KEY,
        }
        start = START + "".join(f"{name} = {value!r}\n" for name, value in names.items())
        plan = make_plan("off" if mode == "off" else "auto", max_landlock_abi=1 if mode == "old" else None)[0]
        return Confined(plan, self.workspace, self.limits).run({"do": "code", "code": start + code, "output": None})

    @property
    def secret(self) -> Path:
        return self.root / "home" / "key"

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Range]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    for name in ("home", "workspace"):
        (tmp_path / name).mkdir()
    limits = Limits(wall=2, cpu=4, disk=32 << 20, file_size=16 << 20, files=500, memory=512 << 20)
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as victim,
    ):
        found = Range(tmp_path, listening.getsockname()[1], victim.pid, limits)
        found.secret.write_text("key", "utf-8")
        found.secret.chmod(0o600)
        yield found
        victim.kill()


def _facts(path: Path) -> tuple[object, ...]:
    facts = path.stat()
    return path.read_bytes(), facts.st_mode, facts.st_mtime_ns, facts.st_nlink


def _refused(attempt: Attempt, place: Range, mode: str) -> None:
    before = _facts(place.secret)
    done = place.run(attempt.code, mode)
    assert "GOT IT" not in done.text
    assert done.good is (attempt.name in SILENT)
    assert _facts(place.secret) == before
    assert os.listdir(place.secret.parent) == ["key"]
    assert Path(f"/proc/{place.victim}").exists()


def test_all_attempts_in_one_process_are_refused(place: Range) -> None:
    before = _facts(place.secret)
    tried = "".join(
        f"try: exec({attempt.code!r}); print('silent', {attempt.name!r})\n"
        f"except OSError as error: print('refused', {attempt.name!r})\n"
        "except ValueError as error: print('limited')\n"
        for attempt in ATTEMPTS
    )
    done = place.run(tried)
    lines = done.text.splitlines()
    assert lines == [
        "limited" if a.name == "raise its limits" else f"{'silent' if a.name in SILENT else 'refused'} {a.name}"
        for a in ATTEMPTS
    ]
    assert _facts(place.secret) == before
    assert os.listdir(place.secret.parent) == ["key"]
    assert Path(f"/proc/{place.victim}").exists()


@pytest.mark.slow  # a process for each attempt: what one leaves behind might spoil the next
@pytest.mark.parametrize("attempt", ATTEMPTS, ids=[attempt.name for attempt in ATTEMPTS])
def test_an_attempt_is_refused(attempt: Attempt, place: Range) -> None:
    _refused(attempt, place, "auto")


@pytest.mark.slow  # a process for each attempt
@pytest.mark.parametrize("attempt", ATTEMPTS, ids=[attempt.name for attempt in ATTEMPTS])
def test_an_attempt_is_refused_with_the_first_landlock_too(attempt: Attempt, place: Range) -> None:
    """It knows neither emptying files nor networks nor signals: the filter makes up for it."""
    _refused(attempt, place, "old")


@pytest.mark.slow  # a process for each attempt
@pytest.mark.parametrize("attempt", [a for a in ATTEMPTS if a.canary], ids=[a.name for a in ATTEMPTS if a.canary])
def test_an_attempt_works_where_nothing_is_confined(attempt: Attempt, place: Range) -> None:
    assert "GOT IT" in place.run(attempt.code, "off").text


ABUSES = {
    "an endless loop": ("while True: pass", "[stopped after 2 s]"),
    "endless sleep": ("import time; time.sleep(600)", "[stopped after 2 s]"),
    "a loop in threads": (
        "import threading\nfor _ in range(4): threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()",
        "[stopped after 2 s]",
    ),
    "a loop that says nothing any more": ("os.close(1); os.close(2)\nwhile True: pass", "[stopped after 2 s]"),
    "a fork bomb": ("while True: os.fork()", "PermissionError: [Errno 1] Operation not permitted"),
    "endless output": ("while True: print('x' * 1000)", "[stopped: it printed more than 8 MiB]"),
    "too much memory": ("x = bytearray(1 << 30)", "MemoryError"),
    "a crash": ("import ctypes; ctypes.string_at(0)", "[killed by SIGSEGV]"),
    "too large a file": (
        "with open('large', 'wb') as file:\n    for _ in range(17): file.write(bytes(1 << 20))",
        "File too large",
    ),
    "too many bytes on disk": (
        "import time\nfor i in range(4): open(f'x{i}', 'wb').write(bytes([1]) * (15 << 20))\ntime.sleep(600)",
        "[stopped: more than 32 MiB in the workspace]",
    ),
    "too many files": (
        "import time\nfor i in range(600): open(f'x{i}', 'w').close()\ntime.sleep(600)",
        "[stopped: more than 500 files in the workspace, or folders too deep in each other]",
    ),
    "folders without end": (
        "import time\nfor i in range(200): os.mkdir('x'); os.chdir('x')\ntime.sleep(600)",
        "[stopped: more than 500 files in the workspace, or folders too deep in each other]",
    ),
    "an end without a word": ("os._exit(9)", "[exit code 9]"),
}


# Most hang until they are stopped.
_QUICK = ("an endless loop", "a fork bomb", "endless output", "too much memory")


@pytest.mark.parametrize(
    "abuse", [pytest.param(abuse, marks=() if abuse in _QUICK else pytest.mark.slow) for abuse in ABUSES]
)
def test_an_abuse_is_stopped_and_the_next_code_runs(abuse: str, place: Range) -> None:
    code, told = ABUSES[abuse]
    done = place.run(code)
    assert not done.good
    assert told in done.text
    assert len(done.text) < 40_000
    assert place.run("print(len(os.listdir('.')) < 1000)") == Done(True, "True\n")


def test_where_code_may_fork_its_children_end_with_it(place: Range) -> None:
    """At sandbox "off", that is: as long as they stay in its group."""
    started = time.monotonic()
    done = place.run("import time\nchild = os.fork()\nif child: print(child)\nelse: time.sleep(600)", "off")
    assert done.good
    assert time.monotonic() - started < 30
    assert gone([int(done.text)])


def test_what_code_may_do(place: Range) -> None:
    """Work with files of the workspace, as code does."""
    done = place.run(
        "import shutil, tempfile, threading\n"
        "open('a', 'w').write('text'); shutil.copy('a', 'b'); shutil.copy2('b', 'c'); os.makedirs('d/e')\n"
        "shutil.move('c', 'd/e/c'); os.replace('a', 'd/a'); shutil.rmtree('d/e'); os.unlink('d/a')\n"
        "with tempfile.NamedTemporaryFile('w') as file: file.write('x')\n"
        "left = tempfile.mkstemp()\n"
        "open('helper.py', 'w').write('ANSWER = 42'); import helper\n"
        "thread = threading.Thread(target=print, args=(helper.ANSWER,)); thread.start(); thread.join()\n"
        "from pptx import Presentation\nfrom pptx.chart.data import CategoryChartData\nfrom pptx.util import Inches\n"
        "from pptx.enum.chart import XL_CHART_TYPE\nfrom PIL import Image\n"
        "Image.new('RGB', (9, 9)).save('picture.png')\n"
        "deck = Presentation(); slide = deck.slides.add_slide(deck.slide_layouts[6]); data = CategoryChartData()\n"
        "data.categories = ['a']; data.add_series('s', [1]); slide.shapes.add_picture('picture.png', 0, 0)\n"
        "slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, Inches(1), Inches(1), data); deck.save('deck.pptx')\n"
    )
    assert (done.text, done.good) == ("42\n", True)
    assert sorted(os.listdir(place.workspace)) == ["b", "d", "deck.pptx", "helper.py", "picture.png"]


def test_what_it_prints_is_cut_in_the_middle(place: Range) -> None:
    done = place.run("print('begin'); print('x' * 100_000); print('end')")
    assert done.good
    assert done.text.startswith("begin\nxxx")
    assert done.text.endswith("xxx\nend\n")
    assert "\n[... 70,011 bytes are left out here ...]\n" in done.text
    assert place.run("pass") == Done(True, "(nothing was printed)")


SABOTAGE = {
    "Landlock": "linux.landlock_restrict = refuse",
    "the filter": "seccomp.load = refuse",
    "capabilities": "linux.drop_capabilities = refuse",
    "limits": "linux.set_limits = refuse",
}


@pytest.mark.parametrize(
    ("step", "job"), [*((step, "code") for step in SABOTAGE), ("Landlock", "list"), ("the filter", "list")]
)
def test_where_a_step_of_confinement_fails_nothing_is_run(
    step: str, job: str, place: Range, small_deck: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse = (
        "from pytest_ppteval.sandbox.confine import linux, seccomp\n"
        f"def refuse(*_, **__): raise OSError(1, 'refused')\n{SABOTAGE[step]}\n"
    )
    boot = launch.boot
    monkeypatch.setattr(confined, "boot", lambda call, room: boot(call, room).replace("\n", f"\n{refuse}", 1))
    asked = {"do": job, "code": "open('ran', 'w')", "output": None, "deck": str(small_deck)}
    with pytest.raises(Trouble, match=r"can't be confined here: PermissionError: \[Errno 1\] refused"):
        Confined(make_plan("auto")[0], place.workspace).run(asked)
    assert os.listdir(place.workspace) == []


def test_reading_a_deck_sees_that_deck_alone(place: Range, small_deck: Path) -> None:
    """Decks are agents' work: whatever takes over the process that reads one finds nothing to read or write."""
    shutil.copyfile(small_deck, place.workspace / "deck.pptx")
    (place.workspace / "link.pptx").symlink_to(small_deck)
    reader = Confined(make_plan("auto")[0], place.workspace)
    assert reader.run({"do": "list", "deck": str(place.workspace / "deck.pptx")}).good
    done = reader.run({"do": "list", "deck": str(place.workspace / "link.pptx")})
    assert (done.good, "is a symbolic link" in done.text) == (False, True)
