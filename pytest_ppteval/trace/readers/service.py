"""What tracing services record, whatever they call it: requests to models, runs of tools, and what they are in.

No format by itself: OpenInference, LangSmith and Langfuse are turned into this and read in one way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from pytest_ppteval.trace.build import Builder
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers.asked import Answer, Asked, Ran, join, parsed
from pytest_ppteval.trace.readers.said import Said

_DEPTH = 1000  # records above a record; a cycle in damaged data must end


@dataclass(slots=True, kw_only=True)
class Entry:
    """One record of a service. None is unknown.

    before, after: what a model was told, and what it said.
    call, args, result: of a tool. failed: True, or False where the service says that all went well.
    output: the record's own output, where it is text. over: that it ended, where its end isn't known.
    """

    id: str
    parent: str | None
    kind: Literal["model", "tool", "other"]
    name: str
    start: float | None
    end: float | None
    failed: bool | None
    error: str | None
    model: str | None = None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    before: list[Said] = field(default_factory=list)
    after: list[Said] = field(default_factory=list)
    call: str | None = None
    args: Json = None
    result: str | None = None
    output: str | None = None
    over: bool = False


def named_args(value: Json) -> Json:
    """A tool's arguments: an object, also as JSON text; other data is one argument without its name."""
    plain = parsed(value)
    return plain if isinstance(plain, dict) or plain is None else {"input": plain}


def read_run(build: Builder, entries: Iterable[Entry]) -> Trace:
    """The trace of one run's records."""
    found = sorted(entries, key=lambda entry: entry.start if entry.start is not None else 0.0)
    run = _Run(build, found)
    models = [entry for entry in found if entry.kind == "model" and run.above(entry, "model") is None]
    asked: list[Asked] = []
    answers: dict[str, Answer] = {}
    for entry in models:
        parent = run.above(entry, "tool")
        for call, tool, args in (call for one in entry.after for call in one.calls):
            asked.append(Asked(call, tool, args, f"request-{entry.id}", entry.end, parent))
        answers |= {call: (text, failed) for one in entry.before for call, text, failed in one.answers}
        build.spend(entry.model, entry.usage)
    ran = [
        Ran(
            key=entry.id,
            id=entry.call,
            tool=entry.name,
            args=entry.args,
            result=entry.result,
            failed=entry.failed,
            error=entry.error,
            started=entry.start,
            ended=entry.end,
            parent=run.above(entry, "tool"),
        )
        for entry in found
        if entry.kind == "tool"
    ]
    join(build, asked, ran, answers)
    costs = [entry.cost for entry in models]
    roots = [entry.cost for entry in found if entry.parent is None and entry.kind != "model"]
    # What one request cost isn't known: then only the whole's own sum is.
    for cost in costs if None not in costs else roots:
        build.cost(cost)
    main = [entry for entry in models if run.above(entry, "tool") is None]
    # The last request repeats all that came before it.
    for one in main[-1].before + main[-1].after if main else []:
        if one.role != "tool":
            build.say(one.role or "unknown", one.words)
    run.end(main)
    return build.trace()


class _Run:
    def __init__(self, build: Builder, entries: list[Entry]) -> None:
        self.build = build
        self.entries = entries
        self.by_id = {entry.id: entry for entry in entries}

    def above(self, entry: Entry, kind: str) -> str | None:
        """The nearest record above of a kind."""
        current = entry
        for _ in range(_DEPTH):
            parent = self.by_id.get(current.parent or "")
            if parent is None:
                return None
            if parent.kind == kind:
                return parent.id
            current = parent
        return None

    def end(self, main: list[Entry]) -> None:
        """How it ended: as its root says, else by the last answer."""
        build = self.build
        roots = [entry for entry in self.entries if entry.parent is None]
        root = roots[-1] if roots else None
        if root is not None:
            build.status = "error" if root.failed else "finished" if root.over or root.end is not None else "truncated"
            build.error = (root.error or "the run failed") if root.failed else None
            if not main and root.kind == "other":
                build.final = root.output
        elif main and main[-1].end is not None:
            after = main[-1].after
            build.status = "truncated" if not after or any(one.calls for one in after) else "finished"
        for entry in roots or self.entries:
            build.at(entry.start)
            build.at(entry.end)
