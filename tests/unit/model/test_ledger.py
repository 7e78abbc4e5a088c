"""The accounts of a run: exact over threads and processes, and never beyond a limit by more than one question."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from pytest_ppteval.files.locks import slot
from pytest_ppteval.model.ledger import BudgetReachedError, Ledger, Limits
from pytest_ppteval.rubric.result import Usage

if TYPE_CHECKING:
    from pathlib import Path

COST = Decimal("0.01")


def spend(ledger: Ledger, most: Decimal = Decimal(1), cost: Decimal = COST, seconds: float = 0.0) -> bool:
    """Enter and settle one question; whether it was let through."""
    try:
        ticket = ledger.enter(most)
    except BudgetReachedError:
        return False
    time.sleep(seconds)
    ledger.settle(ticket, Usage(live=1, input_tokens=7, known_cost=cost))
    return True


def test_processes_and_threads_count_as_one(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from decimal import Decimal\n"
        "from pytest_ppteval.model.ledger import Ledger; from pytest_ppteval.rubric.result import Usage\n"
        "ledger = Ledger(Path(sys.argv[1]))\n"
        "for _ in range(10):\n"
        "    ledger.settle(ledger.enter(Decimal(1)), Usage(live=1, known_cost=Decimal('0.1')))\n"
        "    ledger.note(Usage(replayed=1))\n"
    )
    workers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(2)]
    ledger = Ledger(tmp_path)
    threads = [threading.Thread(target=lambda: [spend(ledger) for _ in range(10)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [worker.wait() for worker in workers] == [0, 0]
    # 20 of 0.1 and 20 of 0.01: no binary fractions.
    assert ledger.totals() == Usage(live=40, replayed=20, input_tokens=140, known_cost=Decimal("2.2"))


def test_no_more_calls_than_the_limit(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, Limits(calls=7))
    passed: list[bool] = []
    threads = [threading.Thread(target=lambda: passed.append(spend(ledger, seconds=0.02))) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert passed.count(True) == 7
    assert ledger.totals().live == 7


def test_questions_that_could_reach_the_limit_together_go_one_after_the_other(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, Limits(cost=Decimal("0.05")))
    passed: list[bool] = []
    # Each may cost up to 1, and costs 0.01: the sixth finds 0.05 spent.
    threads = [threading.Thread(target=lambda: passed.append(spend(ledger, seconds=0.01))) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert passed.count(True) == 5
    assert ledger.totals().known_cost == Decimal("0.05")


def test_questions_far_from_the_limit_go_together(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, Limits(cost=Decimal(10)))
    tickets = [ledger.enter(Decimal("0.1")) for _ in range(20)]
    assert len(set(tickets)) == 20


def test_without_a_price_a_limit_on_cost_lets_nothing_more_through(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, Limits(cost=Decimal(10)))
    ledger.settle(ledger.enter(Decimal(1)), Usage(live=1, unpriced=1))
    with pytest.raises(BudgetReachedError, match="without a price"):
        ledger.enter(Decimal(1))


@pytest.mark.skipif(os.name == "nt", reason="processes are told dead by signal 0")
def test_a_process_that_died_with_a_question_under_way_holds_nothing_up(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from decimal import Decimal\n"
        "from pytest_ppteval.model.ledger import Ledger\n"
        "Ledger(Path(sys.argv[1])).enter(Decimal(1))\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    ledger = Ledger(tmp_path, Limits(cost=Decimal("0.5")))
    assert spend(ledger)
    assert ledger.totals() == Usage(live=2, failed=1, input_tokens=7, known_cost=COST)


def test_slots_are_shared_and_given_back(tmp_path: Path) -> None:
    under_way = most = 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal under_way, most
        with slot(tmp_path, 3):
            with lock:
                under_way += 1
                most = max(most, under_way)
            time.sleep(0.02)
            with lock:
                under_way -= 1

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3
