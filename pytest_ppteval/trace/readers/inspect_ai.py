"""Inspect AI's logs: .eval (a zip with a file a sample) and .json. Each sample, in each epoch, is a run."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator

from pytest_ppteval.trace.build import Builder, when
from pytest_ppteval.trace.jsontext import (
    Record,
    as_count,
    as_dict,
    as_dicts,
    as_number,
    as_text,
    loads,
    mend,
    text_of,
)
from pytest_ppteval.trace.limits import MAX_DOCUMENT, MAX_FILE, MAX_MEMBERS, check, check_values
from pytest_ppteval.trace.model import Json, Trace, Usage
from pytest_ppteval.trace.readers import Head, Reader, Sign, certain
from pytest_ppteval.trace.readers.blocks import spoken
from pytest_ppteval.trace.signs import call_sign
from pytest_ppteval.trace.source import Source

_ATTACHMENT = "attachment://"
_PIECE = 1 << 16  # bytes of a zip that are unpacked at once
_NOT_CALLS = frozenset(("config", "tools", "state", "changes", "call"))  # a model's call is no tool's


class _Sample:
    def __init__(self, source: Source, sample: Record) -> None:
        name = f"{sample.get('id')}_epoch_{sample.get('epoch', 1)}"
        self.build = Builder("inspect", source.notes, name)
        self.sample = sample
        self.attachments = as_dict(sample.get("attachments"))

    def whole(self, value: Json) -> Json:
        """Long texts are kept once, beside the events, and named there."""
        if isinstance(value, str):
            if value.startswith(_ATTACHMENT):
                found = self.attachments.get(value.removeprefix(_ATTACHMENT))
                return found if isinstance(found, str) else value
            return value
        if isinstance(value, list):
            return [self.whole(item) for item in value]
        if isinstance(value, dict):
            return {key: self.whole(item) for key, item in value.items()}
        return value

    def trace(self) -> Trace:
        build, sample = self.build, self.sample
        events = build.listed(sample, "events")
        groups: dict[str, str] = {}
        messages = build.listed(sample, "messages")
        for number, message in enumerate(messages):
            for call in as_dicts(message.get("tool_calls")):
                if name := as_text(call.get("id")):
                    groups[name] = f"message-{number}"
        for event in events:
            if event.get("event") == "tool":
                self.tool(event, groups)
        from_events = bool(build.steps)
        for number, message in enumerate(messages):
            self.message(message, number, from_events)
        if not build.steps:
            sign = next((sign for event in events if (sign := call_sign(event, _NOT_CALLS)) is not None), None)
            sign = sign or call_sign(sample.get("output"))
            if sign is not None:
                build.hidden(f"{sign} in the events")
        self.tokens(events)
        build.duration_s = as_number(sample.get("total_time"))
        if build.duration_s is None:
            for event in events:
                build.at(when(event.get("timestamp")))
        error, limit = sample.get("error"), as_dict(sample.get("limit"))
        if error:
            build.status, build.error = "error", as_text(as_dict(error).get("message")) or text_of(error)
        elif limit:
            build.status, build.error = "cancelled", f"limit reached: {limit.get('type')} {limit.get('limit')}"
        elif as_dict(sample.get("output")).get("choices"):
            build.status = "finished"
        return build.trace()

    def tool(self, event: Record, groups: dict[str, str]) -> None:
        call = as_text(event.get("id"))
        arguments = self.whole(event.get("arguments"))
        started, ended = when(event.get("timestamp")), when(event.get("completed"))
        name = as_text(event.get("function"))
        step = self.build.call(call, name, arguments, group=groups.get(call or ""), started=started)
        if event.get("pending") is True:
            return
        error = as_dict(event.get("error"))
        words = text_of(self.whole(error.get("message")))
        result = self.whole(event.get("result"))
        text = None if result is None else result if isinstance(result, str) else text_of(result)
        self.build.result(step.id, text, failed=bool(error), error=words, ended=ended)

    def message(self, message: Record, number: int, from_events: bool) -> None:
        role = as_text(message.get("role")) or "unknown"
        content = self.whole(message.get("content"))
        if role != "tool":
            for part in as_dicts(content):
                if part.get("type") == "reasoning":
                    self.build.say("reasoning", text_of(part.get("reasoning")))
            self.build.say(role, spoken(content), message_id=as_text(message.get("id")))
        for call in as_dicts(message.get("tool_calls")):
            name = as_text(call.get("id"))
            if from_events and (name is None or name in self.build.steps):
                continue
            arguments = self.whole(call.get("arguments"))
            self.build.call(name, as_text(call.get("function")), arguments, group=f"message-{number}")
        if role == "tool":
            asked, tool = as_text(message.get("tool_call_id")), as_text(message.get("function"))
            step = self.build.steps.get(asked or "")
            if step is not None and step.result is not None:  # an event told it already
                step.tool = step.tool or tool or ""
                return
            error = as_dict(message.get("error"))
            words = as_text(error.get("message"))
            self.build.result(asked, text_of(content), failed=bool(error), error=words, tool=tool)

    def tokens(self, events: list[Record]) -> None:
        models = as_dict(self.sample.get("model_usage"))
        for model, usage in models.items():
            self.build.spend(model, _usage(as_dict(usage)))
            self.build.cost(as_number(as_dict(usage).get("total_cost")))
        if not models:
            for event in events:
                if event.get("event") == "model":
                    usage = as_dict(as_dict(event.get("output")).get("usage"))
                    self.build.spend(as_text(event.get("model")), _usage(usage))


def _usage(usage: Record) -> Usage:
    """Whether input_tokens has the cache in it depends on the provider; the total always has."""
    output, total = as_count(usage.get("output_tokens")), as_count(usage.get("total_tokens"))
    read, write = as_count(usage.get("input_tokens_cache_read")), as_count(usage.get("input_tokens_cache_write"))
    fresh = as_count(usage.get("input_tokens"))
    input_total = None if fresh is None else fresh + (read or 0) + (write or 0)
    if total is not None and output is not None and total >= output:
        input_total = total - output
    return Usage(
        input_total=input_total,
        cache_read=read,
        cache_write=write,
        output=output,
        reasoning=as_count(usage.get("reasoning_tokens")),
    )


def _samples(source: Source) -> Iterator[Record]:
    if source.is_zip:
        unpacked = 0
        for name, raw in _members(source):
            unpacked += len(raw)
            check("MAX_FILE", unpacked, MAX_FILE, f"the samples of {source.where} have {unpacked:,} bytes, unpacked")
            if _is_sample(name):
                text = raw.decode("utf-8", "replace")
                check_values(text, name)
                try:
                    value = loads(text)
                except ValueError as error:
                    source.notes.add("bad_json", f"{name} is not whole: {error}", about=name)
                    value = mend(text)
                if isinstance(value, dict):
                    yield value
        return
    for _, record in source.records():
        yield from as_dicts(record.get("samples"))


def _is_sample(name: str) -> bool:
    return name.startswith("samples/") and name.endswith(".json")


def _members(source: Source) -> Iterator[tuple[str, bytes]]:
    raw = source.whole()
    check("MAX_MEMBERS", raw.count(b"PK\x01\x02"), MAX_MEMBERS, f"{source.where} holds too many files")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            for info in archive.infolist():
                if not _is_sample(info.filename):
                    continue
                what = f"{info.filename} of {source.where} has {info.file_size:,} bytes, unpacked"
                check("MAX_DOCUMENT", info.file_size, MAX_DOCUMENT, what)
                try:
                    yield info.filename, archive.read(info)
                except NotImplementedError:
                    source.notes.add("compression", f"{info.filename} is compressed in a way that zipfile can't read")
                except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError) as error:
                    source.notes.add("bad_zip", f"{info.filename} is damaged: {error}", about=info.filename)
    except (zipfile.BadZipFile, OSError, struct.error, NotImplementedError) as error:
        source.notes.add("cut_off", f"the .eval file has no directory, it is cut off or damaged: {error}")
        yield from _without_directory(source, memoryview(raw))


def _without_directory(source: Source, raw: memoryview) -> Iterator[tuple[str, bytes]]:
    """The files of a zip whose end is missing, by their own headers."""
    at = 0
    while bytes(raw[at : at + 4]) == b"PK\x03\x04" and len(raw) >= at + 30:
        flags, method = struct.unpack_from("<HH", raw, at + 6)
        size, _, name_size, extra_size = struct.unpack_from("<IIHH", raw, at + 18)
        start = at + 30 + name_size + extra_size
        name = bytes(raw[at + 30 : at + 30 + name_size]).decode("utf-8", "replace")
        if method == 8:
            unpacker = zlib.decompressobj(-15)
            try:
                data, end = _unpacked(unpacker, raw, start, f"{name} of {source.where} is a bomb, unpacked")
            except zlib.error:
                return
        elif method == 0 and not flags & 8:
            data, end = bytes(raw[start : start + size]), start + size
        else:
            return
        if _is_sample(name):
            yield name, data
        # After the data there may be a descriptor with the sizes.
        following = bytes(raw[end : end + 64]).find(b"PK\x03\x04")
        if following < 0:
            return
        at = end + following


def _unpacked(unpacker: zlib._Decompress, raw: memoryview, start: int, what: str) -> tuple[bytes, int]:
    """The data that starts at `start`, and where it ends."""
    pieces = []
    at = total = 0
    for at in range(start, len(raw), _PIECE):
        piece = unpacker.decompress(raw[at : at + _PIECE], MAX_DOCUMENT + 1 - total)
        total += len(piece)
        check("MAX_DOCUMENT", total, MAX_DOCUMENT, what)
        pieces.append(piece)
        if unpacker.eof:
            return b"".join(pieces), min(at + _PIECE, len(raw)) - len(unpacker.unused_data)
    return b"".join(pieces), len(raw)


def _read(source: Source) -> list[Trace]:
    traces = [_Sample(source, sample).trace() for sample in _samples(source)]
    if not traces:
        source.notes.add("no_samples", "no sample in the log")
    return traces or [Builder("inspect", source.notes).trace()]


def _recognise(head: Head) -> Sign | None:
    if head.is_zip:
        name = next((name for name in (b"_journal/", b"samples/", b"header.json") if name in head.start), None)
        return None if name is None else certain(f"a zip with {name.decode()}")
    if any("samples" in record and "eval" in record for record in head.records):
        return certain("eval and samples")
    return None


READER = Reader(name="inspect", title="Inspect AI log, .eval or .json", recognise=_recognise, read=_read)
