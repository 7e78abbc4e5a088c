"""--junitxml: a test case for each leaf and one for the task, with counters that match."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from small_project import leaf, rubric

if TYPE_CHECKING:
    from small_project import Project

RAISES = "def compute_score():\n    raise ValueError('boom')\n"
NEEDS_MODEL = "def compute_score():\n    return llm_call(prompt='ok?'), 1.0\n"


@pytest.fixture
def mixed(project: Project) -> Project:
    """A task of each outcome, beside an ordinary test that fails."""
    project.task("passes", rubric(leaf("A", 1.0, critical=True), leaf("B", 0.5)), threshold=0.5)
    project.task("fails", rubric(leaf("A", 0.0, critical=True), leaf("B", 1.0)))
    project.task("open [x]", rubric(leaf("A", RAISES), leaf("B", NEEDS_MODEL)))
    project.outputs()
    project.pytester.makepyfile(test_other="def test_fails():\n    assert 1 == 2\n")
    return project


def suite_of(project: Project, *arguments: str) -> ET.Element:
    project.run("cases", "test_other.py", "--junitxml=report.xml", *arguments)
    suite = ET.parse(project.pytester.path / "report.xml").getroot().find("testsuite")
    assert suite is not None
    return suite


def outcome(case: ET.Element) -> str:
    for tag in ("failure", "error", "skipped"):
        found = case.find(tag)
        if found is not None:
            return f"{tag} {found.get('type')}"
    return "passed"


EXPECTED = {
    "passes": "passed",
    "passes::A": "passed",
    "passes::B": "passed",
    "fails": "failure ppteval.failed",
    "fails::A": "failure ppteval.critical",
    "fails::B": "passed",
    "open [x]": "error ppteval.undetermined",
    "open [x]::A": "error ppteval.error",
    "open [x]::B": "skipped ppteval.unscored",
    "test_fails": "failure None",
}


@pytest.mark.parametrize(
    "arguments", [(), ("-n2",), ("-o", "junit_logging=all"), ("-x", "--maxfail=9"), ("-p", "no:terminal")]
)
def test_every_leaf_and_every_task_is_a_test_case(mixed: Project, arguments: tuple[str, ...]) -> None:
    suite = suite_of(mixed, *arguments)
    cases = suite.findall("testcase")
    assert {case.get("name"): outcome(case) for case in cases} == EXPECTED
    assert len(cases) == len(EXPECTED)
    counted = {tag: sum(case.find(tag) is not None for case in cases) for tag in ("failure", "error", "skipped")}
    assert counted == {"failure": 3, "error": 2, "skipped": 1}
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["10", "3", "2", "1"]


def test_cases_have_file_line_class_and_properties(mixed: Project) -> None:
    by_name = {case.get("name"): case for case in suite_of(mixed).findall("testcase")}
    task, short = by_name["fails"], by_name["fails::A"]
    assert (task.get("file"), task.get("classname")) == ("cases/tasks.json", "cases.tasks.json")
    registry = (mixed.pytester.path / "cases" / "tasks.json").read_text("utf-8").splitlines()
    assert '"fails"' in registry[int(task.get("line", 0)) - 1]
    assert short.get("file") == "cases/rubrics/rubric_1.json"
    source = (mixed.pytester.path / "cases" / "rubrics" / "rubric_1.json").read_text("utf-8").splitlines()
    line = int(short.get("line", 0))
    assert '"name": "A"' in "".join(source[line - 1 : line + 1])
    properties = {p.get("name"): p.get("value") for p in short.iterfind("properties/property")}
    assert properties["score"] == "0.0"
    assert properties["is_critical"] == "true"
    failure = short.find("failure")
    assert failure is not None
    assert failure.get("message") == "critical, score 0.00: it is 0.0"
    assert (failure.text or "").splitlines()[-1] == f"  at cases.rubrics(rubric_1.json:{line})"


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "xdist"])
def test_cases_have_their_names_whatever_is_in_them(project: Project, workers: tuple[str, ...]) -> None:
    for name in ("Experiments [Autosaved]-021", "[a] v1.2 [b"):
        project.task(name, rubric(leaf("A [x] y", 1.0)))
    project.outputs()
    project.pytester.makepyfile(test_other="def test_ok(): pass")
    cases = suite_of(project, *workers).findall("testcase")
    assert {str(case.get("name")) for case in cases} == {
        "Experiments [Autosaved]-021",
        "Experiments [Autosaved]-021::A [x] y",
        "[a] v1.2 [b",
        "[a] v1.2 [b::A [x] y",
        "test_ok",
    }
    assert {case.get("classname") for case in cases} == {"cases.tasks.json", "test_other"}


def test_a_partial_leaf_passes_and_says_so(mixed: Project) -> None:
    by_name = {case.get("name"): case for case in suite_of(mixed).findall("testcase")}
    output = by_name["passes::B"].find("system-out")
    assert output is not None
    assert (output.text or "").startswith("partial: score 0.50: it is 0.5")


def test_strict_leaves_out_file_and_line(mixed: Project) -> None:
    suite = suite_of(mixed, "--ppteval-junit-strict", "-o", "junit_family=xunit2")
    assert not [case for case in suite.findall("testcase") if case.get("file") or case.get("line")]


# junit-10.xsd in short: what may stand in an element, and its attributes ("!": required). All else is invalid.
_RERUN = ({"stackTrace", "system-out", "system-err"}, {"message", "type!"})
_OUTCOME: tuple[set[str], set[str]] = (set(), {"message", "type"})
SCHEMA: dict[str, tuple[set[str], set[str]]] = {
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name!", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package"}
        | {"file", "log", "url", "version"},
    ),
    "testcase": (
        {"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError"}
        | {"system-out", "system-err"},
        {"name!", "classname", "group", "time"},
    ),
    "skipped": _OUTCOME, "error": _OUTCOME, "failure": _OUTCOME,
    "rerunFailure": _RERUN, "rerunError": _RERUN, "flakyFailure": _RERUN, "flakyError": _RERUN,
    "system-out": (set(), set()), "system-err": (set(), set()),
    "properties": ({"property"}, set()), "property": (set(), {"name!", "value!"}),
}  # fmt: skip


def assert_valid(element: ET.Element) -> None:
    inside, attributes = SCHEMA[element.tag]
    assert set(element.attrib) <= {name.rstrip("!") for name in attributes}, ET.tostring(element)
    assert {name.rstrip("!") for name in attributes if name.endswith("!")} <= set(element.attrib), ET.tostring(element)
    if "time" in element.attrib:
        assert re.fullmatch(r"[0-9]*(\.[0-9]{0,3})?", element.attrib["time"])
    for child in element:
        assert child.tag in inside, ET.tostring(element)
        assert_valid(child)


@pytest.mark.parametrize("arguments", [("-o", "junit_family=xunit2", "--reruns=1"), ("-o", "junit_family=xunit1")])
def test_strict_is_valid_by_the_xunit2_schema(mixed: Project, arguments: tuple[str, ...]) -> None:
    mixed.pytester.makepyfile(test_other="def test_a(record_property):\n    record_property('a', 1)\n    assert 0\n")
    suite_of(mixed, "--ppteval-junit-strict", *arguments)
    assert_valid(ET.parse(mixed.pytester.path / "report.xml").getroot())


def test_each_test_in_each_worker_counts_once(mixed: Project) -> None:
    suite = suite_of(mixed, "-n2", "--dist=each")
    names = [str(case.get("name")) for case in suite.findall("testcase")]
    ours = [name for name in names if name != "test_fails"]
    assert sorted(ours) == sorted(name for name in EXPECTED if name != "test_fails")
    assert not suite.findall("testcase/flakyFailure")


def test_a_worker_that_dies_leaves_no_case_without_a_name(project: Project) -> None:
    project.task("t", rubric(leaf("A", 1.0)))
    project.outputs()
    dies = "import os\nimport pytest\n\ndef pytest_runtest_call(item):\n    try:\n        os.mkdir('died')\n"
    project.pytester.makeconftest(dies + "    except FileExistsError:\n        return\n    os._exit(1)\n")
    project.pytester.makepyfile(test_other="def test_ok(): pass")
    suite = suite_of(project, "-n1", "--reruns=1")
    assert None not in {case.get("name") for case in suite.findall("testcase")}
    assert suite.get("tests") == str(len(suite.findall("testcase")))


def test_a_rerun_counts_once(project: Project) -> None:
    project.task("t", rubric(leaf("A", 0.0)))
    project.outputs()
    project.pytester.makepyfile(test_other="def test_ok(): pass")
    suite = suite_of(project, "--reruns=2")
    assert sorted(str(case.get("name")) for case in suite.findall("testcase")) == ["t", "t::A", "test_ok"]
    assert suite.get("failures") == "2"
    task = next(case for case in suite.findall("testcase") if case.get("name") == "t")
    assert len(task.findall("flakyFailure")) == 2


def test_a_setup_error_is_an_error_of_the_task(project: Project) -> None:
    project.task("t", rubric(leaf("A", NEEDS_MODEL)))
    project.outputs()
    project.pytester.makeconftest("import pytest\n@pytest.fixture\ndef llm_call():\n    raise RuntimeError('no key')\n")
    project.pytester.makepyfile(test_other="def test_ok(): pass")
    suite = suite_of(project)
    assert {case.get("name"): outcome(case).split()[0] for case in suite.findall("testcase")} == {
        "t": "error",
        "test_ok": "passed",
    }
    assert suite.get("errors") == "1"


def test_reasons_cannot_break_the_report(project: Project) -> None:
    code = "def compute_score():\n    return 'a \\x1b[31m <b>&]]> \\x00 \\ud800 z', 0.0\n"
    project.task("t", rubric(leaf("<A> & \x07", code)))
    project.outputs()
    project.pytester.makepyfile(test_other="def test_ok(): pass")
    suite = suite_of(project)
    names = [case.get("name") for case in suite.findall("testcase")]
    assert r"t::<A> & \x07" in names
    failure = next(case for case in suite.findall("testcase") if "::" in str(case.get("name"))).find("failure")
    assert failure is not None
    assert "<b>&]]>" in failure.get("message", "")
    assert "\x1b" not in failure.get("message", "")


def test_a_foreign_report_is_left_as_it_is(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_a(subtests):\n    with subtests.test('x'):\n        assert 0\n")
    pytester.runpytest_inprocess("--junitxml=with.xml")
    pytester.runpytest_inprocess("--junitxml=without.xml", "-p", "no:ppteval")

    def shape(name: str) -> list[tuple[str, str | None]]:
        return [(e.tag, e.get("name") or e.get("message")) for e in ET.parse(pytester.path / name).iter()]

    assert shape("with.xml") == shape("without.xml")
