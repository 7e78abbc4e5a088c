"""A server on loopback that speaks the Messages API, for tests of everything that asks a model.

It is no model: what it answers is what a test told it to. Its answers name "loopback-test-server" as their model and
127.0.0.1 as their server, so that a recording of them can't be taken for a model's.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]
MODEL = "loopback-test-server"
KEY = "sk-ant-loopback-0123456789abcdef"


@dataclass
class Answer:
    """One HTTP response: `delay` seconds late, `body` as JSON or, if it is bytes, as it is.

    drip: seconds between its bytes, where they come one by one.
    """

    body: Json | bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0


def message(*content: Json, stop: str = "end_turn", usage: Json | None = None, **more: Any) -> Json:
    """A message of the Messages API."""
    return {
        "id": "msg_loopback",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": list(content),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage or {"input_tokens": 100, "output_tokens": 10},
        **more,
    }


def says(text: str, **more: Any) -> Answer:
    """An answer in text."""
    return Answer(message({"type": "text", "text": text}, **more))


def verdict(data: object, **more: Any) -> Answer:
    """An answer by the tool 'verdict'."""
    block = {"type": "tool_use", "id": "toolu_loopback", "name": "verdict", "input": data}
    return Answer(message(block, stop="tool_use", **more))


def error(status: int, kind: str = "api_error", text: str = "as the test asked", **headers: str) -> Answer:
    """An error of the Messages API. `headers`: with _ for -."""
    body = {"type": "error", "error": {"type": kind, "message": text}}
    return Answer(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


class Server(ThreadingHTTPServer):
    """Answers with what is in `queue`, first to last, then with `otherwise` of the request's body.

    requests, headers, times: the bodies, headers and moments (monotonic, in seconds), in order of arrival.
    at_once: the most that were under way at a time.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, otherwise: Callable[[Json], Answer] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.queue: deque[Answer] = deque()
        self.otherwise = otherwise or (lambda body: says("YES"))
        self.requests: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.at_once = 0
        self._under_way = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Server:
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away (a time-out that a test is about) is no news."""

    def reply(self, body: Json, headers: dict[str, str]) -> Answer:
        """The answer to one request, entered among the requests."""
        with self.lock:
            self.requests.append(body)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            self._under_way += 1
            self.at_once = max(self.at_once, self._under_way)
            answer = self.queue.popleft() if self.queue else None
        try:
            if answer is None:
                answer = self.otherwise(body)
            time.sleep(answer.delay)
            return answer
        finally:
            with self.lock:
                self._under_way -= 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.reply(body, headers)
        if self.path != "/v1/messages":
            answer = error(404, "not_found_error", self.path)
        data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        for at in range(0, len(data), 1 if answer.drip else len(data)):
            self.wfile.write(data[at : at + 1] if answer.drip else data)
            time.sleep(answer.drip)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: pytest's output is for pytest."""


def prompt_of(body: Json) -> str:
    """The text of a request's first message, without the numbers of its pictures."""
    content = body["messages"][0]["content"]
    return str(content[-1]["text"])


def pictures_of(body: Json) -> list[tuple[str, bytes]]:
    """The media type and bytes of each picture of a request."""
    content = body["messages"][0]["content"]
    sources = [block["source"] for block in content if block["type"] == "image"]
    return [(source["media_type"], base64.b64decode(source["data"])) for source in sources]
