"""Sequences whose members are read when somebody looks at them: most leaves look at one slide of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")


class Lazy(Sequence[T]):
    """What `read` gives, called on first use. Compares and reads as the tuple that it stands for."""

    __slots__ = ("_made", "_read")

    def __init__(self, read: Callable[[], tuple[T, ...]]) -> None:
        self._read: Callable[[], tuple[T, ...]] | None = read
        self._made: tuple[T, ...] = ()

    @property
    def all(self) -> tuple[T, ...]:
        """The members."""
        if self._read is not None:
            self._made = self._read()
            self._read = None
        return self._made

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...

    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        return self.all[place]

    def __len__(self) -> int:
        return len(self.all)

    def __iter__(self) -> Iterator[T]:
        return iter(self.all)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, (Lazy, tuple)) and self.all == tuple(other))

    def __hash__(self) -> int:
        return hash(self.all)

    def __repr__(self) -> str:
        return repr(self.all)


class Each(Sequence[T]):
    """Members that are read one by one, each on first use."""

    __slots__ = ("_made", "_reads")

    def __init__(self, reads: Sequence[Callable[[], T]]) -> None:
        self._reads = list(reads)
        self._made: dict[int, T] = {}

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...

    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(len(self._reads))))
        index = range(len(self._reads))[place]
        if index not in self._made:
            self._made[index] = self._reads[index]()
        return self._made[index]

    def __len__(self) -> int:
        return len(self._reads)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, (Each, tuple)) and tuple(self) == tuple(other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
