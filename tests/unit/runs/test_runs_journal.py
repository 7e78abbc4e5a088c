"""The journal: one line a record, whole or not at all, whoever writes and whenever he is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from run_records import make_case, make_record, scores

from pytest_ppteval.runs.journal import _is_unfinished, append, base_nodeid, key_of, read

# Writers that append records of some size as fast as they can, and tell of each once append has returned. In every
# round one or all are killed at a random moment; the journal stays the same one all along.
WRITERS = """
import json, os, random, signal, sys, time
from pathlib import Path
from pytest_ppteval.runs.journal import append
folder, record = Path(sys.argv[1]), json.loads(sys.argv[2])
rng = random.Random(int(sys.argv[3]))
def write(name, pipe):
    number = 0
    while True:
        number += 1
        size = rng.choice([10, 5000, 100000])
        append(folder, {**record, "nodeid": f"f::{name}", "trial": number, "goal": "讲" * size})
        os.write(pipe, f"{name} {number}\\n".encode())
for round in range(30):
    read, pipe = os.pipe()
    writers = []
    for writer in range(3):
        pid = os.fork()
        if pid == 0:
            write(f"{round}-{writer}", pipe)
        writers.append(pid)
    os.close(pipe)
    time.sleep(rng.uniform(0.001, 0.06))
    first = rng.choice(writers)
    os.kill(first, signal.SIGKILL)
    time.sleep(rng.uniform(0, 0.03))
    for pid in writers:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    with os.fdopen(read) as told:
        print(told.read(), end="")
"""


@pytest.fixture
def record(tmp_path: Path) -> dict[str, Any]:
    case = make_case(tmp_path, "t", "A", "B")
    return make_record(case, scores(A=1.0, B=None))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked writers")
def test_writers_killed_at_any_moment_lose_nothing_that_was_done(tmp_path: Path, record: dict[str, Any]) -> None:
    seed = os.urandom(4).hex()
    done = subprocess.run(
        [sys.executable, "-c", WRITERS, str(tmp_path), json.dumps(record), str(int(seed, 16))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = {(name, int(number)) for name, number in (line.split() for line in done.stdout.splitlines())}
    assert len(told) > 30, "the writers must have got somewhere"
    journal = read(tmp_path)
    assert journal.problems == (), seed
    there = {(nodeid.removeprefix("f::"), trial) for nodeid, trial in journal.records}
    assert told <= there, seed
    # A writer may be killed between writing and telling, or while writing.
    assert len(there - told) + journal.torn <= 90
    for found in journal.records.values():
        assert set(found["goal"]) == {"讲"}
        assert len(found["goal"]) in (10, 5000, 100000)
    # The journal goes on after all that.
    append(tmp_path, record)
    assert key_of(record) in read(tmp_path).records


def test_an_unfinished_line_is_passed_over_and_counted_wherever_it_breaks_off(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    append(tmp_path, {**record, "goal": '讲 "\\ \u2028 \ud800 \x07'})
    path = tmp_path / "results.jsonl"
    whole = path.read_bytes()
    assert whole.count(b"\n") == 1
    assert next(iter(read(tmp_path).records.values()))["goal"] == '讲 "\\ \u2028 \ud800 \x07'
    for cut in [*range(1, len(whole) - 1, 17), len(whole) - 2, len(whole) - 1]:
        path.write_bytes(whole + whole[:cut])
        append(tmp_path, {**record, "trial": 2, "trials": 2})
        journal = read(tmp_path)
        assert journal.problems == ()
        assert [key[1] for key in journal.records] == [1, 2]
        # What lacks nothing but its line's end is whole.
        assert (journal.torn, journal.superseded) == ((1, 0) if cut < len(whole) - 1 else (0, 1))


def test_every_beginning_of_a_record_is_known_as_unfinished(record: dict[str, Any]) -> None:
    text = json.dumps({**record, "goal": "讲\u2028 \\ é", "low": 0.125, "high": 1e-7})
    for cut in range(1, len(text)):
        with pytest.raises(json.JSONDecodeError) as error:
            json.loads(text[:cut])
        assert _is_unfinished(text[:cut], error.value), text[:cut][-40:]


def test_what_a_lost_power_supply_leaves_is_passed_over(tmp_path: Path, record: dict[str, Any]) -> None:
    (tmp_path / "results.jsonl").write_bytes(json.dumps(record)[:50].encode() + b"\0" * 500)
    append(tmp_path, record)
    holes = json.dumps(record).replace("status", "\0" * 6).encode()
    rest = (tmp_path / "results.jsonl").read_bytes()
    (tmp_path / "results.jsonl").write_bytes(b"\0" * 500 + b"\n" + holes + b"\n" + rest)
    journal = read(tmp_path)
    assert (len(journal.records), journal.torn, journal.problems) == (1, 3, ())


def test_a_later_record_of_the_same_trial_takes_the_place_of_an_earlier_one(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    for goal in ("first", "second"):
        append(tmp_path, {**record, "goal": goal})
    append(tmp_path, {**record, "nodeid": "f::u"})
    journal = read(tmp_path)
    assert [one["goal"] for one in journal.records.values()] == ["second", record["goal"]]
    assert (journal.superseded, list(journal.lines.values())) == (1, [2, 3])


def test_nothing_judged_yet_is_an_empty_journal(tmp_path: Path) -> None:
    journal = read(tmp_path)
    assert (journal.records, journal.torn, journal.problems) == ({}, 0, ())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("oops", "no JSON"),
        ("[1, 2]", "is not of type 'object'"),
        ('{"format": oops, "task_id": "a task with a long name"}', "no JSON"),
        ('{"low": NaN}', "NaN is no JSON number"),
        ("{{verdikt}}", "unknown key 'verdikt': did you mean 'verdict'?"),
        ("{{format}}", "format is 2, and this version reads 1: use the version that wrote it, or a newer one"),
        ("{{child}}", "scored_rubric.root.children.1: 'status' is a required property"),
        ("{{missing}}", "'trial' is a required property"),
    ],
)
def test_a_line_that_was_finished_and_is_wrong_is_named(
    tmp_path: Path, record: dict[str, Any], line: str, said: str
) -> None:
    wrong = {"{{verdikt}}": {**record, "verdikt": 1}, "{{format}}": {**record, "format": 2}}
    wrong["{{missing}}"] = {name: value for name, value in record.items() if name != "trial"}
    wrong["{{child}}"] = json.loads(json.dumps(record))
    del wrong["{{child}}"]["scored_rubric"]["root"]["children"][1]["status"]
    append(tmp_path, record)
    with (tmp_path / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write((json.dumps(wrong[line]) if line in wrong else line) + "\n")
    append(tmp_path, {**record, "nodeid": "f::after"})
    journal = read(tmp_path)
    assert (len(journal.records), journal.torn) == (2, 0)
    (problem,) = journal.problems
    assert problem.startswith(f"{tmp_path / 'results.jsonl'}:2: ")
    assert said in problem


def test_a_full_disk_leaves_nothing_of_the_record(tmp_path: Path, record: dict[str, Any]) -> None:
    resource = pytest.importorskip("resource")
    append(tmp_path, record)
    size = (tmp_path / "results.jsonl").stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50_000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            append(tmp_path, {**record, "nodeid": "f::big", "goal": "x" * 200_000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (tmp_path / "results.jsonl").stat().st_size == size
    append(tmp_path, {**record, "nodeid": "f::small"})
    assert len(read(tmp_path).records) == 2


def test_threads_and_processes_write_whole_lines(tmp_path: Path, record: dict[str, Any]) -> None:
    code = (
        "import json, sys; from pathlib import Path; from pytest_ppteval.runs.journal import append\n"
        "record = json.loads(sys.argv[2])\n"
        "for n in range(1, 21): append(Path(sys.argv[1]), {**record, 'nodeid': f'f::{sys.argv[3]}', 'trial': n})\n"
    )
    others = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), json.dumps(record), name]) for name in ("p", "q")
    ]
    threads = [
        threading.Thread(target=append, args=(tmp_path, {**record, "nodeid": f"f::{name}"})) for name in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [other.wait() for other in others] == [0, 0]
    journal = read(tmp_path)
    assert (len(journal.records), journal.superseded, journal.torn, journal.problems) == (60, 0, 0, ())


@pytest.mark.parametrize(
    ("nodeid", "trial", "trials", "base"),
    [
        ("f::t", 1, 1, "f::t"),
        ("f::t[trial-2]", 2, 3, "f::t"),
        ("f::t [x]-021[trial-12]", 12, 20, "f::t [x]-021"),
        ("f::t[a-trial-2]", 2, 3, "f::t[a]"),
        ("f::t[trial-2-a-b]", 2, 3, "f::t[a-b]"),
        ("f::t[a-trial-2-b]", 2, 3, "f::t[a-b]"),
        ("f::t[trial-1]", 1, 1, "f::t[trial-1]"),
        ("f::t[trial-1][trial-1]", 1, 2, "f::t[trial-1]"),
        ("f::t[trial-1]", 2, 3, "f::t[trial-1]"),
        ("f::t[trial-21]", 1, 3, "f::t[trial-21]"),
        ("f::t[a[1]-trial-2]", 2, 3, "f::t[a[1]]"),
        ("f::t[trial-2-trial-2]", 2, 3, "f::t[trial-2]"),
        ("f::t[x][trial-2-b[]]", 2, 3, "f::t[x][b[]]"),
    ],
)
def test_the_key_leaves_out_the_trial_and_nothing_else(nodeid: str, trial: int, trials: int, base: str) -> None:
    assert base_nodeid(nodeid, trial, trials) == base
