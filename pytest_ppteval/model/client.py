"""The one place that speaks to a model: the Messages API, through Anthropic's SDK.

Key, base URL, proxies and retries are the SDK's own: whatever server speaks the Messages API can stand behind it.
"""

from __future__ import annotations

import base64
import json
import threading
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_ppteval.model.failures import NO_MODEL, host_of, of_status, redact, secrets_of_environment
from pytest_ppteval.model.forms import TOOLS
from pytest_ppteval.model.images import BadImageError, fit
from pytest_ppteval.model.question import NoAnswerError, NotSentError, Reply
from pytest_ppteval.model.wire import no_long_waits, tokens_of, within

if TYPE_CHECKING:
    import anthropic
    from anthropic.types import Message

    from pytest_ppteval.model.question import Question

# What a server may refuse although others take it, by the words of its refusal; such a question is sent again without.
_OPTIONAL = ("temperature", "tool_choice")


class Client:
    """Asks `model`. The SDK is imported, and looks for a key, at the first question."""

    def __init__(self, model: str, timeout: float) -> None:
        self._model = model
        self._timeout = timeout
        self._refused: set[str] = set()
        self._lock = threading.Lock()

    def send(self, question: Question) -> Reply:
        """The answer to `question`. Raises NoAnswerError with the reason where there is none."""
        with self._lock:  # two first questions at once would make two clients
            sdk = self._sdk
        request = self._request(question)
        while True:
            sent = {name: value for name, value in request.items() if name not in self._refused}
            try:
                return self._read(self._create(sdk, sent), question)
            except _RefusedParameterError as refused:
                self._refused.add(refused.name)

    def close(self) -> None:
        """Close the connections."""
        if "_sdk" in self.__dict__:
            self._sdk.close()
            del self._sdk

    @cached_property
    def _sdk(self) -> anthropic.Anthropic:
        import anthropic

        try:
            limits = [no_long_waits(self._timeout, _too_long), within(self._timeout, _late)]
            sdk = anthropic.Anthropic(timeout=self._timeout, middleware=limits)
        except Exception as error:  # a profile or federation set-up that can't be read
            text = redact(str(error), secrets_of_environment())
            raise NotSentError(f"the model's credentials can't be had: {text}") from None
        headers = {name.lower() for name, value in sdk.default_headers.items() if isinstance(value, str) and value}
        if sdk.credentials is None and not headers & {"x-api-key", "authorization"}:
            sdk.close()
            raise NotSentError(NO_MODEL)
        return sdk

    @property
    def _host(self) -> str:
        return host_of(str(self._sdk.base_url))

    @property
    def _secrets(self) -> list[str]:
        return [*secrets_of_environment(), self._sdk.api_key or "", self._sdk.auth_token or ""]

    def _request(self, question: Question) -> dict[str, Any]:
        """The parameters of messages.create(), and temperature, which it doesn't take any more."""
        messages: list[dict[str, Any]] = [{"role": "user", "content": _content(question)}]
        if question.earlier:
            messages.append({"role": "assistant", "content": question.earlier.rstrip()})
            messages.append({"role": "user", "content": TOOLS[question.form].put_right})
        request: dict[str, Any] = {"model": self._model, "max_tokens": question.max_tokens, "messages": messages}
        if question.system:
            request["system"] = question.system
        if question.form != "text":
            tool = TOOLS[question.form]
            request["tools"] = [{"name": tool.name, "description": tool.description, "input_schema": tool.schema}]
            request["tool_choice"] = {"type": "tool", "name": tool.name, "disable_parallel_tool_use": True}
        if question.temperature is not None:
            request["temperature"] = question.temperature
        return request

    def _create(self, sdk: anthropic.Anthropic, request: dict[str, Any]) -> Message:
        import anthropic

        # The time-out is given for each request too: without it, long answers would be refused unsent.
        arguments = {**request, "timeout": self._timeout}
        if "temperature" in request:
            arguments["extra_body"] = {"temperature": arguments.pop("temperature")}
        try:
            try:
                message: Message = sdk.messages.create(**arguments)
            except DeprecationWarning:
                # That a model is to be retired is news for its user, but no reason not to ask it (pytest -W error).
                # catch_warnings changes the whole process's filters, so that threads must not do so at once.
                with self._lock, warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)
                    message = sdk.messages.create(**arguments)
            return message
        except anthropic.APITimeoutError:
            raise NoAnswerError(
                f"no answer from {self._host} within {self._timeout:g} s, also after retries (--ppteval-model-timeout)"
            ) from None
        except anthropic.APIConnectionError as error:
            cause = type(error.__cause__).__name__ if error.__cause__ else "connection error"
            raise NoAnswerError(f"no connection to {self._host}: {cause}") from None
        except anthropic.BadRequestError as error:
            for name in _OPTIONAL:
                if name in request and name in (error.api_message or str(error)):
                    raise _RefusedParameterError(name) from None
            raise NoAnswerError(of_status(error, self._model, self._host, self._secrets)) from None
        except anthropic.APIStatusError as error:
            raise NoAnswerError(of_status(error, self._model, self._host, self._secrets)) from None
        except NoAnswerError:
            raise
        except json.JSONDecodeError:
            raise NoAnswerError(f"{self._host} sent something that is not JSON") from None
        except Exception as error:  # an answer that is no message, credentials that can't be renewed, ...
            text = redact(f"{type(error).__name__}: {error}", self._secrets)
            raise NoAnswerError(f"{self._host}: {text}") from None

    def _read(self, message: Message, question: Question) -> Reply:
        """The answer in `message`, which may be of any shape: the SDK does not check what a server sends."""
        tokens = tokens_of(_as_mapping(getattr(message, "usage", None)))
        content = getattr(message, "content", None)
        if not isinstance(content, list):
            raise NoAnswerError(f"{self._host} sent something that is no message of the Messages API", tokens)
        stop = getattr(message, "stop_reason", None)
        if stop == "refusal":
            details = getattr(message, "stop_details", None)
            category = getattr(details, "category", None)
            raise NoAnswerError(
                f"{self._model} refused to answer{f' ({category})' if isinstance(category, str) else ''}", tokens
            )
        if stop == "max_tokens":
            raise NoAnswerError(
                f"the answer was cut off at max_tokens={question.max_tokens}: let the leaf allow more", tokens
            )
        if stop not in ("end_turn", "stop_sequence", "tool_use", None):
            raise NoAnswerError(f"{self._model} stopped before its answer was done ({stop})", tokens)
        text = _given(content, TOOLS[question.form].name) if question.form != "text" else None
        if text is None:
            text = _text(content)
        if not text.strip():
            raise NoAnswerError(f"{self._model} gave an empty answer", tokens)
        named = getattr(message, "model", None)
        return Reply(
            text=text.encode("utf-8", "replace").decode("utf-8"),  # a lone surrogate would break files and reports
            model=named if isinstance(named, str) and named else self._model,
            server=self._host,
            tokens=tokens,
        )


class _RefusedParameterError(Exception):
    def __init__(self, name: str) -> None:
        self.name = name


def _content(question: Question) -> list[dict[str, Any]]:
    """Pictures first, each with its number where there are several, as models look at them best; then the prompt."""
    content: list[dict[str, Any]] = []
    for number, image in enumerate(question.images, 1):
        try:
            data, kind = fit(image.data)
        except BadImageError as error:
            raise NotSentError(f"{image.name or 'an image'}: {error}") from None
        if len(question.images) > 1:
            content.append({"type": "text", "text": f"Image {number}:"})
        encoded = base64.b64encode(data).decode("ascii")
        content.append({"type": "image", "source": {"type": "base64", "media_type": kind, "data": encoded}})
    return [*content, {"type": "text", "text": question.prompt}]


def _given(content: list[Any], tool: str) -> str | None:
    """What the model gave the tool, as JSON."""
    for block in content:
        if getattr(block, "type", None) == "tool_use" and getattr(block, "name", None) == tool:
            return json.dumps(getattr(block, "input", None), ensure_ascii=False)
    return None


def _text(content: list[Any]) -> str:
    texts = [getattr(block, "text", None) for block in content if getattr(block, "type", None) == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def _as_mapping(usage: object) -> dict[str, Any]:
    """What the SDK, or a server that is not quite like Anthropic's, gives as usage."""
    return usage if isinstance(usage, dict) else dict(getattr(usage, "__dict__", {}))


def _too_long(reason: str) -> Exception:
    return NoAnswerError(f"{reason} (--ppteval-model-timeout)")


def _late() -> Exception:
    """What the SDK raises itself where a read takes too long, and tries again after."""
    import anthropic

    nothing: Any = None  # the request is only kept
    return anthropic.APITimeoutError(request=nothing)
