"""--ppteval-record: answers are kept in a file a task, for review, and replayed without a model.

Every recording in here was made with a server on loopback that is no model, and says so in itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from messages_server import error, says
from model_leaves import asks, leaves_of, looks, put_pictures, results_of
from small_project import leaf, rubric

if TYPE_CHECKING:
    from pathlib import Path

    from messages_server import Server
    from small_project import Project


@pytest.fixture
def recorded(project: Project, server: Server) -> Project:
    """A project with one task, whose answers were recorded with the loopback server."""
    project.task("t", rubric(looks(), asks()))
    project.outputs()
    put_pictures(project, "t")
    project.pytester.makeini("[pytest]\nppteval_output_pictures = yes\n")
    server.queue.extend([says("YES, blue"), says("YES, done")])
    project.run("--ppteval-record=once").assert_outcomes(passed=1)
    assert len(server.requests) == 2
    return project


def recording(project: Project, task: str = "t") -> Path:
    return project.pytester.path / "recordings" / "cases" / f"{task}.yaml"


def answers(project: Project, task: str = "t") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(recording(project, task).read_text("utf-8"))["answers"]
    return found


def go_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")


def test_a_recording_is_a_file_a_task_that_reads_well(recorded: Project) -> None:
    text = recording(recorded).read_text("utf-8")
    stable = re.sub(r"'\d{4}-\d\d-\d\dT[\d:]+\+00:00'", "'(when)'", text)
    stable = re.sub(r"key: \w{24}", "key: (key)", re.sub(r"sha256: \w{64}", "sha256: (hash)", stable))
    assert (
        stable
        == """\
# Models' answers to the questions of one task, kept by pytest --ppteval-record: see docs/models.md.
format: 1
suite: cases
task: t
answers:
  - leaf: Asks
    call: 1
    kind: llm
    model: claude-sonnet-5-5
    prompt: Is it done? YES or NO.
    max_tokens: 8192
    answer: YES, done
    answered_by: loopback-test-server
    server: 127.0.0.1
    tokens:
      input: 100
      output: 10
    recorded_at: '(when)'
    key: (key)
  - leaf: Looks
    call: 1
    kind: vlm
    model: claude-sonnet-5-5
    prompt: Is it blue? YES or NO.
    images:
      - name: <modified slide 1>
        sha256: (hash)
    max_tokens: 8192
    answer: YES, blue
    answered_by: loopback-test-server
    server: 127.0.0.1
    tokens:
      input: 100
      output: 10
    recorded_at: '(when)'
    key: (key)
"""
    )


def test_hashes_are_of_the_pictures_as_they_were_handed_out(recorded: Project) -> None:
    import hashlib
    import zipfile

    archive = zipfile.ZipFile(recorded.pytester.path / "outputs" / "t" / "output.zip")
    with archive:
        digest = hashlib.sha256(archive.read("Slide1.png")).hexdigest()
    assert [image["sha256"] for answer in answers(recorded) for image in answer.get("images", [])] == [digest]


@pytest.mark.parametrize("mode", ["replay", "once", "new"])
def test_recorded_answers_are_replayed_without_a_model(
    recorded: Project, server: Server, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    go_offline(monkeypatch)
    before = recording(recorded).read_bytes()
    document = results_of(recorded, f"--ppteval-record={mode}")
    assert [node["reason"] for node in leaves_of(document).values()] == ["YES, blue", "YES, done"]
    judging = document["judging"]
    assert (judging["live"], judging["replayed"], judging["missing"], judging["cost_usd"]) == (0, 2, 0, 0)
    assert len(server.requests) == 2
    assert recording(recorded).read_bytes() == before


def test_the_summary_says_how_many_answers_were_live_replayed_missing(recorded: Project) -> None:
    recorded.task("u", rubric(asks("Another? YES or NO.")))
    recorded.output("u")
    result = recorded.run("--ppteval-record=new")
    result.stdout.fnmatch_lines(
        [
            "ppteval: model claude-sonnet-5-5, record new in recordings (of 1 task)",
            "judging by claude-sonnet-5-5: 1 live, 2 replayed, 0 missing; 100 tokens in, 10 out; *",
        ]
    )


def test_a_miss_in_replay_is_an_error_that_shows_what_changed(
    recorded: Project, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_offline(monkeypatch)
    recorded.task("t", rubric(looks("Is it deep blue?\nYES or NO."), asks()))
    result = recorded.run("--ppteval-record=replay", "--ppteval-unscored=allow", "--ppteval-json=r.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "*error: no recorded answer in recordings/cases/t.yaml: *question 1 of leaf 'Looks', and differs in this:",
            "*prompt changed:",
            "*  -Is it blue? YES or NO.",
            "*  +Is it deep blue?",
            "*  +YES or NO.",
            "*record it with --ppteval-record=new",
            "judging by *: 0 live, 1 replayed, 1 missing",
        ]
    )
    assert len(server.requests) == 2
    assert "swallowed" not in result.stdout.str()


def test_a_miss_names_the_pictures_that_changed(recorded: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    go_offline(monkeypatch)
    put_pictures(recorded, "t", ((0, 0, 250), (255, 0, 0)))
    recorded.run("--ppteval-record=replay").stdout.fnmatch_lines(
        ["*pictures changed: <modified slide 1> (recorded ????????????, now ????????????)"]
    )


def test_a_miss_names_parameters_that_changed(recorded: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    go_offline(monkeypatch)
    recorded.task("t", rubric(asks(arguments="max_tokens=5")))
    result = recorded.run("--ppteval-record=replay", "--ppteval-model=claude-opus-5-5")
    result.stdout.fnmatch_lines(
        ["*model: recorded claude-sonnet-5-5, now claude-opus-5-5", "*max_tokens: recorded 8192, now 5"]
    )


def test_replay_without_any_recording_says_how_to_make_one(project: Project, no_model: None) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    result = project.run("--ppteval-record=replay")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(
        ["*no answer is recorded for this task (recordings/cases/t.yaml): record with --ppteval-record=once"]
    )


def test_once_asks_nothing_new_of_a_task_that_has_a_recording(recorded: Project, server: Server) -> None:
    recorded.task("u", rubric(asks("Another? YES or NO.")))
    recorded.output("u")
    recorded.task("t", rubric(looks(), asks("Is it finished? YES or NO.")))
    result = recorded.run("--ppteval-record=once")
    result.stdout.fnmatch_lines(["judging by *: 1 live, 1 replayed, 1 missing*"])
    assert len(server.requests) == 3
    assert [answer["prompt"] for answer in answers(recorded, "u")] == ["Another? YES or NO."]


def test_new_asks_what_is_not_there_and_keeps_what_is(recorded: Project, server: Server) -> None:
    kept = answers(recorded)
    recorded.task("t", rubric(looks(), asks("Is it finished? YES or NO.")))
    recorded.run("--ppteval-record=new").assert_outcomes(passed=1)
    assert len(server.requests) == 3
    found = answers(recorded)
    assert len(found) == 3
    assert all(answer in found for answer in kept)


def test_all_asks_anew_and_drops_what_its_leaves_do_not_ask_any_more(recorded: Project, server: Server) -> None:
    recorded.task("t", rubric(looks(), asks("Is it finished? YES or NO.")))
    server.queue.extend([says("YES, very blue"), says("YES, finished")])
    recorded.run("--ppteval-record=all").assert_outcomes(passed=1)
    assert len(server.requests) == 4
    assert [answer["answer"] for answer in answers(recorded)] == ["YES, finished", "YES, very blue"]


def test_none_neither_reads_nor_writes_recordings(recorded: Project, server: Server) -> None:
    before = recording(recorded).read_bytes()
    server.queue.extend([says("YES, asked again"), says("YES, this too")])
    document = results_of(recorded)
    assert leaves_of(document)["Looks"]["reason"] == "YES, asked again"
    assert recording(recorded).read_bytes() == before


def test_failures_are_not_recorded(project: Project, server: Server) -> None:
    project.task("t", rubric(asks(), asks("And this? YES or NO.", name="B")))
    project.outputs()
    server.queue.extend([error(401), says("YES")])
    project.run("--ppteval-record=once")
    assert [answer["leaf"] for answer in answers(project)] == ["B"]


def test_a_leaf_that_asks_the_same_twice_gets_both_answers_again(
    project: Project, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "def compute_score():\n    return ' '.join(llm_call('A number?') for _ in range(3)), 1.0\n"
    project.task("t", rubric(leaf("Twice", code)))
    project.outputs()
    server.queue.extend([says("one"), says("two"), says("three")])
    project.run("--ppteval-record=once").assert_outcomes(passed=1)
    go_offline(monkeypatch)
    document = results_of(project, "--ppteval-record=replay")
    assert leaves_of(document)["Twice"]["reason"] == "one two three"


def test_parametrized_tasks_have_files_of_their_own(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    project.pytester.makeconftest(
        """
        import pytest
        @pytest.fixture(params=["one", "two"])
        def llm_call(llm_call, request):
            return lambda prompt: llm_call(f"{request.param}: {prompt}")
        """
    )
    project.run("--ppteval-record=once").assert_outcomes(passed=2)
    folder = recording(project).parent
    assert sorted(path.name for path in folder.iterdir()) == ["t[one].yaml", "t[two].yaml"]


def test_the_folder_may_be_named_in_the_ini_file(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    project.pytester.makeini("[pytest]\nppteval_recordings = kept/answers\nppteval_record = once\n")
    project.run().assert_outcomes(passed=1)
    assert (project.pytester.path / "kept" / "answers" / "cases" / "t.yaml").is_file()


@pytest.mark.slow  # five workers start Python, pytest and the SDK
def test_workers_record_and_replay_together(project: Project, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        project.task(f"t{number}", rubric(*(asks(f"{number}.{n}? YES or NO.", name=f"L{n}") for n in range(3))))
    project.outputs()
    project.run("-n3", "--ppteval-record=once").assert_outcomes(passed=6)
    assert len(server.requests) == 18
    folder = recording(project).parent
    assert sorted(path.name for path in folder.iterdir()) == [f"t{number}.yaml" for number in range(6)]
    assert [answer["leaf"] for answer in answers(project, "t4")] == ["L0", "L1", "L2"]
    go_offline(monkeypatch)
    document = results_of(project, "-n2", "--ppteval-record=replay")
    assert document["summary"]["passed"] == 6
    assert (document["judging"]["live"], document["judging"]["replayed"]) == (0, 18)


def test_an_answer_whose_question_was_edited_is_an_error(recorded: Project) -> None:
    path = recording(recorded)
    path.write_text(path.read_text("utf-8").replace("Is it blue?", "Is it red?"), "utf-8")
    result = recorded.run("--ppteval-record=replay")
    result.stdout.fnmatch_lines(["*recordings/cases/t.yaml:*: this answer's question was edited*record it again*"])
    assert "swallowed" not in result.stdout.str()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("format: 1", "format: 2", "*recordings/cases/t.yaml:2:9: 'format' is 2: it must lie in 1..1*"),
        ("prompt:", "promt:", "*recordings/cases/t.yaml:6:5: 'prompt' is missing: a recorded answer needs it"),
        ("answers:", "answers: {", "*recordings/cases/t.yaml:*: not valid YAML*"),
    ],
)
def test_a_damaged_file_is_an_error_with_its_place(recorded: Project, old: str, new: str, told: str) -> None:
    path = recording(recorded)
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    result = recorded.run("--ppteval-record=replay")
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines([told])


def test_a_users_own_call_is_not_recorded(project: Project, server: Server) -> None:
    project.task("t", rubric(asks()))
    project.outputs()
    project.pytester.makeconftest(
        "import pytest\n@pytest.fixture\ndef llm_call():\n    return lambda prompt: 'YES, mine'\n"
    )
    document = results_of(project, "--ppteval-record=all")
    assert leaves_of(document)["Asks"]["reason"] == "YES, mine"
    assert document["judging"]["live"] == 0
    assert not recording(project).exists()
