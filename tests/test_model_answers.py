"""The built-in vlm_call and llm_call: which model is asked, with what, and what becomes of a leaf it can't answer."""

from __future__ import annotations

import json
import subprocess
import sys
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from messages_server import KEY, Answer, error, message, pictures_of, prompt_of, says
from model_leaves import WITH_PICTURES, asks, leaves_of, looks, put_pictures, results_of
from small_project import leaf, rubric

if TYPE_CHECKING:
    from messages_server import Server
    from small_project import Project


def test_a_leaf_gets_the_models_answer(project: Project, server: Server) -> None:
    project.task("t", rubric(looks()))
    project.outputs()
    put_pictures(project, "t")
    server.queue.append(says("YES, all of it"))
    document = results_of(project, WITH_PICTURES)
    assert leaves_of(document)["Looks"]["reason"] == "YES, all of it"
    assert document["tasks"][0]["verdict"] == "passed"
    (request,) = server.requests
    assert request["model"] == "claude-sonnet-5-5"
    assert prompt_of(request) == "Is it blue? YES or NO."
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_pictures_are_sent_scaled_to_what_a_model_sees(project: Project, server: Server) -> None:
    from PIL import Image

    project.task("t", rubric(looks(slides=(1, 2))))
    project.outputs()
    put_pictures(project, "t")
    project.run(WITH_PICTURES).assert_outcomes(passed=1)
    first, second = pictures_of(server.requests[0])
    for kind, data, colour in ((*first, (0, 0, 255)), (*second, (255, 0, 0))):
        picture = Image.open(BytesIO(data))
        # 1600 x 900, scaled by 1568 / 1600.
        assert (kind, picture.format, picture.size) == ("image/png", "PNG", (1568, 882))
        assert picture.convert("RGB").getpixel((700, 400)) == colour
    labels = [block["text"] for block in server.requests[0]["messages"][0]["content"] if block["type"] == "text"]
    assert labels == ["Image 1:", "Image 2:", "Is it blue? YES or NO."]


@pytest.mark.parametrize(
    ("option", "ini", "variable", "model"),
    [
        ("claude-opus-5-5", "claude-haiku-5-5", "anthropic/claude-sonnet-5", "claude-opus-5-5"),
        ("anthropic/claude-opus-5-5", "", "", "claude-opus-5-5"),
        ("", "claude-haiku-5-5", "anthropic/claude-sonnet-5", "claude-haiku-5-5"),
        ("", "", "anthropic/claude-sonnet-5", "claude-sonnet-5"),
        ("", "", "", "claude-sonnet-5-5"),
    ],
)
def test_the_model_is_named_by_option_ini_or_variable(
    project: Project, server: Server, monkeypatch: pytest.MonkeyPatch, option: str, ini: str, variable: str, model: str
) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    project.pytester.makeini(f"[pytest]\nppteval_model = {ini}\n")
    monkeypatch.setenv("RUBRIC_DEFAULT_LLM", variable)
    result = project.run(*([f"--ppteval-model={option}"] if option else []))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"ppteval: model {model}"])
    assert [request["model"] for request in server.requests] == [model]


@pytest.mark.parametrize(
    ("model", "sent"),
    [("claude-sonnet-5-5", None), ("claude-sonnet-4-5", 0.1), ("claude-3-5-haiku-20241022", 0.1), ("qwen3-vl:8b", 0.1)],
)
def test_temperature_is_sent_where_the_model_takes_it(
    project: Project, server: Server, model: str, sent: float | None
) -> None:
    project.task("t", rubric(asks(arguments="temperature=0.1, max_tokens=99")))
    project.outputs()
    project.run(f"--ppteval-model={model}").assert_outcomes(passed=1)
    (request,) = server.requests
    assert (request.get("temperature"), request["max_tokens"]) == (sent, 99)


def test_a_server_that_refuses_temperature_is_asked_without(project: Project, server: Server) -> None:
    project.task("t", rubric(asks("first YES?", name="A"), asks("second YES?", name="B")))
    project.outputs()
    server.queue.append(error(400, "invalid_request_error", "`temperature` is deprecated for this model."))
    project.run("--ppteval-model=my-alias").assert_outcomes(passed=1)
    assert [request.get("temperature") for request in server.requests] == [0.7, None, None]


def test_a_model_that_is_to_be_retired_is_asked_all_the_same(project: Project, server: Server) -> None:
    from anthropic._data import DEPRECATED_MODELS

    model = sorted(DEPRECATED_MODELS)[0]
    project.task("t", rubric(asks()))
    project.outputs()
    project.run(f"--ppteval-model={model}", "--ppteval-votes=3", "-W", "error").assert_outcomes(passed=1)
    assert len(server.requests) == 3


FAILURES = {
    "no key is right": ([error(401, "authentication_error", f"invalid x-api-key {KEY}")], "refused the key (401)"),
    "forbidden": ([error(403, "permission_error", f"not for {KEY}")], "(403): not for [[]secret]"),
    "no such model": ([error(404, "not_found_error")], "has no model 'claude-sonnet-5-5' (404)*--ppteval-model"),
    "bad request": ([error(400, "invalid_request_error", "prompt is too long")], "(400): prompt is too long"),
    "429 for good": ([error(429, "rate_limit_error", retry_after="0.01")] * 3, "too many requests (429)"),
    "429 for an hour": ([error(429, "rate_limit_error", retry_after="3600")], "asks to wait 3600 s (429)"),
    "500": ([error(500, retry_after="0.01")] * 3, "failed, also after retries (500)"),
    "529": ([error(529, "overloaded_error", retry_after="0.01")] * 3, "overloaded, also after retries (529)"),
    "refusal": (
        [
            Answer(
                message(
                    {"type": "text", "text": "YES"},
                    stop="refusal",
                    stop_details={"type": "refusal", "category": "cyber", "explanation": None},
                )
            )
        ],
        "claude-sonnet-5-5 refused to answer (cyber)",
    ),
    "max_tokens": ([says("YES, and", stop="max_tokens")], "cut off at max_tokens=8192"),
    "context": ([says("YES", stop="model_context_window_exceeded")], "stopped before its answer was done"),
    "empty content": ([Answer(message())], "gave an empty answer"),
    "blank text": ([says(" \n")], "gave an empty answer"),
    "no message": ([Answer({"choices": [{"text": "YES"}]})], "no message of the Messages API"),
    "content of another kind": ([Answer({**message(), "content": "YES"})], "no message of the Messages API"),
    "a list": ([Answer(b"[1, 2]")], "no message of the Messages API"),
    "no JSON": ([Answer(b"YES")], "not JSON"),
    "a page": ([Answer(b"<html>YES", headers={"content-type": "text/html"})], "no message of the Messages API"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_leaves_the_leaf_unscored_whatever_its_code_catches(
    project: Project, server: Server, name: str
) -> None:
    answers, reason = FAILURES[name]
    project.task("t", rubric(asks()))
    project.outputs()
    server.queue.extend(answers)
    result = project.run()
    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines([f"*UNSCORED 1 leaf: llm_call could not be answered: *{reason}*"])
    result.stdout.fnmatch_lines(["UNDETERMINED *::t: score 0.00..1.00*"])
    assert len(server.requests) == len(answers)
    shown = result.stdout.str()
    assert KEY not in shown
    assert "swallowed" not in shown


@pytest.mark.slow  # three attempts, the SDK's pauses between them, and a server that is busy until it has answered
def test_a_server_that_does_not_answer_in_time_leaves_the_leaf_unscored(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    server.otherwise = lambda body: Answer(message({"type": "text", "text": "YES"}), delay=4)
    result = project.run("--ppteval-model-timeout=0.5")
    result.stdout.fnmatch_lines(["*UNSCORED 1 leaf: *no answer from 127.0.0.1 within 0.5 s*--ppteval-model-timeout*"])
    assert len(server.requests) == 3  # the SDK's two retries


@pytest.mark.slow  # three attempts
def test_a_server_that_sends_a_byte_now_and_then_is_not_waited_for(project: Project, server: Server) -> None:
    """Each read is quick; the whole answer, some 250 bytes, would take 50 seconds, three times."""
    project.task("t", rubric(asks()))
    project.outputs()
    server.otherwise = lambda body: Answer(message({"type": "text", "text": "YES"}), drip=0.2)
    result = project.run("--ppteval-model-timeout=1")
    result.stdout.fnmatch_lines(["*UNSCORED 1 leaf: *no answer from 127.0.0.1 within 1 s*--ppteval-model-timeout*"])
    assert len(server.requests) == 3  # the SDK's two retries


def test_no_server_at_all(project: Project, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://user:hunter2@127.0.0.1:9")
    result = project.run()
    result.stdout.fnmatch_lines(["*UNSCORED 1 leaf: *no connection to 127.0.0.1: ConnectError*"])
    assert "hunter2" not in result.stdout.str()


def test_a_slow_answer_does_not_count_against_the_leafs_own_time(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    server.queue.append(Answer(message({"type": "text", "text": "YES"}), delay=1.5))
    project.run("--ppteval-leaf-timeout=1").assert_outcomes(passed=1)


def test_retries_wait_as_long_as_the_server_asks(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    server.queue.append(error(429, "rate_limit_error", retry_after="0.8"))
    project.run().assert_outcomes(passed=1)
    first, second = server.times
    # The SDK's own first pause is 0.4 to 0.5 s.
    assert second - first >= 0.8


def test_without_a_key_one_line_says_what_to_do(project: Project, no_model: None) -> None:
    project.task("a", rubric(looks(), leaf("Plain", 1.0)))
    project.task("b", rubric(looks("Is it red?"), looks("Is it green?", name="Other")))
    project.outputs()
    for task in ("a", "b"):
        put_pictures(project, task)
    result = project.run(WITH_PICTURES)
    # Two tasks are undetermined, which is an error unless allowed; three leaves are skipped, one passes.
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(errors=2, skipped=3)
    remedies = [line for line in result.outlines if line.startswith("UNSCORED")]
    told = (
        "UNSCORED 3 leaves: vlm_call could not be answered: no model configured: set ANTHROPIC_API_KEY (and "
        "ANTHROPIC_BASE_URL for a server of your own), or override the fixtures vlm_call and llm_call in conftest.py"
    )
    assert remedies == [told]
    assert "judging by" not in result.stdout.str()  # nothing was asked of anyone
    assert project.run("--ppteval-unscored=allow", WITH_PICTURES).ret == pytest.ExitCode.OK


def test_twenty_calls_at_once_keep_the_limit_on_concurrency(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    server.otherwise = lambda body: Answer(message({"type": "text", "text": "YES"}), delay=0.1)
    document = results_of(project, "--ppteval-votes=21", "--ppteval-model-concurrency=4")
    assert leaves_of(document)["Asks"]["judging"]["votes"] == [{"yes": 21, "no": 0, "neither": 0}]
    assert len(server.requests) == 21
    assert 2 <= server.at_once <= 4


@pytest.mark.slow  # three workers start Python, pytest and the SDK
@pytest.mark.parametrize("limit", [1, 2])
def test_xdists_workers_share_the_limit_on_concurrency(project: Project, server: Server, limit: int) -> None:
    for number in range(4):
        project.task(f"t{number}", rubric(asks(f"Question {number}? YES or NO.")))
    project.outputs()
    server.otherwise = lambda body: Answer(message({"type": "text", "text": "YES"}), delay=0.3)
    project.run("-n3", f"--ppteval-model-concurrency={limit}").assert_outcomes(passed=4)
    assert len(server.requests) == 4
    assert server.at_once <= limit


def test_ordinary_tests_ask_with_the_fixtures_too(project: Project, server: Server) -> None:
    from PIL import Image

    Image.new("RGB", (20, 10), "red").save(project.pytester.path / "red.png")
    project.pytester.makepyfile(
        """
        import base64
        from pathlib import Path

        def test_red(vlm_call, llm_call):
            picture = Path("red.png").resolve()
            data = picture.read_bytes()
            text = base64.b64encode(data).decode()
            assert vlm_call("Red?", [picture, str(picture), data, text, f"data:image/png;base64,{text}"]) == "YES"
            assert vlm_call("Red?", picture) == llm_call(prompt="Red?", temperature=0.2, max_tokens=7) == "YES"
        """
    )
    project.pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
    data = (project.pytester.path / "red.png").read_bytes()
    assert [pictures_of(request) for request in server.requests] == [
        [("image/png", data)] * 5,
        [("image/png", data)],
        [],
    ]


def test_a_user_may_wrap_the_built_in_call(project: Project, server: Server) -> None:
    project.task("t", rubric(asks("Is it done?")))
    project.outputs()
    project.pytester.makeconftest(
        """
        import pytest
        @pytest.fixture
        def llm_call(llm_call):
            return lambda prompt: llm_call(prompt + " Answer YES or NO.")
        """
    )
    document = results_of(project)
    assert prompt_of(server.requests[0]) == "Is it done? Answer YES or NO."
    assert leaves_of(document)["Asks"]["judging"]["live"] == 1


@pytest.mark.slow  # two fresh interpreters, one of which imports the SDK
def test_the_sdk_is_imported_for_a_call_only(project: Project, server: Server) -> None:
    project.task("t", rubric(leaf("Plain", 1.0), asks()))
    project.outputs()
    code = (
        "import sys, pytest\n"
        "status = pytest.main(sys.argv[1:])\n"
        "print('loaded:', sorted({'anthropic', 'PIL', 'genai_prices', 'yaml'} & set(sys.modules)))\n"
    )

    def loaded(*arguments: str) -> str:
        command = [sys.executable, "-c", code, "-q", "-p", "no:cacheprovider", "--ppteval-outputs=outputs", *arguments]
        done = subprocess.run(command, cwd=project.pytester.path, capture_output=True, text=True, check=False)
        return done.stdout.splitlines()[-1]

    assert "anthropic" not in loaded("cases/tasks.json::t::Plain")
    assert "anthropic" in loaded("cases")


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("--ppteval-votes=2", "*argument --ppteval-votes: '2' is even: an odd number of votes can't tie"),
        ("--ppteval-votes=x", "*argument --ppteval-votes: 'x' is not a whole number of 1 or more"),
        ("--ppteval-max-calls=0", "*argument --ppteval-max-calls: '0' is not a whole number of 1 or more"),
        ("--ppteval-max-cost=-1", "*argument --ppteval-max-cost: '-1' is not a number above 0"),
        ("--ppteval-max-cost=nan", "*argument --ppteval-max-cost: 'nan' is not a number above 0"),
        ("--ppteval-record=maybe", "*argument --ppteval-record: invalid choice: 'maybe'*once*replay*"),
        ("--ppteval-model-concurrency=0", "*argument --ppteval-model-concurrency: '0' is not a whole number*"),
        ("--ppteval-prices=none.yaml", "*--ppteval-prices: *none.yaml:1:1: no such file*"),
    ],
)
def test_a_bad_option_is_a_usage_error(pytester: pytest.Pytester, argument: str, text: str) -> None:
    result = pytester.runpytest_inprocess(argument)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([text])


def test_the_header_names_what_is_out_of_the_ordinary(project: Project) -> None:
    project.task("t", rubric(leaf("Plain", 1.0)))
    project.outputs()
    arguments = ("--ppteval-votes=3", "--ppteval-record=new", "--ppteval-max-calls=9", "--ppteval-max-cost=1.50")
    line = "model claude-sonnet-5-5, 3 votes, record new in recordings (of 0 tasks), at most 9 calls, at most $1.50"
    project.run(*arguments).stdout.fnmatch_lines([f"ppteval: {line}"])


def test_usage_is_in_the_junit_file(project: Project, server: Server) -> None:
    import xml.etree.ElementTree as ET

    project.task("t", rubric(asks(), leaf("Plain", 1.0)))
    project.outputs()
    project.run("--junitxml=junit.xml", "--ppteval-model=local")
    cases = {case.get("name"): case for case in ET.parse(project.pytester.path / "junit.xml").iter("testcase")}

    def judged(name: str) -> dict[str, Any]:
        found = {p.get("name"): p.get("value") for p in cases[name].iter("property")}
        return {str(key): value for key, value in found.items() if str(key).startswith("judge_")}

    assert judged("t::Plain") == {}
    assert judged("t::Asks") == {
        "judge_live": "1",
        "judge_replayed": "0",
        "judge_missing": "0",
        "judge_input_tokens": "100",
        "judge_output_tokens": "10",
        "judge_cost_usd": "unpriced",
    }


def test_the_key_is_in_no_file_that_a_run_writes(project: Project, server: Server) -> None:
    project.task("t", rubric(asks(), asks("Again? YES or NO.", name="B")))
    project.outputs()
    server.queue.extend([says("YES"), error(400, "invalid_request_error", f"with {KEY} and Bearer abc.def")])
    project.run("--ppteval-json=r.json", "--junitxml=j.xml", "--ppteval-record=all")
    written = [path for path in project.pytester.path.rglob("*") if path.suffix in (".json", ".xml", ".yaml")]
    assert {"r.json", "j.xml", "t.yaml"} <= {path.name for path in written}
    assert all(KEY not in path.read_text("utf-8") and "abc.def" not in path.read_text("utf-8") for path in written)
    assert json.loads((project.pytester.path / "r.json").read_text("utf-8"))["judging"]["failed"] == 1
