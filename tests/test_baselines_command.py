"""`ppteval approve`, `baselines` and `sync`: what a person sees, answers and gets."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from agent_run import step, trace_of
from approved_run import Desk, tree_hash, write_run

from pytest_ppteval.baseline.candidate import make_candidate, write
from pytest_ppteval.cli import main
from pytest_ppteval.evidence.outputs import read_metrics
from pytest_ppteval.evidence.run import Run
from pytest_ppteval.trace.model import Usage

WHO = ["--by", "A. Reader", "--why", "it finds the bottleneck"]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path)


def outputs(tokens: int = 100, *tools: str, response: str = "CPU is full.\nAll else is well.\n") -> None:
    """A folder of outputs with a run of the case."""
    usage = {"m": Usage(input_total=tokens - 10, output=10)}
    trace = trace_of(*(step(tool) for tool in tools or ("look", "tell")), usage=usage, duration_s=3)
    write_run(Path("outputs/check-it"), trace, response=response, files={"r.json": "{}"})


def approve(*arguments: str, source: str = "outputs") -> int:
    return main(["approve", "check-it", *WHO, "--from", source, *arguments])


class TestApprove:
    def test_a_first_run_is_shown_whole_and_kept_in_small_files(
        self, desk: Desk, capsys: pytest.CaptureFixture[str]
    ) -> None:
        outputs()
        assert approve("--yes") == 0
        out = capsys.readouterr().out
        assert out.startswith("cases/check-it: new, baselines/cases/check-it\n")
        for line in (
            "1  look  {}         none",
            "  | CPU is full.",
            "files: 1",
            "r.json (2 bytes)",
            "tokens: 100",
            "seconds: 3",
        ):
            assert line in out
        place = desk.baselines / "cases" / "check-it"
        assert sorted(path.name for path in place.iterdir()) == ["response.md", "run.json", "trace.json", "workspace"]
        record = json.loads((place / "run.json").read_text("utf-8"))
        assert list(record)[:3] == ["approved_by", "approved_at", "why"]
        assert (record["approved_by"], record["why"]) == ("A. Reader", "it finds the bottleneck")
        assert record["metrics"] == {"seconds": 3, "input_tokens": 90, "output_tokens": 10, "tool_calls": 2}
        assert record["artifacts"] == [
            {
                "name": "r.json",
                "bytes": 2,
                # printf '{}' | sha256sum
                "sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                "kept": True,
            }
        ]

    def test_the_next_one_is_shown_as_what_differs(self, desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
        outputs()
        approve("--yes")
        outputs(180, "look", "look again", "tell", response="NIC is full.\nAll else is well.\n")
        (Path("outputs/check-it/workspace/new.txt")).write_text("x", "utf-8")
        capsys.readouterr()
        assert approve("--yes") == 0
        out = capsys.readouterr().out
        assert out.startswith("cases/check-it: in place of the run approved by A. Reader on 2")
        for line in (
            "process 98/100: 2 steps in the baseline, 3 here: 2 match, 1 extra",
            "  +   2 look again {}",
            "  -CPU is full.\n    +NIC is full.\n     All else is well.",
            "= r.json",
            "+ new.txt (1 bytes)",
            "tokens: 100 -> 180 (+80%)",
            "seconds: 3 -> 3 (+0%)",
        ):
            assert line in out
        assert (desk.baselines / "cases/check-it/response.md").read_text("utf-8").startswith("NIC")

    @pytest.mark.parametrize(
        ("answer", "status", "kept"), [("y\n", 0, True), ("n\n", 1, False), ("\n", 1, False), ("", 1, False)]
    )
    def test_it_asks_and_only_yes_is_yes(
        self,
        desk: Desk,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        answer: str,
        status: int,
        kept: bool,
    ) -> None:
        outputs()
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        assert approve() == status
        assert "approve cases/check-it? [y/N]" in capsys.readouterr().out
        assert desk.baselines.exists() is kept

    def test_alternatives_stand_beside_it_and_stay_when_it_is_replaced(self, desk: Desk) -> None:
        outputs()
        approve("--yes")
        outputs(50, "guess")
        assert approve("--yes", "--as", "quick") == 0
        quick = desk.baselines / "cases/check-it/alternatives/quick"
        before = tree_hash(quick)
        (desk.baselines / "cases/check-it/NOTES.md").write_text("mine", "utf-8")
        outputs(100, "look", "tell", "bow")
        approve("--yes")
        assert tree_hash(quick) == before
        assert (desk.baselines / "cases/check-it/NOTES.md").read_text("utf-8") == "mine"

    def test_an_alternative_needs_a_run_to_stand_beside(self, desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
        outputs()
        assert approve("--yes", "--as", "quick") == 2
        assert "approve one without --as first" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["approve", "chek-it", *WHO, "--from", "outputs"], "no case 'chek-it': did you mean 'check-it'?"),
            (["approve", "check-it", *WHO], "no such folder: candidates; name it with --from DIR"),
            (["approve", "check-it", "--by", " ", "--why", "x", "--from", "outputs"], "--by is empty"),
            (["approve", "check-it", *WHO, "--from", "outputs", "--as", "a/b"], "--as: name 'a/b' contains '/'"),
            (["approve", "check-it", *WHO, "--from", "cases"], "cases/check-it: no candidate in "),
        ],
    )
    def test_what_can_not_be_done_is_said(
        self, desk: Desk, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
    ) -> None:
        outputs()
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert said in error
        assert len(error.splitlines()) == 1
        assert not desk.baselines.exists()

    def test_nobody_is_approved_by_nobody(self, desk: Desk) -> None:
        outputs()
        with pytest.raises(SystemExit):
            main(["approve", "check-it", "--from", "outputs"])

    def test_what_an_agent_wrote_does_not_act_on_the_terminal(
        self, desk: Desk, capsys: pytest.CaptureFixture[str]
    ) -> None:
        outputs(100, "look\x1b[2J", response="\x1b]0;title\x07 ::error:: no")
        approve("--yes")
        assert "\x1b" not in capsys.readouterr().out


def candidate(desk: Desk, verdict: str) -> None:
    """The run in outputs, as a session that judged it so recorded it."""
    metrics, problem = read_metrics(Path("outputs/check-it/metrics.json"))
    made = make_candidate(
        desk.case,
        Run(Path("outputs/check-it"), "check-it"),
        deck=None,
        metrics=metrics,
        problem=problem,
        judged={"verdict": verdict, "low": 0.0, "high": 0.0, "short": ["baseline: process"]},
    )
    write(made, Path("candidates/cases/check-it"))


class TestARunThatWasJudgedFailed:
    """A script must not replace a good run by one that its own judgement calls wrong."""

    def test_yes_alone_refuses_it(self, desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
        place = desk.approved(trace_of("look", "tell"))
        before = tree_hash(place)
        outputs(100, "lose", "everything")
        candidate(desk, "failed")
        assert approve("--yes", source="candidates") == 2
        said = capsys.readouterr()
        assert "judged failed: check-it: look at it without --yes, or say --even-failed" in said.err
        assert "approved:" not in said.out
        assert tree_hash(place) == before

    @pytest.mark.parametrize("verdict", ["passed", "undetermined"])
    def test_no_other_is(self, desk: Desk, verdict: str) -> None:
        """A case is undetermined for as long as it has no approved run to be compared with."""
        outputs()
        candidate(desk, verdict)
        assert approve("--yes", source="candidates") == 0
        assert (desk.baselines / "cases" / "check-it" / "run.json").is_file()

    def test_a_person_may_take_it_all_the_same(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        outputs()
        candidate(desk, "failed")
        monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
        assert approve(source="candidates") == 0
        assert "judged: failed" in capsys.readouterr().out
        outputs(200)
        candidate(desk, "failed")
        assert approve("--yes", "--even-failed", source="candidates") == 0


class TestTwoPeopleAtOnce:
    """Both have seen the same state and say yes: one of them is approved, the other is told."""

    def asked(self, desk: Desk, name: str) -> subprocess.Popen[str]:
        """`ppteval approve` by somebody, at its question."""
        write_run(desk.root / f"of-{name}" / "check-it", trace_of("look", name), response=f"By {name}.")
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest_ppteval.cli", "approve", "check-it", "--by", name, "--why", "it is good",
             "--from", f"of-{name}"],
            cwd=desk.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        shown = ""
        while not shown.endswith("[y/N] "):
            letter = process.stdout.read(1)
            assert letter, (shown, process.communicate())
            shown += letter
        return process

    @pytest.mark.parametrize("before", [False, True], ids=["a first run", "in place of another"])
    @pytest.mark.parametrize("together", [False, True], ids=["one after the other", "together"])
    def test_one_is_approved(self, desk: Desk, before: bool, together: bool) -> None:
        if before:
            desk.approved(trace_of("look"))
        people = {name: self.asked(desk, name) for name in ("Ann", "Ben")}
        if together:
            for process in people.values():
                assert process.stdin is not None
                process.stdin.write("y\n")
                process.stdin.flush()
        said = {name: process.communicate(None if together else "y\n") for name, process in people.items()}
        approved = [name for name, process in people.items() if process.returncode == 0]
        assert len(approved) == 1
        (refused,) = people.keys() - approved
        assert together or approved == ["Ann"]
        assert "approved: " in said[approved[0]][0]
        assert "approved: " not in said[refused][0]
        assert people[refused].returncode == 2
        assert "another run was put there meanwhile: look at it, and start again" in said[refused][1]
        kept = desk.baselines / "cases" / "check-it"
        assert json.loads((kept / "run.json").read_text("utf-8"))["approved_by"] == approved[0]
        assert (kept / "response.md").read_text("utf-8") == f"By {approved[0]}."


class TestBaselines:
    def lines(self, capsys: pytest.CaptureFixture[str]) -> list[str]:
        capsys.readouterr()
        self.status = main(["baselines"])
        return capsys.readouterr().out.splitlines()

    def test_missing_fresh_and_stale(self, desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.lines(capsys) == ["missing    cases/check-it: the case compares with an approved run", "1 missing"]
        assert self.status == 1
        outputs()
        approve("--yes")
        (line, counts) = self.lines(capsys)
        assert line.startswith("fresh      cases/check-it: approved by A. Reader on 2")
        assert (counts, self.status) == ("1 fresh", 0)
        desk.write_case(prompt="check another service")
        (line, counts) = self.lines(capsys)
        assert line.startswith("stale      cases/check-it: approved by A. Reader on ")
        assert line.endswith("; the prompt, an input or the deck changed")
        assert (counts, self.status) == ("1 stale", 1)

    def test_runs_without_a_case_and_runs_without_hashes(self, desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
        outputs()
        approve("--yes")
        place = desk.baselines / "cases" / "check-it"
        record = json.loads((place / "run.json").read_text("utf-8"))
        del record["hashes"]
        (place / "run.json").write_text(json.dumps(record), "utf-8")
        (desk.baselines / "cases" / "gone").mkdir()
        (desk.baselines / "cases" / "gone" / "run.json").write_text("{}", "utf-8")
        lines = self.lines(capsys)
        assert lines[0].startswith("unchecked  cases/check-it: ")
        assert lines[1:] == ["orphan     cases/gone: no case of that id", "1 unchecked, 1 orphan"]
        assert self.status == 0

    def test_as_json(self, desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["baselines", "--json"]) == 1
        (row,) = json.loads(capsys.readouterr().out)
        assert (row["state"], row["case"]) == ("missing", "cases/check-it")


class TestSync:
    def test_to_another_folder_and_back(self, desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
        outputs()
        approve("--yes")
        outputs(50, "guess")
        approve("--yes", "--as", "quick")
        before = tree_hash(desk.baselines)
        assert main(["sync", "--to", "shared", "--yes"]) == 0
        assert "copied: 2" in capsys.readouterr().out
        assert tree_hash(Path("shared")) == before
        assert main(["sync", "--from", "shared", "--yes"]) == 0
        assert capsys.readouterr().out == "nothing to copy: all is the same\n"

    def test_what_would_be_replaced_is_shown_and_asked(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        outputs()
        approve("--yes")
        main(["sync", "--to", "shared", "--yes"])
        outputs(100, "look", "tell", "bow")
        approve("--yes")
        before = tree_hash(Path("shared"))
        capsys.readouterr()
        monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
        assert main(["sync", "--to", "shared"]) == 1
        out = capsys.readouterr().out
        assert "cases/check-it: in place of the run approved by A. Reader on " in out
        assert "+   3 bow {}" in out
        assert tree_hash(Path("shared")) == before

    def test_a_folder_without_approved_runs_is_refused(self, desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
        write_run(Path("other/check-it"), trace_of("a"))
        assert main(["sync", "--from", "other", "--yes"]) == 2
        assert "no approved runs in other: it needs <suite>/<case>/run.json" in capsys.readouterr().err
        assert not desk.baselines.exists()

    def test_what_nobody_approved_is_not_copied(self, desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
        write_run(Path("other/cases/check-it"), trace_of("a"))
        Path("other/cases/check-it/run.json").write_text("{}", "utf-8")
        assert main(["sync", "--from", "other", "--yes"]) == 2
        assert "approved_by, approved_at or why is empty" in capsys.readouterr().err
        assert not desk.baselines.exists()
