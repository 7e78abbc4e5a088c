"""Why no answer came, in one line for people, without secrets."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_ppteval.choices import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anthropic import APIStatusError

NO_MODEL = (
    "no model configured: set ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL for a server of your own), "
    "or override the fixtures vlm_call and llm_call in conftest.py"
)
_SHOWN = 300
_TOKEN = re.compile(r"\b(?:sk|key|pk)-[\w-]{6,}|\b(?:Bearer|Basic)\s+\S+", re.IGNORECASE)
_SECRET_NAMES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
# A secret shorter than this is a stand-in ("x", "none") that would black out ordinary words.
_SHORTEST_SECRET = 6


def secrets_of_environment() -> list[str]:
    """Values in the environment that must not be shown."""
    found = [os.environ.get(name, "") for name in _SECRET_NAMES]
    headers = os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").splitlines()
    return [*found, *(header.partition(":")[2].strip() for header in headers)]


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` in one line of bounded length, with secrets and what looks like one taken out."""
    for secret in sorted(set(secrets), key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "[secret]")
    text = " ".join(_TOKEN.sub("[secret]", text).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def host_of(url: str) -> str:
    """The host of a URL and nothing else: the rest may hold a password."""
    return urlsplit(url).hostname or "the server"


def of_status(error: APIStatusError, model: str, host: str, secrets: Iterable[str]) -> str:
    """What a status code of 400 or more means."""
    status = error.status_code
    said = redact(error.api_message or "", secrets)
    told = f": {said}" if said else ""
    match status:
        case 401:
            # What a server says here may repeat the key, or a part of it.
            return f"{host} refused the key (401): check ANTHROPIC_API_KEY"
        case 403:
            return f"{host} forbids this key to ask {model} (403){told}"
        case 404:
            return f"{host} has no model {model!r} (404): name another with --ppteval-model, such as {DEFAULT_MODEL}"
        case 413:
            return f"the question is too large for {host} (413)"
        case 429:
            return f"{host} still refused after retries: too many requests (429){told}"
        case 529:
            return f"{host} is overloaded, also after retries (529)"
        case _ if status >= 500:
            return f"{host} failed, also after retries ({status}){told}"
    return f"{host} refused the question ({status}){told}"
