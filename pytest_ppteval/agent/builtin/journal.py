"""What the agent leaves of its run: its response, and the trace, as requests and responses of the Messages API.

Each line of the trace is one exchange: {"request": {"messages": what is new}, "response": the message as it was sent}.
The files are replaced as a whole, so that whoever looks at them, or kills the agent, finds them whole.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.files.whole import writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_ppteval.agent.builtin.model import Json

# A shorter one is a stand-in ("x", "none") that would black out ordinary words.
_SHORTEST_SECRET = 6
_HIDDEN = "[secret]"


class Journal:
    """Writes to `trace` and `response`; to neither that is None. secrets: what must not get into them."""

    def __init__(self, trace: Path | None, response: Path | None, secrets: Iterable[str] = ()) -> None:
        self._trace = trace
        self._response = response
        self._secrets = sorted({s for s in secrets if len(s) >= _SHORTEST_SECRET}, key=len, reverse=True)
        self._lines: list[str] = []
        self._new: list[Json] = []

    def asked(self, message: Json) -> None:
        """A message of the user's side: the task, results of tools. Written once there is an answer to write."""
        self._new.append(_shown(message))
        if self._lines:
            self._write_trace([*self._lines, self._line({"request": {"messages": self._new}})])

    def answered(self, response: Json, system: str = "") -> None:
        """The model's answer to what was asked since the last one. system: of the first request."""
        request = {**({"system": system} if not self._lines and system else {}), "messages": self._new}
        self._lines.append(self._line({"request": request, "response": response}))
        self._new = []
        self._write_trace(self._lines)

    def ended(self, words: str) -> None:
        """The run is over, and these are the agent's last words, which the model did not say as a message."""
        last = {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": words}],
            "stop_reason": "end_turn",
        }
        self.answered(last)
        self.respond(words)

    def respond(self, words: str) -> None:
        """What the agent says of its run, as far as it has come."""
        if self._response is not None:
            _replace(self._response, self._clean(words.rstrip() + "\n"))

    def _line(self, exchange: Json) -> str:
        return self._clean(json.dumps(exchange, ensure_ascii=False) + "\n")

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return text

    def _write_trace(self, lines: Sequence[str]) -> None:
        if self._trace is not None:
            _replace(self._trace, "".join(lines))


def _replace(path: Path, text: str) -> None:
    with writing(path, sync=False) as file:
        file.write(text.encode("utf-8", "replace"))


def _shown(value: Any) -> Any:
    """As it is, but a note in place of each picture, which is large and can be drawn again."""
    if isinstance(value, list):
        return [_shown(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "image":
        source = value["source"]
        size = len(base64.b64decode(source["data"]))
        return {"type": "text", "text": f"[a picture, {source['media_type']}, {size:,} bytes: not kept]"}
    return {name: _shown(item) for name, item in value.items()}
