"""Longest common subsequences, exactly: of plain sequences by bits of whole numbers, of weighted pairs by a table.

Bits: Hyyrö, "Bit-parallel LCS-length computation revisited" (2004). One row of the table is one number, a bit a column:
0 where the length grows. 10,000 x 10,000 takes a fraction of a second. Hirschberg's halving keeps memory flat.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

Pairs = list[tuple[int, int]]

# Bits of a table that is kept for the way back: 4 MB.
_KEPT_BITS = 1 << 25


def longest(first: Sequence[Hashable], second: Sequence[Hashable]) -> Pairs:
    """Index pairs of a longest common subsequence, in order."""
    low = 0
    while low < min(len(first), len(second)) and first[low] == second[low]:
        low += 1
    high = 0
    while high < min(len(first), len(second)) - low and first[-1 - high] == second[-1 - high]:
        high += 1
    pairs = [(index, index) for index in range(low)]
    _collect(first[low : len(first) - high], second[low : len(second) - high], low, low, pairs)
    pairs += [(len(first) - high + index, len(second) - high + index) for index in range(high)]
    return pairs


def _collect(
    first: Sequence[Hashable], second: Sequence[Hashable], first_at: int, second_at: int, pairs: Pairs
) -> None:
    if not first or not second:
        return
    if len(first) == 1 or len(first) * len(second) <= _KEPT_BITS:
        pairs += [(first_at + one, second_at + two) for one, two in _way_back(first, second)]
        return
    half = len(first) // 2
    cut = _best_cut(_last_row(first[:half], second), _last_row(first[half:][::-1], second[::-1]), len(second))
    _collect(first[:half], second[:cut], first_at, second_at, pairs)
    _collect(first[half:], second[cut:], first_at + half, second_at + cut, pairs)


def _masks(second: Sequence[Hashable]) -> dict[Hashable, int]:
    """For each symbol the columns where it stands."""
    masks: dict[Hashable, int] = {}
    for column, symbol in enumerate(second):
        masks[symbol] = masks.get(symbol, 0) | 1 << column
    return masks


def _last_row(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    masks = _masks(second)
    full = (1 << len(second)) - 1
    row = full
    for symbol in first:
        mask = masks.get(symbol)
        if mask is not None:
            hits = row & mask
            row = ((row + hits) | (row - hits)) & full
    return row


def _best_cut(above: int, below: int, width: int) -> int:
    """The column where the first half's length before it and the second half's after it sum up to the most."""
    upper = f"{above:0{width}b}"[::-1]
    lower = f"{below:0{width}b}"[::-1]
    before, after = 0, lower.count("0")
    best, at = after, 0
    for column in range(1, width + 1):
        before += upper[column - 1] == "0"
        after -= lower[width - column] == "0"
        if before + after > best:
            best, at = before + after, column
    return at


def _way_back(first: Sequence[Hashable], second: Sequence[Hashable]) -> Pairs:
    masks = _masks(second)
    full = (1 << len(second)) - 1
    rows = [full]
    for symbol in first:
        row = rows[-1]
        mask = masks.get(symbol)
        if mask is not None:
            hits = row & mask
            row = ((row + hits) | (row - hits)) & full
        rows.append(row)
    pairs: Pairs = []
    line, column = len(first), len(second)
    while line and column:
        row, above = rows[line], rows[line - 1]
        if row >> (column - 1) & 1:
            column -= 1
            continue
        left = (1 << column) - 1
        if row is above or (above & left).bit_count() == (row & left).bit_count():
            line -= 1
            continue
        line, column = line - 1, column - 1
        pairs.append((line, column))
    return pairs[::-1]


def heaviest(rows: Sequence[Mapping[int, int]], width: int) -> Pairs:
    """The index pairs, in order on both sides, whose weights sum up to the most.

    rows: for each index of the first sequence the weights (> 0) of the second's indexes that it may go with.
    width: length of the second. Time and memory grow with the product of the lengths.
    """
    table = [[0] * (width + 1)]
    for weights in rows:
        above = table[-1]
        row = [0] * (width + 1)
        best = 0
        for column in range(width):
            value = above[column + 1]
            weight = weights.get(column)
            if weight is not None and above[column] + weight > value:
                value = above[column] + weight
            best = max(best, value)
            row[column + 1] = best
        table.append(row)
    pairs: Pairs = []
    line, column = len(rows), width
    while line and column:
        here = table[line][column]
        if here == table[line][column - 1]:
            column -= 1
        elif here == table[line - 1][column]:
            line -= 1
        else:
            line, column = line - 1, column - 1
            pairs.append((line, column))
    return pairs[::-1]
