"""Reasons for people hold no secret."""

from __future__ import annotations

import pytest

from pytest_ppteval.model.failures import host_of, redact, secrets_of_environment

KEY = "very-secret-key-1"


@pytest.mark.parametrize(
    "text",
    [
        f"key {KEY} is wrong",
        "Authorization: Bearer abc.def.ghi",
        "you sent sk-ant-api03-AAAAbbbb1234",
        f"http://x?token={KEY}",
    ],
)
def test_secrets_are_taken_out(text: str) -> None:
    shown = redact(text, [KEY, "", "x"])
    assert "[secret]" in shown
    assert not any(part in shown for part in (KEY, "abc.def", "api03", "AAAA"))


def test_ordinary_words_stay_and_the_text_is_one_short_line() -> None:
    assert redact("max_tokens:\n  8192 is\ttoo many", ["x"]) == "max_tokens: 8192 is too many"
    assert len(redact("word " * 1000, [])) < 320


def test_the_environment_holds_secrets_in_several_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "first-secret")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "second-secret")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-proxy: third-secret\nx-other: fourth:secret")
    assert set(secrets_of_environment()) == {"first-secret", "second-secret", "third-secret", "fourth:secret"}


def test_of_a_url_only_the_host_is_shown() -> None:
    assert host_of("https://user:password@example.org:8443/v1?key=1") == "example.org"
    assert host_of("nonsense") == "the server"
