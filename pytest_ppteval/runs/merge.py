"""Several run directories into one: the shards of a CI matrix become the run that one machine would have made."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.files.plain import is_folder
from pytest_ppteval.files.whole import copy_tree
from pytest_ppteval.runs.facts import FORMAT
from pytest_ppteval.runs.folder import RunFolder
from pytest_ppteval.runs.journal import Journal, append_all, key_of, read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_ppteval.runs.journal import Key, Record

# What two runs of the same kind may differ in: when and where.
_TIMES = frozenset(["finished", "folder", "seconds", "started", "attempts", "previous"])
_WHOLE = ("versions", "platform", "sandbox", "renderer", "models", "agent", "git", "options")


class MergeError(ValueError):
    """Runs that can't be merged; each problem is a line of its text."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A run directory that is merged."""

    run: RunFolder
    facts: Mapping[str, Any]
    journal: Journal

    @property
    def name(self) -> str:
        """Of its directory."""
        return self.run.path.resolve().name


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged run. records: in the order of the tasks' files. notes: what the reader should know, a line each."""

    run: RunFolder
    records: tuple[Record, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Pick:
    """The record that counts for its key, and where it is from."""

    record: Record
    shard: Shard

    @property
    def place(self) -> str:
        return f"{self.shard.journal.path}:{self.shard.journal.lines[key_of(self.record)]}"


def merge(paths: Sequence[Path], into: Path, *, prefer_last: bool = False) -> Merged:
    """Merge the run directories `paths` into the new one `into`, which is there in whole or not at all.

    prefer_last: of two complete records of one trial that differ, the later path's counts; else that is an error.
    Raises MergeError, RunFolderError for a path that is no run directory, OSError.
    """
    shards = [Shard(run, run.facts(), read(run.path)) for run in map(RunFolder.open, paths)]
    _check_places(shards, into)
    problems = [problem for shard in shards for problem in shard.journal.problems]
    picks: dict[Key, _Pick] = {}
    for shard in shards:
        for key, record in shard.journal.records.items():
            new = _Pick(record, shard)
            old = picks.get(key)
            if old is None or _supersedes(new.record, old.record):
                picks[key] = new
            elif not _supersedes(old.record, new.record) and not _same(old.record, new.record):
                if not prefer_last:
                    problems.append(_conflict(key, old, new))
                picks[key] = new
    if problems:
        raise MergeError("\n".join(problems))
    ordered = sorted(picks.values(), key=lambda pick: _order(pick.record))
    notes = [
        f"{shard.name}: {_lines(shard.journal.torn)} of a killed session passed over"
        for shard in shards
        if shard.journal.torn
    ]
    facts, differing = _facts(shards)
    run, records, left = _write(into, facts, ordered)
    return Merged(run, tuple(records), (*notes, *differing, *left))


def _check_places(shards: Sequence[Shard], into: Path) -> None:
    places: dict[Path, Path] = {}
    for shard in shards:
        place = shard.run.path.resolve()
        if place in places:
            raise MergeError(f"{shard.run.path} is named twice: name each run once")
        places[place] = shard.run.path
        if into.resolve() == place or place in into.resolve().parents:
            raise MergeError(f"{into} is in {shard.run.path}, which is merged: name a folder elsewhere")
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise MergeError(f"{into} is there already and not empty: name a new folder")


def _supersedes(new: Record, old: Record) -> bool:
    """Whether one record counts more: that of a run which came to its end. Among unfinished ones, the later."""
    if new["complete"] != old["complete"]:
        return bool(new["complete"])
    return not new["complete"]


def _same(first: Record, second: Record) -> bool:
    return bool(_timeless(first) == _timeless(second))


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(one) for key, one in value.items() if key not in _TIMES}
    if isinstance(value, list):
        return [_timeless(one) for one in value]
    return value


def _conflict(key: Key, old: _Pick, new: _Pick) -> str:
    task, trial = key
    what = f"{task}, trial {trial}" if new.record["trials"] > 1 else task
    results = " and ".join(f"{pick.record['verdict']} in {pick.place}" for pick in (old, new))
    return f"{what} was judged twice: {results}: leave one out, or let the later path count with --prefer last"


def _order(record: Record) -> tuple[Any, ...]:
    return record["file"], record.get("line", 0), key_of(record)


def _lines(count: int) -> str:
    return f"{count} unfinished {'line' if count == 1 else 'lines'}"


def _facts(shards: Sequence[Shard]) -> tuple[dict[str, Any], list[str]]:
    """run.json of the merged run, with what the shards have in common, and in what they differ."""
    notes: list[str] = []
    facts: dict[str, Any] = {"format": FORMAT, "versions": {}}
    for name in _WHOLE:
        values: list[Any] = [shard.facts.get(name) for shard in shards]
        if all(isinstance(value, dict) for value in values):
            for key in dict.fromkeys(key for value in values for key in value):
                own = [value.get(key) for value in values]
                if all(one == own[0] for one in own):
                    facts.setdefault(name, {})[key] = own[0]
                else:
                    notes.append(_differ(f"{name}.{key}", own, shards))
        elif all(value == values[0] for value in values):
            facts |= {} if values[0] is None else {name: values[0]}
        else:
            notes.append(_differ(name, values, shards))
    if "commit" not in facts.get("git", {}):
        facts.pop("git", None)
    facts["started"] = min(shard.facts["started"] for shard in shards)
    ends: list[Any] = [shard.facts.get("ended") for shard in shards]
    facts["ended"] = max(ends) if all(ends) else None
    notes += [
        f"{shard.name} has no end: its session was killed, or still runs"
        for shard, end in zip(shards, ends, strict=True)
        if not end
    ]
    return {**facts, "shards": _flat(shards)}, notes


def _differ(name: str, values: Sequence[object], shards: Sequence[Shard]) -> str:
    where: dict[str, list[str]] = {}
    for value, shard in zip(values, shards, strict=True):
        where.setdefault(json.dumps(value, ensure_ascii=False), []).append(shard.name)
    return f"the runs differ in {name}: " + "; ".join(f"{value} in {', '.join(all_)}" for value, all_ in where.items())


def _flat(shards: Sequence[Shard]) -> list[dict[str, Any]]:
    """The shards for run.json; of one that was merged itself, those that it was made from."""
    found: list[dict[str, Any]] = []
    for shard in shards:
        own = {key: value for key, value in shard.facts.items() if key not in ("format", "shards")}
        found += shard.facts.get("shards") or [{"name": shard.name, **own}]
    return found


def _write(into: Path, facts: Mapping[str, Any], picks: Sequence[_Pick]) -> tuple[RunFolder, list[Record], list[str]]:
    into.parent.mkdir(parents=True, exist_ok=True)
    fresh = into.with_name(f".{into.name[:100]}.{os.getpid()}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        run = RunFolder.create(fresh, facts)
        taken: dict[str, _Pick] = {}
        notes: list[str] = []
        records = []
        for pick in picks:
            folder, told = _copy(pick, fresh, taken)
            notes += told
            records.append({**pick.record, "folder": folder})
        append_all(fresh, records)
        if into.exists():
            into.rmdir()
        fresh.rename(into)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return replace(run, path=into), records, notes


def _copy(pick: _Pick, fresh: Path, taken: dict[str, _Pick]) -> tuple[str | None, list[str]]:
    """Copy a record's artifacts; the folder where they are now, and what to tell."""
    folder = pick.record["folder"]
    if folder is None:
        return None, []
    source = pick.shard.run.locate(folder)
    if source is None or not is_folder(source):
        return None, [f"{pick.place}: its artifacts are not there ({folder})"]
    target, number = folder, 1
    while target in taken:  # two suites of one name
        number += 1
        target = f"{folder}~{number}"
    taken[target] = pick
    left = copy_tree(source, fresh / target)
    return target, [f"not copied: {source / told}" for told in left]
