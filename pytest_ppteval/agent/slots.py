"""How many agents run at once, over all processes of a run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_ppteval.agent.spec import AgentStopped
from pytest_ppteval.files.locks import take_slot

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from pathlib import Path

_PAUSE = 0.1


@contextmanager
def agent_slot(folder: Path, count: int, stop: threading.Event) -> Iterator[None]:
    """Hold one of `count` places, waiting for a free one; whoever dies gives its place back.

    folder: shared by all processes of the run, and by no other run. Raises AgentStopped once `stop` is set while
    waiting.
    """
    folder.mkdir(parents=True, exist_ok=True)
    while (held := take_slot(folder, count)) is None:
        if stop.wait(_PAUSE):
            raise AgentStopped
    with held:
        yield
