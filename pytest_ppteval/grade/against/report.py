"""The final response against the approved run's: key verdicts by code, then item by item by a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.against.verdicts import by_code, read_verdict
from pytest_ppteval.grade.answers import NotInFormError, ask, member, number, word
from pytest_ppteval.grade.check import lacking
from pytest_ppteval.grade.fence import RULE, fenced
from pytest_ppteval.grade.material import RESPONSE, shortened
from pytest_ppteval.rubric.result import LeafResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.against.reference import Reference
    from pytest_ppteval.grade.means import Means
    from pytest_ppteval.rubric.tree import Leaf

KEY_COST = 80  # points that a key verdict costs which differs
KINDS = ("differs", "missing", "added")
SYSTEM = (
    "You compare two reports on the same task: an approved one and a new one. Compare what they say, not how they say "
    "it: other words for the same, another order, another layout are the same. Go through the statements item by item. "
    "An item differs where the new report says something else, is missing where it says nothing of it, is added where "
    "only the new report has it. " + RULE
)
_SHOWN_REPLY = 2000


@dataclass(frozen=True, slots=True)
class Item:
    """A statement of one of the reports or both. status: same, differs, missing or added. weight: 0..1."""

    name: str
    status: str
    weight: float
    evidence: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the judge says. verdicts: yes, no or unclear by the name of a key verdict."""

    verdicts: Mapping[str, str]
    items: tuple[Item, ...]
    reason: str


def compare(reference: Reference, leaf: Leaf, evidence: Evidence, means: Means) -> LeafResult:
    """100, less 80 for each key verdict that differs, less what the case says for other differences, by weight.

    What code finds stands without a model, too: the score is then the most that is left, and says so.
    """
    args = leaf.scorer.args
    verdicts: list[Mapping[str, Any]] = args["key_verdicts"]
    costs = {kind: float(args["report"].get(kind, 0)) for kind in KINDS}
    if not verdicts and not any(costs.values()):
        remedy = "say what differences cost, such as 'report: {differs: 10, missing: 10, added: 5}', or key_verdicts"
        return LeafResult(status="unscored", reason=f"nothing in the case's baseline says what counts: {remedy}")
    response, approved = evidence.run.response, reference.kept.run.response
    if isinstance(response, Lacking):
        return lacking(response)
    if isinstance(approved, Lacking):
        return LeafResult(
            status="unscored", reason=f"not applicable: the approved run has no response: {approved.reason}"
        )
    lost, said, open_ = _by_code([one for one in verdicts if by_code(one)], reference, evidence)
    if lost >= 100:
        return LeafResult(status="scored", score=0.0, reason=f"report 0/100: {'; '.join([*said, *open_])}")
    if open_:
        return LeafResult(status="unscored", reason="; ".join([*open_, *said]))
    named = [str(one["name"]) for one in verdicts if not by_code(one)]
    if response.split() == approved.split():
        return _scored(lost, [*said, "the two reports are the same, word for word"])
    if not named and not any(costs.values()):
        return _scored(lost, said)
    cuts: list[str] = []
    prompt = prompt_of(approved, response, named, cuts)
    try:
        answer = ask(means, "comparison", SYSTEM, prompt, lambda data: read_comparison(data, named))
    except Exception as error:  # whatever a user's llm_call raises: the model did not answer
        return _without(lost, said, f"llm_call: {error}")
    if answer.value is None:
        replies = "\n".join(f"reply {at}: {reply[:_SHOWN_REPLY]}" for at, reply in enumerate(answer.replies, 1))
        problem = f"no comparison can be read in the answer of {answer.model}: {answer.problem}"
        return _without(lost, said, problem, replies)
    return _with(answer.value, answer.model, costs, lost, said, cuts)


def _by_code(
    verdicts: Sequence[Mapping[str, Any]], reference: Reference, evidence: Evidence
) -> tuple[int, list[str], list[str]]:
    """Points lost, what was found, and what can't be settled."""
    lost, said, open_ = 0, [], []
    for verdict in verdicts:
        name = f"key verdict {verdict['name']!r}"
        wanted, found = read_verdict(verdict, reference.kept.run), read_verdict(verdict, evidence.run)
        if isinstance(wanted, Lacking):
            open_.append(f"{name} is not in the approved run, so that nothing can be compared: {wanted.reason}")
        elif isinstance(found, Lacking) and found.fault == "nobody":
            open_.append(f"{name}: {found.reason}")
        elif wanted == found:
            said.append(f"{name} is the same: {wanted[:80]!r}")
        else:
            lost += KEY_COST
            now = found.reason if isinstance(found, Lacking) else repr(found[:80])
            said.append(f"{name} differs, {KEY_COST} points off: approved {wanted[:80]!r}, now {now}")
    return lost, said, open_


def prompt_of(approved: str, response: str, named: Sequence[str], cuts: list[str]) -> str:
    """The question; both reports are in fences."""
    first = shortened(approved, RESPONSE, cuts, "the approved report")
    second = shortened(response, RESPONSE, cuts, "the new report")
    keys = [f"- {' '.join(name.split())}" for name in named] or ["(none)"]
    lines = [
        "Key verdicts, each to be given as same or not by its name:",
        *keys,
        f"Left out of the reports for their length: {'; '.join(cuts) if cuts else 'nothing, all of it is here'}",
        "",
        fenced([("the approved report", first), ("the new report", second)]),
        "",
        "That is all the material. Answer with the tool 'comparison'.",
    ]
    return "\n".join(lines)


def read_comparison(data: object, named: Sequence[str]) -> Comparison:
    """The comparison in a model's answer. Raises NotInFormError."""
    verdicts = {}
    for entry in member(data, "key_verdicts", list):
        verdicts[member(entry, "name", str)] = word(entry, "same", "yes", "no", "unclear")
    asked = {" ".join(name.split()): name for name in named}
    if set(verdicts) != set(asked):
        raise NotInFormError(f"the key verdicts are {sorted(verdicts)}, asked were {sorted(asked)}")
    items = []
    for entry in member(data, "items", list):
        weight = number(entry, "weight")
        if not 0 <= weight <= 1:
            raise NotInFormError(f"'weight' is {weight:g}, not from 0 to 1")
        status = word(entry, "status", "same", *KINDS)
        items.append(Item(member(entry, "item", str), status, weight, member(entry, "evidence", str)))
    return Comparison(verdicts, tuple(items), member(data, "reason", str))


def _with(
    found: Comparison, model: str, costs: Mapping[str, float], lost: int, said: list[str], cuts: list[str]
) -> LeafResult:
    details = [f"{item.status} (weight {item.weight:g}): {item.name}: {item.evidence}" for item in found.items]
    off = float(lost)
    for name, same in found.verdicts.items():
        if same == "unclear":
            reason = f"{model} can't tell whether key verdict {name!r} is the same: {found.reason}"
            return _without(int(off), said, reason, "\n".join(details))
        if same == "no":
            off += KEY_COST
        said.append(f"key verdict {name!r} {'is the same' if same == 'yes' else f'differs, {KEY_COST} points off'}")
    for kind in KINDS:
        items = [item for item in found.items if item.status == kind]
        if items:
            cost = sum(costs[kind] * item.weight for item in items)
            off += cost
            said.append(f"{len(items)} {kind}, {cost:g} points off")
    notes = [*said, f"by {model}: {found.reason}", *(f"not shown to the judge: {cut}" for cut in cuts)]
    return _scored(off, notes, "\n".join(details))


def _scored(lost: float, said: Sequence[str], details: str = "") -> LeafResult:
    score = max(0.0, 100 - lost)
    return LeafResult(
        status="scored", score=score / 100, reason=f"report {score:g}/100: {'; '.join(said)}", details=details
    )


def _without(lost: int, said: Sequence[str], why: str, details: str = "") -> LeafResult:
    """Without a model's word: unscored, but that a key verdict differs is settled, and costs what it costs."""
    if not lost:
        return LeafResult(status="unscored", reason="; ".join([why, *said]), details=details)
    return _scored(lost, [*said, f"at most, for the rest is not compared ({why})"], details)
