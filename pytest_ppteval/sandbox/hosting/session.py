"""One task as the host sees it: waits for its decks, runs its leaves, hears them one by one, outlives what they do."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from pytest_ppteval.sandbox.channel import BrokenMessageError
from pytest_ppteval.sandbox.hosting.conclude import Printed, conclude, lost
from pytest_ppteval.sandbox.hosting.dialogue import Dialogue, Ending
from pytest_ppteval.sandbox.hosting.early import Begun, Early, heard
from pytest_ppteval.sandbox.hosting.seam import Place, Processes, TaskProcesses
from pytest_ppteval.sandbox.job import Answer, DeckUnusable, Job, Limits, Outcome, SandboxError, Which
from pytest_ppteval.sandbox.source.needs import Diff, may_use_diff, named, uses_numpy
from pytest_ppteval.sandbox.source.traceless import leaves_no_trace
from pytest_ppteval.sandbox.text import one_line, size

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from pytest_ppteval.deck.model import PowerPointDiff
    from pytest_ppteval.sandbox.hosting.early import Beside

# Seconds of leaves after which a process that is used again is given up: its processor time has a limit, too.
_SHARED_SECONDS = 1.0
# Characters of code that a channel takes up before anybody reads it.
_SMALL = 20_000
# How many leaves may be over before it is their turn, for each that may run beside the one that is heard.
_REACH = 8
# How many leaves to be ready for where nobody says.
_UNKNOWN = 1_000_000


class TaskSession:
    """One task's decks, and its leaves. Made by Sandbox.open.

    processes: gives the sandbox's processes. share: whether leaves that leave no trace may have a process in common.
    ahead: how many leaves may run beside the one that is heard, of the `reach` that follow it. beside: those that may
        where there are not as many.
    decks, readable: absolute paths. codes: of the leaves that will probably be run.
    """

    def __init__(
        self,
        processes: Callable[[], Processes],
        share: bool,
        ahead: int,
        limits: Limits,
        decks: dict[str, str | None],
        readable: tuple[str, ...],
        codes: Sequence[str],
        beside: Beside,
    ) -> None:
        self._beside = beside
        self._processes = processes
        wanted = max(map(may_use_diff, codes), default=Diff.NONE)
        self._foreseen_diff = wanted if None not in decks.values() else Diff.NONE
        self._foreseen_leaves = len(codes) or _UNKNOWN
        self._share = share
        self.ahead = ahead
        self.reach = ahead * _REACH
        self._early = Early()
        self._limits = limits
        self._decks = decks
        self._readable = readable
        self._keeper: TaskProcesses | None = None
        # A process that is used again, for leaves that leave no trace, and the seconds that they took.
        self._shared: Place | None = None
        self._shared_seconds = 0.0
        self._ready = False
        self._unusable: DeckUnusable | None = None
        self._has_diff = Diff.NONE
        self._diff: PowerPointDiff | None = None
        self._closed = False

    def connect(self) -> None:
        """Have the decks parsed, in the background. Raises SandboxError."""
        self._keeper = self._processes().open(
            {
                **self._decks,
                "readable": list(self._readable),
                "wall": self._limits.wall,
                "limits": self._limits.of_processes(),
                "diff": int(self._foreseen_diff),
                "leaves": self._foreseen_leaves,
            }
        )
        self._ready, self._has_diff = False, Diff.NONE

    def begin(self, jobs: Sequence[Job], places: int) -> None:
        """Have so many more of the leaves that will be run first begin, as soon as the decks are open."""
        if self._keeper is not None:
            self._begin_early([job for job in jobs if len(job.code) <= _SMALL], places)

    def working(self) -> list[socket.socket]:
        """The channels of leaves that run ahead and still work."""
        return self._early.working()

    def ready(self) -> None:
        """Wait until the decks are parsed.

        Raises DeckUnusable where the guard or python-pptx refuses one, SandboxError where the sandbox fails.
        """
        if self._unusable is not None:
            raise self._unusable
        if self._closed:
            raise SandboxError("this task's session is closed")
        if self._keeper is None:
            self.connect()
        if not self._ready:
            self._wait_parsed()

    def usable(self) -> bool:
        """Whether its process was not lost while nobody looked."""
        return self._keeper is not None and not self._closed

    def diff(self) -> PowerPointDiff:
        """The diff of the two decks, computed in the sandbox, once. Raises as `ready`; SandboxError without decks."""
        if self._diff is None:
            from pytest_ppteval.deck.model import PowerPointDiff

            data = self._compute_diff(wanted=True, account=True)
            assert isinstance(data, dict)
            self._diff = PowerPointDiff.from_dict(data)
        return self._diff

    def judge(self, leaves: Sequence[object]) -> list[dict[str, object]]:
        """What deck leaves give, each as `deckleaves.judged` says. Raises as `ready`."""
        self.ready()
        keeper = self._keeper
        assert keeper is not None
        try:
            message = keeper.judge(self._limits.parse + self._limits.wall, leaves)
        except (TimeoutError, EOFError, ConnectionError, BrokenMessageError) as error:
            late = isinstance(error, TimeoutError)
            fate = (
                f"took more than {self._limits.parse + self._limits.wall:g} s"
                if late
                else f"was lost ({keeper.fate()})"
            )
            self._drop()
            raise SandboxError(f"the process that judges deck leaves {fate}") from None
        except BaseException:
            self._drop()
            raise
        results = message.get("results")
        assert isinstance(results, list)
        return results

    def run(self, job: Job, answer: Answer, then: Sequence[Job] = ()) -> Outcome:
        """Run one leaf. `then`: those that will probably be asked for next, `ahead` of which may run meanwhile.

        Raises as `ready`. A BaseException that interrupts it or `answer` kills the leaf and goes on up.
        """
        started = time.perf_counter()
        job = named(job)
        self.ready()
        begun = self._begun_early(job)
        if begun is None:
            if self._lacks_diff(job):
                self._compute_diff(wanted=False, account=self._diff_for(job) == Diff.WITH_ACCOUNT)
            try:
                begun = self._begin(job)
            except OSError:
                return self._lost(started)
        place = begun.place
        try:
            if self.ahead:
                self._fill(then, self.ahead)
                begun.dialogue.wait = lambda deadline: self._wait(place.channel, then, deadline)
            ending = begun.dialogue.listen(answer)
            if self.ahead:
                self._fill(then, self.ahead + 1)  # while what came of this one is looked at
            if begun.shares and ending.status == "scored":
                return self._keep(place, job, ending, started)
        except BaseException:
            self._abandon(place)
            raise
        with place.channel, place.output:
            return self._conclude(job, ending, place, started)

    def close(self) -> None:
        """Let go of the task: its processes are killed."""
        self._closed = True
        self._drop()

    def __enter__(self) -> TaskSession:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------------------------------------------ the keeper

    def _drop(self) -> None:
        shared, self._shared = self._shared, None
        if shared is not None:
            shared.close()
        self._early.forget()
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.close()

    def _wait_parsed(self) -> None:
        keeper = self._keeper
        assert keeper is not None
        which: Which | None = None
        try:
            while True:
                message = keeper.hear(self._limits.parse)
                if message["t"] == "ready":
                    self._ready = True
                    if keeper.restarted:
                        self._early.forget()  # they belonged to the process that was lost
                    return
                if message["t"] == "parsing":
                    which = "original" if message.get("which") == "original" else "modified"
                    continue
                why = one_line(str(message.get("why")))
                if message["t"] == "refused":
                    raise SandboxError(f"a task's process could not be started or confined: {why}")
                break
        except TimeoutError:
            why = f"checking and opening it took more than {self._limits.parse:g} s"
        except (EOFError, ConnectionError, BrokenMessageError):
            why = f"the process that parses it was lost ({keeper.fate()})"
            if which is None:
                raise SandboxError(f"a task's process was lost ({keeper.fate()})") from None
        finally:
            if not self._ready:
                self._drop()
        if why == "memory":
            why = f"opening it needs more than the memory limit of {size(self._limits.memory)}"
        if which is None:
            raise SandboxError(f"a task's process does not answer: {why}")
        self._unusable = DeckUnusable(which, why)
        raise self._unusable

    def _compute_diff(self, *, wanted: bool, account: bool) -> object:
        self.ready()
        keeper = self._keeper
        assert keeper is not None
        try:
            if self._shared is not None:
                self._end_shared(keeper)  # it was started before there was a diff
            message = keeper.diff(self._limits.parse, wanted=wanted, account=account)
        except BaseException as error:
            fate = ""
            if isinstance(error, (EOFError, ConnectionError)):
                fate = f"its process was lost ({keeper.fate()})"
            elif isinstance(error, TimeoutError):
                fate = f"it took more than {self._limits.parse:g} s"
            self._drop()
            if not fate:
                raise
            raise SandboxError(f"no diff of the decks: {fate}") from None
        if "why" in message:
            why = one_line(str(message.get("why")))
            if why == "memory":
                why = f"it needs more than the memory limit of {size(self._limits.memory)}"
            raise SandboxError(f"no diff of the decks: {why}")
        self._has_diff = max(self._has_diff, Diff.WITH_ACCOUNT if account else Diff.PLAIN)
        return message.get("data")

    # --------------------------------------------------------------------------------------------------- a leaf

    def _lacks_diff(self, job: Job) -> bool:
        return self._has_diff < self._diff_for(job)

    def _diff_for(self, job: Job) -> Diff:
        return may_use_diff(job.code) if job.diff is None and None not in self._decks.values() else Diff.NONE

    def _begin(self, job: Job) -> Begun:
        """Have a leaf run. Raises OSError where there is no process for it."""
        shares = self._share and leaves_no_trace(job.code)
        place = self._place(shares=shares, needs_diff=self._diff_for(job) > Diff.NONE)
        try:
            dialogue = Dialogue(place.channel, job, self._limits)
            dialogue.begin(uses_numpy=uses_numpy(job.code), more=shares)
        except BaseException:
            self._abandon(place)
            raise
        return Begun(job, place, dialogue, shares, not self._ready)

    def _wait(self, channel: socket.socket, then: Sequence[Job], deadline: float) -> None:
        """Until the leaf that is heard says something. Meanwhile others take the places of those that are done."""
        while not heard(channel, self._working(), deadline):
            self._fill(then, self.ahead)

    def _working(self) -> list[socket.socket]:
        return self.working() + self._beside.working()

    def _fill(self, then: Sequence[Job], places: int) -> None:
        """Have leaves begin until so many work: the next ones of this task, then those of the next task."""
        free = places - len(self._working())
        if free > 0:
            free -= self._begin_early(then, free)
        if free > 0:
            self._beside.begin(free)

    def _begin_early(self, jobs: Sequence[Job], places: int) -> int:
        """Have the next leaves begin. Without need: whatever fails waits for its turn. Returns how many did."""
        begun = 0
        for job in map(named, jobs):
            if begun == places or len(self._early) >= self.reach:
                break
            if self._early.has(job):
                continue
            if self._lacks_diff(job) and (self._ready or self._foreseen_diff < self._diff_for(job)):
                break  # the next leaf to be heard has the diff computed
            try:
                self._early.add(self._begin(job))
            except OSError:
                break
            begun += 1
        return begun

    def _begun_early(self, job: Job) -> Begun | None:
        """The leaf that runs already. Those begun before it were not asked for after all: they are ended."""
        begun, passed = self._early.take(job)
        for other in passed:
            self._abandon(other.place)
        if begun is not None and self._keeper is None:  # lost over that
            begun.place.close()
            self.ready()
            return None
        if begun is not None:
            begun.dialogue.waited_for_us(anew=begun.blindly)
        return begun

    def _place(self, *, shares: bool, needs_diff: bool) -> Place:
        """A process for a leaf. Raises OSError."""
        keeper = self._keeper
        assert keeper is not None
        if shares and self._shared is not None:
            place, self._shared = self._shared, None
            return place
        try:
            return keeper.start_leaf(needs_diff=needs_diff)
        except OSError:
            raise
        except BaseException:
            self._abandon()
            raise

    def _keep(self, place: Place, job: Job, ending: Ending, started: float) -> Outcome:
        """The outcome of a leaf whose process is kept for the next one that leaves no trace."""
        outcome = self._outcome(job, ending, None, place, os.fstat(place.output.fileno()).st_size, started)
        place.rewind()
        self._shared = place
        self._shared_seconds += outcome.seconds
        if self._shared_seconds > _SHARED_SECONDS:
            keeper = self._keeper
            assert keeper is not None
            try:
                self._end_shared(keeper)
            except OSError:
                self._drop()
        return outcome

    def _end_shared(self, keeper: TaskProcesses) -> None:
        shared, self._shared, self._shared_seconds = self._shared, None, 0.0
        if shared is not None:
            with shared.channel, shared.output:
                keeper.end_leaf(shared.number, trace=False, grace=0, report=False)

    def _abandon(self, place: Place | None = None) -> None:
        """Kill the leaf that runs, after an exception came between."""
        keeper = self._keeper
        if place is not None:
            place.close()
        if keeper is None:
            return
        if keeper.in_step:
            with contextlib.suppress(OSError):
                if place is not None:
                    keeper.end_leaf(place.number, trace=False, grace=0, report=False)
                return
        self._drop()

    def _conclude(self, job: Job, ending: Ending, place: Place, started: float) -> Outcome:
        keeper = self._keeper
        assert keeper is not None
        printed = os.fstat(place.output.fileno()).st_size
        code: int | None = None
        try:
            # A leaf that is gone gets a moment to finish dying, so that its own fate is reported and not our signal.
            code = keeper.end_leaf(
                place.number,
                trace=ending.status == "timeout",
                grace=0.5 if ending.status == "gone" else 0,
                report=ending.status in ("timeout", "gone"),
            )
        except (OSError, EOFError, BrokenMessageError):
            if ending.status == "gone":
                return self._lost(started)
            self._drop()  # what the leaf said stands; the next one gets a new keeper
        except BaseException:
            self._drop()
            raise
        return self._outcome(job, ending, code, place, printed, started)

    def _outcome(
        self, job: Job, ending: Ending, code: int | None, place: Place, printed: int, started: float
    ) -> Outcome:
        return conclude(
            job,
            ending,
            code,
            Printed.read(place.output.fileno(), printed, self._limits.output),
            self._limits,
            time.perf_counter() - started if ending.seconds is None else ending.seconds,
        )

    def _lost(self, started: float) -> Outcome:
        """The outcome of a leaf whose keeper died under it."""
        keeper = self._keeper
        assert keeper is not None
        fate = keeper.fate()
        self._drop()
        return lost(fate, time.perf_counter() - started)
