"""The examples in docs/models.md are files that load, and all modes are in it."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

from pytest_ppteval.choices import DEFAULT_MODEL, RECORD_MODES
from pytest_ppteval.model.price import Prices
from pytest_ppteval.model.question import Tokens
from pytest_ppteval.model.record import load

DOC = (Path(__file__).parents[3] / "docs" / "models.md").read_text("utf-8")
RECORDING, PRICES = re.findall(r"^```yaml\n(.*?)^```$", DOC, re.DOTALL | re.MULTILINE)


def test_the_recording_loads_and_says_that_no_model_made_it(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(RECORDING, "utf-8")
    (answer,) = load(path, "t.yaml").values()
    assert (answer.text, answer.model, answer.server) == ("YES, blue", "loopback-test-server", "127.0.0.1")


def test_the_prices_load(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(PRICES, "utf-8")
    prices = Prices(path)
    # By hand, in USD for a million.
    assert prices.cost(DEFAULT_MODEL, Tokens(input=1000, output=100, cache_read=10_000)) == Decimal("0.0075")
    assert prices.cost("qwen3-vl:8b", Tokens(input=1000, output=100)) == 0
    assert prices.cost("another", Tokens(input=1000, output=100)) is None


def test_every_mode_is_told() -> None:
    for mode in RECORD_MODES:
        assert f"| `{mode}`" in DOC
