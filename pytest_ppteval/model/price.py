"""What an answer costs: by the user's own table, else by genai-prices where that is installed, else not known."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_ppteval.model.settings import is_claude

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_ppteval.model.question import Question, Tokens

_MILLION = Decimal(1_000_000)
_CACHED = ("cache_read", "cache_write")
# No picture takes more tokens on any model so far, and so much is around a question (roles, the verdict's tool).
_TOKENS_OF_AN_IMAGE = 6_000
_TOKENS_AROUND = 2_000


class Prices:
    """Prices of models, from a file of the user's and from genai-prices.

    The file: model -> {input, output, cache_read, cache_write}, in USD for a million tokens; the last two are as input
    unless said. A name that ends in * stands for all that begin so. Raises FormatError on use for a file that is wrong.
    """

    def __init__(self, path: Path | None = None, display: str | None = None) -> None:
        self._path = path
        self._display = display

    @cached_property
    def _table(self) -> dict[str, dict[str, Decimal]]:
        return read_prices(self._path, self._display) if self._path is not None else {}

    def cost(self, model: str, tokens: Tokens) -> Decimal | None:
        """USD for `tokens` of `model`; None where its price is not known."""
        own = self._own(model)
        if own is not None:
            counts = {
                "input": tokens.input,
                "output": tokens.output,
                "cache_read": tokens.cache_read,
                "cache_write": tokens.cache_write,
            }
            return sum((own[name] * number for name, number in counts.items()), Decimal(0)) / _MILLION
        return _published(model, tokens)

    def most(self, model: str, question: Question) -> Decimal | None:
        """More USD than an answer to `question` can cost; None where the price is not known."""
        from pytest_ppteval.model.question import Tokens

        # A token is one byte or more.
        text = sum(len(part.encode("utf-8")) for part in (question.system, question.prompt, question.earlier))
        sent = text + _TOKENS_OF_AN_IMAGE * len(question.images) + _TOKENS_AROUND
        return self.cost(model, Tokens(input=sent, output=question.max_tokens))

    def _own(self, model: str) -> dict[str, Decimal] | None:
        if model in self._table:
            return self._table[model]
        stems = [name for name in self._table if name.endswith("*") and model.startswith(name[:-1])]
        return self._table[max(stems, key=len)] if stems else None


def read_prices(path: Path, display: str | None = None) -> dict[str, dict[str, Decimal]]:
    """The table in a YAML or JSON file. Raises FormatError."""
    from pytest_ppteval.case.document import read_document
    from pytest_ppteval.case.validate import find_problems, raise_all

    document = read_document(path, display)
    raise_all(find_problems(document, "prices"))
    prices: Mapping[str, Mapping[str, float]] = document.data
    table = {
        model: {name: Decimal(str(price)) for name, price in given.items()}
        for model, given in prices.items()
        if model != "$schema"
    }
    for given in table.values():
        for name in _CACHED:
            given.setdefault(name, given["input"])
    return table


def _published(model: str, tokens: Tokens) -> Decimal | None:
    if not is_claude(model):  # a model of that name on the user's own machine costs no published price
        return None
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None
    usage = Usage(
        input_tokens=tokens.input + tokens.cache_read + tokens.cache_write,  # theirs counts all of it as input
        output_tokens=tokens.output,
        cache_read_tokens=tokens.cache_read,
        cache_write_tokens=tokens.cache_write,
    )
    try:
        return Decimal(calc_price(usage, model, provider_id="anthropic").total_price)
    except (LookupError, ValueError):
        return None
