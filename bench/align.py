"""Seconds and memory that the alignment of two long traces takes.

    python bench/align.py [STEPS]

Three pairs of traces: unrelated ones (the worst case), one with a tenth of its steps changed, and unrelated ones in
which every second step belongs to a parallel batch. Beside it rapidfuzz's LCS, written in C++, where it is installed:
it gives the number of matches and nothing else. What is printed is the median of several runs, the spread (lowest to
highest) and the ratio of the medians.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial

from pytest_ppteval.trace import Step
from pytest_ppteval.trace.align import align, key

ROUNDS = 3


def some(rng: random.Random, number: int, group: str | None = None) -> Step:
    return Step(id=str(number), tool=rng.choice("ABCDE"), args={"n": rng.randint(1, 50)}, group=group)


def pairs(count: int) -> dict[str, tuple[list[Step], list[Step]]]:
    rng = random.Random(1)
    first = [some(rng, number) for number in range(count)]
    second = [some(rng, number) for number in range(count)]
    changed = [some(rng, number) if rng.random() < 0.1 else step for number, step in enumerate(first)]

    def batched() -> list[Step]:
        return [some(rng, number, f"g{number // 6}" if number % 6 < 3 else None) for number in range(count)]

    return {"unrelated": (first, second), "a tenth changed": (first, changed), "batches": (batched(), batched())}


def timed(call: Callable[[], int]) -> tuple[list[float], int]:
    times, value = [], 0
    for _ in range(ROUNDS):
        start = time.perf_counter()
        value = call()
        times.append(time.perf_counter() - start)
    return times, value


def our_matches(first: list[Step], second: list[Step]) -> int:
    return align(first, second).count("match")


def line(name: str, times: list[float], rest: str) -> str:
    median = statistics.median(times)
    return f"  {name:10} {median:7.3f} s (of {ROUNDS} runs: {min(times):.3f} to {max(times):.3f}){rest}"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    try:
        from rapidfuzz.distance import LCSseq
    except ImportError:
        LCSseq = None  # noqa: N806  (its own name)
    for name, (first, second) in pairs(count).items():
        print(f"{name}: {count:,} x {count:,} steps")
        ours, matches = timed(partial(our_matches, first, second))
        tracemalloc.start()
        align(first, second)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        print(line("align", ours, f", {matches:,} matches, peak memory {peak:.0f} MB"))
        if LCSseq is not None:
            one, two = [key(step) for step in first], [key(step) for step in second]
            theirs, found = timed(partial(LCSseq.similarity, one, two))
            ratio = statistics.median(ours) / statistics.median(theirs)
            print(line("rapidfuzz", theirs, f", {found:,} matches (order in batches fixed); ratio {ratio:.1f}"))


if __name__ == "__main__":
    main()
