"""A question's way: recordings first, as the mode says, then limits, then the model; votes around all of it."""

from __future__ import annotations

import datetime
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ppteval.files.locks import slot
from pytest_ppteval.model.client import Client
from pytest_ppteval.model.ledger import Ledger, Limits
from pytest_ppteval.model.price import Prices
from pytest_ppteval.model.question import Asked, NoAnswerError, NotSentError, Reply
from pytest_ppteval.model.record import BadRecordingError, Recorded, Recordings, file_name
from pytest_ppteval.model.votes import count, yes_or_no
from pytest_ppteval.rubric.result import Usage

if TYPE_CHECKING:
    from pytest_ppteval.model.meter import Meter
    from pytest_ppteval.model.question import Question
    from pytest_ppteval.model.settings import ModelSettings


@dataclass(frozen=True, slots=True)
class Place:
    """Whose questions these are: which file keeps their answers.

    suite, task: the task's, with its parameters. trial: which run of the agent, from 1.
    """

    suite: str
    task: str
    trial: int = 1


@dataclass(frozen=True, slots=True)
class _Answered:
    text: str
    usage: Usage
    model: str


class _FailedError(Exception):
    """A question that was not answered, with what it took all the same."""

    def __init__(self, error: NoAnswerError, usage: Usage, miss: str = "") -> None:
        self.error = error
        self.usage = usage
        self.miss = miss


class Judge:
    """The built-in model of one process.

    folder: what its run's processes share, made by the first of them; unless given, one of this process's own.
    display: what paths in messages are shown relative to.
    """

    def __init__(self, settings: ModelSettings, folder: Path | None = None, display: Path | None = None) -> None:
        self.settings = settings
        self._given = folder
        self._display = display
        self._client = Client(settings.model, settings.timeout)
        self._prices = Prices(settings.prices, self._shown(settings.prices) if settings.prices else None)
        self._recordings: dict[tuple[str, str], Recordings] = {}

    def ask(self, question: Question, place: Place, meter: Meter) -> str:
        """The answer to `question`. Raises NoAnswerError where none can be had; `meter` is told either way.

        With votes, a first answer of YES or NO is put to the vote: the same is asked again, all at once, and what more
        than half of the answers say holds. Any other answer stands by itself, and nothing more is asked.
        """
        asked = self._asked(question, place, meter)
        call, repeat = meter.next_question(asked)
        asked = replace(asked, repeat=repeat)
        try:
            first = self._one(question, asked, place, meter.leaf, call)
        except _FailedError as failed:
            raise self._tell(failed, meter) from None
        meter.add(first.usage)
        meter.answered_by = first.model
        if self.settings.votes == 1 or question.form != "text" or yes_or_no(first.text) is None:
            return first.text
        return self._vote(question, asked, place, meter, call, first.text)

    def _vote(self, question: Question, asked: Asked, place: Place, meter: Meter, call: int, first: str) -> str:
        texts, failures = [first], []
        with ThreadPoolExecutor(self.settings.votes - 1, "ppteval-vote") as pool:
            waiting = [
                pool.submit(self._one, question, replace(asked, vote=vote), place, meter.leaf, call)
                for vote in range(2, self.settings.votes + 1)
            ]
        for one in waiting:
            try:
                answer = one.result()
            except _FailedError as failed:
                failures.append(self._tell(failed, meter))
                continue
            meter.add(answer.usage)
            texts.append(answer.text)
        if failures:
            raise failures[0]
        votes, majority = count(texts)
        meter.add(Usage(votes=(votes,)))
        if majority is None:
            raise NoAnswerError(f"no majority in {len(texts)} votes: {votes}")
        return next(text for text in texts if yes_or_no(text) == majority)

    def _tell(self, failed: _FailedError, meter: Meter) -> NoAnswerError:
        meter.add(failed.usage)
        meter.miss = meter.miss or failed.miss
        return failed.error

    def _asked(self, question: Question, place: Place, meter: Meter) -> Asked:
        return Asked(
            kind=question.kind,
            model=self.settings.model,
            prompt=meter.named(question.prompt),
            system=meter.named(question.system),
            earlier=question.earlier,
            images=tuple(image.sha256 for image in question.images),
            temperature=question.temperature,
            max_tokens=question.max_tokens,
            form=question.form,
            trial=place.trial,
        )

    def _one(self, question: Question, asked: Asked, place: Place, leaf: str, call: int) -> _Answered:
        """One answer, from a recording or from the model."""
        mode = self.settings.record
        recordings = self.recordings(place) if mode != "none" else None
        if recordings is not None and mode != "all":
            try:
                found = recordings.find(asked)
                miss = "" if found or not _only_replays(mode, recordings) else recordings.explain(asked, leaf)
            except BadRecordingError as error:
                found, miss = None, str(error)
            if found is not None:
                return _Answered(found.text, self._noted(Usage(replayed=1)), found.model)
            if miss:
                raise _FailedError(NoAnswerError(miss), self._noted(Usage(missing=1)), miss)
        reply, usage = self._live(question)
        if recordings is not None:
            now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            names = [image.name for image in question.images]
            answer = Recorded.of(asked, reply, leaf=leaf, call=call, names=names, at=now)
            try:
                recordings.add(answer, anew=mode == "all")
            except (BadRecordingError, OSError) as error:
                failure = NoAnswerError(f"the answer can't be recorded: {error}")
                raise _FailedError(failure, usage, str(failure)) from None
        return _Answered(reply.text, usage, reply.model)

    def _live(self, question: Question) -> tuple[Reply, Usage]:
        """The model's answer and what it took, entered in the ledger."""
        try:
            most = self._most(question)
            ticket = self.ledger.enter(most)
        except NoAnswerError as error:
            raise _FailedError(error, Usage()) from None
        usage = Usage(live=1, failed=1)
        try:
            with slot(self.folder, self.settings.concurrency):
                reply = self._client.send(question)
            usage = self._usage(reply)
            return reply, usage
        except NoAnswerError as error:
            if error.tokens is not None:
                usage += replace(self._usage(error), live=0)
            elif isinstance(error, NotSentError):
                usage = Usage()
            raise _FailedError(error, usage) from None
        finally:
            self.ledger.settle(ticket, usage)

    def _most(self, question: Question) -> Decimal:
        if self.settings.max_cost is None:
            return Decimal(0)
        model = self.settings.model
        most = self._prices.most(model, question)
        if most is None:
            raise NoAnswerError(
                f"--ppteval-max-cost can't be kept without a price of {model}: "
                "pip install 'pytest-ppteval[prices]', or name a file with --ppteval-prices"
            )
        return most

    def _usage(self, answer: Reply | NoAnswerError) -> Usage:
        tokens = answer.tokens
        if tokens is None:
            return Usage(live=1, unpriced=1)
        cost = self._prices.cost(self.settings.model, tokens)
        return Usage(
            live=1,
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            cache_read_tokens=tokens.cache_read,
            cache_write_tokens=tokens.cache_write,
            known_cost=cost or Decimal(0),
            unpriced=int(cost is None),
        )

    def _noted(self, usage: Usage) -> Usage:
        self.ledger.note(usage)
        return usage

    @cached_property
    def folder(self) -> Path:
        """What the processes of this run share."""
        if self._given is None:
            return Path(tempfile.mkdtemp(prefix="ppteval-run-"))
        self._given.mkdir(mode=0o700, exist_ok=True)
        return self._given

    @cached_property
    def ledger(self) -> Ledger:
        """The run's accounts."""
        return Ledger(self.folder, Limits(self.settings.max_calls, self.settings.max_cost))

    def totals(self) -> Usage:
        """What the run has asked and spent so far, in all of its processes."""
        if self._given is None and "folder" not in self.__dict__:
            return Usage()
        return self.ledger.totals()

    def recordings(self, place: Place) -> Recordings:
        """The file of a task."""
        key = (place.suite, place.task)
        if key not in self._recordings:
            folder = self.settings.recordings / place.suite if place.suite else self.settings.recordings
            path = folder / file_name(place.task)
            self._recordings[key] = Recordings(
                path, self._shown(path), suite=place.suite, task=place.task, lock=self.folder / "recordings.lock"
            )
        return self._recordings[key]

    def _shown(self, path: Path) -> str:
        if self._display is not None and path.is_relative_to(self._display):
            return path.relative_to(self._display).as_posix()
        return str(path)

    def close(self) -> None:
        """Close connections, and take away the folder if it is this process's own."""
        self._client.close()
        if self._given is None and "folder" in self.__dict__:
            shutil.rmtree(self.folder, ignore_errors=True)


def _only_replays(mode: str, recordings: Recordings) -> bool:
    return mode == "replay" or (mode == "once" and recordings.existed)
