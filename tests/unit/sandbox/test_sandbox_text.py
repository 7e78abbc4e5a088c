"""Untrusted text made fit to show."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from pytest_ppteval.sandbox.text import clean, one_line, size


@given(st.text(alphabet=st.characters(), max_size=200))
def test_cleaned_text_can_be_written_as_xml_and_has_no_escape_sequences(text: str) -> None:
    shown = clean(text, 150)
    document = ElementTree.tostring(ElementTree.fromstring(f"<a>{_escape(shown)}</a>"), encoding="unicode")
    assert ElementTree.fromstring(document).text in (shown, None)
    assert "\x1b" not in shown
    assert len(shown) <= 150 * len(r"\ud800") + len("…[cut]")


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def test_what_is_kept_and_what_is_not() -> None:
    assert clean("a\tb\nc\r\nd", 100) == "a\tb\nc\nd"
    assert clean("\x1b[31mred\x07", 100) == r"\x1b[31mred\x07"
    assert clean("abc\u202egpj.exe", 100) == r"abc\u202egpj.exe"
    assert clean("\ud83d alone, 😀 whole", 100) == r"\ud83d alone, 😀 whole"
    assert clean("x" * 11, 10) == "x" * 10 + "…[cut]"
    assert one_line("a\n  b\r\nc") == "a b c"


def test_sizes() -> None:
    assert [size(2 << 30), size(3 << 19), size(5)] == ["2 GiB", "1.5 MiB", "5 bytes"]
