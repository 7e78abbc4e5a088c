"""What judging costs: tokens and prices by leaf, task and session, and limits that hold over all processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from messages_server import Answer, error, message, says
from model_leaves import asks, leaves_of, results_of
from small_project import leaf, rubric

if TYPE_CHECKING:
    from pathlib import Path

    from messages_server import Server
    from small_project import Project

PRICES = "local-*: {input: 2, output: 10, cache_read: 0.2, cache_write: 2.5}\n"
MODEL = "--ppteval-model=local-judge"
TABLE = "--ppteval-prices=prices.yaml"
# Slow: each worker is a process that starts Python, pytest and the SDK.
WORKERS = pytest.param(("-n2",), marks=pytest.mark.slow)


@pytest.fixture
def priced(project: Project, server: Server) -> Project:
    """A project with a table of prices."""
    (project.pytester.path / "prices.yaml").write_text(PRICES, "utf-8")
    return project


def test_tokens_and_cost_are_told_by_leaf_task_and_session(priced: Project, server: Server) -> None:
    priced.task("a", rubric(asks("1? YES or NO.", name="A"), asks("2? YES or NO.", name="B"), leaf("Plain", 1.0)))
    priced.task("b", rubric(asks("3? YES or NO.")))
    priced.outputs()
    usage = {
        "input_tokens": 1000,
        "output_tokens": 200,
        "cache_read_input_tokens": 5000,
        "cache_creation_input_tokens": 400,
    }
    server.queue.append(says("YES", usage=usage))
    document = results_of(priced, MODEL, TABLE)
    # By hand, in USD for a million: 1000 * 2 + 200 * 10 + 5000 * 0.2 + 400 * 2.5 = 6000; else 100 * 2 + 10 * 10 = 300.
    leaves = leaves_of(document)
    first = leaves["A"]["judging"]
    assert first["cost_usd"] == pytest.approx(0.006, abs=1e-12)
    assert (first["input_tokens"], first["output_tokens"]) == (1000, 200)
    assert (first["cache_read_tokens"], first["cache_write_tokens"]) == (5000, 400)
    assert leaves["B"]["judging"]["cost_usd"] == pytest.approx(0.0003, abs=1e-12)
    assert "judging" not in leaves["Plain"]
    assert document["tasks"][0]["judging"]["cost_usd"] == pytest.approx(0.0063, abs=1e-12)
    assert document["tasks"][1]["judging"]["cost_usd"] == pytest.approx(0.0003, abs=1e-12)
    session = document["judging"]
    assert session["cost_usd"] == pytest.approx(0.0066, abs=1e-12)
    assert (session["model"], session["live"], session["input_tokens"], session["unpriced"]) == (
        "local-judge",
        3,
        1200,
        0,
    )
    priced.run(MODEL, TABLE).stdout.fnmatch_lines(
        ["judging by local-judge: 3 live, 0 replayed, 0 missing; 300 tokens in, 30 out; $0.0009"]
    )


def test_judging_is_kept_apart_from_the_agents_own_budget(priced: Project, server: Server) -> None:
    priced.task("t", rubric(asks()), budget={"cost_usd": 0.0001})
    priced.output("t", metrics={"cost_usd": 0.0001})
    document = results_of(priced, MODEL, TABLE)
    assert document["tasks"][0]["verdict"] == "passed"
    assert document["judging"]["cost_usd"] == pytest.approx(0.0003)


def test_a_model_without_a_price_is_unpriced_and_never_free(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    document = results_of(project, MODEL)
    assert (document["judging"]["cost_usd"], document["judging"]["unpriced"]) == (None, 1)
    assert leaves_of(document)["Asks"]["judging"]["cost_usd"] is None
    result = project.run(MODEL)
    result.stdout.fnmatch_lines(["judging by local-judge: 1 live, *; 100 tokens in, 10 out; unpriced"])
    assert "$" not in result.stdout.str()


def test_genai_prices_knows_published_prices(project: Project, server: Server) -> None:
    genai_prices = pytest.importorskip("genai_prices", reason="the extra 'prices' is not installed")
    project.task("t", rubric(asks()))
    project.outputs()
    usage = {
        "input_tokens": 1000,
        "output_tokens": 200,
        "cache_read_input_tokens": 5000,
        "cache_creation_input_tokens": 400,
    }
    server.queue.append(says("YES", usage=usage))
    document = results_of(project, "--ppteval-model=claude-haiku-4-5")
    published = genai_prices.calc_price(
        # There, input is all of it.
        genai_prices.Usage(input_tokens=6400, output_tokens=200, cache_read_tokens=5000, cache_write_tokens=400),
        "claude-haiku-4-5",
        provider_id="anthropic",
    )
    assert document["judging"]["cost_usd"] == pytest.approx(float(published.total_price), abs=1e-12)


def test_the_users_own_table_wins(project: Project, server: Server) -> None:
    (project.pytester.path / "prices.json").write_text('{"claude-haiku-4-5": {"input": 70, "output": 0}}', "utf-8")
    project.task("t", rubric(asks()))
    project.outputs()
    document = results_of(project, "--ppteval-model=claude-haiku-4-5", "--ppteval-prices=prices.json")
    assert document["judging"]["cost_usd"] == pytest.approx(0.007)


def test_an_answer_without_a_count_of_tokens_is_unpriced(priced: Project, server: Server) -> None:
    priced.task("t", rubric(asks()))
    priced.outputs()
    body = message({"type": "text", "text": "YES"})
    del body["usage"]
    server.queue.append(Answer(body))
    document = results_of(priced, MODEL, TABLE)
    assert document["tasks"][0]["verdict"] == "passed"
    assert (document["judging"]["cost_usd"], document["judging"]["unpriced"]) == (None, 1)


def test_answers_that_are_no_use_cost_all_the_same(priced: Project, server: Server) -> None:
    priced.task("t", rubric(asks(), asks("And? YES or NO.", name="B")))
    priced.outputs()
    server.queue.extend([says("YES", stop="max_tokens"), error(401)])
    document = results_of(priced, MODEL, TABLE)
    judging = document["judging"]
    assert (judging["live"], judging["failed"]) == (2, 2)
    assert judging["cost_usd"] == pytest.approx(0.0003, abs=1e-12)


def many(project: Project, tasks: int, leaves: int = 1) -> None:
    for number in range(tasks):
        project.task(f"t{number}", rubric(*(asks(f"{number}.{n}? YES or NO.", name=f"L{n}") for n in range(leaves))))
    project.outputs()


@pytest.mark.parametrize("workers", [(), WORKERS])
def test_no_call_is_sent_beyond_max_calls(project: Project, server: Server, workers: tuple[str, ...]) -> None:
    many(project, 6, 2)
    document = results_of(project, "--ppteval-max-calls=5", *workers)
    assert len(server.requests) == 5
    assert document["judging"]["live"] == 5
    nodes = [node for number in range(6) for node in leaves_of(document, number).values()]
    reasons = [node["reason"] for node in nodes if node["status"] == "unscored"]
    assert (
        reasons == ["llm_call could not be answered: the limit of 5 model calls is reached (--ppteval-max-calls)"] * 7
    )
    server.requests.clear()
    project.run("--ppteval-max-calls=5", *workers).stdout.fnmatch_lines(
        ["UNSCORED 7 leaves: *the limit of 5 model calls is reached (--ppteval-max-calls)"]
    )


@pytest.mark.parametrize("workers", [(), WORKERS])
def test_no_call_is_sent_once_max_cost_is_reached(priced: Project, server: Server, workers: tuple[str, ...]) -> None:
    many(priced, 6)
    server.otherwise = lambda body: Answer(message({"type": "text", "text": "YES"}), delay=0.1)
    # Each costs $0.0003: after three of them 0.0009 is reached.
    document = results_of(priced, MODEL, TABLE, "--ppteval-max-cost=0.0009", *workers)
    assert len(server.requests) == 3
    assert document["judging"]["cost_usd"] == pytest.approx(0.0009, abs=1e-12)
    assert document["judging"]["max_cost_usd"] == 0.0009
    assert document["summary"]["passed"] == 3
    reasons = {node["reason"] for n in range(6) for node in leaves_of(document, n).values() if node["score"] is None}
    assert reasons == {
        "llm_call could not be answered: the limit of $0.0009 for judging is reached (--ppteval-max-cost)"
    }


def test_max_cost_needs_a_price(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    project.run(MODEL, "--ppteval-max-cost=1").stdout.fnmatch_lines(
        ["UNSCORED 1 leaf: *--ppteval-max-cost can't be kept without a price of local-judge: *--ppteval-prices"]
    )
    assert server.requests == []


def test_replayed_answers_cost_nothing_and_count_for_no_limit(priced: Project, server: Server) -> None:
    many(priced, 3)
    priced.run(MODEL, TABLE, "--ppteval-record=once").assert_outcomes(passed=3)
    document = results_of(priced, MODEL, TABLE, "--ppteval-record=once", "--ppteval-max-calls=1")
    assert document["summary"]["passed"] == 3
    assert (document["judging"]["replayed"], document["judging"]["cost_usd"]) == (3, 0)


def test_attempts_that_were_run_again_count_in_the_session(priced: Project, server: Server) -> None:
    priced.task("t", rubric(asks()))
    priced.outputs()
    server.queue.append(says("NO"))
    document = results_of(priced, MODEL, TABLE, "--reruns=1")
    assert document["tasks"][0]["verdict"] == "passed"
    assert document["tasks"][0]["judging"]["live"] == 1
    assert document["judging"]["live"] == 2
    assert document["judging"]["cost_usd"] == pytest.approx(0.0006, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("m: {input: 1}", "prices.yaml:1:4: 'output' is missing: a price needs it"),
        ("m: {input: -1, output: 1}", "prices.yaml:1:12: 'input' is -1: it must be 0 or more"),
        ("m: {input: 1, output: 1, cached: 2}", "prices.yaml:1:26: unknown key 'cached' in a price: *"),
        ("m: 3", "prices.yaml:1:4: 'm' must be an object, not 3"),
    ],
)
def test_a_wrong_table_is_a_usage_error_with_its_place(pytester: pytest.Pytester, text: str, told: str) -> None:
    (pytester.path / "prices.yaml").write_text(text, "utf-8")
    result = pytester.runpytest_inprocess(TABLE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--ppteval-prices: *{told}"])


def test_the_shared_folder_is_taken_away(
    project: Project, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    project.task("t", rubric(asks()))
    project.outputs()
    project.run().assert_outcomes(passed=1)
    assert len(server.requests) == 1
    assert [path.name for path in place.iterdir() if path.name.startswith("ppteval-run")] == []
