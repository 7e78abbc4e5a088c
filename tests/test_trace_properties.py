"""Whatever happens to a trace on its way: nobody is told "finished, 0 calls" of a run that made some; nothing raises.

Every sample is cut, its bytes are flipped, its values are taken away, renamed and replaced; and it is written anew in
other ways, after which it must be the same run.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_ppteval.trace import Trace, TraceError, detect, read_traces
from pytest_ppteval.trace.show import as_data, as_table

HERE = Path(__file__).parent / "data" / "traces"
BESIDE = Path(__file__).parents[2] / "shared" / "data" / "traces"
LARGEST = 60_000  # bytes; larger ones are of the same formats
ROUNDS = 5


def samples() -> dict[str, Path]:
    found = {path.relative_to(root).as_posix(): path for root in (BESIDE, HERE) for path in sorted(root.rglob("*.*"))}
    return {
        name: path
        for name, path in sorted(found.items())
        if path.is_file() and 0 < path.stat().st_size <= LARGEST and path.name != "manifest.json"
    }


SAMPLES = samples()
every_sample = pytest.mark.parametrize("name", SAMPLES)


@cache
def whole(name: str) -> tuple[str, int]:
    """The format of a sample and the number of its calls."""
    data = SAMPLES[name].read_bytes()
    format_name = detect(data)
    assert format_name is not None
    return format_name, sum(len(trace.steps) for trace in read_traces(data))


def look_at(name: str, data: bytes, what: object) -> None:
    """Read what was made of a sample, by its format and by the one that it now seems to have."""
    format_name, calls = whole(name)
    for asked in (format_name, None):
        try:
            traces = read_traces(data, asked)
        except TraceError:
            continue
        for trace in traces:
            as_table(trace)
            json.dumps(as_data(trace), allow_nan=False).encode()
        quiet = all(trace.status == "finished" and not trace.steps and trace.calls_unknown is None for trace in traces)
        assert not (calls and quiet), f"{calls} calls were lost without a word: {what}"


@every_sample
def test_cut_anywhere(name: str) -> None:
    data, rng = SAMPLES[name].read_bytes(), random.Random(name)
    for _ in range(ROUNDS):
        end = rng.randrange(1, len(data))
        look_at(name, data[:end], f"cut at {end}")


@every_sample
def test_a_bit_flipped_anywhere(name: str) -> None:
    data, rng = SAMPLES[name].read_bytes(), random.Random(name)
    for _ in range(ROUNDS):
        broken = bytearray(data)
        at = rng.randrange(len(broken))
        broken[at] ^= 1 << rng.randrange(8)
        look_at(name, bytes(broken), f"byte {at} is {broken[at]}")


def values_of(path: Path) -> list[Any] | None:
    """The JSON values of a sample: its document, or its lines."""
    text = path.read_bytes().decode("utf-8", "replace")
    try:
        return [json.loads(text)]
    except ValueError:
        pass
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line.removeprefix("data:")))
        except ValueError:
            if line.strip() and not line.startswith(("event:", ":", "id:", "data: [DONE]")):
                return None  # a zip, or a frame of several lines
    return found


def written(values: list[Any], **how: Any) -> bytes:
    return "".join(json.dumps(value, **how) + "\n" for value in values).encode("utf-8", "surrogatepass")


def paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*above, key)
        yield from paths(inner, (*above, key))


OTHERS: list[Any] = [None, True, 0, -1, 1.5, "", "x", [], {}, [1], [[]], {"a": 1}, [{}], {"type": []}, 10**30, "\ud83d"]


@every_sample
def test_one_value_lost_renamed_or_of_another_kind(name: str) -> None:
    values, rng = values_of(SAMPLES[name]), random.Random(name)
    if values is None:
        pytest.skip("no JSON values by themselves: bytes are flipped all the same")
    # One of each kind of place, however often it is there.
    places: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for path in paths(values):
        places.setdefault(tuple(key if isinstance(key, str) else "#" for key in path[-3:]), []).append(path)
    for _ in range(3 * ROUNDS):
        path = rng.choice(rng.choice(list(places.values())))
        changed = json.loads(json.dumps(values))
        above = changed
        for key in path[:-1]:
            above = above[key]
        how = rng.choice(["replaced", "replaced", "lost", "renamed"])
        if how == "replaced" or isinstance(above, list):
            above[path[-1]] = rng.choice(OTHERS)
        elif how == "lost":
            del above[path[-1]]
        else:
            above[f"{path[-1]}_"] = above.pop(path[-1])
        look_at(name, written(changed), (how, path))


def same_run(trace: Trace) -> dict[str, Any]:
    """What must not depend on how a trace is written: all but the places and the JSON text of arguments."""
    data: dict[str, Any] = dict(as_data(trace))
    data["diagnostics"] = sorted(note.code for note in trace.diagnostics if note.code != "no_blank_line")
    return data


@every_sample
def test_written_in_another_way_it_is_the_same_run(name: str) -> None:
    values = values_of(SAMPLES[name])
    if values is None:
        pytest.skip("no JSON values by themselves")
    before = [same_run(trace) for trace in read_traces(SAMPLES[name])]
    if any(note for run in before for note in run["diagnostics"] if note in ("bad_json", "cut_off")):
        pytest.skip("damaged as it is")
    lines = written(values, ensure_ascii=False)
    ways = {
        "escaped": written(values),
        "tight": written(values, separators=(",", ":")),
        "CRLF": lines.replace(b"\n", b"\r\n"),
        "UTF-8 BOM": b"\xef\xbb\xbf" + lines,
        "UTF-16": lines.decode("utf-8", "replace").encode("utf-16"),
        "server-sent": b"".join(b"data: " + line + b"\n\n" for line in lines.splitlines() if line),
    }
    if len(values) == 1:
        ways["indented"] = written(values, indent=2)
    else:
        ways["an array"] = written([values])
        ways["an indented array"] = written([values], indent=1)
    for way, data in ways.items():
        assert [same_run(trace) for trace in read_traces(data)] == before, way
