"""Asking the model: one request of the Messages API a turn, through Anthropic's SDK. Key, base URL and retries are its.

This is the agent under test, not a judge: its questions are not recorded, voted on or counted among the judges'.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pytest_ppteval.agent.builtin.ending import GivenUpError, Trouble
from pytest_ppteval.agent.builtin.spending import Spending
from pytest_ppteval.model.failures import host_of, of_status, redact, secrets_of_environment
from pytest_ppteval.model.wire import no_long_waits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_ppteval.agent.builtin.task import Options

Json = dict[str, Any]
_NO_KEY = "no model to run the built-in agent with: set ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL for another server)"
_TOO_LONG = re.compile(r"too long|too many tokens|context (?:window|length)|exceeds? .*context", re.IGNORECASE)
# An API takes a hundred pictures at most, and each costs its tokens in every turn; the oldest are left out first, so
# many at a time that what the server has cached of the conversation stays of use.
_PICTURES = 20


class Model:
    """Holds the connection. Raises Trouble where no credentials can be had."""

    def __init__(self, options: Options, system: str, tools: Sequence[Json]) -> None:
        import anthropic

        self._options = options
        self._spending = Spending(options)
        try:
            patience = no_long_waits(options.timeout, Trouble)
            self._sdk = anthropic.Anthropic(timeout=options.timeout, middleware=[patience])
        except Exception as error:  # a profile or federation set-up that can't be read
            text = redact(str(error), secrets_of_environment())
            raise Trouble(f"the model's credentials can't be had: {text}") from None
        headers = {
            name.lower() for name, value in self._sdk.default_headers.items() if isinstance(value, str) and value
        }
        if self._sdk.credentials is None and not headers & {"x-api-key", "authorization"}:
            self._sdk.close()
            raise Trouble(_NO_KEY)
        self.system = system
        self._request: Json = {
            "model": options.model,
            "max_tokens": options.max_tokens,
            "timeout": options.timeout,  # for each request too: without it, long answers would be refused unsent
            "system": system,
            "tools": list(tools),
            "cache_control": {"type": "ephemeral"},
        }

    @property
    def secrets(self) -> list[str]:
        """What must not be written anywhere."""
        found = [*secrets_of_environment(), self._sdk.api_key or "", self._sdk.auth_token or ""]
        return [secret for secret in found if secret]

    def close(self) -> None:
        """Close the connections."""
        self._sdk.close()

    def ask(self, messages: Sequence[Json]) -> Json:
        """The model's answer, a message as the server sent it: "content" is a list of blocks.

        Raises Trouble where none can be had, GivenUpError where the conversation is too long or max_cost is spent.
        """
        self._spending.check()
        try:
            try:
                answer = self._send(messages)
            except _CacheRefusedError:
                del self._request["cache_control"]
                answer = self._send(messages)
            self._spending.add(answer)
            return answer
        except (Trouble, GivenUpError):
            raise
        except json.JSONDecodeError:
            raise Trouble(f"{self._host} sent something that is not JSON") from None
        except Exception as error:  # credentials that can't be renewed, ...
            raise Trouble(f"{self._host}: {redact(f'{type(error).__name__}: {error}', self.secrets)}") from None

    @property
    def _host(self) -> str:
        return host_of(str(self._sdk.base_url))

    def _send(self, messages: Sequence[Json]) -> Json:
        import anthropic

        try:
            request: Json = {**self._request, "messages": _sent(messages)}
            message = self._sdk.messages.create(**request)
        except anthropic.APITimeoutError:
            seconds = self._options.timeout
            raise Trouble(f"no answer from {self._host} within {seconds:g} s, also after retries (timeout)") from None
        except anthropic.APIConnectionError as error:
            cause = type(error.__cause__).__name__ if error.__cause__ else "connection error"
            raise Trouble(f"no connection to {self._host}: {cause}") from None
        except anthropic.APIStatusError as error:
            said = error.api_message or str(error)
            if error.status_code == 413 or (error.status_code == 400 and _TOO_LONG.search(said)):
                raise GivenUpError(f"the conversation is too long for the model ({error.status_code})") from None
            if error.status_code == 400 and "cache_control" in said and "cache_control" in self._request:
                raise _CacheRefusedError from None
            raise Trouble(self._refusal(error)) from None
        return self._read(message)

    def _refusal(self, error: Any) -> str:
        if error.status_code == 404:
            return f"{self._host} has no model {self._options.model!r} (404): name another (model)"
        return of_status(error, self._options.model, self._host, self.secrets)

    def _read(self, message: Any) -> Json:
        """The answer as data. The SDK does not check what a server sends."""
        data = message.to_dict() if hasattr(message, "to_dict") else None
        content = data.get("content") if isinstance(data, dict) else None
        if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
            raise Trouble(f"{self._host} sent something that is no message of the Messages API")
        # A lone surrogate can be received, but not sent back.
        text = json.dumps(data, ensure_ascii=False, default=str).encode("utf-8", "replace").decode("utf-8")
        answer: Json = json.loads(text)
        return answer


class _CacheRefusedError(Exception):
    """A server that doesn't know the API's caching: it is asked without."""


def _sent(messages: Sequence[Json]) -> list[Json]:
    """The conversation, without its oldest pictures where there are many."""
    count = sum(1 for message in messages for block in _blocks(message) if _is_picture(block))
    drop = max(0, count // _PICTURES - 1) * _PICTURES
    sent = []
    for message in messages:
        if drop and any(map(_is_picture, _blocks(message))):
            kept: list[Json] = []
            for block in message["content"]:
                if drop and _is_picture(block):
                    drop -= 1
                    words = [part for part in block["content"] if part["type"] == "text"]
                    gone = {"type": "text", "text": "[an old picture, left out: look again where it matters]"}
                    kept.append({**block, "content": [*words, gone]})
                else:
                    kept.append(block)
            message = {**message, "content": kept}
        sent.append(message)
    return sent


def _blocks(message: Json) -> list[Json]:
    content = message["content"]
    return content if isinstance(content, list) else []


def _is_picture(block: Json) -> bool:
    content = block.get("content")
    return (
        block.get("type") == "tool_result"
        and isinstance(content, list)
        and any(part.get("type") == "image" for part in content)
    )
