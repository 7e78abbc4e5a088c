"""What a run has cost so far, where a limit was set."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_ppteval.agent.builtin.ending import GivenUpError, Trouble
from pytest_ppteval.model.price import Prices
from pytest_ppteval.model.question import Tokens
from pytest_ppteval.model.wire import tokens_of

if TYPE_CHECKING:
    from pytest_ppteval.agent.builtin.task import Options


class Spending:
    """Counts answers against max_cost. Raises Trouble where there is a limit and the model's price is not known."""

    def __init__(self, options: Options) -> None:
        self._model = options.model
        self._most = options.max_cost
        self._spent = Decimal(0)
        self._prices = Prices(options.prices)
        if self._most is not None and self._cost(Tokens(input=1, output=1)) is None:
            raise Trouble(
                f"the price of {self._model} is not known, so that max_cost can't be kept: "
                "pip install 'pytest-ppteval[prices]', or leave max_cost out"
            )

    def check(self) -> None:
        """Raises GivenUpError where the limit is reached."""
        if self._most is not None and self._spent >= Decimal(str(self._most)):
            raise GivenUpError(f"max_cost={self._most:g} USD is spent: {self._spent:.4f}")

    def add(self, answer: dict[str, Any]) -> None:
        """Count an answer of the model. Raises Trouble for one that tells of no tokens, where there is a limit."""
        if self._most is None:
            return
        tokens = tokens_of(answer.get("usage") or {})
        if tokens is None:
            raise Trouble("the server does not tell how many tokens an answer took, so that max_cost can't be kept")
        self._spent += self._cost(tokens) or 0

    def _cost(self, tokens: Tokens) -> Decimal | None:
        return self._prices.cost(self._model, tokens)
