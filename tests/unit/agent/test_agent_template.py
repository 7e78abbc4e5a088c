"""Templates of commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ppteval.agent.template import PLACES, fill, template_problem

VALUES = {place: f"<{place}>" for place in PLACES}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("", ""),
        ("{goal}", "<goal>"),
        ("--out={output}!", "--out=<output>!"),
        ('{{"out": "{output}"}}', '{"out": "<output>"}'),
        ("{{goal}}", "{goal}"),
        ("{{{goal}}}", "{<goal>}"),
    ],
)
def test_what_is_filled_in(text: str, filled: str) -> None:
    assert template_problem(text) is None
    assert fill(text, VALUES) == filled


@given(st.text())
def test_a_value_is_never_a_template(value: str) -> None:
    assert fill("{goal}", {"goal": value}) == value


@given(st.text(alphabet="{}ago l"))
def test_any_text_is_a_template_or_has_a_problem(text: str) -> None:
    if template_problem(text) is None:
        fill(text, VALUES)


@given(st.text())
def test_braces_written_twice_are_braces(text: str) -> None:
    written = text.replace("{", "{{").replace("}", "}}")
    assert template_problem(written) is None
    assert fill(written, VALUES) == text
