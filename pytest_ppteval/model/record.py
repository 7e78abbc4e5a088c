"""Recordings: the answers that models gave to one task's questions, in a YAML file that is made to be reviewed."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_ppteval.files.locks import locked
from pytest_ppteval.files.whole import write_whole
from pytest_ppteval.model.question import Asked, NoAnswerError, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_ppteval.model.question import Reply

FORMAT = 1
_HEAD = "# Models' answers to the questions of one task, kept by pytest --ppteval-record: see docs/models.md.\n"
_SHOWN_LINES = 12
_DIGITS = 12
_LONGEST_NAME = 180  # bytes; file systems take 255, and a temporary file's name is longer
# The marks of fences around material (grade/fence.py) differ wherever the material does: they are no news.
_MARK = re.compile(r"(?<=<<<)[0-9a-f]{24}(?= )|[0-9a-f]{24}(?=>>>)")
_AS_USUAL = {"system": "", "earlier": "", "form": "text", "trial": 1, "repeat": 0, "vote": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An answer that was kept.

    leaf, call: who asked it, and as which of its questions, from 1. names: of the pictures, in order.
    model, server: who answered. at: when, in UTC, ISO 8601. tokens: what it took then.
    """

    asked: Asked
    text: str
    leaf: str
    call: int
    names: tuple[str, ...]
    model: str
    server: str
    at: str
    tokens: Tokens | None

    @classmethod
    def of(cls, asked: Asked, reply: Reply, *, leaf: str, call: int, names: Iterable[str], at: str) -> Recorded:
        """The record of a reply."""
        return cls(
            asked=asked,
            text=reply.text,
            leaf=leaf,
            call=call,
            names=tuple(names),
            model=reply.model,
            server=reply.server,
            at=at,
            tokens=reply.tokens,
        )


class BadRecordingError(NoAnswerError):
    """A file of recordings that can't be used."""


class Recordings:
    """The answers of one task, in the file `path`. `display` is its name for people.

    Several threads and processes may use one file: each writes what it adds to what is there by then.
    lock: a file that all of them lock, in a folder of their run's own. existed: whether the run found a file.
    """

    def __init__(self, path: Path, display: str, *, suite: str, task: str, lock: Path) -> None:
        self._path = path
        self._display = display
        self._suite = suite
        self._task = task
        self._lock = lock
        self._threads = threading.Lock()
        self._answers: dict[str, Recorded] | None = None
        self._anew: dict[tuple[str, int], set[str]] = {}
        name = hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()[: 2 * _DIGITS]
        self._made = lock.with_name(f"{name}.made")
        self.existed = path.exists() and not self._made.exists()

    def find(self, asked: Asked) -> Recorded | None:
        """The answer to exactly this, None where there is none. Raises BadRecordingError."""
        return self._all().get(asked.key)

    def explain(self, asked: Asked, leaf: str) -> str:
        """Why there is no answer to `asked`: what is different from the nearest question that has one."""
        answers = list(self._all().values())
        if not answers:
            return f"no answer is recorded for this task ({self._display}): record with --ppteval-record=once"
        nearest = max(answers, key=lambda one: _nearness(one, asked, leaf))
        head = (
            f"no recorded answer in {self._display}: the nearest is to question {nearest.call} of leaf "
            f"{nearest.leaf!r}, and differs in this:"
        )
        return "\n".join([head, *_differences(nearest, asked), "record it with --ppteval-record=new"])

    def add(self, answer: Recorded, *, anew: bool = False) -> None:
        """Keep an answer, in the file at once: it was paid for.

        anew: what the file holds of the same leaf and trial from before this run is dropped.
        """
        with self._threads, locked(self._lock):
            if not self._path.exists():
                self._made.touch()  # first, so that who sees the file sees who made it
            on_disk = load(self._path, self._display) if self._path.exists() else {}
            if anew:
                # A trial is run by one process: what others record of theirs stays.
                of = answer.leaf, answer.asked.trial
                kept = self._anew.setdefault(of, set())
                kept.add(answer.asked.key)
                on_disk = {k: one for k, one in on_disk.items() if (one.leaf, one.asked.trial) != of or k in kept}
            on_disk[answer.asked.key] = answer
            self._answers = on_disk
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, dump(on_disk.values(), suite=self._suite, task=self._task), sync=False)

    def _all(self) -> dict[str, Recorded]:
        with self._threads:
            if self._answers is None:
                self._answers = load(self._path, self._display) if self._path.exists() else {}
            return self._answers


def file_name(task: str) -> str:
    """The name of a task's file. Task ids may hold anything, and be of any length."""
    plain = re.sub(r"[^\w\-+=.,@ \[\]()]", lambda found: f"%{ord(found[0]):02X}", task)
    plain = re.sub(r"^\.", "%2E", plain)
    if len(plain.encode()) > _LONGEST_NAME:
        digest = hashlib.sha256(task.encode()).hexdigest()[:_DIGITS]
        plain = f"{plain.encode()[:_LONGEST_NAME].decode(errors='ignore')}~{digest}"
    # *.rubric.yaml would be taken for a rubric.
    return re.sub(r"\.rubric$", "%2Erubric", plain) + ".yaml"


def load(path: Path, display: str) -> dict[str, Recorded]:
    """The answers in a file, by key. Raises BadRecordingError."""
    from pytest_ppteval.case.document import read_document
    from pytest_ppteval.case.model import FormatError
    from pytest_ppteval.case.validate import find_problems, raise_all

    try:
        document = read_document(path, display)
        raise_all(find_problems(document, "recording"))
        answers: dict[str, Recorded] = {}
        for index, entry in enumerate(document.data["answers"]):
            answer = _read(entry)
            if answer.asked.key != entry["key"]:
                raise FormatError(
                    document.source("answers", index, "key"),
                    "this answer's question was edited, so that its key does not fit any more: "
                    "an answer belongs to the question that was asked; take the entry out and record it again",
                )
            answers[answer.asked.key] = answer
        return answers
    except FormatError as error:
        raise BadRecordingError(str(error)) from None


def _read(entry: dict[str, Any]) -> Recorded:
    images = entry.get("images", [])
    temperature = entry.get("temperature")
    tokens = entry.get("tokens")
    return Recorded(
        asked=Asked(
            kind=entry["kind"],
            model=entry["model"],
            prompt=entry["prompt"],
            images=tuple(image["sha256"] for image in images),
            temperature=None if temperature is None else float(temperature),
            max_tokens=int(entry["max_tokens"]),
            **{name: entry.get(name, usual) for name, usual in _AS_USUAL.items()},
        ),
        text=entry["answer"],
        leaf=entry.get("leaf", ""),
        call=int(entry.get("call", 1)),
        names=tuple(image.get("name", "") for image in images),
        model=entry["answered_by"],
        server=entry["server"],
        at=entry["recorded_at"],
        tokens=None if tokens is None else Tokens(**{name: int(number) for name, number in tokens.items()}),
    )


def dump(answers: Iterable[Recorded], *, suite: str, task: str) -> str:
    """The text of a file: by leaf, question and vote, whatever the order in which they were asked."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Long texts as they are written, lists indented."""

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
            super().increase_indent(flow, False)

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        # Other breaks than \n come back as they were from double quotes only.
        odd = re.search("[\r\x85\u2028\u2029\ufeff]", value)
        style = '"' if odd else "|" if "\n" in value else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    ordered = sorted(answers, key=lambda one: (one.leaf, one.call, one.asked.trial, one.asked.vote, one.asked.key))
    data = {"format": FORMAT, "suite": suite, "task": task, "answers": [_entry(one) for one in ordered]}
    return _HEAD + yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)


def _entry(one: Recorded) -> dict[str, Any]:
    asked = one.asked
    entry: dict[str, Any] = {"leaf": one.leaf, "call": one.call, "kind": asked.kind, "model": asked.model}
    entry |= {name: getattr(asked, name) for name in ("form", "system") if getattr(asked, name) != _AS_USUAL[name]}
    entry["prompt"] = asked.prompt
    if asked.earlier:
        entry["earlier"] = asked.earlier
    if asked.images:
        names = [*one.names, *("" for _ in asked.images)]
        entry["images"] = [
            {**({"name": name} if name else {}), "sha256": digest}
            for name, digest in zip(names, asked.images, strict=False)
        ]
    if asked.temperature is not None:
        entry["temperature"] = asked.temperature
    entry["max_tokens"] = asked.max_tokens
    for name in ("trial", "repeat", "vote"):
        if getattr(asked, name) != _AS_USUAL[name]:
            entry[name] = getattr(asked, name)
    entry |= {"answer": one.text, "answered_by": one.model, "server": one.server}
    if one.tokens is not None:
        counts = {name: getattr(one.tokens, name) for name in ("input", "output", "cache_read", "cache_write")}
        entry["tokens"] = {name: number for name, number in counts.items() if number or name in ("input", "output")}
    return {**entry, "recorded_at": one.at, "key": asked.key}


def _nearness(one: Recorded, asked: Asked, leaf: str) -> tuple[bool, float, int]:
    likeness = difflib.SequenceMatcher(None, one.asked.prompt[:4000], asked.prompt[:4000], autojunk=False).ratio()
    same = sum(
        getattr(one.asked, name) == getattr(asked, name)
        for name in ("kind", "model", "images", "temperature", "max_tokens", "form", "vote", "repeat", "trial")
    )
    return one.leaf == leaf, likeness, same


def _differences(one: Recorded, asked: Asked) -> list[str]:
    lines: list[str] = []
    for name in ("system", "prompt", "earlier"):
        then, now = getattr(one.asked, name), getattr(asked, name)
        if then != now:
            lines.append(f"{name} changed:" if name == "prompt" else f"{name} prompt changed:")
            lines += _text_diff(then, now)
    if one.asked.images != asked.images:
        lines.append(_image_diff(one, asked))
    for name in ("model", "kind", "form", "temperature", "max_tokens", "trial", "repeat", "vote"):
        then, now = getattr(one.asked, name), getattr(asked, name)
        if then != now:
            lines.append(f"{name}: recorded {then}, now {now}")
    return lines


def _text_diff(then: str, now: str) -> list[str]:
    then, now = _MARK.sub("MARK", then), _MARK.sub("MARK", now)
    changed = [
        line
        for line in difflib.unified_diff(then.splitlines(), now.splitlines(), lineterm="", n=0)
        if not line.startswith(("---", "+++", "@@"))
    ]
    shown = [f"  {line}" for line in changed[:_SHOWN_LINES]]
    return shown + ([f"  ... and {len(changed) - _SHOWN_LINES} more lines"] if len(changed) > _SHOWN_LINES else [])


def _image_diff(one: Recorded, asked: Asked) -> str:
    then, now = one.asked.images, asked.images
    if len(then) != len(now):
        return f"pictures: recorded {len(then)}, now {len(now)}"
    pairs = zip(one.names or ("",) * len(then), then, now, strict=False)
    changed = [
        f"{name or f'picture {number}'} (recorded {before[:_DIGITS]}, now {after[:_DIGITS]})"
        for number, (name, before, after) in enumerate(pairs, 1)
        if before != after
    ]
    return f"pictures changed: {', '.join(changed)}"
