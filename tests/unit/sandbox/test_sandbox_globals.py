"""What a leaf finds: its globals, the decks, the imports that stand in for PPT-Eval's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sandbox_leaves import *  # noqa: F403
from sandbox_leaves import Runner

from pytest_ppteval.sandbox.host import DeckUnusable, Picture, Sandbox, SandboxError, TaskSession


def test_every_global(leaf: Runner, picture: Path) -> None:
    code = """
def compute_score():
    shot = modified_ppt_screenshots[0]
    assert callable(vlm_call) and callable(llm_call)
    assert original_ppt_screenshots == []
    assert globals().get("modified_ppt_path") == modified_ppt_path
    return "|".join(map(str, (original_ppt_path, modified_ppt_path, shot, type(ppt_diff).__name__))), 1
"""
    outcome = leaf(code, modified_pictures=(Picture(1, str(picture), "256"),))
    original, modified = leaf.paths
    shot = f"SlideScreenshot(slide_number=1, image_path='{picture}', slide_id='256')"
    assert outcome.reason == f"{original}|{modified}|{shot}|PowerPointDiff", outcome


def test_paths_are_real_files_and_pictures_can_be_opened(leaf: Runner, picture: Path) -> None:
    code = """
import zipfile
from PIL import Image
from xml.etree import ElementTree
def compute_score():
    with zipfile.ZipFile(modified_ppt_path) as archive:
        slide = ElementTree.fromstring(archive.read("ppt/slides/slide2.xml"))
    texts = [node.text for node in slide.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}t")]
    size = Image.open(original_ppt_screenshots[0].image_path).size
    return f"{texts} {size}", 1
"""
    outcome = leaf(code, original_pictures=(Picture(1, str(picture)),))
    assert outcome.reason == "['Zwei'] (4, 3)", outcome


def test_the_diff_is_the_same_in_the_leaf_and_outside(leaf: Runner, session: TaskSession) -> None:
    outcome = leaf.body(
        "added = [slide.title for slide in ppt_diff.added_slides]\n"
        "changed = [(a.title, b.title) for a, b in ppt_diff.modified_slides]\n"
        'return f\'{added} {changed} {ppt_diff.to_dict()["added_slides"][0]["slide_number"]}\', 1'
    )
    assert outcome.reason == "['Three'] [('Two', 'Zwei')] 3", outcome
    diff = session.diff()
    assert [slide.title for slide in diff.added_slides] == ["Three"]
    assert [(a.title, b.title) for a, b in diff.modified_slides] == [("Two", "Zwei")]
    assert session.diff() is diff


def test_the_diff_is_found_by_any_name(leaf: Runner) -> None:
    outcome = leaf.body("return type(globals()['ppt_' + 'dif' + 'f']).__name__, 1")
    assert outcome.reason == "PowerPointDiff"


def test_a_diff_of_the_hosts_own_takes_its_place(leaf: Runner) -> None:
    from pytest_ppteval.deck.model import PowerPointDiff, Slide

    own = PowerPointDiff([], [], [], [], [], [], [Slide(slide_id="9", slide_number=1, title="made up")], [], [])
    outcome = leaf.body("return ppt_diff.added_slides[0].title, 1", diff=own)
    assert outcome.reason == "made up"


IMPORTS = [
    "from pptx import Presentation",
    "from pptx.api import Presentation",
    "import pptx; Presentation = pptx.Presentation",
    "import pptx.api; Presentation = pptx.api.Presentation",
]


@pytest.mark.parametrize("line", IMPORTS)
def test_presentation_is_served_parsed(leaf: Runner, line: str) -> None:
    """The first call for a deck gives the copy that is parsed already, whatever name it was imported by."""
    code = f"""
{line}
import pathlib, pptx.package
def refuse(*_):
    raise AssertionError("parsed again")
pptx.package.Package.open = refuse
def compute_score():
    before, after = Presentation(original_ppt_path), Presentation(pathlib.Path(modified_ppt_path))
    return f"{{len(before.slides)}} {{len(after.slides)}}", 1
"""
    assert leaf(code).reason == "2 3"


def test_a_second_presentation_is_independent_and_changes_last_no_longer_than_the_leaf(leaf: Runner) -> None:
    code = """
import io
from pptx import Presentation
def compute_score():
    first, second = Presentation(modified_ppt_path), Presentation(modified_ppt_path)
    first.slides[0].shapes.title.text = "changed"
    saved = io.BytesIO()
    first.save(saved)
    third = Presentation(io.BytesIO(saved.getvalue()))
    return "|".join(deck.slides[0].shapes.title.text for deck in (first, second, third)), 1
"""
    assert leaf(code).reason == "changed|One|changed"
    assert leaf(code).reason == "changed|One|changed"


def test_a_new_presentation_and_a_missing_file_behave_as_ever(leaf: Runner) -> None:
    assert leaf.body("import pptx\nreturn str(len(pptx.Presentation().slides)), 1").reason == "0"
    outcome = leaf.body("import pptx\npptx.Presentation('/no/such.pptx')")
    assert outcome.reason == "PackageNotFoundError: Package not found at '/no/such.pptx'"


def test_looking_at_one_deck_does_not_change_what_the_diff_says(leaf: Runner) -> None:
    """A leaf that reads slide.background.fill changes the deck in memory: its own copy only."""
    leaf.body("import pptx\nfor s in pptx.Presentation(modified_ppt_path).slides: s.background.fill\nreturn '', 1")
    outcome = leaf.body("return str(len(ppt_diff.modified_slides)), 1")
    assert outcome.reason == "1"


@pytest.mark.parametrize(
    "line",
    [
        "from ppteval.verify.ppt.verifier import ScreenshotsUnavailableError",
        "from ppteval.verify.ppt.verifier import vlm_call, PPTVerifier",
        "from rubric.utils.llm_tools import vlm_call, llm_call",
        "import rubric.utils.llm_tools as tools; vlm_call = tools.vlm_call",
        "from dotenv import load_dotenv; assert load_dotenv() is False",
    ],
)
def test_imports_that_stand_in(leaf: Runner, line: str) -> None:
    outcome = leaf(f"{line}\ndef compute_score():\n    return 'imported', 1\n")
    assert (outcome.status, outcome.reason) == ("scored", "imported")


def test_the_evaluator_that_stands_in_compares_files(leaf: Runner) -> None:
    code = """
from ppteval.verify.ppt.diff import PowerPointDiffEvaluator
def compute_score():
    diff = PowerPointDiffEvaluator().compare_files(original_ppt_path, modified_ppt_path)
    return str([slide.title for slide in diff.added_slides]), 1
"""
    assert leaf(code).reason == "['Three']"


def test_eps_and_oversized_pictures_are_refused(leaf: Runner) -> None:
    eps = leaf.body(
        "import io\nfrom PIL import Image\n"
        "Image.open(io.BytesIO(b'%!PS-Adobe-3.0 EPSF-3.0\\n%%BoundingBox: 0 0 9 9\\n%%EndComments\\n'))"
    )
    assert eps.reason.startswith("UnidentifiedImageError")
    bomb = leaf.body(
        "import io, struct, zlib\nfrom PIL import Image\n"
        "def chunk(kind, data):\n"
        "    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))\n"
        "head = struct.pack('>IIBBBBB', 60000, 60000, 8, 2, 0, 0, 0)\n"
        "png = b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', head) + chunk(b'IDAT', b'') + chunk(b'IEND', b'')\n"
        "Image.open(io.BytesIO(png))"
    )
    assert bomb.reason.startswith("DecompressionBombError")


# ------------------------------------------------------------------------------------------------------ unusable decks


def test_a_deck_that_is_none_is_named_with_the_reason(
    sandbox: Sandbox, decks: tuple[Path, Path], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.pptx"
    broken.write_bytes(b"this is no zip")
    for which, pair in (("modified", (decks[0], broken)), ("original", (broken, decks[1]))):
        with sandbox.open(*pair) as session:
            with pytest.raises(DeckUnusable) as caught:
                session.ready()
            assert caught.value.which == which
            assert caught.value.reason
            with pytest.raises(DeckUnusable):
                session.diff()


def test_a_missing_deck(sandbox: Sandbox, decks: tuple[Path, Path], tmp_path: Path) -> None:
    with sandbox.open(decks[0], tmp_path / "nowhere.pptx") as session, pytest.raises(DeckUnusable) as caught:
        session.ready()
    assert caught.value.which == "modified"


def test_a_symbolic_link_is_no_deck(sandbox: Sandbox, decks: tuple[Path, Path], tmp_path: Path) -> None:
    """An agent could point it anywhere."""
    link = tmp_path / "deck.pptx"
    link.symlink_to(decks[1])
    with sandbox.open(decks[0], link) as session, pytest.raises(DeckUnusable):
        session.ready()


def test_a_rubric_without_an_original(sandbox: Sandbox, decks: tuple[Path, Path]) -> None:
    with sandbox.open(None, decks[1]) as session:
        outcome = Runner(session, decks).body(
            "import pptx\nreturn str(len(pptx.Presentation(modified_ppt_path).slides)), 1"
        )
        assert outcome.reason == "3"
        with pytest.raises(SandboxError, match="a diff needs both an original and a modified deck"):
            session.diff()


def test_one_file_as_both_decks(sandbox: Sandbox, decks: tuple[Path, Path], tmp_path: Path) -> None:
    deck = tmp_path / "one.pptx"
    shutil.copy(decks[0], deck)
    with sandbox.open(deck, deck) as session:
        outcome = Runner(session, (deck, deck)).body(
            "from pptx import Presentation\n"
            "a, b = Presentation(original_ppt_path), Presentation(modified_ppt_path)\n"
            "a.slides[0].shapes.title.text = 'x'\n"
            "return f'{b.slides[0].shapes.title.text} {ppt_diff.modified_slides}', 1"
        )
    assert outcome.reason == "One []"


def test_modules_that_others_import_for_nothing_are_there_once_they_are_used(leaf: Runner) -> None:
    """The sandbox puts off what python-pptx and Pillow import for what leaves hardly ever do."""
    outcome = leaf.body("""
import ipaddress, urllib.parse, urllib.request
import xml.sax.saxutils
from PIL import ImageFont
from urllib.request import Request
import pptx.text.layout
host = urllib.parse.urlsplit("http://[::1]/x").hostname
same = xml.sax.saxutils.urllib.request.Request is Request is urllib.request.Request
font = ImageFont.load_default()
return f"{Request('http://a.example').host} {host} {ipaddress.ip_address('::1')} {same} {len(font.getbbox('x'))}", 1
""")
    assert outcome.reason == "a.example ::1 ::1 True 4"


def test_threads_and_random_numbers_work_in_the_forked_process(leaf: Runner) -> None:
    """It is forked without what Python does around a fork."""
    code = """
import asyncio, logging, random, threading
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    squares = list(pool.map(lambda n: n * n, range(4)))
logging.getLogger("leaf").warning("said")
assert threading.current_thread() is threading.main_thread()
return f"{squares} {random.random():.6f} {asyncio.run(asyncio.sleep(0, 'slept'))}", 1
"""
    first, second = leaf.body(code), leaf.body(code)
    assert first.reason == second.reason == "[0, 1, 4, 9] 0.844422 slept"
